//! Where a network saturates, for a terminal.

use super::{Criterion, Saturation, SeedOutcome, Tried};
use crate::run::failed_text;
use flitwork_report::{Lines, line, load_unit, named_lines};

/// The report.
pub fn saturation_text(found: &Saturation) -> String {
    let partial = match found.partial {
        true => " (PARTIAL: the search was interrupted)",
        false => "",
    };
    let unit = load_unit(found.counts_terminals);
    let mut lines = asked(found);
    lines.extend(bracket(found));
    lines.extend(load(found));
    lines.extend(offered(found));
    let [_, high, _] = found.grid;
    lines.extend(
        found
            .accepted_at_saturation
            .map(|accepted| line("accepted there", format!("{accepted:.4} {unit}"))),
    );
    lines.extend(found.accepted_at_highest.map(|accepted| {
        line(
            format!("accepted at load {high}"),
            format!("{accepted:.4} {unit}"),
        )
    }));
    lines.push(line("runs", runs(&found.seeds)));
    if found.failed > 0 {
        lines.push(line("failed", failed_text(found.failed)));
    }
    let head = format!("saturation of {}{partial}\n", found.name);
    head + &named_lines(lines) + &table(&found.seeds)
}

/// What was asked for.
fn asked(found: &Saturation) -> Lines {
    let [low, high, tolerance] = found.grid;
    let meaning = match found.criterion {
        Criterion::Steady => "not in a steady state".into(),
        Criterion::Latency(factor) => {
            format!("a mean latency above {factor} times that at load {low}")
        }
    };
    let unit = load_unit(found.counts_terminals);
    let loads = format!("{low} to {high} in steps of {tolerance} {unit}");
    vec![
        line("saturated means", meaning),
        line("configured loads", loads),
    ]
}

/// The loads around saturation that most seeds agree on.
fn bracket(found: &Saturation) -> Lines {
    let most = match found.seeds.len() {
        0 => return vec![line("nothing found", "no seed's search has begun")],
        1 => "1 seed".into(),
        seeds => format!("most of {seeds} seeds"),
    };
    let unit = load_unit(found.counts_terminals);
    let [low, high, _] = found.grid;
    match (found.unsaturated_load, found.saturated_load) {
        (Some(below), None) if below == high => {
            vec![line(
                "never saturated",
                format!("up to load {below}, {most}"),
            )]
        }
        (None, Some(above)) if above == low => {
            vec![line(
                "always saturated",
                format!("from load {above} on, {most}"),
            )]
        }
        // Of a search that was interrupted, one of them may be missing.
        (below, above) => {
            let below = below.map(|it| line("not saturated up to", format!("{it} {unit}, {most}")));
            let above = above.map(|it| line("saturated from", format!("{it} {unit}")));
            below.into_iter().chain(above).collect()
        }
    }
}

/// The saturation load over the seeds.
fn load(found: &Saturation) -> Option<(String, String)> {
    let seeds = &found.seeds;
    let (Some(load), Some([lower, upper])) = (found.load, found.interval) else {
        let count = |ended: fn(&SeedOutcome) -> bool| seeds.iter().filter(|it| ended(it)).count();
        let open = count(|of_seed| !of_seed.done);
        if open > 0 {
            let text = format!(
                "not known: {open} of {} seeds' searches aren't done",
                seeds.len()
            );
            return Some(line("saturation load", text));
        }
        let never = count(|of_seed| of_seed.saturated_load.is_none());
        let always = count(|of_seed| of_seed.unsaturated_load.is_none());
        let text = format!(
            "not within the loads: {never} seeds never saturate, {always} are always saturated"
        );
        return (!seeds.is_empty()).then(|| line("saturation load", text));
    };
    let why = match seeds.len() {
        1 => "one seed: the bisection's interval".into(),
        seeds => format!("95 %, {seeds} seeds, and half a step"),
    };
    let text = format!("{load:.4} configured, between {lower:.4} and {upper:.4} ({why})");
    Some(line("saturation load", text))
}

/// The offered load at saturation over the seeds.
fn offered(found: &Saturation) -> Option<(String, String)> {
    let (load, [lower, upper]) = (found.offered_load?, found.offered_interval?);
    let unit = load_unit(found.counts_terminals);
    let text = format!("{load:.4}, between {lower:.4} and {upper:.4} {unit}");
    Some(line("offered there", text))
}

/// How many runs it took, and how many of them were longer than configured.
fn runs(seeds: &[SeedOutcome]) -> String {
    let tried = seeds.iter().flat_map(|of_seed| &of_seed.tried);
    let runs: u32 = tried.clone().map(Tried::runs).sum();
    match runs as usize - tried.count() {
        0 => runs.to_string(),
        longer => format!("{runs}, {longer} of them reruns with more cycles"),
    }
}

/// A line per seed.
fn table(seeds: &[SeedOutcome]) -> String {
    let mut text = format!(
        "\n  {:>20} {:>13} {:>10}  why saturated there\n",
        "seed", "unsaturated", "saturated"
    );
    for of_seed in seeds {
        let load = |load: Option<f64>| load.map_or("-".into(), |load| load.to_string());
        let first = of_seed.tried.iter().find(|tried| tried.saturated);
        let why = first
            .and_then(|tried| tried.reason.as_deref())
            .unwrap_or("-");
        let cycles = first
            .filter(|tried| tried.times_the_cycles > 1)
            .map(|tried| format!(", in {} times the cycles", tried.times_the_cycles));
        let cycles = cycles.unwrap_or_default();
        let below = load(of_seed.unsaturated_load);
        let above = load(of_seed.saturated_load);
        text += &format!(
            "  {:>20} {below:>13} {above:>10}  {why}{cycles}\n",
            of_seed.seed
        );
    }
    text
}
