//! The Chaos router. In its first reading words take 3 cycles from a decision in cycle t to the next frame: the head
//! moves in cycle t + 2, stands there from t + 3 on and leaves in that cycle, and the other words follow.

use super::{
    CENTRE, EAST, LOCAL, NORTH, SOUTH, Streams, WEST, decisions, doings, explain, held, packet,
    registers, run,
};
use crate::bench::Bench;
use flitwork_node::{BufferState, Place};
use flitwork_router::chaos::{Chaos, ChaosParameters, Delivery, Plane, WordFlow};
use flitwork_topology::Grid;
use flitwork_types::{Cycle, Port, PortSet};

type Node = Bench<Chaos<Grid, Plane<WordFlow>>>;

fn node(change: impl FnOnce(&mut ChaosParameters)) -> Node {
    let mut parameters = ChaosParameters::chinn_1995(4);
    change(&mut parameters);
    parameters.check().unwrap();
    let grid = Grid::mesh(&[3, 3]).unwrap();
    Bench::new(Chaos::new(grid, parameters, 1), CENTRE)
}

fn state(node: &Node, now: u32, place: Place) -> BufferState {
    let view = node.look(Cycle(now));
    view.buffer(place).expect("a frame").state
}

/// The room behind each link.
fn rooms(node: &Node, now: u32) -> Vec<u32> {
    let view = node.look(Cycle(now));
    view.credits.iter().map(|credit| credit.room).collect()
}

/// From the west to the east. Its words arrive in the cycles 0, 1, 2, …; word i moves in cycle 2 + i and leaves in
/// cycle 3 + i. So at the beginning of cycle 5, the words 0 to 4 have come, 0 to 2 have moved, and 0 and 1 have left.
#[test]
fn a_packet_that_cuts_through_stands_in_two_frames() {
    let mut node = node(|_| ());
    let alone = Streams::new(10, &[(WEST, packet(&mut node, 0, 5, 10), 0)]);
    let first = explain(&node, &alone, 0);
    let bypass = "out1 by multiqueue bypass: 0@in3#0!".to_owned();
    assert_eq!(decisions(&first), [bypass]);
    assert_eq!(doings(&first), ["0: in3 -> out1"]);
    assert_eq!(
        registers(&node.look(Cycle(0))),
        ["scan pointer: Port(Port(2))"]
    );
    run(&mut node, &alone, 0..1);
    // South, north, east: the pointer is past the east, and the head moves in cycle 2.
    assert_eq!(
        held(&node.look(Cycle(1))),
        ["in3: 0 from 0, 1 words", "out1: 0 from 0, 0 words"]
    );
    let waits = [
        "scan pointer: Port(Port(3))",
        "words move in after of out1: Cycles(1)",
    ];
    assert_eq!(registers(&node.look(Cycle(1))), waits);
    for now in 1..3 {
        assert_eq!(doings(&explain(&node, &alone, now)), ["0: in3, pipeline"]);
        run(&mut node, &alone, now..now + 1);
    }
    // The head leaves.
    assert_eq!(doings(&explain(&node, &alone, 3)), ["0: out1, pipeline"]);
    assert_eq!(rooms(&node, 3), [1, 1, 1, 1]);
    run(&mut node, &alone, 3..4);
    assert_eq!(rooms(&node, 4), [1, 0, 1, 1]);
    // Its other words are no packet's head.
    assert!(explain(&node, &alone, 4).packets.is_empty());
    run(&mut node, &alone, 4..5);
    assert_eq!(
        held(&node.look(Cycle(5))),
        ["in3: 0 from 3, 2 words", "out1: 0 from 2, 1 words"]
    );
    // The last word, 9, moves in cycle 11 and leaves in cycle 12; the credit waits a cycle more than that word's move.
    run(&mut node, &alone, 5..12);
    assert_eq!(held(&node.look(Cycle(12))), ["out1: 0 from 9, 1 words"]);
    assert_eq!(state(&node, 12, Place::Input(WEST)), BufferState::Reopening);
    let owes = "credit leaves after of in3: Cycles(0)";
    assert_eq!(registers(&node.look(Cycle(12)))[1..], [owes]);
    run(&mut node, &alone, 12..13);
    assert_eq!(state(&node, 13, Place::Input(WEST)), BufferState::Usual);
    assert_eq!(held(&node.look(Cycle(13))).len(), 0);
}

/// Cycle 0: packet 0 goes north and packet 1 east. South is no packet's, and north comes before east in the scan: ranks
/// 1 and 2 from the pointer on. Cycle 1: the pointer is at the east, where packet 1 has waited longer than packet 2.
/// Cycle 2: packet 2's only output holds packet 1, and its paired one, north, packet 0. Packet 3 came from the south:
/// its paired output is open, and it will have stalled in cycle 2 + 7.
#[test]
fn one_decision_a_cycle_has_losers() {
    let mut node = node(|_| ());
    let mut packet = |serial, destination| packet(&mut node, serial, destination, 10);
    let streams = [
        (SOUTH, packet(0, 1), 0),
        (WEST, packet(1, 5), 0),
        (NORTH, packet(2, 5), 1),
    ];
    let fourth = packet(3, 5);
    let mut streams = Streams::new(10, &streams);
    let told = explain(&node, &streams, 0);
    let scan = "out0 by scan: 0@in2#1! 1@in3#2".to_owned();
    let bypass = "out0 by multiqueue bypass: 0@in2#0!".to_owned();
    assert_eq!(decisions(&told), [scan, bypass]);
    assert_eq!(
        doings(&told),
        ["0: in2 -> out0", "1: in3, lost decision (0)"]
    );
    run(&mut node, &streams, 0..1);
    let told = explain(&node, &streams, 1);
    let bypass = "out1 by multiqueue bypass: 1@in3#0! 2@in0#1".to_owned();
    assert_eq!(decisions(&told), [bypass]);
    let all = [
        "2: in0, lost decision (1)",
        "0: in2, pipeline",
        "1: in3 -> out1",
    ];
    assert_eq!(doings(&told), all);
    run(&mut node, &streams, 1..2);
    // Its port is free again in this test.
    streams.streams.push((EAST, fourth, 2));
    let told = explain(&node, &streams, 2);
    assert!(told.decisions.is_empty());
    let all = [
        "2: in0, output taken (1)",
        "3: in1, output taken (1)",
        "0: in2, pipeline",
        "1: in3, pipeline",
    ];
    assert_eq!(doings(&told), all);
}

/// Packets 2, 0 and 1 are given the south, the north and the east in the cycles 0, 1 and 2, in the order of the scan; in each
/// of these cycles the output's paired input has no packet, or one that has gone. Packet 3 comes from the north in cycle 3
/// and wants the east or the south: two packets are in its way, so neither alone is to blame. Once it has stalled, in cycle
/// 3 + 7, it could go into the multiqueue but for packet 0 in its paired output: the words of packet 0 leave in the cycles
/// 4 to 13. Those of packet 2 leave up to cycle 12, and packet 3 follows.
#[test]
fn a_paired_output_is_to_blame_once_a_packet_has_stalled() {
    let mut node = node(|_| ());
    let mut packet = |serial, to| packet(&mut node, serial, to, 10);
    let streams = [
        (SOUTH, packet(0, 1), 1),
        (WEST, packet(1, 5), 0),
        (EAST, packet(2, 7), 0),
        (NORTH, packet(3, 8), 3),
    ];
    let streams = Streams::new(10, &streams);
    for (now, moves) in [
        (0, "2: in1 -> out2"),
        (1, "0: in2 -> out0"),
        (2, "1: in3 -> out1"),
    ] {
        let told = explain(&node, &streams, now);
        assert!(doings(&told).contains(&moves.to_owned()), "{told:?}");
        run(&mut node, &streams, now..now + 1);
    }
    for now in 3..13 {
        let told = explain(&node, &streams, now);
        let stays = match now < 3 + 7 {
            true => "3: in0, output taken",
            false => "3: in0, output taken (0)",
        };
        assert_eq!(doings(&told)[0], stays, "cycle {now}");
        assert!(told.decisions.is_empty());
        run(&mut node, &streams, now..now + 1);
    }
    assert_eq!(doings(&explain(&node, &streams, 13))[0], "3: in0 -> out2");
}

/// Packet 0 goes east, packet 1 wants to, too; its paired output, north, is open: it stalls at 1 + 7, and is in the
/// multiqueue then. Nothing goes east without a credit, so packet 0 and packet 1 stay there.
#[test]
fn a_packet_stalls_into_the_multiqueue() {
    let mut node = node(|_| ());
    let mut packet = |serial| packet(&mut node, serial, 5, 10);
    let streams = Streams::new(10, &[(WEST, packet(0), 0), (NORTH, packet(1), 1)]);
    run(&mut node, &streams, 0..2);
    for now in 2..8 {
        let told = explain(&node, &streams, now);
        assert_eq!(doings(&told)[0], "1: in0, stall rule (0)");
        assert!(told.decisions.is_empty());
        let ready = format!("head ready for of in0: Cycles({})", now - 1);
        assert!(registers(&node.look(Cycle(now))).contains(&ready));
        run(&mut node, &streams, now..now + 1);
    }
    let told = explain(&node, &streams, 8);
    assert_eq!(decisions(&told), ["queue by stalled: 1@in0#0!"]);
    assert_eq!(doings(&told), ["1: in0 -> queue"]);
    run(&mut node, &streams, 8..9);
    let view = node.look(Cycle(9));
    assert!(registers(&view).contains(&"head ready of queue: Flag(false)".into()));
    assert!(held(&view).contains(&"queue: 1 from 0, 0 words".into()));
    run(&mut node, &streams, 9..11);
    // Packet 0's head has left in cycle 3, and its last word does in cycle 12.
    assert_eq!(
        doings(&explain(&node, &streams, 11)),
        ["1: queue, output taken (0)"]
    );
    run(&mut node, &streams, 11..13);
    let told = explain(&node, &streams, 13);
    assert_eq!(
        decisions(&told),
        ["out1 by multiqueue first, oldest first: 1@queue#0!"]
    );
    assert_eq!(doings(&told), ["1: queue -> out1"]);
    // From then on it waits for the neighbour to free its input frame, for a turn, and for nothing.
    run(&mut node, &streams, 13..30);
    let all = [
        "in0: 1 from 10, 0 words",
        "queue: 1 from 10, 0 words",
        "out1: 1 from 0, 10 words",
    ];
    assert_eq!(held(&node.look(Cycle(30))), all[2..]);
    assert_eq!(
        doings(&explain(&node, &streams, 30)),
        ["1: out1, no credit"]
    );
    node.sendable = PortSet::only(WEST);
    let with_credit = |node: &Node| doings(&node.explain(Cycle(30), &[], &[(EAST, 0)]));
    assert_eq!(with_credit(&node), ["1: out1, clock crossing"]);
    node.sendable = PortSet::only(EAST);
    assert_eq!(with_credit(&node), ["1: out1, pipeline"]);
}

/// Two packets at their destination: the one from the north goes first, for they tie. The other stalls behind its open
/// output in cycle 7, and is in the multiqueue before the delivery frame is empty.
#[test]
fn packets_wait_to_be_delivered() {
    let mut node = node(|_| ());
    let mut packet = |serial| packet(&mut node, serial, CENTRE.0, 10);
    let streams = Streams::new(10, &[(WEST, packet(0), 0), (NORTH, packet(1), 0)]);
    let told = explain(&node, &streams, 0);
    let bypass = "out4 by multiqueue bypass: 1@in0#0! 0@in3#0".to_owned();
    assert_eq!(decisions(&told), [bypass]);
    assert_eq!(
        doings(&told),
        ["1: in0 -> out4", "0: in3, lost decision (1)"]
    );
    run(&mut node, &streams, 0..1);
    let all = ["1: in0, pipeline", "0: in3, ejection (1)"];
    assert_eq!(doings(&explain(&node, &streams, 1)), all);
    run(&mut node, &streams, 1..7);
    assert_eq!(
        decisions(&explain(&node, &streams, 7)),
        ["queue by stalled: 0@in3#0!"]
    );
    // Words 0 to 9 of packet 1 leave in the cycles 3 to 12: in the last of them it is still in the way.
    run(&mut node, &streams, 7..12);
    assert_eq!(
        doings(&explain(&node, &streams, 12)),
        ["0: queue, ejection (1)"]
    );
    run(&mut node, &streams, 12..13);
    assert_eq!(doings(&explain(&node, &streams, 13)), ["0: queue -> out4"]);
    assert!(rooms(&node, 13).iter().all(|room| *room == 1));
}

/// An output frame that opens late is shut without a packet in it: nobody is to blame.
#[test]
fn an_output_opens_late() {
    let mut node = node(|it| it.output_reopen_cycles = 4);
    let mut packet = |serial| packet(&mut node, serial, CENTRE.0, 10);
    let streams = Streams::new(10, &[(WEST, packet(0), 0), (NORTH, packet(1), 0)]);
    // Its last word leaves in cycle 12, so the frame opens in cycle 17.
    run(&mut node, &streams, 0..13);
    assert_eq!(
        state(&node, 13, Place::Output(LOCAL)),
        BufferState::Reopening
    );
    let opens = "opens after of out4: Cycles(4)".to_owned();
    assert!(registers(&node.look(Cycle(13))).contains(&opens));
    assert_eq!(
        doings(&explain(&node, &streams, 13)),
        ["0: queue, ejection"]
    );
    run(&mut node, &streams, 13..17);
    assert_eq!(state(&node, 17, Place::Output(LOCAL)), BufferState::Usual);
    assert_eq!(doings(&explain(&node, &streams, 17)), ["0: queue -> out4"]);
}

/// A multiqueue of one frame, which minimal Chaos leaves full: packet 1 has stalled into it as above, in cycle 8, behind
/// packet 0. Nothing leaves an input frame then, whatever it wants.
#[test]
fn a_full_multiqueue_keeps_all_back() {
    let full = |derouting| {
        let mut node = node(|it| (it.multiqueue_frames, it.derouting) = (1, derouting));
        let mut packet = |serial, to| packet(&mut node, serial, to, 10);
        let streams = [
            (WEST, packet(0, 5), 0),
            (NORTH, packet(1, 5), 1),
            // To the north, which is open; and to the east, which isn't.
            (SOUTH, packet(2, 1), 9),
            (EAST, packet(3, 5), 9),
        ];
        let streams = Streams::new(10, &streams);
        run(&mut node, &streams, 0..9);
        (node, streams)
    };
    let (node, streams) = full(false);
    let told = explain(&node, &streams, 9);
    assert!(told.decisions.is_empty());
    let all = [
        "1: in0, pipeline",
        "3: in1, multiqueue full",
        "2: in2, multiqueue full (1)",
    ];
    assert_eq!(doings(&told), all);
    // With derouting it goes to the first open output once it is ready. The pointer is at the east, which packet 0 still
    // leaves; next comes the west, whose paired input frame is packet 0's, and has no other yet.
    let (mut node, streams) = full(true);
    run(&mut node, &streams, 9..11);
    let told = explain(&node, &streams, 11);
    let pointer = node.look(Cycle(11)).registers[0].value;
    assert_eq!(pointer, flitwork_node::Value::Port(EAST));
    assert_eq!(
        decisions(&told)[1..],
        ["out3 by deroute: 1~@queue#0!, 1 of 1"]
    );
    let all = [
        "3: in1, multiqueue full",
        "2: in2, multiqueue full (1)",
        "1: queue -> out3, derouted",
    ];
    assert_eq!(doings(&told), all);
}

/// Without cut-through a packet waits in each frame for its last word.
#[test]
fn words_are_waited_for() {
    let mut node = node(|it| it.cut_through = false);
    let alone = Streams::new(10, &[(WEST, packet(&mut node, 0, 5, 10), 0)]);
    for now in 0..9 {
        assert_eq!(
            doings(&explain(&node, &alone, now)),
            ["0: in3, words behind the head"]
        );
        run(&mut node, &alone, now..now + 1);
    }
    // Decided on with its last word in cycle 9: word i moves in cycle 11 + i.
    assert_eq!(doings(&explain(&node, &alone, 9)), ["0: in3 -> out1"]);
    run(&mut node, &alone, 9..12);
    for now in 12..21 {
        assert_eq!(
            doings(&explain(&node, &alone, now)),
            ["0: out1, words behind the head"]
        );
        run(&mut node, &alone, now..now + 1);
    }
    assert_eq!(doings(&explain(&node, &alone, 21)), ["0: out1, pipeline"]);
}

/// A packet that vanishes is nowhere, from its head on; its frame takes the next one once its last word has come.
#[test]
fn a_packet_vanishes() {
    let mut node = node(|it| it.delivery = Delivery::Vanish);
    let alone = Streams::new(10, &[(WEST, packet(&mut node, 0, CENTRE.0, 10), 0)]);
    let place = Place::Input(WEST);
    assert_eq!(state(&node, 0, place), BufferState::Usual);
    for now in 0..12 {
        assert_eq!(explain(&node, &alone, now).packets.len(), 0);
        run(&mut node, &alone, now..now + 1);
        assert_eq!(held(&node.look(Cycle(now + 1))).len(), 0);
        assert_eq!(state(&node, now + 1, place), BufferState::Reopening);
    }
    // The credit leaves 12 cycles after the head has come, as if that had been decided on.
    run(&mut node, &alone, 12..13);
    assert_eq!(state(&node, 13, place), BufferState::Usual);
}

/// A corner has two links.
#[test]
fn missing_links_are_shown() {
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let router = Chaos::<_, Plane<WordFlow>>::new(grid, ChaosParameters::chinn_1995(4), 1);
    let view = Bench::new(router, flitwork_types::NodeId(0)).look(Cycle(0));
    let missing = |place: fn(Port) -> Place| {
        let ports = (0..5).map(Port);
        let missing = ports.filter(|port| {
            let buffer = view.buffer(place(*port)).expect("a frame for each port");
            buffer.state == BufferState::Missing
        });
        missing.collect::<Vec<_>>()
    };
    assert_eq!(missing(Place::Input), [NORTH, WEST]);
    assert_eq!(missing(Place::Output), [NORTH, WEST]);
    let credits: Vec<Port> = view.credits.iter().map(|credit| credit.port).collect();
    assert_eq!(credits, [EAST, SOUTH]);
}
