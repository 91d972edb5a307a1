//! What nodes hold, as signals that change: what waveforms are made of.
//!
//! ```text
//!   Timeline ──a step at a time──▶ look at the nodes that have stepped ──▶ changes ──▶ spool ──▶ fst, vcd
//!                                   words that leave over links ─────────┘  (a temporary file)
//! ```
//!
//! Which signals there are is known only at the end: registers come and go. So changes wait in a spool, and the file is
//! written when all have been seen.
//!
//! At a time, a signal has what `look` shows when the run stands there: what a node
//! holds before anything of that time happens. A link's signals have the word that leaves at that time, until the node's
//! next step.

mod hierarchy;
mod links;
mod play;
mod record;
mod rows;
mod signals;
mod spool;

pub(crate) use hierarchy::{Declare, declare};
pub(crate) use play::Play;
pub(crate) use record::{Wave, record};
pub use rows::{SignalRow, signal_columns};
pub(crate) use signals::{Shape, Signal};
