//! What a self-timed node does in a step, and how long that takes.

use super::draws::Draws;
use crate::delivered::Deliveries;
use flitwork_network::{Delay, Law, SelfTimed};
use flitwork_node::{Event, Place, Probe, Reported};
use flitwork_types::{Cycle, NodeId, PacketId, Port, PortSet, Word};

/// The numbers of a stage's draws are apart by more than a node has ports.
const PORTS: u32 = 1 << 8;
const WORD_DRAW: u32 = 0;
const DECISION_DRAW: u32 = PORTS;
const ALLOCATION_DRAW: u32 = 2 * PORTS;
const CREDIT_DRAW: u32 = 3 * PORTS;
const ARBITER_DRAW: u32 = 4 * PORTS;

/// What a self-timed node did in a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// Ports at which a word arrived or left, or into whose output frame one moved within the node.
    pub(super) words: PortSet,
    /// Whether a word moved into the central queue.
    pub(super) queued: bool,
    /// Ports at which a credit left.
    pub(super) credits: PortSet,
    /// The decisions that were made.
    decisions: Vec<Decided>,
    /// Whether anything takes its time by the word or packet.
    pub(super) by_data: bool,
    /// The words that arrived and left, if their delays depend on them.
    carried: Vec<(Port, PacketId, u16)>,
}

/// A decision: to what port, the central queue's being the one after the local port.
#[derive(Clone, Copy, Debug)]
struct Decided {
    to: usize,
    allocates: bool,
    packet: PacketId,
}

impl Work {
    /// Nothing yet, of nodes whose delays depend on data or don't.
    pub(super) fn new(by_data: bool) -> Work {
        Work {
            by_data,
            ..Work::default()
        }
    }

    /// Nothing yet.
    pub(super) fn clear(&mut self) {
        (self.words, self.credits, self.queued) = (PortSet::EMPTY, PortSet::EMPTY, false);
        self.decisions.clear();
        self.carried.clear();
    }

    /// Whether nothing has been done.
    pub(super) fn is_nothing(&self) -> bool {
        self.words.is_empty()
            && self.credits.is_empty()
            && !self.queued
            && self.decisions.is_empty()
    }

    /// A word passes a port.
    pub(super) fn carry(&mut self, port: Port, packet: PacketId, word: Word) {
        self.carried.push((port, packet, word.index));
    }

    fn decide(&mut self, packet: PacketId, to: Place, queue: usize) {
        let (to, allocates) = match to {
            Place::Queue => (queue, true),
            Place::OutputChannel(port, _) => (port.index(), true),
            Place::Output(port) | Place::Input(port) | Place::InputChannel(port, _) => {
                (port.index(), false)
            }
            Place::SideBuffer | Place::Assembly => (queue, false),
        };
        self.decisions.push(Decided {
            to,
            allocates,
            packet,
        });
    }
}

/// A self-timed node's delays as it draws them.
pub(super) struct Stages<'a> {
    pub(super) timing: &'a SelfTimed,
    pub(super) draws: Draws,
    /// The seed of all clocks, which words' own draws are made from.
    pub(super) seed: u64,
    /// The number of the central queue among the ports.
    pub(super) queue: usize,
}

impl Stages<'_> {
    /// How long a step takes, in local cycle `now`: the longest of the delays of what was done in it; 0 if nothing was.
    pub(super) fn duration_ps(&self, now: Cycle, work: &Work) -> u64 {
        let mut longest_ps = 0;
        for port in work.words.iter() {
            longest_ps = longest_ps.max(self.word_ps(now, port.index(), work));
        }
        if work.queued {
            longest_ps = longest_ps.max(self.word_ps(now, self.queue, work));
        }
        for decided in &work.decisions {
            longest_ps = longest_ps.max(self.decision_ps(now, *decided));
        }
        for port in work.credits.iter() {
            if let Some(credit) = self.timing.delays.of(port.index()).credit {
                let index = CREDIT_DRAW + u32::from(port.0);
                longest_ps = longest_ps.max(self.drawn_ps(credit, now, index));
            }
        }
        longest_ps
    }

    /// What the words at a port take, or those into the central queue.
    fn word_ps(&self, now: Cycle, port: usize, work: &Work) -> u64 {
        let delay = self.timing.delays.of(port).word;
        if delay.law == Law::Data {
            let here = work.carried.iter().filter(|(at, ..)| at.index() == port);
            let carried =
                here.map(|(_, packet, word)| self.by_data_ps(delay, *packet, 1 + u32::from(*word)));
            if let Some(longest_ps) = carried.max() {
                return longest_ps;
            }
        }
        self.drawn_ps(delay, now, WORD_DRAW + port as u32)
    }

    fn decision_ps(&self, now: Cycle, decided: Decided) -> u64 {
        let Decided {
            to,
            allocates,
            packet,
        } = decided;
        let delays = self.timing.delays.of(to);
        let stage = |delay: Delay, index: u32| match delay.law {
            Law::Data => self.by_data_ps(delay, packet, 0),
            Law::Uniform | Law::Normal => self.drawn_ps(delay, now, index + to as u32),
        };
        let allocation = delays.allocation.filter(|_| allocates);
        let allocation_ps = allocation.map_or(0, |delay| stage(delay, ALLOCATION_DRAW));
        stage(delays.decision, DECISION_DRAW) + allocation_ps
    }

    /// A delay, drawn from the node's stream.
    fn drawn_ps(&self, delay: Delay, now: Cycle, index: u32) -> u64 {
        let range_ps = delay.most_ps.saturating_sub(delay.least_ps);
        let more_ps = match delay.law {
            _ if range_ps == 0 => 0,
            Law::Normal => self.draws.normal_up_to(range_ps, now.get(), index),
            Law::Uniform | Law::Data => self.draws.up_to(range_ps, now.get(), index),
        };
        self.timing.scaled_ps(delay.least_ps + more_ps)
    }

    /// A delay by what it is spent on: a packet (0), or one of its words (its number and 1).
    fn by_data_ps(&self, delay: Delay, packet: PacketId, what: u32) -> u64 {
        let range_ps = delay.most_ps.saturating_sub(delay.least_ps);
        let draws = Draws::of_words(self.seed, packet.source);
        let more_ps = draws.up_to(range_ps, packet.serial, what);
        self.timing.scaled_ps(delay.least_ps + more_ps)
    }

    /// How long after `now_ps` the node's arbiter has decided between `requests`, which came at these times, in ps, in
    /// any order: 0 if no two of them lie within its window.
    pub(super) fn arbitration_ps(&self, now: Cycle, now_ps: u64, requests: &mut [u64]) -> u64 {
        let Some(arbiter) = self.timing.arbiter else {
            return 0;
        };
        requests.sort_unstable();
        let pairs = requests.windows(2);
        let mut close = pairs.filter(|pair| pair[1] - pair[0] <= arbiter.window_ps);
        let Some(last) = close.next_back() else {
            return 0;
        };
        let draws = self.draws;
        let extra_ps = draws.exponential(arbiter.tau_ps, now.get(), ARBITER_DRAW);
        (last[1] + extra_ps).saturating_sub(now_ps)
    }
}

/// A delivery at the end of a step, with the node and the step's cycle.
pub(super) type Late = (NodeId, Cycle, Event);

/// Passes on a step's events, except for deliveries one cycle later, and records the work in them.
pub(super) struct Recording<'a, P> {
    /// Observes everything at once.
    pub(super) deliveries: &'a mut Deliveries,
    pub(super) probe: &'a mut P,
    /// The step's cycle.
    pub(super) now: Cycle,
    /// Deliveries of the following cycle: when that begins is known once the step is over.
    pub(super) late: &'a mut Vec<Late>,
    /// `None` for nodes with clocks.
    pub(super) work: Option<&'a mut Work>,
    /// Whether a decision was made.
    pub(super) decided: bool,
    /// The number of the central queue among the ports.
    pub(super) queue: usize,
}

impl<P> Recording<'_, P> {
    /// Out of the way of the much more frequent words.
    #[inline(never)]
    fn hold_back(&mut self, node: NodeId, event: &Event) {
        self.late.push((node, self.now, *event));
    }
}

impl<P: Probe> Probe for Recording<'_, P> {
    flitwork_node::forward_probe!(self, (self.probe): buffered, intervene, details);

    #[inline]
    fn wants(&self, what: Reported) -> bool {
        let by_data = || self.work.as_ref().is_some_and(|work| work.by_data);
        self.probe.wants(what) || what == Reported::Words && by_data()
    }

    #[inline]
    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        if let Some(work) = &mut self.work
            && work.by_data
        {
            work.carry(port, packet, word);
        }
        self.probe.word(node, cycle, port, packet, word);
    }

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        if let Event::Moved { packet, to, .. } = event {
            self.decided = true;
            if let Some(work) = &mut self.work {
                work.decide(packet, to, self.queue);
            }
        }
        self.deliveries.event(node, cycle, event);
        match event {
            Event::Delivered { .. } | Event::Lost { .. } if cycle > self.now => {
                self.hold_back(node, &event);
            }
            event => self.probe.event(node, cycle, event),
        }
    }
}

#[cfg(test)]
mod tests;
