//! Events that an engine has reported ahead, of cycles that its run may never reach.
//!
//! ```text
//!   event of cycle c ──▶ c < end? ──▶ probe
//!                          │ no
//!                          ▼
//!                       held back ──▶ probe, once the run goes on and its end lies later
//! ```

use crate::Ended;
use crate::delivered::Deliveries;
use flitwork_node::{Event, Probe, Reported};
use flitwork_types::{Cycle, NodeId, PacketId, Port, Word};

/// Reports of cycles that may never be simulated.
#[derive(Clone, Default)]
pub(crate) struct HeldBack {
    /// In the order in which they came: a few for each packet under way, whose next moves are known ahead.
    reports: Vec<Report>,
}

/// What a probe is to observe, and where and when it happens.
#[derive(Clone)]
struct Report {
    /// The last cycle that has to be simulated for it.
    due: Cycle,
    node: NodeId,
    cycle: Cycle,
    what: What,
}

#[derive(Clone)]
enum What {
    Event(Event),
    Word(Port, PacketId, Word),
    Buffered(u32),
}

/// A probe that reports nothing after the end, and keeps deliveries for the traffic.
pub(crate) struct Clipped<P> {
    pub(crate) probe: P,
    pub(crate) deliveries: Deliveries,
    pub(crate) end: Cycle,
    /// Cycles from the step that takes a packet out of the network to its delivery, which that step reports.
    delivery_cycles: u32,
    pub(crate) held_back: HeldBack,
}

impl<P> Clipped<P> {
    /// Before the first cycle of a run that so far ends before `end`.
    pub(crate) fn new(
        probe: P,
        deliveries: Deliveries,
        end: Cycle,
        delivery_cycles: u32,
    ) -> Clipped<P> {
        Clipped {
            probe,
            deliveries,
            end,
            delivery_cycles,
            held_back: HeldBack::default(),
        }
    }

    /// The same under another probe.
    pub(crate) fn fork(&self, probe: P) -> Clipped<P> {
        Clipped {
            probe,
            deliveries: self.deliveries.clone(),
            held_back: self.held_back.clone(),
            ..*self
        }
    }
}

impl<P: Probe> Clipped<P> {
    /// The run goes on, and ends before cycle `end`.
    pub(crate) fn go_on_until(&mut self, end: Cycle) {
        self.end = end;
        let mut held_back = std::mem::take(&mut self.held_back);
        held_back.release(end, self);
        self.held_back = held_back;
    }
}

impl<P: Probe> Probe for Clipped<P> {
    flitwork_node::forward_probe!(self, (self.probe): intervene);

    #[inline]
    fn wants(&self, what: Reported) -> bool {
        what != Reported::Details && self.probe.wants(what)
    }

    // Always inlined: callers know the kind of their event, so that it is matched at compile time.
    #[inline(always)]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let later = match event {
            Event::Delivered { .. } => self.delivery_cycles,
            _ => 0,
        };
        if cycle < self.end + later {
            self.deliveries.event(node, cycle, event);
            self.probe.event(node, cycle, event);
        } else if is_needed(&event) || self.probe.wants(Reported::Events) {
            let due = cycle - later;
            self.held_back.hold(due, node, cycle, What::Event(event));
        }
    }

    #[inline]
    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        if cycle < self.end {
            self.probe.word(node, cycle, port, packet, word);
        } else {
            let word = What::Word(port, packet, word);
            self.held_back.hold(cycle, node, cycle, word);
        }
    }

    #[inline]
    fn buffered(&mut self, node: NodeId, cycle: Cycle, words: u32) {
        if cycle < self.end {
            self.probe.buffered(node, cycle, words);
        } else {
            let buffered = What::Buffered(words);
            self.held_back.hold(cycle, node, cycle, buffered);
        }
    }
}

/// Whether engines need an event, even if no probe observes it: they count packets, and know who waits behind a head that
/// is yet to leave.
#[inline(always)]
fn is_needed(event: &Event) -> bool {
    matches!(
        event,
        Event::Injected { .. } | Event::Delivered { .. } | Event::Lost { .. } | Event::Head { .. }
    )
}

impl HeldBack {
    /// What has happened once cycle `due` has been simulated.
    #[cold]
    #[inline(never)]
    fn hold(&mut self, due: Cycle, node: NodeId, cycle: Cycle, what: What) {
        self.reports.push(Report {
            due,
            node,
            cycle,
            what,
        });
    }

    /// The heads that leave nodes after the end: from which node, by which port, of which packet, and when.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (NodeId, Port, PacketId, Cycle)> + '_ {
        self.reports.iter().filter_map(|report| match report.what {
            What::Event(Event::Head { packet, port }) => {
                Some((report.node, port, packet, report.cycle))
            }
            _ => None,
        })
    }

    /// Whether a packet is known to be delivered after the end.
    pub(crate) fn has_delivery(&self) -> bool {
        let is_delivery = |what: &What| matches!(what, What::Event(Event::Delivered { .. }));
        self.reports.iter().any(|report| is_delivery(&report.what))
    }

    /// How a run has ended that has been advanced so far: it goes on while something is yet to be observed.
    pub(crate) fn ended(&self, ended: Ended) -> Ended {
        match ended {
            Ended::Empty | Ended::Stuck if !self.reports.is_empty() => Ended::Deadline,
            ended => ended,
        }
    }

    /// The run goes on until `end`: `probe` observes what has happened by then.
    fn release(&mut self, end: Cycle, probe: &mut impl Probe) {
        let mut due: Vec<Report> = self.reports.extract_if(.., |it| it.due < end).collect();
        due.sort_by_key(|report| report.due);
        for Report {
            node, cycle, what, ..
        } in due
        {
            match what {
                What::Event(event) => probe.event(node, cycle, event),
                What::Word(port, packet, word) => probe.word(node, cycle, port, packet, word),
                What::Buffered(words) => probe.buffered(node, cycle, words),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HeldBack, What};
    use flitwork_node::{Event, Probe};
    use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId};

    /// Of each event the cycle in which it is due, and its number.
    #[derive(Default)]
    struct Seen(Vec<(Cycle, NodeId)>);

    impl Probe for Seen {
        fn event(&mut self, node: NodeId, cycle: Cycle, _: Event) {
            self.0.push((cycle, node));
        }
    }

    /// All ways in which five reports are due in four cycles, released before each cycle or at once.
    #[test]
    fn reports_come_when_they_are_due_and_in_that_order() {
        for way in 0..4u32.pow(5) {
            let due = |number: u32| Cycle(way / 4u32.pow(number) % 4);
            let mut expected: Vec<_> = (0..5).map(|at| (due(at), NodeId(at))).collect();
            expected.sort();
            for ends in [vec![4], vec![2, 4], vec![1, 2, 3, 4]] {
                let (mut held, mut seen) = (HeldBack::default(), Seen::default());
                for number in 0..5 {
                    let (source, serial) = (TerminalId(number), 0);
                    let head = Event::Head {
                        packet: PacketId { source, serial },
                        port: Port(0),
                    };
                    held.hold(due(number), NodeId(number), due(number), What::Event(head));
                }
                for end in ends {
                    held.release(Cycle(end), &mut seen);
                    let due = expected.iter().filter(|(due, _)| *due < Cycle(end));
                    assert!(seen.0.iter().eq(due), "way {way}, before {end}");
                }
            }
        }
    }
}
