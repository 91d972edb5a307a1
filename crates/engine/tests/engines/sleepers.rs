//! A router that sleeps until a cycle of its own choice, while its source has a packet for a later one.

use crate::embedded::starts;
use flitwork_engine::Embedded;
use flitwork_network::Network;
use flitwork_node::{Inputs, Outputs, Probe, Router, Site, Wait, WordRouter};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_types::{Cycle, Due, NodeId, PacketRef, Packets, Port, TerminalId, Word};
use std::collections::VecDeque;

/// Keeps each packet of node 0, of one word, for some cycles, and sends it to node 1, its only neighbour.
struct Keeps {
    cycles: u32,
}

/// Packets, with the cycles in which they leave.
#[derive(Clone, Default)]
struct Kept(VecDeque<(Cycle, PacketRef)>);

/// Where node 0's link to node 1 begins, and the processor of each.
const LINK: Port = Port(0);
const LOCAL: Port = Port(2);

impl Router for Keeps {
    type Node = Kept;

    fn nodes(&self) -> Vec<Kept> {
        vec![Kept::default(); 2]
    }

    fn waits(&self, _: NodeId, _: &Kept, _: &Packets, _: Cycle) -> Vec<Wait> {
        Vec::new()
    }

    fn packet_words(&self) -> Option<u16> {
        Some(1)
    }
}

impl WordRouter for Keeps {
    fn is_idle(&self, state: &Kept) -> bool {
        state.0.is_empty()
    }

    fn next_step(&self, state: &Kept, now: Cycle) -> Due {
        let first = state.0.front();
        Due::from(first.map(|(leaves, _)| *leaves)).not_before(now)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Kept,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        for (port, word) in inputs.arrivals() {
            if port != LOCAL {
                site.delivered(now, word.packet);
            } else {
                site.injected(now, word.packet);
                state.0.push_back((now + self.cycles, word.packet));
                outputs.credit(port, 0);
            }
        }
        if let Some((_, packet)) = state.0.pop_front_if(|(leaves, _)| *leaves <= now) {
            outputs.send(LINK, Word::of(packet, 0, 1));
        }
    }
}

fn network(cycles: u32) -> Network<Grid, Keeps> {
    let topology = Grid::mesh(&[2]).unwrap();
    assert_eq!(topology.local(), LOCAL);
    Network::new(topology, Keeps { cycles }, 1)
}

/// A packet that is made at 0 leaves at 100; the node must also be woken for the one that is made at 150.
#[test]
fn a_source_is_not_forgotten_for_the_routers_own_cycle() {
    let run = |mut network: Embedded<Digest>| {
        for cycle in [0, 150, 151, 400] {
            network
                .inject_at(Cycle(cycle), TerminalId(0), TerminalId(1), 1)
                .unwrap();
        }
        network.advance(Cycle(1000));
        let arrived: Vec<u32> = network.deliveries().map(|it| it.delivered.get()).collect();
        (arrived, network.into_probe())
    };
    let plain = run(starts::plain(network(100), Digest::default(), 1));
    // It leaves after it has been kept, and takes a cycle over the link.
    assert_eq!(plain.0, [101, 251, 252, 501]);
    assert_eq!(run(starts::stepped(network(100), Digest::default())), plain);
}

/// A packet that is made at 0 leaves at 100, although the source is told at 50 of one for 150.
#[test]
fn the_routers_own_cycle_is_not_forgotten_for_a_source() {
    let run = |mut network: Embedded<Digest>| {
        for (told, cycle) in [(0, 0), (50, 150)] {
            network.advance(Cycle(told));
            network
                .inject_at(Cycle(cycle), TerminalId(0), TerminalId(1), 1)
                .unwrap();
        }
        network.advance(Cycle(1000));
        let arrived: Vec<u32> = network.deliveries().map(|it| it.delivered.get()).collect();
        (arrived, network.into_probe())
    };
    let plain = run(starts::plain(network(100), Digest::default(), 1));
    assert_eq!(plain.0, [101, 251]);
    assert_eq!(run(starts::stepped(network(100), Digest::default())), plain);
}
