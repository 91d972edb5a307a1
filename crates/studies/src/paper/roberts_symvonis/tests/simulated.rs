//! Worms routed as packets of supernodes: the paper's sizes, and what is played.

use super::{number, rows, run};
use crate::{End, Failed};
use serde_json::Value;

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

#[test]
fn what_cannot_be_simulated_is_refused() {
    let refused = |line: &str, says: &[&str]| match run(line, u32::MAX) {
        Err(Failed::BadInput(message)) => {
            for part in says {
                assert!(message.contains(part), "{line}: {message}");
            }
        }
        other => panic!("{line}: {other:?}"),
    };
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
