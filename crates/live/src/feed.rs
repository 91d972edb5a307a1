//! A record on its way from its file to the nodes that are replayed.

use crate::gate::Gate;
use crate::seat::Seat;
use flitwork_trace::record::{Corrupt, Cut, Item, Reader, RecordError, Trailer};
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

    /// Reads a block, and gives each node what is its own.
    pub(crate) fn read<N>(&mut self, seats: &mut [Seat<N>]) -> Result<(), BadRecord> {
        match self.reader.next_block().map_err(BadRecord::File)? {
            Item::Chunks(chunks) => {
                let first = seats.first().map_or(NodeId(0), |seat| seat.cell.node());
                for chunk in chunks {
                    let place = chunk.node.0.checked_sub(first.0);
                    let seat = place.and_then(|place| seats.get_mut(place as usize));
                    if let Some(Gate::Recorded(recorded)) = seat.map(|seat| &mut seat.gate) {
                        recorded.decoder.push(chunk)?;
                    }
                }
            }
            Item::Trailer(trailer) => self.trailer = Some(trailer),
            Item::End { cut } => {
                for seat in seats {
                    let node = seat.cell.node().index();
                    if let Gate::Recorded(recorded) = &mut seat.gate {
                        // A trailer never tells of more cycles than the chunks before it.
                        let known = recorded.decoder.upto();
                        let told = self.trailer.as_ref().and_then(|told| told.nodes.get(node));
                        let end = told.map_or(known, |told| told.cycles.min(known));
                        let asked = recorded.end.unwrap_or(Cycle::NEVER);
                        recorded.end = Some(end.min(asked));
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
