//! From a file to rows and epochs.

use super::epochs::Epochs;
use super::error::IndexError;
use super::header::IndexHeader;
use super::row::{Coder, PacketRow};
use super::write::{EPOCH, PACKETS, TRAILER};
use crate::record::fields::Fields;
use crate::record::source::{check_crc, unpack};
use crate::record::trailer::END_MAGIC;
use std::io::Read;
use zstd::bulk::Decompressor;

/// Marker, two lengths and head CRC.
const BLOCK_HEAD_BYTES: usize = 13;
/// The most bytes of a block's raw part.
const MOST_RAW_BYTES: usize = 64 << 20;
/// The most bytes of how a run ended.
const MOST_ENDED_BYTES: usize = 64;

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexTrailer {
    /// The digest of all its events.
    pub digest: u64,
    /// Cycles that were simulated.
    pub cycles: u32,
    /// How it ended.
    pub ended: String,
}

impl IndexTrailer {
    /// What [`IndexTrailer::ended`] says of a run that was interrupted.
    pub const INTERRUPTED: &str = "partial";
}

/// An index in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The recipe.
    pub header: IndexHeader,
    /// Packets, in the order of their deliveries; those that were not delivered last.
    pub rows: Vec<PacketRow>,
    /// What nodes did.
    pub epochs: Epochs,
    /// How the run ended; `None` if the file is cut.
    pub trailer: Option<IndexTrailer>,
    /// Where whole blocks end, in bytes, if the file is cut.
    pub cut: Option<u64>,
}

/// What follows in a file.
enum Next {
    Block,
    Trailer(IndexTrailer, u64),
    Cut,
}

impl Index {
    /// Reads an index.
    ///
    /// # Errors
    /// An [`IndexError`] for anything but an index; one that stops early is read as far as it goes.
    pub fn read(mut file: impl Read) -> Result<Index, IndexError> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (header, mut at) = IndexHeader::parse(&bytes)?;
        let mut index = Index {
            epochs: Epochs::new(header.nodes),
            header,
            rows: Vec::new(),
            trailer: None,
            cut: None,
        };
        let mut coder = Coder::default();
        loop {
            let offset = at;
            match index.next(&bytes, &mut at, &mut coder)? {
                Next::Block => {}
                Next::Cut => {
                    index.cut = Some(offset as u64);
                    return Ok(index);
                }
                Next::Trailer(trailer, rows) if rows == index.rows.len() as u64 => {
                    index.trailer = Some(trailer);
                    return Ok(index);
                }
                Next::Trailer(_, rows) => {
                    let found = index.rows.len();
                    let what = format!("the trailer says {rows} packets, and there are {found}");
                    return Err(corrupt(offset, what));
                }
            }
        }
    }

    fn next(
        &mut self,
        bytes: &[u8],
        at: &mut usize,
        coder: &mut Coder,
    ) -> Result<Next, IndexError> {
        let (offset, rest) = (*at, &bytes[*at..]);
        match rest.first() {
            None => Ok(Next::Cut),
            Some(&TRAILER) => trailer(rest, offset),
            Some(&marker @ (PACKETS | EPOCH)) => {
                let Some((raw, length)) = block(rest, offset)? else {
                    return Ok(Next::Cut);
                };
                let read = match marker {
                    PACKETS => coder
                        .decode(&raw, self.header.nodes)
                        .map(|rows| self.rows.extend(rows)),
                    _ => self.epochs.decode(&raw),
                };
                read.ok_or_else(|| corrupt(offset, "a block that makes no sense".to_owned()))?;
                *at += length;
                Ok(Next::Block)
            }
            Some(found) => {
                let what = format!("byte {found:#04x} starts neither a block nor the trailer");
                Err(corrupt(offset, what))
            }
        }
    }
}

fn corrupt(offset: usize, what: String) -> IndexError {
    IndexError::Corrupt {
        offset: offset as u64,
        what,
    }
}

/// What stands here before its checksum, which is compared.
fn checked(bytes: &[u8], offset: usize) -> Result<&[u8], IndexError> {
    let offset = offset as u64;
    check_crc(bytes, offset).map_err(|_| IndexError::Checksum { offset })
}

/// The raw part of the block that starts here, and the length of the block; `None` if the file ends inside.
fn block(rest: &[u8], offset: usize) -> Result<Option<(Vec<u8>, usize)>, IndexError> {
    let Some(head) = rest.get(..BLOCK_HEAD_BYTES) else {
        return Ok(None);
    };
    let mut fields = Fields(&checked(head, offset)?[1..]);
    let mut length = || fields.u32().unwrap_or_default() as usize;
    let (raw, packed) = (length(), length());
    if raw > MOST_RAW_BYTES || packed > zstd::zstd_safe::compress_bound(raw) {
        let what =
            format!("a block of {raw} bytes in {packed}; at most {MOST_RAW_BYTES} are allowed");
        return Err(corrupt(offset, what));
    }
    let end = BLOCK_HEAD_BYTES + packed + 4;
    let Some(whole) = rest.get(..end) else {
        return Ok(None);
    };
    let body = &checked(whole, offset)?[BLOCK_HEAD_BYTES..];
    let found = unpack(&mut Decompressor::new()?, body, raw);
    found
        .map(|found| Some((found, end)))
        .map_err(|what| corrupt(offset, what))
}

/// The trailer that starts here, with which the file ends, and how many rows it says there are.
fn trailer(rest: &[u8], offset: usize) -> Result<Next, IndexError> {
    /// Marker, digest, cycles, rows and the length of a string.
    const FIXED_BYTES: usize = 25;
    let mut fields = Fields(&rest[1..]);
    let fixed = (|| Some((fields.u64()?, fields.u32()?, fields.u64()?, fields.u32()?)))();
    let Some((digest, cycles, rows, length)) = fixed else {
        return Ok(Next::Cut);
    };
    let length = length as usize;
    if length > MOST_ENDED_BYTES {
        let what = format!("an end of {length} bytes; at most {MOST_ENDED_BYTES} are allowed");
        return Err(corrupt(offset, what));
    }
    let end = FIXED_BYTES + length + 4;
    let Some(whole) = rest.get(..end) else {
        return Ok(Next::Cut);
    };
    let body = checked(whole, offset)?;
    let ended = String::from_utf8(body[FIXED_BYTES..].to_vec());
    let ended = ended.map_err(|_| corrupt(offset, "an end that is no text".to_owned()))?;
    let after = &rest[end..];
    if !END_MAGIC.starts_with(&after[..after.len().min(END_MAGIC.len())]) {
        return Err(corrupt(
            offset,
            "the trailer isn't followed by the end magic".to_owned(),
        ));
    }
    match after.len().cmp(&END_MAGIC.len()) {
        std::cmp::Ordering::Less => Ok(Next::Cut),
        std::cmp::Ordering::Greater => {
            Err(corrupt(offset, "bytes follow the index's end".to_owned()))
        }
        std::cmp::Ordering::Equal => {
            let trailer = IndexTrailer {
                digest,
                cycles,
                ended,
            };
            Ok(Next::Trailer(trailer, rows))
        }
    }
}
