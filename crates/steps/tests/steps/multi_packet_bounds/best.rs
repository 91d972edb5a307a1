//! The fewest steps of any algorithm: everything that packets may do is tried, whichever ways they take.

use super::packets;
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use std::collections::BTreeSet;

/// The nodes in which some packets are.
type Places = Vec<NodeId>;

/// Some packets on a grid.
struct Everything<'a> {
    grid: &'a Grid,
    packets: u32,
    /// By arrangement: those that may follow.
    after: Vec<BTreeSet<usize>>,
}

impl<'a> Everything<'a> {
    fn new(grid: &'a Grid, packets: u32) -> Everything<'a> {
        let mut all = Everything {
            grid,
            packets,
            after: Vec::new(),
        };
        let arrangements = 0..grid.nodes().pow(packets) as usize;
        let after = arrangements.map(|it| {
            let mut after = BTreeSet::new();
            all.step(&mut all.places(it), 0, &mut BTreeSet::new(), &mut after);
            after
        });
        all.after = after.collect();
        all
    }

    /// Where packets are in an arrangement of a number: its digits, to the base of the nodes.
    fn places(&self, arrangement: usize) -> Places {
        let nodes = self.grid.nodes();
        let digit = |place| arrangement as u32 / nodes.pow(place) % nodes;
        (0..self.packets).map(|it| NodeId(digit(it))).collect()
    }

    fn number(&self, places: &[NodeId]) -> usize {
        let digits = places.iter().rev();
        digits.fold(0, |number, it| {
            number * self.grid.nodes() as usize + it.index()
        })
    }

    /// Arrangements after a step in which a packet and those behind it in the list go or stay, and no link of those that are
    /// taken carries another.
    fn step(
        &self,
        places: &mut Places,
        packet: usize,
        taken: &mut BTreeSet<(NodeId, u8)>,
        after: &mut BTreeSet<usize>,
    ) {
        let Some(from) = places.get(packet).copied() else {
            after.insert(self.number(places));
            return;
        };
        self.step(places, packet + 1, taken, after);
        for port in self.grid.links(from).iter() {
            if taken.insert((from, port.0)) {
                places[packet] = self.grid.neighbour(from, port).unwrap();
                self.step(places, packet + 1, taken, after);
                taken.remove(&(from, port.0));
            }
        }
        places[packet] = from;
    }

    /// The fewest steps from one arrangement to each, by breadth-first search.
    fn fewest(&self, from: usize) -> Vec<u64> {
        let mut steps = vec![None; self.after.len()];
        steps[from] = Some(0);
        let mut last = vec![from];
        for step in 1.. {
            let after = last.iter().flat_map(|it| &self.after[*it]).copied();
            let mut new = Vec::new();
            for it in after {
                if steps[it].is_none() {
                    steps[it] = Some(step);
                    new.push(it);
                }
            }
            if new.is_empty() {
                break;
            }
            last = new;
        }
        steps.into_iter().map(Option::unwrap).collect()
    }
}

/// Every problem of so many packets on a grid against the bounds. Returns how many there are, and how many can be routed in no
/// more steps.
fn hold(grid: &Grid, count: u32) -> (usize, usize) {
    let everything = Everything::new(grid, count);
    let (mut problems, mut reached) = (0, 0);
    for from in 0..everything.after.len() {
        let begin = everything.places(from);
        for (to, steps) in everything.fewest(from).into_iter().enumerate() {
            let end = everything.places(to);
            let problem: Vec<_> = begin.iter().copied().zip(end).collect();
            let least = packets(grid, &problem).into_iter().max().unwrap();
            assert!(
                least <= steps,
                "{problem:?} on {grid:?}: {steps} < {least} steps"
            );
            problems += 1;
            reached += usize::from(least == steps);
        }
    }
    (problems, reached)
}

#[test]
fn no_algorithm_beats_the_bounds() {
    let mesh = |sides: &[u32]| Grid::mesh(sides).unwrap();
    let torus = |sides: &[u32]| Grid::torus(sides).unwrap();
    let cases = [
        (mesh(&[2]), 5),
        (torus(&[2]), 5),
        (mesh(&[3]), 4),
        (torus(&[3]), 4),
        (mesh(&[4]), 3),
        (torus(&[4]), 3),
        (torus(&[5]), 3),
        (mesh(&[1, 3]), 3),
        (mesh(&[2, 2]), 4),
        (torus(&[2, 2]), 4),
    ];
    for (grid, count) in cases {
        let (problems, reached) = hold(&grid, count);
        // Few small problems take longer.
        assert!(5 * reached > 4 * problems, "{reached} of {problems}");
        // Between two nodes there is nothing but the one cut.
        assert!(grid.nodes() > 2 || reached == problems);
    }
}
