//! A record on its way from its file to the nodes that are replayed.
//!
//! Nodes get their chunks up to a mark, or up to the end of the record, once that has been read. A record that stops
//! early is therefore replayed up to its last mark, by any number of threads: whatever arrives at a node before the
//! mark has been sent.

use flitwork_trace::record::{Chunk, Corrupt, Cut, Item, Mark, Reader, RecordError, Trailer};
use flitwork_types::{Cycle, Due, NodeId};
use std::io::Read;

/// Why a record cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum BadRecord {
    /// The file.
    #[error("{0}")]
    File(#[from] RecordError),
    /// Its data about a node.
    #[error("{0}")]
    Node(#[from] Corrupt),
}

/// How a record ends: with its trailer, or where it was cut.
pub(crate) type RecordEnd = Result<Trailer, CutEnd>;

/// A record's trailer, or where it was cut; neither as long as that hasn't been read.
pub(crate) fn trailer_or_cut(end: Option<RecordEnd>) -> (Option<Trailer>, Option<CutEnd>) {
    match end.transpose() {
        Ok(trailer) => (trailer, None),
        Err(cut) => (None, Some(cut)),
    }
}

/// Where a record was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutEnd {
    /// Where its bytes end, and how.
    pub cut: Cut,
    /// The sum of the nodes' digests at its last mark; `None` if it has no mark, so that none of it can be replayed.
    pub digest: Option<u64>,
    /// The most cycles that its whole blocks hold of a node.
    pub most_cycles: Cycle,
}

/// A worker's view of a record: it reads all of it, and keeps what belongs to its nodes.
pub(crate) struct ChunkReader {
    reader: Reader<Box<dyn Read + Send>>,
    /// The chunks after the last mark, of all nodes.
    behind: Vec<Chunk>,
    /// The digest at that mark.
    digest: Option<u64>,
    most_cycles: Cycle,
    trailer: Option<Trailer>,
    pub(crate) end: Option<RecordEnd>,
}

impl ChunkReader {
    pub(crate) fn new(reader: Reader<Box<dyn Read + Send>>) -> ChunkReader {
        ChunkReader {
            reader,
            behind: Vec::new(),
            digest: None,
            most_cycles: Cycle::ZERO,
            trailer: None,
            end: None,
        }
    }

    /// Reads a block, a mark or the end, and gives each node the part of its record that is known to be good. The
    /// runners are in the order of their nodes.
    pub(crate) fn read<S: Reads>(&mut self, runners: &mut [S]) -> Result<(), BadRecord> {
        match self.reader.next_block()? {
            Item::Chunks(chunks) => {
                let ends = chunks.iter().map(|chunk| chunk.upto);
                self.most_cycles = ends.fold(self.most_cycles, Cycle::max);
                self.behind.extend(chunks);
            }
            Item::Mark(mark) => {
                self.digest = Some(mark.digest);
                self.give(runners, &mark)?;
            }
            Item::Trailer(trailer) => {
                self.give(runners, &Mark::default())?;
                self.trailer = Some(trailer);
            }
            Item::End { cut } => self.end(runners, cut),
        }
        Ok(())
    }

    /// Gives the nodes their chunks up to a mark.
    fn give<S: Reads>(&mut self, runners: &mut [S], mark: &Mark) -> Result<(), BadRecord> {
        for chunk in std::mem::take(&mut self.behind) {
            let named = mark
                .behind
                .binary_search_by_key(&chunk.node, |(node, _)| *node);
            if named.is_ok_and(|place| mark.behind[place].1 < chunk.upto) {
                self.behind.push(chunk);
                continue;
            }
            let place = place_of(runners, chunk.node);
            if let Some(runner) = place.and_then(|place| runners.get_mut(place)) {
                runner.push(chunk)?;
            }
        }
        Ok(())
    }

    fn end<S: Reads>(&mut self, runners: &mut [S], cut: Option<Cut>) {
        for runner in runners {
            let node = runner.node().index();
            let known = runner.upto();
            // A trailer never covers more cycles than the chunks before it.
            let trailer = self.trailer.as_ref();
            let recorded = trailer.and_then(|trailer| trailer.nodes.get(node));
            let ends = recorded.map_or(known, |recorded| recorded.cycles.min(known));
            if let Some(end) = runner.end() {
                *end = Due::from(ends).min(*end);
            }
        }
        self.end = match (cut, self.trailer.take()) {
            (Some(cut), _) => Some(Err(CutEnd {
                cut,
                digest: self.digest,
                most_cycles: self.most_cycles,
            })),
            (None, Some(trailer)) => Some(Ok(trailer)),
            (None, None) => unreachable!("a record ends with its trailer or is cut"),
        };
    }
}

/// The place of a node's runner.
fn place_of<S: Reads>(runners: &[S], node: NodeId) -> Option<usize> {
    // Where the nodes' numbers are consecutive, it is found at once.
    let guess = node.0.checked_sub(runners.first()?.node().0)? as usize;
    if runners
        .get(guess)
        .is_some_and(|runner| runner.node() == node)
    {
        return Some(guess);
    }
    runners.binary_search_by_key(&node, Reads::node).ok()
}

/// A consumer of a node's part of a record.
pub(crate) trait Reads {
    /// The node.
    fn node(&self) -> NodeId;
    /// Takes its next chunk.
    fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt>;
    /// The first cycle that no chunk so far covers.
    fn upto(&self) -> Cycle;
    /// Takes the first cycle that the node is not to run.
    fn end(&mut self) -> Option<&mut Due>;
}

impl<S: Reads + ?Sized> Reads for Box<S> {
    fn node(&self) -> NodeId {
        (**self).node()
    }

    fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt> {
        (**self).push(chunk)
    }

    fn upto(&self) -> Cycle {
        (**self).upto()
    }

    fn end(&mut self) -> Option<&mut Due> {
        (**self).end()
    }
}
