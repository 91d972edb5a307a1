//! The plain synchronous engine: the reference.
//!
//! In each cycle it steps every node, in a freshly shuffled order, and moves every word and credit over every
//! link. What a node sends in a cycle is on its neighbour's wires one link latency later. Over a half-duplex link the
//! right to send goes likewise, cycle by cycle, even while nothing is sent.

mod run;

use crate::calls::Calls;
use crate::delivered::Deliveries;
use crate::order::scattered;
use crate::sources::Sources;
use crate::{Control, Ended, Progress};
use flitwork_network::{Demand, Network, WireEnds};
use flitwork_node::{Inputs, Outputs, Probe, Site, WordRouter, step_in_detail};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packets, Port, PortSet, Word};
use std::sync::Arc;

/// A run of a network, cycle by cycle.
pub struct Plain<T, R: WordRouter, P> {
    network: Arc<Network<T, R>>,
    /// The first cycle that has not been simulated, and the cycle before which nothing else happens.
    now: Cycle,
    stands_at: Cycle,
    nodes: Vec<R::Node>,
    packets: Packets,
    probe: P,
    sources: Sources,
    under_way: UnderWay,
    /// Each node's ends of half-duplex links; none if links are full duplex.
    wire_ends: Vec<WireEnds>,
    deliveries: Deliveries,
    steps: u64,
    /// What the node being stepped sends, by port.
    outbox: Vec<Word>,
    outbox_channels: Vec<u8>,
    /// Keys the order in which nodes are visited.
    shuffle: u64,
}

/// Words and credits under way, by the cycle and the node of their arrival.
#[derive(Clone)]
struct UnderWay {
    /// Ports of a node, the local one among them.
    ports: usize,
    arrived: Vec<Vec<PortSet>>,
    words: Vec<Vec<Word>>,
    credits: Vec<Vec<PortSet>>,
    credit_channels: Vec<Vec<u8>>,
    /// Ports of half-duplex links at which the right to send arrives without a word.
    rights: Vec<Vec<PortSet>>,
}

impl UnderWay {
    fn new(nodes: u32, ports: usize, longest_cycles: u32) -> UnderWay {
        let (nodes, slots) = (nodes as usize, longest_cycles as usize + 1);
        UnderWay {
            ports,
            arrived: vec![vec![PortSet::EMPTY; nodes]; slots],
            words: vec![vec![Word::BLANK; nodes * ports]; slots],
            credits: vec![vec![PortSet::EMPTY; nodes]; slots],
            credit_channels: vec![vec![0; nodes * ports]; slots],
            rights: vec![vec![PortSet::EMPTY; nodes]; slots],
        }
    }

    fn slot(&self, cycle: Cycle) -> usize {
        cycle.0 as usize % self.words.len()
    }

    fn bytes(&self) -> usize {
        let slot = |slot: usize| {
            size_of_val(&*self.arrived[slot])
                + size_of_val(&*self.words[slot])
                + size_of_val(&*self.credits[slot])
                + size_of_val(&*self.credit_channels[slot])
                + size_of_val(&*self.rights[slot])
        };
        (0..self.words.len()).map(slot).sum()
    }

    /// Whether no word and no credit is under way; the right to send over an idle link always is.
    fn are_empty(&self) -> bool {
        let all = self.arrived.iter().chain(&self.credits);
        all.flatten().all(|ports| ports.is_empty())
    }
}

impl<T: Topology, R: WordRouter, P: Probe> Plain<T, R, P> {
    /// A run that has not begun. `shuffle` keys the order in which nodes are visited, which must not
    /// matter.
    pub fn new(
        network: impl Into<Arc<Network<T, R>>>,
        demand: Demand,
        probe: P,
        shuffle: u64,
    ) -> Plain<T, R, P> {
        let network = network.into();
        let topology = &network.topology;
        let count = topology.nodes();
        Plain {
            nodes: network.router.nodes(),
            packets: Packets::new(),
            probe,
            under_way: UnderWay::new(count, network.all_ports(), network.longest_link_cycles()),
            wire_ends: network.wire_ends(),
            deliveries: Deliveries::new(demand.workload.as_ref()),
            sources: Sources::new(demand, &network),
            steps: 0,
            outbox: vec![Word::BLANK; network.all_ports()],
            outbox_channels: vec![0; network.all_ports()],
            shuffle,
            now: Cycle::ZERO,
            stands_at: Cycle::ZERO,
            network,
        }
    }

    /// Goes on to where the run stands, without any packet: over idle half-duplex links the right to send alternates.
    fn catch_up(&mut self) {
        while !self.wire_ends.is_empty() && self.now < self.stands_at {
            self.cycle(self.now);
            self.now += 1;
        }
        self.now = self.now.max(self.stands_at);
    }

    /// Runs the cycles before `until`, and says why it stopped.
    fn cycles(&mut self, until: Cycle, control: Control<'_>) -> Ended {
        let mut calls = Calls::default();
        loop {
            if self.now >= until {
                return Ended::Deadline;
            }
            self.sources.demand.review_if_due(self.now);
            if self.is_empty(self.now) {
                return Ended::Empty;
            }
            if calls.are_due(self.steps)
                && control(Progress::at(self.now, self.packets.len())).is_break()
            {
                return Ended::Interrupted;
            }
            self.cycle(self.now);
            self.now += 1;
        }
    }

    /// Whether nothing is left to happen: no packet in the network or to come, no credit under way.
    fn is_empty(&self, now: Cycle) -> bool {
        self.packets.is_empty()
            && self.sources.are_done(now)
            && self
                .nodes
                .iter()
                .all(|state| self.network.router.is_idle(state))
            && self.under_way.are_empty()
    }

    /// One cycle of every node.
    fn cycle(&mut self, now: Cycle) {
        for node in scattered(self.nodes.len(), self.shuffle, now.get().into()) {
            self.step(NodeId(node as u32), now);
        }
    }

    fn step(&mut self, node: NodeId, now: Cycle) {
        self.steps += 1;
        self.step_sources(node, now);
        let ports = self.under_way.ports;
        let slot = self.under_way.slot(now);
        let is_half_duplex = !self.wire_ends.is_empty();
        let sendable = match is_half_duplex {
            true => self.take_rights(node, now, slot),
            false => PortSet(u64::MAX),
        };
        let at = node.index() * ports..(node.index() + 1) * ports;
        let mut outputs = Outputs::new(&mut self.outbox, &mut self.outbox_channels);
        let inputs = Inputs {
            arrived: self.under_way.arrived[slot][node.index()],
            words: &self.under_way.words[slot][at.clone()],
            credits: self.under_way.credits[slot][node.index()],
            credit_channels: &self.under_way.credit_channels[slot][at.clone()],
            sendable,
        };
        let mut probe = (&mut self.deliveries, &mut self.probe);
        let mut site = Site::new(node, &mut self.packets, &mut probe);
        let state = &mut self.nodes[node.index()];
        let router = &self.network.router;
        step_in_detail(router, state, now, &inputs, &mut outputs, &mut site);
        let (sent, credits) = (outputs.sent, outputs.credits);
        self.under_way.arrived[slot][node.index()] = PortSet::EMPTY;
        self.under_way.credits[slot][node.index()] = PortSet::EMPTY;
        self.carry(node, now, sent, credits);
        if is_half_duplex {
            self.pass_rights(node, now, sent);
        }
        self.sources.report(&mut self.deliveries, |_| ());
    }

    /// Puts the sources' words on the wires of the local ports.
    #[inline]
    fn step_sources(&mut self, node: NodeId, now: Cycle) {
        let topology = &self.network.topology;
        for local in 0..topology.locals() {
            let terminal = topology.source(node, local);
            let Some(terminal) = terminal else { continue };
            if let Some(word) = self.sources.step(terminal, now, &mut self.packets) {
                let slot = self.under_way.slot(now);
                let port = Port((topology.ports() + local) as u8);
                let first = node.index() * self.under_way.ports;
                self.under_way.words[slot][first + port.index()] = word;
                self.under_way.arrived[slot][node.index()].insert(port);
            }
        }
    }

    /// Takes the rights to send that arrive at a node, each alone or with a last word; returns the ports over which it
    /// may send.
    #[cold]
    #[inline(never)]
    fn take_rights(&mut self, node: NodeId, now: Cycle, slot: usize) -> PortSet {
        let ends = &mut self.wire_ends[node.index()];
        let topology = &self.network.topology;
        let words = &self.under_way.words[slot][node.index() * self.under_way.ports..];
        let arrived = self.under_way.arrived[slot][node.index()].iter();
        for port in arrived.filter(|port| !topology.is_local(*port)) {
            if words[port.index()].flit.is_tail() {
                ends.receive(port, now);
            }
        }
        for port in std::mem::take(&mut self.under_way.rights[slot][node.index()]).iter() {
            ends.receive(port, now);
        }
        ends.sendable(now)
    }

    /// Passes on the rights to send that a node has not used.
    #[cold]
    #[inline(never)]
    fn pass_rights(&mut self, node: NodeId, now: Cycle, sent: PortSet) {
        let ends = &mut self.wire_ends[node.index()];
        for port in ends.pass(now, sent, &self.outbox).iter() {
            let slot = self
                .under_way
                .slot(now + self.network.link_cycles(node, port));
            let far = self.network.topology.far(node, port);
            let (far, port) = far.expect("a right is at a link");
            self.under_way.rights[slot][far.index()].insert(port);
        }
    }

    /// Puts what a node has sent on the wires of its neighbours.
    #[inline]
    fn carry(&mut self, node: NodeId, now: Cycle, sent: PortSet, credits: PortSet) {
        let topology = &self.network.topology;
        let usual = self.under_way.slot(now + self.network.link_latency_cycles);
        let slots = self.under_way.words.len();
        let arrival = |port: Port| match topology.link_cycles(node, port) {
            None => usual,
            Some(cycles) => (now + cycles).0 as usize % slots,
        };
        let far_end = |port: Port| {
            let far = topology.far(node, port);
            far.unwrap_or_else(|| panic!("node {node} sent over a missing link {port:?}"))
        };
        for port in sent.iter() {
            // What leaves through a local port goes to the processor.
            if !topology.is_local(port) {
                let word = self.outbox[port.index()];
                let slot = arrival(port);
                let (far, port) = far_end(port);
                self.under_way.words[slot][far.index() * self.under_way.ports + port.index()] =
                    word;
                self.under_way.arrived[slot][far.index()].insert(port);
            }
        }
        for port in credits.iter() {
            if topology.is_local(port) {
                let terminal = topology.source_at(node, port);
                let terminal = terminal.expect("what frees an injection frame has a terminal");
                self.sources.free(terminal, now + 1);
            } else {
                let channel = self.outbox_channels[port.index()];
                let slot = arrival(port);
                let (far, port) = far_end(port);
                self.under_way.credits[slot][far.index()].insert(port);
                self.under_way.credit_channels[slot]
                    [far.index() * self.under_way.ports + port.index()] = channel;
            }
        }
    }
}
