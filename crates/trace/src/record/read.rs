//! From a file to chunks.

use super::block;
use super::chunk::Chunk;
use super::error::{Cut, CutReason, RecordError};
use super::fields::Fields;
use super::header::Header;
use super::mark::{self, Mark};
use super::source::{Source, check_crc, unpack};
use super::trailer::{self, END_MAGIC, Trailer};
use super::write::MAX_BLOCK_BYTES;
use std::io::Read;
use zstd::bulk::Decompressor;

/// What comes next in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A block's chunks, those of one node in order.
    Chunks(Vec<Chunk>),
    /// A cycle of each node up to which all can be replayed.
    Mark(Mark),
    /// The trailer; nothing follows it.
    Trailer(Trailer),
    /// The end.
    End {
        /// Where the record was cut off; `None` after its trailer.
        cut: Option<Cut>,
    },
}

/// Reads a record, block by block, without seeking. Its memory is bounded by what has been read of the file so far, and
/// by [`MAX_BLOCK_BYTES`].
pub struct Reader<R: Read> {
    source: Source<R>,
    nodes: u32,
    decompressor: Decompressor<'static>,
    /// The block that is being read; its room is used again.
    bytes: Vec<u8>,
    /// Where the last whole block or mark ends.
    good: u64,
    /// What [`Reader::next_block`] returns from now on.
    end: Option<Option<Cut>>,
}

impl<R: Read> Reader<R> {
    /// Reads a record's header.
    ///
    /// # Errors
    /// [`RecordError::Empty`], [`RecordError::NotARecord`], [`RecordError::Version`] and
    /// [`RecordError::Truncated`] by what the file starts with; otherwise those of
    /// [`Reader::next_block`].
    pub fn open(input: R) -> Result<(Reader<R>, Header), RecordError> {
        let mut source = Source::new(input);
        let header = Header::read(&mut source)?;
        let offset = source.offset();
        let decompressor =
            Decompressor::new().map_err(|source| RecordError::Io { offset, source })?;
        let reader = Reader {
            source,
            nodes: header.nodes,
            decompressor,
            bytes: Vec::new(),
            good: offset,
            end: None,
        };
        Ok((reader, header))
    }

    /// Where the header, or the block or mark that was read last ends, in bytes from the start of the file.
    pub fn offset(&self) -> u64 {
        self.good
    }

    /// Reads the next block, mark, the trailer or the end. A file that stops early is not an error but [`Item::End`] with
    /// a [`Cut`]. Nothing follows an error.
    ///
    /// # Errors
    /// [`RecordError::Checksum`] if bytes were altered, [`RecordError::TooLarge`] and [`RecordError::Corrupt`] if they do
    /// not form a block or trailer, or something follows the end, and [`RecordError::Io`].
    pub fn next_block(&mut self) -> Result<Item, RecordError> {
        if let Some(cut) = self.end {
            return Ok(Item::End { cut });
        }
        let item = self.read_item();
        self.end = match &item {
            Ok(Item::Chunks(_) | Item::Mark(_)) => None,
            Ok(Item::Trailer(_)) => Some(None),
            Ok(Item::End { cut }) => Some(*cut),
            Err(_) => Some(Some(Cut {
                offset: self.good,
                reason: CutReason::AfterError,
            })),
        };
        self.good = self.source.offset();
        item
    }

    fn read_item(&mut self) -> Result<Item, RecordError> {
        self.bytes.clear();
        if !self.source.fill(&mut self.bytes, 1)? {
            return Ok(self.cut(CutReason::NoTrailer));
        }
        match self.bytes[0] {
            block::MARKER => self.read_block(),
            mark::MARKER => self.read_mark(),
            trailer::MARKER => self.read_trailer(),
            found => {
                let what = format!(
                    "byte {found:#04x} starts neither a block ({:#04x}), a mark ({:#04x}) nor the \
                     trailer ({:#04x})",
                    block::MARKER,
                    mark::MARKER,
                    trailer::MARKER
                );
                Err(RecordError::corrupt(self.good, what))
            }
        }
    }

    fn read_block(&mut self) -> Result<Item, RecordError> {
        let offset = self.good;
        if !self.source.fill(&mut self.bytes, block::HEAD_BYTES - 1)? {
            return Ok(self.cut(CutReason::InBlock));
        }
        // The head has its own checksum, so that an altered length is detected before it is used.
        let mut head = Fields(&check_crc(&self.bytes, offset)?[1..]);
        let mut length = || u64::from(head.u32().unwrap_or_default());
        let (raw, plain, packed) = (length(), length(), length());
        let most = MAX_BLOCK_BYTES as u64;
        RecordError::check_length(offset, "the raw part of a block", raw, most)?;
        RecordError::check_length(offset, "the plain part of a block", plain, most)?;
        let bound = zstd::zstd_safe::compress_bound(raw as usize) as u64;
        RecordError::check_length(offset, "the packed part of a block", packed, bound)?;
        if !self.source.fill(&mut self.bytes, plain + packed + 4)? {
            return Ok(self.cut(CutReason::InBlock));
        }
        let body = &check_crc(&self.bytes, offset)?[block::HEAD_BYTES as usize..];
        let (plain, packed) = body.split_at(plain as usize);
        let chunks = unpack(&mut self.decompressor, packed, raw as usize)
            .and_then(|raw| block::parse(&raw, plain, self.nodes));
        chunks
            .map(Item::Chunks)
            .map_err(|what| RecordError::corrupt(offset, what))
    }

    /// Reads the rest of a mark or a trailer, whose head says how long its body is; `false` if the file ends inside.
    fn fill_section(
        &mut self,
        head_bytes: u64,
        check_head: fn(&[u8], u64, u32) -> Result<u64, RecordError>,
    ) -> Result<bool, RecordError> {
        if !self.source.fill(&mut self.bytes, head_bytes - 1)? {
            return Ok(false);
        }
        let length = check_head(&self.bytes, self.good, self.nodes)?;
        self.source.fill(&mut self.bytes, length + 4)
    }

    fn read_mark(&mut self) -> Result<Item, RecordError> {
        if !self.fill_section(mark::HEAD_BYTES, Mark::check_head)? {
            return Ok(self.cut(CutReason::InMark));
        }
        Mark::parse(&self.bytes, self.good, self.nodes).map(Item::Mark)
    }

    fn read_trailer(&mut self) -> Result<Item, RecordError> {
        if !self.fill_section(trailer::HEAD_BYTES, Trailer::check_head)? {
            return Ok(self.cut(CutReason::InTrailer));
        }
        let trailer = Trailer::parse(&self.bytes, self.good, self.nodes)?;
        self.bytes.clear();
        let at = self.source.offset();
        let whole = self.source.fill(&mut self.bytes, END_MAGIC.len() as u64)?;
        if !END_MAGIC.starts_with(&self.bytes) {
            let what = "the trailer isn't followed by the end magic";
            return Err(RecordError::corrupt(at, what));
        }
        if !whole {
            return Ok(self.cut(CutReason::InTrailer));
        }
        let at = self.source.offset();
        if self.source.fill(&mut self.bytes, 1)? {
            return Err(RecordError::corrupt(at, "bytes follow the record's end"));
        }
        Ok(Item::Trailer(trailer))
    }

    fn cut(&self, reason: CutReason) -> Item {
        Item::End {
            cut: Some(Cut {
                offset: self.good,
                reason,
            }),
        }
    }
}
