//! What can be wrong with a record's file.

use std::io;

/// Why a record cannot be read. Offsets are in bytes from the start of the file.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file is empty.
    #[error("byte 0: the file is empty, not a record")]
    Empty,
    /// The file does not start like a record.
    #[error("byte 0: not a record: it doesn't start with a record's eight magic bytes")]
    NotARecord,
    /// Another version of the format.
    #[error(
        "byte 8: a record of format version {found}; this program reads versions {} to {}",
        .supported.start(),
        .supported.end()
    )]
    Version {
        /// The file's.
        found: u16,
        /// Those that can be read.
        supported: std::ops::RangeInclusive<u16>,
    },
    /// The file ends inside its header.
    #[error("byte {offset}: the file ends inside {what}")]
    Truncated {
        /// Where the file ends.
        offset: u64,
        /// What was being read.
        what: &'static str,
    },
    /// The bytes are not those that were written.
    #[error(
        "byte {offset}: what starts here was altered: checksum {found:08x} in the file, \
         {computed:08x} of its bytes"
    )]
    Checksum {
        /// Where the header, block or trailer starts.
        offset: u64,
        /// The checksum that the file holds.
        found: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
    /// The checksum is right, but the bytes do not form a record.
    #[error("byte {offset}: {what}")]
    Corrupt {
        /// Where the header, block or trailer starts, or the byte itself.
        offset: u64,
        /// What was found, and what is allowed.
        what: String,
    },
    /// A length that no record can have.
    #[error("byte {offset}: {what} of {found} bytes; at most {allowed} are allowed")]
    TooLarge {
        /// Where the header, block or trailer starts.
        offset: u64,
        /// What it is the length of.
        what: &'static str,
        /// The length in bytes.
        found: u64,
        /// The most bytes it may be.
        allowed: u64,
    },
    /// The file could not be read.
    #[error("byte {offset}: can't read on: {source}")]
    Io {
        /// How many bytes had been read.
        offset: u64,
        /// Why.
        source: io::Error,
    },
}

impl RecordError {
    /// What starts at `offset` does not form a part of a record.
    pub(super) fn corrupt(offset: u64, what: impl Into<String>) -> RecordError {
        let what = what.into();
        RecordError::Corrupt { offset, what }
    }

    /// Refuses the length of what starts at `offset` if it is more than is allowed.
    pub(super) fn check_length(
        offset: u64,
        what: &'static str,
        found: u64,
        allowed: u64,
    ) -> Result<(), RecordError> {
        match found > allowed {
            true => Err(RecordError::TooLarge {
                offset,
                what,
                found,
                allowed,
            }),
            false => Ok(()),
        }
    }
}

/// The error for what no reader would accept.
pub(crate) fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what.into())
}

/// Where and how a record stops before its end, as it does if the run was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the record is whole up to byte {offset}: {reason}")]
pub struct Cut {
    /// Where the last whole block or mark ends, in bytes from the start of the file.
    pub offset: u64,
    /// What is missing.
    pub reason: CutReason,
}

/// What a cut record lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CutReason {
    /// It stops after a whole block or mark: there is no trailer.
    #[error("the file stops there, without a trailer")]
    NoTrailer,
    /// It stops inside a block.
    #[error("the file stops inside the block that starts there")]
    InBlock,
    /// It stops inside a mark.
    #[error("the file stops inside the mark that starts there")]
    InMark,
    /// It stops inside the trailer or the end magic.
    #[error("the file stops inside the trailer that starts there")]
    InTrailer,
    /// It may continue, but reading stopped at an error.
    #[error("what follows is damaged")]
    AfterError,
}
