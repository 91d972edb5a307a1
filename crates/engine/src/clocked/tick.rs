//! When a domain's clock ticks.

use super::draws::Draws;
use super::oscillator::{Next, Oscillator};
use flitwork_network::Periodic;

/// Draws of a tick.
pub(super) const JITTER_DRAW: u32 = 0;
pub(super) const WANDER_DRAW: u32 = 1;

/// A domain's clock as it runs.
#[derive(Clone)]
pub(super) struct Ticker {
    draws: Draws,
    /// Ticks so far: the number of the next one.
    ticks: u32,
    oscillator: Oscillator,
    /// The last ticks, as many as a synchronizer has edges, and the position of the earliest of them.
    past_ps: Box<[u64]>,
    earliest: u32,
    /// The last ticks, the latest first, as many as any crossing looks back over, if they differ.
    all_past_ps: Vec<u64>,
}

impl Ticker {
    /// The clock of a domain before its first tick; `seed` is that of all clocks, `edges` those of a
    /// synchronizer.
    pub(super) fn new(clock: &Periodic, domain: u32, seed: u64, edges: u32) -> Ticker {
        Ticker {
            draws: Draws::of_clock(seed, domain),
            ticks: 0,
            oscillator: Oscillator::new(clock),
            past_ps: vec![0; edges as usize].into(),
            earliest: 0,
            all_past_ps: Vec::new(),
        }
    }

    /// Ticks so far.
    #[inline]
    pub(super) fn ticks(&self) -> u32 {
        self.ticks
    }

    /// The time of the first tick, in ps; `None` if there is none. To be asked once, before all others.
    pub(super) fn first_ps(&mut self) -> Option<u64> {
        self.oscillator.first(self.draws).tick_ps
    }

    /// The clock ticks at `now_ps`. Returns the time by which words must have arrived over a crossing to be seen
    /// now: the tick a synchronizer's edges ago, or 0 if there have not been that many, before any word can have
    /// arrived.
    #[inline]
    pub(super) fn synchronized_ps(&mut self, now_ps: u64) -> u64 {
        let Some(earliest) = self.past_ps.get_mut(self.earliest as usize) else {
            return now_ps;
        };
        let seen_ps = std::mem::replace(earliest, now_ps);
        self.earliest += 1;
        if self.earliest as usize == self.past_ps.len() {
            self.earliest = 0;
        }
        seen_ps
    }

    /// The clock ticks at `now_ps`. Fills in the times of that tick and those before it, in ps, each by how many ticks
    /// ago it was; 0 if there have not been that many.
    pub(super) fn look_back(&mut self, now_ps: u64, past_ps: &mut [u64]) {
        self.all_past_ps.resize(past_ps.len(), 0);
        self.all_past_ps.rotate_right(1);
        self.all_past_ps[0] = now_ps;
        past_ps.copy_from_slice(&self.all_past_ps);
    }

    /// The tick that is due comes later by as many ps, and so do all that follow.
    pub(super) fn delay(&mut self, by_ps: u64) {
        self.oscillator.delay(by_ps);
    }

    /// What follows on the tick at `now_ps`; always later.
    #[inline(always)]
    pub(super) fn next(&mut self, now_ps: u64) -> Next {
        self.ticks += 1;
        let next = self.oscillator.advance(self.ticks, self.draws);
        // Only draws that exceed a drifting period could make a tick come too early.
        next.after(now_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synchronizer_looks_back_over_its_edges() {
        let clock = &Periodic::new(10, 10);
        let mut two = Ticker::new(clock, 0, 1, 2);
        let seen = [10, 20, 30, 40].map(|now_ps| two.synchronized_ps(now_ps));
        assert_eq!(seen, [0, 0, 10, 20]);
        let mut none = Ticker::new(clock, 0, 1, 0);
        assert_eq!(none.synchronized_ps(10), 10);
    }
}
