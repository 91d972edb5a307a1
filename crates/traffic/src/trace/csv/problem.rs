//! Problems in CSV traces.

use super::columns::names;

/// A problem in a CSV trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsvProblem {
    /// An empty file.
    #[error("the trace is empty; its first line must name the columns, e.g. `cycle,src,dst,words`")]
    NoHeader,
    /// A header without a required column.
    #[error("the header has no column {name}; cycle, src, dst and words are required")]
    NoColumn {
        /// The column's name.
        name: &'static str,
    },
    /// A header with an unknown column.
    #[error("the header names the column {found:?}; the columns are {}", names())]
    UnknownColumn {
        /// Its name, cut to 40 characters.
        found: String,
    },
    /// A header with a column twice.
    #[error("the header names the column {name} twice; once is allowed")]
    ColumnTwice {
        /// The column's name.
        name: &'static str,
    },
    /// A line with more or fewer fields than the header.
    #[error("a line of {found} fields; the header has {header}")]
    Fields {
        /// How many it has.
        found: usize,
        /// How many the header has.
        header: usize,
    },
    /// A line too long to be a packet.
    #[error("a line of more than {most} bytes; a line is one packet")]
    LongLine {
        /// The most bytes allowed.
        most: usize,
    },
    /// A field that isn't a number, or not one that is allowed there.
    #[error("{found:?} is not allowed; a whole number from {least} to {most} is")]
    Number {
        /// The field, cut to 40 characters.
        found: String,
        /// The least number allowed.
        least: u64,
        /// The greatest number allowed.
        most: u64,
    },
}
