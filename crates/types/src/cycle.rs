//! Local clock cycles.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A cycle of a node's own clock, counted from 0.
///
/// 32 bits, because every frame of every node stores one. The configuration ensures that a run ends before
/// [`Cycle::LAST`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Cycle(pub u32);

impl Cycle {
    /// The first cycle.
    pub const ZERO: Cycle = Cycle(0);
    /// The latest cycle a run may reach.
    pub const LAST: Cycle = Cycle(4_000_000_000);

    /// The cycle of this number; the greatest that 32 bits hold if it is greater.
    #[inline]
    pub fn saturating(number: u64) -> Cycle {
        Cycle(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The cycle that many cycles later; the greatest number if that is greater.
    #[inline]
    pub fn later(self, cycles: u64) -> Cycle {
        Cycle::saturating(u64::from(self.0).saturating_add(cycles))
    }

    /// The cycle as a plain count.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The cycles from `earlier` to `self`; 0 if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Cycle) -> u32 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<u32> for Cycle {
    type Output = Cycle;
    #[inline]
    fn add(self, cycles: u32) -> Cycle {
        Cycle(self.0.saturating_add(cycles))
    }
}

impl AddAssign<u32> for Cycle {
    #[inline]
    fn add_assign(&mut self, cycles: u32) {
        *self = *self + cycles;
    }
}

impl Sub<u32> for Cycle {
    type Output = Cycle;
    #[inline]
    fn sub(self, cycles: u32) -> Cycle {
        Cycle(self.0.saturating_sub(cycles))
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_great_is_the_greatest_number() {
        let numbers = [
            0,
            7,
            (1 << 32) - 2,
            (1 << 32) - 1,
            1 << 32,
            (1 << 32) + 7,
            u64::MAX,
        ];
        let (next, greatest) = (Cycle(u32::MAX - 1), Cycle(u32::MAX));
        let expected = [
            Cycle(0),
            Cycle(7),
            next,
            greatest,
            greatest,
            greatest,
            greatest,
        ];
        assert_eq!(numbers.map(Cycle::saturating), expected);
        assert_eq!(numbers.map(|cycles| Cycle::ZERO.later(cycles)), expected);
        // Seven cycles later than seven less than a number.
        let sums = [7, (1 << 32) - 2, (1 << 32) - 1, 1 << 32, u64::MAX];
        let sums = sums.map(|sum| Cycle(7).later(sum - 7));
        assert_eq!(sums, [Cycle(7), next, greatest, greatest, greatest]);
        assert_eq!(Cycle(7).later(u64::MAX), greatest);
        assert_eq!(Cycle(7).later(u64::MAX - 6), greatest);
    }
}
