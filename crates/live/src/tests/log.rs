//! What a node hands over to its record, and when.

use super::{PORTS, WORDS, credit};
use crate::marks::{Closes, Handed, RequestedMark};
use crate::recording::Log;
use crossbeam_channel::{Receiver, bounded};
use flitwork_trace::Digest;
use flitwork_trace::record::{Arrivals, Decoder, Encoder, Head};
use flitwork_types::{Cycle, NodeId, PacketId, PortSet, TerminalId};

fn log(room: usize) -> (Log, Receiver<Box<Handed>>, RequestedMark) {
    let (to, from) = bounded(room);
    let asked = RequestedMark::default();
    let log = Log::new(NodeId(3), Encoder::new(WORDS, PORTS), to, asked.clone());
    (log, from, asked)
}

/// Cycles in each of which a credit arrives.
fn run(log: &mut Log, cycles: std::ops::Range<u32>) {
    for now in cycles {
        log.cycle(Cycle(now), &credit());
        log.pass(Cycle(now), Cycle(now + 1), Digest::of(u64::from(now)));
    }
}

fn span(handed: &Handed) -> Option<(u32, u32)> {
    let chunk = handed.chunk.as_ref()?;
    Some((chunk.from.get(), chunk.upto.get()))
}

/// One token per cycle, and a check byte every 128: a chunk is full in the cycle that brings it to 4096
/// bytes.
#[test]
fn a_chunk_is_handed_over_when_it_is_full() {
    let (mut log, from, _) = log(8);
    // 4064 + 4064 / 128 = 4095.75 and 4065 + 31 = 4096.
    run(&mut log, 0..4064);
    assert!(log.send(false));
    assert!(from.is_empty());
    run(&mut log, 4064..4065);
    assert!(log.send(false));
    let handed = from.try_recv().unwrap();
    assert_eq!(span(&handed), Some((0, 4065)));
    assert_eq!(
        (handed.node, handed.digest, handed.closes),
        (NodeId(3), 4064, None)
    );
    // Quiet cycles cost only their check bytes, so time alone fills no chunk.
    log.pass(Cycle(4065), Cycle(4065 + 128 * 4095), Digest::default());
    assert!(log.send(false));
    assert!(from.is_empty());
}

#[test]
fn a_requested_mark_is_closed_once() {
    let (mut log, from, asked) = log(8);
    log.close_if_asked();
    run(&mut log, 0..5);
    log.close_if_asked();
    assert!(log.send(false));
    assert!(from.is_empty());
    asked.raise(1);
    log.close_if_asked();
    assert!(log.send(false));
    let handed = from.try_recv().unwrap();
    assert_eq!(span(&handed), Some((0, 5)));
    assert_eq!((handed.digest, handed.closes), (4, Some(Closes::Mark(1))));
    log.close_if_asked();
    assert!(log.send(false));
    assert!(from.is_empty());
    // A node that has run nothing since then closes without a chunk.
    asked.raise(2);
    log.close_if_asked();
    assert!(log.send(false));
    let handed = from.try_recv().unwrap();
    assert_eq!((span(&handed), handed.digest), (None, 4));
    assert_eq!(handed.closes, Some(Closes::Mark(2)));
}

/// If the writer is slow the node waits, and closes the mark when it can continue.
#[test]
fn what_finds_no_room_waits() {
    let (mut log, from, asked) = log(1);
    asked.raise(1);
    run(&mut log, 0..5);
    log.close_if_asked();
    assert!(log.send(false));
    asked.raise(2);
    log.close_if_asked();
    assert!(!log.send(false));
    assert!(!log.send(false));
    // Meanwhile nothing is lost, and nothing is closed twice.
    asked.raise(3);
    log.close_if_asked();
    let closes = |handed: Box<Handed>| handed.closes;
    assert_eq!(from.try_recv().map(closes), Ok(Some(Closes::Mark(1))));
    assert!(log.send(false));
    assert_eq!(from.try_recv().map(closes), Ok(Some(Closes::Mark(2))));
    log.close_if_asked();
    assert!(log.send(false));
    assert_eq!(from.try_recv().map(closes), Ok(Some(Closes::Mark(3))));
    // A writer that is gone accepts everything.
    drop(from);
    run(&mut log, 5..9);
    asked.raise(4);
    log.close_if_asked();
    assert!(log.send(false));
    log.end(Cycle(9), Digest::default());
}

#[test]
fn the_end_closes_for_good() {
    let (mut log, from, asked) = log(8);
    run(&mut log, 0..5);
    asked.raise(1);
    log.close_if_asked();
    log.pass(Cycle(5), Cycle(7), Digest::of(8));
    log.end(Cycle(7), Digest::of(8));
    assert!(log.is_closed_for_good());
    asked.raise(2);
    log.close_if_asked();
    log.end(Cycle(7), Digest::of(8));
    let all: Vec<_> = from
        .try_iter()
        .map(|handed| (span(&handed), handed.digest, handed.closes))
        .collect();
    let first = (Some((0, 5)), 4, Some(Closes::Mark(1)));
    assert_eq!(all, [first, (Some((5, 7)), 8, Some(Closes::ForGood))]);
}

/// What a node takes from its channels in the cycle in which it learns of a mark belongs after the mark, and
/// so do the heads of the packets in it.
#[test]
fn heads_of_the_first_cycle_after_a_mark_come_after_it() {
    let (to, from) = bounded(8);
    let asked = RequestedMark::default();
    let encoder = Encoder::new(WORDS, PORTS).with_heads();
    let mut log = Log::new(NodeId(3), encoder, to, asked.clone());
    let head = |serial| Head {
        packet: PacketId {
            source: TerminalId(7),
            serial,
        },
        extra_hops: 0,
        deroutes: 0,
    };
    let word = Arrivals {
        words: PortSet(1),
        ..Arrivals::default()
    };
    let mut serial = 0;
    for now in 0..6 {
        // A packet of four words in cycles 0 to 3, another one from 5 on.
        let arrivals = if now == 4 { Arrivals::default() } else { word };
        if now == 0 || now == 5 {
            serial += 1;
            log.head(&head(serial));
        }
        if now == 5 {
            asked.raise(1);
            log.close_if_asked();
            assert!(log.send(false));
        }
        log.cycle(Cycle(now), &arrivals);
        log.pass(Cycle(now), Cycle(now + 1), Digest::default());
    }
    log.end(Cycle(6), Digest::default());
    let mut decoder = Decoder::new(NodeId(3), WORDS, PORTS).with_heads();
    let mut came = Vec::new();
    for handed in from.try_iter() {
        let chunk = handed.chunk.unwrap();
        let upto = chunk.upto;
        decoder.push(chunk).unwrap();
        while decoder.next() < upto {
            let now = decoder.next();
            decoder.take(now).unwrap();
            let heads = decoder.heads().iter();
            came.extend(heads.map(|(_, head)| (now.get(), upto.get(), head.packet.serial)));
        }
    }
    assert_eq!(came, [(0, 5, 1), (5, 6, 2)]);
}
