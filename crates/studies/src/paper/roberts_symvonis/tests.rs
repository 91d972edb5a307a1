//! Rows as JSON, from the options of the command line.

mod simulated;

use crate::context::tests::Silent;
use crate::{End, Failed};
use flitwork_schema::Part;
use serde_json::Value;

fn run(line: &str, stops_at: u32) -> Result<(End, Value), Failed> {
    let entry = super::EXPERIMENTS[0];
    assert_eq!(entry.name(), "roberts-symvonis");
    let command = entry.0.command().no_binary_name(true);
    let args = line.split_whitespace().chain(["--json"]);
    let matches = command.try_get_matches_from(args);
    let matches = matches.map_err(Failed::bad_input)?;
    let mut context = Silent::new(stops_at);
    let end = entry.0.run(&matches, &mut context)?;
    Ok((end, serde_json::from_str(&context.printed()).unwrap()))
}

fn rows(line: &str) -> Vec<Value> {
    let (end, json) = run(line, u32::MAX).unwrap();
    assert_eq!(end, End::Fine);
    json["rows"].as_array().unwrap().clone()
}

fn number(row: &Value, key: &str) -> u64 {
    row[key].as_u64().unwrap_or_else(|| panic!("{key}: {row}"))
}

/// Theorem 1 for every order, with what no schedule can be shorter than: the longest distance and the words behind the first.
#[test]
fn schedules_keep_the_bound() {
    let orders = "column-major,lexicographic,longest-first,random,row-major,shortest-first";
    let rows = rows(&format!("--n 2,8,16 --k 1,2,5 --order {orders} --seeds 2"));
    // Three patterns once and one for each of two seeds; the random order for each seed of all four.
    assert_eq!(rows.len(), 3 * 3 * (5 * 5 + 4 * 2));
    for row in &rows {
        let [n, k, steps] = ["n", "k", "makespan"].map(|key| number(row, key));
        let bound = (2 * n - 2) * (2 * k - 1) + 2 * n - 2 + k - 1;
        assert_eq!(number(row, "bound"), bound);
        assert!(steps <= bound, "{row}");
        assert!(steps >= number(row, "distance") + k - 1, "{row}");
        assert!(
            number(row, "latest_start") <= (2 * n - 2) * (2 * k - 1),
            "{row}"
        );
        let ratio = steps as f64 / (k * n) as f64;
        assert!((row["ratio"].as_f64().unwrap() - ratio).abs() < 1e-12);
        assert_eq!(row["select"], "horizontal-first");
    }
}

/// On a mesh of 2 x 2 by hand. Transposed, nodes 1 and 2 swap, over two links each, and are in nobody's way.
#[test]
fn a_transpose_of_two_by_two() {
    for select in ["horizontal-first", "either"] {
        let rows = rows(&format!(
            "--n 2 --k 3 --pattern transpose --select {select}"
        ));
        assert_eq!(rows.len(), 1);
        let keys = ["makespan", "distance", "latest_start", "bound", "seed"];
        // 2 links and 2 more words; 2 (2 * 3 - 1) + 2 + 2.
        assert_eq!(keys.map(|key| number(&rows[0], key)), [4, 2, 0, 14, 1]);
    }
}

/// Longest-first, as measured for n >= 64 and k >= 2: at most 1.15 kn. Long worms that may also go vertically first nearly
/// halve it where one-bend paths crowd.
#[test]
fn longest_first_takes_little_more_than_kn() {
    let rows = rows("--n 64 --k 2,8 --select horizontal-first,either");
    assert_eq!(rows.len(), 2 * (3 + 3) * 2);
    for row in &rows {
        let ratio = row["ratio"].as_f64().unwrap();
        assert!(ratio <= 1.15, "{row}");
        let is_crowded = ["transpose", "bit-reversal"].contains(&row["pattern"].as_str().unwrap());
        if row["select"] == "either" && row["k"] == 8 && is_crowded {
            assert!(ratio <= 0.8, "{row}");
        }
    }
}

#[test]
fn seeds_draw_other_permutations_and_equal_ones_the_same() {
    let line = "--n 16 --k 4 --pattern random --seeds 3";
    let timeless = |line: &str| {
        let mut rows = rows(line);
        for row in &mut rows {
            row.as_object_mut().unwrap().remove("seconds");
        }
        rows
    };
    let rows = timeless(line);
    assert_eq!(rows, timeless(line));
    let seeds: Vec<u64> = rows.iter().map(|row| number(row, "seed")).collect();
    assert_eq!(seeds, [1, 2, 3]);
    assert!(
        rows.iter()
            .any(|row| row["latest_start"] != rows[0]["latest_start"])
    );
}

#[test]
fn a_stop_leaves_the_rows_that_are_done() {
    let (end, json) = run("--n 4 --k 1 --pattern reversal,transpose,bit-reversal", 2).unwrap();
    assert_eq!(end, End::Interrupted);
    assert_eq!(json["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (line, says) in [
        ("--n 1", "--n: 1; allowed: 2 to 1024 nodes"),
        ("--n 64,1025", "--n: 1025; allowed: 2 to 1024 nodes"),
        ("--n 0", "allowed: a whole number from 1"),
        (
            "--n 12",
            "--n: 12; allowed with --pattern bit-reversal: powers of two up to 1024",
        ),
        ("--k 0", "from 1 to 65536"),
        ("--k 65537", "from 1 to 65536"),
        ("--k 2,2", "2 is given twice"),
        (
            "--pattern uniform",
            "bit-reversal, random, reversal, transpose",
        ),
        ("--order longest-total", "longest-first"),
        ("--select vertical", "horizontal-first, either"),
        ("--seeds 0", "from 1 to"),
    ] {
        match run(line, u32::MAX) {
            Err(Failed::BadInput(why)) => assert!(why.contains(says), "{line}: {why}"),
            other => panic!("{line}: {other:?}"),
        }
    }
    assert_eq!(rows("--n 12 --pattern reversal --k 65536").len(), 1);
}
