//! Records of live runs: all that the host decided, and nothing else.
//!
//! A run of nodes that the host schedules is nondeterministic only in arrivals. A record says, for each node and local
//! cycle, which links delivered a word or a credit, over which half-duplex links it was the node's turn to send, and
//! which of the node's sources put a packet's head into the injection frame ([`Arrivals`]). Given the same arrivals a node does the same thing
//! again, and the recorded digests prove that it did.
//!
//! An [`Encoder`] for each node turns arrivals into tokens and hands them out as [`Chunk`]s, a [`Writer`] collects the
//! chunks of all nodes in compressed blocks, a [`Reader`] takes the blocks apart again, and a [`Decoder`] for each node
//! returns its arrivals.
//!
//! # Prediction
//! Encoder and decoder make the same prediction for each cycle, and only differences cost a token:
//! - after a packet's head word a port is *flowing*: a word arrives in each cycle until all of the packet's words have
//!   arrived. If one is missing, the port pauses, and expects the rest from the next word that arrives;
//! - a port that is not flowing receives no word;
//! - no credit arrives, no turn comes, and the node's sources inject nothing.
//!
//! # Tokens
//! In a network of nodes with `p` link ports and `l` local ones a token is one of `s = 3p + l` symbols:
//!
//! | symbol | meaning, for a port |
//! |---|---|
//! | `port` | a word that was not predicted, or none where one was |
//! | `p + port` | a credit |
//! | `2p + port` | the node's turn on a half-duplex link: a packet begins to leave |
//! | `3p + local` | the source at a local port, from 0, has injected the head of a packet |
//!
//! and a gap: the cycles since the token before it in its chunk, or since the chunk's first cycle. The
//! tokens of one cycle are in the order of their symbols. With `G = floor(248 / s)`, the token of
//! a symbol with a gap below `G` is the one byte `symbol * G + gap`. Longer gaps are brought below `G` by a
//! prefix, with `q = floor(gap / G)` and `P = s * G`: the byte `P + q - 1` where that is below 255,
//! otherwise the byte 255 and the varint `q - (256 - P)`. Symbols and gaps thus share one alphabet, and an entropy
//! coder that looks at single bytes comes close to their joint entropy.
//!
//! # Heads
//! A replay of all nodes finds out which packets arrive; a node alone cannot. If the header says so, a chunk has for
//! each head word, by cycle and port, the packet's source (varint) and the varint `2 z + s`, where `z` is the zigzag
//! difference between its serial number and that of the previous head at this node (0 before the first). If `s` is
//! 1, two varints follow: the links that it has crossed beyond those of a shortest path from its source, and its
//! deroutes; otherwise both are 0.
//!
//! # File
//! All numbers are little-endian; a *varint* is LEB128 (seven bits per byte, the lowest first, the top
//! bit set in all bytes but the last); a *string* is its length in bytes as u32 and UTF-8; a *CRC* is
//! the CRC-32 of IEEE 802.3 as u32. A file is a header, blocks, a trailer:
//!
//! | header | bytes | |
//! |---|---|---|
//! | magic | 8 | `89 46 4C 49 54 52 45 43` (0x89, `FLITREC`) |
//! | version | 2 | [`FORMAT_VERSION`] |
//! | length | 4 | bytes of the body, at most [`MAX_HEADER_BYTES`] |
//! | body: nodes | 4 | the network's nodes, numbered from 0 |
//! | body: ports | 1 | link ports of a node, `p` above |
//! | body: local ports | 1 | `l` above, at least 1; `p + l` is at most [`MAX_PORTS`](flitwork_types::MAX_PORTS) |
//! | body: packet words | 2 | words per packet, at least 1 |
//! | body: heads | 1 | 1 if it says which packets arrived, otherwise 0 |
//! | body: Flitwork | string | the version of the program that wrote it |
//! | body: runtime | string | what scheduled the nodes |
//! | body: configuration | string | the run's whole configuration, as TOML |
//! | body: files | | their number (4), and for each its name (string), the bytes of its text (4) and those of the zstd frame of it (4), and that frame |
//! | CRC | 4 | of all of the above |
//!
//! | block | bytes | |
//! |---|---|---|
//! | marker | 1 | `B` |
//! | lengths | 3 x 4 | of the raw part, of the plain part, of the packed part, each at most [`MAX_BLOCK_BYTES`] (the packed part's by zstd's bound on it) |
//! | head CRC | 4 | of the 13 bytes before it |
//! | plain part | | what has no redundancy: per chunk the lowest byte of its digest, then per chunk its check bytes |
//! | packed part | | one zstd frame of the raw part |
//! | CRC | 4 | of the whole block before it |
//!
//! The raw part of a block is the number of its chunks and then, column by column, for all its chunks in
//! order: the node (as a zigzag varint of the difference from the chunk before, 0 before the first), the
//! first cycle (the same), the number of cycles (varint), the number of token bytes (varint), the number of
//! bytes of heads (varint), the tokens, the heads. A chunk's digest is the node's when it had run the chunk's
//! cycles. A chunk of the cycles `from..upto` has `floor(upto / 128) - floor(from / 128)` check bytes: the
//! lowest byte of the node's digest when it had run 128, 256, ... cycles ([`CHECK_CYCLES`]).
//!
//! | mark | bytes | |
//! |---|---|---|
//! | marker | 1 | `M` |
//! | length | 4 | bytes of the body |
//! | head CRC | 4 | of the 5 bytes before it |
//! | body: digest | 8 | the nodes', added up modulo 2^64 |
//! | body: nodes behind | | for each, two varints: the difference between its number and that of the one before (0 before the first), and its cycle |
//! | CRC | 4 | of the whole mark before it |
//!
//! A [`Mark`] follows the blocks whose chunks lead up to it. It fixes a cycle of each node: the end of its chunks so
//! far, or the one that the mark names. Whatever arrived at a node before its cycle was sent by its neighbours before
//! theirs, so that all nodes can be replayed up to a mark.
//!
//! | trailer | bytes | |
//! |---|---|---|
//! | marker | 1 | `T` |
//! | length | 8 | bytes of the body |
//! | head CRC | 4 | of the 9 bytes before it |
//! | body: digest | 8 | of the whole run: the nodes' added up modulo 2^64 |
//! | body: ended | string | how it ended, at most [`MAX_ENDED_BYTES`] |
//! | body: nodes | 12 each | cycles run (4), digest (8) |
//! | CRC | 4 | of the whole trailer before it |
//! | end magic | 8 | `46 4C 49 54 45 4E 44 0A` (`FLITEND`, a line feed) |
//!
//! Nothing follows the end magic. A file that stops anywhere before is *cut*: it is good up to its last whole
//! mark, and the reader says where its whole blocks and marks end. Everything else is an error with its offset in bytes.

mod arrivals;
mod block;
mod chunk;
mod code;
mod corrupt;
mod decode;
mod encode;
pub(crate) mod error;
pub(crate) mod fields;
mod files;
mod flow;
mod header;
mod heads;
mod mark;
mod read;
pub(crate) mod source;
pub(crate) mod trailer;
pub(crate) mod varint;
mod write;

pub use arrivals::Arrivals;
pub use chunk::{CHECK_CYCLES, Chunk};
pub use corrupt::{Corrupt, WhyCorrupt};
pub use decode::{Check, Decoder};
pub use encode::Encoder;
pub use error::{Cut, CutReason, RecordError};
pub use files::{EmbeddedFile, MAX_TEXT_BYTES};
pub use header::{FORMAT_VERSION, Header, MAX_HEADER_BYTES};
pub use heads::Head;
pub use mark::Mark;
pub use read::{Item, Reader};
pub use trailer::{MAX_ENDED_BYTES, NodeEnd, Trailer};
pub use write::{BLOCK_BYTES, MAX_BLOCK_BYTES, Writer};

/// The most link ports a node may have; its local port is not one of them.
pub const MAX_LINK_PORTS: usize = flitwork_types::MAX_PORTS - 1;
