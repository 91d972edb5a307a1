//! The rows, on small networks.

use super::{LivelockSearch, SearchRow};
use crate::context::tests::Silent;
use crate::contract::{Ran, Study};
use clap::{Args, Command, FromArgMatches};

fn rows(options: &str) -> Vec<SearchRow> {
    let command = LivelockSearch::augment_args(Command::new("x"));
    let command = command.mut_args(|it| match it.get_action() {
        clap::ArgAction::Append => it.value_delimiter(','),
        _ => it,
    });
    let words = std::iter::once("x").chain(options.split_whitespace());
    let study = LivelockSearch::from_arg_matches(&command.get_matches_from(words)).unwrap();
    match study.run(&mut Silent::new(u32::MAX)).unwrap() {
        Ran::Whole(rows) => rows,
        _ => panic!("stopped"),
    }
}

/// On a ring of 4 the shift by two livelocks, whose destinations are 2, 3, 0, 1: each node's packet goes to and fro. It is the only one
/// of 24: in any other some node has no packet of two hops, or its own at home already, and its east output is free in time.
#[test]
fn one_permutation_of_a_ring_of_four_livelocks() {
    let rows = rows("--n 4 --topology torus --deadline 5000 --jobs 1");
    let [row] = &rows[..] else { panic!("one row") };
    let found: Vec<&[u32]> = row
        .livelocked
        .iter()
        .map(|it| &it.destinations[..])
        .collect();
    assert_eq!((row.tried, row.is_all, row.part()), (24, true, None));
    assert_eq!(found, [[2, 3, 0, 1]]);
    // Phases and steps of one length leave it there; periods 1 % apart and drawn steps don't.
    let escapes: Vec<u64> = (0..4).map(|tried| row.escaped(tried)).collect();
    assert_eq!(escapes, [0, 1, 0, 1]);
    assert_eq!(row.example().as_deref(), Some("[2,3,0,1]"));
}

/// On a line of 4 nobody livelocks, and with 2 frames, which draw at random, nobody on a ring of 4.
#[test]
fn a_line_of_nodes_and_two_frames_let_everyone_go() {
    for options in ["--n 4 --topology mesh", "--n 4 --topology torus --frames 2"] {
        let rows = rows(&format!("{options} --deadline 5000 --jobs 1"));
        assert!(rows[0].livelocked.is_empty(), "{options}");
    }
    let drawn = rows("--n 4 --topology mesh --most 20 --deadline 5000 --jobs 1");
    // None of 20: the upper end is 1 - 0.025^(1/20).
    let part = drawn[0].part().unwrap();
    assert!(part.low == 0.0 && (part.high - 0.16843).abs() < 1e-5);
}
