//! The bytes of a netrace file, with their offset.

use super::problem::{NetracePart, NetraceProblem};
use crate::trace::unpack::{Bytes, fill, is_at_end, unpack};
use crate::trace::{TraceError, TracePlace, TraceProblem};
use std::io::Read;

/// The bytes of a netrace file, as far as they have been read.
pub(super) struct Stream {
    bytes: Bytes,
    /// Bytes read, after decompression.
    offset: u64,
}

impl Stream {
    pub(super) fn new(input: impl Read + Send + 'static) -> Result<Stream, TraceError> {
        match unpack(input) {
            Ok(bytes) => Ok(Stream { bytes, offset: 0 }),
            Err(error) => Err(TraceError::of_input(TracePlace::Byte(0), &error)),
        }
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn error_at(offset: u64, problem: NetraceProblem) -> TraceError {
        TraceError {
            place: TracePlace::Byte(offset),
            problem: TraceProblem::Netrace(problem),
        }
    }

    /// Fills the buffer with bytes of a part of `needed` bytes, of which `before` have been read already.
    pub(super) fn fill(
        &mut self,
        buffer: &mut [u8],
        part: NetracePart,
        before: usize,
        needed: usize,
    ) -> Result<(), TraceError> {
        let filled = fill(&mut self.bytes, buffer);
        let place = TracePlace::Byte(self.offset);
        let filled = filled.map_err(|error| TraceError::of_input(place, &error))?;
        self.offset += filled as u64;
        if filled == buffer.len() {
            return Ok(());
        }
        let problem = NetraceProblem::CutOff {
            part,
            found: (before + filled) as u64,
            needed: needed as u64,
        };
        Err(Stream::error_at(self.offset, problem))
    }

    pub(super) fn is_at_end(&mut self) -> Result<bool, TraceError> {
        let place = TracePlace::Byte(self.offset);
        is_at_end(&mut self.bytes).map_err(|error| TraceError::of_input(place, &error))
    }
}
