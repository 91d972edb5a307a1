//! The clocked engine: globally asynchronous, locally synchronous.
//!
//! Each node is stepped at the ticks of its domain's clock, independently of all others, and counts them as its
//! local cycles; links and synchronizers carry words from one clock to the next. A self-timed node is stepped when
//! something has come or is left to do and its last step is over (`wake`). Time is counted in whole picoseconds.
//! Sources run on the nominal clock, whose cycles are the reference cycles.
//!
//! ```text
//!   calendar ──▶ domains that tick now ──▶ their nodes, in a freshly shuffled order
//!      ▲         self-timed nodes            │ what the links show them at this tick
//!      │                                     ▼
//!      │                                   step ──▶ links ──▶ seen at later ticks
//!      └── a self-timed node, when something will stand at its ports ◀─┘
//! ```
//!
//! A link takes at least a picosecond, so nothing that nodes do at one instant depends on the order in which they
//! are visited. Events are reported in the order of time, with the local cycles of their nodes.
//!
//! A node whose router must send on what arrives is held while one of its links is full: its clock and its
//! synchronizers tick, but no local cycle passes and nothing is taken. The links of such networks need enough
//! capacity, or held nodes may wait for each other forever: see [`Clocks::least_capacity_words`].
//!
//! The end of a run, `demand.end` times the nominal period, must lie below 2^63 ps, and no clock may tick more than
//! [`Cycle::LAST`] times before it. Whoever makes the clocks refuses anything beyond.

mod calendar;
mod crossing;
mod domains;
mod draws;
mod fifos;
mod heap;
mod order;
mod oscillator;
mod reference;
mod rights;
mod source;
mod tick;
mod wake;
mod work;

use crate::calls::Calls;
use crate::delivered::Deliveries;
use crate::prefetch::prefetch;
use crate::{Control, Ended, Engine, Outcome, Progress, Stopped};
use calendar::Calendar;
use crossing::{Links, Seen};
use domains::{Domain, Domains, Driver};
use flitwork_network::{Clocks, Demand, Network};
use flitwork_node::{Event, Inputs, Outputs, Probe, Site, Stepped, Wait};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Moment, NodeId, Packets, PortSet, Word};
use order::scattered;
use reference::Reference;
use rights::Rights;
use source::Sources;
use wake::Wakes;
use work::{Late, Recording};

/// How many domains ahead the memory of nodes is prefetched.
const AHEAD: usize = 2;

/// A run of a network whose nodes have clocks of their own.
pub struct Clocked<'a, T, R: Stepped, P> {
    network: &'a Network<T, R>,
    nodes: Vec<R::Node>,
    packets: Packets,
    probe: P,
    sources: Sources,
    deliveries: Deliveries,
    links: Links,
    rights: Rights,
    calendar: Calendar,
    domains: Vec<Domain>,
    domain_of: Vec<u32>,
    /// The nodes, grouped by their domains.
    members: Vec<NodeId>,
    /// Whether each node holds anything, and how many nodes do.
    busy: Vec<bool>,
    busy_nodes: usize,
    /// The ticks in which each node was held, if nodes can be held at all.
    held: Vec<u32>,
    /// What self-timed nodes need; nothing if there are none.
    wakes: Option<Wakes>,
    reference: Reference,
    steps: u64,
    /// Sources that a delivery has woken.
    woken: Vec<NodeId>,
    /// Deliveries at the end of the steps of the domain whose turn it is.
    late: Vec<Late>,
    /// What the node that is being stepped receives and sends, by port.
    inbox: Vec<Word>,
    inbox_channels: Vec<u8>,
    outbox: Vec<Word>,
    outbox_channels: Vec<u8>,
    /// Keys the order in which nodes are visited.
    shuffle: u64,
}

/// The tick of a domain.
#[derive(Clone, Copy)]
struct Tick {
    number: u32,
    seen: Seen,
    reference: Cycle,
}

impl<T: Topology, R: Stepped, P: Probe> Engine for Clocked<'_, T, R, P> {
    type Probe = P;

    fn run(&mut self, control: Control<'_>) -> Outcome {
        let end = self.sources.end();
        let (mut ticks, mut calls) = (0, Calls::default());
        let ended = loop {
            let Some((now_ps, due)) = self.calendar.pop() else {
                // Every node is self-timed, and sleeps.
                break match self.is_empty() {
                    true => Ended::Empty,
                    false => Ended::Stuck,
                };
            };
            self.reference.advance(now_ps);
            if self.reference.cycle >= end {
                break Ended::Deadline;
            }
            self.sources.demand.review_if_due(self.reference.cycle);
            if self.is_empty() {
                break Ended::Empty;
            }
            if calls.are_due(ticks)
                && control(Progress::at(self.reference.cycle, self.packets.len())).is_break()
            {
                break Ended::Interrupted;
            }
            self.prepare(due.end + AHEAD);
            for place in scattered(due.len(), self.shuffle, now_ps) {
                ticks += self.turn(due.start + place, now_ps);
            }
        };
        let (cycle, until) = match ended {
            Ended::Interrupted => (self.reference.cycle + 1, self.reference.cycle + 1),
            _ => (self.reference.cycle, end),
        };
        let go_on = &mut || control(Progress::counting(cycle));
        let remains = self.sources.leave_over(until, &mut self.probe, go_on);
        let stopped = Stopped {
            ended,
            cycle,
            in_network: self.deliveries.in_network(),
            steps: self.steps,
        };
        Outcome::of(self.sources.demand.aim(), stopped, remains)
    }

    /// Each node is asked about its own current cycle.
    fn waits(&self, _: Cycle) -> Vec<Wait> {
        let nodes = self.nodes.iter().enumerate();
        let waits = nodes.flat_map(|(index, state)| {
            let node = NodeId(index as u32);
            let now = match &self.domains[self.domain_of[index] as usize].driver {
                Driver::Ticks(ticker) => self.local(node, ticker.ticks()),
                Driver::Wakes(waker) => waker.cycle(),
            };
            self.network.router.waits(node, state, &self.packets, now)
        });
        waits.collect()
    }

    fn into_probe(self) -> P {
        self.probe
    }
}

impl<'a, T: Topology, R: Stepped, P: Probe> Clocked<'a, T, R, P> {
    /// A run that has not begun. `demand` and the outcome count reference cycles, those of the nominal clock.
    /// `shuffle` keys the order in which nodes that tick at the same instant are visited; it must not matter. The
    /// network's link latency is not used: links take the latency that `clocks` gives, or their own in nominal
    /// cycles.
    ///
    /// # Panics
    /// If `clocks` gives a node no domain, or one that it does not describe.
    pub fn new(
        network: &'a Network<T, R>,
        clocks: Clocks,
        demand: Demand,
        probe: P,
        shuffle: u64,
    ) -> Clocked<'a, T, R, P> {
        let (topology, router) = (&network.topology, &network.router);
        let count = topology.nodes();
        assert_eq!(
            clocks.domain_of.len(),
            count as usize,
            "each node has a domain"
        );
        let packet_words = router.packet_words();
        let nodes = router.nodes();
        let busy: Vec<bool> = nodes.iter().map(|state| !router.is_idle(state)).collect();
        let held = if router.credit_words().is_none() {
            count
        } else {
            0
        };
        let links = Links::new(topology, &clocks, router.credit_words());
        let queue = topology.ports() + 1;
        let wakes = Wakes::of(&clocks, queue, router.patience_cycles());
        let Domains {
            domains,
            domain_of,
            members,
            calendar,
        } = Domains::new(&clocks);
        let deliveries = Deliveries::new(demand.workload.as_ref());
        let sources = Sources::new(demand, count, packet_words);
        let mut clocked = Clocked {
            nodes,
            packets: Packets::new(),
            probe,
            deliveries,
            sources,
            wakes,
            links,
            rights: Rights::new(network),
            calendar,
            domains,
            domain_of,
            members,
            busy_nodes: busy.iter().filter(|busy| **busy).count(),
            busy,
            held: vec![0; held as usize],
            reference: Reference::new(clocks.nominal_ps),
            steps: 0,
            woken: Vec::new(),
            late: Vec::new(),
            inbox: vec![Word::BLANK; topology.ports() + 1],
            inbox_channels: vec![0; topology.ports() + 1],
            outbox: vec![Word::BLANK; topology.ports() + 1],
            outbox_channels: vec![0; topology.ports() + 1],
            shuffle,
            network,
        };
        clocked.plan_all();
        clocked
    }

    /// Whether nothing more can happen: no packet is in the network or to come, and no credit is under way.
    #[inline]
    fn is_empty(&self) -> bool {
        self.packets.is_empty()
            && self.busy_nodes == 0
            && self.links.are_empty()
            && self.sources.are_done(self.reference.cycle)
    }

    /// A node's own count of cycles in tick `number` of its domain.
    #[inline]
    fn local(&self, node: NodeId, number: u32) -> Cycle {
        Cycle(number - self.held.get(node.index()).copied().unwrap_or(0))
    }

    /// Prefetches the first node of the domain at a later place in the calendar, and a still later domain, if they
    /// are known already.
    #[inline]
    fn prepare(&self, place: usize) {
        if let Some(domain) = self.calendar.domain(place + AHEAD) {
            prefetch(&self.domains, domain as usize);
        }
        if let Some(domain) = self.calendar.domain(place) {
            let first = self.domains[domain as usize].first;
            prefetch(&self.nodes, self.members[first as usize].index());
        }
    }

    /// It is the turn of the domain at a place in the calendar. Returns how many nodes it has.
    #[inline]
    fn turn(&mut self, place: usize, now_ps: u64) -> u64 {
        let domain = self.calendar.domain(place).expect("a domain was popped");
        let Domain {
            driver,
            first,
            nodes,
        } = &mut self.domains[domain as usize];
        let (first, count) = (*first as usize, *nodes as usize);
        let Driver::Ticks(ticker) = driver else {
            self.wake(domain, now_ps);
            return 1;
        };
        let tick = Tick {
            number: ticker.ticks(),
            seen: Seen {
                shared_ps: now_ps,
                crossed_ps: ticker.synchronized_ps(now_ps),
            },
            reference: self.reference.cycle,
        };
        let next_ps = ticker.next_ps(now_ps);
        for place in scattered(count, self.shuffle, now_ps ^ u64::from(domain) << 32) {
            self.visit(self.members[first + place], tick);
        }
        self.calendar.push(domain, next_ps);
        let end = Moment {
            reference: tick.reference + 1,
            ps: next_ps,
        };
        self.report_late(end);
        count as u64
    }

    /// Reports what was delivered at the end of steps.
    #[inline]
    fn report_late(&mut self, end: Moment) {
        if self.late.is_empty() {
            return;
        }
        for (node, now, packet) in self.late.drain(..) {
            self.probe.tick(node, now + 1, end);
            let delivered = Event::Delivered { packet };
            self.probe.event(node, now + 1, delivered);
        }
    }

    /// A tick of one node. A node that holds nothing and receives nothing is not stepped: its cycle passes.
    #[inline]
    fn visit(&mut self, node: NodeId, tick: Tick) {
        let ends = self.links.ends(node);
        let (words, credits) = (!ends.words.is_empty(), !ends.credits.is_empty());
        if !ends.taken.is_empty() {
            self.links.learn(node, tick.seen);
        }
        if let Some(held) = self.held.get_mut(node.index())
            && !self.links.ends(node).full.is_empty()
        {
            *held += 1;
            return;
        }
        let busy = self.busy[node.index()];
        let due = self.sources.are_due(node, tick.reference);
        if !busy && !due && !words && !credits {
            if !self.rights.are_none() {
                self.pass_idle_rights(node, tick);
            }
            return;
        }
        let (came, credited) = self.take(node, tick.seen, due);
        if busy || !came.is_empty() || !credited.is_empty() {
            self.tick(node, tick, came, credited);
        } else if !self.rights.are_none() {
            self.pass_idle_rights(node, tick);
        }
    }

    /// Takes what a node sees at its ports, and a word of its source if that may have one: the ports at which words
    /// came, and those at which credits did.
    #[inline]
    fn take(&mut self, node: NodeId, seen: Seen, due: bool) -> (PortSet, PortSet) {
        let ends = self.links.ends(node);
        let (words, credits) = (!ends.words.is_empty(), !ends.credits.is_empty());
        let mut came = PortSet::EMPTY;
        if words {
            came = self.links.take_words(node, seen, &mut self.inbox);
            if self.links.are_bounded() {
                for port in came.iter() {
                    let topology = &self.network.topology;
                    let taken = self
                        .links
                        .report_taken(topology, (node, port), seen.shared_ps);
                    self.call(taken);
                }
            }
        }
        let mut credited = PortSet::EMPTY;
        if credits {
            let channels = &mut self.inbox_channels;
            credited = self.links.take_credits(node, seen, channels);
        }
        let reference = self.reference.cycle;
        if due && let Some(word) = self.sources.step(node, reference, &mut self.packets) {
            let local = self.network.topology.local();
            self.inbox[local.index()] = word;
            came.insert(local);
        }
        (came, credited)
    }

    /// A local cycle of a node that a clock steps, whose inbox is filled.
    #[inline]
    fn tick(&mut self, node: NodeId, tick: Tick, arrived: PortSet, credits: PortSet) {
        let now = self.local(node, tick.number);
        let is_half_duplex = !self.rights.are_none();
        let mut sendable = PortSet(!self.links.ends(node).full.0);
        if is_half_duplex {
            sendable.0 &= self.take_rights(node, now, arrived, tick.seen).0;
        }
        let now_ps = tick.seen.shared_ps;
        let inputs = (arrived, credits, sendable);
        let (sent, credits) = self.step(node, (now, now_ps), inputs, false);
        self.send(node, now_ps, (sent, credits));
        if is_half_duplex {
            self.pass_rights(node, now, sent, now_ps);
        }
        let reference = tick.reference;
        self.report_deliveries(|cycle| reference + cycle.since(now));
    }

    /// A local cycle of a node whose inbox is filled, `now`, which begins at `now_ps`: the ports at which words and
    /// credits go out. If the node is self-timed, its work is recorded.
    #[inline]
    fn step(
        &mut self,
        node: NodeId,
        (now, now_ps): (Cycle, u64),
        (arrived, credits, sendable): (PortSet, PortSet, PortSet),
        is_self_timed: bool,
    ) -> (PortSet, PortSet) {
        self.steps += 1;
        let begin = Moment {
            reference: self.reference.cycle,
            ps: now_ps,
        };
        self.probe.tick(node, now, begin);
        let mut outputs = Outputs::new(&mut self.outbox, &mut self.outbox_channels);
        let inputs = Inputs {
            arrived,
            words: &self.inbox,
            credits,
            credit_channels: &self.inbox_channels,
            sendable,
        };
        let wakes = self.wakes.as_mut().filter(|_| is_self_timed);
        let mut recording = Recording {
            deliveries: &mut self.deliveries,
            probe: &mut self.probe,
            now,
            late: &mut self.late,
            work: wakes.map(|wakes| &mut wakes.work),
            queue: self.network.topology.ports() + 1,
        };
        let mut site = Site {
            node,
            packets: &mut self.packets,
            probe: &mut recording,
        };
        let (router, state) = (&self.network.router, &mut self.nodes[node.index()]);
        router.step(state, now, &inputs, &mut outputs, &mut site);
        let (sent, credits) = (outputs.sent, outputs.credits);
        let (moved, queued) = (outputs.moved, outputs.queued);
        if let Some(work) = recording.work {
            work.words = PortSet(arrived.0 | sent.0 | moved.0);
            (work.queued, work.credits) = (queued, credits);
        }
        let busy = !router.is_idle(state);
        self.busy_nodes =
            self.busy_nodes + usize::from(busy) - usize::from(self.busy[node.index()]);
        self.busy[node.index()] = busy;
        (sent, credits)
    }

    /// Reports to the traffic what a step delivered; `by_source` turns the node's cycles into those of the nominal clock.
    #[inline]
    fn report_deliveries(&mut self, by_source: impl Fn(Cycle) -> Cycle) {
        if self.deliveries.are_none() {
            return;
        }
        let Sources { demand, .. } = &mut self.sources;
        let mut woken = std::mem::take(&mut self.woken);
        self.deliveries
            .report(demand.workload.as_mut(), by_source, |node| woken.push(node));
        for node in woken.drain(..) {
            self.sources.wake(node);
            self.wake_source(node);
        }
        self.woken = woken;
    }

    /// Puts what a node has sent onto the links, at `at_ps`.
    #[inline]
    fn send(&mut self, node: NodeId, at_ps: u64, (sent, credits): (PortSet, PortSet)) {
        let topology = &self.network.topology;
        let local = topology.local();
        for port in sent.iter() {
            // What leaves through the local port goes to the processor.
            if port != local {
                let word = self.outbox[port.index()];
                let stands = self.links.send_word(topology, (node, port), word, at_ps);
                self.call(stands);
            }
        }
        for port in credits.iter() {
            if port == local {
                self.sources.free(node);
            } else {
                let channel = self.outbox_channels[port.index()];
                let links = &mut self.links;
                let stands = links.send_credit(topology, (node, port), channel, at_ps);
                self.call(stands);
            }
        }
    }
}
