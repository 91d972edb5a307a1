//! Problems in CSV traces.

use super::columns::names;
use crate::permutation_text::excerpt;
use std::fmt;

/// The most characters of a field that an error quotes.
const LONGEST_FIELD: usize = 40;

/// A problem in a CSV trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CsvProblem {
    /// An empty file.
    NoHeader,
    /// A header without a required column.
    NoColumn {
        /// The column's name.
        name: &'static str,
    },
    /// A header with an unknown column.
    UnknownColumn {
        /// Its name, cut to 40 characters.
        found: String,
    },
    /// A header with a column twice.
    ColumnTwice {
        /// The column's name.
        name: &'static str,
    },
    /// A line with more or fewer fields than the header.
    Fields {
        /// How many it has.
        found: usize,
        /// How many the header has.
        header: usize,
    },
    /// A line too long to be a packet.
    LongLine {
        /// The most bytes allowed.
        most: usize,
    },
    /// A field that isn't a number, or not one that is allowed there.
    Number {
        /// The field, cut to 40 characters.
        found: String,
        /// The least number allowed.
        least: u64,
        /// The greatest number allowed.
        most: u64,
    },
}

impl CsvProblem {
    pub(super) fn unknown_column(name: &str) -> CsvProblem {
        CsvProblem::UnknownColumn {
            found: excerpt(name, LONGEST_FIELD),
        }
    }

    pub(super) fn number(field: &[u8], least: u64, most: u64) -> CsvProblem {
        CsvProblem::Number {
            found: excerpt(&String::from_utf8_lossy(field), LONGEST_FIELD),
            least,
            most,
        }
    }
}

impl fmt::Display for CsvProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CsvProblem::NoHeader => write!(
                f,
                "the trace is empty; its first line must name the columns, e.g. `cycle,src,dst,words`"
            ),
            CsvProblem::NoColumn { name } => write!(
                f,
                "the header has no column {name}; cycle, src, dst and words are required"
            ),
            CsvProblem::UnknownColumn { found } => {
                write!(
                    f,
                    "the header names the column {found:?}; the columns are {}",
                    names()
                )
            }
            CsvProblem::ColumnTwice { name } => {
                write!(
                    f,
                    "the header names the column {name} twice; once is allowed"
                )
            }
            CsvProblem::Fields { found, header } => {
                write!(f, "a line of {found} fields; the header has {header}")
            }
            CsvProblem::LongLine { most } => {
                write!(f, "a line of more than {most} bytes; a line is one packet")
            }
            CsvProblem::Number { found, least, most } => write!(
                f,
                "{found:?} is not allowed; a whole number from {least} to {most} is"
            ),
        }
    }
}
