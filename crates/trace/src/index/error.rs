//! What can be wrong with an index.

use std::{fmt, io};

/// Why an index can't be read. Offsets are in bytes from the start of the file.
#[derive(Debug)]
pub enum IndexError {
    /// The file doesn't start like an index.
    NotAnIndex,
    /// Another version of the format.
    Version {
        /// The file's.
        found: u16,
        /// The one that is read.
        supported: u16,
    },
    /// The file ends inside its header.
    Truncated,
    /// The bytes are not those that were written.
    Checksum {
        /// Where the header, block or trailer starts.
        offset: u64,
    },
    /// The checksum is right, but the bytes do not form an index.
    Corrupt {
        /// Where the header, block or trailer starts.
        offset: u64,
        /// What was found, and what is allowed.
        what: String,
    },
    /// The file could not be read.
    Io(io::Error),
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::NotAnIndex => write!(
                f,
                "byte 0: not an index: it doesn't start with an index's eight magic bytes"
            ),
            IndexError::Version { found, supported } => write!(
                f,
                "byte 8: an index of format version {found}; this program reads version {supported}"
            ),
            IndexError::Truncated => write!(f, "the file ends inside its header"),
            IndexError::Checksum { offset } => {
                write!(
                    f,
                    "byte {offset}: what starts here was altered: its checksum differs"
                )
            }
            IndexError::Corrupt { offset, what } => write!(f, "byte {offset}: {what}"),
            IndexError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for IndexError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            IndexError::Io(source) => Some(source),
            _ => None,
        }
    }
}

impl From<io::Error> for IndexError {
    fn from(error: io::Error) -> IndexError {
        IndexError::Io(error)
    }
}
