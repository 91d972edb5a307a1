//! The clock of a domain that has an oscillator.

use super::draws::Draws;
use super::tick::JITTER_DRAW;
use flitwork_network::Periodic;

/// Fractions of a picosecond in which an oscillator's drift accumulates.
const PARTS: u64 = 1_000_000_000;

/// A periodic clock; its drift accumulates exactly.
pub(super) struct Oscillator {
    /// When the next tick would come without jitter: in ps, and in fractions below [`PARTS`].
    next: (u64, u64),
    /// The distance from one such time to the next.
    step: (u64, u64),
    jitter_ps: u64,
}

impl Oscillator {
    pub(super) fn new(clock: Periodic) -> Oscillator {
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
    pub(super) fn advance(&mut self) {
        let parts = self.next.1 + self.step.1;
        let carry = u64::from(parts >= PARTS);
        self.next.1 = parts - carry * PARTS;
        self.next.0 = self.next.0.saturating_add(self.step.0 + carry);
    }

    /// The next tick, whose number is `number`.
    #[inline]
    pub(super) fn tick_ps(&self, number: u32, draws: Draws) -> u64 {
        let (steady_ps, _) = self.next;
        match self.jitter_ps {
            0 => steady_ps,
            most_ps => steady_ps.saturating_add(draws.up_to(most_ps, number, JITTER_DRAW)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tick::Ticker;
    use super::*;

    fn ticks(clock: Periodic, count: u32) -> Vec<u64> {
        let mut ticker = Ticker::new(clock, 3, 7, 2);
        let mut now_ps = ticker.first_ps();
        let ticks = (0..count).map(|number| {
            assert_eq!(ticker.ticks(), number);
            let next_ps = ticker.next_ps(now_ps);
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
            for (number, tick) in ticks(clock, 1_000_000).iter().enumerate() {
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
            .zip(ticks(clock, 1000))
            .map(|(number, tick)| tick - 100 * number)
            .collect();
        for jitter in 0..=9 {
            assert!(late.contains(&jitter));
        }
        assert!(late.iter().all(|jitter| *jitter <= 9));
    }
}
