//! Where results go: folders that already hold some, places that can't be written, a full disk.

use crate::harness::{Done, Folder};
use crate::results::files;
use crate::sourced::without_provenance;
use std::fs;

/// Results that can't be written at the end are still printed, and the run ends as a failure of the host.
#[test]
fn results_are_printed_even_where_they_cannot_be_written() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("out/results.json")).unwrap();
    let done = folder.flitwork(&["run", "small.toml", "--force", "--out", "out"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.err
            .contains("--out: out/results.json: can't be written"),
        "{}",
        done.err
    );
    assert!(done.out.contains("digest"), "{}", done.out);
}

/// `--force` is about outputs, of which the command line names none.
#[test]
fn force_without_an_output_is_refused() {
    let folder = Folder::new();
    for command in [
        &["run", "small.toml"][..],
        &["saturate", "small.toml"],
        &["compare", "small.toml", "small.toml"],
    ] {
        let says = ["--force: no output is named", "allowed: "];
        folder.refuses(&[command, &["--force"]].concat(), &says);
    }
    folder.fine(&["run", "small.toml", "--packets", "p.csv", "--force"]);
}

/// Results are only replaced with `--force`, and then no file of the earlier run is left.
#[test]
fn existing_results_stay_unless_forced() {
    let folder = Folder::new();
    folder.fine(&["run", "small.toml", "--out", "out"]);
    let first = folder.read("out/results.json");
    for stale in ["waits.csv", "heatmap-z1.png", ".links.csv.x7Fq2a.new"] {
        folder.write(&format!("out/{stale}"), "of an earlier run");
    }
    // The name of a temporary file has six letters or digits before `.new`, so the second isn't one.
    let own = ["notes.txt", ".links.csv.my_old.new"];
    for name in own {
        folder.write(&format!("out/{name}"), "the user's own");
    }
    let again = ["run", "small.toml", "--out", "out", "--seed", "7"];
    let more = files().len() - 1;
    let has = format!(
        "--out: out has energy.csv, energy.parquet, heatmap-z1.png and {more} more of an earlier run"
    );
    folder.refuses(&again, &[&has, "--force"]);
    assert_eq!(folder.read("out/results.json"), first);
    folder.fine(&[&again[..], &["--force"]].concat());
    assert_eq!(folder.json("out/results.json")["provenance"]["seed"], 7);
    let mut names: Vec<String> = fs::read_dir(folder.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut expected = files();
    expected.extend(own.map(str::to_owned));
    expected.sort();
    assert_eq!(names, expected);
}

/// A disk that fills up at any file: each file is complete or doesn't exist, results.json before all others,
/// and nothing is half-written.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_whole_files_and_the_results_first() {
    let folder = Folder::new();
    folder.fine(&["run", "small.toml", "--out", "whole"]);
    let names = |out: &str| -> Vec<String> {
        let entries = fs::read_dir(folder.path(out)).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    };
    let program = env!("CARGO_BIN_EXE_flitwork");
    let mut full = 0;
    // No file may be longer than this many blocks of 512 bytes, at which a write fails as on a full disk.
    for blocks in [0, 1, 2, 4, 8, 16, 32, 64, 1024] {
        let out = format!("out-{blocks}");
        let script = format!("ulimit -f {blocks}; exec {program} run small.toml --out {out}");
        let done = Done::of(
            std::process::Command::new("sh")
                .args(["-c", &script])
                .current_dir(folder.path("")),
        );
        assert!(done.out.contains("digest"), "{blocks}: {done:?}");
        let written = names(&out);
        let is_full = written.len() < names("whole").len();
        full += usize::from(is_full);
        assert_eq!(done.code, Some(i32::from(is_full)), "{blocks}: {done:?}");
        if is_full {
            assert!(
                done.err.contains("can't be written: File too large"),
                "{done:?}"
            );
        }
        for name in &written {
            let read = |out: &str| without_provenance(&folder, &format!("{out}/{name}"));
            // They include the duration of the run.
            if !name.starts_with("results.") {
                assert!(read(&out) == read("whole"), "{blocks}: {name}");
            }
        }
        let results = "results.json".to_owned();
        assert!(
            written.is_empty() || written.contains(&results),
            "{written:?}"
        );
        if written.contains(&results) {
            assert_eq!(
                folder.json(&format!("{out}/results.json"))["status"],
                "complete"
            );
        }
    }
    assert!((2..9).contains(&full), "{full}");
}
