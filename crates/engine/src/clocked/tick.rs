//! When a domain's clock ticks.

use super::oscillator::Oscillator;
use flitwork_network::{Clock, Delay, SelfTimed};
use flitwork_node::{draw, mix};
use flitwork_types::{Cycle, NodeId};

/// Separates the draws of clocks from those of routers and sources with the same seed.
const SALT: u64 = 0x636c_6f63_6b73_0001;
/// Draws of a tick.
pub(super) const JITTER_DRAW: u32 = 0;
const WORD_DRAW: u32 = 1;
const DECISION_DRAW: u32 = 2;
const NOTHING_DRAW: u32 = 3;

/// What the nodes of a domain did in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Did {
    /// A word arrived or left.
    pub(super) word: bool,
    /// A decision was made.
    pub(super) decision: bool,
}

/// A domain's clock as it runs.
pub(super) struct Ticker {
    draws: Draws,
    /// Ticks so far: the number of the next one.
    ticks: u32,
    source: Source,
    /// The last ticks, as many as a synchronizer has edges, and the position of the earliest of them.
    past_ps: Box<[u64]>,
    earliest: usize,
}

/// What ticks.
enum Source {
    Oscillator(Oscillator),
    SelfTimed(SelfTimed),
}

/// The domain's own random stream.
#[derive(Clone, Copy)]
pub(super) struct Draws {
    /// Salted.
    seed: u64,
    domain: NodeId,
}

impl Ticker {
    /// The clock of a domain before its first tick; `seed` is that of all clocks, `edges` those of a
    /// synchronizer.
    pub(super) fn new(clock: Clock, domain: u32, seed: u64, edges: u32) -> Ticker {
        let source = match clock {
            Clock::Periodic(clock) => Source::Oscillator(Oscillator::new(clock)),
            Clock::SelfTimed(clock) => Source::SelfTimed(clock),
        };
        Ticker {
            draws: Draws {
                seed: mix(seed.wrapping_add(SALT)),
                domain: NodeId(domain),
            },
            ticks: 0,
            source,
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
        match &self.source {
            Source::Oscillator(clock) => clock.tick_ps(0, self.draws),
            Source::SelfTimed(clock) => clock.phase_ps,
        }
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

    /// The time of the tick after the one at `now_ps`, in which the domain's nodes did `did`; always later.
    #[inline]
    pub(super) fn next_ps(&mut self, now_ps: u64, did: Did) -> u64 {
        let number = self.ticks;
        self.ticks += 1;
        match &mut self.source {
            Source::Oscillator(clock) => {
                clock.advance();
                // Only jitter that exceeds a drifting period could make a tick come too early.
                clock.tick_ps(self.ticks, self.draws).max(now_ps + 1)
            }
            Source::SelfTimed(clock) => {
                now_ps.saturating_add(self.draws.step_ps(clock, number, did))
            }
        }
    }
}

impl Draws {
    /// The draw of a tick from 0 to `most`; its distribution deviates from uniform by less than `most` /
    /// 2^64.
    #[inline]
    pub(super) fn up_to(self, most: u64, number: u32, index: u32) -> u64 {
        let drawn = draw(self.seed, self.domain, Cycle(number), index);
        ((u128::from(drawn) * (u128::from(most) + 1)) >> 64) as u64
    }

    /// How long a step of a self-timed domain takes: the longest of the delays for what it did.
    #[inline]
    fn step_ps(self, clock: &SelfTimed, number: u32, did: Did) -> u64 {
        let delay = |delay: Delay, index| {
            let range_ps = delay.most_ps.saturating_sub(delay.least_ps);
            delay.least_ps.max(1) + self.up_to(range_ps, number, index)
        };
        let word = || delay(clock.word, WORD_DRAW);
        let decision = || delay(clock.decision, DECISION_DRAW);
        match (did.word, did.decision) {
            (true, true) => word().max(decision()),
            (true, false) => word(),
            (false, true) => decision(),
            (false, false) => delay(clock.nothing, NOTHING_DRAW),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_self_timed_step_takes_the_longest_of_its_delays() {
        let delay = |least_ps, most_ps| Delay { least_ps, most_ps };
        let clock = SelfTimed {
            phase_ps: 5,
            word: delay(100, 110),
            decision: delay(200, 220),
            nothing: delay(1000, 1000),
        };
        let mut ticker = Ticker::new(Clock::SelfTimed(clock), 0, 1, 0);
        assert_eq!(ticker.first_ps(), 5);
        let mut step = |word, decision| ticker.next_ps(0, Did { word, decision });
        for _ in 0..100 {
            assert_eq!(step(false, false), 1000);
            assert!((100..=110).contains(&step(true, false)));
            assert!((200..=220).contains(&step(false, true)));
            assert!((200..=220).contains(&step(true, true)));
        }
    }

    #[test]
    fn a_synchronizer_looks_back_over_its_edges() {
        let clock = Clock::SelfTimed(SelfTimed {
            phase_ps: 0,
            word: Delay {
                least_ps: 1,
                most_ps: 1,
            },
            decision: Delay {
                least_ps: 1,
                most_ps: 1,
            },
            nothing: Delay {
                least_ps: 1,
                most_ps: 1,
            },
        });
        let mut two = Ticker::new(clock, 0, 1, 2);
        let seen = [10, 20, 30, 40].map(|now_ps| two.synchronized_ps(now_ps));
        assert_eq!(seen, [0, 0, 10, 20]);
        let mut none = Ticker::new(clock, 0, 1, 0);
        assert_eq!(none.synchronized_ps(10), 10);
    }
}
