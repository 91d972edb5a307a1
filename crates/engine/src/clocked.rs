//! The clocked engine: globally asynchronous, locally synchronous.
//!
//! Each node is stepped at the ticks of its domain's clock, independently of all others, and counts them as its
//! local cycles; links and synchronizers carry words from one clock to the next. A self-timed node is stepped when
//! something has come or is left to do and its last step is over (`wake`). Time is counted in whole picoseconds.
//! Sources run on the nominal clock, whose cycles are the reference cycles. While a clock is gated, no local cycle of
//! its nodes passes; the run goes on as long as anything ticks or is to come.
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
mod count;
mod domains;
mod draws;
mod ends;
mod exchange;
mod fifos;
mod links;
mod oscillator;
mod pause;
mod pipe;
mod reference;
mod reports;
mod rights;
mod run;
mod sampling;
mod source;
mod tick;
mod wake;
mod work;

use crate::calls::Calls;
use crate::delivered::Deliveries;
use crate::order::scattered;
use crate::prefetch::prefetch;
use crate::{Control, Ended, Progress};
use calendar::Calendar;
pub use count::ticks_between;
use domains::{Domain, Domains, Driver};
use ends::Seen;
use flitwork_network::{Clocks, Demand, Network};
use flitwork_node::{Inputs, Outputs, Probe, Site, WordRouter, step_in_detail};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Moment, NodeId, Packets, PortSet, TerminalId, Word};
use links::Links;
use oscillator::Next;
use pause::Pauses;
use reference::Reference;
use rights::Rights;
use sampling::Samplers;
use source::NominalSources;
use std::sync::Arc;
use wake::Wakes;
use work::{Late, Recording};

/// How many domains ahead the memory of nodes is prefetched.
const AHEAD: usize = 2;

/// A run of a network whose nodes have clocks of their own.
pub struct Clocked<T, R: WordRouter, P> {
    network: Arc<Network<T, R>>,
    nodes: Vec<R::Node>,
    packets: Packets,
    probe: P,
    sources: NominalSources,
    deliveries: Deliveries,
    links: Links,
    rights: Rights,
    pauses: Pauses,
    samplers: Samplers,
    /// Whether a tick is more than looking at what stands at the ports.
    looks_closely: bool,
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
    /// The ticks of all nodes with clocks, those of them in which something was done, and the steps of nodes without.
    clock_ticks: u64,
    working_ticks: u64,
    own_steps: u64,
    /// Sources that a delivery has woken.
    woken: Vec<TerminalId>,
    /// Deliveries at the end of the steps of the domain whose turn it is.
    late: Vec<Late>,
    /// What the node that is being stepped receives and sends, by port.
    inbox: Vec<Word>,
    inbox_channels: Vec<u8>,
    outbox: Vec<Word>,
    outbox_channels: Vec<u8>,
    /// Keys the order in which nodes are visited.
    shuffle: u64,
    /// How the run has ended, once it has, and the instant before which it has been simulated.
    over: Option<Ended>,
    stands_at_ps: u64,
}

/// The tick of a domain.
#[derive(Clone, Copy)]
struct Tick {
    number: u32,
    seen: Seen,
    reference: Cycle,
}

impl<T: Topology, R: WordRouter, P: Probe> Clocked<T, R, P> {
    /// A run that has not begun. `demand` and the outcome count reference cycles, those of the nominal clock.
    /// `shuffle` keys the order in which nodes that tick at the same instant are visited; it must not matter. The
    /// network's link latency is not used: links take the latency that `clocks` gives, or their own in nominal
    /// cycles.
    ///
    /// # Panics
    /// If `clocks` gives a node no domain, or one that it does not describe.
    pub fn new(
        network: impl Into<Arc<Network<T, R>>>,
        clocks: Clocks,
        demand: Demand,
        probe: P,
        shuffle: u64,
    ) -> Clocked<T, R, P> {
        let network = network.into();
        let (topology, router) = (&network.topology, &network.router);
        let count = topology.nodes();
        assert_eq!(
            clocks.domain_of.len(),
            count as usize,
            "each node has a domain"
        );
        let nodes = router.nodes();
        let busy: Vec<bool> = nodes.iter().map(|state| !router.is_idle(state)).collect();
        let held = if router.credit_words().is_none() {
            count
        } else {
            0
        };
        let links = Links::new(topology, &clocks, router.credit_words());
        let queue = network.all_ports();
        let wakes = Wakes::of(&clocks, queue, router.patience_cycles());
        let Domains {
            domains,
            domain_of,
            members,
            calendar,
        } = Domains::new(&clocks);
        let pauses = Pauses::new(topology, &clocks, &domain_of);
        let samplers = Samplers::new(topology, &clocks, domains.len());
        let deliveries = Deliveries::new(demand.workload.as_ref());
        let sources = NominalSources::new(demand, &network);
        let mut clocked = Clocked {
            nodes,
            packets: Packets::new(),
            probe,
            deliveries,
            sources,
            wakes,
            rights: Rights::new(&network),
            looks_closely: !(pauses.are_none() && samplers.are_none() && links.sights.are_usual()),
            pauses,
            samplers,
            links,
            calendar,
            domains,
            domain_of,
            members,
            busy_nodes: busy.iter().filter(|busy| **busy).count(),
            busy,
            held: vec![0; held as usize],
            reference: Reference::new(clocks.nominal_ps),
            steps: 0,
            clock_ticks: 0,
            working_ticks: 0,
            own_steps: 0,
            woken: Vec::new(),
            late: Vec::new(),
            inbox: vec![Word::BLANK; network.all_ports()],
            inbox_channels: vec![0; network.all_ports()],
            outbox: vec![Word::BLANK; network.all_ports()],
            outbox_channels: vec![0; network.all_ports()],
            shuffle,
            over: None,
            stands_at_ps: 0,
            network,
        };
        clocked.plan_all();
        clocked
    }

    /// Runs what lies before `until_ps`, and says why it stopped.
    fn instants(&mut self, until_ps: u64, control: Control<'_>) -> Ended {
        if let Some(over) = self.over {
            return over;
        }
        let end = self.sources.all.demand.end;
        let (mut ticks, mut calls) = (0, Calls::default());
        let ended = loop {
            if self.calendar.next_ps().is_some_and(|next| next >= until_ps) {
                return Ended::Deadline;
            }
            let Some((now_ps, due)) = self.calendar.pop() else {
                // Every clock is gated for good, and every self-timed node sleeps.
                break Ended::at_rest(self.is_empty());
            };
            if self.reference.advance(now_ps) {
                self.report_clocks(self.reference.cycle);
            }
            if self.reference.cycle >= end {
                break Ended::Deadline;
            }
            self.sources.all.demand.review_if_due(self.reference.cycle);
            if self.is_empty() {
                self.tick_on(now_ps, due);
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
        self.over = Some(ended);
        ended
    }

    /// Whether nothing more can happen: no packet is in the network or to come, and no credit is under way.
    #[inline]
    fn is_empty(&self) -> bool {
        self.packets.is_empty()
            && self.busy_nodes == 0
            && self.links.are_empty()
            && self.pauses.have_reported()
            && self.sources.all.are_done(self.reference.cycle)
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
        if self.looks_closely && !self.begin_tick(domain, now_ps) {
            return 0;
        }
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
        let Next { ends_ps, tick_ps } = ticker.next(now_ps);
        if let Some(tick_ps) = tick_ps {
            self.calendar.push(domain, tick_ps);
        }
        for place in scattered(count, self.shuffle, now_ps ^ u64::from(domain) << 32) {
            self.visit(self.members[first + place], tick);
        }
        self.clock_ticks += count as u64;
        let end = Moment::new(tick.reference + 1, ends_ps);
        self.end_tick(domain, end);
        count as u64
    }

    /// Whether a node has a source that may have a word for it in a tick in reference cycle `reference`.
    #[inline]
    fn a_source_is_due(&self, node: NodeId, reference: Cycle) -> bool {
        let mut terminals = self.network.terminals(node);
        terminals.any(|(_, terminal)| self.sources.are_due(terminal, reference))
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
        let due = self.a_source_is_due(node, tick.reference);
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
        let begin = Moment::new(self.reference.cycle, now_ps);
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
            decided: false,
            queue: self.network.all_ports(),
        };
        let mut site = Site::new(node, &mut self.packets, &mut recording);
        let (router, state) = (&self.network.router, &mut self.nodes[node.index()]);
        step_in_detail(router, state, now, &inputs, &mut outputs, &mut site);
        let (sent, credits) = (outputs.sent, outputs.credits);
        let (moved, queued) = (outputs.moved, outputs.queued);
        let words = PortSet(arrived.0 | sent.0 | moved.0);
        match recording.work {
            Some(work) => (work.words, work.queued, work.credits) = (words, queued, credits),
            None => {
                let did = !words.is_empty() || !credits.is_empty() || queued || recording.decided;
                self.working_ticks += u64::from(did);
            }
        }
        let busy = !router.is_idle(state);
        self.busy_nodes =
            self.busy_nodes + usize::from(busy) - usize::from(self.busy[node.index()]);
        self.busy[node.index()] = busy;
        (sent, credits)
    }
}
