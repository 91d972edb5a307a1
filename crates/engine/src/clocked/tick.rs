//! When a domain's clock ticks.

use super::draws::Draws;
use super::oscillator::Oscillator;
use flitwork_network::Periodic;

/// Draws of a tick.
pub(super) const JITTER_DRAW: u32 = 0;

/// A domain's clock as it runs.
pub(super) struct Ticker {
    draws: Draws,
    /// Ticks so far: the number of the next one.
    ticks: u32,
    oscillator: Oscillator,
    /// The last ticks, as many as a synchronizer has edges, and the position of the earliest of them.
    past_ps: Box<[u64]>,
    earliest: usize,
}

impl Ticker {
    /// The clock of a domain before its first tick; `seed` is that of all clocks, `edges` those of a
    /// synchronizer.
    pub(super) fn new(clock: Periodic, domain: u32, seed: u64, edges: u32) -> Ticker {
        Ticker {
            draws: Draws::of_clock(seed, domain),
            ticks: 0,
            oscillator: Oscillator::new(clock),
            past_ps: vec![0; edges as usize].into(),
            earliest: 0,
        }
    }

    /// Ticks so far.
    #[inline]
    pub(super) fn ticks(&self) -> u32 {
        self.ticks
    }

    /// The time of the first tick, in ps.
    pub(super) fn first_ps(&self) -> u64 {
        self.oscillator.tick_ps(0, self.draws)
    }

    /// The clock ticks at `now_ps`. Returns the time by which words must have arrived over a crossing to be seen
    /// now: the tick a synchronizer's edges ago, or 0 if there have not been that many, before any word can have
    /// arrived.
    #[inline]
    pub(super) fn synchronized_ps(&mut self, now_ps: u64) -> u64 {
        let Some(earliest) = self.past_ps.get_mut(self.earliest) else {
            return now_ps;
        };
        let seen_ps = std::mem::replace(earliest, now_ps);
        self.earliest += 1;
        if self.earliest == self.past_ps.len() {
            self.earliest = 0;
        }
        seen_ps
    }

    /// The time of the tick after the one at `now_ps`; always later.
    #[inline]
    pub(super) fn next_ps(&mut self, now_ps: u64) -> u64 {
        self.ticks += 1;
        self.oscillator.advance();
        let next_ps = self.oscillator.tick_ps(self.ticks, self.draws);
        // Only jitter that exceeds a drifting period could make a tick come too early.
        next_ps.max(now_ps + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synchronizer_looks_back_over_its_edges() {
        let clock = Periodic {
            period_ps: 10,
            phase_ps: 10,
            drift_ppb: 0,
            jitter_ps: 0,
        };
        let mut two = Ticker::new(clock, 0, 1, 2);
        let seen = [10, 20, 30, 40].map(|now_ps| two.synchronized_ps(now_ps));
        assert_eq!(seen, [0, 0, 10, 20]);
        let mut none = Ticker::new(clock, 0, 1, 0);
        assert_eq!(none.synchronized_ps(10), 10);
    }
}
