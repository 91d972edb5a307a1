//! Where a network saturates, for a terminal.

use super::{Criterion, OfSeed, Saturation};

const UNIT: &str = "words/node/cycle";

/// The report.
pub fn saturation_text(found: &Saturation) -> String {
    let partial = if found.partial {
        " (PARTIAL: the search was interrupted)"
    } else {
        ""
    };
    let mut lines = vec![format!("saturation of {}{partial}", found.name)];
    let mut line = |name: &str, value: String| {
        lines.push(format!("  {name:<22} {value}").trim_end().to_owned())
    };
    let [low, high, tolerance] = found.grid;
    line(
        "saturated means",
        match found.criterion {
            Criterion::Steady => "not in a steady state".into(),
            Criterion::Latency(factor) => {
                format!("a mean latency above {factor} times that at load {low}")
            }
        },
    );
    line(
        "loads",
        format!("{low} to {high} in steps of {tolerance} {UNIT}"),
    );
    let seeds = found.seeds.len();
    let most = if seeds == 1 {
        "1 seed".into()
    } else {
        format!("most of {seeds} seeds")
    };
    match (found.unsaturated_load, found.saturated_load) {
        (Some(below), Some(above)) => {
            line("not saturated up to", format!("{below} {UNIT}, {most}"));
            line("saturated from", format!("{above} {UNIT}"));
        }
        (Some(below), None) => line("never saturated", format!("up to load {below}, {most}")),
        (None, Some(above)) if seeds > 0 => {
            line("always saturated", format!("from load {above} on, {most}"))
        }
        _ => line("nothing found", "no seed's search has begun".into()),
    }
    if let (Some(load), Some([lower, upper])) = (found.load, found.interval) {
        let why = match seeds {
            1 => "one seed: the bisection's interval".into(),
            seeds => format!("95 %, {seeds} seeds, and half a step"),
        };
        line(
            "saturation load",
            format!("{load:.4}, between {lower:.4} and {upper:.4} ({why})"),
        );
    } else if seeds > 0 {
        let never = found
            .seeds
            .iter()
            .filter(|of_seed| of_seed.saturated_load.is_none())
            .count();
        let always = found
            .seeds
            .iter()
            .filter(|of_seed| of_seed.unsaturated_load.is_none())
            .count();
        line(
            "saturation load",
            format!("not within the loads: {never} seeds never saturate, {always} always are"),
        );
    }
    if let Some(accepted) = found.accepted_at_saturation {
        line("accepted there", format!("{accepted:.4} {UNIT}"));
    }
    if let Some(accepted) = found.accepted_at_highest {
        line(
            &format!("accepted at load {high}"),
            format!("{accepted:.4} {UNIT}"),
        );
    }
    let runs: usize = found.seeds.iter().map(|of_seed| of_seed.tried.len()).sum();
    line("runs", runs.to_string());
    lines.extend(table(&found.seeds));
    lines.join("\n") + "\n"
}

/// A line a seed.
fn table(seeds: &[OfSeed]) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!(
            "  {:>20} {:>13} {:>10}  why saturated there",
            "seed", "unsaturated", "saturated"
        ),
    ];
    for of_seed in seeds {
        let load = |load: Option<f64>| load.map_or("-".into(), |load| load.to_string());
        let above = of_seed.tried.iter().find(|tried| tried.saturated);
        let why = above
            .and_then(|tried| tried.reason.as_deref())
            .unwrap_or("-");
        let (below, above) = (load(of_seed.unsaturated_load), load(of_seed.saturated_load));
        lines.push(format!(
            "  {:>20} {below:>13} {above:>10}  {why}",
            of_seed.seed
        ));
    }
    lines
}
