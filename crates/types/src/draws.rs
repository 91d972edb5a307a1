//! Numbers of a range, and orders of a list, from random bits.
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
