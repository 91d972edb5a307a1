//! Lines of the text that a run prints: how figures are put into words, alone or several on a line.

use super::{BufferUse, DistanceLatency, Energy, Joules, Latency, Percentiles, Results, StepTimes};
use flitwork_experiment::load::Basis;
use flitwork_measure::steady::UNDECIDED;
use flitwork_measure::{Estimate, Shares};
use flitwork_report::{Cell, Lines, line, load_unit};

/// Whether loads are said to be of terminals: there are more or fewer of them than nodes.
pub(super) fn counts_terminals(results: &Results) -> bool {
    results.terminals != results.nodes
}

/// Where the text shows figures, from top to bottom; those of one part are in the order of their table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Load,
    Latency,
    Packets,
    Fairness,
    Steps,
    Ways,
    Occupancy,
    Crossings,
    Energy,
    Length,
    Speed,
    Digest,
    Seed,
}

/// A figure's value and unit, unless it is missing.
pub(super) fn value(cell: &Cell, unit: &str) -> Option<String> {
    let value = match cell {
        Cell::Missing => return None,
        Cell::Number(number) => format!("{number:.4}"),
        cell => cell.to_string(),
    };
    Some(format!("{value} {unit}").trim_end().to_owned())
}

/// A load, with its unit.
pub(super) fn load(results: &Results, load: &Estimate) -> String {
    format!("{load} {}", load_unit(counts_terminals(results)))
}

/// What links allow.
pub(super) fn ideal(results: &Results) -> Option<String> {
    let ideal = results.ideal?;
    let unit = load_unit(counts_terminals(results));
    let how = match ideal.basis {
        Basis::Exact => String::new(),
        Basis::EvenSplit => ", with an even split".into(),
        Basis::BestMix(part) => format!(", {:.0} % by way of a node", 100.0 * part),
    };
    Some(format!("{:.4} {unit}{how}", ideal.throughput))
}

/// What an overloaded network accepts in the two halves of the window.
pub(super) fn halves(results: &Results) -> Option<String> {
    let load = results.load.as_ref()?;
    let halves = load.halves.filter(|_| is_overloaded(results))?;
    let change = halves.change.scaled(100.0);
    let verdict = match halves.has_changed() {
        true => "drifts",
        false => "no drift",
    };
    let (first, second) = (halves.first, halves.second);
    let by = match (change.mean.is_finite(), change.half_width) {
        (true, Some(half_width)) => format!(" ({:+.1} ± {half_width:.1} %)", change.mean),
        _ => String::new(),
    };
    Some(format!("by halves {first:.4}, {second:.4}{by}: {verdict}"))
}

fn is_overloaded(results: &Results) -> bool {
    results
        .unsteady()
        .is_some_and(|reason| reason.is_overload())
}

/// The source that waited longest to inject a packet.
pub(super) fn longest_wait(results: &Results) -> Option<String> {
    let wait = results.fairness.longest_wait?;
    let share = 100.0 * f64::from(wait.cycles) / f64::from(results.measured_cycles.max(1));
    Some(format!(
        "{} cycles to inject (node {}), {share:.1} % of the window",
        wait.cycles, wait.node
    ))
}

/// What the sources made.
pub(super) fn offered(results: &Results) -> Option<String> {
    let offered = &results.load.as_ref()?.offered;
    Some(match offered.mean.is_nan() {
        true => "not counted: the run was aborted".into(),
        false => load(results, offered),
    })
}

/// The network latency, and latencies by class and by distance.
pub(super) fn network_latency(results: &Results) -> Lines {
    let exact = results.exact.as_ref().map(|exact| &exact.network_latency);
    let mut lines = latency("network latency", &results.network_latency, exact);
    if results.latency_by_class.len() > 1 {
        for row in &results.latency_by_class {
            let name = format!("latency, class {}", row.class);
            lines.extend(latency(&name, &row.latency, None));
        }
    }
    lines.extend(by_distance(&results.latency_by_distance));
    lines
}

fn at_least(is: bool) -> &'static str {
    if is { "at least " } else { "" }
}

/// The packets of the whole run.
pub(super) fn packets(results: &Results) -> Option<String> {
    let packets = &results.packets;
    let (created, delivered) = (packets.created, packets.delivered);
    let least = at_least(packets.in_sources_at_least);
    Some(format!("{least}{created} created, {delivered} delivered"))
}

/// Packets that were not delivered, if there are any.
pub(super) fn left_over(results: &Results) -> Option<String> {
    let packets = &results.packets;
    let (network, sources, owed) = (packets.in_network, packets.in_sources, packets.owed.packets);
    let least = at_least(packets.in_sources_at_least);
    let mut left = format!("{network} in the network, {least}{sources} in the sources");
    if owed > 0 {
        let least = at_least(packets.owed.at_least);
        left += &format!(", {least}{owed} to be made");
    }
    (network + sources + owed > 0).then_some(left)
}

/// Packets that failed links kept from arriving, if links may fail.
pub(super) fn lost(results: &Results) -> Option<String> {
    let failing = results.packets.failing?;
    let [over_links, cut, no_path, at_routers] = failing.lost;
    let reasons = [
        (over_links, "over failed links"),
        (cut, "cut"),
        (no_path, "without a path"),
        (at_routers, "at failed routers"),
        (failing.refused, "refused"),
        (failing.sent_again, "sent again"),
    ];
    let counts = reasons.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, how)| format!("{count} {how}"))
        .collect();
    match counts.is_empty() {
        true => Some("none".into()),
        false => Some(counts.join(", ")),
    }
}

/// How full buffers were.
pub(super) fn buffers(buffers: &BufferUse) -> (String, String) {
    let (busiest, node) = (buffers.busiest.value, buffers.busiest.node);
    let value = format!(
        "{:.3} {} mean, {busiest:.3} at node {node}, {} at most",
        buffers.mean, buffers.unit, buffers.max
    );
    line(buffers.name, value)
}

/// How busy links were.
pub(super) fn utilisation(results: &Results) -> String {
    format!(
        "{:.2} % mean, {:.2} % busiest{}",
        100.0 * results.link_utilisation_mean,
        100.0 * results.link_utilisation_max,
        match (results.is_half_duplex, results.has_clocks) {
            (true, false) => ", both directions together",
            // Nodes that are faster than the nominal clock can exceed it.
            (true, true) => ", both directions together, of a word per cycle of the nominal clock",
            (false, _) => "",
        }
    )
}

/// A count that energy depends on, and the same per delivered word.
pub(super) fn spent(energy: &Energy, part: usize) -> Option<String> {
    let (count, words) = (energy.counts[part]?, energy.delivered_words);
    Some(match words {
        0 => format!("{count}"),
        _ => format!(
            "{count} ({:.2} per delivered word)",
            count as f64 / words as f64
        ),
    })
}

/// How long steps took, and the most that they may take.
pub(super) fn steps(steps: &StepTimes) -> Option<String> {
    let (mean_ps, of_worst) = (steps.mean_ps?, steps.of_worst()?);
    let worst_ps = steps.worst_ps;
    Some(format!(
        "{mean_ps:.1} ps mean, {:.1} % of the worst case of {worst_ps} ps",
        100.0 * of_worst
    ))
}

/// The energy, and the same per delivered word.
pub(super) fn energy(joules: &Joules) -> String {
    let a_word = joules.per_delivered_word.map_or(String::new(), |word| {
        format!(" ({} per delivered word)", si(word, "J"))
    });
    si(joules.total, "J") + &a_word
}

/// How fast it was simulated.
pub(super) fn speed(results: &Results) -> String {
    format!(
        "{} packet-hops/s, {} node-cycles/s ({:.2} s)",
        engineering(results.packet_hops_per_second),
        engineering(results.node_cycles_per_second),
        results.seconds
    )
}

/// A latency and its percentiles, in cycles and maybe in picoseconds, or why there is none; and the rule that denies
/// the steady state.
pub(super) fn latency(name: &str, latency: &Latency, exact_ps: Option<&Latency>) -> Lines {
    let doubt = match (latency.not_steady, &latency.mean) {
        (Some(reason), None) if !UNDECIDED.contains(&reason) => {
            return vec![line(name, format!("not steady ({reason})"))];
        }
        // The line of the steady state names the rule.
        (Some(reason), _) => format!(" ({})", doubt_in(reason)),
        (None, _) => String::new(),
    };
    let Some(mean) = &latency.mean else {
        return vec![line(name, format!("no packet{doubt}")), line("", "-")];
    };
    let mut lines = vec![
        line(name, in_unit(mean, "cycles") + &doubt),
        line("", percentiles(&latency.percentiles, "cycles")),
    ];
    if let Some(exact) = exact_ps
        && let Some(mean) = &exact.mean
    {
        lines.push(line("", in_unit(mean, "ps")));
        lines.push(line("", percentiles(&exact.percentiles, "ps")));
    }
    lines
}

/// What a rule says of a latency.
fn doubt_in(rule: &str) -> &'static str {
    match UNDECIDED.contains(&rule) {
        true => "not known to be steady",
        false => "not steady",
    }
}

fn in_unit(mean: &Estimate, unit: &str) -> String {
    match mean.batches {
        // A mean over all packets is exact; its interval, if any, is one for the process.
        0 => format!("{:.2} {unit} mean", mean.mean),
        _ => format!("{mean} {unit} mean"),
    }
}

/// The nearest and the farthest packets' mean latency.
fn by_distance(rows: &[DistanceLatency]) -> Option<(String, String)> {
    let (near, far) = (rows.first()?, rows.last()?);
    let mean = |row: &DistanceLatency| Some(format!("{:.2}", row.latency.mean?.mean));
    let hops = |row: &DistanceLatency| match (row.hops, row.hops_to) {
        (1, 1) => "1 hop".to_owned(),
        (from, to) if from == to => format!("{to} hops"),
        (from, to) => format!("{from}-{to} hops"),
    };
    let mut value = format!("{} at {}", mean(near)?, hops(near));
    if near.hops != far.hops {
        value += &format!(", {} at {}", mean(far)?, hops(far));
    }
    let doubt = near.latency.not_steady.map(doubt_in);
    let doubt = doubt.map_or(String::new(), |doubt| format!("; {doubt}"));
    let value = format!("{value} (cycles, mean{doubt})");
    Some(line("latency by distance", value))
}

/// The nodes with the least and the most.
pub(super) fn shares(name: &str, shares: &Shares) -> Lines {
    let (min, max, mean) = (shares.min, shares.max, shares.mean);
    let ends = format!(
        "{:.4} (node {}) to {:.4} (node {}) words/cycle",
        min.value, min.node, max.value, max.node
    );
    let jain = shares.jain;
    let jain = jain.map_or(String::new(), |jain| format!(", Jain's index {jain:.4}"));
    vec![line(name, ends), line("", format!("mean {mean:.4}{jain}"))]
}

fn percentiles(latency: &Percentiles, unit: &str) -> String {
    let shown = [
        ("p50", "p50"),
        ("p99", "p99"),
        ("p99.9", "p999"),
        ("max", "max"),
    ];
    let shown = shown.iter().filter_map(|(shown, name)| {
        let value = latency.get(name)?;
        Some(format!("{shown} {value}"))
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    format!("{shown} {unit}")
}

pub(super) fn a_packet(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{value:.4} per packet"))
}

/// Three significant digits and a suffix.
fn engineering(value: f64) -> String {
    let (scale, suffix) = match value {
        value if !value.is_finite() => return "-".into(),
        1e9.. => (1e9, " G"),
        1e6.. => (1e6, " M"),
        1e3.. => (1e3, " k"),
        _ => (1.0, " "),
    };
    format!("{:.2}{suffix}", value / scale)
}

/// Three significant digits with the prefix of a unit.
pub(super) fn si(value: f64, unit: &str) -> String {
    let prefixes = [
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "µ"),
        (1e-9, "n"),
        (1e-12, "p"),
    ];
    let found = prefixes.iter().find(|(scale, _)| value >= *scale);
    let (scale, prefix) = found.copied().unwrap_or((1e-12, "p"));
    format!("{:.2} {prefix}{unit}", value / scale)
}
