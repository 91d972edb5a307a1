//! Worst-case constructions against routers, after Chinn 1995.
//!
//! - [`clt`]: for a deterministic, minimal router (sections 2.2, 2.3 and 4.2).
//! - [`lazy`]: for the greedy hot potato router (section 4.3).
//!
//! May depend on `engine` and its dependencies. Must never know a file or a published table.
//!
//! ```
//! use flitwork_adversary::Plan;
//!
//! // The construction of section 4.2 on a mesh of side 60, for routers with up to 4 packets in each position.
//! let (side, positions) = (60, 4);
//! let plan = Plan::new(side, positions, Plan::usual_corner(side, positions)).unwrap();
//! assert_eq!(plan.place(1).len() as u32, plan.packets());
//!
//! // A corner that is too large for its mesh.
//! assert!(Plan::new(60, 4, 31).is_err());
//! ```

pub mod clt;
mod exchange;
pub mod lazy;
mod nodes;
pub mod plan;

pub use clt::Instant;
pub use nodes::packets;
pub use plan::{Class, Direction, Fraction, Plan, PlanError};
