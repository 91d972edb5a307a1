//! What an engine observes of a step: whether a decision was made in it.

use flitwork_node::{Event, Probe};
use flitwork_types::{Cycle, NodeId};

/// Passes on a step's events, and notes whether one of them is a decision.
pub(super) struct Decisions<P> {
    pub(super) probe: P,
    pub(super) decided: bool,
}

impl<P: Probe> Probe for Decisions<P> {
    flitwork_node::forward_probe!(self, (self.probe): wants_words, wants_buffered, wants_scheduled);
    flitwork_node::forward_probe!(self, (self.probe): word, buffered, scheduled, launched);

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.decided |= matches!(event, Event::Moved { .. });
        self.probe.event(node, cycle, event);
    }
}
