//! Studies and papers' experiments: tables over a parameter, made by one command each.
//!
//! May depend on `sweep`, `experiment` and what is below. Must never print or end the process.

pub mod contest;
pub mod cut_through;
pub mod paper;
pub mod study;
