//! What a node of the wormhole router shows and says of its steps, in cases small enough to derive by hand.
//!
//! The node is the middle one of a mesh of 3 x 3. Ports: 0 north, 1 east, 2 south, 3 west, 4 local. With the default
//! stages a head that arrives in cycle 0 passes route computation, bids for a channel in cycle 1, and bids for the switch
//! in cycle 2.

use crate::wormhole_table::{
    EAST, LOCAL, NORTH, Table, WEST, bids, does, input, moves, output, sends, stays,
};
use flitwork_node::{BufferState, Cause, Detail, Place, Subject, Value, What};
use flitwork_router::wormhole::{Reallocation, Speculation, WormholeParameters};
use flitwork_types::{NodeId, Port};

#[test]
fn a_lone_worm_passes_four_stages() {
    let mut table = Table::new(WormholeParameters::default());
    let worm = table.packet(7, EAST, 3);
    let lane = input(WEST, 0);
    // Cycle 0: the head arrives, and is routed.
    let said = table.step(&[(WEST, worm, 0, 0)]);
    assert_eq!(does(&said), [(7, lane, stays(Cause::Pipeline, None))]);
    assert_eq!(said.decisions, []);
    assert_eq!(table.held(lane), [(7, 0, 1)]);
    let goals = ["prefers", "falls back on"].map(|name| table.register(name, lane));
    assert_eq!(goals, [Some(Value::Place(output(EAST, 0))), None]);
    // Cycle 1: it bids for both channels, alone. Of a lane's choices round robin takes the one in turn, first the first.
    // West's channel 0 is lane 6 of 10, and in its turn no lane comes before lane 0.
    let said = table.step(&[(WEST, worm, 1, 0)]);
    assert_eq!(does(&said), [(7, lane, moves(EAST, 0))]);
    let subjects: Vec<Subject> = said.decisions.iter().map(|it| it.subject).collect();
    assert_eq!(
        subjects,
        [0, 1].map(|channel| Subject::Place(output(EAST, channel)))
    );
    assert_eq!(bids(&said.decisions[0]), (vec![(7, 6)], Some(7)));
    assert_eq!(bids(&said.decisions[1]), (vec![(7, 6)], None));
    assert_eq!(table.held(lane), [(7, 0, 2)]);
    assert_eq!(
        table.register("holder", output(EAST, 0)),
        Some(Value::Place(lane))
    );
    assert_eq!(
        table.register("free", output(EAST, 1)),
        Some(Value::Flag(true))
    );
    // Cycle 2: the head crosses, in 3 and 4 the others. West is row 3 of 5, with its first channel in turn: rank 2 x 3 x 2.
    let said = table.step(&[(WEST, worm, 2, 0)]);
    assert_eq!(does(&said), [(7, lane, sends(EAST, 0))]);
    assert_eq!(said.decisions[0].subject, Subject::Switch(EAST));
    assert_eq!(bids(&said.decisions[0]), (vec![(7, 12)], Some(7)));
    assert_eq!(table.held(lane), [(7, 1, 2)]);
    assert_eq!(table.room(EAST, 0), Some(7));
    table.step(&[]);
    assert_eq!(does(&table.step(&[])), [(7, lane, sends(EAST, 0))]);
    assert_eq!(table.held(lane), []);
    assert_eq!(
        (table.room(EAST, 0), table.room(EAST, 1)),
        (Some(5), Some(8))
    );
    assert_eq!(
        table.register("free", output(EAST, 0)),
        Some(Value::Flag(true))
    );
    let shifted = |(index, details): (u16, &Detail)| {
        let expected = Detail::Shifted {
            packet: table.packets[worm].id,
            index,
            from: lane,
            to: output(EAST, 0),
        };
        assert_eq!(*details, expected);
    };
    assert_eq!(table.details.0.len(), 3);
    (0..).zip(&table.details.0).for_each(shifted);
}

#[test]
fn one_of_two_heads_gets_the_only_channel() {
    let mut table = Table::new(WormholeParameters {
        vcs: 1,
        ..WormholeParameters::default()
    });
    let (north, west) = (table.packet(1, EAST, 2), table.packet(2, EAST, 2));
    let first = table.packets[north].id;
    table.step(&[(NORTH, north, 0, 0), (WEST, west, 0, 0)]);
    // Cycle 1: north's lane is 0, west's 3, and it is the turn of 0.
    let said = table.step(&[(NORTH, north, 1, 0), (WEST, west, 1, 0)]);
    assert_eq!(bids(&said.decisions[0]), (vec![(1, 0), (2, 3)], Some(1)));
    assert_eq!(said.decisions.len(), 1);
    let lost = stays(Cause::LostDecision, Some(first));
    assert_eq!(
        does(&said),
        [
            (1, input(NORTH, 0), moves(EAST, 0)),
            (2, input(WEST, 0), lost)
        ]
    );
    // Cycles 2 and 3: the first worm's two words cross, and it holds the channel until its tail has gone.
    for _ in 2..4 {
        let said = table.step(&[]);
        let held = stays(Cause::ChannelOrSwitch, Some(first));
        assert_eq!(
            does(&said),
            [
                (1, input(NORTH, 0), sends(EAST, 0)),
                (2, input(WEST, 0), held)
            ]
        );
    }
    // Cycle 4: the turn is that of the lane behind north's, so west's is the third.
    let said = table.step(&[]);
    assert_eq!(bids(&said.decisions[0]), (vec![(2, 2)], Some(2)));
    assert_eq!(does(&said), [(2, input(WEST, 0), moves(EAST, 0))]);
}

/// Two worms of three words hold a channel each of one port: a word a cycle crosses to it, by turns.
#[test]
fn a_word_loses_its_port_to_that_of_another_input() {
    let mut table = Table::new(WormholeParameters::default());
    let (north, west) = (table.packet(1, EAST, 3), table.packet(2, EAST, 3));
    let [of_north, of_west] = [north, west].map(|packet| Some(table.packets[packet].id));
    let both = |index| [(NORTH, north, index, 0), (WEST, west, index, 0)];
    table.step(&both(0));
    // Cycle 1: both heads bid for channel 0, the first in turn, which north's gets. Cycle 2: west's gets channel 1, and north's
    // crosses, alone.
    table.step(&both(1));
    let said = table.step(&both(2));
    let lanes = [input(NORTH, 0), input(WEST, 0)];
    let at_lanes = |[one, other]: [What; 2]| [(1, lanes[0], one), (2, lanes[1], other)];
    assert_eq!(does(&said), at_lanes([sends(EAST, 0), moves(EAST, 1)]));
    // Cycle 3: both bid for the port, and north has had its turn. Cycle 4: west has.
    let lost = |to| stays(Cause::ChannelOrSwitch, to);
    let said = table.step(&[]);
    assert_eq!(does(&said), at_lanes([lost(of_west), sends(EAST, 1)]));
    let said = table.step(&[]);
    assert_eq!(does(&said), at_lanes([sends(EAST, 0), lost(of_north)]));
}

/// Where a channel is free only once the buffer at its far end is empty, nobody is to blame for a head that finds one held
/// and the other draining: either would do.
#[test]
fn a_channel_that_drains_is_held_by_nobody() {
    let mut table = Table::new(WormholeParameters {
        reallocation: Reallocation::BufferEmpty,
        ..WormholeParameters::default()
    });
    let (long, short) = (table.packet(1, EAST, 30), table.packet(2, EAST, 1));
    let late = table.packet(3, EAST, 1);
    for cycle in 0..6 {
        let mut words = vec![(NORTH, long, cycle, 0)];
        words.extend((cycle == 0).then_some((WEST, short, 0, 0)));
        table.step(&words);
    }
    // No credit has come back for the short worm's word, and the long one's tail hasn't come.
    let drains =
        ["holder", "draining"].map(|it| [0, 1].map(|lane| table.register(it, output(EAST, lane))));
    let holder = Some(Value::Place(input(NORTH, 0)));
    let yes = Some(Value::Flag(true));
    assert_eq!(drains, [[holder, None], [None, yes]]);
    table.step(&[(Port(2), late, 0, 0)]);
    let said = table.step(&[]);
    let found = does(&said).into_iter().find(|it| it.0 == 3);
    let waits = stays(Cause::ChannelOrSwitch, None);
    assert_eq!(found, Some((3, input(Port(2), 0), waits)));
}

#[test]
fn a_worm_stops_without_credits_and_another_waits_behind_it() {
    let mut table = Table::new(WormholeParameters {
        vcs: 1,
        buffer_words: 2,
        ..WormholeParameters::default()
    });
    let (long, short) = (table.packet(1, EAST, 3), table.packet(2, EAST, 1));
    let lane = input(WEST, 0);
    table.step(&[(WEST, long, 0, 0)]);
    table.step(&[(WEST, long, 1, 0)]);
    // Cycles 2 and 3: two words cross, which take all the room at the far end.
    table.step(&[(WEST, long, 2, 0)]);
    let said = table.step(&[(WEST, short, 0, 0)]);
    let behind = stays(Cause::BehindAnother, Some(table.packets[long].id));
    assert_eq!(does(&said), [(1, lane, sends(EAST, 0)), (2, lane, behind)]);
    assert_eq!(table.held(lane), [(1, 2, 1), (2, 0, 1)]);
    assert_eq!(table.room(EAST, 0), Some(0));
    // No credit comes back.
    let said = table.step(&[]);
    let stopped = stays(Cause::NoCredit, None);
    assert_eq!(does(&said), [(1, lane, stopped), (2, lane, behind)]);
    assert_eq!(said.decisions, []);
}

#[test]
fn a_worm_whose_words_have_not_come_is_in_the_pipeline() {
    let mut table = Table::new(WormholeParameters::default());
    let worm = table.packet(1, EAST, 2);
    for words in [&[(WEST, worm, 0, 0)][..], &[], &[]] {
        table.step(words);
    }
    // The head has gone in cycle 2, and the worm still holds its lane.
    assert_eq!(table.held(input(WEST, 0)), [(1, 1, 0)]);
    let said = table.step(&[]);
    let waits = stays(Cause::Pipeline, None);
    assert_eq!(does(&said), [(1, input(WEST, 0), waits)]);
}

#[test]
fn two_worms_at_their_destination_take_turns() {
    let mut table = Table::new(WormholeParameters::default());
    let (north, west) = (table.packet(1, LOCAL, 1), table.packet(2, LOCAL, 1));
    table.step(&[(NORTH, north, 0, 0), (WEST, west, 0, 0)]);
    // Cycle 1: by iSLIP both local channels grant the first lane, which accepts the first; the other head gets none.
    let said = table.step(&[]);
    let lost = stays(Cause::Ejection, Some(table.packets[north].id));
    assert_eq!(
        does(&said),
        [
            (1, input(NORTH, 0), moves(LOCAL, 0)),
            (2, input(WEST, 0), lost)
        ]
    );
    // Cycle 2: the first word leaves the network, and the other head gets the second channel.
    let said = table.step(&[]);
    assert_eq!(
        does(&said),
        [
            (1, input(NORTH, 0), sends(LOCAL, 0)),
            (2, input(WEST, 0), moves(LOCAL, 1))
        ]
    );
    let ejection = said.decisions.last().unwrap();
    assert_eq!(
        (ejection.subject, ejection.winner),
        (Subject::Ejection, Some(0))
    );
}

#[test]
fn words_come_from_the_source_by_way_of_its_register() {
    let mut table = Table::new(WormholeParameters {
        injection_cycles: 2,
        buffer_words: 1,
        ..WormholeParameters::default()
    });
    let worm = table.packet(3, EAST, 2);
    let (source, lane) = (Place::Input(LOCAL), input(LOCAL, 0));
    let enters = What::Sends { to: lane };
    // Cycle 0: the packet takes the first local lane, whose turn it is, and its word is under way there until cycle 2.
    let said = table.step(&[(LOCAL, worm, 0, 0)]);
    assert_eq!(said.decisions[0].subject, Subject::Injection);
    assert_eq!(bids(&said.decisions[0]), (vec![(3, 0)], Some(3)));
    assert_eq!(does(&said), [(3, source, enters)]);
    assert_eq!(
        (table.held(source), table.held(lane)),
        (vec![(3, 0, 1)], vec![])
    );
    assert_eq!(table.register("lane", source), Some(Value::Place(lane)));
    assert_eq!(
        table.register("next lane", source),
        Some(Value::Place(input(LOCAL, 1)))
    );
    assert_eq!(
        table.register("source's room", lane),
        Some(Value::Number(0))
    );
    // Cycle 1: the lane has room for one word, and the second has to wait.
    let said = table.step(&[(LOCAL, worm, 1, 0)]);
    assert_eq!(said.decisions, []);
    assert_eq!(does(&said), [(3, source, stays(Cause::SourceQueue, None))]);
    assert_eq!(table.held(source), [(3, 0, 2)]);
    // Cycle 2: the first word is in the lane. It is its own packet that is in the other's way.
    let said = table.step(&[]);
    let doing = [
        (3, lane, stays(Cause::Pipeline, None)),
        (3, source, stays(Cause::SourceQueue, None)),
    ];
    assert_eq!(does(&said), doing);
    assert_eq!(
        (table.held(source), table.held(lane)),
        (vec![(3, 1, 1)], vec![(3, 0, 1)])
    );
    let entered = Detail::Shifted {
        packet: table.packets[worm].id,
        index: 0,
        from: source,
        to: lane,
    };
    assert_eq!(table.details.0, [entered]);
}

#[test]
fn a_word_on_its_way_from_the_source_is_in_the_pipeline() {
    let mut table = Table::new(WormholeParameters {
        injection_cycles: 2,
        ..WormholeParameters::default()
    });
    let (first, second) = (table.packet(1, EAST, 1), table.packet(2, EAST, 1));
    let source = Place::Input(LOCAL);
    let enters = |channel| What::Sends {
        to: input(LOCAL, channel),
    };
    let waits = stays(Cause::Pipeline, None);
    // Cycles 0 and 1: each packet's only word sets out, to be in its lane two cycles later. The first is ahead.
    let said = table.step(&[(LOCAL, first, 0, 0)]);
    assert_eq!(does(&said), [(1, source, enters(0))]);
    let said = table.step(&[(LOCAL, second, 0, 0)]);
    assert_eq!(does(&said), [(1, source, waits), (2, source, enters(1))]);
    let said = table.step(&[]);
    assert_eq!(
        does(&said),
        [(1, input(LOCAL, 0), waits), (2, source, waits)]
    );
}

#[test]
fn a_worm_that_is_gone_with_the_step_is_still_to_blame() {
    let mut table = Table::new(WormholeParameters {
        vcs: 1,
        switch_allocation_cycles: 0,
        traversal_cycles: 0,
        ..WormholeParameters::default()
    });
    let (north, west) = (table.packet(1, LOCAL, 1), table.packet(2, LOCAL, 1));
    let first = table.packets[north].id;
    table.step(&[(NORTH, north, 0, 0), (WEST, west, 0, 0)]);
    // Cycle 1: the channel is the first head's. Cycle 2: its word leaves the network at once, and it had the channel.
    let lost = stays(Cause::Ejection, Some(first));
    for does_first in [moves(LOCAL, 0), sends(LOCAL, 0)] {
        let said = table.step(&[]);
        let doing = [(1, input(NORTH, 0), does_first), (2, input(WEST, 0), lost)];
        assert_eq!(does(&said), doing);
    }
    assert_eq!(table.packets.all().count(), 1);
}

#[test]
fn waits_are_shown_in_cycles() {
    let mut table = Table::new(WormholeParameters {
        route_cycles: 3,
        switch_allocation_cycles: 4,
        ..WormholeParameters::default()
    });
    let worm = table.packet(1, EAST, 2);
    let mut waits = Vec::new();
    for now in 0..10 {
        let lane = input(WEST, 0);
        waits.push(match table.register("wait", lane) {
            Some(Value::Cycles(cycles)) => cycles,
            other => u32::from(other.is_some()),
        });
        let words = [(WEST, worm, now, 0)];
        table.step(if now < 2 { &words } else { &[] });
    }
    // The head arrives in cycle 0 and bids for a channel in 3, for the switch in 4; the next word bids in 8.
    assert_eq!(waits, [0, 2, 1, 0, 0, 3, 2, 1, 0, 0]);
}

#[test]
fn a_head_that_speculates_moves_and_sends_at_once() {
    for speculation in [
        Speculation::After,
        Speculation::Beside,
        Speculation::Together,
    ] {
        let mut table = Table::new(WormholeParameters {
            vcs: 1,
            speculative: true,
            speculation,
            ..WormholeParameters::default()
        });
        let (north, west) = (table.packet(1, EAST, 2), table.packet(2, EAST, 2));
        let first = table.packets[north].id;
        table.step(&[(NORTH, north, 0, 0), (WEST, west, 0, 0)]);
        // Cycle 1: both bid for the channel and the switch; north's lane and port come first.
        let said = table.step(&[]);
        let lost = stays(Cause::LostDecision, Some(first));
        assert_eq!(
            does(&said),
            [
                (1, input(NORTH, 0), moves(EAST, 0)),
                (1, input(NORTH, 0), sends(EAST, 0)),
                (2, input(WEST, 0), lost)
            ]
        );
        let subjects: Vec<Subject> = said.decisions.iter().map(|it| it.subject).collect();
        assert_eq!(
            subjects,
            [Subject::Place(output(EAST, 0)), Subject::Switch(EAST)]
        );
        // One channel: the ranks are twice the places in turn.
        assert_eq!(bids(&said.decisions[1]), (vec![(1, 0), (2, 6)], Some(1)));
    }
}

#[test]
fn ports_without_links_are_shown_as_missing() {
    // The first node of a mesh has links to the east and the south.
    let table = Table::at(NodeId(0), WormholeParameters::default());
    let view = table.look();
    let usual = view
        .buffers
        .iter()
        .filter(|it| it.state == BufferState::Usual);
    let places: Vec<Place> = usual.map(|it| it.place).collect();
    let lanes = [1, 2, 4]
        .map(Port)
        .map(|port| [input(port, 0), input(port, 1)]);
    assert_eq!(
        places,
        [&lanes.concat()[..], &[Place::Input(LOCAL)]].concat()
    );
    let credits: Vec<u8> = view.credits.iter().map(|it| it.port.0).collect();
    assert_eq!(credits, [1, 1, 2, 2]);
}
