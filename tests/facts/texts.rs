//! What the program prints about itself and about every configuration: the resolved text, the report, the checks.

use crate::digests::{configurations, short};
use crate::program::{each, flitwork, root, said, typed};
use crate::record::{Fact, compare};
use serde_json::{Map, Value};
use std::fs;

/// Lists, help and the schemas; the reference is a page of the book, and `tests/docs.rs` compares it.
#[test]
fn what_the_program_prints_about_itself() {
    let commands: &[&[&str]] = &[
        &["list"],
        &["list", "routers"],
        &["list", "rout"],
        &["list", "patterns"],
        &["check", "--schema"],
        &["check", "--schema=results"],
        &["--help"],
        &["run", "--help"],
        &["sweep", "--help"],
        &["merge", "--help"],
        &["saturate", "--help"],
        &["compare", "--help"],
        &["replay", "--help"],
        &["paper", "--help"],
        &["adversary", "--help"],
        &["study", "--help"],
        &["check", "--help"],
        &["list", "--help"],
        &["reference", "--help"],
        &["study", "async-exp2", "--help"],
        &["study", "async-load", "--help"],
        &["study", "chaos-readings", "--help"],
        &["study", "cut-through", "--help"],
        &["study", "deflection", "--help"],
        &["study", "duplex", "--help"],
        &["study", "greedy-steps", "--help"],
        &["study", "multiqueue", "--help"],
        &["study", "routers", "--help"],
    ];
    compare(
        "program.txt",
        &each(commands, |args| {
            Fact::new(
                typed(args),
                whatever_the_build(&flitwork(root(), args).came()),
            )
        }),
    );
}

/// Masks what is printed about the format that depends on the build's features.
fn whatever_the_build(said: &str) -> String {
    let line = |line: &str| match line.split_once("parquet  ") {
        Some((before, _)) => format!("{before}parquet  (by the build)\n"),
        None => format!("{line}\n"),
    };
    said.lines().map(line).collect()
}

#[test]
fn the_report_of_check_on_every_configuration() {
    let check = |config: &String| said(&["check", config]);
    compare("checks.txt", &each(&configurations(), check));
}

/// The report of a short run as text: figures and the resolved configuration.
#[test]
fn reports_of_every_configuration() {
    let report = |config: &String| {
        let args = short(config);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        // Only in lockstep are two live runs the same.
        let lockstep = if config.contains("live") {
            &["--slack", "0"][..]
        } else {
            &[]
        };
        said(&[&args[..], lockstep].concat())
    };
    compare("reports.txt", &each(&configurations(), report));
}

/// The resolved text of every configuration on the two engines that have their own tables.
#[test]
fn resolved_configurations() {
    let resolved = |config: &String| {
        let short = short(config);
        let short: Vec<&str> = short.iter().map(String::as_str).collect();
        [
            &["--engine", "clocked"][..],
            &["--engine", "live", "--slack", "0"],
        ]
        .map(|engine| {
            let args = [&short[..], engine].concat();
            let done = flitwork(root(), &args);
            let text = done
                .out
                .split_once("resolved configuration")
                .map_or("", |halves| halves.1);
            Fact::new(typed(&args), format!("{}{text}", done.exit()))
        })
    };
    let facts: Vec<Fact> = each(&configurations(), resolved)
        .into_iter()
        .flatten()
        .collect();
    compare("resolved.txt", &facts);
}

/// Whether a schema accepts everything that an older one accepted, judged by their shared keywords: it may add keys and
/// names.
fn takes(new: &Value, old: &Value, at: &str) -> Result<(), String> {
    let empty = Map::new();
    let words = old.as_object().unwrap_or(&empty);
    for (word, rule) in words {
        let now = &new[word];
        let is_kept = match word.as_str() {
            "description" | "default" | "title" => true,
            "properties" => {
                for (key, rule) in rule.as_object().unwrap() {
                    let now = now.get(key).ok_or(format!("{at}.{key} is gone"))?;
                    takes(now, rule, &format!("{at}.{key}"))?;
                }
                true
            }
            "items" => takes(now, rule, at).is_ok(),
            "enum" => {
                let names = now.as_array().unwrap();
                rule.as_array()
                    .unwrap()
                    .iter()
                    .all(|name| names.contains(name))
            }
            _ => now == rule,
        };
        if !is_kept {
            return Err(format!("{at}: {word} was {rule} and is {now}"));
        }
    }
    Ok(())
}

/// Users who validate configurations find the schema by its `$id`: a version must accept what it once accepted.
#[test]
fn the_schema_of_a_version_takes_what_it_took() {
    let now = flitwork(root(), &["check", "--schema"]).out;
    let now: Value = serde_json::from_str(&now).unwrap();
    let recorded = fs::read_to_string(root().join("tests/facts/recorded/program.txt")).unwrap();
    let (_, recorded) = recorded
        .split_once("=== flitwork check --schema\n")
        .unwrap();
    let (recorded, _) = recorded.split_once("\n=== ").unwrap();
    let json = &recorded[recorded.find('{').unwrap()..=recorded.rfind('}').unwrap()];
    let before: Value = serde_json::from_str(json).unwrap();
    if now["$id"] == before["$id"] {
        let taken = takes(&now, &before, "");
        taken.expect("VERSION in crates/config/src/json_schema.rs grows, and CHANGELOG.md says so");
    }
}
