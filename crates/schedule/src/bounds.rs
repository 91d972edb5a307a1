//! How short a schedule can be: lower bounds, the shortest of small problems, and the product method's upper bound.
//!
//! Three lower bounds, each at least the one before it:
//! - the longest [`distance`], for packets that get in nobody's way;
//! - the [`fractional`] bound (Symvonis and Tidswell 1994, section 3.2), for packets that may be divided among paths: a linear
//!   program over the multistage graph, whose answer is proven in whole numbers;
//! - the [`shortest`] schedule itself, by a solver of satisfiability, for problems that are small enough.
//!
//! An upper bound for permutations of meshes is that of [`product`] graphs (Annexstein and Baumslag 1990).
//!
//! All but the last follow a [`Model`]: how many packets may wait in a node, and by which paths packets go. As everywhere in
//! this room, a packet waits at its source as long as it likes.
//!
//! ```
//! use flitwork_schedule::bounds::{Limits, Model, distance, fractional, shortest};
//! use flitwork_schedule::check;
//! use flitwork_schedule::multistage::Mesh;
//! use flitwork_topology::Grid;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The longest distance is 3, but it takes 4 steps without waiting.
//! let grid = Grid::mesh(&[4, 4])?;
//! let destinations = [1, 13, 14, 0, 7, 10, 9, 3, 11, 6, 8, 15, 4, 5, 2, 12];
//! let requests = Mesh::permutation(&destinations);
//! let (model, limits) = (Model::default(), Limits::default());
//! assert_eq!(distance(&grid, &requests)?, 3);
//! assert_eq!(fractional(&grid, &requests, model, &limits)?.steps, 4);
//! let found = shortest(&grid, &requests, model, &limits)?;
//! assert!(found.is_proven());
//! assert_eq!(found.makespan, 4);
//! check(&grid, &requests, &found.plans, model.waiting)?;
//! # Ok(())
//! # }
//! ```

mod clauses;
mod colours;
mod cut;
mod exact;
mod flow;
mod problem;
mod product;
mod stages;
#[cfg(test)]
mod tests;

pub use cut::Cut;
pub use exact::{Shortest, shortest};
pub use flow::{Fractional, fractional};
pub use problem::{BoundError, Limits, Model, distance};
pub use product::{Product, product, product_bound};
