//! A network: a topology, a router for each of its nodes, links between them, sources at them.
//!
//! May depend on `router`, `topology` and `traffic`. Must never know an engine or a file.

mod cell;
mod clock;

pub use cell::{Cell, Flit, Message, Wires};
pub use clock::{Clock, Clocks, Delay, LinkTiming, Periodic, SelfTimed};

use flitwork_traffic::Workload;
use flitwork_types::Cycle;

/// What stands still: the shape, the routers, the wires.
pub struct Network<T, R> {
    /// Who is whose neighbour.
    pub topology: T,
    /// What every node does.
    pub router: R,
    /// Cycles that a word or a credit takes from one node to the next, at least 1.
    pub link_latency_cycles: u32,
}

/// What a network is given to carry, and for how long.
pub struct Load {
    /// The packets that sources make.
    pub workload: Box<dyn Workload>,
    /// From this cycle on no packet enters an injection frame.
    pub inject_until: Cycle,
    /// The run ends before this cycle, whatever is still under way.
    pub end: Cycle,
}

impl Load {
    /// A load that runs until it is delivered, or `end`.
    pub fn until(workload: Box<dyn Workload>, end: Cycle) -> Load {
        Load {
            workload,
            inject_until: end,
            end,
        }
    }
}
