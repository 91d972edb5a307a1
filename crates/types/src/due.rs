//! When something is due that may never be.

use crate::Cycle;
use bytemuck::Zeroable;
use std::cmp::Ordering;
use std::ops::Add;

/// What times are counted in. The greatest number is no time of any run.
pub trait Time: Copy + Ord {
    /// The greatest number.
    const GREATEST: Self;
}

impl Time for Cycle {
    const GREATEST: Cycle = Cycle(u32::MAX);
}

impl Time for u64 {
    const GREATEST: u64 = u64::MAX;
}

/// The time from which something can happen, if it ever can: the sooner the smaller, and never is the greatest.
///
/// It takes no more memory than the time itself, whose greatest number means never.
///
/// ```
/// use flitwork_types::{Cycle, Due};
///
/// let heads = [Due::NEVER, Due::at(Cycle(7)), Due::when(false, Cycle(3))];
/// let first = Due::soonest(heads);
/// assert_eq!(first.get(), Some(Cycle(7)));
/// assert!(first > Cycle(6) && first <= Cycle(7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Zeroable)]
#[repr(transparent)]
pub struct Due<T = Cycle>(T);

impl<T: Time> Due<T> {
    /// At no time.
    pub const NEVER: Due<T> = Due(T::GREATEST);

    /// At a time, which isn't the greatest number.
    #[inline]
    pub const fn at(time: T) -> Due<T> {
        Due(time)
    }

    /// At a time where `possible`, and never otherwise.
    #[inline]
    pub fn when(possible: bool, time: impl Into<Due<T>>) -> Due<T> {
        if possible { time.into() } else { Due::NEVER }
    }

    /// The first of these times; never if there are none.
    #[inline]
    pub fn soonest(times: impl IntoIterator<Item = impl Into<Due<T>>>) -> Due<T> {
        let mut soonest = Due::NEVER;
        for time in times {
            soonest = soonest.min(time.into());
        }
        soonest
    }

    /// The time, unless it is never.
    #[inline]
    pub fn get(self) -> Option<T> {
        (self != Due::NEVER).then_some(self.0)
    }

    /// The later of it and a time; never stays never.
    #[inline]
    pub fn not_before(self, time: T) -> Due<T> {
        Due(self.0.max(time))
    }

    /// The sooner of it and a time: that does come.
    #[inline]
    pub fn at_latest(self, time: T) -> T {
        self.0.min(time)
    }
}

impl Due {
    /// What [`Due::bits`] has returned.
    #[inline]
    pub const fn of_bits(bits: u32) -> Due {
        Due(Cycle(bits))
    }

    /// As bits, for registers that hold this or something else. All are 0 for the first cycle.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0.0
    }
}

impl<T> From<T> for Due<T> {
    #[inline]
    fn from(time: T) -> Due<T> {
        Due(time)
    }
}

impl<T: Time> From<Option<T>> for Due<T> {
    #[inline]
    fn from(time: Option<T>) -> Due<T> {
        time.map_or(Due::NEVER, Due)
    }
}

impl<T: Time> PartialEq<T> for Due<T> {
    #[inline]
    fn eq(&self, time: &T) -> bool {
        self.0 == *time
    }
}

impl<T: Time> PartialOrd<T> for Due<T> {
    #[inline]
    fn partial_cmp(&self, time: &T) -> Option<Ordering> {
        self.0.partial_cmp(time)
    }
}

/// Never stays never.
impl Add<u32> for Due {
    type Output = Due;
    #[inline]
    fn add(self, cycles: u32) -> Due {
        Due(self.0 + cycles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_is_later_than_every_cycle() {
        let last = Due::at(Cycle::LAST);
        assert!(Due::NEVER > last && Due::NEVER > Cycle::LAST && last <= Cycle::LAST);
        assert_eq!(
            (last.get(), Due::<Cycle>::NEVER.get()),
            (Some(Cycle::LAST), None)
        );
        assert_eq!(Due::NEVER + 1, Due::<Cycle>::NEVER);
        assert_eq!(Due::at(Cycle(5)) + 1, Cycle(6));
        assert_eq!(Due::from(None), Due::<u64>::NEVER);
        assert_eq!(Due::from(Some(3)), Due::at(3u64));
    }

    #[test]
    fn what_is_impossible_is_never_due() {
        assert_eq!(Due::when(true, Cycle::ZERO), Cycle::ZERO);
        assert_eq!(Due::when(false, Cycle::ZERO), Due::<Cycle>::NEVER);
        assert_eq!(Due::when(true, Due::NEVER), Due::<Cycle>::NEVER);
    }

    #[test]
    fn the_soonest_of_nothing_is_never() {
        assert_eq!(Due::soonest([Cycle::ZERO; 0]), Due::<Cycle>::NEVER);
        assert_eq!(Due::soonest([Due::NEVER; 2]), Due::<u64>::NEVER);
        assert_eq!(Due::soonest([None, Some(9u64), Some(4)]), Due::at(4));
        assert_eq!(Due::soonest([Cycle(9), Cycle::LAST]), Due::at(Cycle(9)));
    }

    #[test]
    fn a_time_bounds_it_from_both_sides() {
        let due = Due::at(Cycle(5));
        assert_eq!(
            [4, 5, 6].map(|at| due.not_before(Cycle(at))),
            [5, 5, 6].map(Cycle)
        );
        assert_eq!(
            [4, 5, 6].map(|at| due.at_latest(Cycle(at))),
            [4, 5, 5].map(Cycle)
        );
        assert_eq!(Due::NEVER.not_before(Cycle(4)), Due::<Cycle>::NEVER);
        assert_eq!(Due::NEVER.at_latest(Cycle(4)), Cycle(4));
    }

    #[test]
    fn it_takes_the_memory_of_a_cycle() {
        assert_eq!(size_of::<Due>(), size_of::<Cycle>());
        assert_eq!(Due::zeroed(), Due::at(Cycle::ZERO));
        for due in [Due::at(Cycle::ZERO), Due::at(Cycle::LAST), Due::NEVER] {
            assert_eq!(Due::of_bits(due.bits()), due);
        }
    }
}
