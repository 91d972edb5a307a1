//! The probe that measures a run: it adds up events.
//!
//! All sums are of integers and do not depend on the order of events, so two engines that report the same events
//! give equal observations.
//!
//! May depend on `measure`, `node` and `topology`. Must never know an engine, a router or a configuration.
//!
//! ```
//! use flitwork_measure::Window;
//! use flitwork_node::{Event, Probe};
//! use flitwork_observe::Observer;
//! use flitwork_topology::Grid;
//! use flitwork_types::{Cycle, NodeId, Packet, TerminalId};
//!
//! let window = Window::new(Cycle(0), Cycle(100)).unwrap();
//! let mut observer = Observer::new(Grid::mesh(&[2, 2]).unwrap(), 1, window);
//! let packet = Packet {
//!     destination: TerminalId(1),
//!     created: Cycle(3),
//!     injected: Cycle(4),
//!     hops: 1,
//!     words: 1,
//!     ..Packet::default()
//! };
//! observer.event(NodeId(0), Cycle(4), Event::Injected { packet });
//! observer.event(NodeId(1), Cycle(9), Event::Delivered { packet });
//! let observation = observer.finish(Cycle(100));
//! assert_eq!(observation.delivered, 1);
//! assert_eq!(observation.latency.mean(), Some(6.0));
//! ```

mod activity;
mod clocking;
mod creation;
mod exact;
mod kinds;
mod latencies;
mod ledger;
mod levels;
mod merge;
mod synchronizers;
#[cfg(test)]
mod tests;
mod throughput;
mod waits;

pub use activity::{Activity, Work};
pub use clocking::Clocking;
use clocking::Counter;
pub use exact::ExactLatencies;
use exact::Stopwatch;
pub use latencies::{ClassGroup, DistanceGroup, LatencyGroup};
pub use synchronizers::{Chances, Synchronizers};
pub use throughput::Throughput;

use flitwork_measure::{BatchMeans, Histogram, Window};
use flitwork_node::{ClockTicks, Event, Place, Probe, Reported, Sampled};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{Cycle, Loss, Moment, NodeId, Packet, Port, TerminalId};
use latencies::Latencies;
pub use ledger::{Account, Ledger};
use levels::Levels;
use waits::Waits;

/// Sums over a run and over its window. Latencies are in cycles unless stated otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The measured cycles.
    pub window: Window,
    /// Packets created in the whole run, and those of them that entered the network and left it.
    pub created: u64,
    /// Packets that entered the network.
    pub injected: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Packets lost, by reason, in the reasons' order.
    pub lost: [u64; Loss::ALL.len()],
    /// The last cycle in which a packet entered the network.
    pub last_injection: Option<Cycle>,
    /// The last cycle in which a packet was delivered.
    pub last_delivery: Option<Cycle>,
    /// The last cycle in which a head left over a link.
    pub last_head: Option<Cycle>,
    /// Packets waiting at their sources when the window began, and when it ended.
    pub backlog: [u64; 2],
    /// From creation to delivery, of packets created in the window.
    pub latency: Histogram,
    /// From the injection frame to delivery, of the same packets.
    pub network_latency: Histogram,
    /// The same packets' latency by the cycle of their creation.
    pub latency_by_creation: BatchMeans,
    /// Their latency in the network by the cycle of their creation.
    pub network_latency_by_creation: BatchMeans,
    /// The same packets by their classes, lowest first.
    pub by_class: Vec<ClassGroup>,
    /// The same packets by distance, shortest first.
    pub by_distance: Vec<DistanceGroup>,
    /// Latency of the packets delivered in the window, by the cycle of delivery.
    pub latency_by_delivery: BatchMeans,
    /// The same latencies in picoseconds, where nodes have clocks of their own ([`Observer::of_clocks`]).
    pub exact: Option<Box<ExactLatencies>>,
    /// What clocks and self-timed nodes did in the window, where nodes have clocks of their own or none.
    pub clocking: Option<Clocking>,
    /// Words created in the window, by cycle; each packet is an observation.
    pub words_created: BatchMeans,
    /// Words delivered in the window, by cycle; each packet is an observation.
    pub words_delivered: BatchMeans,
    /// The window's cycles that were simulated.
    pub measured_cycles: u32,
    /// Hops of packets created in the window.
    pub hops: u64,
    /// Deroutes among them.
    pub deroutes: u64,
    /// Hops of any packet in the window; hops of words where each word finds its own way.
    pub hops_in_window: u64,
    /// Deroutes in the window.
    pub deroutes_in_window: u64,
    /// All deroutes of the run.
    pub all_deroutes: u64,
    /// Hops of the whole run.
    pub all_hops: u64,
    /// Packet-cycles in each node, in the window; word-cycles where each word finds its own way
    /// ([`Observer::of_lone_words`]).
    pub node_packet_cycles: Vec<i64>,
    /// Packet-cycles in each node's multiqueue, in the window.
    pub queue_packet_cycles: Vec<i64>,
    /// The most packets that each node's multiqueue held, in the whole run.
    pub queue_max: Vec<u32>,
    /// Word-cycles in each node's buffers, in the window, of routers whose buffers fill word by word
    /// ([`Probe::buffered`]).
    pub buffer_word_cycles: Vec<i64>,
    /// The most words that each node's buffers held at a cycle's end, in the whole run.
    pub buffer_max: Vec<u32>,
    /// Packets delivered to each node, in the window.
    pub node_deliveries: Vec<u64>,
    /// Words by their sources and their destinations, terminals, in the window.
    pub throughput: Throughput,
    /// The longest that each terminal's source waited to inject a packet, in cycles of the window: from when the packet was
    /// made, or the one before it entered.
    pub longest_wait_cycles: Vec<u32>,
    /// Words that each node sent through each link port, in the window.
    pub link_words: Vec<u64>,
    /// What happened in the window and costs energy.
    pub activity: Activity,
    /// What synchronizers sampled in the window, where they may fail.
    pub synchronizers: Option<Synchronizers>,
}

/// The probe. It must observe a whole run.
#[derive(Clone, Debug)]
pub struct Observer {
    shape: Shape,
    /// Its first local port, and how many ports a node has for links: what each event asks for.
    local: Port,
    link_ports: usize,
    link_latency_cycles: u32,
    /// Whether each word finds its own way, so that nodes hold words rather than packets.
    lone_words: bool,
    /// Offset from the node's cycle to the nominal clock's, for the events that follow.
    shift: i64,
    /// When those events happen, in ps.
    now_ps: u64,
    /// Takes times in ps, where nodes have clocks of their own.
    stopwatch: Option<Box<Stopwatch>>,
    /// Counts ticks and steps there.
    clocking: Option<Box<Counter>>,
    /// Packets in each node, packets in each node's multiqueue, words in each node's buffers.
    held: Levels,
    queued: Levels,
    buffered: Levels,
    latencies: Latencies,
    waits: Waits,
    /// Notes for a review before the run ends, if there is one.
    ledger: Option<Ledger>,
    observation: Observation,
}

impl Observer {
    /// An observer of a network's run.
    pub fn new(shape: impl Into<Shape>, link_latency_cycles: u32, window: Window) -> Observer {
        let shape = shape.into();
        let (nodes, terminals) = (shape.nodes() as usize, shape.terminals() as usize);
        Observer {
            local: shape.local(),
            link_ports: shape.ports(),
            link_latency_cycles,
            lone_words: false,
            shift: 0,
            now_ps: 0,
            stopwatch: None,
            clocking: None,
            held: Levels::new(nodes),
            queued: Levels::new(nodes),
            buffered: Levels::new(nodes),
            latencies: Latencies::new(&shape, window),
            waits: Waits::new(terminals),
            ledger: None,
            observation: Observation {
                window,
                created: 0,
                injected: 0,
                delivered: 0,
                lost: [0; Loss::ALL.len()],
                last_injection: None,
                last_delivery: None,
                last_head: None,
                backlog: [0; 2],
                latency: Histogram::new(),
                network_latency: Histogram::new(),
                latency_by_creation: BatchMeans::new(window),
                network_latency_by_creation: BatchMeans::new(window),
                by_class: Vec::new(),
                by_distance: Vec::new(),
                latency_by_delivery: BatchMeans::new(window),
                exact: None,
                clocking: None,
                words_created: BatchMeans::new(window),
                words_delivered: BatchMeans::new(window),
                measured_cycles: 0,
                hops: 0,
                deroutes: 0,
                hops_in_window: 0,
                deroutes_in_window: 0,
                all_deroutes: 0,
                all_hops: 0,
                node_packet_cycles: Vec::new(),
                queue_packet_cycles: Vec::new(),
                queue_max: vec![0; nodes],
                buffer_word_cycles: Vec::new(),
                buffer_max: vec![0; nodes],
                node_deliveries: vec![0; nodes],
                throughput: Throughput::new(terminals),
                longest_wait_cycles: Vec::new(),
                link_words: vec![0; nodes * shape.ports()],
                activity: Activity::default(),
                synchronizers: None,
            },
            shape,
        }
    }

    /// How much a packet of this many words adds to the node that it is in.
    #[inline]
    fn load_of(&self, words: u16) -> i64 {
        if self.lone_words { words.into() } else { 1 }
    }

    /// The cycle after the latest delivery so far.
    pub fn after_last_delivery(&self) -> Cycle {
        self.observation
            .last_delivery
            .map_or(Cycle::ZERO, |last| last + 1)
    }

    /// The sums, at the end of a run that reached `end`; a longer window is cut there.
    pub fn finish(self, end: Cycle) -> Observation {
        let window = self.observation.window;
        let end = end.min(window.end());
        let (all, by_class, by_distance) = self.latencies.finish();
        // Packets that remain were counted up to the window's end.
        let missing = i64::from(window.end().since(end.max(window.start())));
        Observation {
            measured_cycles: end.since(window.start()),
            latency: all.latency,
            latency_by_creation: all.by_creation,
            by_class,
            by_distance,
            exact: self.stopwatch.map(|watch| Box::new(watch.finish())),
            clocking: self.clocking.map(|counter| counter.finish(end)),
            node_packet_cycles: self.held.finish(missing),
            queue_packet_cycles: self.queued.finish(missing),
            buffer_word_cycles: self.buffered.finish(missing),
            longest_wait_cycles: self.waits.finish(window, end),
            ..self.observation
        }
    }

    /// A node's cycle on the nominal clock.
    #[inline]
    fn reference(&self, cycle: Cycle) -> Cycle {
        Cycle((i64::from(cycle.get()) + self.shift) as u32)
    }

    /// Cycles of the window from `cycle` on.
    #[inline]
    fn left_of_window(&self, cycle: Cycle) -> i64 {
        let Observation { window, .. } = &self.observation;
        i64::from(window.end().since(cycle.max(window.start())))
    }

    #[inline(never)]
    fn moved(&mut self, node: NodeId, cycle: Cycle, (from, to): (Place, Place), deroute: bool) {
        let left = self.left_of_window(cycle);
        let sums = &mut self.observation;
        sums.all_deroutes += u64::from(deroute);
        let counts = u64::from(sums.window.contains(cycle));
        sums.deroutes_in_window += counts & u64::from(deroute);
        sums.activity.decisions += counts;
        if matches!(from, Place::Queue | Place::SideBuffer) {
            sums.activity.restored += counts;
        }
        if matches!(to, Place::Queue | Place::SideBuffer) {
            sums.activity.stored += counts;
        }
        if from == Place::Queue {
            self.queued.change(node, -1, left);
        }
        if to == Place::Queue {
            let queued = self.queued.change(node, 1, left);
            let max = &mut sums.queue_max[node.index()];
            *max = (*max).max(u32::try_from(queued).unwrap_or(0));
        }
    }

    #[inline(never)]
    fn delivered(&mut self, node: NodeId, cycle: Cycle, packet: &Packet) {
        let held = self.load_of(packet.words);
        self.held.change(node, -held, self.left_of_window(cycle));
        if let Some(ledger) = &self.ledger {
            ledger.delivered(cycle, packet);
        }
        let sums = &mut self.observation;
        sums.delivered += 1;
        sums.last_delivery = sums.last_delivery.max(Some(cycle));
        let latency = packet.latency(cycle);
        let created = sums.words_created.part(packet.created);
        let delivered = sums.words_delivered.part(cycle);
        if let Some(watch) = &mut self.stopwatch {
            watch.delivered(packet, self.now_ps, (created, delivered));
        }
        if let Some(part) = delivered {
            sums.node_deliveries[node.index()] += 1;
            sums.latency_by_delivery.record_in(part, latency);
            sums.words_delivered.record_in(part, packet.words.into());
            sums.activity.delivered_words += u64::from(packet.words);
            sums.throughput.deliver(packet);
        }
        if let Some(part) = created {
            let network = packet.network_latency(cycle);
            sums.network_latency.record(network);
            sums.network_latency_by_creation.record_in(part, network);
            sums.hops += u64::from(packet.hops);
            sums.deroutes += u64::from(packet.deroutes);
            self.latencies.record(&self.shape, packet, part, latency);
        }
    }

    /// A packet is lost. Over a link it counts for the node at the far end until its last word would have come there.
    #[cold]
    #[inline(never)]
    fn lost(&mut self, node: NodeId, cycle: Cycle, packet: &Packet, port: Port) {
        let held = self.load_of(packet.words);
        let (at, since) = match self.shape.neighbour(node, port) {
            Some(far) => {
                let own_cycles = self.shape.link_cycles(node, port);
                (far, cycle + own_cycles.unwrap_or(self.link_latency_cycles))
            }
            None => (node, cycle),
        };
        self.held.change(at, -held, self.left_of_window(since));
        let loss = packet.loss.expect("a lost packet says why");
        self.observation.lost[loss as usize] += 1;
    }

    /// The last word of a worm leaves over a link; its words count as if they had followed each other one per
    /// cycle.
    #[inline(never)]
    fn carried(&mut self, node: NodeId, tail: Cycle, port: Port, words: u16) {
        let after = tail + 1;
        let words = self.left_of_window(after - u32::from(words)) - self.left_of_window(after);
        let link = node.index() * self.link_ports + port.index();
        self.observation.link_words[link] += words as u64;
        self.observation.activity.link_words += words as u64;
    }

    /// A packet, or a word on its own, changes nodes when its head arrives.
    #[inline(never)]
    fn crossed(&mut self, node: NodeId, head: Cycle, port: Port) {
        let own_cycles = self.shape.link_cycles(node, port);
        let cycles = own_cycles.unwrap_or(self.link_latency_cycles);
        let arrives = self.left_of_window(head + cycles);
        let far = self
            .shape
            .neighbour(node, port)
            .expect("heads leave over links that exist");
        let sums = &mut self.observation;
        sums.all_hops += 1;
        sums.hops_in_window += u64::from(sums.window.contains(head));
        sums.last_head = sums.last_head.max(Some(head));
        self.held.change(node, -1, arrives);
        self.held.change(far, 1, arrives);
    }
}

impl Probe for Observer {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Buffered)
    }

    fn tick(&mut self, _: NodeId, local: Cycle, at: Moment) {
        self.shift = i64::from(at.reference.get()) - i64::from(local.get());
        self.now_ps = at.ps;
    }

    fn stepped(&mut self, _: NodeId, begin: Moment, took_ps: u64) {
        if let Some(counter) = &mut self.clocking {
            counter.stepped(begin, took_ps);
        }
    }

    fn clocks(&mut self, reference: Cycle, before: ClockTicks) {
        let after_last = self.after_last_delivery();
        if let Some(counter) = &mut self.clocking {
            counter.clocks(reference, before, after_last);
        }
    }

    /// Each kind of event has a function of its own, which saves only the registers that it needs, and most
    /// need few. What remains here is the one function that an engine calls for an event.
    #[inline(always)]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let cycle = self.reference(cycle);
        match &event {
            Event::Injected { packet } => self.injected(node, cycle, packet),
            Event::Moved {
                from, to, deroute, ..
            } => self.moved(node, cycle, (*from, *to), *deroute),
            Event::Head { port, .. } if *port < self.local => {
                self.crossed(node, cycle, *port);
            }
            Event::Delivered { packet } => self.delivered(node, cycle, packet),
            Event::Lost { packet, port } => self.lost(node, cycle, packet, *port),
            Event::Tail { port, words, .. } if *port < self.local => {
                self.carried(node, cycle, *port, *words);
            }
            Event::Head { .. } | Event::Tail { .. } | Event::Freed { .. } => {}
        }
    }

    fn sampled(&mut self, _: NodeId, at: Moment, sampled: Sampled) {
        let all = self.observation.synchronizers.get_or_insert_default();
        if self.observation.window.contains(at.reference) {
            all.count(sampled);
        }
    }

    #[inline]
    fn buffered(&mut self, node: NodeId, cycle: Cycle, words: u32) {
        let left = self.left_of_window(self.reference(cycle));
        self.buffered.set(node, words.into(), left);
        let max = &mut self.observation.buffer_max[node.index()];
        *max = (*max).max(words);
    }

    fn left_over(&mut self, source: TerminalId, created: Cycle, words: u16, packets: u64) {
        self.made(source, created, (words, packets), None);
    }

    fn take_back(&mut self, node: NodeId, cycle: Cycle, packet: &Packet) {
        self.never_injected(node, cycle, packet);
    }
}
