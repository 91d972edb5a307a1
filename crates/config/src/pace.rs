//! How fast nodes step, and what that requires of links.

use flitwork_network::{Clock, Gated, Rate};

/// Drifts are counted in parts per billion.
pub(super) const BILLION: u128 = 1_000_000_000;

/// The shortest and the longest time between two ticks, rounded down and up, and for how long clocks are gated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    /// The shortest, in ps.
    pub(super) shortest_ps: u64,
    /// The longest while no clock is gated, in ps.
    pub(super) longest_ps: u64,
    /// For how long clocks are gated that tick again later.
    pub(super) gated: Gated,
}

impl Pace {
    /// That of a period without drift.
    pub(super) fn even(period_ps: u64) -> Pace {
        Pace {
            shortest_ps: period_ps,
            longest_ps: period_ps,
            gated: Gated::default(),
        }
    }

    /// That of a clock without what is drawn for each tick.
    pub(super) fn of(clock: &Clock) -> Pace {
        match clock {
            Clock::Periodic(clock) => {
                let changed = clock.changes().iter().filter_map(|change| change.rate);
                let rates = std::iter::once(clock.rate()).chain(changed);
                let pace = rates.map(Pace::at).reduce(Pace::and);
                let pace = pace.unwrap_or(Pace::even(clock.period_ps));
                // The last tick before a gate is at least a ps before it, and the next one exactly at its end.
                let gates = clock.gates().filter_map(|gate| gate.length_ps());
                let over_gate = gates.min().map_or(u64::MAX, |gate_ps| gate_ps + 1);
                Pace {
                    shortest_ps: pace.shortest_ps.min(over_gate),
                    gated: clock.gated(),
                    ..pace
                }
            }
            Clock::SelfTimed(node) => Pace {
                shortest_ps: node.least_word_ps(),
                longest_ps: node.longest_ps(),
                gated: Gated::default(),
            },
        }
    }

    fn at(rate: Rate) -> Pace {
        let exact = exact_ppb(rate);
        Pace {
            shortest_ps: (exact / BILLION) as u64,
            longest_ps: exact.div_ceil(BILLION) as u64,
            gated: Gated::default(),
        }
    }

    /// The pace of both together.
    pub(super) fn and(self, other: Pace) -> Pace {
        Pace {
            shortest_ps: self.shortest_ps.min(other.shortest_ps),
            longest_ps: self.longest_ps.max(other.longest_ps),
            gated: self.gated.max(other.gated),
        }
    }

    /// With ticks that may come late and periods that differ. How late a tick is counts once in any time, and so only
    /// where it makes ticks late; a walk counts in each period.
    pub(super) fn with_draws(self, jitter_ps: u64, wander_ps: u64) -> Pace {
        Pace {
            shortest_ps: self.shortest_ps.saturating_sub(wander_ps),
            longest_ps: self.longest_ps + jitter_ps + wander_ps,
            gated: self.gated,
        }
    }

    /// As if no clock were ever gated.
    pub(super) fn ungated(self) -> Pace {
        Pace {
            gated: Gated::default(),
            ..self
        }
    }

    /// The words that the fastest sender puts on a link while a word crosses it, waits for edges of the slowest
    /// receiver, and its credit comes back the same way. Clocks may be gated meanwhile.
    pub(super) fn round_trip_words(self, latency_ps: u64, synchronizer_edges: u32) -> u64 {
        let edges = synchronizer_edges + 1;
        let wait = u128::from(edges) * u128::from(self.longest_ps)
            + u128::from(self.gated.within_ps(edges));
        let trip = 2 * (u128::from(latency_ps) + wait);
        let words = trip.div_ceil(u128::from(self.shortest_ps.max(1))) + 2;
        u64::try_from(words).unwrap_or(u64::MAX)
    }
}

/// The period with its drift, in ps / 10^9.
pub(super) fn exact_ppb(rate: Rate) -> u128 {
    // A drift is above -10^9, so this is positive.
    let factor = BILLION.saturating_add_signed(rate.drift_ppb.into());
    u128::from(rate.period_ps) * factor
}
