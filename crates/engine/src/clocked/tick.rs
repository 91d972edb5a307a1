//! When a domain's clock ticks.

use flitwork_network::{Clock, Delay, Periodic, SelfTimed};
use flitwork_node::{draw, mix};
use flitwork_types::{Cycle, NodeId};

/// Separates the draws of clocks from those of routers and sources with the same seed.
const SALT: u64 = 0x636c_6f63_6b73_0001;
/// Fractions of a picosecond in which an oscillator's drift accumulates.
const PARTS: u64 = 1_000_000_000;
/// Draws of a tick.
const JITTER_DRAW: u32 = 0;
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

/// A periodic clock; its drift accumulates exactly.
struct Oscillator {
    /// When the next tick would come without jitter: in ps, and in fractions below [`PARTS`].
    next: (u64, u64),
    /// The distance from one such time to the next.
    step: (u64, u64),
    jitter_ps: u64,
}

/// The domain's own random stream.
#[derive(Clone, Copy)]
struct Draws {
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

impl Oscillator {
    fn new(clock: Periodic) -> Oscillator {
        let parts = (PARTS as i64 + i64::from(clock.drift_ppb)).max(1);
        let step = u128::from(clock.period_ps) * parts as u128;
        let parts = u128::from(PARTS);
        Oscillator {
            next: (clock.phase_ps, 0),
            step: ((step / parts) as u64, (step % parts) as u64),
            jitter_ps: clock.jitter_ps,
        }
    }

    #[inline]
    fn advance(&mut self) {
        let parts = self.next.1 + self.step.1;
        let carry = u64::from(parts >= PARTS);
        self.next.1 = parts - carry * PARTS;
        self.next.0 = self.next.0.saturating_add(self.step.0 + carry);
    }

    /// The next tick, whose number is `number`.
    #[inline]
    fn tick_ps(&self, number: u32, draws: Draws) -> u64 {
        let (steady_ps, _) = self.next;
        match self.jitter_ps {
            0 => steady_ps,
            most_ps => steady_ps.saturating_add(draws.up_to(most_ps, number, JITTER_DRAW)),
        }
    }
}

impl Draws {
    /// The draw of a tick from 0 to `most`; its distribution deviates from uniform by less than `most` /
    /// 2^64.
    #[inline]
    fn up_to(self, most: u64, number: u32, index: u32) -> u64 {
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

    fn ticks(clock: Clock, count: u32) -> Vec<u64> {
        let mut ticker = Ticker::new(clock, 3, 7, 2);
        let mut now_ps = ticker.first_ps();
        let ticks = (0..count).map(|number| {
            assert_eq!(ticker.ticks(), number);
            let next_ps = ticker.next_ps(now_ps, Did::default());
            std::mem::replace(&mut now_ps, next_ps)
        });
        ticks.collect()
    }

    #[test]
    fn drift_adds_up_exactly() {
        // 333 ps per tick and 7 parts per billion: the drift is a picosecond after 429,001 ticks.
        for (period_ps, drift_ppb) in [(333, 7), (333, -7), (1000, 123_456_789), (1, -999_999)] {
            let clock = Periodic {
                period_ps,
                phase_ps: 17,
                drift_ppb,
                jitter_ps: 0,
            };
            let factor = (1_000_000_000 + i64::from(drift_ppb)) as u128;
            let exact =
                |number: u64| 17 + (u128::from(number * period_ps) * factor / 1_000_000_000) as u64;
            let mut last = None;
            for (number, tick) in ticks(Clock::Periodic(clock), 1_000_000).iter().enumerate() {
                // With a period below 1 ps several ticks would fall on one picosecond; they are separated.
                let expected = last.map_or(0, |last| last + 1).max(exact(number as u64));
                assert_eq!(*tick, expected, "tick {number}");
                last = Some(*tick);
            }
        }
    }

    #[test]
    fn jitter_stays_in_its_bounds_and_reaches_them() {
        let clock = Periodic {
            period_ps: 100,
            phase_ps: 0,
            drift_ppb: 0,
            jitter_ps: 9,
        };
        let late: Vec<u64> = (0u64..)
            .zip(ticks(Clock::Periodic(clock), 1000))
            .map(|(number, tick)| tick - 100 * number)
            .collect();
        for jitter in 0..=9 {
            assert!(late.contains(&jitter));
        }
        assert!(late.iter().all(|jitter| *jitter <= 9));
    }

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
