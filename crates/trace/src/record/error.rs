//! What can be wrong with a record's file.

use std::{fmt, io};

/// Why a record cannot be read. Offsets are in bytes from the start of the file.
#[derive(Debug)]
pub enum RecordError {
    /// The file is empty.
    Empty,
    /// The file does not start like a record.
    NotARecord,
    /// Another version of the format.
    Version {
        /// The file's.
        found: u16,
        /// Those that can be read.
        supported: std::ops::RangeInclusive<u16>,
    },
    /// The file ends inside its header.
    Truncated {
        /// Where the file ends.
        offset: u64,
        /// What was being read.
        what: &'static str,
    },
    /// The bytes are not those that were written.
    Checksum {
        /// Where the header, block or trailer starts.
        offset: u64,
        /// The checksum that the file holds.
        found: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
    /// The checksum is right, but the bytes do not form a record.
    Corrupt {
        /// Where the header, block or trailer starts, or the byte itself.
        offset: u64,
        /// What was found, and what is allowed.
        what: String,
    },
    /// A length that no record can have.
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
    Io {
        /// How many bytes had been read.
        offset: u64,
        /// Why.
        source: io::Error,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Empty => write!(f, "byte 0: the file is empty, not a record"),
            RecordError::NotARecord => write!(
                f,
                "byte 0: not a record: it doesn't start with a record's eight magic bytes"
            ),
            RecordError::Version { found, supported } => write!(
                f,
                "byte 8: a record of format version {found}; this program reads versions {} to {}",
                supported.start(),
                supported.end()
            ),
            RecordError::Truncated { offset, what } => {
                write!(f, "byte {offset}: the file ends inside {what}")
            }
            RecordError::Checksum {
                offset,
                found,
                computed,
            } => write!(
                f,
                "byte {offset}: what starts here was altered: checksum {found:08x} in the file, \
                 {computed:08x} of its bytes"
            ),
            RecordError::Corrupt { offset, what } => write!(f, "byte {offset}: {what}"),
            RecordError::TooLarge {
                offset,
                what,
                found,
                allowed,
            } => write!(
                f,
                "byte {offset}: {what} of {found} bytes; at most {allowed} are allowed"
            ),
            RecordError::Io { offset, source } => {
                write!(f, "byte {offset}: can't read on: {source}")
            }
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RecordError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Where and how a record stops before its end, as it does if the run was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Where the last whole block or mark ends, in bytes from the start of the file.
    pub offset: u64,
    /// What is missing.
    pub reason: CutReason,
}

/// What a cut record lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutReason {
    /// It stops after a whole block or mark: there is no trailer.
    NoTrailer,
    /// It stops inside a block.
    InBlock,
    /// It stops inside a mark.
    InMark,
    /// It stops inside the trailer or the end magic.
    InTrailer,
    /// It may continue, but reading stopped at an error.
    AfterError,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            CutReason::NoTrailer => "the file stops there, without a trailer",
            CutReason::InBlock => "the file stops inside the block that starts there",
            CutReason::InMark => "the file stops inside the mark that starts there",
            CutReason::InTrailer => "the file stops inside the trailer that starts there",
            CutReason::AfterError => "what follows is damaged",
        };
        write!(
            f,
            "the record is whole up to byte {}: {reason}",
            self.offset
        )
    }
}
