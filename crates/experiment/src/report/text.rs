//! The figures of a run, for a terminal.

use super::{Latency, Results, Status};
use flitwork_measure::Estimate;
use std::fmt::Write;

/// The report, at most 80 columns wide but for names and paths.
pub fn text(results: &Results) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<22} {value}");
    };
    if let Some(load) = &results.load {
        line("offered load", format!("{} words/node/cycle", load.offered));
        line(
            "accepted load",
            format!("{} words/node/cycle", load.accepted),
        );
    }
    if let Some(steady) = &results.steady_text {
        line("steady state", steady.clone());
    }
    line("latency", latency(&results.latency));
    line("", percentiles(&results.latency));
    line("network latency", latency(&results.network_latency));
    line("", percentiles(&results.network_latency));
    let packets = &results.packets;
    line(
        "packets",
        format!(
            "{} created, {} delivered",
            packets.created, packets.delivered
        ),
    );
    if packets.in_network + packets.in_sources > 0 {
        let left = (packets.in_network, packets.in_sources);
        line(
            "left over",
            format!("{} in the network, {} in the sources", left.0, left.1),
        );
    }
    line("hops", per_packet(results.hops_per_packet));
    line("deroutes", per_packet(results.deroutes_per_packet));
    let (busiest, node) = results.multiqueue_busiest;
    line(
        "multiqueue",
        format!(
            "{:.3} packets mean, {busiest:.3} at node {node}, {} at most",
            results.multiqueue_mean, results.multiqueue_max
        ),
    );
    line(
        "packets in a node",
        format!("{:.3} mean", results.node_packets_mean),
    );
    line(
        "words a link",
        format!("{:.1} mean", results.link_words_mean),
    );
    line(
        "link utilisation",
        format!(
            "{:.2} % mean, {:.2} % busiest",
            100.0 * results.link_utilisation_mean,
            100.0 * results.link_utilisation_max
        ),
    );
    line(
        "simulated",
        format!(
            "{} cycles, {} measured",
            results.cycles, results.measured_cycles
        ),
    );
    line(
        "speed",
        format!(
            "{} packet-hops/s, {} node-cycles/s ({:.2} s)",
            engineering(results.packet_hops_per_second),
            engineering(results.node_cycles_per_second),
            results.seconds
        ),
    );
    line("digest", results.digest.clone());
    line("seed", results.seed.to_string());
    let head = match results.status {
        Status::Complete => "results",
        Status::Partial => "results (PARTIAL: the run was interrupted)",
        Status::Failed => "results (FAILED: packets could not be delivered)",
    };
    format!(
        "{head}\n{out}\nresolved configuration\n{}",
        indent(&results.configuration)
    )
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
