//! Whether links carry words both ways at once.

/// Whether the two directions between neighbours have a wire each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplex {
    /// They have: each carries a word a cycle.
    #[default]
    Full,
    /// They share one, which carries a word a cycle.
    Half {
        /// Cycles, by the receiver's count, from the arrival of the right to send until it may be used.
        turnaround_cycles: u32,
    },
}

impl Duplex {
    /// Whether both directions share a wire.
    #[inline]
    pub fn is_half(self) -> bool {
        self != Duplex::Full
    }

    /// Cycles from the arrival of the right to send until it may be used; 0 where there is no such right.
    #[inline]
    pub fn turnaround_cycles(self) -> u32 {
        match self {
            Duplex::Full => 0,
            Duplex::Half { turnaround_cycles } => turnaround_cycles,
        }
    }
}
