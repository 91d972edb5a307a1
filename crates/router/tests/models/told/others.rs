//! Deflection, GreedyHP and schedules: what comes over a link leaves in the same cycle.

use super::{
    CENTRE, EAST, LOCAL, NORTH, SOUTH, Streams, WEST, decisions, doings, explain, held, packet,
    registers, run,
};
use crate::bench::Bench;
use flitwork_router::deflection::{Deflection, DeflectionParameters, PortChoice, Priority};
use flitwork_router::greedy_hp::{Assignment, GreedyHp};
use flitwork_router::scheduled::{Hop, Route, Schedule, Scheduled};
use flitwork_topology::Grid;
use flitwork_types::{Cycle, Flit, NodeId, PacketRef, Port, TerminalId, Word};

fn grid() -> Grid {
    Grid::mesh(&[3, 3]).unwrap()
}

fn deflection(change: impl FnOnce(&mut DeflectionParameters)) -> Bench<Deflection<Grid>> {
    let mut parameters = DeflectionParameters::flit_bless();
    change(&mut parameters);
    parameters.check().unwrap();
    Bench::new(Deflection::new(grid(), parameters, 1), CENTRE)
}

/// Words that each are a packet's only one, or one of several that go their own ways.
fn flits(arrivals: &[(Port, PacketRef, u16)]) -> Vec<(Port, Word)> {
    let word = |packet, index| Word {
        packet,
        index,
        channel: 0,
        flit: Flit::Only,
    };
    let arrivals = arrivals.iter();
    arrivals
        .map(|(port, packet, index)| (*port, word(*packet, *index)))
        .collect()
}

/// Three packets want to go east, made in the same cycle, so that the lower numbers go first. Of the links that are
/// left the order prefers west, then north, then south. With two words at home one of them is deflected.
#[test]
fn the_first_get_what_they_want() {
    let mut node = deflection(|_| ());
    let mut own = |serial, to| packet(&mut node, serial, to, 1);
    let all = flits(&[
        (NORTH, own(2, 5), 0),
        (EAST, own(0, 5), 0),
        (SOUTH, own(1, 5), 0),
    ]);
    let told = node.explain(Cycle(0), &all, &[]);
    let by_rank = [
        "out1 by a productive link: 0@in1#0! 1@in2#1 2@in0#2",
        "out3 by any link: 1~@in2#1!",
        "out0 by any link: 2~@in0#2!",
    ];
    assert_eq!(decisions(&told), by_rank);
    let moves = [
        "2: in0 -> out0, derouted",
        "0: in1 -> out1",
        "1: in2 -> out3, derouted",
    ];
    assert_eq!(doings(&told), moves);
    let mut own = |serial, to| packet(&mut node, serial, to, 1);
    let home = flits(&[(NORTH, own(4, CENTRE.0), 0), (WEST, own(3, CENTRE.0), 0)]);
    let told = node.explain(Cycle(0), &home, &[]);
    let ejected = [
        "ejection by ejection: 3@in3#0! 4@in0#1",
        "out1 by any link: 4~@in0#0!",
    ];
    assert_eq!(decisions(&told), ejected);
    assert_eq!(
        doings(&told),
        ["4: in0 -> out1, derouted", "3: in3 -> out4"]
    );
}

/// All four links are taken by words that pass, so nothing enters; with one less it does, last by its rank.
#[test]
fn words_enter_where_a_link_is_left() {
    let mut node = deflection(|_| ());
    let source = packet(&mut node, 9, 5, 3);
    let stream = Streams::new(3, &[(LOCAL, source, 0)]);
    let others: Vec<PacketRef> = (0..4).map(|it| packet(&mut node, it, 5, 1)).collect();
    let passing = [NORTH, EAST, SOUTH, WEST].map(|port| (port, others[port.index()], 0));
    for now in 0..2 {
        let all = [flits(&passing), stream.at(now)].concat();
        let told = node.explain(Cycle(now), &all, &[]);
        assert_eq!(decisions(&told)[0], "injection by a link is left: 9@in4#0");
        assert_eq!(doings(&told)[4], "9: in4, output taken");
        // The record of a packet goes with its word; the next cycle needs others.
        node.step_as_explained(Cycle(now), &all, &[]);
    }
    assert_eq!(held(&node.look(Cycle(2))), ["in4: 9 from 0, 2 words"]);
    let all = [flits(&passing[..3]), stream.at(2)].concat();
    let told = node.explain(Cycle(2), &all, &[]);
    assert_eq!(decisions(&told)[0], "injection by a link is left: 9@in4#0!");
    assert_eq!(doings(&told)[3], "9: in4 -> out2, derouted");
    node.step_as_explained(Cycle(2), &all, &[]);
    assert_eq!(held(&node.look(Cycle(3))), ["in4: 9 from 1, 2 words"]);
    // One link only, and one packet that takes it.
    let line = Grid::mesh(&[3]).unwrap();
    let parameters = DeflectionParameters::flit_bless();
    let mut end = Bench::new(Deflection::new(line, parameters, 1), NodeId(0));
    let passes = packet(&mut end, 0, 1, 1);
    let own = packet(&mut end, 1, 2, 1);
    let all = [
        flits(&[(Port(0), passes, 0)]),
        vec![(Port(2), Word::of(own, 0, 1))],
    ]
    .concat();
    let told = end.explain(Cycle(0), &all, &[]);
    assert_eq!(
        doings(&told),
        ["0: in0 -> out0", "1: in2, output taken (0)"]
    );
}

/// The first of three words has entered, and the second is late: until it comes, nothing of the packet is there to wait.
#[test]
fn a_late_word_does_not_wait() {
    let mut node = deflection(|_| ());
    let source = packet(&mut node, 9, 5, 3);
    let stream = Streams::new(3, &[(LOCAL, source, 0)]);
    node.step_as_explained(Cycle(0), &stream.at(0), &[]);
    assert_eq!(held(&node.look(Cycle(1))), ["in4: 9 from 1, 0 words"]);
    assert!(node.explain(Cycle(1), &[], &[]).packets.is_empty());
    node.step_as_explained(Cycle(1), &[], &[]);
    let goes = ["9: in4 -> out1"];
    assert_eq!(doings(&node.explain(Cycle(2), &stream.at(1), &[])), goes);
}

/// The words of a packet of two come together at home; the first waits for the second, in any order.
#[test]
fn words_come_together() {
    let mut node = deflection(|it| it.eject_words = 2);
    let mut own = |serial| packet(&mut node, serial, CENTRE.0, 2);
    let words = [own(0), own(0), own(1)];
    let first = flits(&[(EAST, words[1], 1), (WEST, words[2], 0)]);
    assert_eq!(
        doings(&node.explain(Cycle(0), &first, &[])),
        ["0: in1 -> out4", "1: in3 -> out4"]
    );
    node.step_as_explained(Cycle(0), &first, &[]);
    let held_then = ["assembly: 0 from 0, 1 words", "assembly: 1 from 0, 1 words"];
    assert_eq!(held(&node.look(Cycle(1))), held_then);
    let behind = [
        "0: assembly, words behind the head",
        "1: assembly, words behind the head",
    ];
    assert_eq!(doings(&node.explain(Cycle(1), &[], &[])), behind);
    let second = flits(&[(NORTH, words[0], 0)]);
    let last = ["0: in0 -> out4", behind[1]];
    assert_eq!(doings(&node.explain(Cycle(1), &second, &[])), last);
    node.step_as_explained(Cycle(1), &second, &[]);
    assert_eq!(held(&node.look(Cycle(2))), held_then[1..]);
}

/// A side buffer of two flits; all packets want to go east. The first that is deflected is put aside, unless a flit has
/// just traded places. While four words pass, the first flit aside finds no link; after one such cycle
/// (`redirection_cycles`) the last of the words that came makes room for it.
#[test]
fn flits_wait_aside() {
    let mut node = deflection(|it| (it.side_buffer_flits, it.redirection_cycles) = (2, 1));
    let (mut serial, mut now) = (0, 0);
    let mut pass = |node: &mut Bench<Deflection<Grid>>, ports: &[Port]| {
        let words: Vec<_> = ports
            .iter()
            .map(|port| {
                serial += 1;
                (*port, packet(node, serial - 1, 5, 1), 0)
            })
            .collect();
        let words = flits(&words);
        let told = node.explain(Cycle(now), &words, &[]);
        node.step_as_explained(Cycle(now), &words, &[]);
        now += 1;
        told
    };
    let told = pass(&mut node, &[NORTH, WEST]);
    let aside = "side by side buffer: 1@in3#0!";
    assert_eq!(decisions(&told)[2], aside);
    assert_eq!(doings(&told), ["0: in0 -> out1", "1: in3 -> side"]);
    assert_eq!(held(&node.look(Cycle(1))), ["side: 1 from 0, 1 words"]);
    // Packets 2 to 5 take all links, and 3, the first of the deflected, is put aside behind packet 1.
    let told = pass(&mut node, &[NORTH, EAST, SOUTH, WEST]);
    assert_eq!(decisions(&told)[0], "injection by reinjection: 1@side#0");
    let all = [
        "2: in0 -> out1",
        "3: in1 -> side",
        "4: in2 -> out0, derouted",
        "5: in3 -> out2, derouted",
        "1: side, output taken",
    ];
    assert_eq!(doings(&told), all);
    let refused = registers(&node.look(Cycle(2)));
    assert_eq!(refused, ["found no link for of side: Cycles(1)"]);
    // The last of 6 to 9 makes room for 1, which is before all of them.
    let told = pass(&mut node, &[NORTH, EAST, SOUTH, WEST]);
    let trade = [
        "side by redirection: 9@in3#0! 8@in2#1 7@in1#2 6@in0#3",
        "injection by reinjection: 1@side#0!",
        "out1 by a productive link: 1@side#0! 6@in0#1 7@in1#2 8@in2#3",
    ];
    assert_eq!(decisions(&told)[..3], trade);
    let all = [
        "6: in0 -> out3, derouted",
        "7: in1 -> out0, derouted",
        "8: in2 -> out2, derouted",
        "9: in3 -> side",
        "1: side -> out1",
        "3: side, behind another worm (1)",
    ];
    assert_eq!(doings(&told), all);
    assert_eq!(
        held(&node.look(Cycle(3))),
        ["side: 3 from 0, 1 words", "side: 9 from 0, 1 words"]
    );
}

/// A worm holds its link until a word of higher priority takes it: packet 5's second word finds its link taken by
/// packet 0, and becomes a head.
#[test]
fn worms_are_followed_and_cut() {
    let worms = DeflectionParameters::worm_bless();
    let mut node = Bench::new(Deflection::new(grid(), worms, 1), CENTRE);
    let worm: Vec<PacketRef> = (0..3).map(|_| packet(&mut node, 5, 5, 3)).collect();
    let first = flits(&[(WEST, worm[0], 0)]);
    let link = "out1 by a productive link: 5@in3#0!";
    assert_eq!(decisions(&node.explain(Cycle(0), &first, &[])), [link]);
    node.step_as_explained(Cycle(0), &first, &[]);
    let lane = |next: u32| {
        let worm = "PacketId { source: TerminalId(0), serial: 5 }";
        [
            format!("worm of in3: Packet({worm})"),
            format!("next word of in3: Number({next})"),
            "goes to of in3: Port(Port(1))".into(),
        ]
    };
    assert_eq!(registers(&node.look(Cycle(1))), lane(1));
    let second = flits(&[(WEST, worm[1], 1)]);
    let follows = "out1 by the link of its worm: 5@in3#0!";
    assert_eq!(decisions(&node.explain(Cycle(1), &second, &[])), [follows]);
    node.step_as_explained(Cycle(1), &second, &[]);
    let other = packet(&mut node, 0, 5, 3);
    let third = flits(&[(NORTH, other, 0), (WEST, worm[2], 2)]);
    let cut = [
        "out1 by a worm's productive link: 0@in0#0! 5@in3#1",
        "out3 by any link: 5~@in3#1!",
    ];
    assert_eq!(decisions(&node.explain(Cycle(2), &third, &[])), cut);
}

/// A worm may hold a link that isn't productive for it: packet 0 goes east, so packet 5, which wants to go there, too, is
/// deflected to the west. Packet 1 then takes that link from it. The worm's second word, which would have followed the first,
/// is a candidate for it, and goes east.
#[test]
fn deflected_worms_are_cut() {
    let worms = DeflectionParameters::worm_bless();
    let mut node = Bench::new(Deflection::new(grid(), worms, 1), CENTRE);
    let [east, west] = [(0, 5), (1, 3)].map(|(serial, to)| packet(&mut node, serial, to, 1));
    let worm: Vec<PacketRef> = (0..2).map(|_| packet(&mut node, 5, 5, 2)).collect();
    let first = flits(&[(NORTH, east, 0), (WEST, worm[0], 0)]);
    let deflected = [
        "out1 by a productive link: 0@in0#0! 5@in3#1",
        "out3 by any link: 5~@in3#1!",
    ];
    assert_eq!(decisions(&node.explain(Cycle(0), &first, &[])), deflected);
    node.step_as_explained(Cycle(0), &first, &[]);
    let second = flits(&[(SOUTH, west, 0), (WEST, worm[1], 1)]);
    let cut = [
        "out3 by a worm's productive link: 1@in2#0! 5~@in3#1",
        "out1 by a productive link: 5@in3#1!",
    ];
    assert_eq!(decisions(&node.explain(Cycle(1), &second, &[])), cut);
}

/// Among equally good links one is drawn: north or east, and among those left over any.
#[test]
fn draws_are_shown() {
    let mut node = deflection(|it| {
        (it.port_choice, it.priority) = (PortChoice::Random, Priority::OldestFirst);
    });
    let to = packet(&mut node, 0, 2, 1);
    for now in 0..10 {
        let told = node.explain(Cycle(now), &flits(&[(WEST, to, 0)]), &[]);
        let lines = decisions(&told);
        let drawn = " by a productive link: 0@in3#0!, 1 of 2";
        let ways = ["out0", "out1"].map(|out| format!("{out}{drawn}"));
        assert!(lines.len() == 1 && ways.contains(&lines[0]), "{lines:?}");
    }
}

/// GreedyHP: the packet for the centre is delivered as it comes, and nothing is said of it. Both others want to go east:
/// one is drawn, and the other takes one of three links at random.
#[test]
fn hot_potatoes_are_drawn() {
    let mut node = Bench::new(GreedyHp::new(grid(), 1), CENTRE);
    let mut own = |serial, to| packet(&mut node, serial, to, 1);
    let all = flits(&[
        (NORTH, own(0, 5), 0),
        (EAST, own(1, CENTRE.0), 0),
        (WEST, own(2, 5), 0),
    ]);
    let mut winners = Vec::new();
    for now in 0..20 {
        let told = node.explain(Cycle(now), &all, &[]);
        let lines = decisions(&told);
        let wins =
            |first, second| format!("out1 by greedy: 0@in0#0{first} 2@in3#0{second}, 1 of 2");
        let winner = u32::from(lines[0] == wins("", "!")) * 2;
        assert!(
            [wins("!", ""), wins("", "!")].contains(&lines[0]),
            "{lines:?}"
        );
        let left = if winner == 0 {
            "2~@in3#0!"
        } else {
            "0~@in0#0!"
        };
        assert!(
            lines[1].ends_with(&format!(" by left over: {left}, 1 of 3")),
            "{lines:?}"
        );
        assert_eq!(told.packets.len(), 2);
        winners.push(winner);
    }
    assert!(winners.contains(&0) && winners.contains(&2));
}

/// As many hot potatoes advance as can: packet 0 could go east or south and packet 1 only east, so they take both links in
/// the only way that there is. Packet 2 wants east, too, and then two of the three can advance, in two ways.
#[test]
fn as_many_hot_potatoes_advance_as_can() {
    let router = GreedyHp::new(grid(), 1).assigning(Assignment::Matching);
    let mut node = Bench::new(router, CENTRE);
    let [both, east, too] =
        [(0, 8), (1, 5), (2, 5)].map(|(serial, to)| packet(&mut node, serial, to, 1));
    let two = flits(&[(NORTH, both, 0), (WEST, east, 0)]);
    let told = node.explain(Cycle(0), &two, &[]);
    let lines = [
        "out1 by matching: 0@in0#0 1@in3#0!",
        "out2 by matching: 0@in0#0!",
    ];
    assert_eq!(decisions(&told), lines);
    let three = flits(&[(NORTH, both, 0), (WEST, east, 0), (SOUTH, too, 0)]);
    let mut ways = [0; 2];
    for now in 0..40 {
        let told = node.explain(Cycle(now), &three, &[]);
        let lines = decisions(&told);
        assert_eq!(lines[1], "out2 by matching: 0@in0#0!, 1 of 2");
        let east = ["0@in0#0 2@in2#0! 1@in3#0", "0@in0#0 2@in2#0 1@in3#0!"];
        let east = east.map(|candidates| format!("out1 by matching: {candidates}, 1 of 2"));
        let way = east.iter().position(|line| *line == lines[0]).unwrap();
        assert!(lines[2].contains(" by left over: "), "{lines:?}");
        ways[way] += 1;
    }
    assert!(ways[0] > 8 && ways[1] > 8, "{ways:?}");
}

/// The middle of a mesh of 3 x 3 x 3 nodes has six links, the most whose matchings are counted, with one drawn of all
/// (docs/src/routers/greedy-hp.md). Packet 0 could go to +x or +y, packet 1 to +y or +z, by ports 1, 2 and 5: both advance
/// in three of these four ways, as only one can go to +y.
#[test]
fn six_links_have_their_matchings_counted() {
    let cube = Grid::mesh(&[3, 3, 3]).unwrap();
    let middle = cube.node_at(&[1, 1, 1]);
    let ends = [[2, 2, 1], [1, 2, 2]].map(|end| cube.node_at(&end).0);
    let router = GreedyHp::new(cube, 1).assigning(Assignment::Matching);
    let mut node = Bench::new(router, middle);
    let [one, other] =
        [(0, ends[0]), (1, ends[1])].map(|(serial, to)| packet(&mut node, serial, to, 1));
    let two = flits(&[(NORTH, one, 0), (WEST, other, 0)]);
    let ways = [
        [
            "out1 by matching: 0@in0#0!",
            "out2 by matching: 0@in0#0 1@in3#0!",
        ],
        ["out1 by matching: 0@in0#0!", "out5 by matching: 1@in3#0!"],
        [
            "out2 by matching: 0@in0#0! 1@in3#0",
            "out5 by matching: 1@in3#0!",
        ],
    ];
    let ways = ways.map(|lines| lines.map(|line| format!("{line}, 1 of 3")));
    let mut times = [0; 3];
    for now in 0..90 {
        let lines = decisions(&node.explain(Cycle(now), &two, &[]));
        let way = ways.iter().position(|way| *way == lines[..]);
        times[way.unwrap_or_else(|| panic!("{lines:?}"))] += 1;
    }
    assert!(times.iter().all(|times| *times > 12), "{times:?}");
}

/// The injection register of GreedyHP at the end of a line, whose only link packet 0 takes; then it is left.
#[test]
fn a_hot_potato_waits_at_its_source() {
    let line = Grid::mesh(&[3]).unwrap();
    let mut end = Bench::new(GreedyHp::new(line, 1), NodeId(0));
    let (passes, own) = (packet(&mut end, 0, 1, 1), packet(&mut end, 1, 2, 1));
    let source = Port(2);
    let all = flits(&[(Port(0), passes, 0), (source, own, 0)]);
    let told = end.explain(Cycle(0), &all, &[]);
    assert_eq!(decisions(&told)[0], "injection by a link is left: 1@in2#0");
    assert_eq!(
        doings(&told),
        ["0: in0 -> out0", "1: in2, output taken (0)"]
    );
    end.step_as_explained(Cycle(0), &all, &[]);
    assert_eq!(held(&end.look(Cycle(1))), ["in2: 1 from 0, 1 words"]);
    let told = end.explain(Cycle(1), &[], &[]);
    assert_eq!(doings(&told), ["1: in2 -> out0"]);
    end.step_as_explained(Cycle(1), &[], &[]);
    assert_eq!(held(&end.look(Cycle(2))).len(), 0);
}

fn route(source: u32, start: u32, path: &[Port]) -> Route {
    Route {
        source: NodeId(source),
        words: 3,
        start: Cycle(start),
        path: path.iter().copied().map(Hop::from).collect(),
    }
}

/// A worm of 3 words starts in cycle 4; another, from the west, goes on north in cycle 5; a third, from the south, ends
/// here.
#[test]
fn worms_keep_to_their_schedule() {
    let routes = vec![
        route(4, 4, &[EAST]),
        route(3, 4, &[EAST, NORTH]),
        route(7, 4, &[NORTH]),
    ];
    let schedule = Schedule::new(&grid(), 1, 0, routes).unwrap();
    let mut node = Bench::new(Scheduled::new(grid(), schedule), CENTRE);
    let mut own = |source, destination, hops| {
        let packet = packet(&mut node, 0, destination, 3);
        node.packets[packet].id.source = TerminalId(source);
        node.packets[packet].hops = hops;
        packet
    };
    let (starts, passes, ends) = (own(4, 5, 0), own(3, 1, 1), own(7, 4, 1));
    let streams = Streams::new(
        3,
        &[(LOCAL, starts, 0), (WEST, passes, 5), (SOUTH, ends, 5)],
    );
    for now in 0..4 {
        assert_eq!(
            doings(&explain(&node, &streams, now)),
            ["0: in4, source queue"]
        );
        run(&mut node, &streams, now..now + 1);
    }
    assert_eq!(held(&node.look(Cycle(4))), ["in4: 0 from 0, 3 words"]);
    let waits = [
        "leaves by of in4: Port(Port(1))",
        "starts after of in4: Cycles(0)",
    ];
    assert_eq!(registers(&node.look(Cycle(4))), waits);
    assert_eq!(doings(&explain(&node, &streams, 4)), ["0: in4 -> out1"]);
    run(&mut node, &streams, 4..5);
    assert_eq!(held(&node.look(Cycle(5))), ["in4: 0 from 1, 2 words"]);
    assert_eq!(
        doings(&explain(&node, &streams, 5)),
        ["0: in2 -> out4", "0: in3 -> out0"]
    );
    run(&mut node, &streams, 5..7);
    assert_eq!(held(&node.look(Cycle(7))), ["assembly: 0 from 0, 2 words"]);
    let worms = registers(&node.look(Cycle(7)));
    let goes = [
        "goes to of in2: Place(Output(Port(4)))",
        "goes to of in3: Place(Output(Port(0)))",
    ];
    assert_eq!([&*worms[1], &*worms[3]], goes);
    let behind = "0: assembly, words behind the head";
    assert_eq!(doings(&node.explain(Cycle(7), &[], &[])), [behind]);
    // The last words come: nothing is left.
    assert!(explain(&node, &streams, 7).packets.is_empty());
    run(&mut node, &streams, 7..8);
    assert_eq!(held(&node.look(Cycle(8))).len(), 0);
}
