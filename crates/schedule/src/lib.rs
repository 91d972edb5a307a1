//! Off-line algorithms: schedules of packets, made before a run.
//!
//! A [`Plan`] says in which step a packet crosses which link. An algorithm of this room makes the plans of a whole problem, so
//! that no two packets need a link in one step. Hardware that plays them is the proof.
//!
//! A [method] is an algorithm that configurations name, with its keys.
//!
//! May depend on `types`, `topology` and `schema`. Must never know a router, an engine or a file.
//!
//! ```
//! use flitwork_schedule::worms::{Bends, Order, first_fit};
//! use flitwork_schedule::{Plan, Request, check, makespan};
//! use flitwork_topology::{Grid, Topology};
//! use flitwork_types::NodeId;
//!
//! // Worms of two words from each node of a 4 x 4 mesh to the node opposite.
//! let mesh = Grid::mesh(&[4, 4]).unwrap();
//! let request = |node| Request {
//!     source: NodeId(node),
//!     destination: NodeId(mesh.nodes() - 1 - node),
//!     words: 2,
//! };
//! let requests: Vec<Request> = (0..mesh.nodes()).map(request).collect();
//! let starts = first_fit(&mesh, &requests, (Order::LongestFirst, 0), Bends::Either).unwrap();
//! let plans = starts.iter().zip(&requests);
//! let plans: Vec<Plan> = plans.map(|(start, request)| start.plan(&mesh, request)).collect();
//! assert_eq!(check(&mesh, &requests, &plans, 0), Ok(()));
//! assert!(makespan(&requests, &plans) >= 7);
//! ```

mod bend;
pub mod bounds;
mod draws;
pub mod frames;
pub mod method;
pub mod multistage;
mod plan;
pub mod simulation;
pub mod worms;

pub use plan::{Clash, Hop, Plan, Request, check, makespan, waiting};
