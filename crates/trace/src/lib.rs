//! What a run leaves behind: for now its digest.
//!
//! May depend on `node`. Must never know a router or an engine.

mod digest;

pub use digest::Digest;
