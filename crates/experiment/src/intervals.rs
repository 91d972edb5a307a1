//! A run over time: a probe that adds up what happens in intervals of a fixed number of cycles.
//!
//! Sums are of whole numbers, filed by the cycle of each event, so engines that report events early or out of order
//! give the same sums, and so do the workers of a live run together. An interval takes a fixed amount of memory,
//! whatever happens in it.

#[cfg(test)]
mod tests;

use crate::size::wires;
use crate::window::window;
use flitwork_config::Resolved;
use flitwork_measure::Window;
use flitwork_node::{Event, Probe};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Moment, NodeId, Packet, Port, TerminalId};

/// The most intervals that a run keeps.
pub const MOST_INTERVALS: u32 = 1 << 22;
/// Bytes that an interval takes during a run, and again while its results are written.
pub(crate) const INTERVAL_BYTES: u64 = size_of::<Sums>() as u64;
/// Bytes that it takes once the run is over, roughly, with its part of the figure.
pub(crate) const OVER_TIME_BYTES: u64 = size_of::<Interval>() as u64 + 40;

/// Sums over an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Packets that were created in it.
    pub created_packets: u64,
    /// Words of these packets.
    pub created_words: u64,
    /// Packets that entered the network in it.
    pub injected_packets: u64,
    /// Packets that were delivered in it.
    pub delivered_packets: u64,
    /// Words of these packets.
    pub delivered_words: u64,
    /// The sum of the latencies of the packets that were delivered in it, in cycles.
    pub latency_cycles: u64,
    /// The greatest of them.
    pub latency_max_cycles: u64,
    /// The sum of their latencies in the network, in cycles.
    pub network_latency_cycles: u64,
    /// Words that left over links in it.
    pub link_words: u64,
}

impl Sums {
    fn add(&mut self, more: &Sums) {
        self.created_packets += more.created_packets;
        self.created_words += more.created_words;
        self.injected_packets += more.injected_packets;
        self.delivered_packets += more.delivered_packets;
        self.delivered_words += more.delivered_words;
        self.latency_cycles += more.latency_cycles;
        self.latency_max_cycles = self.latency_max_cycles.max(more.latency_max_cycles);
        self.network_latency_cycles += more.network_latency_cycles;
        self.link_words += more.link_words;
    }
}

/// The probe.
#[derive(Clone, Debug)]
pub struct Intervals {
    every_cycles: u32,
    local: Port,
    /// Offset from the node's cycle to the nominal clock's, for the events that follow.
    shift: i64,
    sums: Vec<Sums>,
    /// The interval that was looked up last, and its first cycle: events mostly arrive in the order of their
    /// cycles.
    last: usize,
    last_from: u32,
}

/// What happened from one cycle to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its first cycle.
    pub from: Cycle,
    /// The first cycle after it.
    pub to: Cycle,
    /// What happened in it.
    pub sums: Sums,
    /// Packets that waited in the sources at its end.
    pub backlog_packets: u64,
    /// Packets in the network at its end.
    pub in_network_packets: u64,
}

/// A run's intervals, with what their figures are divided by.
#[derive(Clone, Debug, PartialEq)]
pub struct OverTime {
    /// The intervals, without gaps from cycle 0 to the end of the run, which cuts the last one short.
    pub intervals: Vec<Interval>,
    /// The cycles that the run's figures describe.
    pub window: Window,
    /// How many terminals share the loads.
    pub nodes: u32,
    /// Whether there are more or fewer of them than nodes.
    pub counts_terminals: bool,
    /// How many wires share the words: one for each direction of a link, or for both.
    pub wires: u32,
}

impl Intervals {
    /// Intervals of `every_cycles` cycles, at least 1.
    pub fn new(topology: &dyn Topology, every_cycles: u32) -> Intervals {
        assert!(every_cycles > 0, "an interval has at least one cycle");
        Intervals {
            every_cycles,
            local: topology.local(),
            shift: 0,
            sums: vec![Sums::default()],
            last: 0,
            last_from: 0,
        }
    }

    /// An empty one of the same kind, for another worker of the same run.
    #[must_use]
    pub fn another(&self) -> Intervals {
        Intervals {
            shift: 0,
            sums: vec![Sums::default()],
            last: 0,
            last_from: 0,
            ..*self
        }
    }

    /// Adds what another worker of the same run observed.
    pub fn merge(&mut self, other: &Intervals) {
        if self.sums.len() < other.sums.len() {
            self.sums.resize(other.sums.len(), Sums::default());
        }
        let pairs = self.sums.iter_mut().zip(&other.sums);
        pairs.for_each(|(sums, more)| sums.add(more));
    }

    /// The intervals of a run that ended before cycle `end`; none for a run without a cycle. Whatever an engine
    /// reported for later cycles counts towards the last one.
    pub fn finish(&self, end: Cycle) -> Vec<Interval> {
        let every = self.every_cycles;
        let count = end.get().div_ceil(every) as usize;
        let mut intervals = Vec::with_capacity(count);
        let (mut created, mut injected, mut delivered) = (0, 0, 0);
        for index in 0..count {
            let mut sums = self.sums.get(index).copied().unwrap_or_default();
            if index + 1 == count {
                let later = self.sums.iter().skip(count);
                later.for_each(|more| sums.add(more));
            }
            created += sums.created_packets;
            injected += sums.injected_packets;
            delivered += sums.delivered_packets;
            let from = index as u32 * every;
            intervals.push(Interval {
                from: Cycle(from),
                to: Cycle(from.saturating_add(every)).min(end),
                sums,
                // What a lost worker's nodes did is not fully known.
                backlog_packets: u64::saturating_sub(created, injected),
                in_network_packets: u64::saturating_sub(injected, delivered),
            });
        }
        intervals
    }

    /// The interval of a cycle.
    #[inline]
    fn at(&mut self, cycle: u32) -> &mut Sums {
        if cycle.wrapping_sub(self.last_from) >= self.every_cycles {
            self.find(cycle);
        }
        &mut self.sums[self.last]
    }

    fn find(&mut self, cycle: u32) {
        let index = cycle / self.every_cycles;
        self.last_from = index * self.every_cycles;
        self.last = index as usize;
        if self.sums.len() <= self.last {
            self.sums.resize(self.last + 1, Sums::default());
        }
    }

    /// A node's cycle on the nominal clock.
    #[inline]
    fn reference(&self, cycle: Cycle) -> u32 {
        (i64::from(cycle.get()) + self.shift) as u32
    }

    #[inline]
    fn made(&mut self, created: Cycle, words: u16, packets: u64) {
        let sums = self.at(created.get());
        sums.created_packets += packets;
        sums.created_words += u64::from(words) * packets;
    }

    fn delivered(&mut self, cycle: u32, packet: &Packet) {
        let latency = packet.latency(Cycle(cycle));
        let network = packet.network_latency(Cycle(cycle));
        let sums = self.at(cycle);
        sums.delivered_packets += 1;
        sums.delivered_words += u64::from(packet.words);
        sums.latency_cycles += latency;
        sums.latency_max_cycles = sums.latency_max_cycles.max(latency);
        sums.network_latency_cycles += network;
    }

    /// The last word of a worm leaves over a link; its words count as if they had followed each other one per
    /// cycle.
    #[inline]
    fn carried(&mut self, tail: u32, words: u16) {
        let after = tail + 1;
        let first = after.saturating_sub(words.into());
        let from_start = first.wrapping_sub(self.last_from);
        if from_start < self.every_cycles && tail - first < self.every_cycles - from_start {
            self.sums[self.last].link_words += u64::from(after - first);
            return;
        }
        self.carried_across(first, after);
    }

    /// The same if the words fall into another interval, or into several.
    fn carried_across(&mut self, first: u32, after: u32) {
        let mut from = first;
        while from < after {
            let sums_end = (from / self.every_cycles + 1).saturating_mul(self.every_cycles);
            let to = after.min(sums_end);
            self.at(from).link_words += u64::from(to - from);
            from = to;
        }
    }
}

impl Probe for Intervals {
    #[inline]
    fn tick(&mut self, _: NodeId, local: Cycle, at: Moment) {
        self.shift = i64::from(at.reference.get()) - i64::from(local.get());
    }

    #[inline]
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Injected { packet } => {
                self.made(packet.created, packet.words, 1);
                let cycle = self.reference(cycle);
                self.at(cycle).injected_packets += 1;
            }
            Event::Delivered { packet } => self.delivered(self.reference(cycle), &packet),
            Event::Tail { port, words, .. } if port < self.local => {
                self.carried(self.reference(cycle), words);
            }
            _ => {}
        }
    }

    fn take_back(&mut self, _: NodeId, cycle: Cycle, packet: &Packet) {
        let created = self.at(packet.created.get());
        created.created_packets -= 1;
        created.created_words -= u64::from(packet.words);
        self.at(cycle.get()).injected_packets -= 1;
    }

    fn left_over(&mut self, _: TerminalId, created: Cycle, words: u16, packets: u64) {
        self.made(created, words, packets);
    }
}

impl Interval {
    /// Its length.
    pub fn cycles(&self) -> u32 {
        self.to.since(self.from)
    }

    /// The mean latency of the packets that were delivered in it, in cycles.
    pub fn latency_mean_cycles(&self) -> Option<f64> {
        self.mean(self.sums.latency_cycles)
    }

    /// Their mean latency in the network, in cycles.
    pub fn network_latency_mean_cycles(&self) -> Option<f64> {
        self.mean(self.sums.network_latency_cycles)
    }

    fn mean(&self, sum: u64) -> Option<f64> {
        let packets = self.sums.delivered_packets;
        (packets > 0).then(|| sum as f64 / packets as f64)
    }

    /// This interval and the next as one.
    #[must_use]
    pub fn with(mut self, next: &Interval) -> Interval {
        self.sums.add(&next.sums);
        Interval {
            from: self.from,
            sums: self.sums,
            ..*next
        }
    }
}

impl OverTime {
    /// The intervals of a configuration's run that ended before cycle `end`.
    pub fn of(intervals: &Intervals, resolved: &Resolved, end: Cycle) -> OverTime {
        let shape = &resolved.network.shape;
        OverTime {
            intervals: intervals.finish(end),
            window: window(resolved),
            nodes: shape.terminals(),
            counts_terminals: resolved.network.counts_terminals(),
            wires: wires(resolved).len() as u32,
        }
    }

    /// Words created in an interval, per node and cycle.
    pub fn offered(&self, interval: &Interval) -> f64 {
        self.load(interval, interval.sums.created_words)
    }

    /// Words delivered in an interval, per node and cycle.
    pub fn accepted(&self, interval: &Interval) -> f64 {
        self.load(interval, interval.sums.delivered_words)
    }

    /// Words over links in an interval, per wire and cycle.
    pub fn link_utilisation(&self, interval: &Interval) -> f64 {
        interval.sums.link_words as f64 / f64::from(self.wires.max(1)) / cycles(interval)
    }

    fn load(&self, interval: &Interval, words: u64) -> f64 {
        words as f64 / f64::from(self.nodes) / cycles(interval)
    }

    /// Whether an interval lies before, in or after the window, or straddles an edge of it.
    pub fn phase(&self, interval: &Interval) -> &'static str {
        let (start, end) = (self.window.start(), self.window.end());
        match interval {
            Interval { to, .. } if *to <= start => "warm-up",
            Interval { from, .. } if *from >= end => "drain",
            Interval { from, to, .. } if *from >= start && *to <= end => "measured",
            _ => "mixed",
        }
    }
}

fn cycles(interval: &Interval) -> f64 {
    f64::from(interval.cycles().max(1))
}
