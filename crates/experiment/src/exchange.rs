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
//! - With a clock per node, times are compared in ps. A packet not yet seen at a tick left less than the link's
//!   latency plus the synchronizer's edges earlier. `length + reopen` is then the shortest time of that many ticks of
//!   the sender; and because at most one word arrives per tick, the last word of a packet may lag its first by as much
//!   as a slow receiver takes longer than a fast sender.

use flitwork_config::{EngineChoice, Resolved};
use flitwork_network::{Clock, Clocks};
use flitwork_router::exchange::{Crossing, Exchange, Leaving};
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// A configuration's network, on its engine.
pub(crate) struct Configured<'a>(pub(crate) &'a Resolved);

impl Crossing for Configured<'_> {
    fn exchange(&self, leaving: Leaving) -> Exchange {
        let resolved = self.0;
        let latency = resolved.network.longest_link_cycles();
        match resolved.run.engine {
            EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain => {
                of_cycles(leaving, latency)
            }
            EngineChoice::Clocked => {
                of_clocks(leaving, &resolved.network.shape, &resolved.clocks())
            }
            EngineChoice::Live => match resolved.live.slack.0 {
                None => Exchange::Unbounded,
                Some(0) => of_cycles(leaving, latency),
                Some(slack) => {
                    let early = latency.saturating_sub(slack);
                    of_cycles(leaving, early.max(slack.saturating_add(1)))
                }
            },
        }
    }
}

fn of_cycles(leaving: Leaving, crossing_cycles: u32) -> Exchange {
    let ready = crossing_cycles.saturating_add(leaving.lag_cycles);
    match ready <= leaving.cycles() {
        true => Exchange::WithinCycles(crossing_cycles),
        false => Exchange::AfterCycles(ready),
    }
}

/// The exchange in a network whose nodes have these clocks.
pub(crate) fn of_clocks<T: Topology>(leaving: Leaving, topology: &T, clocks: &Clocks) -> Exchange {
    let domain = |node: NodeId| clocks.domain_of[node.index()];
    let exchanges = |node: NodeId| {
        topology.links(node).iter().all(|port| {
            let Some(far) = topology.neighbour(node, port) else {
                return true;
            };
            let latency_ps = match topology.link_cycles(node, port) {
                Some(cycles) => u64::from(cycles) * clocks.nominal_ps,
                None => clocks.links.latency_ps,
            };
            domains_exchange(leaving, clocks, [domain(node), domain(far)], latency_ps)
        })
    };
    match (0..topology.nodes()).map(NodeId).all(exchanges) {
        true => Exchange::WithinClocks,
        false => Exchange::AfterClocks,
    }
}

/// The same between a node of each of two clock domains, over a link of a latency.
fn domains_exchange(leaving: Leaving, clocks: &Clocks, pair: [u32; 2], latency_ps: u64) -> bool {
    let [one, other] = pair.map(|domain| &clocks.domains[domain as usize]);
    let leaves = |clock: &Clock| u128::from(clock.span_ps(leaving.words.into()).0);
    let decides = |clock: &Clock| u128::from(clock.span_ps(leaving.cycles()).0);
    let edges = match clocks.share(pair[0], pair[1]) {
        true => 0,
        false => clocks.links.synchronizer_edges,
    };
    let waits = |clock: &Clock| match edges {
        0 => 0,
        edges => u128::from(clock.span_ps(edges).1),
    };
    let lags = |from: &Clock, to: &Clock| match leaving.lag_cycles {
        0 => 0,
        // One cycle of the sender after the last word, and how far its words may fall behind.
        lag => leaves(from) - u128::from(from.span_ps(1).0) + falls_behind(from, to, lag),
    };
    let crossing = 2 * u128::from(latency_ps);
    let ready = crossing + waits(one) + waits(other) + lags(one, other) + lags(other, one);
    ready <= decides(one) + decides(other)
}

/// How much longer, at most, a receiver takes to take up to `words` words than a sender to send them, in ps.
fn falls_behind(from: &Clock, to: &Clock, words: u32) -> u128 {
    let longer = |words| to.span_ps(words).1.saturating_sub(from.span_ps(words).0);
    // It is linear in the number of words, so its maximum is at one end.
    u128::from(longer(1).max(longer(words)))
}
