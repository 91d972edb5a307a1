//! A comparison, for a terminal.

use super::{Analysis, Comparison, Verdict};
use flitwork_measure::Estimate;
use flitwork_report::named_lines;

type Lines = Vec<(&'static str, String)>;

/// The report.
pub fn comparison_text(found: &Comparison) -> String {
    let mut lines: Lines = vec![
        ("A", found.names[0].clone()),
        ("B", found.names[1].clone()),
        ("verdict", verdict(found)),
    ];
    lines.extend(found.reason.clone().map(|reason| ("because", reason)));
    lines.extend(hint(found).map(|hint| ("hint", hint)));
    if let Some([a, b]) = found.cycles_differ() {
        lines.push(("nominal cycles", format!("{a} ps in A, {b} ps in B")));
    }
    if let (Some(means), Some(last)) = (&found.means, found.analyses.last()) {
        lines.extend(difference(found, means, last));
        lines.extend(certainty(found, last));
    }
    let [a, b] = found.not_steady;
    if a + b > 0 {
        let pairs = found.pairs.len();
        let text = format!("{a} of {pairs} runs of A, {b} of {pairs} of B");
        lines.push(("not steady", text));
    }
    let [a, b] = found.too_short;
    if a + b > 0 {
        let pairs = found.pairs.len();
        let why = found.too_short_why.as_deref().unwrap_or_default();
        let text =
            format!("whether {a} of {pairs} runs of A and {b} of {pairs} of B were steady: {why}");
        lines.push(("not known", text));
    }
    format!("{} of A and B\n", found.measure.comparison.title) + &named_lines(lines)
}

/// How far both are apart.
fn difference(found: &Comparison, [a, b, _]: &[Estimate; 3], last: &Analysis) -> Lines {
    let unit = found.measure.unit;
    let apart = last.difference;
    let interval = match last.interval {
        Some([lower, upper]) => format!("between {lower:+.4} and {upper:+.4}"),
        None if found.seeds_change_nothing => "in every pair".into(),
        None => "too few pairs for an interval".into(),
    };
    let mut lines = vec![
        ("mean of A", format!("{:.4} {unit}", a.mean)),
        ("mean of B", format!("{:.4} {unit}", b.mean)),
        ("B - A", format!("{apart:+.4} {unit}, {interval}")),
    ];
    if a.mean != 0.0 {
        lines.push(("", format!("{:+.2} % of A", 100.0 * apart / a.mean)));
    }
    lines
}

/// What the difference rests on.
fn certainty(found: &Comparison, last: &Analysis) -> Lines {
    let (number, planned) = (found.analyses.len(), found.analyses_planned);
    let (each, all) = (100.0 * found.analysis_confidence, 100.0 * found.confidence);
    let packets = match &found.packets_differ {
        None if found.cycles_differ().is_some() => {
            "the same in A and B by cycle, but at different times".into()
        }
        None => "the same in A and B".into(),
        Some(why) => format!("not the same: {why}"),
    };
    let confidence = match found.seeds_change_nothing {
        true => "none: the seed has no effect here, so all pairs are the same two runs".into(),
        false => format!("{each:.2} % at each analysis, so {all} % over all of them"),
    };
    let mut lines = vec![
        (
            "pairs",
            format!("{} seeds, analysis {number} of {planned}", last.pairs),
        ),
        ("confidence", confidence),
        ("packets", packets),
    ];
    if let Some(correlation) = found.correlation {
        let text = format!("{correlation:+.3} of A and B over the seeds");
        lines.push(("correlation", text));
    }
    if let Some(times) = found.variance_reduction {
        let needed = (times * f64::from(last.pairs)).ceil();
        let text = format!("would need {times:.2} times as many runs: {needed} of each");
        lines.push(("independent seeds", text));
    }
    lines
}

/// What may lead to a verdict.
fn hint(found: &Comparison) -> Option<String> {
    let budget = match found.analyses.len() < found.analyses_planned {
        true => "--budget-seconds",
        false => "--budget-runs",
    };
    let longer = match found.too_short {
        [0, 0] => "",
        _ => ", and so may longer windows",
    };
    let unsteady = found.not_steady.iter().any(|runs| *runs > 0);
    match found.verdict {
        Verdict::NotDecided => Some(format!("more runs may decide it ({budget}){longer}")),
        Verdict::NotComparable if found.measure.comparison.needs_steady && unsteady => Some(
            "--measure accepted compares at any load; this needs a lower load, or the warm-up and the window that the \
             reason asks for"
                .into(),
        ),
        Verdict::NotComparable => Some("more load, or a longer window".into()),
        _ => None,
    }
}

fn verdict(found: &Comparison) -> String {
    let title = found.measure.comparison.title;
    let more = if found.measure.comparison.more_is_better {
        "higher"
    } else {
        "lower"
    };
    match found.verdict {
        Verdict::ABetter => format!("A is better: {more} {title}"),
        Verdict::BBetter => format!("B is better: {more} {title}"),
        Verdict::Equal => "equal in every pair".into(),
        Verdict::NotDecided => "not decided within the budget".into(),
        Verdict::Interrupted => "not decided: interrupted".into(),
        Verdict::NotComparable => format!("not compared: the {title} is meaningless here"),
        Verdict::Failed => "not compared: a network fails".into(),
    }
}
