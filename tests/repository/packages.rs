//! The metadata of every package.

use super::{list, metadata, root, text};
use std::fs;
use std::path::Path;

#[test]
fn every_package_has_the_metadata_that_a_registry_asks_for() {
    let metadata = metadata(&["--no-deps"]);
    for package in list(&metadata, "packages") {
        let name = text(package, "name");
        for said in ["description", "license", "readme", "rust_version"] {
            assert!(package[said].is_string(), "{name} has no {said}");
        }
        for said in ["keywords", "categories"] {
            let count = list(package, said).len();
            assert!((1..=5).contains(&count), "{name}: {count} {said}");
        }
        for keyword in list(package, "keywords") {
            let keyword = keyword.as_str().unwrap();
            assert!(keyword.len() <= 20, "{name}: {keyword}");
        }
    }
}

/// The workspace has more programs than one, and `cargo run` runs the simulator.
#[test]
fn cargo_runs_the_simulator() {
    let metadata = metadata(&["--no-deps"]);
    let packages = list(&metadata, "packages").iter();
    let defaults: Vec<&str> = packages
        .filter_map(|it| it["default_run"].as_str())
        .collect();
    assert_eq!(defaults, ["flitwork"]);
}

/// A package comes with the texts of its licences: cargo packs only what lies in the package's own folder.
#[test]
fn every_package_has_the_texts_of_its_licences() {
    let metadata = metadata(&["--no-deps"]);
    for package in list(&metadata, "packages") {
        let manifest = Path::new(text(package, "manifest_path"));
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let read = |folder: &Path| fs::read_to_string(folder.join(name));
            let own = read(manifest.parent().unwrap());
            let own = own.unwrap_or_else(|error| panic!("{}, {name}: {error}", manifest.display()));
            assert!(own == read(root()).unwrap(), "{}", manifest.display());
        }
    }
}

/// The citation refers to the version that is built.
#[test]
fn the_citation_has_the_packages_version_and_licences() {
    let citation = fs::read_to_string(root().join("CITATION.cff")).unwrap();
    let metadata = metadata(&["--no-deps"]);
    let packages = list(&metadata, "packages");
    let own = packages.iter().find(|it| text(it, "name") == "flitwork");
    let own = own.unwrap();
    let version = format!("version: {}", text(own, "version"));
    let licences = text(own, "license").replace(" OR ", ", ");
    for line in [version, format!("license: [{licences}]")] {
        assert!(citation.lines().any(|it| it == line), "no line {line}");
    }
}

/// A package outside the repository finds the others by version, except those that only tests use.
#[test]
fn packages_name_each_others_versions() {
    let metadata = metadata(&["--no-deps"]);
    for package in list(&metadata, "packages") {
        for dependency in list(package, "dependencies") {
            let (of, on) = (text(package, "name"), text(dependency, "name"));
            let version = text(dependency, "req");
            assert_ne!(version, "*", "{of} takes any version of {on}");
        }
    }
}

/// A font has a separate licence, which its package names.
#[test]
fn the_fonts_licence_is_named() {
    let metadata = metadata(&["--no-deps"]);
    let mut fonts = 0;
    for package in list(&metadata, "packages") {
        let manifest = Path::new(text(package, "manifest_path"));
        let folder = manifest.parent().unwrap().join("fonts");
        if folder.is_dir() {
            fonts += 1;
            assert!(folder.join("LICENSE").is_file(), "{}", folder.display());
            let licence = text(package, "license");
            assert_eq!(licence, "(MIT OR Apache-2.0) AND Bitstream-Vera");
        }
    }
    assert_eq!(fonts, 1, "one package below {} has fonts", root().display());
}
