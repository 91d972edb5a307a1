//! How many moves a second the machine makes on one thread.
//!
//! `cargo bench -p flitwork-steps` routes random permutations of a 64 x 64 mesh, for about a second a rule.

use flitwork_steps::linear::{Phases, Program};
use flitwork_steps::rules::{
    DimensionOrder, FarthestFirst, Fifo, Fixed, GreedyAdaptive, RoundRobin, StraightThrough,
};
use flitwork_steps::{Machine, Nobody, Rule, Store, Watcher};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use std::io::{self, Write};
use std::time::{Duration, Instant};

const SIDE: u32 = 64;

/// A permutation by a table that looks random.
fn permutation(nodes: u32, seed: u64) -> Vec<(NodeId, NodeId)> {
    let mut order: Vec<u32> = (0..nodes).collect();
    let mut state = seed.wrapping_mul(2) | 1;
    for last in (1..order.len()).rev() {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        order.swap(last, (state >> 33) as usize % (last + 1));
    }
    let to = order.into_iter().map(NodeId);
    (0..).map(NodeId).zip(to).collect()
}

/// Counts moves.
#[derive(Default)]
struct Moves(u64);

impl Watcher for Moves {
    fn stepped<T: Topology, R: Rule>(&mut self, machine: &Machine<'_, T, R>) {
        self.0 += machine.moves().len() as u64;
    }
}

/// Repeats a run that counts its moves and measures itself, and writes how many it makes a second: the most of all runs.
fn measure(name: &str, mut run: impl FnMut(u64) -> (u64, Duration)) -> io::Result<()> {
    let (begun, mut most, mut seed) = (Instant::now(), 0.0f64, 0);
    while begun.elapsed() < Duration::from_secs(1) {
        let (moves, took) = run(seed);
        most = most.max(moves as f64 / took.as_secs_f64());
        seed += 1;
    }
    writeln!(
        io::stdout(),
        "{name}: {:.2} million moves a second",
        most / 1e6
    )
}

fn rule<R: Rule>(name: &str, rule: &R, store: Store, batch: u32) -> io::Result<()> {
    let mesh = Grid::mesh(&[SIDE, SIDE]).expect("a mesh");
    measure(name, |seed| {
        let permutations =
            (0..u64::from(batch)).map(|it| permutation(mesh.nodes(), 99 * seed + it));
        let problem: Vec<_> = permutations.flatten().collect();
        let mut machine = Machine::new(&mesh, rule, store, &problem).expect("a problem");
        let (begun, mut moves) = (Instant::now(), 0);
        while machine.step(&mut Nobody) {
            moves += machine.moves().len() as u64;
        }
        (moves, begun.elapsed())
    })
}

fn main() -> io::Result<()> {
    // `cargo test` builds it, and needs no figures.
    if !std::env::args().any(|it| it == "--bench") {
        return Ok(());
    }
    let central = Store::Central(4);
    for batch in [1, 2] {
        let name = |name: &str| format!("{name}, {batch} packets a node");
        let greedy = GreedyAdaptive::<Fixed>::default();
        rule(
            &name("greedy adaptive, central queues of 4"),
            &greedy,
            central,
            batch,
        )?;
        let robin = GreedyAdaptive::<RoundRobin>::default();
        rule(
            &name("greedy adaptive, round robin"),
            &robin,
            central,
            batch,
        )?;
        let fifo = DimensionOrder::<Fifo, Fixed>::default();
        rule(
            &name("dimension order, first come first out"),
            &fifo,
            central,
            batch,
        )?;
        let farthest = DimensionOrder::<FarthestFirst, Fixed>::default();
        rule(
            &name("farthest first, unbounded"),
            &farthest,
            Store::Unbounded,
            batch,
        )?;
        rule(
            &name("straight through, 4 an incoming link"),
            &StraightThrough,
            Store::Incoming(4),
            batch,
        )?;
    }
    rule(
        "farthest first, unbounded, 32 packets a node",
        &DimensionOrder::<FarthestFirst, Fixed>::default(),
        Store::Unbounded,
        32,
    )?;
    let program = Program::new(81, Phases::Quiet).expect("a side of 81");
    measure("linear, 81 x 81, quiet phases", |seed| {
        let problem = permutation(81 * 81, seed);
        let (begun, mut moves) = (Instant::now(), Moves::default());
        program
            .run(&problem, &mut moves)
            .expect("a problem of the mesh");
        (moves.0, begun.elapsed())
    })
}
