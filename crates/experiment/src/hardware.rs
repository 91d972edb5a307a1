//! What is known about a configuration's hardware.

use crate::around::around;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_network::Clock;
use flitwork_node::Datapath;
use flitwork_router::parameters::Takes;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId};
use std::fmt;

/// The datapath of a configuration's router, if the router describes it.
pub fn datapath(resolved: &Resolved) -> Option<Datapath> {
    // It does not depend on the packets that a router may be built for.
    around(resolved).without_packets().words().datapath()
}

/// Cycles without a head leaving a node and without a packet entering or arriving, after which a configuration's
/// network will never move again; `None` where packets wait for nothing but their time, or never wait. Only
/// [`running_cycles`] count.
pub fn patience_cycles(resolved: &Resolved) -> Option<u32> {
    let waits = resolved.router.facts().waits;
    waits.then(|| longest_silence_cycles(resolved))
}

/// The most cycles that may pass between two such events in a network that still moves.
pub fn longest_silence_cycles(resolved: &Resolved) -> u32 {
    let words = around(resolved).words();
    let of_one_clock = words.patience();
    let patience = of_one_clock.cycles(resolved.packet_words().into());
    match (resolved.run.engine, resolved.live.slack.0) {
        (EngineChoice::Clocked, _) => {
            clocked_silence_cycles(resolved, (patience, of_one_clock.places()))
        }
        // The host adds its own delays.
        (EngineChoice::Live, slack) if slack != Some(0) => {
            patience.saturating_mul(4).saturating_add(STILL_CYCLES)
        }
        _ => patience,
    }
}

/// The same in nominal cycles where nodes have clocks of their own or none, given what it is under one clock and how many
/// words of a virtual channel fit into the far end of a link: as many cycles of the slowest node, or times from one word to the next over the slowest link if those are longer; and the
/// passage of the last word over a link and that of a credit back.
fn clocked_silence_cycles(resolved: &Resolved, (cycles, places): (u32, u32)) -> u32 {
    let clocks = resolved.clocks();
    let shape = &resolved.network.shape;
    let cycle_ps = u128::from(clocks.longest_cycle_ps());
    let packet_words = u64::from(resolved.packet_words());
    let (mut apart_ps, mut passage_ps) = (cycle_ps, cycle_ps);
    for node in (0..shape.nodes()).map(NodeId) {
        for port in shape.links(node).iter() {
            let Some(way) = clocks.way(shape, (node, port)) else {
                continue;
            };
            let passage = u128::from(way.word_ps().max(way.credit_ps()))
                + u128::from(way.unseen_running_ps())
                + 2 * cycle_ps;
            passage_ps = passage_ps.max(passage);
            let room = u64::from(way.capacity_words.min(places).max(1));
            let apart = match (way.is_shaken(), packet_words <= room) {
                // The way back has edges, too, and both are counted below.
                (true, _) => u128::from(way.all_handshakes_ps()),
                (false, true) => cycle_ps,
                (false, false) => 2 * passage / u128::from(room),
            };
            apart_ps = apart_ps.max(apart);
        }
    }
    if clocks.links.handshake.is_some() {
        apart_ps += 2 * passage_ps;
    }
    let silence_ps = u128::from(cycles) * apart_ps + 2 * passage_ps;
    let cycles = silence_ps.div_ceil(u128::from(clocks.nominal_ps.max(1)));
    u32::try_from(cycles).unwrap_or(u32::MAX)
}

/// Of the cycles from `since` to `until`, those in which no clock is gated that ticks again later.
///
/// In each of the others, what waits may wait for a gated clock. Clocks that are gated for good don't count: what waits
/// for them never moves again.
pub fn running_cycles(resolved: &Resolved, since: Cycle, until: Cycle) -> u32 {
    let cycles = until.since(since);
    if resolved.run.engine != EngineChoice::Clocked || resolved.clocks.changes.is_empty() {
        return cycles;
    }
    let clocks = resolved.clocks();
    let nominal_ps = clocks.nominal_ps.max(1);
    let at_ps = |cycle: Cycle| u64::from(cycle.get()).saturating_mul(nominal_ps);
    let gated = clocks.gated_ps(at_ps(since), at_ps(until));
    cycles.saturating_sub(u32::try_from(gated.div_ceil(nominal_ps)).unwrap_or(u32::MAX))
}

/// Nodes whose clocks are gated for good at some time of a run: nothing that waits for them moves again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedNodes {
    /// From when on each node has no tick, in ps, if there is such a time.
    stops_ps: Vec<Option<u64>>,
}

impl StoppedNodes {
    /// Those of a configuration, if there are any.
    pub fn of(resolved: &Resolved) -> Option<StoppedNodes> {
        if resolved.run.engine != EngineChoice::Clocked || resolved.clocks.changes.is_empty() {
            return None;
        }
        let clocks = resolved.clocks();
        let stops: Vec<Option<u64>> = clocks.domains.iter().map(Clock::stops_ps).collect();
        let domains = clocks.domain_of.iter();
        let stops_ps: Vec<Option<u64>> = domains.map(|domain| stops[*domain as usize]).collect();
        let any = stops_ps.iter().any(Option::is_some);
        any.then_some(StoppedNodes { stops_ps })
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.stops_ps.iter().flatten().count()
    }

    /// Whether they are all nodes.
    pub fn are_all(&self) -> bool {
        self.count() == self.stops_ps.len()
    }

    /// Those that have stopped by some time, each with the time from which on it has no tick, in ps.
    pub fn by(&self, time_ps: u64) -> impl Iterator<Item = (NodeId, u64)> + '_ {
        let all = (0..).map(NodeId).zip(&self.stops_ps);
        let stopped = all.filter_map(|(node, stops_ps)| Some((node, (*stops_ps)?)));
        stopped.filter(move |(_, stops_ps)| *stops_ps <= time_ps)
    }

    /// Whether a node has no tick from a time on.
    pub fn has_stopped(&self, node: NodeId, time_ps: u64) -> bool {
        self.stops_ps[node.index()].is_some_and(|stops_ps| stops_ps <= time_ps)
    }
}

impl fmt::Display for StoppedNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count() {
            1 => f.write_str("the clock of 1 node is gated for good")?,
            nodes => write!(f, "the clocks of {nodes} nodes are gated for good")?,
        }
        let first = self.stops_ps.iter().flatten().min();
        first.map_or(Ok(()), |from_ps| write!(f, ", from {from_ps} ps on"))
    }
}

/// Idle cycles before a free-running network counts as stuck, on top of its nodes' patience.
const STILL_CYCLES: u32 = 1000;

/// Whether a configuration's router must know its packets before the run.
pub(crate) fn needs_packets(resolved: &Resolved) -> bool {
    resolved.router.facts().takes == Takes::AtOnce
}

/// Bytes of a node that the engine leaves untouched until a packet comes to it.
pub(crate) fn untouched_bytes_a_node(resolved: &Resolved) -> u64 {
    if resolved.run.engine != EngineChoice::Sync || !resolved.router.facts().begins_zeroed {
        return 0;
    }
    let timestamps = around(resolved).timestamps();
    timestamps.map_or(0, |timestamps| timestamps.node_bytes as u64)
}
