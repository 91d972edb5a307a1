//! What can be wrong with an index.

use std::io;

/// Why an index can't be read. Offsets are in bytes from the start of the file.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The file doesn't start like an index.
    #[error("byte 0: not an index: it doesn't start with an index's eight magic bytes")]
    NotAnIndex,
    /// Another version of the format.
    #[error("byte 8: an index of format version {found}; this program reads version {supported}")]
    Version {
        /// The file's.
        found: u16,
        /// The one that is read.
        supported: u16,
    },
    /// The file ends inside its header.
    #[error("the file ends inside its header")]
    Truncated,
    /// The bytes are not those that were written.
    #[error("byte {offset}: what starts here was altered: its checksum differs")]
    Checksum {
        /// Where the header, block or trailer starts.
        offset: u64,
    },
    /// The checksum is right, but the bytes do not form an index.
    #[error("byte {offset}: {what}")]
    Corrupt {
        /// Where the header, block or trailer starts.
        offset: u64,
        /// What was found, and what is allowed.
        what: String,
    },
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] io::Error),
}
