//! From chunks to a file.

use super::block::{self, Columns};
use super::chunk::Chunk;
use super::error::invalid;
use super::header::Header;
use super::mark::Mark;
use super::source::put_crc;
use super::trailer::Trailer;
use flitwork_types::Cycle;
use std::io::{self, Write};
use zstd::bulk::Compressor;

/// A block is written when its chunks fill this many bytes.
pub const BLOCK_BYTES: usize = 256 << 10;
/// The most bytes that the raw part and the plain part of a block may have.
pub const MAX_BLOCK_BYTES: usize = 64 << 20;
/// The most bytes of tokens and heads that a chunk may have, which leaves room for the rest of its block.
const MAX_CHUNK_BYTES: usize = MAX_BLOCK_BYTES - 4 * BLOCK_BYTES;
/// Tokens repeat little, so that higher levels, which search harder for repetitions, gain little: level 3 at most 2 %,
/// under loads from 1 to 90 %.
const LEVEL: i32 = 1;

/// Writes a record.
///
/// A block is passed to the underlying writer in one call and flushed, so that a process that is killed leaves whole
/// blocks behind; a mark says how far they can be used. After an error of the underlying writer nothing more can be
/// written.
pub struct Writer<W: Write> {
    out: W,
    nodes: u32,
    /// The chunks that are to make the next block, and how many bytes they have.
    waiting: Vec<Chunk>,
    waiting_bytes: usize,
    columns: Columns,
    compressor: Compressor<'static>,
    /// The parts of the block that is being made; their room is used again.
    raw: Vec<u8>,
    plain: Vec<u8>,
    block: Vec<u8>,
    written_bytes: u64,
    failed: bool,
}

impl<W: Write> Writer<W> {
    /// Starts a record with its header.
    ///
    /// # Errors
    /// Those of `out`; `InvalidInput` for a header that no reader would accept.
    pub fn new(out: W, header: &Header) -> io::Result<Writer<W>> {
        let bytes = header.to_bytes()?;
        let mut writer = Writer {
            out,
            nodes: header.nodes,
            waiting: Vec::new(),
            waiting_bytes: 0,
            columns: Columns::default(),
            compressor: Compressor::new(LEVEL)?,
            raw: Vec::new(),
            plain: Vec::new(),
            block: Vec::new(),
            written_bytes: 0,
            failed: false,
        };
        writer.write(&bytes)?;
        writer.flush()?;
        Ok(writer)
    }

    /// Adds a chunk, and writes a block when it is full. The chunks of a node are added in order; the order of nodes does
    /// not matter.
    ///
    /// # Errors
    /// Those of `out`; `InvalidInput` for a chunk that no reader would accept, which is then left out.
    pub fn add(&mut self, chunk: Chunk) -> io::Result<()> {
        let due = Chunk::checks_between(chunk.from, chunk.upto);
        let bytes = chunk.tokens.len() + chunk.heads.len();
        let fault = if chunk.node.0 >= self.nodes {
            Some(format!("the network has {} nodes", self.nodes))
        } else if chunk.upto <= chunk.from || chunk.upto > Cycle::LAST {
            Some(format!("at least 1 cycle, up to {}", Cycle::LAST))
        } else if chunk.checks.len() != due {
            Some(format!(
                "{} check bytes instead of {due}",
                chunk.checks.len()
            ))
        } else if bytes > MAX_CHUNK_BYTES {
            Some(format!(
                "{bytes} bytes; at most {MAX_CHUNK_BYTES} are allowed"
            ))
        } else {
            None
        };
        if let Some(fault) = fault {
            let (node, from, upto) = (chunk.node, chunk.from, chunk.upto);
            let what = format!("a chunk of node {node}, cycles {from} to {upto}: {fault}");
            return Err(invalid(what));
        }
        self.waiting_bytes += bytes + chunk.checks.len() + block::PLACE_BYTES;
        self.waiting.push(chunk);
        if self.waiting_bytes >= BLOCK_BYTES {
            self.flush_block()?;
        }
        Ok(())
    }

    /// Writes the waiting chunks, if any, as a block, and flushes the underlying writer.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn flush_block(&mut self) -> io::Result<()> {
        if !self.waiting.is_empty() {
            self.raw.clear();
            self.plain.clear();
            // A node's chunks stay in order; consecutive numbers take hardly any space.
            self.waiting.sort_by_key(|chunk| chunk.node);
            self.waiting
                .drain(..)
                .for_each(|chunk| self.columns.add(&chunk));
            self.waiting_bytes = 0;
            self.columns.take(&mut self.raw, &mut self.plain);
            let packed = self.compressor.compress(&self.raw);
            // The chunks are lost: a block after them would leave a gap.
            let packed = packed.inspect_err(|_| self.failed = true)?;
            let mut block = std::mem::take(&mut self.block);
            block.clear();
            block.push(block::MARKER);
            for length in [self.raw.len(), self.plain.len(), packed.len()] {
                // All are below 2^32: the parts are bounded, and zstd adds little to what it cannot compress.
                block.extend((length as u32).to_le_bytes());
            }
            put_crc(&mut block);
            block.extend_from_slice(&self.plain);
            block.extend_from_slice(&packed);
            put_crc(&mut block);
            let result = self.write(&block);
            self.block = block;
            result?;
        }
        self.flush()
    }

    /// Writes the waiting chunks, followed by a mark, and flushes the underlying writer.
    ///
    /// # Errors
    /// Those of `out`; `InvalidInput` for a mark that no reader would accept.
    pub fn mark(&mut self, mark: &Mark) -> io::Result<()> {
        self.end_with(mark.to_bytes(self.nodes)?)
    }

    /// Writes the waiting chunks and the trailer, and returns the underlying writer, flushed.
    ///
    /// # Errors
    /// Those of `out`; `InvalidInput` for a trailer that does not have the header's number of nodes or says too much
    /// about how the run ended.
    pub fn finish(mut self, trailer: &Trailer) -> io::Result<W> {
        self.end(trailer)?;
        Ok(self.out)
    }

    /// The same; the record can still be asked how many bytes it has.
    ///
    /// # Errors
    /// As [`Writer::finish`].
    pub fn end(&mut self, trailer: &Trailer) -> io::Result<()> {
        self.end_with(trailer.to_bytes(self.nodes)?)
    }

    /// Writes the waiting chunks and what follows them.
    fn end_with(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        self.flush_block()?;
        self.write(&bytes)?;
        self.flush()
    }

    /// How many bytes have been written so far.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes
    }

    /// Part of a block may have been written before an error: a block after it would be mistaken for damage.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.failed {
            return Err(io::Error::other("an earlier write to the record failed"));
        }
        self.out
            .write_all(bytes)
            .inspect_err(|_| self.failed = true)?;
        self.written_bytes += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().inspect_err(|_| self.failed = true)
    }
}
