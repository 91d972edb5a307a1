//! How long it takes to schedule worms on one thread.
//!
//! `cargo bench -p flitwork-schedule` schedules a random permutation of a 256 x 256 mesh, worms of 8 words, for about a second
//! each order and choice of paths.

use flitwork_schedule::Request;
use flitwork_schedule::worms::{Bends, Order, first_fit};
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use std::io::{self, Write};
use std::time::{Duration, Instant};

const SIDE: u32 = 256;
const WORDS: u32 = 8;

/// A permutation by a table that looks random.
fn permutation(nodes: u32) -> Vec<Request> {
    let mut order: Vec<u32> = (0..nodes).collect();
    let mut state = 1u64;
    for last in (1..order.len()).rev() {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        order.swap(last, (state >> 33) as usize % (last + 1));
    }
    let ends = (0..).map(NodeId).zip(order.into_iter().map(NodeId));
    ends.map(|(source, destination)| Request {
        source,
        destination,
        words: WORDS,
    })
    .collect()
}

fn main() -> io::Result<()> {
    // `cargo test` builds it, and needs no figures.
    if !std::env::args().any(|it| it == "--bench") {
        return Ok(());
    }
    let mesh = Grid::mesh(&[SIDE, SIDE]).expect("a mesh");
    let requests = permutation(mesh.nodes());
    for bends in [Bends::HorizontalFirst, Bends::Either] {
        for order in [
            Order::RowMajor,
            Order::ColumnMajor,
            Order::Random,
            Order::LongestFirst,
            Order::ShortestFirst,
            Order::Lexicographic,
        ] {
            let (begun, mut least, mut steps) = (Instant::now(), f64::INFINITY, 0);
            while begun.elapsed() < Duration::from_secs(1) {
                let begun = Instant::now();
                let starts =
                    first_fit(&mesh, &requests, (order, 1), bends).expect("worms of the mesh");
                least = least.min(begun.elapsed().as_secs_f64());
                let all = starts.iter().zip(&requests);
                let ends = all.map(|(start, request)| start.end(&mesh, request));
                steps = ends.max().unwrap_or(0);
            }
            let (name, ms) = (format!("{bends:?}, {order:?}"), least * 1e3);
            writeln!(io::stdout(), "{name}: {ms:.0} ms, {steps} steps")?;
        }
    }
    Ok(())
}
