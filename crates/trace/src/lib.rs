//! What remains of a run: its digest, and the record of a live run's arrivals.
//!
//! May depend on `node`. Must never know a router or an engine.
//!
//! ```
//! use flitwork_node::{Event, Probe};
//! use flitwork_trace::Digest;
//! use flitwork_trace::lines::Line;
//! use flitwork_types::{Cycle, NodeId, Port};
//!
//! let freed = Event::Freed { port: Port(2) };
//! let (mut one, mut other) = (Digest::default(), Digest::default());
//! one.event(NodeId(0), Cycle(5), freed);
//! one.event(NodeId(1), Cycle(4), freed);
//! // The order of events does not matter; where and when they happen does.
//! other.event(NodeId(1), Cycle(4), freed);
//! other.event(NodeId(0), Cycle(5), freed);
//! assert_eq!(one, other);
//! other.event(NodeId(0), Cycle(6), freed);
//! assert_ne!(one, other);
//!
//! let line = Line { node: NodeId(0), cycle: Cycle(5), event: freed };
//! assert!(line.to_string().starts_with("5 0 "));
//! ```

mod digest;
pub mod index;
pub mod lines;
pub mod record;

pub use digest::Digest;
