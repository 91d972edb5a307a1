//! Sets of numbers below 256, in four words.

use super::Bits;
use flitwork_node::LaneSet;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Shl, Shr, Sub};

const WORDS: usize = 4;

/// A set of numbers from 0 to 255: the least are in the first word.
///
/// As a number of 256 bits it can be shifted, and a smaller one be subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits256([u64; WORDS]);

impl Bits256 {
    #[inline(always)]
    fn zip(self, other: Bits256, with: impl Fn(u64, u64) -> u64) -> Bits256 {
        Bits256(std::array::from_fn(|word| {
            with(self.0[word], other.0[word])
        }))
    }
}

impl BitAnd for Bits256 {
    type Output = Bits256;

    #[inline(always)]
    fn bitand(self, other: Bits256) -> Bits256 {
        self.zip(other, |one, other| one & other)
    }
}

impl BitOr for Bits256 {
    type Output = Bits256;

    #[inline(always)]
    fn bitor(self, other: Bits256) -> Bits256 {
        self.zip(other, |one, other| one | other)
    }
}

impl BitAndAssign for Bits256 {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Bits256) {
        *self = *self & other;
    }
}

impl BitOrAssign for Bits256 {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Bits256) {
        *self = *self | other;
    }
}

impl Not for Bits256 {
    type Output = Bits256;

    #[inline(always)]
    fn not(self) -> Bits256 {
        Bits256(self.0.map(|word| !word))
    }
}

impl Shl<u32> for Bits256 {
    type Output = Bits256;

    #[inline]
    fn shl(self, by: u32) -> Bits256 {
        let (words, bits) = ((by / u64::BITS) as usize, by % u64::BITS);
        let below = |word: usize, back: usize| word.checked_sub(back).map_or(0, |at| self.0[at]);
        Bits256(std::array::from_fn(|word| {
            let carried = below(word, words + 1).checked_shr(u64::BITS - bits);
            below(word, words) << bits | carried.unwrap_or(0)
        }))
    }
}

impl Shr<u32> for Bits256 {
    type Output = Bits256;

    #[inline]
    fn shr(self, by: u32) -> Bits256 {
        let (words, bits) = ((by / u64::BITS) as usize, by % u64::BITS);
        let above = |at: usize| self.0.get(at).copied().unwrap_or(0);
        Bits256(std::array::from_fn(|word| {
            let carried = above(word + words + 1).checked_shl(u64::BITS - bits);
            above(word + words) >> bits | carried.unwrap_or(0)
        }))
    }
}

impl Sub for Bits256 {
    type Output = Bits256;

    #[inline]
    fn sub(self, other: Bits256) -> Bits256 {
        let mut borrow = false;
        Bits256(std::array::from_fn(|word| {
            let (rest, one) = self.0[word].overflowing_sub(other.0[word]);
            let (rest, two) = rest.overflowing_sub(u64::from(borrow));
            borrow = one | two;
            rest
        }))
    }
}

impl From<u8> for Bits256 {
    #[inline(always)]
    fn from(bits: u8) -> Bits256 {
        Bits256([bits.into(), 0, 0, 0])
    }
}

impl LaneSet for Bits256 {
    #[inline(always)]
    fn only(number: usize) -> Bits256 {
        let mut set = Bits256::NONE;
        set.0[number / 64] = 1 << (number % 64);
        set
    }

    #[inline(always)]
    fn of(bits: u32) -> Bits256 {
        Bits256([bits.into(), 0, 0, 0])
    }
}

impl Bits for Bits256 {
    type Count = u16;

    const WIDTH: u32 = WORDS as u32 * u64::BITS;
    const NONE: Bits256 = Bits256([0; WORDS]);

    #[inline]
    fn first(self) -> usize {
        let found = (0..WORDS).find(|word| self.0[*word] != 0);
        found.map_or(Self::WIDTH as usize, |word| {
            64 * word + self.0[word].trailing_zeros() as usize
        })
    }

    #[inline]
    fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline(always)]
    fn low_byte(self) -> u8 {
        self.0[0] as u8
    }
}
