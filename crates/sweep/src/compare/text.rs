//! A comparison, for a terminal.

use super::{Comparison, Verdict};

/// The report.
pub fn comparison_text(found: &Comparison) -> String {
    let measure = &found.asked;
    let mut lines = vec![format!("{} of A and B", measure.title)];
    let mut line = |name: &str, value: String| lines.push(format!("  {name:<22} {value}"));
    line("A", found.names[0].clone());
    line("B", found.names[1].clone());
    line("verdict", verdict(found));
    if let Some(reason) = &found.reason {
        line("because", reason.clone());
    }
    if let (Some([a, b, _]), Some(look)) = (found.means, found.looks.last()) {
        line("mean of A", format!("{:.4} {}", a.mean, measure.unit));
        line("mean of B", format!("{:.4} {}", b.mean, measure.unit));
        line(
            "B - A",
            match look.interval {
                Some([lower, upper]) => format!(
                    "{:+.4} {}, between {lower:+.4} and {upper:+.4}",
                    look.difference, measure.unit
                ),
                None => format!(
                    "{:+.4} {}, too few pairs for an interval",
                    look.difference, measure.unit
                ),
            },
        );
        if a.mean != 0.0 {
            line(
                "",
                format!("{:+.2} % of A", 100.0 * look.difference / a.mean),
            );
        }
        line(
            "pairs",
            format!(
                "{} seeds, look {} of {}",
                look.pairs,
                found.looks.len(),
                found.looks_planned
            ),
        );
        let (each, all) = (100.0 * found.look_confidence, 100.0 * found.confidence);
        line(
            "confidence",
            format!("{each:.2} % at each look, so {all} % over all looks"),
        );
        line(
            "packets",
            match &found.packets_differ {
                None => "the same in A and B".into(),
                Some(why) => format!("not the same: {why}"),
            },
        );
        if let Some(correlation) = found.correlation {
            line(
                "correlation",
                format!("{correlation:+.3} of A and B over the seeds"),
            );
        }
        if let Some(times) = found.variance_reduction {
            let needed = (times * f64::from(look.pairs)).ceil();
            line(
                "independent seeds",
                format!("would need {times:.2} times as many runs: {needed} of each"),
            );
        }
    }
    let [a, b] = found.not_steady;
    if a + b > 0 {
        let pairs = found.pairs.len();
        line(
            "not steady",
            format!("{a} of {pairs} runs of A, {b} of {pairs} of B"),
        );
    }
    lines.join("\n") + "\n"
}

fn verdict(found: &Comparison) -> String {
    let title = found.asked.title;
    match found.verdict {
        Verdict::ABetter => format!("A is better: {}", sense(found)),
        Verdict::BBetter => format!("B is better: {}", sense(found)),
        Verdict::Equal => "equal in every pair".into(),
        Verdict::NotDecided => "not decided within the budget".into(),
        Verdict::Interrupted => "not decided: interrupted".into(),
        Verdict::NotComparable => format!("not compared: the {title} means nothing here"),
        Verdict::Failed => "not compared: a network fails".into(),
    }
}

fn sense(found: &Comparison) -> String {
    let more = if found.asked.more_is_better {
        "higher"
    } else {
        "lower"
    };
    format!("{more} {}", found.asked.title)
}
