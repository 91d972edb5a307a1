//! Chunks side by side in a block.

use super::chunk::Chunk;
use super::fields::Fields;
use super::varint;
use flitwork_types::{Cycle, NodeId};

pub(super) const MARKER: u8 = b'B';
/// Marker, three lengths and head CRC.
pub(super) const HEAD_BYTES: u64 = 17;
/// Of a chunk's digest.
const DIGEST_BYTES: usize = 1;
/// Approximately what a chunk takes in addition to its tokens, heads and check bytes.
pub(super) const PLACE_BYTES: usize = 8;
/// The fewest raw bytes of a chunk: one in each of five columns.
const LEAST_RAW_BYTES: usize = 5;

/// The chunks that are to make the next block, in columns.
#[derive(Debug, Default)]
pub(super) struct Columns {
    count: usize,
    node: u32,
    from: u32,
    /// Those of the raw part, in its order.
    raw: [Vec<u8>; 7],
    digests: Vec<u8>,
    checks: Vec<u8>,
}

impl Columns {
    pub(super) fn add(&mut self, chunk: &Chunk) {
        self.count += 1;
        let [nodes, froms, spans, lengths, head_lengths, tokens, heads] = &mut self.raw;
        varint::put_difference(nodes, self.node, chunk.node.0);
        varint::put_difference(froms, self.from, chunk.from.0);
        (self.node, self.from) = (chunk.node.0, chunk.from.0);
        varint::put(spans, u64::from(chunk.upto.since(chunk.from)));
        varint::put(lengths, chunk.tokens.len() as u64);
        varint::put(head_lengths, chunk.heads.len() as u64);
        tokens.extend_from_slice(&chunk.tokens);
        heads.extend_from_slice(&chunk.heads);
        self.digests.push(chunk.digest_low);
        self.checks.extend_from_slice(&chunk.checks);
    }

    /// Moves the chunks out, as a raw part appended to `raw` and a plain part appended to `plain`.
    pub(super) fn take(&mut self, raw: &mut Vec<u8>, plain: &mut Vec<u8>) {
        varint::put(raw, self.count as u64);
        self.raw.iter_mut().for_each(|column| raw.append(column));
        plain.append(&mut self.digests);
        plain.append(&mut self.checks);
        (self.count, self.node, self.from) = (0, 0, 0);
    }
}

/// The chunks of a block, or what is wrong with it.
pub(super) fn parse(mut raw: &[u8], plain: &[u8], nodes: u32) -> Result<Vec<Chunk>, String> {
    let count = varint::get(&mut raw).unwrap_or(u64::MAX);
    // The bytes of the chunks have been read already, so that this bounds the memory they take.
    let most = (raw.len() / LEAST_RAW_BYTES).min(plain.len() / DIGEST_BYTES);
    if count > most as u64 {
        return Err(format!(
            "a block of {count} chunks; its bytes hold at most {most}"
        ));
    }
    let mut chunks = parse_places(&mut raw, count as usize, nodes)?;
    let lengths = parse_lengths(&mut raw, chunks.len())?;
    let head_lengths = parse_lengths(&mut raw, chunks.len())?;
    let (mut tokens, mut plain) = (Fields(raw), Fields(plain));
    for chunk in &mut chunks {
        chunk.digest_low = plain.u8().ok_or("a block with too few digests")?;
    }
    for (chunk, length) in chunks.iter_mut().zip(lengths) {
        let checks = Chunk::checks_between(chunk.from, chunk.upto);
        let checks = plain
            .bytes(checks)
            .ok_or("a block with too few check bytes")?;
        let bytes = tokens.bytes(length).ok_or("a block with too few tokens")?;
        (chunk.checks, chunk.tokens) = (checks.to_vec(), bytes.to_vec());
    }
    for (chunk, length) in chunks.iter_mut().zip(head_lengths) {
        let bytes = tokens.bytes(length).ok_or("a block with too few heads")?;
        chunk.heads = bytes.to_vec();
    }
    if !tokens.0.is_empty() || !plain.0.is_empty() {
        return Err("a block with bytes that belong to no chunk".to_owned());
    }
    Ok(chunks)
}

/// How many bytes each chunk has in a column.
fn parse_lengths(raw: &mut &[u8], count: usize) -> Result<Vec<usize>, String> {
    let lengths: Option<Vec<usize>> = (0..count).map(|_| varint::get_as(raw)).collect();
    lengths.ok_or_else(|| "a block that ends among its chunks' lengths".to_owned())
}

/// The nodes and the cycles of the chunks.
fn parse_places(raw: &mut &[u8], count: usize, nodes: u32) -> Result<Vec<Chunk>, String> {
    const SHORT: &str = "a block that ends among its chunks' nodes and cycles";
    let mut chunks = Vec::with_capacity(count);
    let mut node = 0;
    for _ in 0..count {
        node = varint::get_difference(raw, node).ok_or(SHORT)?;
        if node >= nodes {
            return Err(format!(
                "a chunk of node {node} in the record of {nodes} nodes"
            ));
        }
        chunks.push(Chunk {
            node: NodeId(node),
            ..Chunk::default()
        });
    }
    let mut from = 0;
    for chunk in &mut chunks {
        from = varint::get_difference(raw, from).ok_or(SHORT)?;
        chunk.from = Cycle(from);
    }
    for chunk in &mut chunks {
        let span = varint::get(raw).ok_or(SHORT)?;
        let upto = u64::from(chunk.from.0).saturating_add(span);
        if span == 0 || upto > u64::from(Cycle::LAST.0) {
            return Err(format!(
                "a chunk of {span} cycles from cycle {}; at least 1 and up to cycle {} are allowed",
                chunk.from,
                Cycle::LAST
            ));
        }
        chunk.upto = Cycle(upto as u32);
    }
    Ok(chunks)
}
