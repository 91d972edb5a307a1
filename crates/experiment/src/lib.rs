//! Runs: a configuration's network on its engine, observed, recorded and replayed; what it needs of memory.
//!
//! May depend on configurations and on all below them. Must never compute a figure of a report, read arguments or end the
//! process.

mod around;
pub mod embed;
pub mod examine;
mod exchange;
pub mod extras;
pub mod hardware;
pub mod intervals;
pub mod live;
pub mod memory;
pub mod overload;
pub mod packets;
pub mod simulate;
pub mod size;
mod window;
mod workload;
pub mod worst_case;
