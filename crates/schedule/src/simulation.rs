//! Worms routed as if they were packets, without ever stopping (Roberts and Symvonis 1994, section 3).

mod cells;
mod ends;
mod error;
mod packets;
mod round;
mod snakes;
mod supernode;
mod superstep;
mod timetable;
mod walk;
mod ways;

#[cfg(test)]
mod tests;

pub use cells::{Cell, Direction};
pub use error::SimulationError;
pub use packets::Queue;
pub use round::{Consumption, Round, Schedule, Simulation, Totals};
pub use supernode::{Half, Inadmissible, Place, Quadrant, Region, Supernode};

use supernode::MOST_SIDE;
