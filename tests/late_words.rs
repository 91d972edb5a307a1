//! Words that come late because their sender's clock is slower: when they leave a Chaos node, and when the credit of
//! the frame that they came into does.

use crate::clocked::steady;
use crate::common::machine::{Shown, chaos, run_clocked};
use flitwork_config::Resolved;
use flitwork_engine::Ended;
use flitwork_network::{Clocks, LinkTiming};
use flitwork_node::Event;
use flitwork_router::chaos::{ChaosParameters, Delivery};
use flitwork_topology::Grid;
use flitwork_traffic::{OnceParameters, PermutationParameters};
use flitwork_types::{Cycle, NodeId, TerminalId};

/// A packet of ten words from the first node of a line to the last. The first node ticks every `slower` * 1,000 ps from
/// 0 on, the others every 1,000 ps; a link takes 1,000 ps, and nothing is synchronized.
fn lone(nodes: u32, parameters: ChaosParameters, slower: u64) -> Shown {
    let mut resolved: Resolved = chaos(Grid::mesh(&[nodes]).unwrap(), parameters, 0.0, 1000, 1);
    resolved.traffic.process = OnceParameters { packets: 1 }.into();
    let pairs = vec![(TerminalId(0), TerminalId(nodes - 1))];
    resolved.traffic.pattern = PermutationParameters::listed(pairs).into();
    let domain_of = (0..nodes).map(|node| node.min(1)).collect();
    let clocks = Clocks {
        nominal_ps: 1000,
        domains: vec![steady(1000 * slower, 0), steady(1000, 0)],
        domain_of,
        links: LinkTiming::wires(1000, 100, 0),
        seed: 1,
    };
    let shown = run_clocked(&resolved, &clocks, 1);
    assert_eq!(shown.ended, Ended::Empty);
    shown
}

/// The local cycles of a node in which words leave over a link or for the processor.
fn departures(shown: &Shown, node: NodeId) -> Vec<u32> {
    let words = shown.recorder.words.iter();
    let words = words.filter(|(_, at, ..)| *at == node);
    words.map(|(cycle, ..)| cycle.get()).collect()
}

/// The local cycles of node 1 in which the words from node 0 arrive: what leaves at tick k of a clock of s * 1,000 ps is
/// there at (s k + 1) * 1,000 ps, a tick of node 1.
fn arrivals(shown: &Shown, slower: u64) -> Vec<u32> {
    let sent = departures(shown, NodeId(0));
    assert!(
        sent.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "{sent:?}"
    );
    sent.iter().map(|tick| tick * slower as u32 + 1).collect()
}

/// A chinn-1995 router on a line whose decisions take `latency` cycles.
fn deciding_in(latency: u32) -> ChaosParameters {
    let mut parameters = ChaosParameters::chinn_1995(2);
    parameters.decision_latency_cycles = latency;
    parameters.input_release_cycles = parameters.least_release_cycles() + 1;
    parameters
}

/// The head waits for the decision: decided on at its arrival, it leaves D cycles later. A word behind it moves into the
/// output frame in the cycle in which it arrives and leaves in the next, unless words ahead of it still wait: one leaves per
/// cycle. The last node hands words to the processor by the same rule.
#[test]
fn a_late_word_leaves_the_cycle_after_it_arrives() {
    for latency in [1, 2, 3, 7, 20] {
        for slower in [1, 2, 3, 5] {
            let shown = lone(3, deciding_in(latency), slower);
            let mut came = arrivals(&shown, slower);
            for node in [NodeId(1), NodeId(2)] {
                let mut expected = vec![came[0] + latency];
                for arrival in &came[1..] {
                    let behind = expected[expected.len() - 1] + 1;
                    expected.push(behind.max(arrival + 1));
                }
                let left = departures(&shown, node);
                assert_eq!(
                    left, expected,
                    "{node:?}, D = {latency}, {slower} times slower"
                );
                came = left.iter().map(|cycle| cycle + 1).collect();
            }
        }
    }
}

/// Through the multiqueue it takes a cycle more: a word is in the multiqueue in the cycle in which it arrives, in the
/// output frame in the next, and leaves in the one after. Without bypass and with a threshold of 0 the head is decided on at
/// its arrival, is in the multiqueue D cycles later, is decided on again, and leaves after another D.
#[test]
fn through_the_multiqueue_a_late_word_takes_two_cycles() {
    for latency in [1, 3, 7] {
        for slower in [1, 2, 3, 5] {
            let mut parameters = deciding_in(latency);
            parameters.bypass = false;
            parameters.stall_threshold_cycles = 0;
            let shown = lone(3, parameters, slower);
            let came = arrivals(&shown, slower);
            let mut expected = vec![came[0] + 2 * latency];
            for arrival in &came[1..] {
                let behind = expected[expected.len() - 1] + 1;
                expected.push(behind.max(arrival + 2));
            }
            let left = departures(&shown, NodeId(1));
            assert_eq!(left, expected, "D = {latency}, {slower} times slower");
        }
    }
}

/// The only cycle of node 1 with such an event.
fn cycle_of(shown: &Shown, which: fn(&Event) -> bool) -> u32 {
    let events = shown.recorder.events.iter();
    let found = events.filter(|(_, node, event)| *node == NodeId(1) && which(event));
    let found: Vec<Cycle> = found.map(|(cycle, ..)| *cycle).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].get()
}

fn freed(shown: &Shown) -> u32 {
    cycle_of(shown, |event| matches!(event, Event::Freed { .. }))
}

fn delivered(shown: &Shown) -> u32 {
    cycle_of(shown, |event| matches!(event, Event::Delivered { .. }))
}

/// The head arrives at a and the last word at z. The last word leaves the input frame in cycle e = max(z, a + D + L - 2),
/// and the credit R - (D + L - 1) cycles after that, wherever the packet goes; from the delivery frame the last word leaves
/// at e + 1, and the packet is delivered at the end of that cycle. A packet that vanishes is delivered at a, and its credit
/// leaves at z + R - L. If words follow each other, z = a + L - 1, and all these credits leave at a + R - 1.
#[test]
fn a_late_tail_delays_the_credit() {
    const L: u32 = 10;
    for latency in [1, 3, 7] {
        for (slower, more) in [(1, 0), (1, 4), (2, 0), (3, 1), (5, 4)] {
            let mut framed = deciding_in(latency);
            let least = framed.least_release_cycles();
            assert_eq!(least, latency + L - 1);
            let release = least + more;
            framed.input_release_cycles = release;
            let mut queueing = framed.clone();
            queueing.bypass = false;
            queueing.stall_threshold_cycles = 0;
            let mut vanishing = framed.clone();
            vanishing.delivery = Delivery::Vanish;
            let arrives = lone(2, framed.clone(), slower);
            let came = arrivals(&arrives, slower);
            let (head, tail) = (came[0], came[9]);
            let emptied = tail.max(head + latency + L - 2);
            let credit = emptied + release - least;
            let context = format!("D = {latency}, R = {release}, {slower} times slower");
            assert_eq!(freed(&arrives), credit, "{context}");
            assert_eq!(delivered(&arrives), emptied + 2, "{context}");
            for passes in [framed, queueing] {
                assert_eq!(freed(&lone(3, passes, slower)), credit, "{context}");
            }
            let vanishes = lone(2, vanishing, slower);
            assert_eq!(freed(&vanishes), tail + release - L, "{context}");
            assert_eq!(delivered(&vanishes), head, "{context}");
            if slower == 1 {
                assert_eq!([credit, freed(&vanishes)], [head + release - 1; 2]);
            }
        }
    }
}
