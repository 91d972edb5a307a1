//! What an engine observes of a step: whether a decision was made in it, and what is delivered at its end.

use crate::delivered::Deliveries;
use flitwork_node::{Event, Probe};
use flitwork_types::{Cycle, NodeId, Packet};

/// A delivery at the end of a step, with the node and the step's cycle.
pub(super) type Late = (NodeId, Cycle, Packet);

/// Passes on a step's events, except for deliveries one cycle later, and notes whether one of them is a decision.
pub(super) struct Decisions<'a, P> {
    /// Observes everything at once.
    pub(super) deliveries: &'a mut Deliveries,
    pub(super) probe: &'a mut P,
    /// The step's cycle.
    pub(super) now: Cycle,
    /// Deliveries of the following cycle: when that begins is known once the step is over.
    pub(super) late: &'a mut Vec<Late>,
    pub(super) decided: bool,
}

impl<P> Decisions<'_, P> {
    /// Out of the way of the much more frequent words.
    #[cold]
    #[inline(never)]
    fn hold_back(&mut self, node: NodeId, packet: &Packet) {
        self.late.push((node, self.now, *packet));
    }
}

impl<P: Probe> Probe for Decisions<'_, P> {
    flitwork_node::forward_probe!(self, (self.probe): wants_words, wants_buffered, wants_scheduled);
    flitwork_node::forward_probe!(self, (self.probe): word, buffered, scheduled, launched);

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.decided |= matches!(event, Event::Moved { .. });
        self.deliveries.event(node, cycle, event);
        match event {
            Event::Delivered { packet } if cycle > self.now => {
                self.hold_back(node, &packet);
            }
            event => self.probe.event(node, cycle, event),
        }
    }
}
