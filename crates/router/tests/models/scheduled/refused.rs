//! Which schedules are refused, against a search through single cycles.

use super::{places, route, waits, with_waits};
use crate::dice::Dice;
use flitwork_router::scheduled::{Route, Schedule, ScheduleError};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId};
use std::collections::{BTreeMap, BTreeSet};

/// The first collision that a search finds, by node, port and cycle.
fn collision(grid: &Grid, latency: u32, routes: &[Route]) -> Option<(NodeId, Port, u64)> {
    let (mut seen, mut met) = (BTreeSet::new(), BTreeSet::new());
    for route in routes {
        for place in places(grid, latency, route, route.start.get().into()) {
            if !seen.insert(place) {
                met.insert((place.1, place.2, place.0));
            }
        }
    }
    met.first().copied()
}

#[test]
fn a_schedule_is_refused_exactly_if_two_words_collide() {
    let grid = Grid::torus(&[3, 3]).unwrap();
    let (mut refused, mut kept, mut crowds) = (0, 0, 0);
    for seed in 0..6000 {
        let mut dice = Dice::new(seed);
        let latency = dice.one_of(&[1, 2, 3]);
        let mut sources: Vec<u32> = (0..9).collect();
        let mut one = || {
            let source = sources.swap_remove(dice.below(sources.len()));
            let hops = 1 + dice.below(3);
            let path: Vec<u8> = std::iter::repeat_with(|| {
                let hops = (0..hops).map(|_| dice.below(4) as u8);
                hops.collect::<Vec<_>>()
            })
            .find(|path| !ends_at_home(&grid, NodeId(source), path))
            .expect("a path that ends elsewhere");
            let words = 1 + dice.below(3) as u16;
            let mut one = route(source, words, dice.below(8) as u32, &path);
            if seed % 2 == 1 {
                with_waits(&mut one, latency, &mut dice);
            }
            one
        };
        let routes: Vec<Route> = (0..5).map(|_| one()).collect();
        let waiting = dice.below(3) as u32;
        let found = Schedule::new(&grid, latency, waiting, routes.clone());
        let expected = collision(&grid, latency, &routes);
        match found {
            Ok(_) => {
                kept += 1;
                assert_eq!(expected, None, "{routes:?}");
                assert_eq!(crowd(&grid, latency, waiting, &routes), None, "{routes:?}");
            }
            Err(ScheduleError::Crowd { cycle, node, .. }) => {
                crowds += 1;
                assert_eq!(expected, None, "{routes:?}");
                let place = (node, u64::from(cycle.get()));
                assert_eq!(Some(place), crowd(&grid, latency, waiting, &routes));
            }
            Err(ScheduleError::Collision {
                cycle, node, port, ..
            }) => {
                refused += 1;
                assert_eq!(
                    Some((node, port, cycle.get().into())),
                    expected,
                    "{routes:?}"
                );
            }
            Err(error) => panic!("{error}"),
        }
    }
    let counts = [refused, kept, crowds];
    assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
}

fn ends_at_home(grid: &Grid, source: NodeId, path: &[u8]) -> bool {
    let step = |node, port: &u8| grid.neighbour(node, Port(*port)).expect("a link");
    path.iter().fold(source, step) == source
}

/// The first node and cycle in which more worms wait than may.
fn crowd(grid: &Grid, latency: u32, most: u32, routes: &[Route]) -> Option<(NodeId, u64)> {
    let mut counts: BTreeMap<(NodeId, u64), u32> = BTreeMap::new();
    for place in routes.iter().flat_map(|route| waits(grid, latency, route)) {
        *counts.entry(place).or_default() += 1;
    }
    let mut crowds = counts.into_iter().filter(|(_, count)| *count > most);
    crowds.next().map(|(place, _)| place)
}

/// Each fault on its own, one word or cycle beyond what is allowed, and the last that is.
#[test]
fn a_schedule_that_cannot_be_followed_is_refused() {
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let packet = |source, serial| PacketId {
        source: TerminalId(source),
        serial,
    };
    let made = |latency, routes: Vec<Route>| Schedule::new(&grid, latency, 1, routes).map(drop);
    let empty = Err(ScheduleError::Empty(packet(0, 0)));
    assert_eq!(made(1, vec![route(0, 0, 0, &[1])]), empty);
    assert_eq!(made(1, vec![route(0, 1, 0, &[])]), empty);
    // From node 0 east, then north, where a mesh ends.
    let missing = ScheduleError::MissingLink {
        packet: packet(0, 0),
        hop: 1,
        node: NodeId(1),
        port: Port(0),
    };
    assert_eq!(made(1, vec![route(0, 1, 0, &[1, 0])]), Err(missing));
    // The first packet's 3 words come in cycles 0 to 2, so the second's head comes in cycle 3.
    let second = |start| vec![route(4, 3, 0, &[1]), route(4, 1, start, &[3])];
    let early = ScheduleError::Early {
        packet: packet(4, 1),
        start: Cycle(2),
        earliest: Cycle(3),
    };
    assert_eq!(made(1, second(2)), Err(early));
    assert_eq!(made(1, second(3)), Ok(()));
    // Packets of another source don't affect that.
    let others = vec![route(4, 3, 0, &[1]), route(5, 1, 0, &[2])];
    assert_eq!(made(1, others), Ok(()));
    // A head is at the end of its first hop in cycle 1, or in cycle 3 if it leaves in cycle 2.
    let named = |first: Option<u32>, second| {
        let mut named = route(0, 1, 0, &[1, 1]);
        named.path[0].cycle = first.map(Cycle);
        named.path[1].cycle = Some(Cycle(second));
        vec![named]
    };
    let before = |cycle, ready| {
        Err(ScheduleError::BeforeHead {
            packet: packet(0, 0),
            hop: 1,
            cycle,
            ready,
        })
    };
    assert_eq!(made(1, named(None, 1)), Ok(()));
    assert_eq!(made(1, named(None, 0)), before(0, 1));
    assert_eq!(made(1, named(Some(2), 3)), Ok(()));
    assert_eq!(made(1, named(Some(2), 2)), before(2, 3));
    let none_waits = Schedule::new(&grid, 1, 0, named(None, 5)).map(drop);
    let crowd = ScheduleError::Crowd {
        cycle: Cycle(1),
        node: NodeId(1),
        packet: packet(0, 0),
        waiting: 0,
    };
    assert_eq!(none_waits, Err(crowd));
    let home = Err(ScheduleError::Home(packet(0, 0)));
    assert_eq!(made(1, vec![route(0, 1, 0, &[1, 3])]), home);
    // A first hop that names a cycle before the start.
    let mut before_start = route(0, 1, 4, &[1]);
    before_start.path[0].cycle = Some(Cycle(3));
    let early = ScheduleError::Early {
        packet: packet(0, 0),
        start: Cycle(3),
        earliest: Cycle(4),
    };
    assert_eq!(made(1, vec![before_start]), Err(early));
    // 2 words over 2 links of 5 cycles: the last arrives 11 cycles after the start, before the last cycle.
    let last = Cycle::LAST.get();
    let long = |start| vec![route(0, 2, start, &[1, 1])];
    let late = Err(ScheduleError::Late(packet(0, 0)));
    assert_eq!(made(5, long(last - 12)), Ok(()));
    assert_eq!(made(5, long(last - 11)), late);
}
