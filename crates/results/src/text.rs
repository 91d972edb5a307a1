//! The figures of a run, for a terminal.

use super::{DistanceLatency, Energy, FailureKind, Latency, Percentiles, Results, Status};
use flitwork_measure::{Estimate, Shares};

/// The report, at most 80 columns wide except for names and paths.
pub fn text(results: &Results) -> String {
    let head = match results.status {
        Status::Complete => "results",
        Status::Partial => "results (PARTIAL: the run was interrupted)",
        Status::Failed if is_early(results) => {
            "results (FAILED: the run ended before its packets were delivered)"
        }
        Status::Failed => "results (FAILED: packets could not be delivered)",
    };
    let mut lines = traffic(results);
    lines.extend(network(results));
    lines.extend(results.energy.iter().flat_map(energy));
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

/// Whether the run's only fault is that it ended too early.
fn is_early(results: &Results) -> bool {
    let failure = results.failure.as_ref();
    failure.is_some_and(|failure| failure.kind == FailureKind::Deadline)
}

/// Whether some nodes neither send nor receive.
fn has_switches(results: &Results) -> bool {
    results.terminals < results.nodes
}

type Lines = Vec<(String, String)>;

fn line(name: &str, value: impl Into<String>) -> (String, String) {
    (name.into(), value.into())
}

/// The load on the network, and how its packets fared.
fn traffic(results: &Results) -> Lines {
    let mut lines = Lines::new();
    if has_switches(results) {
        let Results {
            nodes, terminals, ..
        } = results;
        lines.push(line(
            "nodes",
            format!("{nodes}, {terminals} of them terminals"),
        ));
    }
    if let Some(load) = &results.load {
        let (offered, accepted) = (load.offered, load.accepted);
        let unit = match has_switches(results) {
            true => "words/terminal/cycle",
            false => "words/node/cycle",
        };
        let offered = match offered.mean.is_nan() {
            true => "not counted: the run was broken off".into(),
            false => format!("{offered} {unit}"),
        };
        lines.push(line("offered load", offered));
        lines.push(line("accepted load", format!("{accepted} {unit}")));
    }
    if let Some(steady) = &results.steady {
        lines.push(line("steady state", steady.to_string()));
    }
    lines.extend(latency("latency", &results.latency));
    lines.extend(latency("network latency", &results.network_latency));
    if results.latency_by_class.len() > 1 {
        for row in &results.latency_by_class {
            let name = format!("latency, class {}", row.class);
            lines.extend(latency(&name, &row.latency));
        }
    }
    lines.extend(by_distance(&results.latency_by_distance));
    let packets = &results.packets;
    let least = if packets.in_sources_at_least {
        "at least "
    } else {
        ""
    };
    let counts = format!(
        "{least}{} created, {} delivered",
        packets.created, packets.delivered
    );
    lines.push(line("packets", counts));
    if packets.in_network + packets.in_sources + packets.owed > 0 {
        let (network, sources) = (packets.in_network, packets.in_sources);
        let mut left = format!("{network} in the network, {least}{sources} in the sources");
        if packets.owed > 0 {
            let least = if packets.owed_at_least {
                "at least "
            } else {
                ""
            };
            left += &format!(", {least}{} to be made", packets.owed);
        }
        lines.push(line("left over", left));
    }
    let fairness = &results.fairness;
    lines.extend(shares("fairness, sources", fairness.by_source));
    lines.extend(shares("fairness, destinations", fairness.by_destination));
    lines.push(line("hops", per_packet(results.hops_per_packet)));
    lines.push(line("deroutes", per_packet(results.deroutes_per_packet)));
    lines
}

/// How full nodes and links were.
fn network(results: &Results) -> Lines {
    let buffers = results.buffers.as_ref().map(|buffers| {
        let (busiest, node) = (buffers.busiest.value, buffers.busiest.node);
        let value = format!(
            "{:.3} {} mean, {busiest:.3} at node {node}, {} at most",
            buffers.mean, buffers.unit, buffers.max
        );
        line(buffers.name, value)
    });
    let utilisation = format!(
        "{:.2} % mean, {:.2} % busiest",
        100.0 * results.link_utilisation_mean,
        100.0 * results.link_utilisation_max
    );
    let held = [
        ("packets in a node", results.node_packets_mean),
        ("words in a node", results.node_words_mean),
    ];
    let held = held
        .into_iter()
        .filter_map(|(name, mean)| Some(line(name, format!("{:.3} mean", mean?))));
    let words = format!("{:.1} mean", results.link_words_mean);
    let others = [
        line("words a link", words),
        line("link utilisation", utilisation),
    ];
    buffers.into_iter().chain(held).chain(others).collect()
}

/// The counts that energy depends on, per delivered word, and their cost.
fn energy(energy: &Energy) -> Lines {
    let words = energy.delivered_words as f64;
    let a_word = |count: u64| match energy.delivered_words {
        0 => format!("{count}"),
        _ => format!("{count} ({:.2} a delivered word)", count as f64 / words),
    };
    let mut lines = vec![
        line("buffer writes, words", a_word(energy.buffer_write_words)),
        line("buffer reads, words", a_word(energy.buffer_read_words)),
        line("crossbar, words", a_word(energy.crossbar_words)),
        line("links, words", a_word(energy.link_words)),
        line("decisions", a_word(energy.decisions)),
    ];
    if let Some(joules) = &energy.joules {
        let parts = joules.parts().into_iter();
        let parts = parts.filter_map(|(name, part)| Some((name, part?)));
        lines.extend(parts.map(|(name, part)| line(&format!("energy, {name}"), si(part, "J"))));
        let a_word = joules.per_delivered_word.map_or(String::new(), |word| {
            format!(" ({} a delivered word)", si(word, "J"))
        });
        lines.push(line("energy", si(joules.total, "J") + &a_word));
    }
    lines
}

/// What was simulated, how fast, and the digest by which two runs are compared.
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
        line("simulated", cycles),
        line("speed", speed),
        line("digest", results.digest.as_str()),
        line("seed", results.seed.to_string()),
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

/// A latency and its percentiles, or why there is none; and the rule that denies the steady state.
fn latency(name: &str, latency: &Latency) -> Lines {
    let doubt = match (latency.not_steady, &latency.mean) {
        (Some(reason), None) => return vec![line(name, format!("not steady ({reason})"))],
        // The line of the steady state names the rule.
        (Some(_), Some(_)) => " (not steady)",
        (None, _) => "",
    };
    let shown = |mean: &Estimate| match mean.half_width {
        // A mean over all packets is exact; its interval, if any, is one for the process.
        _ if mean.batches == 0 => format!("{:.2} cycles mean", mean.mean),
        _ => format!("{mean} cycles mean"),
    };
    let mean = latency.mean.as_ref().map_or("no packet".into(), shown);
    vec![
        line(name, mean + doubt),
        line("", percentiles(&latency.percentiles)),
    ]
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
    let doubt = near.latency.not_steady.map_or("", |_| "; not steady");
    let value = format!("{value} (cycles, mean{doubt})");
    Some(line("latency by distance", value))
}

/// The nodes with the least and the most.
fn shares(name: &str, shares: Option<Shares>) -> Lines {
    let Some(Shares {
        min,
        max,
        mean,
        jain,
        ..
    }) = shares
    else {
        return Lines::new();
    };
    let ends = format!(
        "{:.4} (node {}) to {:.4} (node {}) words/cycle",
        min.value, min.node, max.value, max.node
    );
    let jain = jain.map_or(String::new(), |jain| format!(", Jain's index {jain:.4}"));
    vec![line(name, ends), line("", format!("mean {mean:.4}{jain}"))]
}

fn percentiles(latency: &Percentiles) -> String {
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

/// Three significant digits with the prefix of a unit.
fn si(value: f64, unit: &str) -> String {
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
