//! A checker that knows moves alone: links, queues, paths and the order of nodes.

use flitwork_steps::rules::{
    Alternating, DimensionOrder, FarthestFirst, Fifo, Fixed, GreedyAdaptive, Lifo, NearestFirst,
    Random, RoundRobin, StraightFirst,
};
use flitwork_steps::{Machine, Nobody, Rule, Store};
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
    let mut machine = Machine::new(grid, rule, store, problem);
    let mut shuffled = Machine::new(grid, rule, store, problem);
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
        let (mut links, mut moved) = (BTreeSet::new(), BTreeSet::new());
        for it in machine.moves() {
            prop_assert!(links.insert((it.from, it.port)), "two packets on a link");
            prop_assert!(moved.insert(it.packet), "a packet moves twice");
            prop_assert_eq!(at[it.packet.index()], it.from);
            let (to, through) = grid.far(it.from, it.port).unwrap();
            let destination = problem[it.packet.index()].1;
            prop_assert!(grid.distance(to, destination) < grid.distance(it.from, destination));
            at[it.packet.index()] = to;
            came[it.packet.index()] = Some(through);
        }
        let mut queues: BTreeMap<(NodeId, Option<_>), usize> = BTreeMap::new();
        for (packet, (_, to)) in problem.iter().enumerate() {
            if at[packet] != *to {
                let queue = match store {
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn moves_are_those_of_the_model(
        (wraps, sides) in prop_oneof![
            (Just(false), prop::collection::vec(1u32..7, 2)),
            (Just(true), prop::collection::vec(2u32..7, 2)),
            (Just(false), prop::collection::vec(2u32..4, 3)),
            (any::<bool>(), prop::collection::vec(2u32..12, 1)),
        ].prop_filter("two nodes", |(_, sides)| sides.iter().product::<u32>() > 1),
        store in prop_oneof![(1usize..4).prop_map(Store::Central), (1usize..3).prop_map(Store::Incoming), Just(Store::Unbounded)],
        rule in 0..9,
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
        let mut machine = Machine::new(&mesh, &rule, Store::Unbounded, &problem);
        while !machine.is_done() && machine.steps() < 5 {
            machine.step(&mut Nobody);
        }
        assert!(machine.is_done() && machine.steps() <= 4, "{order:?}");
        count += 1;
    });
    assert_eq!(count, 362_880);
}

/// All orders of the first `count` (Heap 1963).
fn permutations(order: &mut [u32], count: usize, each: &mut impl FnMut(&[u32])) {
    if count == 1 {
        return each(order);
    }
    for place in 0..count {
        permutations(order, count - 1, each);
        let other = if count.is_multiple_of(2) { place } else { 0 };
        if place + 1 < count {
            order.swap(other, count - 1);
        }
    }
}
