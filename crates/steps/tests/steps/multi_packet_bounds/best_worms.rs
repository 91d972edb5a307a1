//! The fewest steps of worms on lines and rings, found by trying everything. A worm chooses a direction, and its flits follow
//! each other; a link may carry flits of several worms by turns, which is more than hardware does.

use super::{from_to, worms};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port};
use std::collections::BTreeSet;

/// By worm and link of its way: how many of its flits have crossed that link.
type State = Vec<Vec<u32>>;

/// The links of the ways that lead from a node to another without turning back.
fn ways(grid: &Grid, from: NodeId, to: NodeId) -> Vec<Vec<(NodeId, Port)>> {
    let way = |port| {
        let next = |at: &NodeId| grid.neighbour(*at, port);
        let passed: Vec<_> = std::iter::successors(Some(from), next)
            .take(grid.nodes() as usize)
            .collect();
        let links = passed.iter().position(|it| *it == to)?;
        Some(passed[..links].iter().map(|it| (*it, port)).collect())
    };
    [Port(0), Port(1)].into_iter().filter_map(way).collect()
}

/// The states after a step in which each link carries a flit, if one waits for it.
fn after(ways: &[&Vec<(NodeId, Port)>], flits: u32, state: &State) -> Vec<State> {
    let mut all = vec![state.clone()];
    let links: BTreeSet<_> = ways.iter().flat_map(|it| it.iter()).collect();
    for link in links {
        let waits = ways.iter().enumerate().filter_map(|(worm, way)| {
            let place = way.iter().position(|it| it == link)?;
            let came = match place {
                0 => flits,
                _ => state[worm][place - 1],
            };
            (came > state[worm][place]).then_some((worm, place))
        });
        let waits: Vec<_> = waits.collect();
        if !waits.is_empty() {
            let sent = waits.iter().flat_map(|(worm, place)| {
                let mut sent = all.clone();
                sent.iter_mut().for_each(|it| it[*worm][*place] += 1);
                sent
            });
            all = sent.collect();
        }
    }
    all
}

/// The fewest steps of worms that go these ways.
fn fewest(ways: &[&Vec<(NodeId, Port)>], flits: u32) -> u64 {
    let begin = ways.iter().map(|way| vec![0; way.len()]).collect();
    let end: State = ways.iter().map(|way| vec![flits; way.len()]).collect();
    let mut states = BTreeSet::from([begin]);
    let mut steps = 0;
    while !states.contains(&end) {
        let next = states.iter().flat_map(|it| after(ways, flits, it));
        states = next.collect();
        steps += 1;
    }
    steps
}

/// All lists of one item of each.
fn product<T>(choices: &[Vec<T>]) -> Vec<Vec<&T>> {
    choices.iter().fold(vec![Vec::new()], |lists, items| {
        let longer = lists.iter().flat_map(|list| {
            let longer = items.iter().map(|item| [list.as_slice(), &[item]].concat());
            longer.collect::<Vec<_>>()
        });
        longer.collect()
    })
}

#[test]
fn no_worms_beat_the_bounds() {
    let cases = [
        Grid::mesh(&[2]),
        Grid::mesh(&[3]),
        Grid::torus(&[2]),
        Grid::torus(&[3]),
        Grid::torus(&[4]),
    ];
    for grid in cases.map(Result::unwrap) {
        let (mut problems, mut reached) = (0, 0);
        let nodes = grid.nodes();
        let pairs: Vec<_> = (0..nodes * nodes)
            .map(|it| (it / nodes, it % nodes))
            .filter(|(from, to)| from != to)
            .collect();
        for pairs in product(&vec![pairs; 3])
            .into_iter()
            .filter(|it| it.is_sorted())
        {
            let pairs: Vec<_> = pairs.into_iter().copied().collect();
            let problem = from_to(&pairs);
            let ways: Vec<_> = problem.iter().map(|it| ways(&grid, it.0, it.1)).collect();
            for flits in [1, 2, 3] {
                let least = worms(&grid, &problem, flits).into_iter().max().unwrap();
                let steps = product(&ways).iter().map(|it| fewest(it, flits)).min();
                let steps = steps.unwrap();
                assert!(
                    least <= steps,
                    "{pairs:?} on {grid:?}, {flits} flits: {steps} < {least} steps"
                );
                problems += 1;
                reached += usize::from(least == steps);
            }
        }
        assert!(2 * reached > problems, "{reached} of {problems}");
        // Between two nodes there is nothing but the one cut.
        assert!(nodes > 2 || reached == problems);
    }
}
