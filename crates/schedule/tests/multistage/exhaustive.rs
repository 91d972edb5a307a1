//! Theorem 3, for all permutations of small meshes: the longest total distance first, ties by source, row by row.

use crate::mesh;
use flitwork_schedule::multistage::Rules;
use flitwork_schedule::multistage::count::{Counter, Counts, parts};
use std::thread;

fn always(_: u64) -> bool {
    true
}

/// Counts all permutations, on so many threads.
fn every(rows: u32, columns: u32, rules: Rules, threads: usize) -> Counts {
    let mesh = mesh(rows, columns);
    let parts = parts(&mesh);
    let count = |skip: usize| {
        let mut counter = Counter::new(mesh.clone(), rules);
        let parts = parts.iter().skip(skip).step_by(threads);
        parts
            .map(|part| counter.part(part, &mut |_| (), &mut always))
            .fold(Counts::default(), Counts::with)
    };
    thread::scope(|scope| {
        let all: Vec<_> = (0..threads)
            .map(|skip| scope.spawn(move || count(skip)))
            .collect();
        let all = all.into_iter().map(|one| one.join().expect("counts"));
        all.fold(Counts::default(), Counts::with)
    })
}

fn misses(rows: u32, columns: u32, threads: usize) -> (u64, u64) {
    let counts = every(rows, columns, Rules::default(), threads);
    (counts.misses, counts.permutations)
}

#[test]
fn small_meshes_miss_nothing() {
    for (columns, permutations) in [(2, 24), (3, 720), (4, 40_320)] {
        assert_eq!(misses(2, columns, 1), (0, permutations), "2 x {columns}");
    }
    assert_eq!(misses(3, 3, 1), (0, 362_880));
    assert_eq!(misses(2, 5, 1), (0, 3_628_800));
}

/// Turned, the mesh of 2 rows and 4 columns does miss.
#[test]
fn four_rows_of_two_miss_156() {
    assert_eq!(misses(4, 2, 1), (156, 40_320));
}

/// Takes minutes.
#[test]
#[ignore = "479,001,600 permutations"]
fn two_rows_of_six_miss_nothing() {
    assert_eq!(misses(2, 6, 2), (0, 479_001_600));
}

/// Theorem 3 says that there is none. Takes minutes.
#[test]
#[ignore = "479,001,600 permutations"]
fn three_rows_of_four_miss_19964() {
    assert_eq!(misses(3, 4, 2), (19_964, 479_001_600));
}
