//! Traces: packets that were recorded or computed elsewhere, with what each had to wait for.
//!
//! ```text
//!   NetraceReader ─┐                         ┌─▶ TraceWorkload   runs it, with a TraceHandle for its owner
//!   CsvReader ─────┼─▶ TraceReader ─▶ checks ┼─▶ TraceSummary    counts it and proves what it can
//!   …             ─┘   a packet a time       └─▶ dependencies    lists who waits for whom, for checkers
//! ```
//!
//! A reader knows its format and nothing else. What every trace must keep (cycles in order, ids of their own,
//! no packet that waits for one behind it) is checked once for all of them. Nothing here holds a whole trace:
//! readers give one packet after the other, packed by bzip2 or not.

mod account;
mod checked;
mod csv;
mod error;
mod ids;
mod map;
mod netrace;
mod one_length;
mod summary;
mod unpack;
mod workload;

pub use account::{TraceAccount, TraceBirth, TraceHandle};
pub use checked::{OrderProblem, dependencies};
pub use csv::{CsvProblem, CsvReader};
pub use error::{Place, TraceError, TraceProblem};
pub use map::{MapError, NodeMap};
pub use netrace::{
    NetraceHeader, NetraceParameters, NetracePart, NetraceProblem, NetraceReader, NetraceRegion,
    RegionRange,
};
pub use one_length::of_one_length;
pub use summary::TraceSummary;
pub use workload::{TraceOptions, TraceWorkload};

use std::fmt;

/// What a trace calls a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId(pub u64);

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A node of the machine that a trace was taken from.
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
    /// What the trace calls it.
    pub id: TraceId,
    /// The trace's own cycle, before which it doesn't begin.
    pub cycle: u64,
    /// Where it begins.
    pub source: TraceNode,
    /// Where it ends; may be its source.
    pub destination: TraceNode,
    /// Words that it is made of, at least 1.
    pub words: u16,
    /// What kind of packet it is: an index into the names of the reader's classes.
    pub class: u8,
    /// Who waits for whom.
    pub links: Links,
}

/// Who waits for whom, said at one end of it or the other. A packet may be named more than once.
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
    /// The packets that it names.
    Links,
}

/// Something that gives the packets of a trace one by one.
///
/// A reader reports what isn't of its format. Order, ids, nodes and lengths are checked behind it.
pub trait TraceReader: Send {
    /// How many nodes the trace has: they are numbered from 0.
    fn nodes(&self) -> u32;

    /// The next packet; `None` after the last.
    ///
    /// # Errors
    /// A [`TraceError`] where the input can't be read or isn't of the format. Nothing is read after it.
    fn packet(&mut self) -> Result<Option<TracePacket>, TraceError>;

    /// Where a part of the packet given last stands; after the last packet, where the trace ends.
    fn place(&self, field: Field) -> Place;

    /// The trace's cycle that is cycle 0 of a run, unless the first packet is earlier.
    fn start_cycle(&self) -> u64 {
        0
    }

    /// The trace's cycle before which all packets begin, where that is known before they are read.
    fn ends_by(&self) -> Option<u64> {
        None
    }

    /// Whether the trace is read to its end: every packet that is named must then have come. Asked after
    /// the last packet.
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

    fn place(&self, _: Field) -> Place {
        Place::Byte(0)
    }
}

impl TraceReader for Box<dyn TraceReader> {
    fn nodes(&self) -> u32 {
        (**self).nodes()
    }

    fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
        (**self).packet()
    }

    fn place(&self, field: Field) -> Place {
        (**self).place(field)
    }

    fn start_cycle(&self) -> u64 {
        (**self).start_cycle()
    }

    fn ends_by(&self) -> Option<u64> {
        (**self).ends_by()
    }

    fn is_whole(&self) -> bool {
        (**self).is_whole()
    }
}

#[cfg(test)]
mod tests;
