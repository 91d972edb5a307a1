//! Supernodes of several sizes, and the worms that are routed on them.

mod geometry;
mod phases;
mod refused;
mod rounds;

use super::*;
use crate::draws::Draws;
use crate::{Plan, Request, check};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;

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
