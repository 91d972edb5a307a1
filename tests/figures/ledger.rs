//! A probe that only records what it observes, in cycles of the nominal clock, and when packets enter and leave, in ps.

use flitwork_node::{Event, Probe};
use flitwork_types::{Cycle, Moment, NodeId, Packet, PacketId, PacketRef, Port, Word};
use std::collections::HashMap;

/// A word that leaves over a link. If words travel independently, each has a record of its own on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordSent {
    pub(crate) cycle: i64,
    pub(crate) node: NodeId,
    pub(crate) port: Port,
    pub(crate) packet: PacketId,
    pub(crate) record: PacketRef,
}

/// Everything that a run reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    shift: i64,
    /// When the events are that follow, in ps.
    now_ps: u64,
    pub(crate) events: Vec<(i64, NodeId, Event)>,
    /// When each packet was injected, and when it was delivered.
    pub(crate) injected_ps: HashMap<PacketId, u64>,
    pub(crate) delivered_ps: HashMap<PacketId, u64>,
    pub(crate) words: Vec<WordSent>,
    /// How many words a node's buffers hold from the end of a cycle on.
    pub(crate) fills: Vec<(i64, NodeId, u32)>,
    /// Sources, with the cycles and lengths of packets that never entered.
    pub(crate) left_over: Vec<(NodeId, i64, u16)>,
}

impl Ledger {
    fn nominal(&self, cycle: Cycle) -> i64 {
        i64::from(cycle.get()) + self.shift
    }
}

impl Probe for Ledger {
    fn wants_words(&self) -> bool {
        true
    }

    fn wants_buffered(&self) -> bool {
        true
    }

    fn tick(&mut self, _: NodeId, local: Cycle, at: Moment) {
        self.shift = i64::from(at.reference.get()) - i64::from(local.get());
        self.now_ps = at.ps;
    }

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Injected { packet } => {
                self.injected_ps.insert(packet.id, self.now_ps);
            }
            Event::Delivered { packet } => {
                self.delivered_ps.insert(packet.id, self.now_ps);
            }
            _ => {}
        }
        self.events.push((self.nominal(cycle), node, event));
    }

    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        self.words.push(WordSent {
            cycle: self.nominal(cycle),
            node,
            port,
            packet,
            record: word.packet,
        });
    }

    fn buffered(&mut self, node: NodeId, cycle: Cycle, words: u32) {
        self.fills.push((self.nominal(cycle), node, words));
    }

    fn take_back(&mut self, node: NodeId, _: Cycle, packet: &Packet) {
        let injected = |(_, at, event): &(i64, NodeId, Event)| {
            *at == node
                && matches!(event, Event::Injected { packet: reported } if reported.id == packet.id)
        };
        let last = self.events.iter().rposition(injected);
        self.events.remove(last.expect("it was reported"));
    }

    fn left_over(&mut self, node: NodeId, created: Cycle, words: u16, packets: u64) {
        let alike = (0..packets).map(|_| (node, created.get().into(), words));
        self.left_over.extend(alike);
    }
}
