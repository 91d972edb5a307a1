//! What is checked for every change is what the README says.

use super::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The commands in the README that build, run and test: lines of its blocks of code.
fn commands() -> Vec<String> {
    let readme = read("README.md");
    let blocks = readme.split("```sh\n").skip(1);
    let code = blocks.map(|block| block.split("```").next().unwrap());
    let lines = code
        .flat_map(str::lines)
        .filter(|line| line.starts_with("cargo "));
    lines.map(str::to_owned).collect()
}

/// Character by character: `cargo test` failed where every check of it had a feature more.
#[test]
fn the_readmes_commands_run_unchanged() {
    let expected = [
        "cargo run --release -- run configs/chaos-mesh.toml",
        "cargo test",
    ];
    assert_eq!(commands(), expected);
    let printed = Command::new("bash")
        .arg(root().join(".ci/readme-commands"))
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
    let script = read(".ci/run");
    let whole = "mapfile -t commands < <(.ci/readme-commands)\n";
    let runs = "for command in \"${commands[@]}\"; do\n    step bash -c \"$command\"\ndone\n";
    assert!(script.contains(whole) && script.contains(runs), "{script}");
}

/// The test files, by the names of their modules, that differ where the program writes Parquet.
fn parquet_files(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            parquet_files(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs")
            && !path.ends_with("repository/ci.rs")
        {
            let text = fs::read_to_string(&path).unwrap();
            if text.contains("feature = \"parquet\"") {
                found.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
            }
        }
    }
}

/// The tests that differ with Parquet are run with it: a filter of the script chooses them.
#[test]
fn what_differs_with_parquet_is_run_with_it() {
    let mut files = BTreeSet::new();
    for folder in [
        "tests",
        "crates/experiment/src/packets",
        "crates/sweep/src/tests",
    ] {
        parquet_files(&root().join(folder), &mut files);
    }
    assert!(files.len() > 8, "{files:?}");
    let script = read(".ci/run");
    let list = script.split_once("parquet_tests=(").unwrap().1;
    let filters: Vec<&str> = list.split(')').next().unwrap().split(' ').collect();
    for file in files {
        // A soak and a list of commands that are interrupted; tests whose names say it; one test among others.
        let chosen = match file.as_str() {
            "moments" | "programs" => continue,
            "columns" => "parquet",
            "sweep" => "every_file_of_a_sweep",
            "memory" => "what_grows_with_a_run",
            "tests" => "packets::tests",
            file => &format!("{file}::"),
        };
        assert!(filters.contains(&chosen), "{file}: {filters:?}");
    }
}
