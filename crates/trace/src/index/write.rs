//! From rows and epochs to a file.

use super::epochs::Epochs;
use super::header::IndexHeader;
use super::read::IndexTrailer;
use super::row::{Coder, PacketRow, RowBlock};
use crate::record::fields::put_string;
use crate::record::source::put_crc;
use crate::record::trailer::END_MAGIC;
use std::io::{self, Write};
use zstd::bulk::Compressor;

pub(super) const PACKETS: u8 = b'P';
pub(super) const EPOCH: u8 = b'E';
pub(super) const TRAILER: u8 = b'T';

/// Rows of a block.
const BLOCK_ROWS: usize = 1 << 14;
const LEVEL: i32 = 1;

/// Writes an index: rows as they come, then the epochs, then the end.
pub struct IndexWriter<W: Write> {
    out: W,
    coder: Coder,
    waiting: RowBlock,
    compressor: Compressor<'static>,
    rows: u64,
}

impl<W: Write> IndexWriter<W> {
    /// Starts an index with its header.
    ///
    /// # Errors
    /// Those of `out`; `InvalidInput` for a header that no reader would accept.
    pub fn new(mut out: W, header: &IndexHeader) -> io::Result<IndexWriter<W>> {
        out.write_all(&header.to_bytes()?)?;
        out.flush()?;
        Ok(IndexWriter {
            out,
            coder: Coder::default(),
            waiting: RowBlock::default(),
            compressor: Compressor::new(LEVEL)?,
            rows: 0,
        })
    }

    /// Adds a packet's row.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn put(&mut self, row: &PacketRow) -> io::Result<()> {
        self.rows += 1;
        self.coder.put(row, &mut self.waiting);
        match self.waiting.rows() == BLOCK_ROWS {
            true => self.write_rows(),
            false => Ok(()),
        }
    }

    fn write_rows(&mut self) -> io::Result<()> {
        if self.waiting.rows() == 0 {
            return Ok(());
        }
        let raw = self.waiting.take();
        self.write_block(PACKETS, &raw)
    }

    pub(super) fn write_block(&mut self, marker: u8, raw: &[u8]) -> io::Result<()> {
        let packed = self.compressor.compress(raw)?;
        let mut block = vec![marker];
        block.extend((raw.len() as u32).to_le_bytes());
        block.extend((packed.len() as u32).to_le_bytes());
        put_crc(&mut block);
        block.extend(packed);
        put_crc(&mut block);
        self.out.write_all(&block)?;
        self.out.flush()
    }

    /// Writes what waits, the epochs and the end.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(mut self, epochs: &Epochs, trailer: &IndexTrailer) -> io::Result<W> {
        self.write_rows()?;
        for epoch in 0..epochs.count() {
            let raw = epochs.encode(epoch);
            self.write_block(EPOCH, &raw)?;
        }
        let mut bytes = vec![TRAILER];
        bytes.extend(trailer.digest.to_le_bytes());
        bytes.extend(trailer.cycles.to_le_bytes());
        bytes.extend(self.rows.to_le_bytes());
        put_string(&mut bytes, &trailer.ended);
        put_crc(&mut bytes);
        bytes.extend(END_MAGIC);
        self.out.write_all(&bytes)?;
        self.out.flush()?;
        Ok(self.out)
    }
}
