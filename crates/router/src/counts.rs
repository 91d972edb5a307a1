//! Counts of words, lane by lane: where words come, several at once count one more, and where one goes, one
//! counts one less.

use crate::bits::Bits;

/// A count, as wide as a router's shape needs.
pub trait Count: Copy + Eq + Send + Sync + std::fmt::Debug + Into<u16> + 'static {
    /// The most that fits.
    const MOST: u16;

    /// A number up to [`Count::MOST`].
    fn of(number: u16) -> Self;

    /// Counts one less, of at least 1, and says whether nothing is left.
    fn take_one(&mut self) -> bool;

    /// Counts one more at each of a set of numbers below 8, which must fit.
    fn add_ones(counts: &mut [Self; 8], set: u8);
}

/// For each set of numbers below 8 a 1 at each number in it.
static ONES: [[u16; 8]; 256] = {
    let (mut ones, mut place) = ([[0; 8]; 256], 0);
    while place < 256 * 8 {
        ones[place / 8][place % 8] = ((place / 8) >> (place % 8) & 1) as u16;
        place += 1;
    }
    ones
};

/// The same as bytes of one number.
static ONE_BYTES: [u64; 256] = {
    let (mut ones, mut place) = ([0; 256], 0);
    while place < 256 * 8 {
        ones[place / 8] |= ((place as u64 / 8) >> (place % 8) & 1) << (8 * (place % 8));
        place += 1;
    }
    ones
};

impl Count for u16 {
    const MOST: u16 = u16::MAX;

    #[inline(always)]
    fn of(number: u16) -> u16 {
        number
    }

    #[inline(always)]
    fn take_one(&mut self) -> bool {
        *self -= 1;
        *self == 0
    }

    #[inline(always)]
    fn add_ones(counts: &mut [u16; 8], set: u8) {
        let more = &ONES[usize::from(set)];
        *counts = std::array::from_fn(|place| counts[place].wrapping_add(more[place]));
    }
}

impl Count for u8 {
    const MOST: u16 = u8::MAX as u16;

    #[inline(always)]
    fn of(number: u16) -> u8 {
        debug_assert!(number <= Self::MOST, "{number} doesn't fit");
        number as u8
    }

    #[inline(always)]
    fn take_one(&mut self) -> bool {
        *self -= 1;
        *self == 0
    }

    #[inline(always)]
    fn add_ones(counts: &mut [u8; 8], set: u8) {
        // Counts that fit carry nothing to the next.
        let sum = u64::from_le_bytes(*counts).wrapping_add(ONE_BYTES[usize::from(set)]);
        *counts = sum.to_le_bytes();
    }
}

/// Counts for `N` lanes.
#[derive(Clone, Debug)]
pub struct Counts<C, const N: usize>([C; N]);

impl<C: Count, const N: usize> Counts<C, N> {
    /// The same count for each lane.
    pub fn new(count: u16) -> Counts<C, N> {
        Counts([C::of(count); N])
    }

    /// A lane's count.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> u16 {
        self.0[lane].into()
    }

    /// A lane's count is this from now on.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, count: u16) {
        self.0[lane] = C::of(count);
    }

    /// A lane counts one less, of at least 1. Gives whether nothing is left.
    #[inline(always)]
    pub fn take_one(&mut self, lane: usize) -> bool {
        self.0[lane].take_one()
    }

    /// Each lane of a set counts one more. Goes through the first `places` lanes, a multiple of 8, or more
    /// where that takes no longer, instead of looking for those in the set, which takes longer.
    #[inline(always)]
    pub fn add<B: Bits>(&mut self, lanes: B, places: usize) {
        let counts = match N {
            ..=32 => &mut self.0[..],
            _ => &mut self.0[..places],
        };
        let mut rest = lanes;
        for eight in counts.as_chunks_mut::<8>().0 {
            C::add_ones(eight, rest.low_byte());
            rest = rest >> 8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            counts.add(more, places);
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
        counts_as_numbers_do::<u128, 128>(128);
        counts_as_numbers_do::<u128, 128>(40);
    }
}
