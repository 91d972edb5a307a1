//! A whole record in memory, node by node.

use crate::chunk_reader::{BadRecord, ChunkReader, Reads, trailer_or_cut};
use flitwork_trace::record::{Chunk, Corrupt, Header, Reader, Trailer};
use flitwork_types::{Cycle, Due, NodeId};
use std::io::Read;

/// A record.
#[derive(Debug)]
pub struct Parts {
    nodes: Vec<Part>,
    /// What its end says; `None` if it is cut.
    pub trailer: Option<Trailer>,
}

/// What a record says of one node.
#[derive(Debug)]
pub struct Part {
    node: NodeId,
    chunks: Vec<Chunk>,
    /// The first cycle that the node did not run.
    end: Due,
}

impl Parts {
    /// Reads a record to its end, or as far as it is good.
    ///
    /// # Errors
    /// If it can't be read, or makes no sense.
    pub fn read(file: Box<dyn Read + Send>) -> Result<(Header, Parts), BadRecord> {
        let (reader, header) = Reader::open(file)?;
        let empty = |node| Part {
            node: NodeId(node),
            chunks: Vec::new(),
            end: Due::NEVER,
        };
        let mut nodes: Vec<Part> = (0..header.nodes).map(empty).collect();
        let mut chunk_reader = ChunkReader::new(reader);
        while chunk_reader.end.is_none() {
            chunk_reader.read(&mut nodes)?;
        }
        let (trailer, _) = trailer_or_cut(chunk_reader.end);
        Ok((header, Parts { nodes, trailer }))
    }

    /// The chunk of a node at a place.
    pub(super) fn chunk(&self, node: NodeId, place: usize) -> Option<&Chunk> {
        self.nodes[node.index()].chunks.get(place)
    }

    /// The first cycle that a node did not run.
    pub fn end(&self, node: NodeId) -> Option<Cycle> {
        self.nodes[node.index()].end.get()
    }
}

impl Reads for Part {
    fn node(&self) -> NodeId {
        self.node
    }

    fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt> {
        self.chunks.push(chunk);
        Ok(())
    }

    fn upto(&self) -> Cycle {
        self.chunks.last().map_or(Cycle::ZERO, |chunk| chunk.upto)
    }

    fn end(&mut self) -> Option<&mut Due> {
        Some(&mut self.end)
    }
}
