//! Indexes of runs: what can't be computed again, and what is needed often.
//!
//! Running again yields events about as fast as reading them from a file, so an index keeps none. It keeps the *recipe*
//! (the whole configuration, and the files that the run read, with their checksums), a row for each packet, and for each
//! *epoch*, a stretch of cycles, the digest of its events and what each node did in it. So packets are found without a
//! run, and a run again that comes to something else is noticed, and where.
//!
//! # File
//! All numbers are little-endian; *varint*, *string* and *CRC* are those of [records](crate::record). A file is a header,
//! blocks, and a trailer:
//!
//! | header | bytes | |
//! |---|---|---|
//! | magic | 8 | `89 46 4C 49 54 49 44 58` (0x89, `FLITIDX`) |
//! | version | 2 | [`INDEX_VERSION`] |
//! | length | 4 | bytes of the body, at most 16 MiB |
//! | body: nodes | 4 | the network's nodes, numbered from 0 |
//! | body: Flitwork | string | the version of the program that wrote it |
//! | body: configuration | string | the run's whole configuration, as TOML |
//! | body: record | string | the file of the live run's record; empty for other runs |
//! | body: files | varint | how many files the run read; then for each its path (string), its bytes (varint) and the CRC of its contents (4) |
//! | CRC | 4 | of all of the above |
//!
//! | block | bytes | |
//! |---|---|---|
//! | marker | 1 | `P`: packets, `E`: an epoch |
//! | lengths | 2 x 4 | of the raw part, at most 64 MiB, and of the packed part |
//! | head CRC | 4 | of the 9 bytes before it |
//! | packed part | | one zstd frame of the raw part |
//! | CRC | 4 | of the whole block before it |
//!
//! The raw part of packets is their number and then, column by column, for all of them, varints: flags (1: it entered the
//! network, 2: it was delivered, 4: its trace has an id for it, 8: its times in ps are known, 16: it was lost), the source (zigzag difference
//! from the row before), the serial number (zigzag difference from one more than that of the source's row before), the destination, the class,
//! the words and the cycle of its creation (zigzag differences from the row before), cycles until its injection, its latency, the
//! zigzag difference of its delivery's cycle from creation and latency, hops, deroutes, the trace's id. Columns hold
//! only what flags say. A lost packet has the zigzag difference of that cycle from its creation in the place of the
//! delivery's, and the number of the reason in that of the hops (versions 1 and 2 have none). Times follow the cycles in their columns: that of creation, and from there on to the injection and to
//! the delivery (version 1 has none).
//!
//! The raw part of an epoch is its number, how many cycles an epoch has (both varints), its digest (8 bytes) and, column by column, for all nodes: by how many
//! packets or, where words travel alone, words the node's contents change in it (zigzag), the deroutes that it decided
//! and the words that it sent over links.
//!
//! | trailer | bytes | |
//! |---|---|---|
//! | marker | 1 | `T` |
//! | digest | 8 | of the whole run |
//! | cycles | 4 | that were simulated |
//! | packets | 8 | rows |
//! | ended | string | how it ended, at most 64 bytes |
//! | CRC | 4 | of the whole trailer before it |
//! | end magic | 8 | `46 4C 49 54 45 4E 44 0A` (`FLITEND`, a line feed) |
//!
//! A file that stops anywhere before its end is *cut*: its whole blocks are good. Everything else is an error with its
//! offset in bytes.

mod counter;
mod epochs;
mod error;
mod header;
mod read;
mod row;
mod write;

pub use counter::EpochCounter;
pub use epochs::{EpochCell, Epochs};
pub use error::IndexError;
pub use header::{INDEX_MAGIC, INDEX_VERSION, IndexHeader, InputFile};
pub use read::{Index, IndexTrailer};
pub use row::PacketRow;
pub use write::IndexWriter;

#[cfg(test)]
mod tests;
