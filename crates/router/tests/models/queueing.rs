//! The router with a queue at each incoming link, in cases small enough to be worked out by hand.

use crate::bench::Bench;
use flitwork_node::{Cause, Place, What};
use flitwork_router::queueing::{Order, Queueing, QueueingParameters};
use flitwork_topology::Grid;
use flitwork_types::{Cycle, NodeId, Packet, PacketId, PacketRef, Port, PortSet, TerminalId, Word};

const EAST: Port = Port(1);
const LOCAL: Port = Port(4);

/// Two frames a queue, the source's as the others. From the west of a mesh of 3 x 3 nodes packets of one word go to the
/// east, over the node in the centre, whose queue has room for the first two: they leave in the cycles in which they come.
/// The next two stay, and the source may send no other until one of them leaves, with a credit from the centre.
#[test]
fn a_source_has_as_many_frames_as_a_link() {
    let parameters = QueueingParameters {
        frames: 2,
        ..QueueingParameters::default()
    };
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let mut node = Bench::new(Queueing::new(grid, parameters, 1), NodeId(3));
    let mut packet = |serial| {
        node.packets.insert(Packet {
            id: PacketId {
                source: TerminalId(3),
                serial,
            },
            destination: TerminalId(5),
            words: 1,
            ..Packet::default()
        })
    };
    let packets: Vec<PacketRef> = (0..4).map(&mut packet).collect();
    for (now, leaves, may_send) in [
        (0u32, Some(0usize), true),
        (1, Some(1), true),
        (2, None, true),
        (3, None, false),
        (4, None, false),
        (5, Some(2), true),
    ] {
        let come = packets.get(now as usize);
        let come: Vec<(Port, Word)> = come
            .map(|packet| (LOCAL, Word::of(*packet, 0, 1)))
            .into_iter()
            .collect();
        let credit: &[(Port, u8)] = if now == 5 { &[(EAST, 1)] } else { &[] };
        let did = node.step(Cycle(now), &come, credit);
        let left: Vec<_> = did
            .words
            .iter()
            .map(|(port, it)| (*port, it.packet))
            .collect();
        let expected = leaves.map(|place| (EAST, packets[place]));
        assert_eq!(left, Vec::from_iter(expected), "cycle {now}");
        let to_source = did.credits.contains(&(LOCAL, 0));
        assert_eq!(to_source, may_send, "cycle {now}");
    }
}

/// A packet of three words is whole in cycle 2, gets its link to the east, and its first word leaves. In cycle 3 the link takes
/// no word, as one between two clocks may not: none leaves, and the packet waits for the crossing. Then the others leave.
#[test]
fn a_packet_that_is_leaving_waits_while_its_link_takes_no_word() {
    let parameters = QueueingParameters {
        frame_words: 3,
        ..QueueingParameters::default()
    };
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let mut node = Bench::new(Queueing::new(grid, parameters, 1), NodeId(3));
    let packet = node.packets.insert(Packet {
        id: PacketId {
            source: TerminalId(3),
            serial: 0,
        },
        destination: TerminalId(5),
        words: 3,
        ..Packet::default()
    });
    let stays = |cause| What::Stays {
        cause,
        culprit: None,
    };
    let to = Place::OutputChannel(EAST, 0);
    let gets = What::Moves { to, deroute: false };
    for (now, does, leaves) in [
        (0u16, stays(Cause::WordsBehind), None),
        (1, stays(Cause::WordsBehind), None),
        (2, gets, Some(0u16)),
        (3, stays(Cause::Crossing), None),
        (4, What::Sends { to }, Some(1)),
        (5, What::Sends { to }, Some(2)),
    ] {
        let comes = (now < 3).then(|| (LOCAL, Word::of(packet, now, 3)));
        let come: Vec<(Port, Word)> = comes.into_iter().collect();
        node.sendable = PortSet(u64::MAX);
        if now == 3 {
            node.sendable.remove(EAST);
        }
        let cycle = Cycle(now.into());
        let told = node.explain(cycle, &come, &[]);
        let doing: Vec<What> = told.packets.iter().map(|doing| doing.what).collect();
        assert_eq!(doing, [does], "cycle {now}");
        let did = node.step(cycle, &come, &[]);
        let words = did.words.iter();
        let left: Vec<(Port, u16)> = words.map(|(port, word)| (*port, word.index)).collect();
        let expected = leaves.map(|index| (EAST, index));
        assert_eq!(left, Vec::from_iter(expected), "cycle {now}");
    }
}

/// Two packets of two words, one of them from the north, are whole in cycle 1 and want the link to the east. The one at the
/// lower port gets it, and the other has lost the decision; in cycle 2 the link is taken, in cycle 3 free again.
#[test]
fn two_packets_want_one_link() {
    let parameters = QueueingParameters {
        frame_words: 2,
        ..QueueingParameters::default()
    };
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let mut node = Bench::new(Queueing::new(grid, parameters, 1), NodeId(3));
    let ids = [0, 3].map(|source| PacketId {
        source: TerminalId(source),
        serial: 0,
    });
    let [first, second] = ids.map(|id| {
        node.packets.insert(Packet {
            id,
            destination: TerminalId(5),
            words: 2,
            ..Packet::default()
        })
    });
    let to = Place::OutputChannel(EAST, 0);
    let gets = What::Moves { to, deroute: false };
    let stays = |cause, culprit| What::Stays { cause, culprit };
    let behind = stays(Cause::WordsBehind, None);
    let by_first = |cause| stays(cause, Some(ids[0]));
    for (now, expected) in [
        (0u16, vec![behind, behind]),
        (1, vec![gets, by_first(Cause::LostDecision)]),
        (2, vec![What::Sends { to }, by_first(Cause::OutputTaken)]),
        (3, vec![gets]),
    ] {
        let come = [(Port(0), first), (LOCAL, second)];
        let come = come.map(|(port, packet)| (port, Word::of(packet, now, 2)));
        let come = if now < 2 { &come[..] } else { &[] };
        let told = node.explain(Cycle(now.into()), come, &[]);
        let doing: Vec<What> = told.packets.iter().map(|doing| doing.what).collect();
        assert_eq!(doing, expected, "cycle {now}");
        node.step(Cycle(now.into()), come, &[]);
    }
}

/// Three packets of three words want the link to the east. That of the north is whole in cycle 2 and takes the link until
/// cycle 4. By then the two others are whole: the source's began first, in cycle 0, and its last word came last, in cycle 4;
/// that of the south came from cycle 1 to 3. The first to have come is the one that was whole first.
#[test]
fn a_packet_has_come_with_its_last_word() {
    for (order, next) in [(Order::Fifo, 6), (Order::Lifo, 3)] {
        let parameters = QueueingParameters {
            frame_words: 3,
            order,
            ..QueueingParameters::default()
        };
        let grid = Grid::mesh(&[3, 3]).unwrap();
        let mut node = Bench::new(Queueing::new(grid, parameters, 1), NodeId(3));
        let [north, south, source] = [0, 6, 3].map(|source| {
            node.packets.insert(Packet {
                id: PacketId {
                    source: TerminalId(source),
                    serial: 0,
                },
                destination: TerminalId(5),
                words: 3,
                ..Packet::default()
            })
        });
        let comes = [
            (Port(0), north, [0, 1, 2]),
            (Port(2), south, [1, 2, 3]),
            (LOCAL, source, [0, 1, 4]),
        ];
        for now in 0..6 {
            let words = comes.iter().filter_map(|(port, packet, cycles)| {
                let index = cycles.iter().position(|cycle| *cycle == now)?;
                Some((*port, Word::of(*packet, index as u16, 3)))
            });
            let come: Vec<(Port, Word)> = words.collect();
            let did = node.step(Cycle(now), &come, &[]);
            let left = did
                .words
                .iter()
                .map(|(_, word)| node.packets[word.packet].id.source);
            let expected = match now {
                0 | 1 => vec![],
                2..5 => vec![TerminalId(0)],
                _ => vec![TerminalId(next)],
            };
            assert_eq!(left.collect::<Vec<_>>(), expected, "cycle {now}");
        }
    }
}
