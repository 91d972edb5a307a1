//! What an engine observes of a step: whether a decision was made in it.

use flitwork_node::{Event, Probe};
use flitwork_types::{Cycle, NodeId, PacketId, PacketRef, Packets, Port, Word};

/// Passes on a step's events, and notes whether one of them is a decision.
pub(super) struct Decisions<P> {
    pub(super) probe: P,
    pub(super) decided: bool,
}

impl<P: Probe> Probe for Decisions<P> {
    #[inline]
    fn wants_words(&self) -> bool {
        self.probe.wants_words()
    }

    #[inline]
    fn wants_buffered(&self) -> bool {
        self.probe.wants_buffered()
    }

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.decided |= matches!(event, Event::Moved { .. });
        self.probe.event(node, cycle, event);
    }

    #[inline]
    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        self.probe.word(node, cycle, port, packet, word);
    }

    #[inline]
    fn buffered(&mut self, node: NodeId, cycle: Cycle, words: u32) {
        self.probe.buffered(node, cycle, words);
    }

    #[inline]
    fn wants_scheduled(&self) -> bool {
        self.probe.wants_scheduled()
    }

    #[inline]
    fn scheduled(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        cycle: Cycle,
        packet: PacketRef,
        port: Port,
    ) {
        self.probe.scheduled(packets, node, cycle, packet, port);
    }
}
