//! All events of a run, kept for checkers.

use flitwork_node::{Event, Probe, Reported};
use flitwork_types::{Cycle, Moment, NodeId, PacketId, Port, TerminalId, Word};

/// A probe that keeps all events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<(Cycle, NodeId, Event)>,
    /// The tick before each event: its node, its local cycle, and when that begins.
    pub(crate) ticks: Vec<Option<(NodeId, Cycle, Moment)>>,
    tick: Option<(NodeId, Cycle, Moment)>,
    pub(crate) words: Vec<(Cycle, NodeId, Port, PacketId, Word)>,
    pub(crate) left_over: u64,
}

impl Probe for Recorder {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Words)
    }

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.events.push((cycle, node, event));
        self.ticks.push(self.tick);
    }
    fn tick(&mut self, node: NodeId, local: Cycle, at: Moment) {
        self.tick = Some((node, local, at));
    }
    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        self.words.push((cycle, node, port, packet, word));
    }
    fn left_over(&mut self, _: TerminalId, _: Cycle, _: u16, packets: u64) {
        self.left_over += packets;
    }
}
