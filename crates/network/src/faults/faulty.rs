//! A router whose links may fail.

use super::{Faults, InFlight};
use flitwork_node::{
    Datapath, Event, Explanation, Inputs, Outputs, Probe, Router, Site, View, Wait, Witness,
    WordRouter, forward_probe,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, Loss, MAX_PORTS, NodeId, Packet, Packets, Port, PortSet, Word};
use std::collections::VecDeque;
use std::sync::Arc;

/// A router, built for each epoch of a network's links, between whose outputs and the links words are lost.
///
/// ```text
///                ┌──────────────────────┐  words   ┌──────┐
///   words ─────▶ │ the router that the  │ ───────▶ │ lost │ ──▶ link
///   credits ─┬─▶ │ epoch's links give   │          └──┬───┘
///            │   └──────────────────────┘             │
///            └──────────── credits of lost words ◀────┘
/// ```
pub struct Faulty<R> {
    faults: Arc<Faults>,
    /// By epoch.
    routers: Vec<R>,
}

/// A node of it.
#[derive(Clone, Debug)]
pub struct FaultyNode<N> {
    node: N,
    /// The epoch for whose links its packets have been routed.
    epoch: usize,
    /// The virtual channels of links whose worm is being lost.
    losing: Vec<(Port, u8)>,
    /// Credits of lost words.
    owed: VecDeque<(Port, u8)>,
}

impl<R: WordRouter> Faulty<R> {
    /// Routers built for the [epochs](Faults::epochs), in their order.
    ///
    /// # Panics
    /// If there aren't as many, or they don't [take faults](Router::takes_faults).
    pub fn new(faults: Arc<Faults>, routers: Vec<R>) -> Faulty<R> {
        assert_eq!(
            routers.len(),
            faults.epochs.len(),
            "a router for each epoch"
        );
        assert!(routers[0].takes_faults(), "the router takes no faults");
        Faulty { faults, routers }
    }

    /// The router of the links for which a node's packets have been routed.
    #[inline]
    fn router(&self, state: &FaultyNode<R::Node>) -> &R {
        &self.routers[state.epoch]
    }

    /// The first cycle in which a node's packets are to be routed for other links.
    #[inline]
    fn changes(&self, state: &FaultyNode<R::Node>) -> Due {
        self.faults.epochs[state.epoch].until
    }

    /// Routes a node's packets for the links of the cycle's epoch.
    fn enter_epoch<P: Probe>(
        &self,
        state: &mut FaultyNode<R::Node>,
        now: Cycle,
        site: &mut Site<'_, P>,
    ) {
        if self.changes(state) <= now {
            state.epoch = self.faults.epoch(now);
            self.router(state).reroute(&mut state.node, now, site);
        }
    }

    /// The step of a node, which gets the credits of lost words with those that come in.
    fn step_router<P: Probe>(
        &self,
        state: &mut FaultyNode<R::Node>,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        if state.owed.is_empty() {
            let router = &self.routers[state.epoch];
            return router.step(&mut state.node, now, inputs, outputs, site);
        }
        let mut credits = inputs.credits;
        let mut credit_channels = [0; MAX_PORTS];
        credit_channels[..inputs.credit_channels.len()].copy_from_slice(inputs.credit_channels);
        state.owed.retain(|(port, channel)| {
            let waits = credits.contains(*port);
            if !waits {
                credits.insert(*port);
                credit_channels[port.index()] = *channel;
            }
            waits
        });
        let inputs = Inputs {
            credits,
            credit_channels: &credit_channels,
            ..*inputs
        };
        let router = &self.routers[state.epoch];
        router.step(&mut state.node, now, &inputs, outputs, site);
    }

    /// Takes words off links that have failed.
    fn lose<P: Probe>(
        &self,
        state: &mut FaultyNode<R::Node>,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let outages = self.faults.outages[site.node.index()].iter();
        let (mut failed, mut cutting) = (PortSet::EMPTY, PortSet::EMPTY);
        for outage in outages.filter(|outage| outage.during.has(now)) {
            failed.insert(outage.port);
            if outage.in_flight == InFlight::Lost {
                cutting.insert(outage.port);
            }
        }
        if failed.is_empty() && state.losing.is_empty() {
            return;
        }
        for port in outputs.sent.iter() {
            let word = outputs.words[port.index()];
            let lane = (port, word.channel);
            if failed.contains(port) && word.flit.is_head() {
                state.losing.push(lane);
                // Even if it has been cut behind its head: that isn't known here on every engine.
                site.packets[word.packet].loss = Some(Loss::FailedLink);
            }
            if state.losing.contains(&lane) {
                outputs.sent.remove(port);
                self.lose_word(state, now, (port, word), site);
            } else if cutting.contains(port) {
                let packet = &mut site.packets[word.packet];
                packet.loss = packet.loss.or(Some(Loss::Cut));
            }
        }
    }

    /// A word is lost, and its packet with its last.
    fn lose_word<P: Probe>(
        &self,
        state: &mut FaultyNode<R::Node>,
        now: Cycle,
        (port, word): (Port, Word),
        site: &mut Site<'_, P>,
    ) {
        if let Some(credit) = self.router(state).answer(word) {
            state.owed.push_back((port, credit));
        }
        if word.flit.is_tail() {
            state.losing.retain(|lane| *lane != (port, word.channel));
            let packet = site.packets.remove(word.packet);
            site.probe
                .event(site.node, now, Event::Lost { packet, port });
        }
    }
}

impl<R: WordRouter> Router for Faulty<R> {
    type Node = FaultyNode<R::Node>;

    fn nodes(&self) -> Vec<Self::Node> {
        let nodes = self.routers[0].nodes().into_iter();
        let faulty = nodes.map(|node| FaultyNode {
            node,
            epoch: 0,
            losing: Vec::new(),
            owed: VecDeque::new(),
        });
        faulty.collect()
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.router(state).waits(node, &state.node, packets, now)
    }

    fn heap_bytes(&self, state: &Self::Node) -> usize {
        let own = size_of_val(&*state.losing) + state.owed.len() * size_of::<(Port, u8)>();
        own + self.router(state).heap_bytes(&state.node)
    }

    fn packet_words(&self) -> Option<u16> {
        self.routers[0].packet_words()
    }

    fn longest_packet_words(&self) -> u16 {
        self.routers[0].longest_packet_words()
    }

    fn channels(&self) -> u8 {
        self.routers[0].channels()
    }

    fn credit_words(&self) -> Option<u32> {
        self.routers[0].credit_words()
    }

    fn returned(&self, credit: u8) -> [(u8, u8); 2] {
        self.routers[0].returned(credit)
    }

    fn datapath(&self) -> Option<Datapath> {
        self.routers[0].datapath()
    }
}

impl<R: WordRouter> WordRouter for Faulty<R> {
    fn is_idle(&self, state: &Self::Node) -> bool {
        state.owed.is_empty() && self.router(state).is_idle(&state.node)
    }

    fn is_settled(&self, state: &Self::Node) -> bool {
        state.owed.is_empty() && self.router(state).is_settled(&state.node)
    }

    fn next_step(&self, state: &Self::Node, now: Cycle) -> Due {
        self.next_step_over(state, now, PortSet(u64::MAX))
    }

    /// While it holds packets, they may be routed anew when the links change.
    fn next_step_over(&self, state: &Self::Node, now: Cycle, sendable: PortSet) -> Due {
        if !state.owed.is_empty() {
            return now.into();
        }
        let router = self.router(state);
        let next = match sendable.0 {
            u64::MAX => router.next_step(&state.node, now),
            _ => router.next_step_over(&state.node, now, sendable),
        };
        match router.is_idle(&state.node) {
            true => next,
            false => next.min(self.changes(state).not_before(now)),
        }
    }

    /// A node that waits may go on when the links change.
    fn patience_cycles(&self) -> u32 {
        let last = self.faults.epochs.last();
        let changes = last.map_or(0, |epoch| epoch.since.get());
        self.routers[0].patience_cycles().saturating_add(changes)
    }

    fn look(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> View {
        self.router(state).look(node, &state.node, packets, now)
    }

    fn explain(
        &self,
        node: NodeId,
        state: &Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        let (mut state, mut packets) = (state.clone(), packets.clone());
        self.enter_epoch(&mut state, now, &mut Site::new(node, &mut packets, &mut ()));
        let router = self.router(&state);
        router.explain(node, &state.node, now, inputs, &packets)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        self.enter_epoch(state, now, site);
        let mut arrivals = Arrivals {
            probe: site.probe,
            faults: &self.faults,
            epoch: state.epoch,
        };
        let mut inner = Site::new(site.node, site.packets, &mut arrivals);
        self.step_router(state, now, inputs, outputs, &mut inner);
        self.lose(state, now, outputs, site);
    }
}

/// Tells packets that are delivered from those that are only taken off the network.
struct Arrivals<'a, P> {
    probe: &'a mut P,
    faults: &'a Faults,
    epoch: usize,
}

impl<P: Probe> Arrivals<'_, P> {
    /// Why a packet that leaves the network at a node in a cycle hasn't arrived there.
    fn loss(&self, packet: &Packet, node: NodeId, cycle: Cycle) -> Option<Loss> {
        let home = self.faults.epochs[self.epoch]
            .shape
            .home(packet.destination);
        let here = match home == node {
            false => Some(Loss::NoPath),
            true => self
                .faults
                .is_down(node, cycle)
                .then_some(Loss::FailedRouter),
        };
        packet.loss.or(here)
    }
}

impl<P: Probe> Probe for Arrivals<'_, P> {
    forward_probe!(self, (self.probe): wants, word, buffered, tick, sampled, stepped, clocks, left_over);
    forward_probe!(self, (self.probe): take_back, intervene, details);

    #[inline(always)]
    fn witness(&mut self) -> Option<&mut Witness> {
        self.probe.witness()
    }

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        if let Event::Delivered { mut packet } = event {
            packet.loss = self.loss(&packet, node, cycle);
            if packet.loss.is_some() {
                let shape = &self.faults.epochs[self.epoch].shape;
                let port = shape.local_of(packet.destination);
                return self.probe.event(node, cycle, Event::Lost { packet, port });
            }
        }
        self.probe.event(node, cycle, event);
    }
}
