//! The oscillators of domains.

use std::sync::Arc;

/// Drifts are counted in parts per billion.
const BILLION: i128 = 1_000_000_000;

/// An oscillator. Without [changes](Change) its tick k is at
/// `phase + floor(k * period * (1 + drift)) + wander(k) + (a draw from 0 to jitter)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Periodic {
    /// From one tick to the next, in ps; at least 1.
    pub period_ps: u64,
    /// The first tick, in ps.
    pub phase_ps: u64,
    /// How much slower (positive) or faster than its period the oscillator runs, in parts per billion.
    pub drift_ppb: i32,
    /// How late a tick may be, in ps; less than the period, so that ticks stay in order.
    pub jitter_ps: u64,
    /// How single periods differ; `None` if they don't.
    pub wander: Option<Wander>,
    /// In the order of time, no two at the same time.
    changes: Arc<[Change]>,
}

/// Periods that are longer or shorter than their clock's, each by a draw of its own. The differences add up: the ticks
/// walk at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wander {
    /// By how much a period may differ, in ps, either way; together with the jitter less than any period, so that
    /// ticks stay in order.
    pub most_ps: u64,
    /// How far from its place a tick may be, in ps, either way; at least `most_ps`. A step of the walk that leaves the
    /// bound by some ps ends as many ps within it instead. `None` for any distance.
    pub bound_ps: Option<u64>,
}

impl Wander {
    /// It, if periods differ at all.
    pub fn if_any(self) -> Option<Wander> {
        Some(self).filter(|wander| wander.most_ps > 0)
    }
}

/// What an oscillator does from a time on.
///
/// A new period is that of all intervals that begin with a tick at or after the time. A gated oscillator has no tick at
/// or after the time, until a later change gives it a period: its first tick then is exactly at the time of that change,
/// without jitter, and the walk of its ticks begins anew. What counts is when a tick comes, with all its jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When, in ps.
    pub at_ps: u64,
    /// How fast it goes on; `None` if it is gated.
    pub rate: Option<Rate>,
}

/// How fast an oscillator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// From one tick to the next, in ps; at least 1.
    pub period_ps: u64,
    /// How much slower (positive) or faster than its period the oscillator runs, in parts per billion.
    pub drift_ppb: i32,
}

/// A time in which an oscillator is gated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// From when on there is no tick, in ps.
    pub from_ps: u64,
    /// When it ticks again, in ps; `None` if it never does.
    pub until_ps: Option<u64>,
}

/// How long clocks are gated that tick again later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gated {
    /// The longest time between two ticks for which a clock is gated, in ps.
    pub longest_ps: u64,
    /// The longest of all times together for which a clock is gated, in ps.
    pub all_ps: u64,
}

impl Rate {
    /// The time of that many periods, in ps, rounded down and rounded up.
    pub fn span_ps(&self, ticks: u32) -> (u64, u64) {
        let factor = (BILLION + i128::from(self.drift_ppb)).max(1);
        let span = i128::from(self.period_ps) * factor * i128::from(ticks);
        let whole = |span| u64::try_from(span).unwrap_or(u64::MAX);
        (whole(span / BILLION), whole((span + BILLION - 1) / BILLION))
    }
}

impl Gated {
    /// The longer of each.
    #[must_use]
    pub fn max(self, other: Gated) -> Gated {
        Gated {
            longest_ps: self.longest_ps.max(other.longest_ps),
            all_ps: self.all_ps.max(other.all_ps),
        }
    }

    /// For how long, at most, a clock is gated between a tick and the one `ticks` later, in ps: once between any two in
    /// a row, and never longer than all in all.
    pub fn within_ps(self, ticks: u32) -> u64 {
        let each = self.longest_ps.saturating_mul(ticks.into());
        each.min(self.all_ps)
    }
}

impl Periodic {
    /// Whether another oscillator has the same periods at all times, apart from jitter, so that the phase between the
    /// two doesn't change.
    pub fn is_in_tune_with(&self, other: &Periodic) -> bool {
        self.rate() == other.rate()
            && self.changes == other.changes
            && self.wander.is_none()
            && other.wander.is_none()
    }

    /// An oscillator without drift, jitter, wander and changes.
    pub fn new(period_ps: u64, phase_ps: u64) -> Periodic {
        Periodic {
            period_ps,
            phase_ps,
            drift_ppb: 0,
            jitter_ps: 0,
            wander: None,
            changes: Arc::default(),
        }
    }

    /// With a drift, also after the changes that are added later.
    #[must_use]
    pub fn with_drift(mut self, drift_ppb: i32) -> Periodic {
        self.drift_ppb = drift_ppb;
        self
    }

    /// With a jitter.
    #[must_use]
    pub fn with_jitter(mut self, jitter_ps: u64) -> Periodic {
        self.jitter_ps = jitter_ps;
        self
    }

    /// With periods that differ, or without.
    #[must_use]
    pub fn with_wander(mut self, wander: impl Into<Option<Wander>>) -> Periodic {
        self.wander = wander.into();
        self
    }

    /// With another period from `at_ps` on, and the same drift.
    ///
    /// # Panics
    /// If it changes at the same time already.
    #[must_use]
    pub fn with_period_from(self, at_ps: u64, period_ps: u64) -> Periodic {
        let rate = Rate {
            period_ps,
            ..self.rate()
        };
        self.with_changes([Change {
            at_ps,
            rate: Some(rate),
        }])
    }

    /// Gated from `at_ps` on.
    ///
    /// # Panics
    /// If it changes at the same time already.
    #[must_use]
    pub fn with_gate_from(self, at_ps: u64) -> Periodic {
        self.with_changes([Change { at_ps, rate: None }])
    }

    /// With further changes, in any order.
    ///
    /// # Panics
    /// If two are at the same time.
    #[must_use]
    pub fn with_changes(mut self, changes: impl IntoIterator<Item = Change>) -> Periodic {
        let mut all = self.changes.to_vec();
        all.extend(changes);
        all.sort_by_key(|change| change.at_ps);
        let differ = all.windows(2).all(|two| two[0].at_ps < two[1].at_ps);
        assert!(differ, "two changes are at the same time: {all:?}");
        self.changes = all.into();
        self
    }

    /// What becomes of it, in the order of time.
    pub fn changes(&self) -> &Arc<[Change]> {
        &self.changes
    }

    /// How fast it runs at first.
    pub fn rate(&self) -> Rate {
        Rate {
            period_ps: self.period_ps,
            drift_ppb: self.drift_ppb,
        }
    }

    /// Whether two such oscillators tick at the same instants: nothing is drawn.
    pub fn is_certain(&self) -> bool {
        self.jitter_ps == 0 && self.wander.is_none()
    }

    /// The times in which it is gated, in their order.
    pub fn gates(&self) -> impl Iterator<Item = Gate> {
        let mut changes = self.changes.iter();
        std::iter::from_fn(move || {
            let from_ps = changes.find(|change| change.rate.is_none())?.at_ps;
            let until = changes.find(|change| change.rate.is_some());
            Some(Gate {
                from_ps,
                until_ps: until.map(|change| change.at_ps),
            })
        })
    }

    /// For how long it is gated and ticks again.
    pub fn gated(&self) -> Gated {
        let lengths = self.gates().filter_map(|gate| gate.length_ps());
        lengths.fold(Gated::default(), |all, length_ps| Gated {
            longest_ps: all.longest_ps.max(length_ps),
            all_ps: all.all_ps.saturating_add(length_ps),
        })
    }

    /// The least and the most that may lie between two ticks in a row, in ps, where it isn't gated between them.
    pub fn running_step_ps(&self) -> (u64, u64) {
        self.with_draws(self.periods_ps(1), 1)
    }

    /// The least and the most that may lie between a tick and the one `ticks` later, in ps; at least 1. Where it is gated
    /// between them the most includes that, unless there is no later tick.
    pub(crate) fn span_ps(&self, ticks: u32) -> (u64, u64) {
        let (least, most) = self.periods_ps(ticks);
        // The last tick before a gate is at least a ps before it, and the next one exactly at its end.
        let over_gate = |gate: Gate| Some((gate.length_ps()? + 1).saturating_mul(ticks.into()));
        let over_gates = self.gates().filter_map(over_gate).min();
        let (least, most) = self.with_draws((least.min(over_gates.unwrap_or(least)), most), ticks);
        (least, most.saturating_add(self.gated().within_ps(ticks)))
    }

    /// The least and the most that so many periods take without draws, in ps.
    fn periods_ps(&self, ticks: u32) -> (u64, u64) {
        let changed = self.changes.iter().filter_map(|change| change.rate);
        let spans = changed.map(|rate| rate.span_ps(ticks));
        spans.fold(self.rate().span_ps(ticks), |all, span| {
            (all.0.min(span.0), all.1.max(span.1))
        })
    }

    /// The same with what is drawn.
    fn with_draws(&self, (least, most): (u64, u64), ticks: u32) -> (u64, u64) {
        let off = self.jitter_ps.saturating_add(self.wanders_ps(ticks));
        (
            least.saturating_sub(off).max(1),
            most.saturating_add(off).max(1),
        )
    }

    /// By how much the walk may lengthen or shorten that many periods, in ps.
    fn wanders_ps(&self, ticks: u32) -> u64 {
        let Some(Wander { most_ps, bound_ps }) = self.wander else {
            return 0;
        };
        let any = most_ps.saturating_mul(ticks.into());
        // From one side to the other, and, as it begins anew after each gate, again.
        let begins = 1 + self.gates().count() as u64;
        let across = bound_ps.map(|bound_ps| bound_ps.saturating_mul(2 * begins));
        any.min(across.unwrap_or(u64::MAX))
    }
}

impl Gate {
    /// How long it lasts, in ps; `None` if it never ends.
    pub fn length_ps(self) -> Option<u64> {
        Some(self.until_ps? - self.from_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANDER: Wander = Wander {
        most_ps: 20,
        bound_ps: Some(70),
    };

    /// A period of 1000 ps and a drift of 550 ppm: ten ticks take 10005.5 ps, to the ps below or above, and each end
    /// may be up to 30 ps late, whatever the number of ticks.
    #[test]
    fn jitter_counts_once_in_a_span_and_drift_in_each_tick() {
        let clock = Periodic::new(1000, 70).with_drift(550_000).with_jitter(30);
        assert_eq!(clock.span_ps(10), (10_005 - 30, 10_006 + 30));
        assert_eq!(clock.span_ps(1), (1000 - 30, 1001 + 30));
    }

    /// The walk may use up 20 ps in each of the periods, or go from one bound to the other.
    #[test]
    fn wander_counts_in_each_tick_up_to_its_bound() {
        let clock = Periodic::new(1000, 0).with_jitter(5).with_wander(WANDER);
        assert_eq!(clock.span_ps(1), (1000 - 25, 1000 + 25));
        assert_eq!(clock.span_ps(7), (7000 - 145, 7000 + 145));
        assert_eq!(clock.span_ps(100), (100_000 - 145, 100_000 + 145));
        let free = clock.with_wander(Wander {
            bound_ps: None,
            ..WANDER
        });
        assert_eq!(free.span_ps(100), (100_000 - 2005, 100_000 + 2005));
    }

    /// Periods of 1000, 500 and 3000 ps; gated for 400 ps and for 10,000 ps. Three steps include each gate once at most.
    /// Two ticks are as near as 401 ps: one before the short gate, one at its end.
    #[test]
    fn spans_know_all_periods_and_gates() {
        let fast = Periodic::new(1000, 0)
            .with_period_from(90_000, 3000)
            .with_period_from(7000, 500);
        assert_eq!(fast.span_ps(3), (1500, 9000));
        let gated = fast
            .with_gate_from(20_000)
            .with_period_from(20_400, 500)
            .with_gate_from(30_000)
            .with_gate_from(31_000)
            .with_period_from(40_000, 500);
        let gate = |from_ps, until_ps| Gate {
            from_ps,
            until_ps: Some(until_ps),
        };
        let gates: Vec<Gate> = gated.gates().collect();
        assert_eq!(gates, [gate(20_000, 20_400), gate(30_000, 40_000)]);
        assert_eq!(gated.running_step_ps(), (500, 3000));
        assert_eq!(gated.span_ps(1), (401, 3000 + 10_000));
        assert_eq!(gated.span_ps(3), (1203, 9000 + 10_400));
        let stopped = gated.with_gate_from(100_000);
        assert_eq!(stopped.span_ps(3), (1203, 9000 + 10_400));
        assert_eq!(stopped.gates().last().unwrap().until_ps, None);
    }

    /// The walk begins anew at each end of a gate: it may use up both bounds before and after it.
    #[test]
    fn a_bounded_walk_begins_anew_after_a_gate() {
        let clock = Periodic::new(1000, 0)
            .with_wander(WANDER)
            .with_gate_from(5000)
            .with_period_from(8000, 1000);
        assert_eq!(clock.span_ps(10).0, 10_000 - 200);
        assert_eq!(clock.span_ps(100).0, 100_000 - 280);
    }

    #[test]
    #[should_panic(expected = "two changes are at the same time")]
    fn changes_are_at_different_times() {
        let _ = Periodic::new(1000, 0)
            .with_gate_from(5)
            .with_period_from(5, 1000);
    }
}
