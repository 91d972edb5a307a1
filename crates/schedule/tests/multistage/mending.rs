//! What helps permutations that miss the longest distance.

use crate::mesh;
use flitwork_schedule::multistage::count::Counter;
use flitwork_schedule::multistage::{Mended, Mender, Mesh, Rules};

/// What helps the first permutations that miss, of so many random ones.
fn mended(rows: u32, columns: u32, permutations: u64) -> Vec<Mended> {
    let mut missed = Vec::new();
    let mut counter = Counter::new(mesh(rows, columns), Rules::default());
    counter.random(
        2,
        0..permutations,
        &mut |it| missed.push(it.to_vec()),
        &mut |_| true,
    );
    let mut mender = Mender::new(mesh(rows, columns), 200);
    let mend = |destinations: &Vec<u32>| {
        let requests = Mesh::permutation(destinations);
        mender
            .mend(&requests, &Rules::default())
            .expect("a problem")
    };
    missed.iter().map(mend).collect()
}

#[test]
fn most_are_mended_by_ties() {
    let mended = mended(4, 4, 400_000);
    let ties = mended.iter().filter(|it| it.ties.is_some()).count();
    assert!(
        mended.len() > 30 && 10 * ties >= 9 * mended.len(),
        "{ties} of {}",
        mended.len()
    );
}

#[test]
fn what_misses_nothing_is_mended_by_anything() {
    let requests = Mesh::permutation(&[3, 2, 1, 0]);
    let mended = Mender::new(mesh(2, 2), 1).mend(&requests, &Rules::default());
    let mended = mended.expect("a problem");
    assert!(mended.is_mended() && mended.ties == Some(0) && mended.waiting && mended.detours);
}

/// So many tries are those from 0 on, and none of that number or above: with none nothing is tried, though try 0 would do; with one
/// more than the number of the first that does, it is found, and with as many as its number it isn't.
#[test]
fn no_more_is_tried_than_was_asked_for() {
    let tried = |side, destinations: &[u32], tries| {
        let requests = Mesh::permutation(destinations);
        let mended = Mender::new(mesh(side, side), tries).mend(&requests, &Rules::default());
        let Mended { ties, restarts, .. } = mended.expect("a problem");
        [ties, restarts]
    };
    // Nobody is in the way, whatever the order: of its two links each packet shares neither that from its source in step 0 nor that
    // to its destination in step 1.
    let reversal = |tries| tried(2, &[3, 2, 1, 0], tries);
    assert_eq!([reversal(0), reversal(1)], [[None; 2], [Some(0); 2]]);
    let misses = [0, 3, 7, 15, 12, 1, 5, 9, 14, 2, 4, 13, 8, 10, 6, 11];
    let [ties, restarts] = tried(4, &misses, 200).map(|it| it.expect("200 tries are enough"));
    for (place, number) in [ties, restarts].into_iter().enumerate() {
        assert_eq!(tried(4, &misses, number)[place], None);
        assert_eq!(tried(4, &misses, number + 1)[place], Some(number));
    }
}

/// What helps the three that are known: of the last one no tie order and no restart was seen to.
#[test]
fn known_ones_are_mended_by_waiting() {
    let mend = |rows, columns, destinations: &[u32]| {
        let requests = Mesh::permutation(destinations);
        let mended = Mender::new(mesh(rows, columns), 1000).mend(&requests, &Rules::default());
        mended.expect("a problem")
    };
    let every_tie_order = mend(3, 4, &[3, 6, 9, 10, 7, 2, 11, 4, 8, 0, 1, 5]);
    assert!(every_tie_order.waiting && every_tie_order.restarts.is_some());
    assert_eq!(
        (every_tie_order.ties, every_tie_order.detours),
        (None, false)
    );
    let ties = mend(
        4,
        4,
        &[0, 3, 7, 15, 12, 1, 5, 9, 14, 2, 4, 13, 8, 10, 6, 11],
    );
    assert!(ties.ties.is_some() && ties.waiting && ties.detours);
    let no_order = mend(
        4,
        4,
        &[1, 13, 14, 0, 7, 10, 9, 3, 11, 6, 8, 15, 4, 5, 2, 12],
    );
    let waiting = Mended {
        waiting: true,
        waiting_and_detours: true,
        ..Mended::default()
    };
    assert_eq!(no_order, waiting);
}

/// On 3 rows of 4 columns ties mend a half, on 4 x 4 more than nine tenths; restarts mend nearly all, detours four fifths, and
/// waiting all. Takes 4 seconds.
#[test]
#[ignore = "8,000,000 permutations"]
fn many_are_mended() {
    let count =
        |mended: &[Mended], is: fn(&Mended) -> bool| mended.iter().filter(|it| is(it)).count();
    for (rows, least) in [(3, [30, 97, 100, 70]), (4, [90, 97, 100, 70])] {
        let mended = mended(rows, 4, 4_000_000);
        assert!(mended.len() > 100);
        let percents = [
            count(&mended, |it| it.ties.is_some()),
            count(&mended, |it| it.restarts.is_some()),
            count(&mended, |it| it.waiting),
            count(&mended, |it| it.detours),
        ];
        let percents = percents.map(|of| 100 * of / mended.len());
        let holds = percents.iter().zip(&least).all(|(is, least)| is >= least);
        assert!(holds, "{rows} rows: {percents:?} %");
    }
}
