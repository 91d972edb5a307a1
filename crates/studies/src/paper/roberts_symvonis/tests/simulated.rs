//! Worms routed as packets of supernodes: the paper's sizes, and what is played.

use super::super::rounds::{Case, Problem};
use super::super::simulated::Row;
use super::{number, rows, run};
use crate::{End, Failed};
use flitwork_schedule::Request;
use flitwork_schedule::simulation::Supernode;
use flitwork_types::NodeId;
use serde_json::Value;
use std::ops::ControlFlow;

/// What holds for every row with k = 4 and f = 12.
fn hold(row: &Value, across: u64) {
    assert_eq!(number(row, "side"), 9);
    assert_eq!(number(row, "n"), 9 * across);
    assert_eq!(number(row, "cycle"), 32);
    assert_eq!(number(row, "rounds"), 6561);
    assert!(number(row, "superstep_steps") <= 200, "{row}");
    assert_eq!(number(row, "queue_limit"), 8);
    assert!(number(row, "longest_queue") <= 8, "{row}");
    assert_eq!(row["rounds_played"], row["rounds_equal"], "{row}");
    let longest = number(row, "longest_round");
    assert_eq!(number(row, "extrapolated_steps"), 6561 * longest);
    // Theorem 2 is about permutations.
    if row["pattern"] == "many-to-one" {
        assert_eq!(row["theorem_2_ratio"], Value::Null);
    } else {
        let scale = 48.0_f64.powi(5).sqrt() * 9.0 * across as f64;
        let ratio = (6561 * longest) as f64 / scale;
        let shown = row["theorem_2_ratio"].as_f64().unwrap();
        assert!((shown - ratio).abs() < 1e-3, "{row}");
    }
    assert!(number(row, "steps") <= number(row, "rounds_with_worms") * longest);
    // All supersteps, of which the last needn't wait for its death cycle's end, and at each round's ends at most as many steps
    // as a death cycle has and the side twice.
    let supersteps = number(row, "supersteps");
    let ends = number(row, "rounds_with_worms") * (52 + 2 * 9 + 4);
    let most = supersteps * number(row, "superstep_steps") + ends;
    assert!(
        (supersteps * 136..=most).contains(&number(row, "steps")),
        "{row}"
    );
}

#[test]
fn eighteen_by_eighteen() {
    let found = rows("--simulate --k 4 --f 12 --supernodes 2 --seeds 2 --play 5");
    let patterns = found.iter().map(|row| row["pattern"].as_str().unwrap());
    let patterns: Vec<&str> = patterns.collect();
    assert_eq!(patterns, ["random", "random", "reversal", "transpose"]);
    for row in &found {
        hold(row, 2);
        assert_eq!(number(row, "worms"), 324);
        assert_eq!(number(row, "superstep_steps"), 136);
        assert_eq!(number(row, "rounds_played"), 6);
    }
    // Opposite places: 81 pairs of them, and in each pair two supersteps to the supernode opposite.
    let of_reversal = ["rounds_with_worms", "supersteps"].map(|key| number(&found[2], key));
    assert_eq!(of_reversal, [81, 162]);
    let other = found[0]["steps"] != found[1]["steps"];
    assert!(other, "two seeds drew the same");
}

#[test]
fn all_rounds_of_the_whole_algorithm() {
    let found = rows("--simulate --full --seeds 1 --play 3");
    hold(&found[0], 2);
    let counts = ["rounds_with_worms", "worms", "rounds_played"].map(|key| number(&found[0], key));
    assert_eq!(counts, [6561, 4 * 6561, 4]);
}

#[test]
fn many_to_one_is_consumed_in_each_superstep() {
    let found = rows("--simulate --many-to-one --supernodes 1,3 --seeds 1 --play 2");
    for (row, across) in found.iter().zip([1, 3]) {
        hold(row, across);
        assert_eq!(number(row, "superstep_steps"), 136 + 52);
        assert_eq!(number(row, "worms"), 81 * across * across);
    }
}

/// The first rounds of a case: what is routed of it, and the worms of each.
fn first_rounds(case: Case, count: usize) -> Vec<Vec<Request>> {
    let simulation = case.simulation().unwrap();
    case.rounds(&simulation).unwrap().take(count).collect()
}

fn case(words: u32, packets: u32, across: u32, problem: Problem) -> Case {
    Case {
        supernode: Supernode::new(words, packets).unwrap(),
        across,
        problem,
        seed: 1,
    }
}

/// A side of 257 has more than 2^32 rounds, and 200 x 200 supernodes more worms in all rounds than memory holds.
#[test]
fn full_rounds_are_made_one_by_one() {
    for case in [
        case(4, 16_380, 1, Problem::Full),
        case(4, 12, 200, Problem::Full),
    ] {
        let cells = case.across * case.across;
        let simulation = case.simulation().unwrap();
        for round in first_rounds(case, 3) {
            assert_eq!(round.len() as u32, cells, "{case}");
            let mut to: Vec<_> = round
                .iter()
                .map(|worm| simulation.locate(worm.destination).0)
                .collect();
            to.sort_unstable();
            to.dedup();
            assert_eq!(to.len() as u32, cells, "{case}: not a permutation");
        }
    }
}

/// 15 worms to the first of 4 x 4 supernodes, where they stay until the round ends: 8 is the most for f = 12.
#[test]
fn a_queue_that_is_too_long_is_bad_input() {
    let case = case(4, 12, 4, Problem::Full);
    let simulation = case.simulation().unwrap();
    let worm = |cell: u32| Request {
        source: NodeId(cell / 4 * 9 * 36 + cell % 4 * 9),
        destination: NodeId(0),
        words: 4,
    };
    let route = |worms: Vec<Request>| {
        let mut row = Row::new(case, &simulation);
        let mut control = |_| ControlFlow::Continue(());
        row.route(&simulation, [worms].into_iter(), 1, &mut control)
    };
    assert!(route((1..9).map(worm).collect()).is_ok());
    match route((1..16).map(worm).collect()) {
        Err(Failed::BadInput(message)) => {
            for part in ["k = 4, f = 12", "a queue may have 8"] {
                assert!(message.contains(part), "{message}");
            }
        }
        other => panic!("{other:?}"),
    }
}

fn refused(line: &str, says: &[&str]) {
    match run(line, u32::MAX) {
        Err(Failed::BadInput(message)) => {
            for part in says {
                assert!(message.contains(part), "{line}: {message}");
            }
        }
        other => panic!("{line}: {other:?}"),
    }
}

/// Whatever comes first on the command line: nothing is run before all of it is known to make sense.
#[test]
fn all_is_refused_before_anything_is_run() {
    for line in [
        "--simulate --supernodes 2,4096",
        "--simulate --k 4,65536",
        "--simulate --f 12,13",
    ] {
        // Stopped at the first run: a run that began would end well.
        match run(line, 0) {
            Err(Failed::BadInput(_)) => {}
            other => panic!("{line}: {other:?}"),
        }
    }
    refused("--simulate --k 65536", &["--k", "65535", "--play 0"]);
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    refused("--simulate --f 13", &["--k, --f", "13 packets", "32"]);
    refused("--simulate --f 4", &["4 packets", "12"]);
    refused("--simulate --k 5", &["5 words", "16"]);
    refused("--simulate --k 1", &["1 words", "4"]);
    refused("--simulate --k 4000000000 --f 12", &["--k"]);
    refused("--simulate --supernodes 0", &["--supernodes"]);
    refused(
        "--simulate --supernodes 4096",
        &["--supernodes", "1 to 455"],
    );
    refused(
        "--simulate --pattern bit-reversal",
        &["--pattern", "18 x 18", "a power of two"],
    );
    refused("--f 12", &["--simulate"]);
    refused("--simulate --n 18", &["--n"]);
    refused("--simulate --order longest-first", &["--order"]);
    refused("--simulate --full --many-to-one", &["--full"]);
}

#[test]
fn a_stop_leaves_the_rows_that_are_done() {
    let all = "--simulate --pattern reversal,transpose --play 0";
    let whole = rows(all);
    let (end, json) = run(all, 1).unwrap();
    assert_eq!(end, End::Interrupted);
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["steps"], whole[0]["steps"]);
    assert_eq!((whole.len(), number(&whole[0], "rounds_played")), (2, 0));
}
