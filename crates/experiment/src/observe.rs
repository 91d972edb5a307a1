//! What a run is measured by: a probe that adds up events.
//!
//! Sums are of integers and don't depend on the order of events, so two engines that tell the same
//! events give equal observations.

use flitwork_measure::{BatchMeans, Histogram, Window};
use flitwork_node::{Event, Place, Probe};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, Packet, Port};

/// Sums over a run and over its window. Latencies are in cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The cycles that count.
    pub window: Window,
    /// Packets created in the whole run, and those of them that entered the network and left it.
    pub created: u64,
    /// Packets that entered the network.
    pub injected: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// The last cycle in which a packet was delivered.
    pub last_delivery: Option<Cycle>,
    /// The last cycle in which a head left over a link.
    pub last_head: Option<Cycle>,
    /// Packets created in the window.
    pub created_in_window: u64,
    /// Packets delivered in the window.
    pub delivered_in_window: u64,
    /// Packets waiting at their sources when the window began, and when it ended.
    pub backlog: [u64; 2],
    /// From creation to delivery, of packets created in the window.
    pub latency: Histogram,
    /// From the injection frame to delivery, of the same packets.
    pub network_latency: Histogram,
    /// The same packets' latency by the cycle of their creation.
    pub latency_by_creation: BatchMeans,
    /// Latency of the packets delivered in the window, by the cycle of delivery.
    pub latency_by_delivery: BatchMeans,
    /// Words created in the window, by cycle.
    pub words_created: BatchMeans,
    /// Words delivered in the window, by cycle.
    pub words_delivered: BatchMeans,
    /// The window's cycles that were simulated.
    pub measured_cycles: u32,
    /// Hops of packets created in the window.
    pub hops: u64,
    /// Deroutes among them.
    pub deroutes: u64,
    /// All deroutes of the run.
    pub all_deroutes: u64,
    /// Hops of the whole run.
    pub all_hops: u64,
    /// Packet-cycles in each node, in the window.
    pub node_packet_cycles: Vec<i64>,
    /// Packet-cycles in each node's multiqueue, in the window.
    pub queue_packet_cycles: Vec<i64>,
    /// The most packets that each node's multiqueue held, in the whole run.
    pub queue_max: Vec<u32>,
    /// Packets delivered to each node, in the window.
    pub node_deliveries: Vec<u64>,
    /// Words that each node sent through each link port, in the window.
    pub link_words: Vec<u64>,
}

/// The probe. It must be told of a whole run.
#[derive(Clone, Debug)]
pub struct Observer {
    grid: Grid,
    link_latency_cycles: u32,
    /// Cycles from the node's count to the nominal clock's, for the events that come next.
    shift: i64,
    /// Packets in each node, and in each node's multiqueue.
    held: Vec<i64>,
    queued: Vec<u32>,
    observation: Observation,
}

impl Observer {
    /// An observer of a network's run.
    pub fn new(grid: &Grid, link_latency_cycles: u32, window: Window) -> Observer {
        let nodes = grid.nodes() as usize;
        Observer {
            link_latency_cycles,
            shift: 0,
            held: vec![0; nodes],
            queued: vec![0; nodes],
            observation: Observation {
                window,
                created: 0,
                injected: 0,
                delivered: 0,
                last_delivery: None,
                last_head: None,
                created_in_window: 0,
                delivered_in_window: 0,
                backlog: [0; 2],
                latency: Histogram::new(),
                network_latency: Histogram::new(),
                latency_by_creation: BatchMeans::new(window),
                latency_by_delivery: BatchMeans::new(window),
                words_created: BatchMeans::new(window),
                words_delivered: BatchMeans::new(window),
                measured_cycles: 0,
                hops: 0,
                deroutes: 0,
                all_deroutes: 0,
                all_hops: 0,
                node_packet_cycles: vec![0; nodes],
                queue_packet_cycles: vec![0; nodes],
                queue_max: vec![0; nodes],
                node_deliveries: vec![0; nodes],
                link_words: vec![0; nodes * grid.ports()],
            },
            grid: grid.clone(),
        }
    }

    /// Adds what another observer of the same run was told: that of other nodes, or of other cycles.
    pub fn merge(&mut self, other: Observer) {
        let (sums, more) = (&mut self.observation, other.observation);
        sums.created += more.created;
        sums.injected += more.injected;
        sums.delivered += more.delivered;
        sums.last_delivery = sums.last_delivery.max(more.last_delivery);
        sums.last_head = sums.last_head.max(more.last_head);
        sums.created_in_window += more.created_in_window;
        sums.delivered_in_window += more.delivered_in_window;
        sums.latency.merge(&more.latency);
        sums.network_latency.merge(&more.network_latency);
        sums.latency_by_creation.merge(&more.latency_by_creation);
        sums.latency_by_delivery.merge(&more.latency_by_delivery);
        sums.words_created.merge(&more.words_created);
        sums.words_delivered.merge(&more.words_delivered);
        sums.hops += more.hops;
        sums.deroutes += more.deroutes;
        sums.all_deroutes += more.all_deroutes;
        sums.all_hops += more.all_hops;
        add(&mut sums.backlog, &more.backlog);
        add(&mut sums.node_packet_cycles, &more.node_packet_cycles);
        add(&mut sums.queue_packet_cycles, &more.queue_packet_cycles);
        add(&mut sums.node_deliveries, &more.node_deliveries);
        add(&mut sums.link_words, &more.link_words);
        for (most, other) in sums.queue_max.iter_mut().zip(more.queue_max) {
            *most = (*most).max(other);
        }
        add(&mut self.held, &other.held);
        add(&mut self.queued, &other.queued);
    }

    /// The cycle after that in which the last packet so far was delivered.
    pub fn after_last_delivery(&self) -> Cycle {
        self.observation
            .last_delivery
            .map_or(Cycle::ZERO, |last| last + 1)
    }

    /// The sums, at the end of a run that reached `end`. A window that reaches further is cut there.
    pub fn finish(mut self, end: Cycle) -> Observation {
        let window = self.observation.window;
        let end = end.min(window.end());
        self.observation.measured_cycles = end.since(window.start());
        // Packets still there were counted up to the window's end.
        let missing = i64::from(window.end().since(end.max(window.start())));
        let queues = self
            .observation
            .queue_packet_cycles
            .iter_mut()
            .zip(&self.queued);
        queues.for_each(|(sum, left)| *sum -= missing * i64::from(*left));
        let nodes = self
            .observation
            .node_packet_cycles
            .iter_mut()
            .zip(&self.held);
        nodes.for_each(|(sum, left)| *sum -= missing * left);
        self.observation
    }

    /// Cycles of the window from `cycle` on.
    #[inline]
    fn left_of_window(&self, cycle: Cycle) -> i64 {
        let Observation { window, .. } = &self.observation;
        i64::from(window.end().since(cycle.max(window.start())))
    }

    fn made(&mut self, created: Cycle, words: u16, injected: Option<Cycle>) {
        let sums = &mut self.observation;
        sums.created += 1;
        sums.injected += u64::from(injected.is_some());
        sums.created_in_window += u64::from(sums.window.contains(created));
        sums.words_created.record(created, words.into());
        for (at, sum) in [sums.window.start(), sums.window.end()]
            .iter()
            .zip(&mut sums.backlog)
        {
            let waits = created < *at && injected.is_none_or(|injected| injected >= *at);
            *sum += u64::from(waits);
        }
    }

    fn delivered(&mut self, node: NodeId, cycle: Cycle, packet: Packet) {
        let sums = &mut self.observation;
        sums.delivered += 1;
        sums.last_delivery = sums.last_delivery.max(Some(cycle));
        let latency = packet.latency(cycle);
        if sums.window.contains(cycle) {
            sums.delivered_in_window += 1;
            sums.node_deliveries[node.index()] += 1;
            sums.latency_by_delivery.record(cycle, latency);
            sums.words_delivered.record(cycle, packet.words.into());
        }
        if sums.window.contains(packet.created) {
            sums.latency.record(latency);
            sums.network_latency.record(packet.network_latency(cycle));
            sums.latency_by_creation.record(packet.created, latency);
            sums.hops += u64::from(packet.hops);
            sums.deroutes += u64::from(packet.deroutes);
        }
    }

    /// The last of a worm's words leaves over a link: they count as if they had followed each other one a
    /// cycle.
    fn carried(&mut self, node: NodeId, tail: Cycle, port: Port, words: u16) {
        let after = tail + 1;
        let words = self.left_of_window(after - u32::from(words)) - self.left_of_window(after);
        let link = node.index() * self.grid.ports() + port.index();
        self.observation.link_words[link] += words as u64;
    }

    /// A packet changes nodes as its head arrives.
    fn crossed(&mut self, node: NodeId, head: Cycle, port: Port) {
        let arrives = self.left_of_window(head + self.link_latency_cycles);
        let far = self
            .grid
            .neighbour(node, port)
            .expect("heads leave over links that exist");
        let sums = &mut self.observation;
        sums.all_hops += 1;
        sums.last_head = sums.last_head.max(Some(head));
        sums.node_packet_cycles[node.index()] -= arrives;
        sums.node_packet_cycles[far.index()] += arrives;
        self.held[node.index()] -= 1;
        self.held[far.index()] += 1;
    }
}

fn add<N: Copy + std::ops::AddAssign>(sums: &mut [N], more: &[N]) {
    sums.iter_mut()
        .zip(more)
        .for_each(|(sum, more)| *sum += *more);
}

impl Probe for Observer {
    fn tick(&mut self, _: NodeId, local: Cycle, reference: Cycle) {
        self.shift = i64::from(reference.get()) - i64::from(local.get());
    }

    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let cycle = Cycle((i64::from(cycle.get()) + self.shift) as u32);
        match event {
            Event::Injected { packet } => {
                self.made(packet.created, packet.words, Some(cycle));
                let left = self.left_of_window(cycle);
                self.observation.node_packet_cycles[node.index()] += left;
                self.held[node.index()] += 1;
            }
            Event::Moved {
                from, to, deroute, ..
            } => {
                let left = self.left_of_window(cycle);
                let sums = &mut self.observation;
                sums.all_deroutes += u64::from(deroute);
                if from == Place::Queue {
                    self.queued[node.index()] -= 1;
                    sums.queue_packet_cycles[node.index()] -= left;
                }
                if to == Place::Queue {
                    self.queued[node.index()] += 1;
                    sums.queue_packet_cycles[node.index()] += left;
                    let max = &mut sums.queue_max[node.index()];
                    *max = (*max).max(self.queued[node.index()]);
                }
            }
            Event::Head { port, .. } if port != self.grid.local() => {
                self.crossed(node, cycle, port);
            }
            Event::Delivered { packet } => {
                let left = self.left_of_window(cycle);
                self.observation.node_packet_cycles[node.index()] -= left;
                self.held[node.index()] -= 1;
                self.delivered(node, cycle, packet);
            }
            Event::Tail { port, words, .. } if port != self.grid.local() => {
                self.carried(node, cycle, port, words);
            }
            Event::Head { .. } | Event::Tail { .. } | Event::Freed { .. } => {}
        }
    }

    fn left_over(&mut self, _: NodeId, created: Cycle, words: u16) {
        self.made(created, words, None);
    }
}
