//! What a run leaves behind: its digest, and the record of a live run's arrivals.
//!
//! May depend on `node`. Must never know a router or an engine.

mod digest;
pub mod lines;
pub mod record;

pub use digest::Digest;
