//! What a run keeps beside its figures, on request. A run without such a request has no such probe at all.

use crate::index::IndexProbe;
use crate::intervals::Intervals;
use crate::packets::PacketReporter;
use flitwork_node::{Event, Probe};
use flitwork_types::{Cycle, Moment, NodeId, Packet};

/// The probes of a run, or of one worker of it.
#[derive(Debug, Default)]
pub struct Extras {
    /// Reports packets to their file.
    pub packets: Option<PacketReporter>,
    /// Adds up intervals.
    pub intervals: Option<Intervals>,
    /// Makes an index.
    pub index: Option<IndexProbe>,
}

impl Extras {
    /// Whether there are none.
    pub fn are_none(&self) -> bool {
        self.packets.is_none() && self.intervals.is_none() && self.index.is_none()
    }

    /// The same for another worker of the run.
    #[must_use]
    pub fn another(&self) -> Extras {
        Extras {
            packets: self.packets.as_ref().map(PacketReporter::another),
            intervals: self.intervals.as_ref().map(Intervals::another),
            index: self.index.as_ref().map(IndexProbe::another),
        }
    }

    /// Adds what another worker's probes observed.
    pub fn merge(&mut self, other: Extras) {
        if let (Some(intervals), Some(more)) = (&mut self.intervals, &other.intervals) {
            intervals.merge(more);
        }
        if let (Some(index), Some(more)) = (&mut self.index, &other.index) {
            index.merge(more);
        }
    }
}

/// Calls each probe that there is.
macro_rules! each {
    ($extras:ident, $probe:ident => $call:expr) => {
        if let Some($probe) = &mut $extras.packets {
            $call;
        }
        if let Some($probe) = &mut $extras.intervals {
            $call;
        }
        if let Some($probe) = &mut $extras.index {
            $call;
        }
    };
}

impl Probe for Extras {
    #[inline]
    fn tick(&mut self, node: NodeId, local: Cycle, at: Moment) {
        each!(self, probe => probe.tick(node, local, at));
    }

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        if let Some(index) = &mut self.index {
            index.event(node, cycle, event);
        }
        // The others observe nothing else.
        if matches!(
            event,
            Event::Injected { .. } | Event::Delivered { .. } | Event::Tail { .. }
        ) {
            if let Some(packets) = &mut self.packets {
                packets.event(node, cycle, event);
            }
            if let Some(intervals) = &mut self.intervals {
                intervals.event(node, cycle, event);
            }
        }
    }

    fn take_back(&mut self, node: NodeId, cycle: Cycle, packet: &Packet) {
        each!(self, probe => probe.take_back(node, cycle, packet));
    }

    fn left_over(&mut self, node: NodeId, created: Cycle, words: u16, packets: u64) {
        each!(self, probe => probe.left_over(node, created, words, packets));
    }
}
