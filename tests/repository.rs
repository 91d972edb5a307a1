//! The repository as a stranger finds it: its packages, their licences, the picture of its crates and the order of
//! their files, and parts that are added to it.

#[path = "repository/ci.rs"]
mod ci;
#[path = "repository/circles.rs"]
mod circles;
#[path = "repository/licences.rs"]
mod licences;
#[path = "repository/packages.rs"]
mod packages;
#[path = "repository/picture.rs"]
mod picture;
#[path = "repository/toys.rs"]
mod toys;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Cargo's metadata of the packages, without the network.
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

/// A test file that no binary includes would never run.
#[test]
fn every_test_file_is_run() {
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

/// Where a library or a program has no unit tests its manifest says so, and it isn't compiled once more for them.
#[test]
fn every_unit_test_is_run() {
    let metadata = metadata(&["--no-deps"]);
    let packages = list(&metadata, "packages");
    let targets = packages.iter().flat_map(|it| list(it, "targets"));
    let mut untested = 0;
    for target in targets.filter(|it| it["test"] == false) {
        let source = Path::new(text(target, "src_path"));
        let mut files = Vec::new();
        match target["kind"][0].as_str() {
            Some("lib") => rust_files(source.parent().unwrap(), &mut files),
            Some("bin") => files.push(source.to_owned()),
            _ => continue,
        }
        untested += 1;
        for file in files {
            let code = fs::read_to_string(&file).unwrap();
            assert!(
                !code.contains("#[test]") && !code.contains("#[cfg(test)]"),
                "{} has unit tests, and its manifest says `test = false`",
                file.display()
            );
        }
    }
    assert!(untested > 1, "{untested} targets");
}

/// The Rust files in a folder and below it, except built ones.
fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            rust_files(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// A file holds one idea, and is short enough to read in one go.
#[test]
fn no_file_is_longer_than_500_lines() {
    let mut files = Vec::new();
    rust_files(root(), &mut files);
    assert!(files.len() > 400, "{} files", files.len());
    for path in files {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(
            lines <= 500,
            "{name} has {lines} lines: split it by what it holds"
        );
    }
}

/// Every test that `cargo test` skips is listed in the book.
#[test]
fn every_ignored_test_is_in_the_list_of_soaks() {
    let list = fs::read_to_string(root().join("docs/src/contributing.md")).unwrap();
    let list = list.split_once("### Soaks").unwrap().1;
    let list = list.split("\n### ").next().unwrap();
    let mut files = Vec::new();
    rust_files(root(), &mut files);
    let mut ignored = Vec::new();
    for path in files {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(str::trim);
        while lines.by_ref().any(|line| line.starts_with("#[ignore")) {
            let name = lines.find_map(|line| line.strip_prefix("fn "));
            let name = name.unwrap().split('(').next().unwrap();
            assert!(list.contains(&format!(" {name}`")), "{name} isn't listed");
            ignored.push(name.to_owned());
        }
    }
    assert_eq!(ignored.len(), list.matches("\n| `-").count(), "{ignored:?}");
}
