//! Every column of a sweep's table against the results of the same points, run one by one.

use crate::harness::Folder;
use serde_json::{Value, json};

/// What `flitwork run --json` gives for a point that took so many times the configured cycles.
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

/// An estimate's end: its mean, and so many half-widths.
fn end(estimate: &Value, half_widths: f64) -> Value {
    let (mean, half) = (&estimate["mean"], &estimate["half_width"]);
    match (mean.as_f64(), half.as_f64()) {
        (Some(mean), _) if half_widths == 0.0 => json!(mean),
        (Some(mean), Some(half)) => json!(mean + half_widths * half),
        _ => Value::Null,
    }
}

/// What a column ought to hold; `None` for one that no results have.
fn expected(column: &str, results: &Value) -> Option<Value> {
    let (latency, load) = (&results["latency"], &results["load"]);
    let (offered, accepted, mean) = (&load["offered"], &load["accepted"], &latency["mean"]);
    let unsteady = results["steady_text"].as_str().unwrap();
    let unsteady = unsteady.strip_prefix("not steady: ");
    Some(match column {
        "traffic.load" => load["configured"].clone(),
        "seed" => results["provenance"]["seed"].clone(),
        "status" | "digest" | "cycles" => results[column].clone(),
        "hops_per_packet" | "deroutes_per_packet" => results[column].clone(),
        "link_utilisation_mean" | "link_utilisation_max" => results[column].clone(),
        "steady" => json!(unsteady.is_none()),
        "state" => match &latency["not_steady"] {
            Value::Null => json!("steady"),
            reason => reason.clone(),
        },
        // Too few packets to judge by are no saturation.
        "saturated" => json!(
            unsteady.is_some() && latency["not_steady"] != json!("too few observations")
                || results["status"] == json!("failed")
        ),
        "reason" => json!(unsteady),
        "offered_load_words_per_node_cycle" => end(offered, 0.0),
        "offered_load_lower_words_per_node_cycle" => end(offered, -1.0),
        "offered_load_upper_words_per_node_cycle" => end(offered, 1.0),
        "accepted_load_words_per_node_cycle" => end(accepted, 0.0),
        "accepted_load_lower_words_per_node_cycle" => end(accepted, -1.0),
        "accepted_load_upper_words_per_node_cycle" => end(accepted, 1.0),
        // Of an overloaded network that of the packets delivered in its window.
        "latency_mean_cycles" if mean.is_null() => {
            latency["transient"]["window_mean_cycles"].clone()
        }
        "latency_mean_cycles" => end(mean, 0.0),
        "latency_lower_cycles" => end(mean, -1.0),
        "latency_upper_cycles" => end(mean, 1.0),
        "latency_p50_cycles" => latency["p50"].clone(),
        "latency_p90_cycles" => latency["p90"].clone(),
        "latency_p99_cycles" => latency["p99"].clone(),
        "latency_p999_cycles" => latency["p999"].clone(),
        "latency_max_cycles" => latency["max"].clone(),
        "network_latency_mean_cycles" => end(&results["network_latency"]["mean"], 0.0),
        "packets_created" => results["packets"]["created"].clone(),
        "packets_delivered" => results["packets"]["delivered"].clone(),
        _ => return None,
    })
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

/// Loads that are carried with room to spare, carried for long enough to have an interval, and far too much.
#[test]
fn every_column_of_a_sweep_is_that_of_its_runs() {
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
            match expected(column, &results) {
                Some(expected) => {
                    assert!(same(cell, &expected), "{column}: {cell}, a run {expected}");
                }
                None if column == "times_the_cycles" => {}
                None if column == "point" => assert_eq!(cell, rows.to_string()),
                None if column == "seconds" => assert!(cell.parse::<f64>().unwrap() > 0.0),
                None => panic!("column {column} isn't compared with results: add it here"),
            }
        }
        rows += 1;
        intervals += usize::from(!cell("latency_lower_cycles").is_empty());
        unsteady += usize::from(cell("steady") == "false");
    }
    assert_eq!(rows, 8);
    assert!(intervals >= 2 && unsteady >= 2, "{intervals}, {unsteady}");
}
