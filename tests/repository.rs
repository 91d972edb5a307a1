//! The repository as a stranger finds it: its packages, their licences, the picture of its crates.

#[path = "repository/licences.rs"]
mod licences;
#[path = "repository/packages.rs"]
mod packages;
#[path = "repository/picture.rs"]
mod picture;

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What cargo says of the packages, without the network.
fn metadata(further: &[&str]) -> Value {
    let done = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(further)
        .current_dir(root())
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{complaint}");
    serde_json::from_slice(&done.stdout).unwrap()
}

/// The elements of a list, by name.
fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    let list = value[name].as_array();
    list.unwrap_or_else(|| panic!("{name} is a list: {value}"))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    let text = value[name].as_str();
    text.unwrap_or_else(|| panic!("{name} is a text: {value}"))
}

/// A file of tests that no binary takes in would never run.
#[test]
fn every_file_of_tests_is_run() {
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let manifest: toml::Table = read(&root().join("Cargo.toml")).parse().unwrap();
    let binaries = manifest["test"].as_array().unwrap();
    let names = binaries.iter().map(|test| test["name"].as_str().unwrap());
    let names: Vec<&str> = names.collect();
    let tests = root().join("tests");
    let taken: String = names
        .iter()
        .map(|name| read(&tests.join(name).with_extension("rs")))
        .collect();
    for entry in fs::read_dir(&tests).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            names.contains(&name) || taken.contains(&format!("#[path = \"{name}.rs\"]")),
            "tests/{name}.rs belongs to no binary: name it in tests/networks.rs, or in tests/cli.rs \
             where it runs the program"
        );
    }
}
