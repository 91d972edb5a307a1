//! Off-line algorithms: schedules of packets, made before a run.
//!
//! A [`Plan`] says in which step a packet crosses which link. An algorithm of this room makes the plans of a whole problem, so
//! that no two packets need a link in one step. Hardware that plays them is the proof.
//!
//! May depend on `types` and `topology`. Must never know a router, an engine, a file or a configuration.

mod draws;
pub mod frames;
pub mod multistage;
mod plan;
pub mod simulation;
pub mod worms;

pub use plan::{Clash, Hop, Plan, Request, check, makespan};
