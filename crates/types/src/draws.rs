//! Numbers of a range, and orders of a list, from random bits; and bits that look random, from a number.
//!
//! These mappings stand here and not in a library, so that a seed gives the same results with every version of every
//! dependency. Which generator gives the bits is up to the caller.
//!
//! ```
//! use flitwork_types::draws::{below, shuffle};
//!
//! // From the last place down: of 4 items the one at 1/4 of the way, of 3 the last, of 2 the first.
//! let mut bits = [1 << 62, u64::MAX, 0].into_iter();
//! let mut items = ['a', 'b', 'c', 'd'];
//! shuffle(&mut items, |bound| below(bits.next().unwrap(), bound as u64) as usize);
//! assert_eq!(items, ['d', 'a', 'c', 'b']);
//! assert_eq!(bits.next(), None);
//! ```

/// The step of SplitMix64's counter (Steele, Lea and Flood 2014).
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finalizer: spreads a number over all 64 bits; a bijection that keeps 0.
#[inline]
pub const fn mix(mut value: u64) -> u64 {
    value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// The output of SplitMix64 for a state: a step, then [`mix`].
#[inline]
pub const fn split_mix(state: u64) -> u64 {
    mix(state.wrapping_add(GOLDEN))
}

/// A number from 0 to `bound` - 1 out of 64 random bits, by multiplication; 0 for a bound of 0. No number is more probable
/// than another by more than 2^-64.
#[inline]
pub const fn below(bits: u64, bound: u64) -> u64 {
    ((bits as u128 * bound as u128) >> 64) as u64
}

/// A random order, all equally probable: from the last place down, each gets one of the items that aren't placed yet (Fisher
/// and Yates 1938, in the form of Durstenfeld 1964). `below` draws a number from 0 to what it is given, less one.
pub fn shuffle<T>(items: &mut [T], mut below: impl FnMut(usize) -> usize) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last + 1));
    }
}
