//! How fast nodes step, and what that requires of links.

use flitwork_network::{Clock, Periodic};

/// Drifts are counted in parts per billion.
pub(super) const BILLION: u128 = 1_000_000_000;

/// The shortest and the longest time between two ticks without jitter, rounded down and up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    /// The shortest, in ps.
    pub(super) shortest_ps: u64,
    /// The longest, in ps.
    pub(super) longest_ps: u64,
}

impl Pace {
    /// That of a period without drift.
    pub(super) fn even(period_ps: u64) -> Pace {
        Pace {
            shortest_ps: period_ps,
            longest_ps: period_ps,
        }
    }

    pub(super) fn of(clock: &Clock) -> Pace {
        match clock {
            Clock::Periodic(clock) => {
                let exact = exact_ppb(clock);
                Pace {
                    shortest_ps: (exact / BILLION) as u64,
                    longest_ps: exact.div_ceil(BILLION) as u64,
                }
            }
            Clock::SelfTimed(node) => Pace {
                shortest_ps: node.least_word_ps(),
                longest_ps: node.longest_ps(),
            },
        }
    }

    /// The pace of both together.
    pub(super) fn and(self, other: Pace) -> Pace {
        Pace {
            shortest_ps: self.shortest_ps.min(other.shortest_ps),
            longest_ps: self.longest_ps.max(other.longest_ps),
        }
    }

    /// With ticks that may come late.
    pub(super) fn with_jitter(self, jitter_ps: u64) -> Pace {
        Pace {
            longest_ps: self.longest_ps + jitter_ps,
            ..self
        }
    }

    /// The words that the fastest sender puts on a link while a word crosses it, waits for edges of the slowest
    /// receiver, and its credit comes back the same way.
    pub(super) fn round_trip_words(self, latency_ps: u64, synchronizer_edges: u32) -> u64 {
        let wait = (u128::from(synchronizer_edges) + 1) * u128::from(self.longest_ps);
        let trip = 2 * (u128::from(latency_ps) + wait);
        let words = trip.div_ceil(u128::from(self.shortest_ps.max(1))) + 2;
        u64::try_from(words).unwrap_or(u64::MAX)
    }
}

/// The period with its drift, in ps / 10^9.
pub(super) fn exact_ppb(clock: &Periodic) -> u128 {
    // A drift is above -10^9, so this is positive.
    let factor = BILLION.saturating_add_signed(clock.drift_ppb.into());
    u128::from(clock.period_ps) * factor
}
