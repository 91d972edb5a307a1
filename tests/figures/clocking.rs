//! Ticks of clocks, steps of self-timed nodes and transitions of handshakes: by docs/src/asynchrony.md, self-timed.md and
//! measurement.md, one by one.

use crate::figures::account::Account;
use crate::figures::ledger::{Step, Tick};
use flitwork_config::{EngineChoice, Resolved};
use flitwork_network::{Clock, Clocks, LinkTiming, Periodic, Rate, SelfTimed};
use flitwork_node::{draw, mix};
use flitwork_router::chaos::{ChaosParameters, Delivery};
use flitwork_types::{Cycle, NodeId, Port};
use std::collections::HashMap;

/// Separates a clock's draws from others.
const CLOCK_SALT: u64 = u64::from_be_bytes(*b"clocks\x00\x01");

/// The clocks of nodes and the timing of links, where nodes don't share a clock.
pub(crate) struct Clocking {
    clocks: Clocks,
    links: LinkTiming,
}

/// What is known about the steps of self-timed nodes.
pub(crate) struct Steps {
    pub(crate) count: u64,
    pub(crate) mean_ps: Option<f64>,
    pub(crate) worst_ps: u64,
}

impl Clocking {
    pub(crate) fn of(resolved: &Resolved) -> Option<Clocking> {
        (resolved.run.engine == EngineChoice::Clocked).then(|| Clocking {
            clocks: resolved.clocks(),
            links: resolved.network.links.clone(),
        })
    }

    fn clock(&self, node: NodeId) -> &Clock {
        &self.clocks.domains[self.clocks.domain_of[node.index()] as usize]
    }

    /// Ticks of one clock whose nominal cycles lie in a span.
    fn ticks_of(&self, domain: u32, clock: &Periodic, account: &Account<'_>) -> u64 {
        let nominal_ps = i128::from(self.clocks.nominal_ps);
        let seed = mix(self.clocks.seed.wrapping_add(CLOCK_SALT));
        // A whole number up to the greatest, for one of the things that are drawn for a tick.
        let drawn = |number: u32, place: u32, most: u64| {
            let drawn = draw(seed, NodeId(domain), Cycle(number), place);
            (u128::from(drawn) * (u128::from(most) + 1)) >> 64
        };
        let mut walk = Walk::of(clock);
        let ticks = (0u32..).map_while(|number| {
            let wander = clock.wander.filter(|_| number > 0);
            let step_ps = wander.map(|wander| {
                let most_ps = i128::from(wander.most_ps);
                (
                    drawn(number, 1, 2 * wander.most_ps) as i128 - most_ps,
                    wander.bound_ps,
                )
            });
            let late_ps = drawn(number, 0, clock.jitter_ps) as i128;
            let tick_ps = walk.tick_ps(number, step_ps, late_ps)?;
            Some(tick_ps.div_euclid(nominal_ps))
        });
        let (start, end) = (account.seen.start.into(), account.seen.end.into());
        let ticks = ticks.take_while(|cycle| *cycle < end);
        ticks.filter(|cycle| *cycle >= start).count() as u64
    }

    fn clock_ticks(&self, account: &Account<'_>) -> u64 {
        let domains = (0..).zip(&self.clocks.domains);
        let ticks = domains.map(|(domain, clock)| {
            let nodes = self
                .clocks
                .domain_of
                .iter()
                .filter(|of| **of == domain)
                .count() as u64;
            match clock {
                Clock::Periodic(clock) if nodes > 0 => {
                    nodes * self.ticks_of(domain, clock, account)
                }
                _ => 0,
            }
        });
        ticks.sum()
    }

    /// Ticks in which a node with a clock made a step: it reported its tick, not only a delivery at the end of a step.
    fn busy_ticks(&self, account: &Account<'_>) -> u64 {
        let vanishes = |it: &ChaosParameters| it.delivery == Delivery::Vanish;
        let delivers_at_once = match account.router.get::<ChaosParameters>() {
            Some(parameters) => vanishes(parameters),
            None => account.router.name() != "wormhole",
        };
        let is_step = |tick: &&Tick| delivers_at_once || !tick.is_of_delivery;
        let ticks = account.ledger.ticks.iter().filter(is_step);
        let ticks = ticks.filter(|tick| matches!(self.clock(tick.node), Clock::Periodic(_)));
        ticks.filter(|tick| account.seen.has(tick.cycle)).count() as u64
    }

    fn steps(&self, account: &Account<'_>) -> Option<Steps> {
        let self_timed = self.clocks.domain_of.iter();
        let self_timed =
            self_timed.filter_map(|domain| match &self.clocks.domains[*domain as usize] {
                Clock::SelfTimed(node) => Some(longest_ps(node)),
                Clock::Periodic(_) => None,
            });
        let worst_ps = self_timed.max()?;
        let steps = account.ledger.steps.iter();
        let steps: Vec<&Step> = steps
            .filter(|step| account.window.has(step.cycle))
            .collect();
        let sum: u64 = steps.iter().map(|step| step.took_ps).sum();
        let count = steps.len() as u64;
        Some(Steps {
            count,
            mean_ps: (count > 0).then(|| sum as f64 / count as f64),
            worst_ps,
        })
    }

    /// A node's next step doesn't begin before the last is over, and only self-timed nodes make any.
    fn hold_apart(&self, account: &Account<'_>) {
        let mut over_ps: HashMap<NodeId, u64> = HashMap::new();
        for step in &account.ledger.steps {
            assert!(
                matches!(self.clock(step.node), Clock::SelfTimed(_)),
                "{step:?}"
            );
            let over = over_ps.entry(step.node).or_default();
            assert!(step.took_ps > 0 && *over <= step.begin_ps, "{step:?}");
            *over = step.begin_ps + step.took_ps;
        }
    }
}

/// The ticks of a clock, one after the other.
struct Walk {
    /// The changes that are to come: when, and the period from then on.
    changes: Vec<(i128, Option<i128>)>,
    /// The last tick without wander and jitter, in parts of a ps, and the parts of a period.
    steady: i128,
    period: i128,
    walked_ps: i128,
}

/// Parts of a ps.
const BILLION: i128 = 1_000_000_000;

impl Walk {
    fn of(clock: &Periodic) -> Walk {
        let parts =
            |rate: Rate| i128::from(rate.period_ps) * (BILLION + i128::from(rate.drift_ppb));
        let changes = clock.changes().iter().rev();
        let changes = changes.map(|change| (change.at_ps.into(), change.rate.map(parts)));
        Walk {
            changes: changes.collect(),
            steady: i128::from(clock.phase_ps) * BILLION,
            period: parts(clock.rate()),
            walked_ps: 0,
        }
    }

    /// The next tick, with a step of its walk within a bound, and as late as it is drawn; `None` if it is gated for good.
    fn tick_ps(
        &mut self,
        number: u32,
        step: Option<(i128, Option<u64>)>,
        late_ps: i128,
    ) -> Option<i128> {
        if number > 0 {
            self.steady += self.period;
        }
        if let Some((step_ps, bound_ps)) = step {
            let to_ps = self.walked_ps + step_ps;
            let bound_ps = bound_ps.map(i128::from);
            let beyond_ps = bound_ps.map_or(0, |bound_ps| (to_ps.abs() - bound_ps).max(0));
            self.walked_ps = to_ps - 2 * beyond_ps * to_ps.signum();
        }
        let due_ps = self.steady.div_euclid(BILLION) + self.walked_ps + late_ps;
        while let Some((_, period)) = self.changes.pop_if(|(at_ps, _)| *at_ps <= due_ps) {
            let Some(period) = period else {
                return self.after_gate();
            };
            self.period = period;
        }
        Some(due_ps)
    }

    /// The tick at the end of a gate.
    fn after_gate(&mut self) -> Option<i128> {
        let (at_ps, period) = self.changes.pop()?;
        let Some(period) = period else {
            return self.after_gate();
        };
        (self.steady, self.period, self.walked_ps) = (at_ps * BILLION, period, 0);
        Some(at_ps)
    }
}

/// The most that a step may take: of a word, a decision with its allocation, and a credit.
fn longest_ps(node: &SelfTimed) -> u64 {
    let ports = node.delays.all().iter().map(|port| {
        let of = |delay: Option<flitwork_network::Delay>| delay.map_or(0, |delay| delay.most_ps);
        let decision = port.decision.most_ps + of(port.allocation);
        [port.word.most_ps, decision, of(port.credit)]
            .into_iter()
            .max()
    });
    let most = ports.flatten().max().unwrap_or(0);
    let scaled = u128::from(most) * u128::from(node.scale_ppb) + 500_000_000;
    ((scaled / 1_000_000_000) as u64).max(1)
}

impl Account<'_> {
    /// Ticks of nodes' clocks, and those among them in which nodes were idle where that is known.
    pub(crate) fn ticks(&self) -> (u64, Option<u64>) {
        match &self.clocking {
            None => (self.nodes() as u64 * self.seen.cycles() as u64, None),
            Some(clocking) => {
                let ticks = clocking.clock_ticks(self);
                (ticks, Some(ticks - clocking.busy_ticks(self)))
            }
        }
    }

    pub(crate) fn steps(&self) -> Option<Steps> {
        let clocking = self.clocking.as_ref()?;
        clocking.hold_apart(self);
        clocking.steps(self)
    }

    /// Ticks in which a node did something, by what was reported before the first and after the last cycle, and steps of
    /// self-timed nodes that took time.
    pub(crate) fn working_steps(&self) -> Option<u64> {
        let clocking = self.clocking.as_ref()?;
        // Nothing is reported before the run.
        let before = |cycle: i64| {
            let mut reports = self.ledger.working.iter().filter(|_| cycle > 0);
            let later = reports.clone().find(|(reported, _)| *reported >= cycle);
            later
                .or(reports.next_back())
                .map_or(0, |(_, working)| *working)
        };
        let (start, end) = (self.seen.start, self.seen.end);
        let ticks = before(end).saturating_sub(before(start));
        let steps = clocking.steps(self).map_or(0, |steps| steps.count);
        Some(ticks + steps)
    }

    /// Two or four transitions for each word in each segment.
    pub(crate) fn transitions(&self) -> u64 {
        let Some(clocking) = &self.clocking else {
            return 0;
        };
        let Some(handshake) = &clocking.links.handshake else {
            return 0;
        };
        let words = self.link_words().into_iter();
        let of_link = words.map(|((node, port), words)| {
            let own = clocking.links.own.get(&(node, Port(port)));
            let own = own.and_then(|own| own.segments.as_ref());
            let segments = own.unwrap_or(&handshake.segments).len() as u64;
            let a_segment = match handshake.protocol {
                flitwork_network::Protocol::TwoPhase => 2,
                flitwork_network::Protocol::FourPhase => 4,
            };
            words * segments * a_segment
        });
        of_link.sum()
    }
}
