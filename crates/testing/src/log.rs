//! What a node reports in a step.

use flitwork_node::{Detail, Event, Instant, Probe, Reported};
use flitwork_types::{Cycle, NodeId, PacketId, PacketRef, Packets, Port, Word};

/// What is reported in a step.
pub(crate) struct Log<'a, P> {
    probe: &'a mut P,
    pub(crate) events: Vec<(Cycle, Event)>,
    pub(crate) words: Vec<(Cycle, Port, PacketId, Word)>,
    pub(crate) scheduled: Vec<Port>,
    /// All that says where words are, in its order.
    pub(crate) reports: Vec<Report>,
}

/// What says where a word is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Report {
    Detail(Detail),
    Word(Port, PacketId, Word),
    Delivered(PacketId),
}

impl<P: Probe> Probe for Log<'_, P> {
    fn wants(&self, what: Reported) -> bool {
        what != Reported::Buffered
    }

    fn detail(&mut self, _: NodeId, _: Cycle, detail: Detail) {
        self.reports.push(Report::Detail(detail));
    }

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.events.push((cycle, event));
        if let Event::Delivered { packet } = event {
            self.reports.push(Report::Delivered(packet.id));
        }
        self.probe.event(node, cycle, event);
    }

    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        self.words.push((cycle, port, packet, word));
        self.reports.push(Report::Word(port, packet, word));
        self.probe.word(node, cycle, port, packet, word);
    }

    fn intervene(
        &mut self,
        _: &mut Packets,
        _: NodeId,
        _: Cycle,
        (_, port): (PacketRef, Port),
        when: Instant,
    ) {
        if when == Instant::Decision {
            self.scheduled.push(port);
        }
    }
}

pub(crate) fn packet_of(event: &Event) -> Option<PacketId> {
    match event {
        Event::Injected { packet } | Event::Delivered { packet } | Event::Lost { packet, .. } => {
            Some(packet.id)
        }
        Event::Moved { packet, .. } | Event::Head { packet, .. } | Event::Tail { packet, .. } => {
            Some(*packet)
        }
        Event::Freed { .. } => None,
    }
}

impl<P> Log<'_, P> {
    /// Nothing has been reported yet; events are passed on to `probe`.
    pub(crate) fn new(probe: &mut P) -> Log<'_, P> {
        Log {
            probe,
            events: Vec::new(),
            words: Vec::new(),
            scheduled: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// What `pick` returns for the events of this cycle, sorted.
    pub(crate) fn picked<X: Ord>(&self, now: Cycle, pick: impl Fn(&Event) -> Option<X>) -> Vec<X> {
        let events = self.events.iter().filter(|(cycle, _)| *cycle == now);
        let mut picked: Vec<X> = events.filter_map(|(_, event)| pick(event)).collect();
        picked.sort();
        picked
    }

    /// The words reported for which `pick` holds, by port.
    pub(crate) fn words_that(&self, pick: impl Fn(&Word) -> bool) -> Vec<(Port, PacketId)> {
        let words = self.words.iter().filter(|(.., word)| pick(word));
        let mut words: Vec<_> = words.map(|(_, port, packet, _)| (*port, *packet)).collect();
        words.sort();
        words
    }
}
