//! The nominal clock.

use flitwork_types::Cycle;

/// The nominal clock: the cycle that contains the current time.
#[derive(Clone)]
pub(super) struct Reference {
    pub(super) cycle: Cycle,
    pub(super) nominal_ps: u64,
    /// When that cycle ends, in ps.
    ends_ps: u64,
}

impl Reference {
    /// Its first cycle; a cycle takes `nominal_ps`, or a ps if that is 0.
    pub(super) fn new(nominal_ps: u64) -> Reference {
        let nominal_ps = nominal_ps.max(1);
        Reference {
            cycle: Cycle::ZERO,
            nominal_ps,
            ends_ps: nominal_ps,
        }
    }

    /// The nominal cycle that contains an instant, in ps. The run ends before the first cycle that does not fit.
    pub(super) fn of(&self, at_ps: u64) -> Cycle {
        Cycle::saturating(at_ps / self.nominal_ps)
    }

    /// When the current cycle ends, in ps.
    pub(super) fn ends_ps(&self) -> u64 {
        self.ends_ps
    }

    /// Goes on to the cycle of an instant; returns whether that is another one.
    #[inline]
    pub(super) fn advance(&mut self, now_ps: u64) -> bool {
        if now_ps < self.ends_ps {
            return false;
        }
        let cycle = now_ps / self.nominal_ps;
        self.ends_ps = (cycle + 1).saturating_mul(self.nominal_ps);
        // The run ends before the first cycle that does not fit.
        self.cycle = Cycle::saturating(cycle);
        true
    }
}
