//! The CSV files of `--out`: their columns, and the rows of a run.

use super::figures::{figures, latency_columns};
use super::{BufferUse, ClassLatency, DistanceLatency, Results, Waiting, links, node_means};
use flitwork_config::Resolved;
use flitwork_experiment::simulate::Simulated;
use flitwork_measure::{Bin, Histogram};
use flitwork_report::{Column, Header, Places, column, csv_table, headers};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

/// The tables that a run may write beside results.csv, with their columns.
pub fn tables() -> Vec<(&'static str, Vec<Header>)> {
    vec![
        ("nodes", headers(&node_columns())),
        ("links", headers(&link_columns())),
        ("latency", headers(&bin_columns())),
        ("latency_by_class", headers(&class_columns())),
        ("latency_by_distance", headers(&distance_columns())),
        ("energy", headers(&energy_columns())),
        ("waits", headers(&wait_columns())),
        ("intervals", flitwork_experiment::intervals::headers()),
        ("packets", flitwork_experiment::packets::headers()),
    ]
}

/// All figures as one row.
pub(super) fn results(results: &Results) -> Vec<u8> {
    let columns = figures().iter().map(|figure| &figure.column);
    csv_table(columns, [results])
}

/// A link of a run.
struct Link {
    node: u32,
    port: String,
    to: u32,
    words: u64,
    utilisation: f64,
}

fn link_columns() -> [Column<Link>; 5] {
    [
        column("node", "", "the node that it leaves", |it: &Link| it.node),
        column("port", "", "through which port", |it: &Link| {
            it.port.clone()
        }),
        column("to", "", "the node that it leads to", |it: &Link| it.to),
        column(
            "link_words",
            "words",
            "over it in the window",
            |it: &Link| it.words,
        ),
        column(
            "link_utilisation",
            "words/cycle",
            "the same a cycle",
            |it: &Link| Places::<6>(it.utilisation),
        ),
    ]
}

pub(super) fn links_of(resolved: &Resolved, run: &Simulated) -> Vec<u8> {
    let shape = &resolved.network.shape;
    let seen = &run.observation;
    let cycles = measured_cycles(run);
    let rows = links(shape).into_iter().map(|(node, port)| {
        let words = seen.link_words[node as usize * shape.ports() + port as usize];
        let far = shape.neighbour(NodeId(node), Port(port));
        Link {
            node,
            port: shape.port_name(Port(port)),
            to: far.expect("only links that exist are listed").0,
            words,
            utilisation: words as f64 / cycles,
        }
    });
    csv_table(&link_columns(), rows)
}

/// A node of a run.
struct Node {
    node: u32,
    coordinates: String,
    packets_mean: Option<f64>,
    words_mean: Option<f64>,
    buffer_packets: Option<(f64, u32)>,
    buffer_words: Option<(f64, u32)>,
    packets_delivered: u64,
    words_created: u64,
    words_delivered_from: u64,
    words_injected_to: u64,
    words_delivered_to: u64,
}

#[rustfmt::skip]
fn node_columns() -> [Column<Node>; 13] {
    [
        column("node", "", "its number", |it: &Node| it.node),
        column("coordinates", "", "where it lies, x first", |it: &Node| it.coordinates.clone()),
        column("node_packets_mean", "packets", "in it, mean over the window; missing where words travel alone", |it: &Node| it.packets_mean.map(Places::<6>)),
        column("node_words_mean", "words", "in it, mean over the window, where words travel alone", |it: &Node| it.words_mean.map(Places::<6>)),
        column("buffer_packets_mean", "packets", "in the buffers that results.csv names, of those that are counted in packets", |it: &Node| Some(Places::<6>(it.buffer_packets?.0))),
        column("buffer_packets_max", "packets", "the most that they held in the whole run", |it: &Node| Some(it.buffer_packets?.1)),
        column("buffer_words_mean", "words", "the same of buffers that are counted in words", |it: &Node| Some(Places::<6>(it.buffer_words?.0))),
        column("buffer_words_max", "words", "the most that they held in the whole run", |it: &Node| Some(it.buffer_words?.1)),
        column("packets_delivered", "packets", "delivered to it in the window", |it: &Node| it.packets_delivered),
        column("words_created", "words", "made by its source in the window", |it: &Node| it.words_created),
        column("words_delivered_from", "words", "delivered in the window that came from it", |it: &Node| it.words_delivered_from),
        column("words_injected_to", "words", "of packets to it that entered the network in the window", |it: &Node| it.words_injected_to),
        column("words_delivered_to", "words", "delivered to it in the window", |it: &Node| it.words_delivered_to),
    ]
}

pub(super) fn nodes(resolved: &Resolved, run: &Simulated, results: &Results) -> Vec<u8> {
    let shape = &resolved.network.shape;
    let seen = &run.observation;
    let means = node_means(&seen.node_packet_cycles, measured_cycles(run));
    let alone = resolved.router.facts().words_travel_alone;
    let buffers = |unit, at: usize| {
        let buffers: Option<&BufferUse> = results.buffers.as_ref();
        buffers.filter(|it| it.unit == unit).map(|it| it.nodes[at])
    };
    let rows = (0..shape.nodes()).map(|node| {
        let at = node as usize;
        let coordinates = shape.grid().map(|grid| grid.coordinates(NodeId(node)));
        let coordinates: Vec<String> = coordinates.iter().flatten().map(u32::to_string).collect();
        Node {
            node,
            coordinates: coordinates.join(" "),
            packets_mean: Some(means[at]).filter(|_| !alone),
            words_mean: Some(means[at]).filter(|_| alone),
            buffer_packets: buffers("packets", at),
            buffer_words: buffers("words", at),
            packets_delivered: seen.node_deliveries[at],
            words_created: seen.throughput.made[at],
            words_delivered_from: seen.throughput.sent[at],
            words_injected_to: seen.throughput.addressed[at],
            words_delivered_to: seen.throughput.got[at],
        }
    });
    csv_table(&node_columns(), rows)
}

fn bin_columns() -> [Column<Bin>; 3] {
    [
        column(
            "from_cycles",
            "cycles",
            "the least latency of the bin",
            |it: &Bin| it.low,
        ),
        column("to_cycles", "cycles", "the greatest", |it: &Bin| it.high),
        column("packets", "packets", "of the window in it", |it: &Bin| {
            it.count
        }),
    ]
}

/// All latencies of the window, in the bins of their histogram.
pub(super) fn latency(latency: &Histogram) -> Vec<u8> {
    csv_table(&bin_columns(), latency.bins())
}

/// The columns of a class of packets: in a table, and in the lists of results.json.
pub(super) fn class_columns() -> Vec<Column<ClassLatency>> {
    let mut all = vec![column("class", "", "the class", |it: &ClassLatency| {
        it.class
    })];
    all.extend(latency_columns("latency", |it: &ClassLatency| &it.latency));
    all.push(column(
        "not_steady",
        "",
        "the rule that speaks against a steady state",
        |it: &ClassLatency| it.latency.not_steady,
    ));
    all
}

/// The columns of the packets over one distance.
pub(super) fn distance_columns() -> Vec<Column<DistanceLatency>> {
    let mut all = vec![
        column(
            "hops",
            "links",
            "on a shortest path from source to destination, the fewest of the row",
            |it: &DistanceLatency| it.hops,
        ),
        column(
            "hops_to",
            "links",
            "the most of the row: the same but in networks with very many distances",
            |it: &DistanceLatency| it.hops_to,
        ),
    ];
    all.extend(latency_columns("latency", |it: &DistanceLatency| {
        &it.latency
    }));
    all.push(column(
        "not_steady",
        "",
        "the rule that speaks against a steady state",
        |it: &DistanceLatency| it.latency.not_steady,
    ));
    all
}

pub(super) fn latency_by_class(results: &Results) -> Vec<u8> {
    csv_table(&class_columns(), &results.latency_by_class)
}

pub(super) fn latency_by_distance(results: &Results) -> Vec<u8> {
    csv_table(&distance_columns(), &results.latency_by_distance)
}

/// A part of the energy: what it depends on, its count, and joules.
type Spent = (&'static str, u64, Option<f64>);

fn energy_columns() -> [Column<Spent>; 3] {
    [
        column(
            "what",
            "",
            "what energy depends on, as results.csv names it",
            |it: &Spent| it.0,
        ),
        column(
            "count",
            "",
            "how often, or how many words, in the window",
            |it: &Spent| it.1,
        ),
        column(
            "joules",
            "J",
            "what that costs, where the configuration prices it",
            |it: &Spent| it.2,
        ),
    ]
}

/// The counts that energy depends on, and joules for those with a price.
pub(super) fn energy(results: &Results) -> Option<Vec<u8>> {
    let energy = results.energy.as_ref()?;
    let joules = energy.joules.as_ref().map(|joules| joules.parts());
    let cost = |place: usize| joules.and_then(|parts| parts[place].1);
    let counts = energy.counts().into_iter().enumerate();
    let rows = counts.map(|(place, (what, count))| (what, count, cost(place)));
    Some(csv_table(&energy_columns(), rows))
}

fn wait_columns() -> [Column<Waiting>; 7] {
    [
        column("node", "", "the node it stands in", |it: &Waiting| it.node),
        column(
            "coordinates",
            "",
            "where that lies, as (x, y, …)",
            |it: &Waiting| it.coordinates.clone(),
        ),
        column("source", "", "the node that made it", |it: &Waiting| {
            it.source
        }),
        column(
            "serial",
            "",
            "its number among that node's packets, from 0",
            |it: &Waiting| it.serial,
        ),
        column("destination", "", "where it goes", |it: &Waiting| {
            it.destination
        }),
        column("place", "", "the frame it stands in", |it: &Waiting| {
            it.place.clone()
        }),
        column(
            "waits_for",
            "",
            "what it waits for, in words",
            |it: &Waiting| it.waits_for.clone(),
        ),
    ]
}

pub(super) fn waits(results: &Results) -> Option<Vec<u8>> {
    let failure = results.failure.as_ref()?;
    Some(csv_table(&wait_columns(), &failure.waits))
}

pub(super) fn measured_cycles(run: &Simulated) -> f64 {
    f64::from(run.observation.measured_cycles.max(1))
}
