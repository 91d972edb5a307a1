//! What makes nodes step: oscillators, pausible clocks, and events (the pages on asynchrony, on crossings and on self-timed
//! nodes).

use super::links::Instant;
use super::plain::{Clock, SelfTimed};
use super::router::Done;

/// What makes a node step.
pub(super) enum Pace {
    Ticks(Ticks),
    Events(Events),
}

/// An oscillator, which may be pausible.
pub(super) struct Ticks {
    period_ps: u64,
    phase_ps: u64,
    drift_ppb: i64,
    pub(super) next: u64,
    /// By how much ticks were delayed so far.
    pub(super) delayed_ps: u64,
    /// The next tick, once its request has come.
    pub(super) granted_ps: Option<u64>,
    /// What came to stand at pausible ports: when, and for how long it keeps ticks away.
    pub(super) arrivals: Vec<(u64, u64)>,
}

/// A node without a clock.
pub(super) struct Events {
    pub(super) delays: SelfTimed,
    /// The last step's cycle, none before the first, and when it was over.
    pub(super) cycle: Option<u64>,
    pub(super) free_ps: u64,
    /// When the router itself next has work, and in which cycle.
    pub(super) own: Option<(u64, u64)>,
}

impl Ticks {
    /// When the next tick is due if nothing delays it.
    pub(super) fn requested_ps(&self) -> u64 {
        let billion = 1_000_000_000i128;
        let slow = i128::from(self.period_ps) * (billion + i128::from(self.drift_ppb));
        let ticks = (i128::from(self.next) * slow).div_euclid(billion);
        self.phase_ps + ticks as u64 + self.delayed_ps
    }

    /// When something happens next: the tick's request, or the tick.
    pub(super) fn next_ps(&self) -> u64 {
        self.granted_ps.unwrap_or_else(|| self.requested_ps())
    }

    /// At the time of a request: sets the tick.
    pub(super) fn grant(&mut self) {
        let requested = self.requested_ps();
        let came = self.arrivals.iter().filter(|(at, _)| *at <= requested);
        let kept_away = came.map(|(at, transfer)| at + transfer).max();
        self.granted_ps = Some(kept_away.unwrap_or(0).max(requested));
        self.arrivals.retain(|(at, _)| *at > requested);
    }
}

impl Events {
    /// When a step begins that something makes begin that came at a time.
    pub(super) fn begins_ps(&self, came: Option<u64>) -> Option<u64> {
        let own = self.own.map(|(at, _)| at);
        let came = came.map(|at| at.max(self.free_ps));
        [own, came].into_iter().flatten().min()
    }

    /// The cycle of a step that begins at a time.
    pub(super) fn cycle_at(&self, ps: u64) -> u64 {
        let Some(last) = self.cycle else { return 0 };
        match self.own {
            Some((at, cycle)) if ps == at => cycle,
            Some(_) if self.delays.count_ps > 0 => {
                last + 1 + (ps - self.free_ps) / self.delays.count_ps
            }
            _ => last + 1,
        }
    }

    /// A delay as it is in this node.
    fn scaled(&self, ps: u64) -> u64 {
        let scaled = u128::from(ps) * u128::from(self.delays.scale_ppb);
        let rounded = (scaled + 500_000_000) / 1_000_000_000;
        (rounded as u64).max(1)
    }

    /// How long a step takes in which this is done.
    pub(super) fn takes_ps(&self, done: &Done) -> u64 {
        let delays = &self.delays;
        let allocation = delays.allocation_ps.map_or(0, |ps| self.scaled(ps));
        let decision = self.scaled(delays.decision_ps);
        let parts = [
            (done.moved_words, self.scaled(delays.word_ps)),
            (done.decided, decision),
            (done.allocated, decision + allocation),
            (
                !done.credits.is_empty() || done.freed_injection,
                delays.credit_ps.map_or(0, |ps| self.scaled(ps)),
            ),
        ];
        let spent = parts.into_iter().filter(|(did, _)| *did);
        spent.map(|(_, ps)| ps).max().unwrap_or(0)
    }
}

/// The beginning of a step of a node without a clock.
pub(super) fn at_once(ps: u64) -> Instant {
    Instant {
        ps,
        tick: 0,
        requested_ps: ps,
    }
}

/// A node's pace before its first step.
pub(super) fn pace(clock: &Clock) -> Pace {
    match clock {
        Clock::Oscillator {
            period_ps,
            phase_ps,
            drift_ppb,
        } => Pace::Ticks(Ticks {
            period_ps: *period_ps,
            phase_ps: *phase_ps,
            drift_ppb: *drift_ppb,
            next: 0,
            delayed_ps: 0,
            granted_ps: None,
            arrivals: Vec::new(),
        }),
        Clock::SelfTimed(delays) => Pace::Events(Events {
            delays: delays.clone(),
            cycle: None,
            free_ps: 0,
            own: None,
        }),
    }
}
