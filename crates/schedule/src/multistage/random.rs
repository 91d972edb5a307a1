//! Numbers that look random: the same for the same seed, whatever else was drawn.

/// What SplitMix64 adds from one number to the next.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads a number over all bits (Steele, Lea and Flood 2014, the output function of SplitMix64).
#[inline]
pub(super) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(GAMMA);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A stream of numbers.
pub(super) struct Draws(u64);

impl Draws {
    /// The stream of that number among those of a seed.
    pub(super) fn new(seed: u64, stream: u64) -> Draws {
        Draws(mix(mix(seed) ^ stream))
    }

    /// A number below `bound`.
    #[inline]
    fn below(&mut self, bound: u32) -> u32 {
        let drawn = mix(self.0) >> 32;
        self.0 = self.0.wrapping_add(GAMMA);
        ((drawn * u64::from(bound)) >> 32) as u32
    }

    /// Puts items into an order, each equally likely.
    pub(super) fn shuffle(&mut self, items: &mut [u32]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}
