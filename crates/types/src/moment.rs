//! Instants that all nodes of a network share.

use crate::Cycle;

/// An instant in simulated time, where nodes have clocks of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moment {
    /// The cycle of the nominal clock that it counts as.
    pub reference: Cycle,
    /// Picoseconds since the start of the run, exactly.
    pub ps: u64,
}

impl Moment {
    /// The instant at `ps`, which counts as cycle `reference` of the nominal clock.
    #[inline]
    pub const fn new(reference: Cycle, ps: u64) -> Moment {
        Moment { reference, ps }
    }
}
