//! Traces: packets that were recorded or computed elsewhere, and the dependencies between them.
//!
//! ```text
//!   NetraceReader ─┐                         ┌─▶ TraceWorkload   runs it, with a TraceHandle for its owner
//!   CsvReader ─────┼─▶ TraceReader ─▶ checks ┼─▶ TraceSummary    counts it and decides whether it is local
//!   …             ─┘   packet by packet      └─▶ dependencies    lists who waits for whom, for checkers
//! ```
//!
//! A reader knows only its format. What applies to every trace (sorted cycles, unique ids, no packet that waits for a
//! later one) is checked in one place. Nothing here holds a whole trace: readers return one packet after another,
//! whether the file is compressed with bzip2 or not.

mod account;
mod checked;
mod csv;
mod error;
mod ids;
mod map;
mod netrace;
mod one_length;
mod summary;
mod tape;
mod unpack;
mod workload;

pub use account::{TraceAccount, TraceBirth, TraceFollower, TraceHandle};
pub use checked::OrderProblem;
pub use csv::{CsvProblem, CsvReader};
pub use error::{TraceError, TracePlace, TraceProblem};
pub use map::{MapError, NodeMap};
pub use netrace::{
    NetraceHeader, NetraceParameters, NetracePart, NetraceProblem, NetraceReader, NetraceRegion,
    RegionRange,
};
pub use one_length::of_one_length;
pub use summary::TraceSummary;
pub use workload::{TraceOptions, TraceWorkload};

use std::fmt;

/// The id of a packet in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId(pub u64);

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A node of the machine on which a trace was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceNode(pub u32);

impl fmt::Display for TraceNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A packet of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePacket {
    /// Its id in the trace.
    pub id: TraceId,
    /// The trace's cycle before which it doesn't start.
    pub cycle: u64,
    /// Its source.
    pub source: TraceNode,
    /// Its destination; may be its source.
    pub destination: TraceNode,
    /// Its length in words, at least 1.
    pub words: u16,
    /// Its class: of a netrace file, the place of its type among all types; in CSV it is given.
    pub class: u8,
    /// Its dependencies.
    pub links: Links,
}

/// Dependencies, listed at either end. A packet may be named more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Links {
    /// The packet waits for these, which came earlier in the trace.
    After(Vec<TraceId>),
    /// These, later in the trace, wait for the packet.
    Before(Vec<TraceId>),
}

impl Links {
    /// The packets that it names.
    pub fn names(&self) -> &[TraceId] {
        match self {
            Links::After(names) | Links::Before(names) => names,
        }
    }
}

/// A part of a packet in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The whole packet, from its beginning.
    Packet,
    /// Its cycle.
    Cycle,
    /// Its id.
    Id,
    /// Its source.
    Source,
    /// Its destination.
    Destination,
    /// Its length.
    Words,
    /// Its class.
    Class,
    /// The packets that it names.
    Links,
}

/// A reader of a trace, packet by packet.
///
/// A reader reports errors of its format. Its user checks order, ids, nodes and lengths.
pub trait TraceReader: Send {
    /// The number of nodes in the trace; they are numbered from 0.
    fn nodes(&self) -> u32;

    /// The next packet; `None` after the last.
    ///
    /// # Errors
    /// A [`TraceError`] if the input can't be read or violates the format. Nothing is read after it.
    fn packet(&mut self) -> Result<Option<TracePacket>, TraceError>;

    /// The place of a part of the last packet returned; after the end, the place where the trace ends.
    fn place(&self, field: Field) -> TracePlace;

    /// The trace's cycle that becomes cycle 0 of a run, unless the first packet is earlier.
    fn start_cycle(&self) -> u64 {
        0
    }

    /// The trace's cycle before which all packets start, if that is known before they are read.
    fn ends_by(&self) -> Option<u64> {
        None
    }

    /// Whether the trace is read to its end, so that every packet named must be in it. Asked after the last packet.
    fn is_whole(&self) -> bool {
        true
    }
}

/// A trace without packets.
struct Nothing;

impl TraceReader for Nothing {
    fn nodes(&self) -> u32 {
        0
    }

    fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
        Ok(None)
    }

    fn place(&self, _: Field) -> TracePlace {
        TracePlace::Byte(0)
    }
}

impl<R: TraceReader + 'static> From<R> for Box<dyn TraceReader> {
    fn from(reader: R) -> Box<dyn TraceReader> {
        Box::new(reader)
    }
}

#[cfg(test)]
mod tests;
