//! How many permutations a second are scheduled on one thread, and the memory of a large one.
//!
//! `cargo bench -p flitwork-schedule` schedules random permutations by the longest total distance first, for about a second a
//! mesh. Figures count the making of the permutations too.

use flitwork_schedule::multistage::count::{Counter, random_permutation};
use flitwork_schedule::multistage::{Mesh, Rules, Scheduler};
use flitwork_topology::Grid;
use std::io::{self, Write};
use std::time::{Duration, Instant};

fn mesh(side: u32) -> Mesh {
    Mesh::new(&Grid::mesh(&[side, side]).expect("a grid")).expect("a mesh")
}

/// Counts permutations in lots, and writes how many are scheduled a second: the most of all lots.
fn measure(side: u32, lot: u64) -> io::Result<()> {
    let mut counter = Counter::new(mesh(side), Rules::default());
    let (begun, mut most, mut next) = (Instant::now(), 0.0f64, 0);
    while begun.elapsed() < Duration::from_secs(1) {
        let lot_begun = Instant::now();
        counter.random(1, next..next + lot, &mut |_| (), &mut |_| true);
        most = most.max(lot as f64 / lot_begun.elapsed().as_secs_f64());
        next += lot;
    }
    writeln!(
        io::stdout(),
        "{side} x {side}: {most:.0} permutations a second"
    )
}

/// The most memory that the process has held up to now, in MB, where Linux tells.
fn peak_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024 / 1_000_000)
}

/// Schedules one permutation, and writes what the process has held at most after it.
fn memory(side: u32) -> io::Result<()> {
    let mesh = mesh(side);
    let mut destinations = vec![0; mesh.nodes() as usize];
    random_permutation(1, 0, &mut destinations);
    let requests = Mesh::permutation(&destinations);
    let mut scheduler = Scheduler::new(mesh);
    let begun = Instant::now();
    let summary = scheduler
        .schedule(&requests, &Rules::default())
        .expect("a problem");
    writeln!(
        io::stdout(),
        "{side} x {side}: at most {} MB; {:.2} s, the latest start {}",
        peak_mb().map_or("?".into(), |mb| mb.to_string()),
        begun.elapsed().as_secs_f64(),
        summary.latest_start
    )
}

fn main() -> io::Result<()> {
    // `cargo test` builds it, and needs no figures.
    if !std::env::args().any(|it| it == "--bench") {
        return Ok(());
    }
    measure(10, 1000)?;
    measure(64, 10)?;
    measure(180, 5)?;
    memory(1024)
}
