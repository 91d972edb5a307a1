//! The context of a step, and what every router reports in the same way.

use crate::{Detail, Event, Instant, Place, Probe, Reported, Witness};
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port, Word};

/// The context of a step: the node, the packets of its network, and what observes them.
pub struct Site<'a, P> {
    /// The node.
    pub node: NodeId,
    /// The packets in the network.
    pub packets: &'a mut Packets,
    /// Observes what happens.
    pub probe: &'a mut P,
}

impl<'a, P> Site<'a, P> {
    /// At a node of a network with these packets.
    #[inline(always)]
    pub fn new(node: NodeId, packets: &'a mut Packets, probe: &'a mut P) -> Site<'a, P> {
        Site {
            node,
            packets,
            probe,
        }
    }
}

impl<P: Probe> Site<'_, P> {
    /// Tells the step's witness, if it has one.
    #[inline(always)]
    pub fn witness(&mut self, tell: impl FnOnce(&mut Witness, &Packets)) {
        if let Some(witness) = self.probe.witness() {
            tell(witness, self.packets);
        }
    }

    /// Whether the step has a witness.
    #[inline(always)]
    pub fn is_witnessed(&mut self) -> bool {
        self.probe.witness().is_some()
    }

    /// A packet's head has arrived from the source.
    #[inline]
    pub fn injected(&mut self, now: Cycle, packet: PacketRef) {
        let packet = self.packets[packet];
        self.probe.event(self.node, now, Event::Injected { packet });
    }

    /// It is decided that a packet's head goes over the link at a port: an adversary may redirect the packet, and its hop
    /// counts.
    #[inline(always)]
    pub fn hops(&mut self, now: Cycle, packet: PacketRef, port: Port, deroute: bool) {
        let leaves = (packet, port);
        self.probe
            .intervene(self.packets, self.node, now, leaves, Instant::Decision);
        let packet = &mut self.packets[packet];
        packet.hops = packet.hops.saturating_add(1);
        packet.deroutes = packet.deroutes.saturating_add(deroute.into());
    }

    /// It is decided that a packet, or a part that is routed separately, moves inside the node.
    #[inline(always)]
    pub fn moved(
        &mut self,
        now: Cycle,
        packet: PacketRef,
        (from, to): (Place, Place),
        deroute: bool,
    ) {
        let moved = Event::Moved {
            packet: self.packets[packet].id,
            from,
            to,
            deroute,
        };
        self.probe.event(self.node, now, moved);
    }

    /// A word of a packet moves from one buffer of the node to another, which only a probe of details observes.
    #[inline(always)]
    pub fn shifted(
        &mut self,
        now: Cycle,
        packet: PacketRef,
        index: u16,
        (from, to): (Place, Place),
    ) {
        if self.probe.wants(Reported::Details) {
            let packet = self.packets[packet].id;
            let shifted = Detail::Shifted {
                packet,
                index,
                from,
                to,
            };
            self.probe.detail(self.node, now, shifted);
        }
    }

    /// A word of a worm of so many words leaves at a port in cycle `leaves`.
    #[inline(always)]
    pub fn departs(&mut self, leaves: Cycle, port: Port, word: Word, worm_words: u16) {
        let packet = self.packets[word.packet].id;
        if word.flit.is_head() {
            let head = Event::Head { packet, port };
            self.probe.event(self.node, leaves, head);
        }
        if self.probe.wants(Reported::Words) {
            self.probe.word(self.node, leaves, port, packet, word);
        }
        if word.flit.is_tail() {
            let tail = Event::Tail {
                packet,
                port,
                words: worm_words,
            };
            self.probe.event(self.node, leaves, tail);
        }
    }

    /// A packet is out of the network from cycle `at` on, and is removed.
    #[inline]
    pub fn delivered(&mut self, at: Cycle, packet: PacketRef) {
        let packet = self.packets.remove(packet);
        self.probe.event(self.node, at, Event::Delivered { packet });
    }
}
