//! What the protocol says, followed cycle by cycle from the events of a run.

use crate::common::machine::Shown;
use flitwork_config::Resolved;
use flitwork_node::{Event, Place};
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What happened at one end of a link, in cycles.
#[derive(Debug, Default)]
struct End {
    /// Packets decided to leave here.
    decided: Vec<u32>,
    heads: Vec<u32>,
    tails: Vec<u32>,
    /// Credits that left from here.
    freed: Vec<u32>,
    /// The reference cycles of heads and tails, where nodes have clocks of their own.
    sent: Vec<(u32, u32)>,
}

type Ends = BTreeMap<(NodeId, Port), End>;

fn ends(resolved: &Resolved, shown: &Shown) -> Ends {
    let topology = &resolved.network.shape;
    let mut ends = Ends::new();
    for node in (0..topology.nodes()).map(NodeId) {
        for port in topology.links(node).iter() {
            ends.insert((node, port), End::default());
        }
    }
    for (place, (cycle, node, event)) in shown.recorder.events.iter().enumerate() {
        let reference = match shown.recorder.ticks[place] {
            Some((at, local, begins)) if (at, local) == (*node, *cycle) => begins.reference.get(),
            _ => cycle.get(),
        };
        let (Event::Moved {
            to: Place::Output(port),
            ..
        }
        | Event::Head { port, .. }
        | Event::Tail { port, .. }
        | Event::Freed { port }) = event
        else {
            continue;
        };
        // Local ports have no wires.
        let Some(end) = ends.get_mut(&(*node, *port)) else {
            continue;
        };
        let cycle = cycle.get();
        match event {
            Event::Moved { .. } => end.decided.push(cycle),
            Event::Freed { .. } => end.freed.push(cycle),
            Event::Head { .. } => {
                end.heads.push(cycle);
                end.sent.push((reference, u32::MAX));
            }
            _ => {
                end.tails.push(cycle);
                end.sent.last_mut().expect("a tail follows its head").1 = reference;
            }
        }
    }
    // The engine that skips words reports events ahead of their cycles.
    for end in ends.values_mut() {
        end.heads.sort_unstable();
        end.tails.sort_unstable();
        end.freed.sort_unstable();
        end.decided.sort_unstable();
    }
    ends
}

/// The wires: each with its two ends, the one that has the right first before the other.
fn wires(resolved: &Resolved) -> Vec<[(NodeId, Port); 2]> {
    let topology = &resolved.network.shape;
    let mut wires = Vec::new();
    for node in (0..topology.nodes()).map(NodeId) {
        for port in topology.links(node).iter() {
            let far = topology.far(node, port).expect("a link");
            if (node, port) < far {
                wires.push([(node, port), far]);
            }
        }
    }
    wires
}

/// The right to send over each link, moved from end to end.
pub(super) fn check(resolved: &Resolved, shown: &Shown) -> Result<(), TestCaseError> {
    let chaos = resolved.router.get::<ChaosParameters>().expect("Chaos");
    let ends = ends(resolved, shown);
    let latency = resolved.network.link_latency_cycles;
    let hop = latency + resolved.network.duplex.turnaround_cycles();
    let words = u32::from(chaos.packet_words);
    let until_ready = chaos.decision_latency_cycles + chaos.lag_cycles();
    let end = shown.cycle.get();
    for wire in wires(resolved) {
        let both = [&ends[&wire[0]], &ends[&wire[1]]];
        let (mut side, mut now, mut sent) = (0, 0, [0, 0]);
        while now < end {
            let (here, far) = (both[side], both[1 - side]);
            let next: usize = sent[side];
            // The first packet needs no credit; each further one that of the packet before.
            let credit = match next {
                0 => Some(0),
                later => far.freed.get(later - 1).map(|freed| freed + latency),
            };
            let ready = here.decided.get(next).map(|decided| decided + until_ready);
            let goes = ready
                .zip(credit)
                .is_some_and(|(ready, credit)| ready.max(credit) <= now);
            if goes {
                prop_assert_eq!(here.heads.get(next), Some(&now), "{:?} {}", wire, side);
                let last = now + words - 1;
                if last < end {
                    prop_assert_eq!(here.tails.get(next), Some(&last), "{:?} {}", wire, side);
                }
                sent[side] += 1;
                now = last;
            }
            now += hop;
            side = 1 - side;
        }
        for side in [0, 1] {
            let heads = both[side].heads.iter().filter(|head| **head < end).count();
            prop_assert_eq!(heads, sent[side], "{:?} {}", wire, side);
        }
    }
    Ok(())
}

/// Packets on one link, in reference cycles: each begins after the one before has ended and crossed.
pub(super) fn check_apart(resolved: &Resolved, shown: &Shown) -> Result<(), TestCaseError> {
    let ends = ends(resolved, shown);
    let latency = resolved.network.link_latency_cycles;
    for wire in wires(resolved) {
        let mut sent: Vec<(u32, u32, usize)> = Vec::new();
        for (side, end) in wire.iter().enumerate() {
            sent.extend(
                ends[end]
                    .sent
                    .iter()
                    .map(|(head, tail)| (*head, *tail, side)),
            );
        }
        sent.sort_unstable();
        for pair in sent.windows(2) {
            let ((_, tail, before), (head, _, after)) = (pair[0], pair[1]);
            prop_assert!(head >= tail, "{wire:?}: {sent:?}");
            // Times are cut down to whole cycles.
            let crosses = before == after || head + 1 >= tail.saturating_add(latency);
            prop_assert!(crosses, "{wire:?}: {sent:?}");
        }
    }
    Ok(())
}
