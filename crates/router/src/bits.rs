//! Sets of small numbers, as wide as a router's shape needs.

mod wide;

pub use wide::Bits256;

use crate::counts::{Count, Counts};
use flitwork_node::LaneSet;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Shl, Shr, Sub};

/// A set of numbers from 0 to [`Bits::WIDTH`] - 1.
pub trait Bits:
    Copy
    + Default
    + Eq
    + Send
    + Sync
    + std::fmt::Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + Sub<Output = Self>
    + From<u8>
    + LaneSet
    + 'static
{
    /// The type that counts something for each number.
    type Count: Count;

    /// How many numbers a set can tell apart.
    const WIDTH: u32;
    /// No number.
    const NONE: Self;

    /// The least number of a set that isn't empty.
    fn first(self) -> usize;

    /// How many numbers the set holds.
    fn count(self) -> u32;

    /// The numbers from 0 to `count` - 1.
    #[inline(always)]
    fn below(count: usize) -> Self {
        if count as u32 >= Self::WIDTH {
            !Self::NONE
        } else {
            Self::only(count) - Self::from(1)
        }
    }

    /// Whether the set is empty.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether the set holds a number.
    #[inline(always)]
    fn has(self, number: usize) -> bool {
        !(self & Self::only(number)).is_empty()
    }

    /// Adds a number.
    #[inline(always)]
    fn put(&mut self, number: usize) {
        *self |= Self::only(number);
    }

    /// Removes a number.
    #[inline(always)]
    fn take(&mut self, number: usize) {
        *self &= !Self::only(number);
    }

    /// The first number from `from` on, wrapping around; the set isn't empty.
    #[inline(always)]
    fn first_from(self, from: usize) -> usize {
        let later = (self >> (from as u32)) << (from as u32);
        if later.is_empty() {
            self.first()
        } else {
            later.first()
        }
    }

    /// The numbers of the set that are below 8, as bits.
    fn low_byte(self) -> u8;

    /// Increments the counts of the lanes in the set, which are among the first `places`, a multiple of 8.
    /// Adds to all of them, which is faster than searching for those in the set.
    #[inline(always)]
    fn count_in<const N: usize>(self, counts: &mut Counts<Self::Count, N>, places: usize) {
        // With many lanes it isn't.
        if N > 32 && self.is_empty() {
            return;
        }
        let mut rest = self;
        for eight in counts.eights(places) {
            Self::Count::add_ones(eight, rest.low_byte());
            rest = rest >> 8;
        }
    }

    /// The numbers, in ascending order.
    #[inline(always)]
    fn numbers(self) -> Numbers<Self> {
        Numbers(self)
    }
}

/// The numbers of a set.
#[derive(Clone, Debug)]
pub struct Numbers<B>(B);

impl<B: Bits> Iterator for Numbers<B> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let number = self.0.first();
        let rest = self.0 - B::from(1);
        self.0 &= rest;
        Some(number)
    }
}

/// How many numbers each set of numbers below 8 holds: a look-up takes a third of the instructions of
/// counting on a processor that has none for it.
static COUNTS: [u8; 256] = counts();

const fn counts() -> [u8; 256] {
    let (mut counts, mut set) = ([0; 256], 0);
    while set < 256 {
        counts[set] = (set as u8).count_ones() as u8;
        set += 1;
    }
    counts
}

macro_rules! bits {
    ($($bits:ty, $count:ty);+) => {$(
        impl Bits for $bits {
            type Count = $count;

            const WIDTH: u32 = <$bits>::BITS;
            const NONE: $bits = 0;

            #[inline(always)]
            fn first(self) -> usize {
                self.trailing_zeros() as usize
            }

            #[inline(always)]
            fn count(self) -> u32 {
                if <$bits>::BITS > 32 {
                    return self.count_ones();
                }
                let bytes = self.to_le_bytes();
                bytes.iter().map(|byte| u32::from(COUNTS[usize::from(*byte)])).sum()
            }

            #[inline(always)]
            fn low_byte(self) -> u8 {
                self as u8
            }
        }
    )+};
}
bits!(u16, u8; u32, u16; u64, u16; u128, u16);

#[cfg(test)]
mod tests {
    use super::*;

    fn a_set_is_what_was_put_in<B: Bits>() {
        let numbers = [0, 1, 7, 15, B::WIDTH as usize - 1];
        let mut set = B::NONE;
        assert!(set.is_empty());
        numbers.iter().for_each(|number| set.put(*number));
        let mut sorted = numbers.to_vec();
        sorted.dedup();
        assert_eq!(set.numbers().collect::<Vec<_>>(), sorted);
        assert_eq!(set.count() as usize, sorted.len());
        assert_eq!((!set).count(), B::WIDTH - set.count());
        assert_eq!(set.first_from(2), 7);
        assert_eq!(set.first_from(0), 0);
        set.take(0);
        assert!(!set.has(0) && set.has(1));
        let last = B::WIDTH as usize - 1;
        assert_eq!((B::only(1) | B::only(3)).first_from(4), 1);
        assert_eq!(B::below(last + 1).count(), B::WIDTH);
        assert_eq!(B::below(3), B::of(7));
    }

    #[test]
    fn sets_of_all_widths() {
        a_set_is_what_was_put_in::<u16>();
        a_set_is_what_was_put_in::<u32>();
        a_set_is_what_was_put_in::<u64>();
        a_set_is_what_was_put_in::<u128>();
        a_set_is_what_was_put_in::<Bits256>();
    }

    /// What a set of 256 numbers does as a number is what its halves do.
    #[test]
    fn four_words_are_shifted_and_subtracted_as_one_number() {
        let numbers = |set: Bits256| set.numbers().collect::<Vec<_>>();
        let some = [0, 5, 63, 64, 100, 127, 128, 191, 192, 255];
        let set = some.iter().fold(Bits256::NONE, |mut set, number| {
            set.put(*number);
            set
        });
        for by in 0..256 {
            let up = some.iter().map(|number| number + by).filter(|it| *it < 256);
            assert_eq!(numbers(set << by as u32), up.collect::<Vec<_>>(), "{by}");
            let down = some.iter().filter_map(|number| number.checked_sub(by));
            assert_eq!(numbers(set >> by as u32), down.collect::<Vec<_>>(), "{by}");
            assert_eq!(numbers(Bits256::below(by)), (0..by).collect::<Vec<_>>());
            let first = some.iter().find(|number| **number >= by);
            assert_eq!(set.first_from(by), *first.unwrap_or(&0), "{by}");
        }
    }

    fn counts_as_numbers_do<B: Bits, const N: usize>(places: usize) {
        let mut counts: Counts<B::Count, N> = Counts::new(5);
        let mut numbers = vec![5_u16; places];
        for round in 0..400 {
            let mut more = B::NONE;
            for lane in [0, 1, 7, 8, places - 1] {
                if (round + lane) % 3 > 0 {
                    more.put(lane);
                    numbers[lane] += 1;
                }
            }
            more.count_in(&mut counts, places);
            for (lane, number) in numbers.iter_mut().enumerate() {
                if *number > 0 && (round + lane) % 4 > 0 {
                    *number -= 1;
                    assert_eq!(counts.take_one(lane), *number == 0);
                }
            }
            if round % 50 == 0 {
                counts.set(7, 9);
                numbers[7] = 9;
            }
            for (lane, number) in numbers.iter().enumerate() {
                assert_eq!(counts.get(lane), *number, "lane {lane} in round {round}");
            }
        }
    }

    #[test]
    fn counts_of_all_widths() {
        counts_as_numbers_do::<u16, 16>(16);
        counts_as_numbers_do::<u32, 24>(24);
        counts_as_numbers_do::<u64, 64>(64);
        counts_as_numbers_do::<u128, 128>(128);
        counts_as_numbers_do::<u128, 128>(40);
        counts_as_numbers_do::<Bits256, 256>(256);
        counts_as_numbers_do::<Bits256, 256>(200);
    }
}
