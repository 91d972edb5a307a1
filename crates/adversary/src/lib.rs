//! Worst-case constructions against routers, after Chinn 1995.
//!
//! - [`clt`]: for a deterministic, minimal router (sections 2.2, 2.3 and 4.2).
//! - [`lazy`]: for the greedy hot potato router (section 4.3).
//!
//! May depend on `engine` and its dependencies. Must never know a file or a published table.

pub mod clt;
mod exchange;
pub mod lazy;
pub mod plan;

pub use plan::{Class, Kind, Plan, PlanError};
