//! The figures of a run, for a terminal.

use super::{Latency, Results, Status};
use flitwork_measure::Estimate;

/// The report, at most 80 columns wide but for names and paths.
pub fn text(results: &Results) -> String {
    let head = match results.status {
        Status::Complete => "results",
        Status::Partial => "results (PARTIAL: the run was interrupted)",
        Status::Failed => "results (FAILED: packets could not be delivered)",
    };
    let mut lines = traffic(results);
    lines.extend(network(results));
    lines.extend(simulation(results));
    let lines: String = lines
        .into_iter()
        .map(|(name, value)| format!("  {name:<22} {value}\n"))
        .collect();
    format!(
        "{head}\n{lines}\nresolved configuration\n{}",
        indent(&results.configuration)
    )
}

type Lines = Vec<(&'static str, String)>;

/// What was asked of the network, and how its packets fared.
fn traffic(results: &Results) -> Lines {
    let mut lines = Lines::new();
    if let Some(load) = &results.load {
        lines.push(("offered load", format!("{} words/node/cycle", load.offered)));
        lines.push((
            "accepted load",
            format!("{} words/node/cycle", load.accepted),
        ));
    }
    if let Some(steady) = &results.steady_text {
        lines.push(("steady state", steady.clone()));
    }
    lines.push(("latency", latency(&results.latency)));
    lines.push(("", percentiles(&results.latency)));
    lines.push(("network latency", latency(&results.network_latency)));
    lines.push(("", percentiles(&results.network_latency)));
    let packets = &results.packets;
    let counts = format!(
        "{} created, {} delivered",
        packets.created, packets.delivered
    );
    lines.push(("packets", counts));
    if packets.in_network + packets.in_sources > 0 {
        let (network, sources) = (packets.in_network, packets.in_sources);
        lines.push((
            "left over",
            format!("{network} in the network, {sources} in the sources"),
        ));
    }
    lines.push(("hops", per_packet(results.hops_per_packet)));
    lines.push(("deroutes", per_packet(results.deroutes_per_packet)));
    lines
}

/// How full nodes and links were.
fn network(results: &Results) -> Lines {
    let (busiest, node) = results.multiqueue_busiest;
    let queue = format!(
        "{:.3} packets mean, {busiest:.3} at node {node}, {} at most",
        results.multiqueue_mean, results.multiqueue_max
    );
    let utilisation = format!(
        "{:.2} % mean, {:.2} % busiest",
        100.0 * results.link_utilisation_mean,
        100.0 * results.link_utilisation_max
    );
    vec![
        ("multiqueue", queue),
        (
            "packets in a node",
            format!("{:.3} mean", results.node_packets_mean),
        ),
        (
            "words a link",
            format!("{:.1} mean", results.link_words_mean),
        ),
        ("link utilisation", utilisation),
    ]
}

/// What was simulated, how fast, and how to tell whether another run was the same.
fn simulation(results: &Results) -> Lines {
    let cycles = format!(
        "{} cycles, {} measured",
        results.cycles, results.measured_cycles
    );
    let speed = format!(
        "{} packet-hops/s, {} node-cycles/s ({:.2} s)",
        engineering(results.packet_hops_per_second),
        engineering(results.node_cycles_per_second),
        results.seconds
    );
    vec![
        ("simulated", cycles),
        ("speed", speed),
        ("digest", results.digest.clone()),
        ("seed", results.seed.to_string()),
    ]
}

fn indent(text: &str) -> String {
    text.lines()
        .map(|line| {
            if line.is_empty() {
                "\n".into()
            } else {
                format!("  {line}\n")
            }
        })
        .collect()
}

fn latency(latency: &Latency) -> String {
    let mean = |mean: &Estimate| match mean.half_width {
        // A mean over all packets is exact; its interval, where it has one, is about the process.
        _ if mean.batches == 0 => format!("{:.2} cycles mean", mean.mean),
        _ => format!("{mean} cycles mean"),
    };
    latency.mean.as_ref().map_or("no packet".into(), mean)
}

fn percentiles(latency: &Latency) -> String {
    let shown = [
        ("p50", latency.p50),
        ("p99", latency.p99),
        ("p99.9", latency.p999),
        ("max", latency.max),
    ];
    let shown = shown
        .iter()
        .filter_map(|(name, value)| value.map(|value| format!("{name} {value}")));
    let shown = shown.collect::<Vec<_>>().join(", ");
    if shown.is_empty() {
        "-".into()
    } else {
        shown + " cycles"
    }
}

fn per_packet(value: Option<f64>) -> String {
    value.map_or("-".into(), |value| format!("{value:.4} a packet"))
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
