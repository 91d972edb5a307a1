//! The multistage off-line method (Symvonis and Tidswell 1994): packets get their ways one after the other, each the earliest
//! that those before it leave free.
//!
//! On a [`Mesh`], a [`Scheduler`] gives each packet a path of at most one bend, on which it moves in every step once it has
//! left. On any graph, a [`Search`] gives it the path that arrives the earliest, with or without waiting and detours. The
//! shortest that a schedule can be is the longest distance; [`count`] says how many permutations miss it, and [`Mender`] what
//! helps those that do.
//!
//! ```
//! use flitwork_schedule::multistage::{Mesh, Rules, Scheduler};
//! use flitwork_schedule::{check, makespan};
//! use flitwork_topology::Grid;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let grid = Grid::mesh(&[4, 3])?;
//! let requests = Mesh::permutation(&[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
//! let mut scheduler = Scheduler::new(Mesh::new(&grid)?);
//! let summary = scheduler.schedule(&requests, &Rules::default())?;
//! let plans = scheduler.plans(&requests);
//! check(&grid, &requests, &plans, 0)?;
//! assert_eq!((makespan(&requests, &plans), summary.distance), (5, 5));
//! # Ok(())
//! # }
//! ```

mod choices;
pub mod count;
mod diagonals;
mod mend;
mod mesh;
pub mod order;
mod scheduler;
mod search;
mod selection;
mod sorter;
mod ties;

pub use crate::bend::{Bend, Way};
pub use mend::{Mended, Mender};
pub use mesh::{MAX_SIDE, MAX_WORDS, Mesh, MeshError, ProblemError};
pub use order::{ORDERS, Order, Ranked, Ranking};
pub use scheduler::{Rules, Scheduler, Summary};
pub use search::{Paths, Search, longest_first};
pub use selection::Selection;
pub use ties::Ties;
