//! A trace that several copies of a run read, each at its own pace, though its file is read only once.
//!
//! ```text
//!   reader ──▶ packet ──▶ packet ──▶ packet ──▶ (to be read)
//!                ▲                     ▲
//!            one copy              another
//! ```
//!
//! What no copy can reach any more is dropped.

use super::checked::Checked;
use super::{Field, TraceError, TracePacket, TracePlace, TraceProblem, TraceReader};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A place in a trace, from which packets are read one after another. A copy is read from independently.
#[derive(Clone)]
pub(super) struct Tape {
    reader: Arc<Mutex<Checked>>,
    /// What was read last.
    last: Arc<Entry>,
}

/// What the reader has returned, once.
struct Entry {
    read: Result<Option<TracePacket>, TraceError>,
    /// The places of the packet and of its cycle.
    packet: TracePlace,
    cycle: TracePlace,
    next: OnceLock<Arc<Entry>>,
}

impl Tape {
    /// The beginning of a trace.
    pub(super) fn new(reader: Box<dyn TraceReader>) -> Tape {
        let before = Entry {
            packet: reader.place(Field::Packet),
            cycle: reader.place(Field::Cycle),
            read: Ok(None),
            next: OnceLock::new(),
        };
        Tape {
            reader: Arc::new(Mutex::new(Checked::new(reader))),
            last: Arc::new(before),
        }
    }

    /// The next packet. Nothing is read after the end or an error.
    pub(super) fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
        let next = self.last.next.get().cloned();
        let next = next.unwrap_or_else(|| {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            // Another copy may have read it in the meantime.
            let next = self.last.next.get_or_init(|| {
                let read = reader.packet();
                Arc::new(Entry {
                    read,
                    packet: reader.place(Field::Packet),
                    cycle: reader.place(Field::Cycle),
                    next: OnceLock::new(),
                })
            });
            next.clone()
        });
        self.last = next;
        self.last.read.clone()
    }

    /// The error for a problem with the last packet, or with its cycle.
    pub(super) fn error(&self, field: Field, problem: TraceProblem) -> TraceError {
        let place = match field {
            Field::Cycle => self.last.cycle,
            _ => self.last.packet,
        };
        TraceError { place, problem }
    }
}

/// Entries are dropped one after another: each dropping the next would take a frame of the stack for each.
impl Drop for Entry {
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut entry) = next.and_then(Arc::into_inner) {
            next = entry.next.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Links, TraceId, TraceNode};

    /// Packets with the ids 0 to 9, and then an error.
    struct Ten(u64);

    impl TraceReader for Ten {
        fn nodes(&self) -> u32 {
            2
        }

        fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
            let id = self.0;
            assert!(id <= 10, "nothing is read after an error");
            self.0 += 1;
            if id == 10 {
                let (place, problem) = (self.place(Field::Packet), TraceProblem::NotLocal);
                return Err(TraceError { place, problem });
            }
            Ok(Some(TracePacket {
                id: TraceId(id),
                cycle: id,
                source: TraceNode(0),
                destination: TraceNode(1),
                words: 1,
                class: 0,
                links: Links::After(Vec::new()),
            }))
        }

        fn place(&self, field: Field) -> TracePlace {
            TracePlace::Byte(10 * self.0 + u64::from(field == Field::Cycle))
        }
    }

    fn ids(tape: &mut Tape) -> Vec<u64> {
        let next = || tape.packet().ok().flatten().map(|packet| packet.id.0);
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn copies_read_the_same_packets() {
        let mut first = Tape::new(Box::new(Ten(0)));
        for _ in 0..3 {
            first.packet().unwrap();
        }
        let mut second = first.clone();
        let (rest, again) = (ids(&mut first), ids(&mut second));
        assert_eq!(rest, (3..10).collect::<Vec<_>>());
        assert_eq!(again, rest);
    }

    #[test]
    fn places_are_those_of_the_copy() {
        let mut first = Tape::new(Box::new(Ten(0)));
        first.packet().unwrap();
        let second = first.clone();
        first.packet().unwrap();
        let place = |tape: &Tape, field| tape.error(field, TraceProblem::NotLocal).place;
        assert_eq!(place(&second, Field::Packet), TracePlace::Byte(10));
        assert_eq!(place(&second, Field::Cycle), TracePlace::Byte(11));
        assert_eq!(place(&first, Field::Cycle), TracePlace::Byte(21));
    }

    #[test]
    fn long_traces_are_dropped_without_a_deep_stack() {
        struct Endless(u64);
        impl TraceReader for Endless {
            fn nodes(&self) -> u32 {
                2
            }
            fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
                self.0 += 1;
                Ten(0).packet().map(|packet| {
                    packet.map(|packet| TracePacket {
                        id: TraceId(self.0),
                        ..packet
                    })
                })
            }
            fn place(&self, _: Field) -> TracePlace {
                TracePlace::Byte(0)
            }
        }
        let start = Tape::new(Box::new(Endless(0)));
        let mut reading = start.clone();
        for _ in 0..300_000 {
            reading.packet().unwrap();
        }
        drop(start);
        drop(reading);
    }
}
