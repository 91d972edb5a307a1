//! Supernodes of several sizes, and the worms that are routed on them.

mod geometry;
mod packets;
mod parts;
mod phases;
mod refused;
mod rounds;

use super::snakes::Slot;
use super::superstep::Tracks;
use super::walk::Walk;
use super::*;
use crate::draws::Draws;
use crate::{Plan, Request, check};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;

impl Supernode {
    /// The mesh of a supernode.
    fn mesh(&self) -> Grid {
        let side = self.side();
        Grid::mesh(&[side, side]).expect("a supernode is no larger than a network's mesh")
    }

    /// The node of the mesh at a place.
    fn node(&self, place: Place) -> NodeId {
        NodeId(place.row * self.side() + place.column)
    }
}

/// A schedule of any worms.
struct Schedule {
    /// A plan for each request, in their order, from the first step of the first round on.
    plans: Vec<Plan>,
    totals: Totals,
}

/// Routes any worms, round by round. A round without worms takes no steps.
fn schedule(simulation: &Simulation, requests: &[Request]) -> Schedule {
    let mut plans = vec![Plan::default(); requests.len()];
    let mut totals = Totals::default();
    for worms in simulation.partition_into_rounds(requests).unwrap() {
        let of_round: Vec<Request> = worms.iter().map(|worm| requests[*worm]).collect();
        let round = simulation.round(&of_round).unwrap();
        let start = totals.steps as u32;
        totals.add(&round);
        for (worm, mut plan) in worms.into_iter().zip(round.plans) {
            for hop in &mut plan.hops {
                hop.step += start;
            }
            plans[worm] = plan;
        }
    }
    Schedule { plans, totals }
}

/// Plays a schedule word by word: from its first hop to its last, each word crosses a link in every step, no two cross one link
/// in one step, and all end where they should.
fn every_word_moves(mesh: &Grid, requests: &[Request], plans: &[Plan], steps: u32) {
    let mut last_use = vec![None; (mesh.nodes() * 4) as usize];
    let all = requests.iter().enumerate();
    let mut words: Vec<(usize, u32, usize, NodeId)> = all
        .flat_map(|(worm, it)| (0..it.words).map(move |word| (worm, word, 0, it.source)))
        .collect();
    for step in 0..steps {
        for (worm, word, crossed, at) in &mut words {
            let hops = &plans[*worm].hops;
            let Some(hop) = hops.get(*crossed) else {
                continue;
            };
            if hop.step + *word != step {
                let is_under_way = *crossed > 0;
                assert!(!is_under_way, "word {word} of {worm} stops in step {step}");
                continue;
            }
            let link = &mut last_use[at.0 as usize * 4 + hop.port.index()];
            assert_ne!(*link, Some(step), "{at} {:?}", hop.port);
            *link = Some(step);
            *at = mesh.neighbour(*at, hop.port).expect("a mesh has the link");
            *crossed += 1;
        }
    }
    for (worm, _, crossed, at) in words {
        let done = (plans[worm].hops.len(), requests[worm].destination);
        assert_eq!((crossed, at), done, "worm {worm}");
    }
}

/// Holds plans to the crate's check, and to one that has nothing in common with it.
fn hold(mesh: &Grid, requests: &[Request], plans: &[Plan], steps: u32) {
    assert_eq!(check(mesh, requests, plans, 0), Ok(()));
    every_word_moves(mesh, requests, plans, steps);
}

fn simulation(sizes: [u32; 3], consumption: Consumption) -> Simulation {
    let [words, packets, across] = sizes;
    let supernode = Supernode::new(words, packets).unwrap();
    Simulation::new(supernode, across, consumption).unwrap()
}

/// The worms of a round: from the supernode of each number to that of the number in its place, from one place to another.
fn worms(sizes: [u32; 3], to: &[Option<u32>], from: Place, until: Place) -> Vec<Request> {
    let [words, packets, across] = sizes;
    let side = Supernode::new(words, packets).unwrap().side();
    let node = |cell: u32, place: Place| {
        let x = cell % across * side + place.column;
        let y = cell / across * side + place.row;
        NodeId(y * side * across + x)
    };
    let pairs = (0..)
        .zip(to)
        .filter_map(|(cell, to)| to.map(|to| (cell, to)));
    pairs
        .map(|(cell, to)| Request {
            source: node(cell, from),
            destination: node(to, until),
            words,
        })
        .collect()
}

/// All places of a supernode, row by row.
fn places(side: u32) -> impl Iterator<Item = Place> {
    (0..side).flat_map(move |row| (0..side).map(move |column| Place { column, row }))
}

/// A permutation.
fn shuffled(size: u32, draws: &mut Draws) -> Vec<u32> {
    let mut all: Vec<u32> = (0..size).collect();
    draws.shuffle(&mut all);
    all
}

/// The slots of a supernode.
fn slots(tracks: &Tracks) -> Vec<Slot> {
    let numbers = 0..tracks.supernode.packets() / 2;
    let all = Half::ALL
        .into_iter()
        .flat_map(|half| numbers.clone().map(move |number| Slot { half, number }));
    all.collect()
}

/// The directions in which a supernode of a mesh has a neighbour.
fn directions(cell: Cell, across: u32) -> Vec<Direction> {
    let all = Direction::ALL.into_iter();
    all.filter(|direction| match direction {
        Direction::North => cell.row > 0,
        Direction::East => cell.column + 1 < across,
        Direction::South => cell.row + 1 < across,
        Direction::West => cell.column > 0,
    })
    .collect()
}

/// A worm that comes to a slot as the supernode's clock is at 0, and has been in the storage for its whole length.
fn stored(tracks: &Tracks, cell: Cell, slot: Slot, start: u32) -> Walk {
    let words = tracks.supernode.words();
    let reading = tracks.timetable.reading(slot.number, 0);
    let behind = reading - words;
    let place = tracks.place(slot.half, behind);
    let first = start + u32::from(!cell.is_even()) - words;
    let mut walk = Walk::new(tracks.supernode.side(), cell, place, first);
    tracks.follow(&mut walk, slot.half, behind + 1..=reading);
    walk
}
