//! The packets under way, and their rows.

use super::{PacketEvent, TakesRows, Times};
use flitwork_debug::rows::PacketRow;
use flitwork_traffic::{TraceFollower, TraceId};
use flitwork_types::{ByPacket, Cycle, Packet, PacketId, TerminalId};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, OnceLock};

/// The packets in the network. The workers of a live run report them in any order.
#[derive(Debug)]
pub(super) struct PacketLedger {
    in_network: ByPacket<(Packet, Option<Times>)>,
    /// Packets whose delivery was reported before their injection. Where rows have times, theirs wait for that.
    early: ByPacket<Option<PacketRow>>,
    trace: Arc<OnceLock<TraceFollower>>,
    /// The trace's ids of packets that were handed out and not delivered.
    ids: BTreeMap<PacketId, TraceId>,
    /// Packets of a trace that were left over: their ids are known once all injections are.
    left: Vec<(TerminalId, Cycle, u16, Option<u64>)>,
}

impl PacketLedger {
    pub(super) fn new(trace: Arc<OnceLock<TraceFollower>>) -> PacketLedger {
        PacketLedger {
            in_network: ByPacket::default(),
            early: ByPacket::default(),
            trace,
            ids: BTreeMap::new(),
            left: Vec::new(),
        }
    }

    /// Takes events, and writes the rows of packets that are finished.
    pub(super) fn take(
        &mut self,
        batch: &[PacketEvent],
        rows: &mut dyn TakesRows,
    ) -> io::Result<()> {
        self.learn_ids();
        for event in batch {
            match event {
                PacketEvent::Injected(packet, times) => {
                    let number = packet.id.as_u64();
                    match self.early.remove(&number) {
                        None => drop(self.in_network.insert(number, (*packet, *times))),
                        Some(None) => {}
                        Some(Some(row)) => rows.put(&injected_at(row, *times))?,
                    }
                }
                PacketEvent::TakenBack(packet) => {
                    self.in_network.remove(&packet.as_u64());
                }
                PacketEvent::Delivered(packet, cycle, latency, times) => {
                    let number = packet.id.as_u64();
                    let id = self.ids.remove(&packet.id);
                    let row = PacketRow {
                        delivered: Some(*cycle),
                        latency: Some(*latency),
                        hops: Some(packet.hops),
                        deroutes: Some(packet.deroutes),
                        created_ps: times.map(|it| it.created_ps),
                        delivered_ps: times.map(|it| it.now_ps),
                        ..injected(packet, None, id)
                    };
                    match (self.in_network.remove(&number), times) {
                        (Some((_, injected)), _) => rows.put(&injected_at(row, injected))?,
                        (None, None) => {
                            self.early.insert(number, None);
                            rows.put(&row)?;
                        }
                        (None, Some(_)) => drop(self.early.insert(number, Some(row))),
                    }
                }
                PacketEvent::Lost(packet, cycle) => {
                    let number = packet.id.as_u64();
                    let id = self.ids.remove(&packet.id);
                    let row = PacketRow {
                        lost: packet.loss.map(|loss| (*cycle, loss)),
                        ..injected(packet, None, id)
                    };
                    match self.in_network.remove(&number) {
                        Some((_, times)) => rows.put(&PacketRow {
                            created_ps: times.map(|it| it.created_ps),
                            ..injected_at(row, times)
                        })?,
                        None => drop(self.early.insert(number, Some(row))),
                    }
                }
                PacketEvent::LeftOver {
                    source,
                    created,
                    words,
                    created_ps,
                } => {
                    let left = (*source, *created, *words, *created_ps);
                    match self.trace.get() {
                        Some(_) => self.left.push(left),
                        None => rows.put(&left_over(left, None))?,
                    }
                }
            }
        }
        Ok(())
    }

    /// A packet is handed out before it is reported, so any reported packet has an id.
    fn learn_ids(&mut self) {
        if let Some(trace) = self.trace.get() {
            let births = trace.take().into_iter();
            self.ids
                .extend(births.map(|birth| (birth.packet, birth.id)));
        }
    }

    /// Writes the rows of the packets of which only the delivery was reported, and then of those that were not delivered, by
    /// source and serial number.
    pub(super) fn end(mut self, rows: &mut dyn TakesRows) -> io::Result<()> {
        self.learn_ids();
        let mut early: Vec<PacketRow> = self.early.into_values().flatten().collect();
        early.sort_unstable_by_key(|row| (row.source, row.serial));
        early.iter().try_for_each(|row| rows.put(row))?;
        let mut packets: Vec<_> = self.in_network.into_values().collect();
        packets.sort_unstable_by_key(|(packet, _)| packet.id);
        for (packet, times) in &packets {
            rows.put(&injected(packet, *times, self.ids.remove(&packet.id)))?;
        }
        // A source makes its packets in the order of their serial numbers.
        self.left.sort_by_key(|(source, ..)| *source);
        for left in self.left {
            let source = left.0;
            let first = PacketId { source, serial: 0 };
            let found = self.ids.range(first..).next().map(|(packet, _)| *packet);
            let found = found.filter(|packet| packet.source == source);
            let id = found.and_then(|packet| self.ids.remove(&packet));
            rows.put(&left_over(left, id))?;
        }
        Ok(())
    }
}

fn injected(packet: &Packet, times: Option<Times>, id: Option<TraceId>) -> PacketRow {
    PacketRow {
        source: packet.id.source,
        serial: Some(packet.id.serial),
        destination: Some(packet.destination),
        class: Some(packet.class),
        words: packet.words,
        trace_id: id.map(|id| id.0),
        created: packet.created,
        injected: Some(packet.injected),
        created_ps: times.map(|it| it.created_ps),
        injected_ps: times.map(|it| it.now_ps),
        ..PacketRow::default()
    }
}

/// The same row of a packet that was injected then.
fn injected_at(row: PacketRow, times: Option<Times>) -> PacketRow {
    PacketRow {
        injected_ps: times.map(|it| it.now_ps),
        ..row
    }
}

fn left_over(
    (source, created, words, created_ps): (TerminalId, Cycle, u16, Option<u64>),
    id: Option<TraceId>,
) -> PacketRow {
    PacketRow {
        source,
        words,
        trace_id: id.map(|id| id.0),
        created,
        created_ps,
        ..PacketRow::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that are kept.
    #[derive(Default)]
    struct Kept(Vec<(u32, u32, Option<u64>)>);

    impl TakesRows for Kept {
        fn put(&mut self, row: &PacketRow) -> io::Result<()> {
            self.0.push((row.source.0, row.created.get(), row.trace_id));
            Ok(())
        }
    }

    /// What is left over of a trace has the ids of its own source, in the order in which the source makes packets. A packet
    /// that has none doesn't take that of the next source.
    #[test]
    fn what_is_left_over_has_an_id_of_its_own_source() {
        let mut ledger = PacketLedger::new(Arc::default());
        for (source, serial, id) in [(0, 4, 70), (0, 9, 30), (2, 1, 50)] {
            let source = TerminalId(source);
            ledger.ids.insert(PacketId { source, serial }, TraceId(id));
        }
        for (source, created) in [(2, 15), (0, 11), (1, 12), (0, 13), (2, 16)] {
            ledger
                .left
                .push((TerminalId(source), Cycle(created), 8, None));
        }
        let mut kept = Kept::default();
        ledger.end(&mut kept).unwrap();
        let expected = [
            (0, 11, Some(70)),
            (0, 13, Some(30)),
            (1, 12, None),
            (2, 15, Some(50)),
            (2, 16, None),
        ];
        assert_eq!(kept.0, expected);
    }
}
