//! A probe that only records what it observes, in cycles of the nominal clock, and when packets enter and leave, in ps.

use flitwork_node::{ClockTicks, Event, Probe, Reported};
use flitwork_types::{Cycle, Moment, NodeId, Packet, PacketId, PacketRef, Port, TerminalId, Word};
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

/// A tick of a node that was reported, in its cycle of the nominal clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tick {
    pub(crate) node: NodeId,
    pub(crate) cycle: i64,
    /// Whether a delivery was reported next.
    pub(crate) is_of_delivery: bool,
}

/// A step of a self-timed node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) node: NodeId,
    pub(crate) cycle: i64,
    pub(crate) begin_ps: u64,
    pub(crate) took_ps: u64,
}

/// Everything that a run reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// Whether the engine may move whole packets.
    takes_whole_packets: bool,
    shift: i64,
    /// When the events are that follow, in ps.
    now_ps: u64,
    pub(crate) ticks: Vec<Tick>,
    /// Whether nothing has been reported since the last tick.
    ticked: bool,
    pub(crate) steps: Vec<Step>,
    /// How many ticks before a cycle were at work.
    pub(crate) working: Vec<(i64, u64)>,
    pub(crate) events: Vec<(i64, NodeId, Event)>,
    /// When each packet was injected, and when it was delivered.
    pub(crate) injected_ps: HashMap<PacketId, u64>,
    pub(crate) delivered_ps: HashMap<PacketId, u64>,
    pub(crate) words: Vec<WordSent>,
    /// How many words a node's buffers hold from the end of a cycle on.
    pub(crate) fills: Vec<(i64, NodeId, u32)>,
    /// Sources, with the cycles and lengths of packets that never entered.
    pub(crate) left_over: Vec<(TerminalId, i64, u16)>,
}

impl Ledger {
    /// Nothing has been reported yet.
    pub(crate) fn new(takes_whole_packets: bool) -> Ledger {
        Ledger {
            takes_whole_packets,
            ..Ledger::default()
        }
    }

    fn nominal(&self, cycle: Cycle) -> i64 {
        i64::from(cycle.get()) + self.shift
    }
}

impl Probe for Ledger {
    fn wants(&self, what: Reported) -> bool {
        match what {
            Reported::Words => !self.takes_whole_packets,
            _ => matches!(what, Reported::Events | Reported::Buffered),
        }
    }

    fn tick(&mut self, node: NodeId, local: Cycle, at: Moment) {
        self.shift = i64::from(at.reference.get()) - i64::from(local.get());
        self.now_ps = at.ps;
        self.ticked = true;
        self.ticks.push(Tick {
            node,
            cycle: at.reference.get().into(),
            is_of_delivery: false,
        });
    }

    fn stepped(&mut self, node: NodeId, begin: Moment, took_ps: u64) {
        self.steps.push(Step {
            node,
            cycle: begin.reference.get().into(),
            begin_ps: begin.ps,
            took_ps,
        });
    }

    fn clocks(&mut self, reference: Cycle, before: ClockTicks) {
        self.working.push((reference.get().into(), before.working));
    }

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Injected { packet } => {
                self.injected_ps.insert(packet.id, self.now_ps);
            }
            Event::Delivered { packet } => {
                self.delivered_ps.insert(packet.id, self.now_ps);
                if let Some(tick) = self.ticks.last_mut().filter(|_| self.ticked) {
                    tick.is_of_delivery = true;
                }
            }
            _ => {}
        }
        self.ticked = false;
        self.events.push((self.nominal(cycle), node, event));
    }

    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        self.ticked = false;
        self.words.push(WordSent {
            cycle: self.nominal(cycle),
            node,
            port,
            packet,
            record: word.packet,
        });
    }

    fn buffered(&mut self, node: NodeId, cycle: Cycle, words: u32) {
        self.ticked = false;
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

    fn left_over(&mut self, source: TerminalId, created: Cycle, words: u16, packets: u64) {
        let alike = (0..packets).map(|_| (source, created.get().into(), words));
        self.left_over.extend(alike);
    }
}
