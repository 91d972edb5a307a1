//! Whether two neighbouring Chaos nodes can block each other for good, from how their links are timed.
//!
//! Nodes A and B block each other when the output frame of either, to the other, waits for the input frame at
//! its far end, and neither input frame can be emptied. The packet in an input frame moves to the multiqueue
//! when the paired output frame is decided on, if it is ready by then. So let p be the packet that waits in
//! A's output frame and q the one before it over that link, which stands in B's input frame; r and s likewise
//! from B to A. Then
//!
//! - p was decided on after q's last word had left: `length` cycles of A after q's head had, or more;
//! - s wasn't ready when p was decided on, and q wasn't when r was: each was ready only after a link's crossing,
//!   and `lag` more where the whole packet has to be there.
//!
//! ```text
//!   A   q's head leaves ──── length ────▶ p decided          ▲ s is ready
//!   B            ▼ q is ready          s's head leaves ──── length ────▶ r decided
//! ```
//!
//! So `q leaves + length <= p decided < s leaves + crossing + lag`, the same with the nodes' roles changed, and
//! the sum of both asks for `length < crossing + lag`. The decision's latency, the release of input frames, the
//! threshold, and bypass don't come into it. Where `crossing + lag <= length` neighbours always exchange
//! packets, and the published rules suffice; where it isn't, the stall rule must also act behind output frames
//! that wait ([`StallRule::BehindWaitingOutput`]).
//!
//! How long a crossing takes:
//!
//! - Under one clock: the link's latency.
//! - Live, with a slack of N cycles: a message that left in the sender's cycle s is seen by the receiver's cycle
//!   max(s + latency - N, s + N + 1). Messages come in in order, at most one a cycle, which delays none beyond
//!   that, as they left at most one a cycle. Without a bound on slack there is none on the crossing.
//! - With clocks of the nodes' own times are compared in ps. A packet that isn't seen at a tick yet left less
//!   than the link's latency and the synchronizer's edges before. `length` is then the least time of as many
//!   ticks of the sender; and as words come in at most one a tick, a packet's last word may come later than its
//!   first by what a slow receiver needs longer than a fast sender.

use crate::config::{EngineChoice, Resolved};
use flitwork_network::{Clock, Clocks};
use flitwork_router::chaos::{ChaosParameters, StallRule};
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use std::fmt;

/// What is known of two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// They can't block each other: the link crosses within the given cycles.
    WithinCycles(u32),
    /// They can't, although they have clocks of their own.
    WithinClocks,
    /// They may: a packet may be seen only after as many cycles.
    AfterCycles(u32),
    /// They may, with these clocks and synchronizers.
    AfterClocks,
    /// They may, as nothing bounds how late a packet is seen.
    Unbounded,
}

impl Exchange {
    /// The rule under which they don't block each other for good.
    pub(crate) fn stall_rule(self) -> StallRule {
        match self {
            Exchange::WithinCycles(_) | Exchange::WithinClocks => StallRule::BehindOpenOutput,
            _ => StallRule::BehindWaitingOutput,
        }
    }

    /// Of a configuration's network, on its engine.
    pub(crate) fn of(resolved: &Resolved, chaos: &ChaosParameters) -> Exchange {
        let latency = resolved.network.link_latency_cycles;
        match resolved.run.engine {
            EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain => {
                Exchange::of_cycles(chaos, latency)
            }
            EngineChoice::Clocked => {
                Exchange::of_clocks(chaos, &resolved.network.grid, &resolved.clocks())
            }
            EngineChoice::Live => match resolved.live.slack.0 {
                None => Exchange::Unbounded,
                Some(0) => Exchange::of_cycles(chaos, latency),
                Some(slack) => {
                    let early = latency.saturating_sub(slack);
                    Exchange::of_cycles(chaos, early.max(slack.saturating_add(1)))
                }
            },
        }
    }

    fn of_cycles(chaos: &ChaosParameters, crossing_cycles: u32) -> Exchange {
        let ready = crossing_cycles.saturating_add(chaos.lag_cycles());
        match ready <= chaos.packet_words.into() {
            true => Exchange::WithinCycles(crossing_cycles),
            false => Exchange::AfterCycles(ready),
        }
    }

    /// Of a network whose nodes have these clocks.
    pub(crate) fn of_clocks<T: Topology>(
        chaos: &ChaosParameters,
        topology: &T,
        clocks: &Clocks,
    ) -> Exchange {
        let domain = |node: NodeId| clocks.domain_of[node.index()];
        let exchanges = |node: NodeId| {
            let far = topology.links(node).iter();
            let mut far = far.filter_map(|port| topology.neighbour(node, port));
            far.all(|far| domains_exchange(chaos, clocks, [domain(node), domain(far)]))
        };
        match (0..topology.nodes()).map(NodeId).all(exchanges) {
            true => Exchange::WithinClocks,
            false => Exchange::AfterClocks,
        }
    }
}

/// The same for a node of each of two domains.
fn domains_exchange(chaos: &ChaosParameters, clocks: &Clocks, pair: [u32; 2]) -> bool {
    let [one, other] = pair.map(|domain| &clocks.domains[domain as usize]);
    let (words, lag) = (chaos.packet_words.into(), chaos.lag_cycles());
    let leaves = |clock: &Clock| u128::from(clock.span_ps(words).0);
    let edges = match clocks.share(pair[0], pair[1]) {
        true => 0,
        false => clocks.links.synchronizer_edges,
    };
    let waits = |clock: &Clock| match edges {
        0 => 0,
        edges => u128::from(clock.span_ps(edges).1),
    };
    let lags = |from: &Clock, to: &Clock| match lag {
        0 => 0,
        // One cycle of the sender from the last word on, and how much its words may fall behind.
        lag => leaves(from) - u128::from(from.span_ps(1).0) + falls_behind(from, to, lag),
    };
    let crossing = 2 * u128::from(clocks.links.latency_ps);
    let ready = crossing + waits(one) + waits(other) + lags(one, other) + lags(other, one);
    ready <= leaves(one) + leaves(other)
}

/// How much longer, at most, a receiver takes to take up to `words` words than a sender to send them, in ps.
fn falls_behind(from: &Clock, to: &Clock, words: u32) -> u128 {
    let longer = |words| to.span_ps(words).1.saturating_sub(from.span_ps(words).0);
    // Between few words and many it grows or shrinks evenly.
    u128::from(longer(1).max(longer(words)))
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cycles = |cycles: u32| match cycles {
            1 => "1 cycle".to_owned(),
            more => format!("{more} cycles"),
        };
        match *self {
            Exchange::WithinCycles(crossing) => write!(
                f,
                "neighbours exchange packets, as one is seen {} after it was sent and takes no less to leave",
                cycles(crossing)
            ),
            Exchange::WithinClocks => f.write_str(
                "neighbours exchange packets, as one is seen, whatever their clocks do, before the next is decided on",
            ),
            Exchange::AfterCycles(ready) => write!(
                f,
                "a packet may be ready only {} after it was sent, later than the next is decided on, so that stalled \
                 packets make room behind output frames that wait, too",
                cycles(ready)
            ),
            Exchange::AfterClocks => f.write_str(
                "with these clocks a packet may be seen only after the next was decided on, so that stalled packets \
                 make room behind output frames that wait, too",
            ),
            Exchange::Unbounded => f.write_str(
                "nothing bounds how late a packet is seen, so that stalled packets make room behind output frames \
                 that wait, too",
            ),
        }
    }
}
