//! The oscillators of domains.

/// An oscillator. Its tick k is at
/// `phase + floor(k * period * (1 + drift)) + (a draw from 0 to jitter)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periodic {
    /// From one tick to the next, in ps; at least 1.
    pub period_ps: u64,
    /// The first tick, in ps.
    pub phase_ps: u64,
    /// How much slower (positive) or faster than its period the oscillator runs, in parts per billion.
    pub drift_ppb: i32,
    /// How late a tick may be, in ps; less than the period, so that ticks stay in order.
    pub jitter_ps: u64,
}

impl Periodic {
    /// The least and the most that may lie between a tick and the one `ticks` later, in ps; at least 1.
    pub(crate) fn span_ps(&self, ticks: u32) -> (u64, u64) {
        let parts = 1_000_000_000;
        let factor = (parts + i128::from(self.drift_ppb)).max(1);
        let span = i128::from(self.period_ps) * factor * i128::from(ticks);
        let whole = |span| u64::try_from(span).unwrap_or(u64::MAX);
        let (least, most) = (whole(span / parts), whole((span + parts - 1) / parts));
        (
            least.saturating_sub(self.jitter_ps).max(1),
            most.saturating_add(self.jitter_ps).max(1),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A period of 1000 ps and a drift of 550 ppm: ten ticks take 10005.5 ps, to the ps below or above, and each end
    /// may be up to 30 ps late, whatever the number of ticks.
    #[test]
    fn jitter_counts_once_in_a_span_and_drift_in_each_tick() {
        let clock = Periodic {
            period_ps: 1000,
            phase_ps: 70,
            drift_ppb: 550_000,
            jitter_ps: 30,
        };
        assert_eq!(clock.span_ps(10), (10_005 - 30, 10_006 + 30));
        assert_eq!(clock.span_ps(1), (1000 - 30, 1001 + 30));
    }
}
