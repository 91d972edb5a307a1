//! The clocked engine: globally asynchronous, locally synchronous.
//!
//! Each node is stepped at the ticks of its domain's clock, independently of all others, and counts them as its
//! local cycles; links and synchronizers carry words from one clock to the next. Time is counted in whole
//! picoseconds. Sources run on the nominal clock, whose cycles are the reference cycles.
//!
//! ```text
//!   calendar ──▶ domains that tick now ──▶ their nodes, in a freshly shuffled order
//!                                            │ what the links show them at this tick
//!                                            ▼
//!                                          step ──▶ links ──▶ seen at later ticks
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
mod decisions;
mod fifos;
mod order;
mod oscillator;
mod rights;
mod source;
mod tick;

use crate::calls::Calls;
use crate::delivered::Deliveries;
use crate::prefetch::prefetch;
use crate::{Control, Ended, Engine, Outcome, Progress, Stopped};
use calendar::Calendar;
use crossing::{Links, Seen};
use decisions::{Decisions, Late};
use flitwork_network::{Clocks, Demand, Network};
use flitwork_node::{Event, Inputs, Outputs, Probe, Site, Stepped, Wait};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Moment, NodeId, Packets, PortSet, Word};
use order::scattered;
use rights::Rights;
use source::Sources;
use tick::{Did, Ticker};

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
    reference: Reference,
    steps: u64,
    /// Sources that a delivery has woken.
    woken: Vec<NodeId>,
    /// Deliveries at the end of the steps of the domain that ticks.
    late: Vec<Late>,
    /// What the node that is being stepped receives and sends, by port.
    inbox: Vec<Word>,
    inbox_channels: Vec<u8>,
    outbox: Vec<Word>,
    outbox_channels: Vec<u8>,
    /// Keys the order in which nodes are visited.
    shuffle: u64,
}

/// A clock and the nodes that it steps.
struct Domain {
    ticker: Ticker,
    /// Where its nodes begin in the list of members, and how many there are.
    first: u32,
    nodes: u32,
}

/// The tick of a domain.
#[derive(Clone, Copy)]
struct Tick {
    number: u32,
    seen: Seen,
    reference: Cycle,
}

/// The nominal clock: the cycle that contains the current time.
struct Reference {
    cycle: Cycle,
    nominal_ps: u64,
    /// When that cycle ends, in ps.
    ends_ps: u64,
}

impl Reference {
    #[inline]
    fn advance(&mut self, now_ps: u64) {
        if now_ps < self.ends_ps {
            return;
        }
        let cycle = now_ps / self.nominal_ps;
        self.ends_ps = (cycle + 1).saturating_mul(self.nominal_ps);
        // The run ends before the first cycle that does not fit.
        self.cycle = Cycle(cycle.min(Cycle::NEVER.0.into()) as u32);
    }
}

impl<T: Topology, R: Stepped, P: Probe> Engine for Clocked<'_, T, R, P> {
    type Probe = P;

    fn run(&mut self, control: Control<'_>) -> Outcome {
        let end = self.sources.end();
        let (mut ticks, mut calls) = (0, Calls::default());
        let ended = loop {
            let Some((now_ps, due)) = self.calendar.pop() else {
                break Ended::Empty;
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
                ticks += self.tick(due.start + place, now_ps);
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
            let ticker = &self.domains[self.domain_of[index] as usize].ticker;
            let now = self.local(node, ticker.ticks());
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
        let (domains, members, calendar) = domains(&clocks);
        Clocked {
            nodes,
            packets: Packets::new(),
            probe,
            deliveries: Deliveries::new(demand.workload.as_ref()),
            sources: Sources::new(demand, count, packet_words),
            links: Links::new(topology, &clocks, router.credit_words()),
            rights: Rights::new(network),
            calendar,
            domains,
            domain_of: clocks.domain_of,
            members,
            busy_nodes: busy.iter().filter(|busy| **busy).count(),
            busy,
            held: vec![0; held as usize],
            reference: Reference {
                cycle: Cycle::ZERO,
                nominal_ps: clocks.nominal_ps.max(1),
                ends_ps: clocks.nominal_ps.max(1),
            },
            steps: 0,
            woken: Vec::new(),
            late: Vec::new(),
            inbox: vec![Word::BLANK; topology.ports() + 1],
            inbox_channels: vec![0; topology.ports() + 1],
            outbox: vec![Word::BLANK; topology.ports() + 1],
            outbox_channels: vec![0; topology.ports() + 1],
            shuffle,
            network,
        }
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

    /// Steps the nodes of the domain at a place in the calendar and enters its next tick. Returns how many nodes it
    /// has.
    #[inline]
    fn tick(&mut self, place: usize, now_ps: u64) -> u64 {
        let domain = self.calendar.domain(place).expect("a domain was popped");
        let Domain {
            ticker,
            first,
            nodes,
        } = &mut self.domains[domain as usize];
        let tick = Tick {
            number: ticker.ticks(),
            seen: Seen {
                shared_ps: now_ps,
                crossed_ps: ticker.synchronized_ps(now_ps),
            },
            reference: self.reference.cycle,
        };
        let (first, count) = (*first as usize, *nodes as usize);
        let mut did = Did::default();
        for place in scattered(count, self.shuffle, now_ps ^ u64::from(domain) << 32) {
            self.visit(self.members[first + place], tick, &mut did);
        }
        let ticker = &mut self.domains[domain as usize].ticker;
        let next_ps = ticker.next_ps(now_ps, did);
        self.calendar.push(domain, next_ps);
        if !self.late.is_empty() {
            self.report_late(tick, next_ps);
        }
        count as u64
    }

    /// Reports what was delivered at the end of a domain's steps, at `end_ps`.
    fn report_late(&mut self, tick: Tick, end_ps: u64) {
        let end = Moment {
            reference: tick.reference + 1,
            ps: end_ps,
        };
        for (node, now, packet) in self.late.drain(..) {
            self.probe.tick(node, now + 1, end);
            let delivered = Event::Delivered { packet };
            self.probe.event(node, now + 1, delivered);
        }
    }

    /// A tick of one node. A node that holds nothing and receives nothing is not stepped: its cycle passes.
    #[inline]
    fn visit(&mut self, node: NodeId, tick: Tick, did: &mut Did) {
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
        let mut came = PortSet::EMPTY;
        if words {
            let topology = &self.network.topology;
            let inbox = &mut self.inbox;
            came = self.links.take_words(topology, node, tick.seen, inbox);
        }
        let mut credited = PortSet::EMPTY;
        if credits {
            let channels = &mut self.inbox_channels;
            credited = self.links.take_credits(node, tick.seen, channels);
        }
        if due && let Some(word) = self.sources.step(node, tick.reference, &mut self.packets) {
            let local = self.network.topology.local();
            self.inbox[local.index()] = word;
            came.insert(local);
        }
        if busy || !came.is_empty() || !credited.is_empty() {
            did.word |= !came.is_empty();
            self.step(node, tick, came, credited, did);
        } else if !self.rights.are_none() {
            self.pass_idle_rights(node, tick);
        }
    }

    /// A local cycle of a node whose inbox is filled.
    #[inline]
    fn step(
        &mut self,
        node: NodeId,
        tick: Tick,
        arrived: PortSet,
        credits: PortSet,
        did: &mut Did,
    ) {
        self.steps += 1;
        let now = self.local(node, tick.number);
        let begin = Moment {
            reference: tick.reference,
            ps: tick.seen.shared_ps,
        };
        self.probe.tick(node, now, begin);
        let is_half_duplex = !self.rights.are_none();
        let mut sendable = PortSet(!self.links.ends(node).full.0);
        if is_half_duplex {
            sendable.0 &= self.take_rights(node, now, arrived, tick).0;
        }
        let mut outputs = Outputs::new(&mut self.outbox, &mut self.outbox_channels);
        let inputs = Inputs {
            arrived,
            words: &self.inbox,
            credits,
            credit_channels: &self.inbox_channels,
            sendable,
        };
        let mut decisions = Decisions {
            deliveries: &mut self.deliveries,
            probe: &mut self.probe,
            now,
            late: &mut self.late,
            decided: false,
        };
        let mut site = Site {
            node,
            packets: &mut self.packets,
            probe: &mut decisions,
        };
        let (router, state) = (&self.network.router, &mut self.nodes[node.index()]);
        router.step(state, now, &inputs, &mut outputs, &mut site);
        let (sent, credits) = (outputs.sent, outputs.credits);
        let busy = !router.is_idle(state);
        did.decision |= decisions.decided;
        self.busy_nodes =
            self.busy_nodes + usize::from(busy) - usize::from(self.busy[node.index()]);
        self.busy[node.index()] = busy;
        self.send(node, tick.seen.shared_ps, (sent, credits), did);
        if is_half_duplex {
            self.pass_rights(node, now, sent, tick);
        }
        self.report_deliveries(now, tick.reference);
    }

    /// Reports to the traffic what a step in a node's cycle `now` delivered, in cycles of the nominal clock.
    #[inline]
    fn report_deliveries(&mut self, now: Cycle, reference: Cycle) {
        let Sources { demand, .. } = &mut self.sources;
        let mut woken = std::mem::take(&mut self.woken);
        let by_source = |cycle: Cycle| reference + cycle.since(now);
        self.deliveries
            .report(demand.workload.as_mut(), by_source, |node| woken.push(node));
        woken.drain(..).for_each(|node| self.sources.wake(node));
        self.woken = woken;
    }

    /// Puts what a node has sent onto the links.
    #[inline]
    fn send(
        &mut self,
        node: NodeId,
        now_ps: u64,
        (sent, credits): (PortSet, PortSet),
        did: &mut Did,
    ) {
        let topology = &self.network.topology;
        let local = topology.local();
        did.word |= !sent.is_empty();
        for port in sent.iter() {
            // What leaves through the local port goes to the processor.
            if port != local {
                let word = self.outbox[port.index()];
                self.links.send_word(topology, (node, port), word, now_ps);
            }
        }
        for port in credits.iter() {
            if port == local {
                self.sources.free(node);
            } else {
                let channel = self.outbox_channels[port.index()];
                let links = &mut self.links;
                links.send_credit(topology, (node, port), channel, now_ps);
            }
        }
    }
}

/// The domains, their nodes grouped, and a calendar of those that have any.
fn domains(clocks: &Clocks) -> (Vec<Domain>, Vec<NodeId>, Calendar) {
    let mut members: Vec<NodeId> = (0..clocks.domain_of.len() as u32).map(NodeId).collect();
    members.sort_by_key(|node| clocks.domain_of[node.index()]);
    let last = members.last().map(|node| clocks.domain_of[node.index()]);
    assert!(
        last.is_none_or(|last| (last as usize) < clocks.domains.len()),
        "each domain is described"
    );
    let steps = || clocks.domains.iter().map(|clock| clock.step_ps());
    let shortest_ps = steps().map(|(shortest, _)| shortest).min().unwrap_or(1);
    let longest_ps = steps().map(|(_, longest)| longest).max().unwrap_or(1);
    let mut calendar = Calendar::new(clocks.domains.len(), shortest_ps, longest_ps);
    let edges = clocks.links.synchronizer_edges;
    let mut first = 0;
    let domains = (0u32..).zip(&clocks.domains).map(|(domain, clock)| {
        let ticker = Ticker::new(*clock, domain, clocks.seed, edges);
        let others = members[first..].iter();
        let nodes = others.take_while(|node| clocks.domain_of[node.index()] == domain);
        let nodes = nodes.count();
        if nodes > 0 {
            calendar.push(domain, ticker.first_ps());
        }
        first += nodes;
        Domain {
            ticker,
            first: (first - nodes) as u32,
            nodes: nodes as u32,
        }
    });
    (domains.collect(), members, calendar)
}
