//! The tables of `--out`: their columns, and the rows of a run.

use super::energy::PARTS;
use super::figures::latency_columns;
use super::{ClassLatency, DistanceLatency, Energy, Files, Waiting, links, node_means, over_time};
use flitwork_measure::Bin;
use flitwork_observe::Throughput;
use flitwork_report::{Column, Header, Places, column, headers};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

/// A table's name, and its columns.
type Declared = (&'static str, fn() -> Vec<Header>);

/// The tables that a run may write beside that of its figures. An option names the file of the last.
pub(super) const TABLES: [Declared; 9] = [
    ("nodes", || headers(&node_columns())),
    ("links", || headers(&link_columns())),
    ("latency", || headers(&bin_columns())),
    ("latency_by_class", || headers(&class_columns())),
    ("latency_by_distance", || headers(&distance_columns())),
    ("energy", || headers(&energy_columns())),
    ("waits", || headers(&wait_columns())),
    ("intervals", || headers(&over_time::columns())),
    ("packets", flitwork_experiment::packets::headers),
];

/// The tables that a run may write beside that of its figures, with their columns.
pub fn tables() -> impl Iterator<Item = (&'static str, Vec<Header>)> {
    TABLES.into_iter().map(|(name, columns)| (name, columns()))
}

/// A link of a run: the node that it leaves, through which port, and its words.
pub(super) struct Link<'a>(&'a Files<'a>, NodeId, Port, u64);

impl Link<'_> {
    /// The words over its wire.
    fn wire_words(&self) -> u64 {
        let Link(files, node, port, words) = self;
        let shape = &files.resolved.network.shape;
        let other = match files.resolved.network.duplex.is_half() {
            true => shape.far(*node, *port),
            false => None,
        };
        let of = |(far, port): (NodeId, Port)| {
            let words = &files.run.observation.link_words;
            words[far.index() * shape.ports() + port.index()]
        };
        words + other.map_or(0, of)
    }
}

#[rustfmt::skip]
pub(super) fn link_columns<'a>() -> [Column<Link<'a>>; 6] {
    [
        column("node", "", "the node that it leaves", |it: &Link<'_>| it.1.0),
        column("port", "", "through which port", |it: &Link<'_>| it.0.resolved.network.shape.port_name(it.2)),
        column("to", "", "the node that it leads to", |it: &Link<'_>| Some(it.0.resolved.network.shape.neighbour(it.1, it.2)?.0)),
        column("link_words", "words", "over it in the window", |it: &Link<'_>| it.3),
        column("link_utilisation", "words/cycle", "the same per cycle", |it: &Link<'_>| Places::<6>(it.3 as f64 / it.0.cycles())),
        column("wire_utilisation", "words/cycle", "of its wire, which carries the other direction as well if links are half duplex", |it: &Link<'_>| Places::<6>(it.wire_words() as f64 / it.0.cycles())),
    ]
}

pub(super) fn links_of<'a>(files: &'a Files<'a>) -> impl Iterator<Item = Link<'a>> {
    let shape = &files.resolved.network.shape;
    let words = &files.run.observation.link_words;
    links(shape).into_iter().map(move |(node, port)| {
        let words = words[node as usize * shape.ports() + port as usize];
        Link(files, NodeId(node), Port(port), words)
    })
}

/// A node of a run, and what it held, mean.
pub(super) struct Node<'a>(&'a Files<'a>, NodeId, f64);

impl Node<'_> {
    fn lone_words(&self) -> bool {
        self.0.resolved.router.facts().words_travel_alone
    }

    fn coordinates(&self) -> String {
        let grid = self.0.resolved.network.shape.grid();
        let coordinates = grid.map(|grid| grid.coordinates(self.1));
        let coordinates: Vec<String> = coordinates.iter().flatten().map(u32::to_string).collect();
        coordinates.join(" ")
    }

    /// What its buffers held, mean and most, of buffers that are counted in that unit.
    fn buffers(&self, unit: &str) -> Option<(f64, u32)> {
        let buffers = self.0.results.buffers.as_ref();
        let buffers = buffers.filter(|buffers| buffers.unit == unit);
        buffers.map(|buffers| buffers.nodes[self.1.index()])
    }

    /// What its terminals made, sent or got together.
    fn words(&self, of: fn(&Throughput) -> &[u64]) -> u64 {
        let shape = &self.0.resolved.network.shape;
        let words = of(&self.0.run.observation.throughput);
        let terminals = shape.terminals_of(self.1);
        terminals.map(|terminal| words[terminal.index()]).sum()
    }
}

#[rustfmt::skip]
pub(super) fn node_columns<'a>() -> [Column<Node<'a>>; 13] {
    [
        column("node", "", "its number", |it: &Node<'_>| it.1.0),
        column("coordinates", "", "where it lies, x first", Node::coordinates),
        column("node_packets_mean", "packets", "in it, mean over the window; missing where words travel alone", |it: &Node<'_>| (!it.lone_words()).then_some(Places::<6>(it.2))),
        column("node_words_mean", "words", "in it, mean over the window, where words travel alone", |it: &Node<'_>| it.lone_words().then_some(Places::<6>(it.2))),
        column("buffer_packets_mean", "packets", "in the buffers that results.csv names, if they are counted in packets", |it: &Node<'_>| Some(Places::<6>(it.buffers("packets")?.0))),
        column("buffer_packets_max", "packets", "the most that they held in the whole run", |it: &Node<'_>| Some(it.buffers("packets")?.1)),
        column("buffer_words_mean", "words", "the same for buffers that are counted in words", |it: &Node<'_>| Some(Places::<6>(it.buffers("words")?.0))),
        column("buffer_words_max", "words", "the most that they held in the whole run", |it: &Node<'_>| Some(it.buffers("words")?.1)),
        column("packets_delivered", "packets", "delivered to it in the window", |it: &Node<'_>| it.0.run.observation.node_deliveries[it.1.index()]),
        column("words_created", "words", "made by its source in the window", |it: &Node<'_>| it.words(|it| &it.made)),
        column("words_delivered_from", "words", "delivered in the window that came from it", |it: &Node<'_>| it.words(|it| &it.sent)),
        column("words_injected_to", "words", "of packets to it that entered the network in the window", |it: &Node<'_>| it.words(|it| &it.addressed)),
        column("words_delivered_to", "words", "delivered to it in the window", |it: &Node<'_>| it.words(|it| &it.got)),
    ]
}

pub(super) fn nodes<'a>(files: &'a Files<'a>) -> impl Iterator<Item = Node<'a>> {
    let means = node_means(&files.run.observation.node_packet_cycles, files.cycles());
    let nodes = (0..).map(NodeId).zip(means);
    nodes.map(move |(node, mean)| Node(files, node, mean))
}

/// The bins of a histogram of latencies.
#[rustfmt::skip]
pub(super) fn bin_columns() -> [Column<Bin>; 3] {
    [
        column("from_cycles", "cycles", "the least latency of the bin", |it: &Bin| it.low),
        column("to_cycles", "cycles", "the greatest", |it: &Bin| it.high),
        column("packets", "packets", "of the window in the bin", |it: &Bin| it.count),
    ]
}

/// The columns of a class of packets: in a table, and in the lists of results.json.
pub(super) fn class_columns() -> Vec<Column<ClassLatency>> {
    let mut all = vec![column("class", "", "the class", |it: &ClassLatency| {
        it.class
    })];
    all.extend(latency_columns("latency", |it: &ClassLatency| &it.latency));
    all.push(not_steady(|it| it.latency.not_steady));
    all
}

/// The columns of the packets over one distance.
#[rustfmt::skip]
pub(super) fn distance_columns() -> Vec<Column<DistanceLatency>> {
    let mut all = vec![
        column("hops", "links", "on a shortest path from source to destination, the fewest of the row", |it: &DistanceLatency| it.hops),
        column("hops_to", "links", "the most of the row: the same except in networks with very many distances", |it: &DistanceLatency| it.hops_to),
    ];
    all.extend(latency_columns("latency", |it: &DistanceLatency| &it.latency));
    all.push(not_steady(|it| it.latency.not_steady));
    all
}

fn not_steady<R: 'static>(of: fn(&R) -> Option<&'static str>) -> Column<R> {
    let meaning = "the rule of the steady state that was violated, or `window too short` or `window cut short`";
    column("not_steady", "", meaning, of)
}

/// A part of the energy: what it depends on, its count, and joules.
pub(super) type Spent = (&'static str, Option<u64>, Option<f64>);

#[rustfmt::skip]
pub(super) fn energy_columns() -> [Column<Spent>; 3] {
    [
        column("what", "", "what energy depends on, as results.csv names it", |it: &Spent| it.0),
        column("count", "", "how often, or how many words, in the window, where that is known", |it: &Spent| it.1),
        column("joules", "J", "what that costs, where the configuration prices it", |it: &Spent| it.2),
    ]
}

/// The counts that energy depends on, and joules for those with a price.
pub(super) fn energy(energy: &Energy) -> impl Iterator<Item = Spent> {
    let joules = |at: usize| energy.joules.as_ref()?.parts[at];
    let counts = PARTS.iter().zip(energy.counts).enumerate();
    counts.map(move |(at, (part, count))| (part.count, count, joules(at)))
}

#[rustfmt::skip]
pub(super) fn wait_columns() -> [Column<Waiting>; 7] {
    [
        column("node", "", "the node that it is in", |it: &Waiting| it.node),
        column("coordinates", "", "where that is, as (x, y, …)", |it: &Waiting| it.coordinates.to_string()),
        column("source", "", "the node that made it", |it: &Waiting| it.source),
        column("serial", "", "its number among that node's packets, from 0", |it: &Waiting| it.serial),
        column("destination", "", "where it goes", |it: &Waiting| it.destination),
        column("place", "", "the frame that it is in", |it: &Waiting| it.place.to_string()),
        column("waits_for", "", "what it waits for, in words", |it: &Waiting| it.waits_for.to_string()),
    ]
}
