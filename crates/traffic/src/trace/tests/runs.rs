//! Runs of random traces: every packet is ready exactly when the rule says so, whatever the delays, the order
//! of requests, the window and the format.

use super::writer::{File, Written, csv, netrace, packed, packet};
use super::*;
use crate::{CsvReader, NetraceReader, Offer, TraceError, TraceNode, TraceSummary, Workload};
use flitwork_types::{Packet, PacketId, TerminalId};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::io::Cursor as Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A packet before it has a position: cycles after the previous one, ends, type, and the later packets that
/// wait for it (how many positions later).
type Seed = (u64, u8, u8, usize, Vec<usize>);

const KINDS: [u8; 15] = [1, 2, 3, 4, 5, 6, 13, 14, 15, 16, 25, 27, 28, 29, 30];

fn seeds() -> BoxedStrategy<Vec<Seed>> {
    let names = prop::collection::vec(1usize..9, 0..4);
    let gap = prop_oneof![3 => 0u64..3, 1 => 0u64..40];
    prop::collection::vec((gap, 0u8..5, 0u8..5, 0usize..15, names), 0..50).boxed()
}

/// A file of these packets. Ids aren't in order: a multiple of 37 from `first_id` on, modulo 101.
fn file(seeds: &[Seed], first_id: u32, local: bool) -> File {
    let id = |place: usize| 1000 + (first_id + 37 * place as u32) % 101;
    let mut cycle = 50;
    let mut packets: Vec<Written> = Vec::new();
    for (place, (gap, source, destination, kind, names)) in seeds.iter().enumerate() {
        cycle += gap;
        let meets = |later: &usize| !local || seeds[*later].1 == *destination;
        let names: Vec<u32> = names
            .iter()
            .map(|after| place + after)
            .filter(|later| *later < seeds.len())
            .filter(meets)
            .map(id)
            .collect();
        packets.push(Written {
            kind: KINDS[*kind],
            ..packet(id(place), cycle, (*source, *destination), &names)
        });
    }
    File::new(5, packets)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_packet_is_ready_when_the_rule_says(
        seeds in seeds(), first_id in 0u32..101, longest in 1u32..60, seed: u64,
    ) {
        let bytes = file(&seeds, first_id, false).bytes();
        let packets = all(&mut netrace(&bytes).unwrap()).unwrap();
        prop_assert_eq!(packets.len(), seeds.len());
        let waits = dependencies(netrace(&bytes).unwrap());
        let (mut trace, handle) = workload(Box::new(netrace(&bytes).unwrap()), 4096);
        let run = Toy::new(5, longest, seed).run(&mut trace);
        check(&packets, &waits, &run, &handle);
        let text = csv(&packets);
        for order in 1..4 {
            for window in [0, 1, 7, 4096] {
                let toy = Toy::new(5, longest, seed).in_order(order);
                let again: [(Toy, Box<dyn TraceReader>); 3] = [
                    (toy.clone(), Box::new(netrace(&bytes).unwrap())),
                    (toy.clone().eager(), Box::new(netrace(&packed(&bytes)).unwrap())),
                    (toy, Box::new(CsvReader::new(Bytes::new(text.clone()), 5).unwrap())),
                ];
                for (toy, reader) in again {
                    let (mut trace, other) = workload(reader, window);
                    prop_assert_eq!(&toy.run(&mut trace), &run);
                    prop_assert_eq!(other.births(), handle.births());
                    prop_assert_eq!(other.account(), handle.account());
                }
            }
        }
    }

    #[test]
    fn local_traces_are_known_and_wake_nobody_else(seeds in seeds(), longest in 1u32..60, seed: u64) {
        let bytes = file(&seeds, 3, true).bytes();
        let packets = all(&mut netrace(&bytes).unwrap()).unwrap();
        let waits = dependencies(netrace(&bytes).unwrap());
        let text = csv(&packets);
        let readers = || -> [Box<dyn TraceReader>; 2] {
            let csv = CsvReader::new(Bytes::new(text.clone()), 5).unwrap();
            [Box::new(netrace(&bytes).unwrap()), Box::new(csv)]
        };
        for (reader, again) in readers().into_iter().zip(readers()) {
            let summary = TraceSummary::of(again).unwrap();
            prop_assert!(summary.is_local());
            let (trace, handle) = workload(reader, 5);
            prop_assert!(!trace.is_local);
            let mut trace = trace.with_summary(&summary);
            prop_assert!(trace.is_local);
            let run = Toy::new(5, longest, seed).local().run(&mut trace);
            check(&packets, &waits, &run, &handle);
            let mut sources: Vec<TerminalId> = run.sent.iter().map(|sent| sent.id.source).collect();
            sources.dedup();
            prop_assert_eq!(trace.sources(), sources);
        }
        let summary = TraceSummary::of(netrace(&bytes).unwrap()).unwrap();
        let to_self = packets.iter().filter(|packet| packet.source == packet.destination).count();
        prop_assert_eq!(summary.packets, packets.len() as u64);
        prop_assert_eq!(summary.self_packets, to_self as u64);
        prop_assert_eq!(summary.dependencies, waits.len() as u64);
        prop_assert_eq!(summary.last_cycle, packets.last().map_or(0, |packet| packet.cycle));
    }

    #[test]
    fn a_summary_finds_what_is_not_local(seeds in seeds()) {
        let bytes = file(&seeds, 0, false).bytes();
        let packets = all(&mut netrace(&bytes).unwrap()).unwrap();
        let by_id: HashMap<TraceId, &TracePacket> =
            packets.iter().map(|packet| (packet.id, packet)).collect();
        let meets = |(earlier, later): &(TraceId, TraceId)| {
            by_id[earlier].destination == by_id[later].source
        };
        let local = dependencies(netrace(&bytes).unwrap()).iter().all(meets);
        prop_assert_eq!(TraceSummary::of(netrace(&bytes).unwrap()).unwrap().is_local(), local);
        let text = Bytes::new(csv(&packets));
        prop_assert_eq!(TraceSummary::of(CsvReader::new(text, 5).unwrap()).unwrap().is_local(), local);
    }

    #[test]
    fn without_dependencies_each_packet_is_ready_in_its_own_cycle(seeds in seeds()) {
        let bytes = file(&seeds, 0, false).bytes();
        let packets = all(&mut netrace(&bytes).unwrap()).unwrap();
        let options = TraceOptions {
            obey_dependencies: false,
            ..TraceOptions::default()
        };
        let map = NodeMap::in_order(5, 5).unwrap();
        let mut trace = TraceWorkload::new(Box::new(netrace(&bytes).unwrap()), map, options).unwrap();
        let handle = Followed::new(&trace);
        prop_assert!(trace.is_local);
        let run = Toy::new(5, 30, 1).local().run(&mut trace);
        check(&packets, &[], &run, &handle);
    }
}

/// Takes a packet and returns its ready cycle and destination.
fn take(trace: &mut TraceWorkload, node: u32, now: u32) -> (u32, u32) {
    match trace.next(TerminalId(node), Cycle(now)) {
        Offer::Packet(birth) => (birth.created.get(), birth.destination.0),
        next => panic!("{next:?}"),
    }
}

fn deliver(trace: &mut TraceWorkload, source: u32, serial: u32, to: u32, now: u32) -> Vec<u32> {
    let source = TerminalId(source);
    let packet = Packet {
        id: PacketId { source, serial },
        ..Packet::default()
    };
    let mut woken = Vec::new();
    trace.delivered(TerminalId(to), &packet, Cycle(now), &mut woken);
    woken.into_iter().map(|node| node.0).collect()
}

#[test]
fn cycles_by_hand() {
    // Packet 1 goes from 0 to 1, and 2 waits for it; 2 stays within node 1, and 3 waits for it, which goes
    // from 1 to 2 in cycle 4 at the earliest. 4 goes from 1 to 0 in cycle 9.
    let packets = vec![
        packet(1, 0, (0, 1), &[2]),
        packet(2, 1, (1, 1), &[3]),
        packet(3, 4, (1, 2), &[]),
        packet(4, 9, (1, 0), &[]),
    ];
    let bytes = File::new(3, packets).bytes();
    let later = |cycle| Offer::Later(Cycle(cycle));
    let (mut trace, handle) = workload(Box::new(netrace(&bytes).unwrap()), 100);
    // Everything is read ahead: node 2 never sends, node 1 has nothing before cycle 9 unless packet 1
    // arrives.
    assert_eq!(trace.next(TerminalId(2), Cycle(0)), Offer::Never);
    assert_eq!(trace.next(TerminalId(1), Cycle(0)), later(9));
    assert_eq!(take(&mut trace, 0, 0), (0, 1));
    assert_eq!(trace.next(TerminalId(0), Cycle(0)), Offer::Never);
    // Delivered in cycle 20: packet 2 is ready in 21 and delivered in 22, so 3 is ready in 23. Packet 4 was
    // ready in 9, and goes first.
    assert_eq!(deliver(&mut trace, 0, 0, 1, 20), [1]);
    assert_eq!(handle.account().self_delivered, 1);
    assert_eq!(take(&mut trace, 1, 21), (9, 0));
    assert_eq!(trace.next(TerminalId(1), Cycle(21)), later(23));
    assert_eq!(trace.next(TerminalId(1), Cycle(22)), later(23));
    assert_eq!(take(&mut trace, 1, 25), (23, 2));
    assert_eq!(trace.next(TerminalId(1), Cycle(25)), Offer::Never);
    assert!(!handle.account().is_finished());
    assert!(deliver(&mut trace, 1, 0, 0, 30).is_empty());
    assert!(deliver(&mut trace, 1, 1, 2, 31).is_empty());
    let account = handle.account();
    assert!(account.is_finished());
    assert_eq!(
        (account.packets, account.given, account.last_ready),
        (4, 3, Cycle(23))
    );
}

#[test]
fn a_blocked_node_waits_only_for_a_delivery() {
    let bytes = File::new(
        2,
        vec![packet(7, 3, (0, 1), &[8]), packet(8, 3, (1, 0), &[])],
    )
    .bytes();
    let (mut trace, _) = workload(Box::new(netrace(&bytes).unwrap()), 100);
    assert_eq!(trace.next(TerminalId(1), Cycle(0)), Offer::WhenWoken);
    assert_eq!(trace.next(TerminalId(2), Cycle(0)), Offer::Never);
    assert_eq!(take(&mut trace, 0, 5), (3, 1));
    assert_eq!(deliver(&mut trace, 0, 0, 1, 9), [1]);
    assert_eq!(take(&mut trace, 1, 10), (10, 0));
}

#[test]
fn a_long_chain_within_a_node_overflows_nothing() {
    // 200,000 packets within node 0, each waiting for the one before: ready two cycles after it.
    let links = 200_000;
    let mut text = String::from("cycle,src,dst,words,after\n0,1,0,1,\n");
    for place in 1..links {
        text += &format!("0,0,0,1,{}\n", place - 1);
    }
    text += &format!("0,0,1,1,{}\n", links - 1);
    let (mut trace, handle) = workload(Box::new(CsvReader::new(Bytes::new(text), 2).unwrap()), 10);
    assert_eq!(take(&mut trace, 1, 0), (0, 0));
    assert_eq!(deliver(&mut trace, 1, 0, 0, 10), [0]);
    // Ready in 11, 13, 15 and so on; the one that leaves follows 199,999 of them.
    assert_eq!(take(&mut trace, 0, 400_009), (400_009, 1));
    assert_eq!(handle.account().self_delivered, links - 1);
}

#[test]
fn memory_is_taken_only_by_what_is_under_way() {
    // A million packets, one per cycle, each of which waits for the one 50 before it; each is delivered 7
    // cycles later.
    let packets = 1_000_000u32;
    struct Endless(u32, u32);
    impl TraceReader for Endless {
        fn nodes(&self) -> u32 {
            4
        }
        fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
            let id = self.0;
            if id == self.1 {
                return Ok(None);
            }
            self.0 += 1;
            let later = (id + 50 < self.1).then_some(TraceId(u64::from(id) + 50));
            Ok(Some(TracePacket {
                id: TraceId(id.into()),
                cycle: id.into(),
                source: TraceNode(id % 4),
                destination: TraceNode((id + u32::from(!id.is_multiple_of(3))) % 4),
                words: 1,
                class: 0,
                links: crate::Links::Before(later.into_iter().collect()),
            }))
        }
        fn place(&self, _: crate::Field) -> crate::TracePlace {
            crate::TracePlace::Byte(0)
        }
    }
    let map = NodeMap::in_order(4, 4).unwrap();
    let options = TraceOptions {
        window_packets: 500,
        ..TraceOptions::default()
    };
    let reader = Box::new(Endless(0, packets));
    let mut trace = TraceWorkload::new(reader, map, options).unwrap();
    let handle = trace.handle();
    let mut arrivals: VecDeque<(u32, u32, u32, u32)> = VecDeque::new();
    let mut serials = [0; 4];
    let mut most = 0;
    for now in 0..packets + 100 {
        while arrivals.front().is_some_and(|(at, ..)| *at == now) {
            let (_, source, serial, to) = arrivals.pop_front().unwrap();
            deliver(&mut trace, source, serial, to, now);
        }
        for node in 0..4 {
            while let Offer::Packet(birth) = trace.next(TerminalId(node), Cycle(now)) {
                let serial = &mut serials[node as usize];
                arrivals.push_back((now + 7, node, *serial, birth.destination.0));
                *serial += 1;
            }
        }
        most = most.max(trace.held());
    }
    assert!(handle.account().is_finished());
    // The window, and the packets that those in it name.
    assert!(most <= 500 + 50, "{most}");
}

/// One of five packets goes to its own source: four have to cross the network, one less with each that is
/// handed over.
#[test]
fn packets_to_their_own_source_are_not_owed() {
    let ends = [(0, 1), (1, 0), (1, 1), (0, 1), (1, 0)];
    let packets = ends
        .iter()
        .zip(1..)
        .map(|(ends, id)| packet(id, 0, *ends, &[]));
    let bytes = File::new(2, packets.collect()).bytes();
    let summary = TraceSummary::of(netrace(&bytes).unwrap()).unwrap();
    let (trace, _) = workload(Box::new(netrace(&bytes).unwrap()), 100);
    let mut trace = trace.with_summary(&summary);
    for owed in [4, 3, 2] {
        let left = trace.owed();
        assert_eq!((left.packets, left.at_least), (owed, false));
        let node = TerminalId(u32::from(owed == 3));
        assert!(trace.next(node, Cycle(0)).packet().is_some());
    }
    assert_eq!(trace.owed().packets, 1);
}

/// Every packet waits for the first one, which isn't delivered: nothing is read beyond a window of 30
/// packets.
#[test]
fn no_more_is_read_than_the_window_holds() {
    struct Counted(NetraceReader, Arc<AtomicUsize>);
    impl TraceReader for Counted {
        fn nodes(&self) -> u32 {
            self.0.nodes()
        }
        fn packet(&mut self) -> Result<Option<TracePacket>, TraceError> {
            self.1.fetch_add(1, Relaxed);
            self.0.packet()
        }
        fn place(&self, field: crate::Field) -> crate::TracePlace {
            self.0.place(field)
        }
    }
    let later: Vec<u32> = (2..200).collect();
    let first = packet(1, 0, (0, 1), &later);
    let others = later.iter().map(|id| packet(*id, 5, (1, 0), &[]));
    let packets = std::iter::once(first).chain(others).collect();
    let bytes = File::new(2, packets).bytes();
    let read = Arc::new(AtomicUsize::new(0));
    let counted = Counted(netrace(&bytes).unwrap(), read.clone());
    let (mut trace, _) = workload(Box::new(counted), 30);
    assert!(trace.next(TerminalId(0), Cycle(0)).packet().is_some());
    for _ in 0..5 {
        assert!(trace.next(TerminalId(1), Cycle(0)).packet().is_none());
    }
    // One more is known than has been admitted.
    let read = read.load(Relaxed);
    assert!((2..=32).contains(&read), "{read}");
}

#[test]
fn maps_and_traces_must_fit() {
    let bytes = File::new(3, vec![]).bytes();
    let map = NodeMap::in_order(4, 9).unwrap();
    let reader = Box::new(netrace(&bytes).unwrap());
    let refused = TraceWorkload::new(reader, map, TraceOptions::default())
        .err()
        .unwrap();
    let message = "the trace has 3 nodes, and the map is for 4";
    assert!(refused.to_string().ends_with(message), "{refused}");
    // On a larger network the other nodes are idle.
    let bytes = File::new(2, vec![packet(1, 0, (0, 1), &[])]).bytes();
    let map = NodeMap::given(&[TerminalId(8), TerminalId(3)], 2, 9).unwrap();
    let reader = Box::new(netrace(&bytes).unwrap());
    let mut trace = TraceWorkload::new(reader, map, TraceOptions::default()).unwrap();
    assert_eq!(trace.sources(), [TerminalId(3), TerminalId(8)]);
    assert_eq!(trace.next(TerminalId(0), Cycle(0)), Offer::Never);
    assert_eq!(take(&mut trace, 8, 0), (0, 3));
    let empty = File::new(2, vec![]).bytes();
    let (mut trace, handle) = workload(Box::new(netrace(&empty).unwrap()), 9);
    assert_eq!(trace.next(TerminalId(0), Cycle(0)), Offer::Never);
    assert!(handle.account().is_finished());
}

/// Packet 3, which starts at node 1, waits for two packets: its trace is local only if both end at node 1, whichever of
/// them is read first.
#[test]
fn packets_that_wait_for_deliveries_at_two_nodes_are_not_local() {
    for (one, other, local) in [(1, 1, true), (1, 2, false), (2, 1, false), (2, 2, false)] {
        let packets = vec![
            packet(1, 0, (0, one), &[3]),
            packet(2, 0, (0, other), &[3]),
            packet(3, 5, (1, 0), &[]),
        ];
        let bytes = File::new(3, packets).bytes();
        let summary = TraceSummary::of(netrace(&bytes).unwrap()).unwrap();
        assert_eq!(summary.is_local(), local, "{one} and {other}");
        let text = csv(&all(&mut netrace(&bytes).unwrap()).unwrap());
        let summary = TraceSummary::of(CsvReader::new(Bytes::new(text), 3).unwrap()).unwrap();
        assert_eq!(summary.is_local(), local, "{one} and {other} in CSV");
    }
}

#[test]
fn a_wrong_summary_is_reported() {
    let local = File::new(
        3,
        vec![packet(1, 0, (0, 1), &[2]), packet(2, 0, (1, 0), &[])],
    );
    let summary = TraceSummary::of(netrace(&local.bytes()).unwrap()).unwrap();
    let other = File::new(
        3,
        vec![packet(1, 0, (0, 1), &[2]), packet(2, 0, (2, 0), &[])],
    );
    let (trace, handle) = workload(Box::new(netrace(&other.bytes()).unwrap()), 9);
    let mut trace = trace.with_summary(&summary);
    take(&mut trace, 0, 0);
    deliver(&mut trace, 0, 0, 1, 5);
    assert!(
        handle
            .error()
            .unwrap()
            .to_string()
            .contains("waits for one that is delivered to another node")
    );
}

#[test]
fn an_error_during_the_run_ends_the_births_and_is_reported() {
    let mut packets: Vec<Written> = (0..20)
        .map(|id| packet(id, u64::from(id), (0, 1), &[]))
        .collect();
    packets[12].kind = 7;
    let bytes = File::new(2, packets).bytes();
    let mut found = Vec::new();
    for window in [0, 5, 4096] {
        let (mut trace, handle) = workload(Box::new(netrace(&bytes).unwrap()), window);
        let run = Toy::new(2, 9, 1).run(&mut trace);
        // Those before it are handed over, however far reading was ahead.
        assert_eq!(run.sent.len(), 12);
        let error = handle.error().unwrap();
        assert!(
            error
                .to_string()
                .contains("packet type 7; the known types are 1, 2,"),
            "{error}"
        );
        assert!(!handle.account().is_finished());
        assert_eq!(trace.next(TerminalId(0), Cycle(1000)), Offer::Never);
        found.push((run, error, handle.account()));
    }
    assert!(found.iter().all(|other| *other == found[0]));
}

#[test]
fn cycles_beyond_every_run_are_refused() {
    let far = u64::from(Cycle::LAST.get());
    let text = |cycle: u64| format!("cycle,src,dst,words\n7,0,1,1\n{cycle},0,1,1\n");
    let handle = |cycle| {
        let reader = CsvReader::new(Bytes::new(text(cycle)), 2).unwrap();
        let (mut trace, handle) = workload(Box::new(reader), 9);
        trace.next(TerminalId(0), Cycle(0));
        handle
    };
    assert_eq!(handle(far).error(), None);
    let error = handle(far + 1).error().unwrap().to_string();
    let message = "line 3, column cycle: the packet comes 4000000001 cycles after the beginning; ";
    assert!(error.starts_with(message), "{error}");
    assert!(handle(u64::MAX).error().is_some());
}
