//! What a run keeps beside its figures, on request. A run without such a request has no such probe at all.

use crate::index::IndexProbe;
use crate::intervals::Intervals;
use crate::packets::PacketReporter;
use flitwork_machine::Usual;
use flitwork_node::{Event, Probe, forward_probe};
use flitwork_trace::Digest;
use flitwork_types::{Cycle, Moment, NodeId, Packet, TerminalId};

/// The probes of a run, or of one worker of it.
#[derive(Debug, Default)]
pub struct Extras {
    /// Reports packets to their file.
    pub packets: Option<PacketReporter>,
    /// Adds up intervals.
    pub intervals: Option<Intervals>,
    /// Makes an index.
    pub index: Option<IndexProbe>,
    /// Whether the run is made only to see what memory it takes while it goes on.
    pub is_trial: bool,
}

impl Extras {
    /// Whether there are none.
    pub fn are_none(&self) -> bool {
        self.packets.is_none() && self.intervals.is_none() && self.index.is_none()
    }

    /// The same for nodes that have clocks of their own, and sources on a nominal clock of this period: packets have times.
    #[must_use]
    pub(crate) fn of_clocks(mut self, nominal_ps: u64) -> Extras {
        let index = self.index.as_mut().map(|index| &mut index.packets);
        for packets in self.packets.as_mut().into_iter().chain(index) {
            packets.of_clocks(nominal_ps);
        }
        self
    }

    /// The same for another worker of the run.
    #[must_use]
    pub fn another(&self) -> Extras {
        Extras {
            packets: self.packets.as_ref().map(PacketReporter::another),
            intervals: self.intervals.as_ref().map(Intervals::another),
            index: self.index.as_ref().map(IndexProbe::another),
            is_trial: self.is_trial,
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

impl Extras {
    /// Observes an event; its digest is asked for only where somebody wants it.
    #[inline(always)]
    fn digested(&mut self, node: NodeId, cycle: Cycle, event: Event, digest: impl Fn() -> Digest) {
        if let Some(index) = &mut self.index {
            index.digested(node, cycle, event, digest());
        }
        // The others observe nothing else.
        if let Event::Injected { .. } | Event::Delivered { .. } | Event::Lost { .. } = event
            && let Some(packets) = &mut self.packets
        {
            packets.event(node, cycle, event);
        }
        if let Event::Injected { .. } | Event::Delivered { .. } | Event::Tail { .. } = event
            && let Some(intervals) = &mut self.intervals
        {
            intervals.event(node, cycle, event);
        }
    }
}

impl Probe for Extras {
    #[inline]
    fn tick(&mut self, node: NodeId, local: Cycle, at: Moment) {
        each!(self, probe => probe.tick(node, local, at));
    }

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let digest = || Digest::of_event(node, cycle, event);
        self.digested(node, cycle, event, digest);
    }

    fn take_back(&mut self, node: NodeId, cycle: Cycle, packet: &Packet) {
        each!(self, probe => probe.take_back(node, cycle, packet));
    }

    fn left_over(&mut self, source: TerminalId, created: Cycle, words: u16, packets: u64) {
        each!(self, probe => probe.left_over(source, created, words, packets));
    }
}

/// The probes of a run that keeps something beside its figures. An event's digest is made once, for the run and for the
/// index.
#[derive(Debug)]
pub(crate) struct Together {
    pub(crate) usual: Usual,
    pub(crate) extras: Extras,
}

impl Probe for Together {
    forward_probe!(self, (self.usual.1, self.extras): wants, word, buffered, tick, sampled, stepped, clocks, left_over);
    forward_probe!(self, (self.usual.1, self.extras): take_back, intervene);

    #[inline(always)]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let digest = Digest::of_event(node, cycle, event);
        let (digests, observer) = &mut self.usual;
        *digests += digest;
        self.extras.digested(node, cycle, event, || digest);
        // Last, so that nothing need be kept while it is called.
        observer.event(node, cycle, event);
    }
}
