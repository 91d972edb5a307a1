//! Self-timed nodes: events wake them, and nothing else does.
//!
//! A step begins when something has come or is left to do and the node's last step is over. It takes what stands at
//! the ports, at most a word and a credit each, and lasts as long as the longest of the delays of what is done in it;
//! what it sends leaves at its end. A node with nothing to do sleeps: it isn't in the calendar before something stands
//! at its ports or its source has a word.
//!
//! A router counts local cycles. Those in which it would do nothing are skipped: the step is in the first cycle in which
//! it does something ([`WordRouter::next_step`]). They take no time, or [`SelfTimed::count_ps`] each, and what comes
//! meanwhile is taken at once. A cycle that turns out to have been in vain takes no time either; after more than
//! [`WordRouter::patience_cycles`] of them in a row the node sleeps until something comes, because a link refuses
//! whatever it could send.

use super::Clocked;
use super::domains::{Domain, Driver};
use super::draws::Draws;
use super::ends::Seen;
use super::work::{Stages, Work};
use flitwork_network::{Clock, Clocks, Law, SelfTimed, StageDelays};
use flitwork_node::{Probe, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, Moment, NodeId, PortSet, TerminalId};

/// A self-timed node.
#[derive(Clone)]
pub(super) struct Waker {
    timing: SelfTimed,
    draws: Draws,
    /// When its last step is over, in ps.
    over_ps: u64,
    /// The number of its next local cycle.
    cycle: Cycle,
    /// The time for which it is in the calendar.
    planned_ps: Due<u64>,
    /// Steps in a row in which nothing came and nothing was done.
    idle_steps: u32,
}

/// What all self-timed nodes of a network have in common.
#[derive(Clone)]
pub(super) struct Wakes {
    /// What the node that is being stepped does.
    pub(super) work: Work,
    /// The times at which the requests came that it takes.
    requests: Vec<u64>,
    /// Whether requests are arbitrated at all.
    arbitrates: bool,
    seed: u64,
    /// The number of the central queue among the ports.
    queue: usize,
    /// How many vain steps in a row a node may make and go on; after one more it sleeps.
    patience: u32,
}

/// What a node takes in a step, by port.
#[derive(Clone, Copy)]
struct Taken {
    words: PortSet,
    credits: PortSet,
    /// Whether the right to send over a half-duplex link has come.
    has_turn: bool,
}

impl Waker {
    /// A node before its first step; `seed` is that of all clocks.
    pub(super) fn new(timing: SelfTimed, seed: u64, node: NodeId) -> Waker {
        Waker {
            timing,
            draws: Draws::of_node(seed, node),
            over_ps: 0,
            cycle: Cycle::ZERO,
            planned_ps: Due::NEVER,
            idle_steps: 0,
        }
    }

    /// The number of its next local cycle.
    pub(super) fn cycle(&self) -> Cycle {
        self.cycle
    }

    /// The local cycle of a step at `now_ps`, if nothing would be done before cycle `own` unless something comes.
    fn cycle_at(&self, now_ps: u64, own: Due) -> Cycle {
        let Some(own) = own.get() else {
            return self.cycle;
        };
        let counted = match self.timing.count_ps {
            0 => return own,
            count_ps => now_ps.saturating_sub(self.over_ps) / count_ps,
        };
        let counted = u32::try_from(counted).unwrap_or(u32::MAX);
        own.min(self.cycle + counted.min(own.since(self.cycle)))
    }

    /// When it comes to cycle `own`, if nothing comes before, in ps.
    fn reaches_ps(&self, own: Cycle) -> u64 {
        let counted = u64::from(own.since(self.cycle));
        let counted_ps = counted.saturating_mul(self.timing.count_ps);
        self.over_ps.saturating_add(counted_ps)
    }
}

impl Wakes {
    /// What they share; `None` if no node is self-timed.
    pub(super) fn of(clocks: &Clocks, queue: usize, patience: u32) -> Option<Wakes> {
        let self_timed = clocks.domains.iter().filter_map(|clock| match clock {
            Clock::Periodic(_) => None,
            Clock::SelfTimed(timing) => Some(timing),
        });
        let mut any = false;
        let (mut by_data, mut arbitrates) = (false, false);
        for timing in self_timed {
            any = true;
            arbitrates |= timing.arbiter.is_some();
            let delays = timing.delays.all().iter().flat_map(StageDelays::all);
            by_data |= delays.into_iter().any(|delay| delay.law == Law::Data);
        }
        any.then(|| Wakes {
            work: Work::new(by_data),
            requests: Vec::new(),
            arbitrates,
            seed: clocks.seed,
            queue,
            patience,
        })
    }
}

impl<T: Topology, R: WordRouter, P: Probe> Clocked<T, R, P> {
    /// Something will stand at a node's ports at `available_at_ps`: it steps then if it is self-timed and not busy.
    #[inline]
    pub(super) fn call(&mut self, (node, available_at_ps): (NodeId, Due<u64>)) {
        if self.wakes.is_none() {
            return;
        }
        let domain = self.domain_of[node.index()];
        if let Driver::Wakes(waker) = &mut self.domains[domain as usize].driver {
            let at_ps = available_at_ps.not_before(waker.over_ps);
            if at_ps < waker.planned_ps {
                self.plan(domain, at_ps);
            }
        }
    }

    /// Enters a self-timed node into the calendar for `at_ps`, or takes it out for never.
    fn plan(&mut self, domain: u32, at_ps: Due<u64>) {
        let waker = self.waker(domain);
        let planned_ps = std::mem::replace(&mut waker.planned_ps, at_ps);
        if planned_ps == at_ps {
            return;
        }
        if planned_ps != Due::NEVER {
            self.calendar.remove(domain);
        }
        if let Some(at_ps) = at_ps.get() {
            self.calendar.push(domain, at_ps);
        }
    }

    fn waker(&mut self, domain: u32) -> &mut Waker {
        match &mut self.domains[domain as usize].driver {
            Driver::Wakes(waker) => waker,
            Driver::Ticks(_) => panic!("domain {domain} has a clock"),
        }
    }

    /// All self-timed nodes with anything to do are planned.
    pub(super) fn plan_all(&mut self) {
        for domain in 0..self.domains.len() as u32 {
            let Domain { driver, first, .. } = &self.domains[domain as usize];
            if let Driver::Wakes(_) = driver {
                let next_ps = self.next_wake_ps(domain, self.members[*first as usize]);
                self.plan(domain, next_ps);
            }
        }
    }

    /// A source may have come to have a packet: its node steps then if it is self-timed.
    pub(super) fn wake_for_source(&mut self, source: TerminalId) {
        let node = self.network.topology.entry(source);
        self.call((node, self.source_ps(node)));
    }

    /// When a node's sources have something for it, in ps.
    fn source_ps(&self, node: NodeId) -> Due<u64> {
        let terminals = self.network.terminals(node);
        let due: Due = Due::soonest(terminals.map(|(_, terminal)| self.sources.due(terminal)));
        let due = due.get();
        due.map(|due| u64::from(due.get()).saturating_mul(self.reference.nominal_ps))
            .into()
    }

    /// The first cycle from `cycle` on in which a node would do something if nothing came, as far as its router knows.
    fn own_cycle(&self, node: NodeId, cycle: Cycle) -> Due {
        let router = &self.network.router;
        let sendable = PortSet(!self.links.ends(node).full.0);
        match self.busy[node.index()] {
            true => router.next_step_over(&self.nodes[node.index()], cycle, sendable),
            false => Due::NEVER,
        }
    }

    /// A self-timed node steps at `now_ps`, if there is anything to do.
    #[inline(never)]
    pub(super) fn wake(&mut self, domain: u32, now_ps: u64) {
        let node = self.members[self.domains[domain as usize].first as usize];
        let waker = self.waker(domain);
        waker.planned_ps = Due::NEVER;
        let (cycle, over_ps) = (waker.cycle, waker.over_ps);
        let seen = Seen {
            shared_ps: now_ps,
            crossed_ps: now_ps,
        };
        let has_reports = !self.links.ends(node).taken.is_empty();
        // What it has counted to by now doesn't depend on what it learns now.
        let counts_to = (has_reports && over_ps < now_ps).then(|| self.own_cycle(node, cycle));
        if has_reports && self.links.learn(node, seen) {
            // What a link refused can leave now. A node that has nothing for it needs no step.
            self.waker(domain).idle_steps = 0;
        }
        let has_turn = self.rights.next_ps(node) <= now_ps;
        if !self.is_held(node) {
            self.note_requests(domain, node, now_ps);
            let due = self.a_source_is_due(node, self.reference.cycle);
            let (words, credits) = self.take(node, seen, due);
            let taken = Taken {
                words,
                credits,
                has_turn,
            };
            let own = self.own_cycle(node, cycle);
            let pass = self.rights.next_pass(node, cycle);
            let counts_to = counts_to.unwrap_or(own).min(pass);
            let own = own.min(pass);
            let now = self.waker(domain).cycle_at(now_ps, counts_to);
            let came = taken.has_turn || !words.is_empty() || !credits.is_empty();
            if came || own <= now {
                self.wake_step((domain, node), (now, seen), taken);
            }
        }
        let next_ps = self.next_wake_ps(domain, node);
        self.plan(domain, next_ps);
    }

    /// A self-timed node's step in local cycle `now`.
    fn wake_step(
        &mut self,
        (domain, node): (u32, NodeId),
        (now, seen): (Cycle, Seen),
        taken: Taken,
    ) {
        let Taken {
            words,
            credits,
            has_turn,
        } = taken;
        let is_half_duplex = !self.rights.are_none();
        let mut sendable = PortSet(!self.links.ends(node).full.0);
        if is_half_duplex {
            sendable.0 &= self.take_rights(node, now, words, seen).0;
        }
        if let Some(wakes) = &mut self.wakes {
            wakes.work.clear();
            if wakes.work.by_data {
                for port in words.iter() {
                    let word = self.inbox[port.index()];
                    let packet = self.packets[word.packet].id;
                    wakes.work.carry(port, packet, word);
                }
            }
        }
        let (mut sent, mut freed_frames) = (PortSet::EMPTY, PortSet::EMPTY);
        let came = !words.is_empty() || !credits.is_empty();
        if came || self.busy[node.index()] {
            let at = (now, seen.shared_ps);
            self.own_steps += 1;
            (sent, freed_frames) = self.step(node, at, (words, credits, sendable), true);
        }
        let mut passed = PortSet::EMPTY;
        if is_half_duplex {
            passed = self.unused_rights(node, now, sent);
            if let Some(wakes) = &mut self.wakes {
                wakes.work.words.0 |= passed.0;
            }
        }
        let over_ps = self.end_step(domain, (now, seen.shared_ps), came || has_turn);
        self.send(node, over_ps, (sent, freed_frames));
        self.send_rights(node, passed, over_ps);
        let begin = self.reference.cycle;
        if over_ps > seen.shared_ps {
            let begin = Moment::new(begin, seen.shared_ps);
            self.probe.stepped(node, begin, over_ps - begin.ps);
        }
        let end = Moment::new(self.reference.of(over_ps), over_ps);
        self.report_late(end);
        let by_source = |cycle: Cycle| if cycle <= now { begin } else { end.reference };
        self.report_deliveries(by_source);
    }

    /// The step at `now_ps`, in local cycle `now`, has been made. Returns when it is over, in ps.
    fn end_step(&mut self, domain: u32, (now, now_ps): (Cycle, u64), came: bool) -> u64 {
        let Driver::Wakes(waker) = &mut self.domains[domain as usize].driver else {
            panic!("domain {domain} has a clock");
        };
        let Some(wakes) = &mut self.wakes else {
            panic!("no node is self-timed");
        };
        let stages = Stages {
            timing: &waker.timing,
            draws: waker.draws,
            seed: wakes.seed,
            queue: wakes.queue,
        };
        let arbitration_ps = match wakes.arbitrates {
            true => stages.arbitration_ps(now, now_ps, &mut wakes.requests),
            false => 0,
        };
        let duration_ps = arbitration_ps + stages.duration_ps(now, &wakes.work);
        let is_vain = !came && wakes.work.is_nothing();
        waker.idle_steps = if is_vain { waker.idle_steps + 1 } else { 0 };
        waker.cycle = now + 1;
        waker.over_ps = now_ps.saturating_add(duration_ps);
        waker.over_ps
    }

    /// Notes when the requests came that meet in a step: what stands at the ports, and the work that the node has left,
    /// which has been there since its last step was over.
    fn note_requests(&mut self, domain: u32, node: NodeId, now_ps: u64) {
        let Some(wakes) = self.wakes.as_mut().filter(|wakes| wakes.arbitrates) else {
            return;
        };
        wakes.requests.clear();
        self.links.stood_ps(node, now_ps, &mut wakes.requests);
        let own_ps = self.own_ps(domain, node).get();
        let own_ps = own_ps.filter(|own_ps| *own_ps <= now_ps);
        if let (Some(wakes), Some(own_ps)) = (&mut self.wakes, own_ps) {
            wakes.requests.push(own_ps);
        }
    }

    /// When a self-timed node does something next if nothing comes, as far as its router knows, in ps.
    fn own_ps(&self, domain: u32, node: NodeId) -> Due<u64> {
        let Driver::Wakes(waker) = &self.domains[domain as usize].driver else {
            return Due::NEVER;
        };
        let patience = self.wakes.as_ref().map_or(0, |wakes| wakes.patience);
        let own = Due::when(
            waker.idle_steps <= patience,
            self.own_cycle(node, waker.cycle),
        );
        let next = own.min(self.rights.next_pass(node, waker.cycle));
        next.get().map(|next| waker.reaches_ps(next)).into()
    }

    /// Whether a node is held: it must send on what arrives, and one of its links is full.
    fn is_held(&self, node: NodeId) -> bool {
        !self.held.is_empty() && !self.links.ends(node).full.is_empty()
    }

    /// When a self-timed node's next step begins, as far as is known, in ps.
    fn next_wake_ps(&mut self, domain: u32, node: NodeId) -> Due<u64> {
        let over_ps = self.waker(domain).over_ps;
        if self.is_held(node) {
            return self.links.next_freed_ps(node).not_before(over_ps);
        }
        let arrives_ps = self.links.next_ps(node).min(self.rights.next_ps(node));
        let comes_ps = arrives_ps.min(self.source_ps(node));
        let own_ps = self.own_ps(domain, node);
        own_ps.min(comes_ps.not_before(over_ps))
    }
}
