//! What is checked for every change is what the README says.

use super::root;
use std::fs;
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

/// The tests' program writes Parquet, and the README's doesn't: the script tries that one.
#[test]
fn a_program_without_parquet_is_tried() {
    let script = read(".ci/run");
    assert!(script.contains("\nstep has_no_parquet\n"), "{script}");
}
