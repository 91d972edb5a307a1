//! Clocks that wait while something comes: pausible clocks.
//!
//! The oscillator of such a clock requests its next edge from a mutual exclusion at each of its ports, and what comes to
//! a port requests the same. Whoever is first goes on; an arrival keeps the edge away for the time of its transfer. So a
//! tick is delayed by what came before it was requested, and what comes while it is delayed waits until it is over, and is
//! seen at the one after it.

use super::Clocked;
use super::domains::Driver;
use super::draws::Draws;
use super::work::Late;
use flitwork_network::{Clocks, Pause};
use flitwork_node::{Probe, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{Moment, NodeId, Port};

/// The draws of mutual exclusions are apart from those of ticks by more than a node has ports.
const MUTEX_DRAW: u32 = 1 << 8;

/// The clocks that wait, and what for.
#[derive(Clone, Default)]
pub(super) struct Pauses {
    /// By domain; empty if no clock waits.
    of: Vec<Option<Pausible>>,
    /// When something came to a port, in ps, for the domain that is looked at.
    came: Vec<(Port, u64)>,
    /// How many clocks have deliveries that are reported at their next ticks.
    late: usize,
}

/// A clock that waits, of one node.
#[derive(Clone)]
struct Pausible {
    node: NodeId,
    ports: Vec<(Port, Pause)>,
    draws: Draws,
    /// When the last tick was requested and when it came, in ps.
    requested_ps: u64,
    ticked_ps: u64,
    /// Whether the tick that is due has been delayed already.
    is_delayed: bool,
    /// What was delivered at the end of the last step, and when that is, if the next tick isn't delayed.
    late: Vec<Late>,
    ends: Moment,
}

/// When a delayed tick comes, in ps, or when the tick that is due had been requested.
#[derive(Clone)]
enum Turn {
    Delayed(u64),
    Requested(u64),
}

impl Pauses {
    /// The clocks that wait, of domains numbered as the calendar does; each node's domain in `domain_of`.
    pub(super) fn new<T: Topology>(topology: &T, clocks: &Clocks, domain_of: &[u32]) -> Pauses {
        if clocks.links.crossings().all(|it| it.pause.is_none()) {
            return Pauses::default();
        }
        let mut of: Vec<Option<Pausible>> = Vec::new();
        for node in (0..topology.nodes()).map(NodeId) {
            let own = clocks.domain_of[node.index()];
            let ports = topology.links(node).iter();
            let pauses = ports.filter_map(|port| {
                let way = clocks.way(topology, topology.far(node, port)?)?;
                Some((port, way.crossing?.pause?))
            });
            let ports: Vec<(Port, Pause)> = pauses.collect();
            if ports.is_empty() {
                continue;
            }
            let domain = domain_of[node.index()] as usize;
            let domains = domain_of.iter().max().map_or(0, |last| *last as usize + 1);
            of.resize_with(domains, || None);
            of[domain] = Some(Pausible {
                node,
                ports,
                draws: Draws::of_clock(clocks.seed, own),
                requested_ps: 0,
                ticked_ps: 0,
                is_delayed: false,
                late: Vec::new(),
                ends: Moment::default(),
            });
        }
        Pauses {
            of,
            ..Pauses::default()
        }
    }

    /// Whether no clock waits.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.of.is_empty()
    }

    /// Whether everything that was delivered has been reported.
    #[inline]
    pub(super) fn have_reported(&self) -> bool {
        self.late == 0
    }
}

impl<T: Topology, R: WordRouter, P: Probe> Clocked<T, R, P> {
    /// A domain is due at `now_ps`, where crossings are more than the usual synchronizers. Returns whether it is stepped
    /// now: a tick may be delayed.
    #[inline(never)]
    pub(super) fn begin_tick(&mut self, domain: u32, now_ps: u64) -> bool {
        let requested_ps = match self.pauses.are_none() {
            true => now_ps,
            false => match self.delay(domain, now_ps) {
                Turn::Requested(requested_ps) => requested_ps,
                Turn::Delayed(tick_ps) => {
                    self.calendar.push(domain, tick_ps);
                    return false;
                }
            },
        };
        if !self.pauses.have_reported() {
            self.report_paused(domain, Some(now_ps));
        }
        if !self.samplers.are_none() {
            self.sample(domain, now_ps);
        }
        if let Driver::Ticks(ticker) = &mut self.domains[domain as usize].driver
            && !self.links.sights.are_usual()
        {
            ticker.look_back(now_ps, self.links.sights.past_ps(requested_ps));
        }
        true
    }

    /// A domain has ticked. If its clock may wait, it isn't known yet when the step ends, `end` at the earliest: what it
    /// delivered is reported at the next tick.
    #[inline]
    pub(super) fn end_tick(&mut self, domain: u32, end: Moment) {
        match self.pauses.of.get_mut(domain as usize) {
            Some(Some(pausible)) => {
                if !self.late.is_empty() {
                    pausible.late.append(&mut self.late);
                    pausible.ends = end;
                    self.pauses.late += 1;
                }
            }
            _ => self.report_late(end),
        }
    }

    /// Reports what a clock that may wait has delivered, at its tick, or when that was due if the run ends before it.
    fn report_paused(&mut self, domain: u32, tick_ps: Option<u64>) {
        let Some(pausible) = &mut self.pauses.of[domain as usize] else {
            return;
        };
        if pausible.late.is_empty() {
            return;
        }
        self.late.append(&mut pausible.late);
        let mut end = pausible.ends;
        end.ps = tick_ps.unwrap_or(end.ps);
        self.pauses.late -= 1;
        self.report_late(end);
    }

    /// Reports what clocks that may wait have delivered when the run ends.
    pub(super) fn report_all_paused(&mut self) {
        for domain in 0..self.pauses.of.len() as u32 {
            self.report_paused(domain, None);
        }
    }

    /// A domain's tick is due at `now_ps`: whether it is delayed.
    fn delay(&mut self, domain: u32, now_ps: u64) -> Turn {
        let Pauses { of, came, .. } = &mut self.pauses;
        let Some(pausible) = &mut of[domain as usize] else {
            return Turn::Requested(now_ps);
        };
        let Driver::Ticks(ticker) = &mut self.domains[domain as usize].driver else {
            panic!("domain {domain} has no clock");
        };
        if std::mem::take(&mut pausible.is_delayed) {
            pausible.ticked_ps = now_ps;
            return Turn::Requested(pausible.requested_ps);
        }
        let mut tick_ps = now_ps;
        came.clear();
        for (port, _) in &pausible.ports {
            let within = (pausible.requested_ps, now_ps);
            self.links.came_ps((pausible.node, *port), within, came);
            self.rights.came_ps((pausible.node, *port), within, came);
        }
        for (port, came_ps) in came.iter() {
            let pause = pausible.ports.iter().find(|(other, _)| other == port);
            let (_, pause) = pause.expect("a port at which something came that is waited for");
            // What came during the last delay goes on once that was over.
            let begins_ps = (*came_ps).max(pausible.ticked_ps);
            tick_ps = tick_ps.max(begins_ps.saturating_add(pause.transfer_ps));
            if let Some(arbiter) = pause.arbiter.filter(|it| now_ps - came_ps <= it.window_ps) {
                let index = MUTEX_DRAW + u32::from(port.0);
                let extra_ps = pausible
                    .draws
                    .exponential(arbiter.tau_ps, ticker.ticks(), index);
                tick_ps = tick_ps.max(now_ps.saturating_add(extra_ps));
            }
        }
        pausible.requested_ps = now_ps;
        if tick_ps == now_ps {
            pausible.ticked_ps = now_ps;
            return Turn::Requested(now_ps);
        }
        pausible.is_delayed = true;
        ticker.delay(tick_ps - now_ps);
        Turn::Delayed(tick_ps)
    }
}
