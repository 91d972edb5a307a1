//! The clock of a domain that has an oscillator.

use super::draws::Draws;
use super::tick::{JITTER_DRAW, WANDER_DRAW};
use flitwork_network::{Change, Periodic, Rate, Wander};
use std::sync::Arc;

/// Fractions of a picosecond in which an oscillator's drift accumulates.
pub(super) const PARTS: u64 = 1_000_000_000;

/// A periodic clock; its drift accumulates exactly.
#[derive(Clone)]
pub(super) struct Oscillator {
    /// When the next tick would come without jitter: in ps, and in fractions below [`PARTS`].
    next: (u64, u64),
    /// The distance from one such time to the next, as far as it isn't drawn.
    step: (u64, u64),
    off: Off,
}

/// What makes ticks come at other times than in even steps.
#[derive(Clone)]
enum Off {
    Nothing,
    /// Jitter alone: a tick may be as late, in ps.
    Jitter(u64),
    /// Anything else.
    Varying(Box<Varying>),
}

/// A clock that wanders or changes.
#[derive(Clone)]
struct Varying {
    jitter_ps: u64,
    wander: Option<Wander>,
    /// How far the walk of the ticks has come, in ps.
    walked_ps: i64,
    changes: Arc<[Change]>,
    /// How many of the changes hold.
    made: usize,
}

/// What follows on a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Next {
    /// When the cycle ends that the tick begins, in ps: at the next tick, or when that would come if the clock weren't
    /// gated.
    pub(super) ends_ps: u64,
    /// When the next tick comes, in ps; `None` if the clock is gated for good.
    pub(super) tick_ps: Option<u64>,
}

impl Next {
    /// A cycle that ends with the next tick.
    #[inline(always)]
    fn tick(at_ps: u64) -> Next {
        Next {
            ends_ps: at_ps,
            tick_ps: Some(at_ps),
        }
    }

    /// The same, but after `now_ps`.
    #[inline(always)]
    pub(super) fn after(self, now_ps: u64) -> Next {
        Next {
            ends_ps: self.ends_ps.max(now_ps + 1),
            tick_ps: self.tick_ps.map(|at_ps| at_ps.max(now_ps + 1)),
        }
    }
}

impl Oscillator {
    pub(super) fn new(clock: &Periodic) -> Oscillator {
        let off = match clock.jitter_ps {
            _ if clock.wander.is_some() || !clock.changes().is_empty() => {
                Off::Varying(Box::new(Varying {
                    jitter_ps: clock.jitter_ps,
                    wander: clock.wander,
                    walked_ps: 0,
                    changes: Arc::clone(clock.changes()),
                    made: 0,
                }))
            }
            0 => Off::Nothing,
            jitter_ps => Off::Jitter(jitter_ps),
        };
        Oscillator {
            next: (clock.phase_ps, 0),
            step: step(clock.rate()),
            off,
        }
    }

    /// The first tick.
    pub(super) fn first(&mut self, draws: Draws) -> Next {
        self.tick(0, draws)
    }

    /// The tick after the last one; its number is `number`.
    #[inline(always)]
    pub(super) fn advance(&mut self, number: u32, draws: Draws) -> Next {
        let parts = self.next.1 + self.step.1;
        let carry = u64::from(parts >= PARTS);
        self.next.1 = parts - carry * PARTS;
        self.next.0 = self.next.0.saturating_add(self.step.0 + carry);
        self.tick(number, draws)
    }

    /// All ticks from the one that is due on come later by as many ps.
    pub(super) fn delay(&mut self, by_ps: u64) {
        self.next.0 = self.next.0.saturating_add(by_ps);
    }

    /// The tick that comes next; its number is `number`.
    #[inline(always)]
    fn tick(&mut self, number: u32, draws: Draws) -> Next {
        let (steady_ps, _) = self.next;
        match self.off {
            Off::Nothing => Next::tick(steady_ps),
            Off::Jitter(most_ps) => {
                let late_ps = draws.up_to(most_ps, number, JITTER_DRAW);
                Next::tick(steady_ps.saturating_add(late_ps))
            }
            Off::Varying(_) => self.vary(number, draws),
        }
    }

    /// The same for a clock that wanders or changes. Out of the way of those that don't.
    #[inline(never)]
    fn vary(&mut self, number: u32, draws: Draws) -> Next {
        let Off::Varying(varying) = &mut self.off else {
            panic!("the clock neither wanders nor changes");
        };
        self.next.0 = self
            .next
            .0
            .saturating_add_signed(varying.walk_ps(number, draws));
        let late_ps = match varying.jitter_ps {
            0 => 0,
            most_ps => draws.up_to(most_ps, number, JITTER_DRAW),
        };
        let due_ps = self.next.0.saturating_add(late_ps);
        let mut is_gated = false;
        while let Some(change) = varying.changes.get(varying.made)
            && (is_gated || change.at_ps <= due_ps)
        {
            varying.made += 1;
            let Some(rate) = change.rate else {
                is_gated = true;
                continue;
            };
            self.step = step(rate);
            if is_gated {
                self.next = (change.at_ps, 0);
                varying.walked_ps = 0;
                return Next {
                    ends_ps: due_ps.min(change.at_ps),
                    tick_ps: Some(change.at_ps),
                };
            }
        }
        Next {
            ends_ps: due_ps,
            tick_ps: (!is_gated).then_some(due_ps),
        }
    }
}

impl Varying {
    /// The step of the walk to tick `number`, in ps: a draw, and back from the bound as far as it would lead beyond it.
    /// Tick 0 is where the walk begins.
    fn walk_ps(&mut self, number: u32, draws: Draws) -> i64 {
        let Some(Wander { most_ps, bound_ps }) = self.wander.filter(|_| number > 0) else {
            return 0;
        };
        let drawn = draws.up_to(2 * most_ps, number, WANDER_DRAW);
        let from_ps = self.walked_ps;
        let mut to_ps = from_ps + drawn as i64 - most_ps as i64;
        if let Some(bound_ps) = bound_ps {
            let bound_ps = bound_ps as i64;
            if to_ps > bound_ps {
                to_ps = 2 * bound_ps - to_ps;
            } else if to_ps < -bound_ps {
                to_ps = -2 * bound_ps - to_ps;
            }
        }
        self.walked_ps = to_ps;
        to_ps - from_ps
    }
}

/// The distance from one tick to the next, in ps and in fractions below [`PARTS`].
fn step(rate: Rate) -> (u64, u64) {
    let parts = (PARTS as i64 + i64::from(rate.drift_ppb)).max(1);
    let step = u128::from(rate.period_ps) * parts as u128;
    let parts = u128::from(PARTS);
    ((step / parts) as u64, (step % parts) as u64)
}

#[cfg(test)]
mod changes;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wander;
