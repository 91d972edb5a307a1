//! Checks `deny.toml` without the network and without cargo-deny: licences, sources and bans of every package that goes
//! into the program, its tests and its build, on any platform that is known here.

use super::{list, metadata, root, text};
use serde_json::Value;
use spdx::{Expression, ParseMode};
use std::fs;
use std::process::Command;

fn rules() -> toml::Table {
    let text = fs::read_to_string(root().join("deny.toml")).unwrap();
    text.parse().unwrap()
}

fn texts(list: &toml::Value) -> Vec<&str> {
    let list = list.as_array().unwrap();
    list.iter().map(|it| it.as_str().unwrap()).collect()
}

/// Packages that haven't been downloaded have no manifests, so those of other platforms are skipped.
fn packages() -> Value {
    let said = Command::new("rustc").arg("-vV").output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    metadata(&["--all-features", "--filter-platform", host.unwrap()])
}

/// Whether the allowed licences satisfy an SPDX expression.
fn is_allowed(licence: &str, allowed: &[&str]) -> bool {
    // Old manifests say MIT/Apache-2.0.
    let mode = ParseMode {
        allow_slash_as_or_operator: true,
        ..ParseMode::STRICT
    };
    let expression = Expression::parse_mode(licence, mode);
    let expression = expression.unwrap_or_else(|error| panic!("{licence}: {error}"));
    expression.evaluate(|asked| allowed.contains(&asked.to_string().as_str()))
}

#[test]
fn every_licence_is_allowed() {
    let rules = rules();
    let allowed = texts(&rules["licenses"]["allow"]);
    let packages = packages();
    let mut used = vec![false; allowed.len()];
    for package in list(&packages, "packages") {
        let (name, licence) = (text(package, "name"), text(package, "license"));
        assert!(
            is_allowed(licence, &allowed),
            "{name}: deny.toml doesn't allow {licence}"
        );
        for (used, &allowed) in used.iter_mut().zip(&allowed) {
            *used |= licence.contains(allowed);
        }
    }
    for (used, allowed) in used.iter().zip(&allowed) {
        assert!(used, "deny.toml allows {allowed}, which no package needs");
    }
}

#[test]
fn licences_are_understood() {
    let allowed = ["MIT", "Bitstream-Vera", "Apache-2.0 WITH LLVM-exception"];
    for (licence, met) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("Apache-2.0", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0-only", true),
        ("(MIT OR Apache-2.0) AND Bitstream-Vera", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", false),
    ] {
        assert_eq!(is_allowed(licence, &allowed), met, "{licence}");
    }
}

#[test]
fn every_source_is_known_and_nothing_is_banned() {
    let rules = rules();
    let registries = texts(&rules["sources"]["allow-registry"]);
    let banned = rules["bans"]["deny"].as_array().unwrap();
    let banned = banned.iter().map(|ban| ban["crate"].as_str().unwrap());
    let banned: Vec<&str> = banned.collect();
    let packages = packages();
    for package in list(&packages, "packages") {
        let name = text(package, "name");
        // Packages of this repository have none.
        if let Some(source) = package["source"].as_str() {
            let registry = source.strip_prefix("registry+");
            let known = registry.is_some_and(|registry| registries.contains(&registry));
            assert!(known, "{name} comes from {source}");
        } else {
            assert!(
                name.starts_with("flitwork"),
                "{name} comes from somewhere else"
            );
        }
        assert!(!banned.contains(&name), "deny.toml bans {name}");
    }
}
