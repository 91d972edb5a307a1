//! The multistage method: the paper's claims, and what is known to contradict them.

mod bounds;
mod counts;
mod exhaustive;
mod known;
mod mending;
mod names;
mod plans;
mod search;

use flitwork_schedule::Request;
use flitwork_schedule::multistage::count::{Counter, Counts, parts};
use flitwork_schedule::multistage::{Mesh, ORDERS, Rules, Selection, Ties};
use flitwork_topology::Grid;
use flitwork_types::NodeId;
use proptest::prelude::*;
use std::thread;

/// A mesh, as the paper names it.
fn mesh(rows: u32, columns: u32) -> Mesh {
    Mesh::new(&Grid::mesh(&[columns, rows]).expect("a grid")).expect("a mesh")
}

/// Counts all permutations of a mesh, on so many threads.
fn every(rows: u32, columns: u32, rules: Rules, threads: usize) -> Counts {
    let mesh = mesh(rows, columns);
    let parts = parts(&mesh);
    let count = |skip: usize| {
        let mut counter = Counter::new(mesh.clone(), rules);
        let parts = parts.iter().skip(skip).step_by(threads);
        parts
            .map(|part| counter.part(part, &mut |_| (), &mut |_| true))
            .fold(Counts::default(), Counts::with)
    };
    if threads == 1 {
        return count(0);
    }
    thread::scope(|scope| {
        let count = &count;
        let all: Vec<_> = (0..threads)
            .map(|skip| scope.spawn(move || count(skip)))
            .collect();
        let all = all.into_iter().map(|one| one.join().expect("counts"));
        all.fold(Counts::default(), Counts::with)
    })
}

/// Counts random permutations.
fn some(rows: u32, columns: u32, rules: Rules, permutations: u64) -> Counts {
    let mut counter = Counter::new(mesh(rows, columns), rules);
    counter.random(1, 0..permutations, &mut |_| (), &mut |_| true)
}

prop_compose! {
    /// Any rules.
    fn rules()(
        order in 0..ORDERS.len(),
        ties in 0..Ties::ALL.len(),
        seed: u64,
        selection in 0..Selection::ALL.len(),
    ) -> Rules {
        Rules {
            order: ORDERS[order],
            ties: Ties::ALL[ties].1,
            seed,
            selection: Selection::ALL[selection].1,
        }
    }
}

/// Any packets between nodes.
fn packets(nodes: u32, words: u32) -> impl Strategy<Value = Vec<Request>> {
    let request =
        (0..nodes, 0..nodes, 1..=words).prop_map(|(source, destination, words)| Request {
            source: NodeId(source),
            destination: NodeId(destination),
            words,
        });
    prop::collection::vec(request, 0..3 * nodes as usize)
}
