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
