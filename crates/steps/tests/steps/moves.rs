//! A checker that knows moves alone: links, queues, paths and the order of nodes.

use crate::permutations;
use flitwork_steps::rules::{
    Alternating, DimensionOrder, FarthestFirst, Fifo, Fixed, GreedyAdaptive, Lifo, NearestFirst,
    Random, RoundRobin, StraightFirst, StraightThrough,
};
use flitwork_steps::{Machine, MachineError, Nobody, Rule, Store};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Routes a problem for so many steps, with the nodes asked in another order each step, and checks each move.
fn check<R: Rule>(
    grid: &Grid,
    rule: &R,
    store: Store,
    problem: &[(NodeId, NodeId)],
    turn: u64,
) -> Result<(), TestCaseError> {
    let mut machine = Machine::new(grid, rule, store, problem).unwrap();
    let mut shuffled = Machine::new(grid, rule, store, problem).unwrap();
    let mut at: Vec<NodeId> = problem.iter().map(|(from, _)| *from).collect();
    // By packet: the port by which it came.
    let mut came = vec![None; problem.len()];
    for step in 0..200u64 {
        if machine.is_done() {
            break;
        }
        let busy = shuffled.busy_mut();
        let count = busy.len().max(1);
        busy.rotate_left((turn.wrapping_mul(step + 1) as usize) % count);
        if turn % 2 == 1 {
            busy.reverse();
        }
        machine.step(&mut Nobody);
        shuffled.step(&mut Nobody);
        prop_assert!(machine.is_like(&shuffled), "the order of nodes shows");
        prop_assert_eq!(machine.moves(), shuffled.moves());
        check_circle(&machine)?;
        let (mut links, mut moved) = (BTreeSet::new(), BTreeSet::new());
        for it in machine.moves() {
            prop_assert!(links.insert((it.from, it.port)), "two packets on a link");
            prop_assert!(moved.insert(it.packet), "a packet moves twice");
            prop_assert_eq!(at[it.packet.index()], it.from);
            let (to, through) = grid.far(it.from, it.port).unwrap();
            let destination = problem[it.packet.index()].1;
            prop_assert!(grid.distance(to, destination) < grid.distance(it.from, destination));
            if let Store::Outgoing(_) = store {
                let (source, _) = problem[it.packet.index()];
                let productive = grid.productive(it.from, destination);
                let link = rule.waits_for(it.from, source, productive, Some(grid));
                prop_assert_eq!(link, Some(it.port));
            }
            at[it.packet.index()] = to;
            came[it.packet.index()] = Some(through);
        }
        let mut queues: BTreeMap<(NodeId, Option<_>), usize> = BTreeMap::new();
        for (packet, (_, to)) in problem.iter().enumerate() {
            if at[packet] != *to {
                let queue = match store {
                    Store::Outgoing(_) if came[packet].is_some() => {
                        let productive = grid.productive(at[packet], *to);
                        rule.waits_for(at[packet], problem[packet].0, productive, Some(grid))
                    }
                    Store::Central(_) => None,
                    _ => came[packet],
                };
                *queues.entry((at[packet], queue)).or_default() += 1;
            }
        }
        if let Some(capacity) = store.capacity() {
            for ((node, queue), count) in queues {
                let is_origin = queue.is_none() && !matches!(store, Store::Central(_));
                prop_assert!(is_origin || count <= capacity, "{count} in node {node}");
            }
        }
    }
    prop_assert_eq!(
        machine.packets().iter().map(|it| it.at).collect::<Vec<_>>(),
        at
    );
    if store == Store::Unbounded {
        prop_assert!(machine.is_done(), "unbounded queues never wait for room");
    }
    Ok(())
}

/// All of these rules send over every link that they can: nothing moves where packets wait for each other, and only there.
fn check_circle<R: Rule>(machine: &Machine<'_, Grid, R>) -> Result<(), TestCaseError> {
    let waits = machine.moves().is_empty() && !machine.is_done();
    let circle = machine.circle().unwrap_or_default();
    prop_assert_eq!(waits, !circle.is_empty());
    let next = circle.iter().cycle().skip(1);
    prop_assert!(
        circle
            .iter()
            .zip(next)
            .all(|(one, next)| one.to == next.from)
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn moves_are_those_of_the_model(
        (wraps, sides) in prop_oneof![
            (Just(false), prop::collection::vec(1u32..7, 2)),
            (Just(true), prop::collection::vec(2u32..7, 2)),
            (Just(false), prop::collection::vec(2u32..4, 3)),
            (any::<bool>(), prop::collection::vec(2u32..12, 1)),
        ].prop_filter("two nodes", |(_, sides)| sides.iter().product::<u32>() > 1),
        store in prop_oneof![(1usize..4).prop_map(Store::Central), (1usize..3).prop_map(Store::Incoming), (1usize..3).prop_map(Store::Outgoing), Just(Store::Unbounded)],
        rule in 0..10,
        pairs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..40),
        turn in any::<u64>(),
    ) {
        let grid = if wraps { Grid::torus(&sides) } else { Grid::mesh(&sides) }.unwrap();
        let node = |index: prop::sample::Index| NodeId(index.index(grid.nodes() as usize) as u32);
        let mut begun = BTreeMap::new();
        let most = match store { Store::Central(k) => k, _ => 40 };
        let mut problem = Vec::new();
        for (from, to) in pairs {
            let (from, to) = (node(from), node(to));
            let count = begun.entry(from).or_insert(0);
            if *count < most {
                *count += 1;
                problem.push((from, to));
            }
        }
        let outgoing = matches!(store, Store::Outgoing(_));
        prop_assume!(!outgoing || rule != 2);
        macro_rules! with { ($rule:expr) => { check(&grid, &$rule, store, &problem, turn)? }; }
        match rule {
            0 => with!(GreedyAdaptive::<Fixed>::default()),
            1 => with!(GreedyAdaptive::<RoundRobin>::default()),
            2 => with!(Alternating::<RoundRobin>::default()),
            3 => with!(DimensionOrder::<Fifo, Fixed>::default()),
            4 => with!(DimensionOrder::<Lifo, RoundRobin>::default()),
            5 => with!(DimensionOrder::<FarthestFirst, Fixed>::default()),
            6 => with!(DimensionOrder::<NearestFirst, RoundRobin>::default()),
            7 => with!(DimensionOrder::<StraightFirst, Fixed>::default()),
            8 => with!(StraightThrough),
            _ => with!(DimensionOrder { order: Random { seed: turn }, inqueue: RoundRobin }),
        }
    }
}

/// Unbounded farthest-first routes every permutation of a 3 x 3 mesh within 2n - 2 steps (Leighton 1992, pages 159 to 162;
/// Chinn 1995, section 1.1).
#[test]
fn unbounded_farthest_first_takes_the_distance_of_corners() {
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    let rule = DimensionOrder::<FarthestFirst, Fixed>::default();
    let mut order: Vec<u32> = (0..9).collect();
    let mut count = 0;
    permutations(&mut order, 9, &mut |order| {
        let problem: Vec<_> = (0..9)
            .map(|it| (NodeId(it), NodeId(order[it as usize])))
            .collect();
        let mut machine = Machine::new(&mesh, &rule, Store::Unbounded, &problem).unwrap();
        while !machine.is_done() && machine.steps() < 5 {
            machine.step(&mut Nobody);
        }
        assert!(machine.is_done() && machine.steps() <= 4, "{order:?}");
        count += 1;
    });
    assert_eq!(count, 362_880);
}

/// Stores and problems that no machine can have are refused.
#[test]
fn what_cant_be_routed_is_refused() {
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    let greedy = GreedyAdaptive::<Fixed>::default();
    let alternating = Alternating::<Fixed>::default();
    let pair = [(NodeId(0), NodeId(8))];
    for store in [Store::Central(0), Store::Incoming(0), Store::Outgoing(0)] {
        let error = Machine::new(&mesh, &greedy, store, &pair).unwrap_err();
        assert_eq!(error, MachineError::NoQueue);
    }
    assert!(Machine::new(&mesh, &greedy, Store::Outgoing(1), &pair).is_ok());
    let error = Machine::new(&mesh, &alternating, Store::Outgoing(1), &pair).unwrap_err();
    assert!(matches!(error, MachineError::NoLinks { .. }), "{error}");
    for pair in [(NodeId(9), NodeId(0)), (NodeId(0), NodeId(9))] {
        let problem = [(NodeId(1), NodeId(2)), pair];
        let error = Machine::new(&mesh, &greedy, Store::Unbounded, &problem).unwrap_err();
        let (packet, node, nodes) = (1, NodeId(9), 9);
        assert_eq!(
            error,
            MachineError::Node {
                packet,
                node,
                nodes
            }
        );
    }
}

/// Nodes 0 to 2 are a row of a 3 x 2 mesh. A packet for node 2 and one that turns in it lie in two queues of node 1 if they
/// wait for links: in one if they came by the same. One that is home needs no room, where distances are seen.
#[test]
fn queues_are_of_the_links_for_which_packets_wait() {
    let mesh = Grid::mesh(&[3, 2]).unwrap();
    // Of node 1: south, then east.
    let problem = [(0, 4), (0, 2)].map(|(from, to)| (NodeId(from), NodeId(to)));
    let rule = DimensionOrder::<FarthestFirst, Fixed>::default();
    let held = |store| {
        let mut machine = Machine::new(&mesh, &rule, store, &problem).unwrap();
        let mut held = Vec::new();
        while !machine.is_done() {
            machine.step(&mut Nobody);
            held.push(machine.held(NodeId(1)));
        }
        held
    };
    // The packet for node 2 is before the other.
    assert_eq!(held(Store::Outgoing(1)), [1, 1, 0]);
    assert_eq!(held(Store::Incoming(1)), [1, 0, 1, 0]);
}

/// In queues of one packet, packets that go around nodes 0, 1, 4 and 3 of a 3 x 2 mesh wait for each other; that in node 2 waits
/// for one of them, but none waits for it. Where nodes have room there is no circle.
#[test]
fn a_circle_is_who_waits_for_whom() {
    let mesh = Grid::mesh(&[3, 2]).unwrap();
    let greedy = GreedyAdaptive::<Fixed>::default();
    let node = |pair: (u32, u32)| (NodeId(pair.0), NodeId(pair.1));
    let around = [(0, 1), (1, 4), (4, 3), (3, 0)];
    // Each has two links to go.
    let problem: Vec<_> = (0..4)
        .map(|it| (around[it].0, around[(it + 1) % 4].1))
        .chain([(2, 3)])
        .map(node)
        .collect();
    let order = DimensionOrder::<Fifo, Fixed>::default();
    let mut machine = Machine::new(&mesh, &greedy, Store::Central(1), &problem).unwrap();
    while machine.step(&mut Nobody) {}
    let circle = machine.circle().unwrap();
    let mut nodes: Vec<_> = circle.iter().map(|it| it.from).collect();
    assert!(nodes.len() >= 2);
    for (one, next) in circle.iter().zip(circle.iter().cycle().skip(1)) {
        assert_eq!(one.to, next.from);
        assert_eq!(machine.packets()[one.packet.index()].at, one.from);
        assert_eq!(mesh.neighbour(one.from, one.port), Some(one.to));
    }
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), circle.len());
    assert!(!nodes.contains(&NodeId(2)));
    let mut machine = Machine::new(&mesh, &order, Store::Central(2), &problem).unwrap();
    while machine.step(&mut Nobody) {
        assert_eq!(machine.circle(), None);
    }
    assert!(machine.is_done() && machine.circle().is_none());
}
