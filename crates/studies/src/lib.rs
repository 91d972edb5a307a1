//! Studies and papers' experiments: tables over a parameter, made by one command each.
//!
//! May depend on `sweep`, `experiment` and what is below. Must never print or end the process: what they need of
//! the program that runs them is a [`Context`].

mod contest;
mod context;
mod once;
pub mod options;
pub mod paper;
pub mod study;

pub use context::{At, Context, End, Failed};
