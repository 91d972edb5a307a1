//! `flitwork paper` with off-line algorithms: rows, figures, interruption, messages.

use crate::harness::{Folder, interrupt};
use serde_json::Value;
use std::thread::sleep;
use std::time::Duration;

fn rows(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let done = folder.fine(&[&["paper"], args, &["--json"]].concat());
    assert_eq!(done.err, "", "nothing to say");
    done.json()["rows"].as_array().unwrap().clone()
}

fn numbers(row: &Value, keys: &[&str]) -> Vec<u64> {
    let number = |key: &&str| row[*key].as_u64().unwrap_or_else(|| panic!("{key}: {row}"));
    keys.iter().map(number).collect()
}

#[test]
fn all_permutations_of_small_meshes() {
    let folder = Folder::new();
    let args = [
        "symvonis-tidswell",
        "--mesh",
        "2x2,2x3,2x4,3x3,4x2",
        "--exhaustive",
        "--ties",
        "row-major",
        "--plot",
        "misses.svg",
    ];
    let rows = rows(&folder, &args);
    let keys = ["rows", "columns", "permutations", "misses"];
    let counts: Vec<_> = rows.iter().map(|row| numbers(row, &keys)).collect();
    let expected = [
        [2, 2, 24, 0],
        [2, 3, 720, 0],
        [2, 4, 40_320, 0],
        [3, 3, 362_880, 0],
        [4, 2, 40_320, 156],
    ];
    assert_eq!(counts, expected);
    let figure = folder.read("misses.svg");
    assert!(figure.contains("misses in a million permutations"));
    assert!(figure.contains("longest-total"));
}

/// Options that other experiments have too are this one's own.
#[test]
fn one_permutation() {
    let folder = Folder::new();
    let given = "3,6,9,10,7,2,11,4,8,0,1,5";
    let args = ["symvonis-tidswell", "--mesh", "3x4", "--permutation", given];
    let rows = rows(&folder, &args);
    let keys = ["permutations", "misses", "worst_excess"];
    assert_eq!(rows.len(), 1);
    assert_eq!(numbers(&rows[0], &keys), [1, 1, 1]);
    let text = folder.fine(&[&["paper"], &args[..]].concat()).out;
    assert!(
        text.contains("worst_excess") && text.contains("given"),
        "{text}"
    );
}

#[test]
fn a_table_as_files() {
    let folder = Folder::new();
    let args = [
        "paper",
        "symvonis-tidswell",
        "--table",
        "9",
        "--permutations",
        "3",
        "--out",
        "out",
    ];
    folder.fine(&args);
    let (header, lines) = folder.table("out/symvonis-tidswell.csv");
    let place = |name: &str| header.iter().position(|it| it == name).unwrap();
    let cells = ["table", "printed", "misses"].map(|name| lines[0][place(name)].as_str());
    assert_eq!(cells, ["9", "160120", "0"]);
    assert!(folder.read("out/symvonis-tidswell.svg").starts_with("<svg"));
}

#[test]
fn an_interruption_leaves_what_was_counted() {
    let folder = Folder::new();
    let args = [
        "-v",
        "paper",
        "symvonis-tidswell",
        "--mesh",
        "2x2,3x4",
        "--exhaustive",
        "--json",
    ];
    let mut child = folder.start(&args);
    folder.wait_for(&mut child, "3x4, longest-total");
    sleep(Duration::from_millis(300));
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    assert!(done.err.contains("interrupted"), "{}", done.err);
    let json = done.json();
    let rows = json["rows"].as_array().unwrap();
    let keys = ["permutations", "of"];
    assert_eq!(numbers(&rows[0], &keys), [24, 24]);
    if let Some(row) = rows.get(1) {
        let counts = numbers(row, &keys);
        assert!(0 < counts[0] && counts[0] < counts[1], "{counts:?}");
    }
}

#[test]
fn worms_keep_the_bound() {
    let folder = Folder::new();
    let args = [
        "roberts-symvonis",
        "--n",
        "64",
        "--k",
        "2,8",
        "--plot",
        "w.svg",
    ];
    let rows = rows(&folder, &args);
    assert_eq!(rows.len(), 2 * (3 + 3));
    for row in &rows {
        let [n, k, steps, bound] = numbers(row, &["n", "k", "makespan", "bound"])[..] else {
            panic!("{row}");
        };
        assert_eq!(bound, (2 * n - 2) * (2 * k - 1) + 2 * n - 2 + k - 1);
        assert!(
            steps <= bound && row["ratio"].as_f64().unwrap() <= 1.15,
            "{row}"
        );
        assert_eq!(
            (&row["order"], &row["select"]),
            (&"longest-first".into(), &"horizontal-first".into())
        );
    }
    assert!(folder.read("w.svg").contains("k = 8, bit-reversal"));
}

#[test]
fn what_is_refused_says_what_is_allowed() {
    let folder = Folder::new();
    for (line, says) in [
        (
            "symvonis-tidswell --mesh 0x4",
            &["--mesh", "ROWSxCOLUMNS"][..],
        ),
        ("symvonis-tidswell --mesh 3by4", &["--mesh", "such as 3x4"]),
        (
            "symvonis-tidswell --mesh 4x4 --exhaustive",
            &["16 nodes", "up to 12 nodes"],
        ),
        (
            "symvonis-tidswell --order none",
            &["--order", "longest-total"],
        ),
        (
            "symvonis-tidswell --mesh 2x2 --permutation 0,1",
            &["2 destinations", "0 to 3"],
        ),
        (
            "symvonis-tidswell --k 2",
            &["--k: symvonis-tidswell doesn't read it"],
        ),
        (
            "roberts-symvonis --n 12",
            &["--n: 12", "bit-reversal", "powers of two"],
        ),
        ("roberts-symvonis --n 1", &["--n: 1", "2 to 1024"]),
        ("roberts-symvonis --k 0", &["--k", "1 to 65536"]),
        ("roberts-symvonis --k 65537", &["--k", "1 to 65536"]),
        (
            "roberts-symvonis --order longest-total",
            &["--order", "longest-first"],
        ),
        (
            "chinn-bounds --rule none",
            &[
                "--rule: none of the rules is called `none`",
                "alternating, derouting",
            ],
        ),
        (
            "chinn-bounds --inqueue none",
            &["--inqueue: ", "`none`", "fixed, round-robin"],
        ),
        (
            "chinn-upper --permutation 3",
            &["--permutation", "random, reversal, transpose"],
        ),
    ] {
        let args: Vec<&str> = ["paper"].into_iter().chain(line.split(' ')).collect();
        folder.refuses(&args, says);
    }
}
