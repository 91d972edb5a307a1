//! Errors in traces, and their places.

use super::{CsvProblem, NetraceProblem, OrderProblem};
use std::fmt;
use std::io;

/// An error in a trace, and its place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct TraceError {
    /// The place.
    pub place: TracePlace,
    /// The problem.
    pub problem: TraceProblem,
}

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracePlace {
    /// An offset in bytes, after decompression.
    Byte(u64),
    /// A line.
    Line {
        /// From 1.
        line: u64,
        /// The column's name, for an error in a column.
        column: Option<&'static str>,
    },
}

/// A problem in a trace.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TraceProblem {
    /// The input can't be read.
    #[error("the trace can't be read: {message}")]
    Io {
        /// The kind of error.
        kind: io::ErrorKind,
        /// The reader's message.
        message: String,
    },
    /// The input begins like a bzip2 file but isn't one, or is damaged.
    #[error("the trace can't be decompressed by bzip2: {message}")]
    Bzip2 {
        /// The decompressor's message.
        message: String,
    },
    /// A bzip2 file ends too early.
    #[error("the bzip2 file is truncated here")]
    Bzip2End,
    /// A problem in a netrace file.
    #[error(transparent)]
    Netrace(#[from] NetraceProblem),
    /// A problem in a CSV trace.
    #[error(transparent)]
    Csv(#[from] CsvProblem),
    /// Packets that contradict each other.
    #[error(transparent)]
    Order(#[from] OrderProblem),
    /// A packet's cycle, counted from the beginning of the run, can't be reached by any run.
    #[error("the packet comes {cycle} cycles after the beginning; a run has cycles up to {latest}")]
    BeyondRun {
        /// The cycle.
        cycle: u64,
        /// The last one allowed.
        latest: u32,
    },
    /// The map of nodes is for a trace of another size.
    #[error("the trace has {trace} nodes, and the map is for {found}")]
    MapLength {
        /// The number of nodes that it maps.
        found: u32,
        /// The number of nodes in the trace.
        trace: u32,
    },
    /// The file isn't the one that was read before the run.
    #[error("the file has changed since it was first read: it now has {nodes} nodes")]
    Changed {
        /// How many nodes it has now.
        nodes: u32,
    },
    /// The trace isn't local although its summary says so: the summary is that of another trace.
    #[error(
        "a packet waits for one that is delivered to another node; the summary says that none does"
    )]
    NotLocal,
}

impl TraceError {
    /// The error of a file that can't be opened.
    pub fn of_file(error: &io::Error) -> TraceError {
        TraceError {
            place: TracePlace::Byte(0),
            problem: TraceProblem::Io {
                kind: error.kind(),
                message: error.to_string(),
            },
        }
    }

    /// The error of a file whose number of nodes has changed since its map was made.
    pub fn changed(nodes: u32) -> TraceError {
        TraceError {
            place: TracePlace::Byte(0),
            problem: TraceProblem::Changed { nodes },
        }
    }

    /// The error of an input that fails at a place.
    pub(super) fn of_input(place: TracePlace, error: &io::Error) -> TraceError {
        let unpacker = error
            .get_ref()
            .is_some_and(|inner| inner.is::<bzip2::Error>());
        let problem = if unpacker {
            TraceProblem::Bzip2 {
                message: error.to_string(),
            }
        } else if error.kind() == io::ErrorKind::UnexpectedEof {
            TraceProblem::Bzip2End
        } else {
            TraceProblem::Io {
                kind: error.kind(),
                message: error.to_string(),
            }
        };
        TraceError { place, problem }
    }
}

impl fmt::Display for TracePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TracePlace::Byte(offset) => write!(f, "byte {offset}"),
            TracePlace::Line { line, column: None } => write!(f, "line {line}"),
            TracePlace::Line {
                line,
                column: Some(column),
            } => write!(f, "line {line}, column {column}"),
        }
    }
}
