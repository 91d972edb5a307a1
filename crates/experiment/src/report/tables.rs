//! The CSV files of `--out`. Where the network was overloaded, cells of latencies are empty; where another
//! rule speaks against a steady state, `not_steady` names it.

use super::{DistanceLatency, Latency, Results, links, node_means};
use crate::config::Resolved;
use crate::simulate::Simulated;
use flitwork_measure::{Histogram, Share, Shares};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use std::fmt::Display;

/// A table in memory.
pub(crate) struct Table(csv::Writer<Vec<u8>>);

impl Table {
    pub(crate) fn new<N: AsRef<[u8]>>(columns: impl IntoIterator<Item = N>) -> Table {
        let mut table = Table(csv::Writer::from_writer(Vec::new()));
        table.put(columns);
        table
    }

    pub(crate) fn put<C: AsRef<[u8]>>(&mut self, row: impl IntoIterator<Item = C>) {
        self.0
            .write_record(row)
            .expect("rows of equal length in memory");
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        self.0.into_inner().expect("rows in memory")
    }
}

/// What there is, or an empty cell.
fn cell(value: Option<impl Display>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

type Columns = Vec<(String, String)>;

fn column(name: &str, value: impl Display) -> (String, String) {
    (name.into(), value.to_string())
}

/// One line of the figures that are compared most.
pub(super) fn results(results: &Results) -> Vec<u8> {
    let mut columns = run_columns(results);
    columns.extend(latency_columns(results));
    columns.extend(use_columns(results));
    columns.extend(fairness_columns(results));
    columns.extend(energy_columns(results));
    columns.push(column("packet_hops", results.packet_hops));
    columns.push(column("seconds", results.seconds));
    let (names, values): (Vec<String>, Vec<String>) = columns.into_iter().unzip();
    let mut table = Table::new(names);
    table.put(values);
    table.bytes()
}

fn run_columns(results: &Results) -> Columns {
    let load = results.load.as_ref();
    let steady = results.steady.map(|steady| steady.is_steady());
    let reason = results.steady.and_then(|steady| steady.reason());
    let configured = load.and_then(|load| load.configured);
    let offered = load.map(|load| load.offered.mean);
    let accepted = load.map(|load| load.accepted.mean);
    vec![
        column("status", results.status.name()),
        column("seed", results.seed),
        column("digest", &results.digest),
        column("cycles", results.cycles),
        column("measured_cycles", results.measured_cycles),
        column("configured_load_words_per_node_cycle", cell(configured)),
        column("offered_load_words_per_node_cycle", cell(offered)),
        column("accepted_load_words_per_node_cycle", cell(accepted)),
        column("steady", cell(steady)),
        column("not_steady", cell(reason.map(|reason| reason.name()))),
        column("packets_created", results.packets.created),
        column("packets_delivered", results.packets.delivered),
        column("packets_owed", results.packets.owed),
    ]
}

fn latency_columns(results: &Results) -> Columns {
    let (latency, network) = (&results.latency, &results.network_latency);
    let mean = |latency: &Latency| cell(latency.mean.map(|mean| mean.mean));
    let half_width = |latency: &Latency| cell(latency.mean.and_then(|mean| mean.half_width));
    let percentiles = &latency.percentiles;
    vec![
        column("latency_mean_cycles", mean(latency)),
        column("latency_half_width_cycles", half_width(latency)),
        column("latency_p50_cycles", cell(percentiles.p50)),
        column("latency_p99_cycles", cell(percentiles.p99)),
        column("latency_max_cycles", cell(percentiles.max)),
        column("network_latency_mean_cycles", mean(network)),
        column("network_latency_half_width_cycles", half_width(network)),
        column("hops_per_packet", cell(results.hops_per_packet)),
        column("deroutes_per_packet", cell(results.deroutes_per_packet)),
    ]
}

fn use_columns(results: &Results) -> Columns {
    let buffers = results.buffers.as_ref();
    vec![
        column("buffers", cell(buffers.map(|buffers| buffers.name))),
        column("buffers_unit", cell(buffers.map(|buffers| buffers.unit))),
        column("buffers_mean", cell(buffers.map(|buffers| buffers.mean))),
        column("buffers_max", cell(buffers.map(|buffers| buffers.max))),
        column("link_utilisation_mean", results.link_utilisation_mean),
        column("link_utilisation_max", results.link_utilisation_max),
    ]
}

fn fairness_columns(results: &Results) -> Columns {
    let of = |name: &str, shares: Option<Shares>| {
        let value = |share: fn(Shares) -> Share| cell(shares.map(|shares| share(shares).value));
        let jain = shares.and_then(|shares| shares.jain);
        [
            (
                format!("{name}_min_words_per_cycle"),
                value(|shares| shares.min),
            ),
            (
                format!("{name}_max_words_per_cycle"),
                value(|shares| shares.max),
            ),
            (format!("{name}_jain"), cell(jain)),
        ]
    };
    let sources = of("source", results.fairness.by_source);
    let destinations = of("destination", results.fairness.by_destination);
    sources.into_iter().chain(destinations).collect()
}

fn energy_columns(results: &Results) -> Columns {
    let Some(energy) = &results.energy else {
        return Columns::new();
    };
    let counts = energy.counts().into_iter();
    let mut columns: Columns = counts.map(|(name, count)| column(name, count)).collect();
    let joules = energy.joules.as_ref();
    columns.push(column("energy_joules", cell(joules.map(|all| all.total))));
    let a_word = joules.and_then(|all| all.per_delivered_word);
    columns.push(column("energy_joules_per_delivered_word", cell(a_word)));
    columns
}

pub(super) fn links_of(resolved: &Resolved, run: &Simulated) -> Vec<u8> {
    let shape = &resolved.network.shape;
    let seen = &run.observation;
    let cycles = measured_cycles(run);
    let mut table = Table::new(["node", "port", "to", "words", "utilisation"]);
    for (node, port) in links(shape) {
        let words = seen.link_words[node as usize * shape.ports() + port as usize];
        let port = Port(port);
        let to = shape
            .neighbour(NodeId(node), port)
            .expect("only links that exist are listed");
        let utilisation = words as f64 / cycles;
        table.put([
            node.to_string(),
            shape.port_name(port),
            to.to_string(),
            words.to_string(),
            format!("{utilisation:.6}"),
        ]);
    }
    table.bytes()
}

pub(super) fn nodes(resolved: &Resolved, run: &Simulated, results: &Results) -> Vec<u8> {
    let shape = &resolved.network.shape;
    let seen = &run.observation;
    let means = node_means(&seen.node_packet_cycles, measured_cycles(run));
    let words = &seen.throughput;
    let held = match resolved.router.facts().words_travel_alone {
        true => "words_mean",
        false => "packets_mean",
    };
    let mut columns: Vec<String> = ["node", "coordinates", held].map(str::to_owned).into();
    if let Some(buffers) = &results.buffers {
        columns.extend([buffers.column("mean"), buffers.column("max")]);
    }
    columns.push("packets_delivered".into());
    let by_node = [
        ("words_created", &words.made),
        ("words_delivered_from", &words.sent),
        ("words_injected_to", &words.addressed),
        ("words_delivered_to", &words.got),
    ];
    columns.extend(by_node.iter().map(|(name, _)| (*name).to_owned()));
    let mut table = Table::new(columns);
    for node in 0..shape.nodes() {
        let at = node as usize;
        let coordinates = shape.grid().map(|grid| grid.coordinates(NodeId(node)));
        let coordinates: Vec<String> = coordinates.iter().flatten().map(u32::to_string).collect();
        let mut row = vec![
            node.to_string(),
            coordinates.join(" "),
            format!("{:.6}", means[at]),
        ];
        if let Some(buffers) = &results.buffers {
            let (mean, max) = buffers.nodes[at];
            row.extend([format!("{mean:.6}"), max.to_string()]);
        }
        row.push(seen.node_deliveries[at].to_string());
        row.extend(by_node.iter().map(|(_, words)| words[at].to_string()));
        table.put(row);
    }
    table.bytes()
}

/// All latencies of the window, in the bins of their histogram.
pub(super) fn latency(latency: &Histogram) -> Vec<u8> {
    let mut table = Table::new(["from_cycles", "to_cycles", "packets"]);
    for bin in latency.bins() {
        table.put([bin.low, bin.high, bin.count].map(|value| value.to_string()));
    }
    table.bytes()
}

const LATENCY_COLUMNS: [&str; 7] = [
    "packets",
    "mean_cycles",
    "half_width_cycles",
    "p50_cycles",
    "p99_cycles",
    "max_cycles",
    "not_steady",
];

fn latency_cells(latency: &Latency) -> [String; 7] {
    [
        latency.packets.to_string(),
        cell(latency.mean.map(|mean| mean.mean)),
        cell(latency.mean.and_then(|mean| mean.half_width)),
        cell(latency.percentiles.p50),
        cell(latency.percentiles.p99),
        cell(latency.percentiles.max),
        cell(latency.not_steady),
    ]
}

pub(super) fn latency_by_class(results: &Results) -> Vec<u8> {
    let mut table = Table::new(["class"].into_iter().chain(LATENCY_COLUMNS));
    for row in &results.latency_by_class {
        let class = [row.class.to_string()];
        table.put(class.into_iter().chain(latency_cells(&row.latency)));
    }
    table.bytes()
}

pub(super) fn latency_by_distance(results: &Results) -> Vec<u8> {
    let mut table = Table::new(["hops", "hops_to"].into_iter().chain(LATENCY_COLUMNS));
    for DistanceLatency {
        hops,
        hops_to,
        latency,
    } in &results.latency_by_distance
    {
        let hops = [hops, hops_to].map(u32::to_string);
        table.put(hops.into_iter().chain(latency_cells(latency)));
    }
    table.bytes()
}

/// What energy depends on, and what it costs where it has a price.
pub(super) fn energy(results: &Results) -> Option<Vec<u8>> {
    let energy = results.energy.as_ref()?;
    let joules = energy.joules.as_ref().map(|joules| joules.parts());
    let mut table = Table::new(["what", "count", "joules"]);
    for (place, (what, count)) in energy.counts().into_iter().enumerate() {
        let cost = joules.and_then(|parts| parts[place].1);
        table.put([what.to_owned(), count.to_string(), cell(cost)]);
    }
    Some(table.bytes())
}

pub(super) fn waits(results: &Results) -> Option<Vec<u8>> {
    let failure = results.failure.as_ref()?;
    let mut rows = csv::Writer::from_writer(Vec::new());
    for wait in &failure.waits {
        rows.serialize(wait)
            .expect("rows of equal length in memory");
    }
    Some(Table(rows).bytes())
}

pub(super) fn measured_cycles(run: &Simulated) -> f64 {
    f64::from(run.observation.measured_cycles.max(1))
}
