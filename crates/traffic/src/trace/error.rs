//! What is wrong with a trace, and where.

use super::{CsvProblem, NetraceProblem, OrderProblem};
use std::fmt;
use std::io;

/// What is wrong with a trace, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceError {
    /// Where it was found.
    pub place: Place,
    /// What was found.
    pub problem: TraceProblem,
}

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// So many bytes from the beginning, after unpacking.
    Byte(u64),
    /// A line.
    Line {
        /// From 1.
        line: u64,
        /// The column by its name, where one is meant.
        column: Option<&'static str>,
    },
}

/// What is wrong with a trace.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceProblem {
    /// The input can't be read.
    Io {
        /// What kind of error it is.
        kind: io::ErrorKind,
        /// What its reader says.
        message: String,
    },
    /// The input begins as a bzip2 file and isn't one, or is damaged.
    Bzip2 {
        /// What the unpacker says.
        message: String,
    },
    /// A bzip2 file ends too early.
    Bzip2End,
    /// Something that no netrace file has.
    Netrace(NetraceProblem),
    /// Something that no CSV trace has.
    Csv(CsvProblem),
    /// Packets that don't go together.
    Order(OrderProblem),
    /// A packet's cycle, counted from the run's beginning, lies beyond every run.
    BeyondRun {
        /// The cycle.
        cycle: u64,
        /// The last one allowed.
        latest: u32,
    },
    /// The map of nodes isn't made for this trace.
    MapLength {
        /// How many nodes of a trace it maps.
        found: u32,
        /// How many the trace has.
        trace: u32,
    },
    /// The file isn't the one that was read before the run.
    Changed {
        /// How many nodes it has now.
        nodes: u32,
    },
    /// The trace was said to be local and isn't: its summary is that of another trace.
    NotLocal,
}

impl TraceError {
    /// The error of a file that can't be opened.
    pub fn of_file(error: &io::Error) -> TraceError {
        TraceError {
            place: Place::Byte(0),
            problem: TraceProblem::Io {
                kind: error.kind(),
                message: error.to_string(),
            },
        }
    }

    /// The error of a file that has another number of nodes than when its map was made.
    pub fn changed(nodes: u32) -> TraceError {
        TraceError {
            place: Place::Byte(0),
            problem: TraceProblem::Changed { nodes },
        }
    }

    /// The error of an input that fails at a place.
    pub(super) fn of_input(place: Place, error: &io::Error) -> TraceError {
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

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Byte(offset) => write!(f, "byte {offset}"),
            Place::Line { line, column: None } => write!(f, "line {line}"),
            Place::Line {
                line,
                column: Some(column),
            } => write!(f, "line {line}, column {column}"),
        }
    }
}

impl fmt::Display for TraceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceProblem::Io { message, .. } => write!(f, "the trace can't be read: {message}"),
            TraceProblem::Bzip2 { message } => {
                write!(f, "the trace can't be unpacked by bzip2: {message}")
            }
            TraceProblem::Bzip2End => write!(f, "the bzip2 file is cut off here"),
            TraceProblem::Netrace(problem) => problem.fmt(f),
            TraceProblem::Csv(problem) => problem.fmt(f),
            TraceProblem::Order(problem) => problem.fmt(f),
            TraceProblem::BeyondRun { cycle, latest } => write!(
                f,
                "the packet's cycle is {cycle} after the beginning; a run has cycles up to {latest}"
            ),
            TraceProblem::MapLength { found, trace } => write!(
                f,
                "the trace has {trace} nodes, the map is made for {found}"
            ),
            TraceProblem::Changed { nodes } => write!(
                f,
                "the file was changed since it was read first: it has {nodes} nodes now"
            ),
            TraceProblem::NotLocal => write!(
                f,
                "a packet waits for one that ends at another node; the summary given says that none does"
            ),
        }
    }
}

impl std::error::Error for TraceError {}
