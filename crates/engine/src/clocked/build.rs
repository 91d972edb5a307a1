//! Links from their timing.

use super::ends::{Ends, Sight, Sights};
use super::pipe::Pipe;
use flitwork_network::{Clocks, Crossing, Handshake};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

/// What links are made of, by the node and the port at which each ends, or by node.
pub(super) struct Built {
    pub(super) far_ends: Vec<Option<(NodeId, Port)>>,
    pub(super) ends: Vec<Ends>,
    /// How long everything but a word that is handed over takes over each link, in ps; empty if all take equally long.
    pub(super) own_ps: Vec<u64>,
    /// The words that may be outstanding, by the end from which they leave; empty if no link can fill up.
    pub(super) capacities: Vec<u32>,
    pub(super) sights: Sights,
    pub(super) pipes: Vec<Option<Pipe>>,
}

/// A link in one direction: from which node and port, and to which.
#[derive(Clone, Copy)]
struct Way {
    from: (NodeId, Port),
    to: (NodeId, Port),
}

/// The links of a topology. See [`super::links::Links::new`].
pub(super) fn build<T: Topology>(
    topology: &T,
    clocks: &Clocks,
    credit_words: Option<u32>,
) -> Built {
    let (ports, count) = (topology.ports(), topology.nodes() as usize);
    let timing = &clocks.links;
    let link = |(node, port): (NodeId, Port)| node.index() * ports + port.index();
    let ways = || ways(topology);
    let is_special = |way: &Way| {
        let (node, port) = way.from;
        let usual = sight(&timing.crossing);
        let is_plain = usual.margin_ps == 0 && !usual.pauses;
        crosses(clocks, *way) && !(is_plain && sight(timing.crossing_of(node, port)) == usual)
    };
    let room = |way: &Way| room_words(clocks, *way);
    let is_bounded = |way: &Way| {
        timing.handshake.is_some() || credit_words.is_none_or(|words| room(way) < words)
    };
    let any_special = ways().any(|way| is_special(&way));
    let any_bounded = ways().any(|way| is_bounded(&way));
    let has_own = timing.handshake.is_some()
        || topology.has_own_latencies()
        || timing.own.values().any(|own| own.latency_ps.is_some());
    let all = |is_there: bool| if is_there { count * ports } else { 0 };
    let mut built = Built {
        far_ends: vec![None; all(true)],
        ends: vec![Ends::default(); count],
        own_ps: vec![1; all(has_own)],
        capacities: vec![u32::MAX; all(any_bounded)],
        sights: Sights::default(),
        pipes: Vec::new(),
    };
    built
        .pipes
        .resize_with(all(timing.handshake.is_some()), || None);
    let mut sights = vec![Sight::default(); all(any_special)];
    for way in ways() {
        let (node, port) = way.to;
        let (far, far_port) = way.from;
        built.far_ends[link(way.to)] = Some(way.from);
        let ends = &mut built.ends[node.index()];
        if is_special(&way) {
            ends.special.insert(port);
            sights[link(way.to)] = sight(timing.crossing_of(far, far_port));
        } else if crosses(clocks, way) {
            ends.crossing.insert(port);
        }
        if is_bounded(&way) {
            ends.reports.insert(port);
            built.capacities[link(way.from)] = room(&way);
        }
        if has_own {
            built.own_ps[link(way.to)] = clocks.latency_ps(topology, way.from);
        }
        if let Some(handshake) = &timing.handshake {
            // Each word is acknowledged before the next one leaves.
            built.capacities[link(way.from)] = 1;
            built.pipes[link(way.to)] = Some(pipe(handshake, clocks, way));
        }
    }
    if any_special {
        built.sights = Sights::new(sights);
    }
    built
}

/// All links, each in both directions.
fn ways<T: Topology>(topology: &T) -> impl Iterator<Item = Way> + '_ {
    (0..topology.nodes()).map(NodeId).flat_map(move |node| {
        let ports = topology.links(node).iter();
        ports.filter_map(move |port| {
            let from = topology.far(node, port)?;
            Some(Way {
                from,
                to: (node, port),
            })
        })
    })
}

/// Whether what comes over a link waits for edges of the receiver's clock. A self-timed node has none.
fn crosses(clocks: &Clocks, way: Way) -> bool {
    let domain = |(node, _): (NodeId, Port)| clocks.domain_of[node.index()];
    let ticks = clocks.domains[domain(way.to) as usize].ticks();
    ticks && !clocks.share(domain(way.to), domain(way.from))
}

fn sight(crossing: &Crossing) -> Sight {
    Sight {
        edges: crossing.edges,
        margin_ps: crossing.margin_ps,
        pauses: crossing.pause.is_some(),
    }
}

/// How many words a link holds.
fn room_words(clocks: &Clocks, Way { from, .. }: Way) -> u32 {
    let timing = &clocks.links;
    let own = timing.crossing_of(from.0, from.1).capacity_words;
    own.unwrap_or(timing.capacity_words).max(1)
}

/// A link over which words are handed over: what it holds beyond its latches, latch 0 among them, and the word that
/// waits for that is in a FIFO.
fn pipe(handshake: &Handshake, clocks: &Clocks, way: Way) -> Pipe {
    let (node, port) = way.from;
    let segments = clocks.links.segments_of(node, port).unwrap_or_default();
    let room = match clocks.links.crossing_of(node, port).capacity_words {
        Some(depth) => depth,
        None => {
            let latches = segments.len() as u32;
            clocks.links.capacity_words.saturating_sub(latches + 1)
        }
    };
    let sender = clocks.domain_of[node.index()] as usize;
    Pipe::new(handshake, segments, room, clocks.domains[sender].ticks())
}
