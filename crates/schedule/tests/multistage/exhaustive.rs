//! Theorem 3, for all permutations of small meshes: the longest total distance first, ties by source, row by row.

use crate::{every, mesh};
use flitwork_schedule::multistage::Rules;
use flitwork_schedule::multistage::count::{Counter, parts};

fn misses(rows: u32, columns: u32, threads: usize) -> (u64, u64) {
    let counts = every(rows, columns, Rules::default(), threads);
    (counts.misses, counts.permutations)
}

#[test]
fn small_meshes_miss_nothing() {
    for (columns, permutations) in [(2, 24), (3, 720), (4, 40_320)] {
        assert_eq!(misses(2, columns, 1), (0, permutations), "2 x {columns}");
    }
    assert_eq!(misses(3, 3, 2), (0, 362_880));
    assert_eq!(misses(2, 5, 2), (0, 3_628_800));
}

/// Turned, the mesh of 2 rows and 4 columns does miss.
#[test]
fn four_rows_of_two_miss_156() {
    assert_eq!(misses(4, 2, 1), (156, 40_320));
}

/// Takes 3 minutes of processor time, on two threads.
#[test]
#[ignore = "479,001,600 permutations"]
fn two_rows_of_six_miss_nothing() {
    assert_eq!(misses(2, 6, 2), (0, 479_001_600));
}

/// Theorem 3 says that there is none. Takes 3 1/2 minutes of processor time, on two threads.
#[test]
#[ignore = "479,001,600 permutations"]
fn three_rows_of_four_miss_19964() {
    assert_eq!(misses(3, 4, 2), (19_964, 479_001_600));
}

#[test]
fn counting_can_be_stopped() {
    let mesh = mesh(3, 4);
    let part = &parts(&mesh)[0];
    let mut counter = Counter::new(mesh, Rules::default());
    let mut asked = Vec::new();
    let counts = counter.part(part, &mut |_| (), &mut |done| {
        asked.push(done);
        asked.len() < 3
    });
    assert_eq!(counts.permutations, *asked.last().expect("asked"));
    assert!(counts.permutations > 0 && counts.permutations < 3_628_800);
    assert_eq!(
        counter
            .random(1, 0..9, &mut |_| (), &mut |_| false)
            .permutations,
        0
    );
}
