//! The end of a record's file.

use super::error::{RecordError, invalid};
use super::fields::{Fields, put_string};
use super::source::{check_crc, put_crc};
use crate::Digest;
use flitwork_types::Cycle;
use std::io;

/// The most bytes of the text about how a run ended.
pub const MAX_ENDED_BYTES: u64 = 1 << 16;

pub(super) const MARKER: u8 = b'T';
pub(crate) const END_MAGIC: [u8; 8] = *b"FLITEND\n";
/// Marker, length and head CRC.
pub(super) const HEAD_BYTES: u64 = 13;
/// Cycles run and digest.
const NODE_BYTES: u64 = 12;

/// What one node had done at the end of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeEnd {
    /// The cycles it had run.
    pub cycles: Cycle,
    /// Its digest then.
    pub digest: u64,
}

/// What is at the end of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// All nodes, by number.
    pub nodes: Vec<NodeEnd>,
    /// How the run ended, in the runtime's words.
    pub ended: String,
}

impl Trailer {
    /// The digest of the whole run: the sum of its nodes'.
    pub fn digest(&self) -> Digest {
        self.nodes.iter().map(|node| Digest::of(node.digest)).sum()
    }

    /// The bytes in [the format](super), including the end magic, for a network of `nodes` nodes.
    pub(super) fn to_bytes(&self, nodes: u32) -> io::Result<Vec<u8>> {
        let (found, ended_bytes) = (self.nodes.len() as u64, self.ended.len() as u64);
        if found != u64::from(nodes) {
            let what = format!("a trailer of {found} nodes in the record of {nodes}");
            return Err(invalid(what));
        }
        if ended_bytes > MAX_ENDED_BYTES {
            return Err(invalid(format!(
                "{ended_bytes} bytes on how the run ended; at most {MAX_ENDED_BYTES} are allowed"
            )));
        }
        let length = least_length(nodes) + ended_bytes;
        let mut bytes = vec![MARKER];
        bytes.extend(length.to_le_bytes());
        put_crc(&mut bytes);
        bytes.extend(self.digest().get().to_le_bytes());
        put_string(&mut bytes, &self.ended);
        for node in &self.nodes {
            bytes.extend(node.cycles.get().to_le_bytes());
            bytes.extend(node.digest.to_le_bytes());
        }
        put_crc(&mut bytes);
        bytes.extend(END_MAGIC);
        Ok(bytes)
    }

    /// The length of the body, from a whole head that starts at `offset`.
    pub(super) fn check_head(head: &[u8], offset: u64, nodes: u32) -> Result<u64, RecordError> {
        let head = check_crc(head, offset)?;
        let found = Fields(&head[1..]).u64().unwrap_or_default();
        let least = least_length(nodes);
        if found < least {
            let what = format!("a trailer of {found} bytes; {nodes} nodes fill at least {least}");
            return Err(RecordError::corrupt(offset, what));
        }
        let allowed = least + MAX_ENDED_BYTES;
        RecordError::check_length(offset, "a trailer", found, allowed)?;
        Ok(found)
    }

    /// The trailer, from all its bytes except the end magic.
    pub(super) fn parse(bytes: &[u8], offset: u64, nodes: u32) -> Result<Trailer, RecordError> {
        let body = &check_crc(bytes, offset)?[HEAD_BYTES as usize..];
        let corrupt = |what| RecordError::corrupt(offset, what);
        let (trailer, digest) = Trailer::parse_body(body, nodes)
            .ok_or_else(|| corrupt("the trailer's fields don't fill its length"))?;
        if trailer.digest().get() != digest {
            return Err(corrupt("the digest of the run isn't that of its nodes"));
        }
        Ok(trailer)
    }

    fn parse_body(body: &[u8], count: u32) -> Option<(Trailer, u64)> {
        let mut fields = Fields(body);
        let digest = fields.u64()?;
        let ended = fields.string()?;
        if fields.0.len() as u64 != u64::from(count) * NODE_BYTES {
            return None;
        }
        let mut nodes = Vec::with_capacity(count as usize);
        while !fields.0.is_empty() {
            nodes.push(NodeEnd {
                cycles: Cycle(fields.u32()?),
                digest: fields.u64()?,
            });
        }
        Some((Trailer { nodes, ended }, digest))
    }
}

/// The length of the body of a trailer that says nothing about how the run ended.
fn least_length(nodes: u32) -> u64 {
    8 + 4 + u64::from(nodes) * NODE_BYTES
}
