//! Every column of a sweep's table against the results of the same points, run one by one.

use crate::harness::Folder;
use serde_json::Value;

/// The output of `flitwork run --json` for a point, with this many times the configured cycles.
fn run(folder: &Folder, load: &str, seed: &str, times: u32) -> Value {
    let warmup = format!("run.warmup_cycles={}", 200 * times);
    let measure = format!("run.measure_cycles={}", 12_000 * times);
    let load = format!("traffic.load={load}");
    let seed = format!("--seed={seed}");
    let stop = "run.stop_at_overload=true";
    folder
        .fine(&[
            "run",
            "small.toml",
            "--json",
            "--set",
            &load,
            &seed,
            "--set",
            stop,
            "--set",
            &warmup,
            "--set",
            &measure,
        ])
        .json()
}

/// What a column should hold; `None` for one that no results have.
fn expected(column: &str, results: &Value) -> Option<Value> {
    match column {
        "traffic.load" => Some(results["configured_load_words_per_node_cycle"].clone()),
        _ => results.get(column).cloned(),
    }
}

fn same(cell: &str, expected: &Value) -> bool {
    match expected {
        Value::Null => cell.is_empty(),
        Value::String(text) => cell == text,
        Value::Number(number) if number.is_f64() => {
            let (found, expected) = (cell.parse().unwrap_or(f64::NAN), number.as_f64().unwrap());
            (found - expected).abs() <= 1e-9 * expected.abs()
        }
        other => {
            let expected = other.to_string();
            cell == expected
        }
    }
}

/// Loads that are carried easily, carried for long enough to have an interval, and much too high.
#[test]
fn every_column_of_a_sweep_matches_its_runs() {
    let folder = Folder::new();
    let small = folder.read("small.toml");
    let long = small.replace("measure_cycles = 2000", "measure_cycles = 12000");
    folder.write("small.toml", long);
    let over = "traffic.load=0.02,0.1,0.3,0.95";
    folder.fine(&[
        "sweep",
        "small.toml",
        "--over",
        over,
        "--seeds",
        "2",
        "--out",
        "out",
    ]);
    let mut reader = csv::ReaderBuilder::new();
    let mut table = reader
        .comment(Some(b'#'))
        .from_path(folder.path("out/sweep.csv"))
        .unwrap();
    let columns = table.headers().unwrap().clone();
    let (mut rows, mut intervals, mut unsteady) = (0, 0, 0);
    for row in table.records() {
        let row = row.unwrap();
        let cell = |name: &str| &row[columns.iter().position(|it| it == name).unwrap()];
        let times: u32 = cell("times_the_cycles").parse().unwrap();
        assert!(times.is_power_of_two());
        let results = run(&folder, cell("traffic.load"), cell("seed"), times);
        for (column, cell) in columns.iter().zip(&row) {
            if column == "seconds" {
                assert!(cell.parse::<f64>().unwrap() > 0.0);
                continue;
            }
            match expected(column, &results) {
                Some(expected) => {
                    assert!(same(cell, &expected), "{column}: {cell}, a run {expected}");
                }
                None if column == "times_the_cycles" => {}
                None if column == "point" => assert_eq!(cell, rows.to_string()),
                None => panic!("column {column} isn't compared with results: add it here"),
            }
        }
        rows += 1;
        intervals += usize::from(!cell("latency_half_width_cycles").is_empty());
        unsteady += usize::from(cell("steady") == "false");
    }
    assert_eq!(rows, 8);
    assert!(intervals >= 2 && unsteady >= 2, "{intervals}, {unsteady}");
}
