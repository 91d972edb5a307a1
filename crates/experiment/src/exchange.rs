//! Whether two neighbouring Chaos nodes can block each other for good, from how their links are timed.
//!
//! Nodes A and B block each other when the output frame of either, to the other, waits for the input frame at
//! its far end, and neither input frame can be emptied. The packet in an input frame moves to the multiqueue
//! when the paired output frame is decided on, if it is ready by then. So let p be the packet that waits in
//! A's output frame and q the one before it over that link, which is in B's input frame; r and s likewise
//! from B to A. Then
//!
//! - p was decided on once A's output frame could be decided on again, `length + reopen` cycles of A after q's head
//!   had left, or more: its last word leaves `length` cycles after its head, and the frame may stay shut for `reopen`
//!   cycles more;
//! - s wasn't ready when p was decided on, and q wasn't when r was: each was ready only after a link's crossing,
//!   and `lag` more where the whole packet has to be there.
//!
//! ```text
//!   A   q's head leaves ── length + reopen ──▶ p decided          ▲ s is ready
//!   B            ▼ q is ready               s's head leaves ── length + reopen ──▶ r decided
//! ```
//!
//! So `q leaves + length + reopen <= p decided < s leaves + crossing + lag`, the same with the nodes' roles changed,
//! and the sum of both requires `length + reopen < crossing + lag`. The decision's latency, the release of input
//! frames, the threshold, and bypass do not matter. Where `crossing + lag <= length + reopen`, neighbours always
//! exchange packets and the published rules suffice; otherwise the stall rule must also act behind output frames that wait
//! ([`StallRule::BehindWaitingOutput`]).
//!
//! How long a crossing takes:
//!
//! - Under one clock: the link's latency.
//! - Live, with a slack of N cycles: a message that left in the sender's cycle s is seen by the receiver's cycle
//!   max(s + latency - N, s + N + 1). Messages arrive in order, at most one per cycle; since they left at most
//!   one per cycle, this delays none further. Without a bound on the slack, the crossing has none either.
//! - On the clocked engine times are compared in ps, of the same nodes and links for both. From the departure of a
//!   head (of a last word, if the whole packet has to be there) it takes a clock `length + reopen` (or 1 + reopen) ticks
//!   until the next packet is decided on, at their shortest. Of a self-timed node only the steps count in which the other
//!   words leave, since the one with the head is over when that leaves, and cycles in which it only counts may be skipped.
//!   Over a link with handshakes words leave no sooner than its first segment allows.
//! - A packet that isn't ready at a tick had left less than the link's longest time, and what the crossing hides from
//!   that tick, before it. Since the neighbour has given a credit for the whole packet, all words before it had been
//!   taken when it left. If all of it has to be there, the last word also waits for its turn: at most one word is taken per
//!   tick, so it may lag the first by as much as a slow receiver takes longer than a fast sender; over handshakes each
//!   word may cost the difference between the slowest segment, with what its word waits for at the receiver, and the
//!   first one.
//! - Where both ends of a link tick at the same instants it is ticks that count, as under one clock: those for which the
//!   link's time lasts at the clock's shortest.
//! - The shortest and the longest times are those over all changes of a clock, and the longest includes the times for which
//!   it is gated.

use flitwork_config::{EngineChoice, Resolved};
use flitwork_network::{Clock, Clocks, Way};
use flitwork_router::exchange::{Crossing, Exchange, Leaving};
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use std::borrow::Cow;

/// A configuration's network, on its engine.
pub(crate) struct Configured<'a> {
    pub(crate) resolved: &'a Resolved,
    /// Clocks instead of the configuration's.
    pub(crate) clocks: Option<&'a Clocks>,
}

impl Configured<'_> {
    /// The clocks of its nodes, where each has its own.
    fn clocks(&self) -> Option<Cow<'_, Clocks>> {
        let is_clocked = self.resolved.run.engine == EngineChoice::Clocked;
        let configured = || is_clocked.then(|| Cow::Owned(self.resolved.clocks()));
        self.clocks.map(Cow::Borrowed).or_else(configured)
    }
}

impl Crossing for Configured<'_> {
    fn exchange(&self, leaving: Leaving) -> Exchange {
        let resolved = self.resolved;
        if let Some(clocks) = self.clocks() {
            return of_clocks(leaving, &resolved.network.shape, &clocks);
        }
        let latency = resolved.network.longest_link_cycles();
        match resolved.live.slack.0 {
            _ if is_in_step(resolved) => Exchange::of_cycles(leaving, latency),
            None => Exchange::Unbounded,
            Some(slack) => {
                let early = latency.saturating_sub(slack);
                Exchange::of_cycles(leaving, early.max(slack.saturating_add(1)))
            }
        }
    }

    fn longest_link_cycles(&self) -> Option<u32> {
        let network = &self.resolved.network;
        match self.clocks() {
            Some(clocks) => longest_link_ticks(&network.shape, &clocks),
            None => is_in_step(self.resolved).then(|| network.longest_link_cycles()),
        }
    }
}

/// Whether all nodes of a configuration's run are in the same cycle at any time.
pub(crate) fn is_in_step(resolved: &Resolved) -> bool {
    match resolved.run.engine {
        EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain => true,
        EngineChoice::Live => resolved.live.slack.0 == Some(0),
        EngineChoice::Clocked => false,
    }
}

/// The exchange in a network whose nodes have these clocks.
fn of_clocks<T: Topology>(leaving: Leaving, topology: &T, clocks: &Clocks) -> Exchange {
    let exchanges = |node: NodeId| {
        topology.links(node).iter().all(|port| {
            let there = clocks.way(topology, (node, port));
            let far = topology.far(node, port);
            let back = far.and_then(|far| clocks.way(topology, far));
            match (there, back) {
                (Some(there), Some(back)) => ways_exchange(leaving, [there, back]),
                _ => true,
            }
        })
    };
    match (0..topology.nodes()).map(NodeId).all(exchanges) {
        true => Exchange::WithinClocks,
        false => Exchange::AfterClocks,
    }
}

/// The same over both directions of a link.
fn ways_exchange(leaving: Leaving, ways: [Way<'_>; 2]) -> bool {
    if let [Some(one), Some(other)] = ways.each_ref().map(crossing_ticks) {
        return Exchange::of_cycles(leaving, one.max(other)).is_sure();
    }
    let decides = ways.iter().map(|way| u128::from(decides_ps(leaving, way)));
    let ready = ways.iter().map(|way| ready_ps(leaving, way));
    ready.sum::<u128>() <= decides.sum()
}

/// The most ticks from the departure of a word until it is seen, where both ends of a link tick at the same instants and
/// nothing else paces words: they follow each other tick by tick, however long a tick is.
fn crossing_ticks(way: &Way<'_>) -> Option<u32> {
    if way.is_shaken() || way.is_crossed() || !matches!(way.sender, Clock::Periodic(_)) {
        return None;
    }
    let mut ticks = 1..=MOST_TICKS;
    ticks.find(|ticks| way.sender.span_ps(*ticks).0 >= way.word_ps())
}

/// Longer than any packet takes to leave.
const MOST_TICKS: u32 = 1 << 16;

/// The ticks that a word or a credit takes over the longest link; `None` unless both ends of all links tick at the same
/// instants, nothing is handed over, and no link takes sometimes more ticks and sometimes fewer.
fn longest_link_ticks<T: Topology>(topology: &T, clocks: &Clocks) -> Option<u32> {
    let mut longest = 0;
    for node in (0..topology.nodes()).map(NodeId) {
        for port in topology.links(node).iter() {
            let Some(way) = clocks.way(topology, (node, port)) else {
                continue;
            };
            let ticks = crossing_ticks(&way)?;
            let is_sure = ticks == 1 || way.sender.span_ps(ticks - 1).1 < way.word_ps();
            longest = longest.max(is_sure.then_some(ticks)?);
        }
    }
    Some(longest)
}

/// The least from the departure of a packet's head until the next packet is decided on, in ps; or from that of its last
/// word, if it is only ready with that.
fn decides_ps(leaving: Leaving, way: &Way<'_>) -> u64 {
    let words_behind = match leaving.lag_cycles {
        0 => u32::from(leaving.words).saturating_sub(1),
        _ => 0,
    };
    let handshakes_ps = way.handshakes_ps(words_behind);
    let span_ps = |ticks: u32| match ticks {
        0 => 0,
        ticks => way.sender.span_ps(ticks).0,
    };
    match way.sender {
        Clock::Periodic(_) => {
            let after = leaving.reopen_cycles.saturating_add(1);
            let ticks_ps = span_ps(after.saturating_add(words_behind));
            ticks_ps.max(handshakes_ps.saturating_add(span_ps(after)))
        }
        Clock::SelfTimed(_) => handshakes_ps.max(span_ps(words_behind)),
    }
}

/// The longest from the departure of a packet's head, or of its last word if it is only ready with that, until the last tick
/// or step of the receiver at which it isn't ready, in ps.
fn ready_ps(leaving: Leaving, way: &Way<'_>) -> u128 {
    let seen_ps = u128::from(way.word_ps()) + u128::from(way.unseen_ps());
    match (leaving.lag_cycles, way.is_shaken()) {
        (0, _) => seen_ps,
        (lag, false) => seen_ps + falls_behind(way, lag),
        (lag, true) => {
            // It is taken at the first tick or step at which it is seen.
            let takes_ps = u128::from(way.longest_span_ps(1));
            let waits_ps = u128::from(way.unseen_ps()) + takes_ps;
            let slowest_ps = u128::from(way.slowest_handshake_ps()) + waits_ps;
            let sent_ps = u128::from(way.handshakes_ps(lag));
            seen_ps + takes_ps + (u128::from(lag) * slowest_ps - sent_ps)
        }
    }
}

/// How much longer, at most, a receiver takes to take up to `words` words than a sender to send them, in ps.
fn falls_behind(way: &Way<'_>, words: u32) -> u128 {
    let longer = |words| {
        let longest_ps = way.longest_span_ps(words);
        longest_ps.saturating_sub(way.sender.span_ps(words).0)
    };
    // Of even clocks it is linear in the number of words, so its maximum is at one end.
    let most = match is_even(way.sender) && is_even(way.receiver) {
        true => longer(1).max(longer(words)),
        false => (1..=words).map(longer).max().unwrap_or(0),
    };
    u128::from(most)
}

/// Whether a clock takes the same time for all words, give or take the same in any number of them.
fn is_even(clock: &Clock) -> bool {
    match clock {
        Clock::Periodic(clock) => clock.wander.is_none() && clock.changes().is_empty(),
        Clock::SelfTimed(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_network::{LinkTiming, Periodic, Wander};
    use flitwork_topology::Grid;

    /// The longest latency with which neighbours with these clocks, two edges apart, surely exchange packets of ten words.
    fn longest_latency_ps(
        (reopen_cycles, lag_cycles): (u32, u32),
        one: Periodic,
        other: Periodic,
    ) -> u64 {
        let leaving = Leaving {
            words: 10,
            reopen_cycles,
            lag_cycles,
        };
        let mut clocks = Clocks {
            nominal_ps: 1000,
            domains: vec![Clock::Periodic(one), Clock::Periodic(other)],
            domain_of: vec![0, 1],
            links: LinkTiming::wires(1, 100, 2),
            seed: 1,
        };
        let pair = Grid::mesh(&[2]).unwrap();
        let within = (1..20_000).take_while(|latency_ps| {
            clocks.links.latency_ps = *latency_ps;
            of_clocks(leaving, &pair, &clocks) == Exchange::WithinClocks
        });
        within.last().unwrap_or(0)
    }

    fn even() -> Periodic {
        Periodic::new(1000, 0)
    }

    /// Twice the latency and two edges of each clock are at most ten periods of each: with 1,000 ps, 2 l + 4,000 <= 20,000.
    #[test]
    fn the_bounds_are_those_over_all_periods_and_gates() {
        let cut_through = |one| longest_latency_ps((0, 0), one, Periodic::new(1000, 500));
        assert_eq!(cut_through(even()), 8000);
        // Ten periods may be 5,000 ps, and two edges still 2,000.
        assert_eq!(cut_through(even().with_period_from(9000, 500)), 5500);
        // Two edges may be 6,000 ps, and ten periods still 10,000.
        assert_eq!(cut_through(even().with_period_from(9000, 3000)), 6000);
        // They may be 3,000 ps further apart, or twice 3,000.
        let gated = even().with_gate_from(9000).with_period_from(12_000, 1000);
        assert_eq!(cut_through(gated.clone()), 6500);
        let twice = gated.with_gate_from(20_000).with_period_from(23_000, 1000);
        assert_eq!(cut_through(twice.clone()), 5000);
        let thrice = twice.with_gate_from(30_000).with_period_from(33_000, 1000);
        assert_eq!(cut_through(thrice), 5000);
        let long = even()
            .with_gate_from(9000)
            .with_period_from(9_000_000, 1000);
        assert_eq!(cut_through(long), 0);
    }

    /// Packets that are stored whole, and frames that stay shut for ten cycles more. Even clocks: 2 l + 4,000 are at most
    /// 22,000. If one wanders by 50 ps within 60: two edges take 2,100 ps at most, eleven periods 10,880 at least, and three
    /// or more words fall behind by 120 from it and to it: 2 l + 4,100 + 240 <= 21,880.
    #[test]
    fn a_walk_is_counted_where_it_matters() {
        let stored = |one| longest_latency_ps((10, 10), one, Periodic::new(1000, 500));
        assert_eq!(stored(even()), 9000);
        let wander = Wander {
            most_ps: 50,
            bound_ps: Some(60),
        };
        assert_eq!(stored(even().with_wander(wander)), 8770);
    }

    /// A receiver of 500 ps that may be gated twice for 3,000 ps, and a sender of 1,000 ps: one word takes up to 3,500 ps,
    /// 2,500 longer than it takes to send; two take 7,000, 5,000 longer; ten take 11,000, 1,000 longer.
    #[test]
    fn words_fall_behind_the_most_somewhere_between() {
        let gated = Periodic::new(500, 0)
            .with_gate_from(9000)
            .with_period_from(12_000, 500)
            .with_gate_from(20_000)
            .with_period_from(23_000, 500);
        let clocks = Clocks {
            nominal_ps: 1000,
            domains: vec![Clock::Periodic(even()), Clock::Periodic(gated)],
            domain_of: vec![0, 1],
            links: LinkTiming::wires(1, 100, 2),
            seed: 1,
        };
        let pair = Grid::mesh(&[2]).unwrap();
        let east = pair.links(NodeId(0)).iter().next().unwrap();
        let way = clocks.way(&pair, (NodeId(0), east)).unwrap();
        assert_eq!(falls_behind(&way, 10), 5000);
        assert_eq!(falls_behind(&way, 1), 2500);
    }
}
