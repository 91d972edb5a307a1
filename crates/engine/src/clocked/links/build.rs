//! Links from their timing.

use super::{Fifos, Links, Pipe};
use crate::clocked::ends::{Ends, Sight, Sights};
use flitwork_network::{Clocks, Crossing, Handshake};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port, Word};
use std::collections::VecDeque;

/// Words that a FIFO has room for from the start.
const FIRST_ROOM: u32 = 4;

/// A link in one direction: from which node and port, and to which.
#[derive(Clone, Copy)]
struct Way {
    from: (NodeId, Port),
    to: (NodeId, Port),
}

impl Links {
    /// The links of a topology. A sender that needs credits never has more than `credit_words` words under
    /// way that haven't been taken: a link with room for as many can't be full, and its far end needn't report
    /// what it takes.
    pub(in crate::clocked) fn new<T: Topology>(
        topology: &T,
        clocks: &Clocks,
        credit_words: Option<u32>,
    ) -> Links {
        let (ports, count) = (topology.ports(), topology.nodes() as usize);
        let timing = &clocks.links;
        let is_special = |way: &Way| {
            let (node, port) = way.from;
            let usual = sight(&timing.crossing);
            let is_plain = usual.margin_ps == 0 && !usual.pauses;
            crosses(clocks, *way) && !(is_plain && sight(timing.crossing_of(node, port)) == usual)
        };
        let is_shaken = timing.handshake.is_some();
        let is_bounded = |way: &Way| {
            is_shaken || credit_words.is_none_or(|words| room_words(clocks, *way) < words)
        };
        let has_own = is_shaken
            || topology.has_own_latencies()
            || timing.own.values().any(|own| own.latency_ps.is_some());
        let all = |is_there: bool| if is_there { count * ports } else { 0 };
        let bounded = all(ways(topology).any(|way| is_bounded(&way)));
        let depths = timing.crossings().filter_map(|it| it.capacity_words);
        let capacity = depths.fold(timing.capacity_words.max(1), u32::max);
        let room = capacity.min(credit_words.unwrap_or(u32::MAX));
        let room = room.min(FIRST_ROOM) as usize;
        let mut links = Links {
            ports,
            latency_ps: timing.latency_ps.max(1),
            own_ps: vec![1; all(has_own)],
            capacity,
            capacities: vec![u32::MAX; bounded],
            far_ends: vec![None; all(true)],
            ends: vec![Ends::default(); count],
            sights: Sights::default(),
            pipes: (0..all(is_shaken)).map(|_| None).collect(),
            words: Fifos::new(all(true), room, Word::BLANK),
            credits: Fifos::new(all(true), 1, 0),
            takings: (0..bounded)
                .map(|_| VecDeque::with_capacity(room))
                .collect(),
            outstanding: vec![0; bounded],
            under_way: 0,
        };
        let any_special = ways(topology).any(|way| is_special(&way));
        let mut sights = vec![Sight::default(); all(any_special)];
        for way in ways(topology) {
            links.lay(topology, clocks, way, is_bounded(&way));
            let ((node, port), (far, far_port)) = (way.to, way.from);
            if is_special(&way) {
                links.ends[node.index()].special.insert(port);
                sights[node.index() * ports + port.index()] =
                    sight(timing.crossing_of(far, far_port));
            } else if crosses(clocks, way) {
                links.ends[node.index()].crossing.insert(port);
            }
        }
        if any_special {
            links.sights = Sights::new(sights);
        }
        links
    }

    /// Lays a link in one direction; `is_bounded` says whether it may fill up.
    fn lay<T: Topology>(&mut self, topology: &T, clocks: &Clocks, way: Way, is_bounded: bool) {
        let link = |(node, port): (NodeId, Port)| node.index() * self.ports + port.index();
        let (from, to) = (link(way.from), link(way.to));
        self.far_ends[to] = Some(way.from);
        if is_bounded {
            let (node, port) = way.to;
            self.ends[node.index()].reports.insert(port);
            self.capacities[from] = room_words(clocks, way);
        }
        if let Some(own_ps) = self.own_ps.get_mut(to) {
            *own_ps = clocks.latency_ps(topology, way.from);
        }
        if let Some(handshake) = &clocks.links.handshake {
            // Each word is acknowledged before the next one leaves.
            self.capacities[from] = 1;
            self.pipes[to] = Some(pipe(handshake, clocks, way));
        }
    }
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
