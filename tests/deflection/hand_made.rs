//! Cycle counts derived by hand.

use crate::deflection::checker::check;
use crate::deflection::fixture::{Machine, Shown, Traffic, What, awake, is_whole, plain};
use flitwork_node::{Event, Place};
use flitwork_router::deflection::{DeflectionParameters, Golden, PRIORITIES, Switching};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, Packet, PacketId, Port};

const GOLDEN: Golden = Golden {
    epoch_cycles: 16,
    transactions: 4,
};

/// A run on both engines, checked; its deliveries by packet.
fn run(machine: &Machine) -> (Shown, Vec<(PacketId, Cycle, Packet)>) {
    let shown = plain(machine);
    assert_eq!(shown.digest, awake(machine).digest);
    assert!(is_whole(&shown), "{:?}", shown.outcome);
    let seen = check(machine, true, true, &shown.reported);
    let delivered = seen.delivered.into_iter();
    let mut delivered: Vec<_> = delivered
        .map(|(id, (at, packet))| (id, at, packet))
        .collect();
    delivered.sort_by_key(|(id, _, _)| *id);
    (shown, delivered)
}

/// A head is in the injection register in the cycle in which its packet is made, and leaves in the same
/// cycle; a node takes no time and a link its latency l. Over h links it arrives in cycle h l, and each
/// further word a cycle later, since the source supplies one word per cycle: h l + L - 1.
#[test]
fn a_lone_packet_takes_its_links_and_its_length() {
    for entry in PRIORITIES {
        for switching in [Switching::Flit, Switching::Worm] {
            let mut parameters = DeflectionParameters::flit_bless();
            (parameters.priority, parameters.switching) = (entry.priority, switching);
            if parameters.check().is_err() {
                continue;
            }
            for (to, hops) in [(1, 1), (4, 4), (14, 6), (10, 2)] {
                for (words, latency) in [(1, 1), (7, 1), (4, 3)] {
                    let listed = Traffic::Listed(vec![(5, 0, to, words)]);
                    let grid = Grid::mesh(&[5, 3]).unwrap();
                    let mut machine = Machine::new(grid, parameters.clone(), listed);
                    machine.link_latency_cycles = latency;
                    let (_, delivered) = run(&machine);
                    let (_, at, packet) = delivered[0];
                    assert_eq!(at.get(), 5 + hops * latency + u32::from(words) - 1);
                    assert_eq!((u32::from(packet.hops), packet.deroutes), (hops, 0));
                    assert_eq!(packet.latency(at), u64::from(at.get() - 5));
                }
            }
        }
    }
}

/// On a line of three nodes the outer ones send one word each to the middle one in cycle 0. Both arrive in
/// cycle 1; the packet of node 0 is the older, by its number. With one ejection the other turns back: a word
/// at its destination has no productive port, and takes the first of the two, east (port 0), to node 2, from
/// which it came. It is there in cycle 2 and back in cycle 3, with 3 hops, one of them a deroute.
#[test]
fn two_that_arrive_at_once() {
    let grid = Grid::mesh(&[3]).unwrap();
    assert_eq!(grid.port_name(Port(0)), "east");
    let listed = Traffic::Listed(vec![(0, 0, 1, 1), (0, 2, 1, 1)]);
    let mut parameters = DeflectionParameters::flit_bless();
    let machine = Machine::new(grid.clone(), parameters.clone(), listed.clone());
    let (_, delivered) = run(&machine);
    let (_, at, packet) = delivered[0];
    assert_eq!((at, packet.hops, packet.deroutes), (Cycle(1), 1, 0));
    let (_, at, packet) = delivered[1];
    assert_eq!((at, packet.hops, packet.deroutes), (Cycle(3), 3, 1));

    // Two ejections take both.
    parameters.eject_words = 2;
    let machine = Machine::new(grid.clone(), parameters.clone(), listed.clone());
    let (_, delivered) = run(&machine);
    assert!(delivered.iter().all(|(_, at, _)| *at == Cycle(1)));

    // A side buffer keeps it for a cycle.
    parameters.eject_words = 1;
    parameters.side_buffer_flits = 1;
    let (_, delivered) = run(&Machine::new(grid, parameters, listed));
    let (_, at, packet) = delivered[1];
    assert_eq!((at, packet.hops, packet.deroutes), (Cycle(2), 1, 0));
}

/// Where each word of a packet left a node, by the word's index.
fn ways(shown: &Shown, node: u32, packet: PacketId) -> Vec<(u32, u16, u8)> {
    let reported = shown.reported.iter();
    let ways = reported.filter_map(|(cycle, at, what)| match what {
        What::Word(port, id, index) if (at.0, *id) == (node, packet) => {
            Some((cycle.get(), *index, port.0))
        }
        _ => None,
    });
    ways.collect()
}

/// A mesh of 4 x 3 nodes, where words go along x first. D goes from node 0 through nodes 1 and 2 and then
/// south to node 6, with 4 words from cycle 0 on: it leaves in cycles 3 to 6. C goes from node 1 to node 6
/// over the same links, one word, a hop ahead: cycle 2. A goes along the middle row from node 4 to node 7, 6
/// words from cycle 1 on, and passes node 6 while D is ejected there: cycles 4 to 9. B goes from node 5 to
/// node 7, 2 words, a cycle ahead of A: cycles 2 and 3.
#[test]
fn worms_that_do_not_meet_are_not_cut() {
    let listed = vec![(0, 0, 6, 4), (1, 4, 7, 6), (0, 5, 7, 2), (0, 1, 6, 1)];
    let grid = Grid::mesh(&[4, 3]).unwrap();
    let machine = Machine::new(
        grid,
        DeflectionParameters::worm_bless(),
        Traffic::Listed(listed),
    );
    let (shown, delivered) = run(&machine);
    assert!(delivered.iter().all(|(_, _, packet)| packet.deroutes == 0));
    let at: Vec<u32> = delivered.iter().map(|(_, at, _)| at.get()).collect();
    assert_eq!(at, [6, 2, 9, 3]);
    let seen = check(&machine, true, true, &shown.reported);
    assert_eq!(seen.cut, 0);
    // Each word but the first follows at each node that it leaves: D 3 words over 3 links, A 5 over 3, B 1
    // over 2.
    assert_eq!(seen.followed, 9 + 15 + 2);
}

/// A mesh of 4 x 3 nodes; words are counted from 0, and a word that arrives in a cycle leaves in it.
///
/// A, made in cycle 1, goes from node 4 to node 7, along the middle row, with 6 words. Node 5, its first
/// stop, has made two packets in cycle 0: 3 words for node 9, which go south in cycles 0 to 2, and B, 2 words
/// for node 7, which are there in cycles 3 and 4 and are older than A.
///
/// - Cycle 2: A0 leaves node 5 eastwards (port 1), and arrives in cycle 4.
/// - Cycle 3: A1 arrives, and would follow. B0 takes the east link, the only productive one. A1 becomes a
///   head; the first remaining link is west (port 3). B arrives in cycles 5 and 6.
/// - Cycle 4: A2 follows A1 westwards. A1 is in node 4 again and takes the east link before A3, which would
///   follow A2 out of the source: A3 becomes a head, and goes north (port 0), as the mesh ends in the west.
/// - Cycles 5 and 6: A1, then A2 behind it, leave node 5 eastwards, and arrive in cycles 7 and 8. A4 and A5
///   follow A3: through nodes 0, 1, 2 and 3 they arrive in cycles 9, 10 and 11, each with 5 hops.
#[test]
fn an_older_worm_cuts_a_younger_one() {
    let listed = vec![(1, 4, 7, 6), (0, 5, 9, 3), (0, 5, 7, 2)];
    let grid = Grid::mesh(&[4, 3]).unwrap();
    let machine = Machine::new(
        grid,
        DeflectionParameters::worm_bless(),
        Traffic::Listed(listed),
    );
    let (shown, delivered) = run(&machine);
    let at: Vec<u32> = delivered.iter().map(|(_, at, _)| at.get()).collect();
    assert_eq!(at, [11, 3, 6]);
    let (a, _, packet) = delivered[0];
    assert_eq!((packet.hops, packet.deroutes), (5, 1));
    let (b, _, packet) = delivered[2];
    assert_eq!((packet.hops, packet.deroutes), (2, 0));
    assert_eq!(ways(&shown, 5, b), [(3, 0, 1), (4, 1, 1)]);
    let a_in_5 = [(2, 0, 1), (3, 1, 3), (4, 2, 3), (5, 1, 1), (6, 2, 1)];
    assert_eq!(ways(&shown, 5, a), a_in_5);
    let east = [(1, 0, 1), (2, 1, 1), (3, 2, 1), (4, 1, 1), (5, 2, 1)];
    let north = [(4, 3, 0), (5, 4, 0), (6, 5, 0)];
    let mut a_in_4 = ways(&shown, 4, a);
    a_in_4.sort_by_key(|(cycle, _, port)| (std::cmp::Reverse(*port), *cycle));
    assert_eq!(a_in_4, [&east[..], &north[..]].concat());
    let seen = check(&machine, true, true, &shown.reported);
    assert_eq!(seen.cut, 2);
}

/// Flits that arrive while the only link out is taken go into the side buffer, at most one per cycle and at
/// most as many as there is room for, and come back.
#[test]
fn a_side_buffer_fills_up_and_empties() {
    let grid = Grid::mesh(&[4, 4]).unwrap();
    let parameters = DeflectionParameters::minbd(GOLDEN);
    let machine = Machine::new(grid, parameters, Traffic::rounds(16, 20, 3, |_| 5));
    let (shown, delivered) = run(&machine);
    assert_eq!(delivered.len(), 15 * 20);
    let seen = check(&machine, true, true, &shown.reported);
    assert!(seen.aside > 100, "{}", seen.aside);
    assert_eq!(seen.most_aside, 4);
    let out = |what: &What| {
        matches!(
            what,
            What::Event(Event::Moved {
                from: Place::SideBuffer,
                ..
            })
        )
    };
    let out = shown
        .reported
        .iter()
        .filter(|(_, _, what)| out(what))
        .count();
    assert_eq!(out as u64, seen.aside);
}
