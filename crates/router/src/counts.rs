//! Counts of words, lane by lane: arrivals increment several counts at once, a departure decrements one.

/// A count, as wide as a router's shape needs.
pub trait Count: Copy + Eq + Send + Sync + std::fmt::Debug + Into<u16> + 'static {
    /// The most that fits.
    const MOST: u16;

    /// A number up to [`Count::MOST`].
    fn of(number: u16) -> Self;

    /// Decrements a count of at least 1, and returns whether it is now 0.
    fn take_one(&mut self) -> bool;

    /// Increments the counts of a set of numbers below 8; the results must fit.
    fn add_ones(counts: &mut [Self; 8], set: u8);
}

/// For each set of numbers below 8, a 1 at each number in it.
static ONES: [[u16; 8]; 256] = ones();
/// The same as the bytes of one number.
static ONE_BYTES: [u64; 256] = one_bytes();

const fn one_bytes() -> [u64; 256] {
    let (mut ones, mut place) = ([0; 256], 0);
    while place < 256 * 8 {
        let (set, number) = (place / 8, place % 8);
        ones[set] |= (set as u64 >> number & 1) << (8 * number);
        place += 1;
    }
    ones
}

const fn ones() -> [[u16; 8]; 256] {
    let (bytes, mut ones, mut place) = (one_bytes(), [[0; 8]; 256], 0);
    while place < 256 * 8 {
        ones[place / 8][place % 8] = bytes[place / 8].to_le_bytes()[place % 8] as u16;
        place += 1;
    }
    ones
}

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
        // By index: an iterator's parts may become calls where units of a crate aren't optimised together.
        for place in 0..8 {
            counts[place] = counts[place].wrapping_add(more[place]);
        }
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
        // Counts that fit don't carry into the next one.
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

    /// Sets a lane's count.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, count: u16) {
        self.0[lane] = C::of(count);
    }

    /// Decrements a lane's count of at least 1. Returns whether it is now 0.
    #[inline(always)]
    pub fn take_one(&mut self, lane: usize) -> bool {
        self.0[lane].take_one()
    }

    /// The counts of the first `places` lanes, a multiple of 8, in groups of eight; of all lanes where that
    /// takes no longer.
    #[inline(always)]
    pub fn eights(&mut self, places: usize) -> &mut [[C; 8]] {
        let counts = match N {
            ..=32 => &mut self.0[..],
            _ => &mut self.0[..places],
        };
        counts.as_chunks_mut::<8>().0
    }
}
