//! Bytes that are read, with their offsets.

use super::error::RecordError;
use std::io::Read;
use zstd::bulk::Decompressor;

/// How much memory is reserved in advance of the bytes that fill it. Whatever length a file claims, no more than this is
/// reserved for bytes that it does not have.
const AHEAD_BYTES: u64 = 1 << 20;

/// A reader that counts bytes.
#[derive(Debug)]
pub(super) struct Source<R> {
    inner: R,
    offset: u64,
}

impl<R: Read> Source<R> {
    pub(super) fn new(inner: R) -> Source<R> {
        Source { inner, offset: 0 }
    }

    /// How many bytes have been read.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Appends the next `count` bytes. False if the file ends before that.
    pub(super) fn fill(&mut self, bytes: &mut Vec<u8>, count: u64) -> Result<bool, RecordError> {
        let before = bytes.len();
        bytes.reserve(count.min(AHEAD_BYTES) as usize);
        let result = self.inner.by_ref().take(count).read_to_end(bytes);
        self.offset += (bytes.len() - before) as u64;
        match result {
            Ok(read) => Ok(read as u64 == count),
            Err(source) => Err(RecordError::Io {
                offset: self.offset,
                source,
            }),
        }
    }
}

/// Takes the CRC off the end of `bytes`, which started at `offset`, and compares it with that of the rest.
pub(crate) fn check_crc(bytes: &[u8], offset: u64) -> Result<&[u8], RecordError> {
    let Some((rest, crc)) = bytes.split_last_chunk::<4>() else {
        let what = format!("{} bytes, too few for a checksum", bytes.len());
        return Err(RecordError::corrupt(offset, what));
    };
    let (found, computed) = (u32::from_le_bytes(*crc), crc32fast::hash(rest));
    if found != computed {
        return Err(RecordError::Checksum {
            offset,
            found,
            computed,
        });
    }
    Ok(rest)
}

/// Appends the CRC of `bytes`.
pub(crate) fn put_crc(bytes: &mut Vec<u8>) {
    let crc = crc32fast::hash(bytes);
    bytes.extend(crc.to_le_bytes());
}

/// Unpacks a block, or says what is wrong with it.
pub(crate) fn unpack(
    decompressor: &mut Decompressor<'_>,
    packed: &[u8],
    raw_bytes: usize,
) -> Result<Vec<u8>, String> {
    let found = decompressor.decompress(packed, raw_bytes);
    let found = found.map_err(|error| format!("a block that zstd refuses: {error}"))?;
    match found.len() == raw_bytes {
        true => Ok(found),
        false => Err(format!(
            "a block of {} raw bytes instead of {raw_bytes}",
            found.len()
        )),
    }
}
