//! A record on its way from its file to the nodes that are replayed.

use crate::gate::Gate;
use crate::seat::Seat;
use flitwork_trace::record::{Chunk, Corrupt, Cut, Item, Reader, RecordError, Trailer};
use flitwork_types::{Cycle, NodeId};
use std::fmt;
use std::io::Read;

/// Why a record can't be replayed.
#[derive(Debug)]
pub enum BadRecord {
    /// The file.
    File(RecordError),
    /// What it says of a node.
    Node(Corrupt),
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRecord::File(error) => error.fmt(f),
            BadRecord::Node(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BadRecord {}

impl From<Corrupt> for BadRecord {
    fn from(error: Corrupt) -> BadRecord {
        BadRecord::Node(error)
    }
}

/// How a record ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordEnd {
    Whole(Trailer),
    Cut(Cut),
}

/// A worker's view of a record: it reads all of it, and keeps what is its nodes'.
pub(crate) struct Feed {
    reader: Reader<Box<dyn Read + Send>>,
    trailer: Option<Trailer>,
    pub(crate) end: Option<RecordEnd>,
}

impl Feed {
    pub(crate) fn new(reader: Reader<Box<dyn Read + Send>>) -> Feed {
        Feed {
            reader,
            trailer: None,
            end: None,
        }
    }

    /// Reads a block, and gives each node what is its own. The seats are in the order of their nodes.
    pub(crate) fn read<S: Reads>(&mut self, seats: &mut [S]) -> Result<(), BadRecord> {
        match self.reader.next_block().map_err(BadRecord::File)? {
            Item::Chunks(chunks) => {
                for chunk in chunks {
                    let place = place_of(seats, chunk.node);
                    let seat = place.and_then(|place| seats.get_mut(place));
                    if let Some(seat) = seat {
                        seat.push(chunk)?;
                    }
                }
            }
            Item::Trailer(trailer) => self.trailer = Some(trailer),
            Item::End { cut } => {
                for seat in seats {
                    let node = seat.node().index();
                    let known = seat.upto();
                    // A trailer never tells of more cycles than the chunks before it.
                    let told = self.trailer.as_ref().and_then(|told| told.nodes.get(node));
                    let ends = told.map_or(known, |told| told.cycles.min(known));
                    if let Some(end) = seat.end() {
                        *end = Some(ends.min(end.unwrap_or(Cycle::NEVER)));
                    }
                }
                self.end = match (cut, self.trailer.take()) {
                    (Some(cut), _) => Some(RecordEnd::Cut(cut)),
                    (None, Some(trailer)) => Some(RecordEnd::Whole(trailer)),
                    (None, None) => unreachable!("a record ends with its trailer or is cut"),
                };
            }
        }
        Ok(())
    }
}

/// Where a node's seat is.
fn place_of<S: Reads>(seats: &[S], node: NodeId) -> Option<usize> {
    // Where the nodes' numbers are consecutive, it is found at once.
    let guess = node.0.checked_sub(seats.first()?.node().0)? as usize;
    if seats.get(guess).is_some_and(|seat| seat.node() == node) {
        return Some(guess);
    }
    seats.binary_search_by_key(&node, Reads::node).ok()
}

/// Whoever takes a node's part of a record.
pub(crate) trait Reads {
    /// The node.
    fn node(&self) -> NodeId;
    /// Takes its next chunk.
    fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt>;
    /// The first cycle that no chunk so far covers.
    fn upto(&self) -> Cycle;
    /// Where the first cycle is told that it isn't to run.
    fn end(&mut self) -> Option<&mut Option<Cycle>>;
}

impl<N> Reads for Seat<N> {
    fn node(&self) -> NodeId {
        self.cell.node()
    }

    fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt> {
        match &mut self.gate {
            Gate::Recorded(recorded) => recorded.decoder.push(chunk),
            Gate::Free => Ok(()),
        }
    }

    fn upto(&self) -> Cycle {
        match &self.gate {
            Gate::Recorded(recorded) => recorded.decoder.upto(),
            Gate::Free => Cycle::ZERO,
        }
    }

    fn end(&mut self) -> Option<&mut Option<Cycle>> {
        match &mut self.gate {
            Gate::Recorded(recorded) => Some(&mut recorded.end),
            Gate::Free => None,
        }
    }
}
