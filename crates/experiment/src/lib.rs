//! From what a user asks to what a user sees: configurations, runs, reports, figures.
//!
//! May depend on every room but those of many runs, of studies and of the command line. Must never read arguments or end the process.

pub mod adverse;
pub mod catalogue;
pub mod config;
pub mod examine;
mod exchange;
pub mod extras;
pub mod intervals;
pub mod live;
pub mod machine;
pub mod memory;
pub mod observe;
pub mod packets;
pub mod report;
pub mod simulate;
mod workload;
