//! The book's claims stand on their pages, and their commands and columns exist. `flitwork-claims` runs them.

use flitwork_claims::{Claim, Claims, Command as Listed, Expected, Seeds};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Pages without claims, each with the reason.
const WITHOUT: &[(&str, &str)] = &[("index", "it lists the others")];

/// Columns that a command has only with one of its options.
const ON_REQUEST: &[(&str, &[&str])] = &[(
    "--simulate",
    &[
        "supernodes",
        "superstep_steps",
        "rounds_with_worms",
        "steps",
    ],
)];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn claims() -> Claims {
    let claims: Result<Claims, _> = read("docs/claims.toml").parse();
    claims.unwrap_or_else(|bad| panic!("docs/claims.toml, {bad}"))
}

fn of_each(of: impl Fn(&Listed, &Claim)) {
    for command in &claims().commands {
        command.claims.iter().for_each(|claim| of(command, claim));
    }
}

#[test]
fn every_claim_stands_on_its_page() {
    of_each(|_, claim| {
        let page = read(&format!("docs/src/{}", claim.page));
        let (line, says) = (claim.line, &claim.says);
        assert!(
            claim.is_on(&page),
            "docs/claims.toml, line {line}: {} doesn't say {says:?}",
            claim.page
        );
    });
}

#[test]
fn every_page_of_a_study_has_claims() {
    let claims = claims();
    let all = claims.commands.iter().flat_map(|command| &command.claims);
    let claimed: BTreeSet<&str> = all.map(|claim| claim.page.as_str()).collect();
    for entry in fs::read_dir(root().join("docs/src/studies")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_without = WITHOUT.iter().any(|(page, _)| name == format!("{page}.md"));
        let page = format!("studies/{name}");
        assert_ne!(
            claimed.contains(page.as_str()),
            is_without,
            "{page}: claim what it says, or list it in {}",
            file!()
        );
    }
}

/// Each command stands once, with the claims that its results show.
#[test]
fn no_command_runs_twice() {
    let mut seen = BTreeSet::new();
    for command in claims().commands {
        let words = command.words.join(" ");
        assert!(seen.insert(words.clone()), "{words} is listed twice");
    }
}

/// With a path that can't be written a command ends once it has read its options, before it runs anything.
#[test]
fn every_command_is_understood() {
    let blocked = root().join("Cargo.toml/below");
    let blocked = blocked.to_str().unwrap();
    for command in claims().commands {
        let mut words: Vec<String> = command
            .words
            .iter()
            .map(|word| word.replace("{out}", blocked))
            .collect();
        match command.seeds {
            Seeds::First => words.extend(["--first-seed".into(), "1001".into()]),
            Seeds::One => words.extend(["--seed".into(), "1001".into()]),
            Seeds::After(_) | Seeds::None => {}
        }
        if !words.iter().any(|word| word == "--out") {
            words.extend(["--json".into(), "--out".into(), blocked.into()]);
        }
        let done = Command::new(env!("CARGO_BIN_EXE_flitwork"))
            .args(&words)
            .current_dir(root())
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&done.stderr);
        let is_blocked = done.status.code() == Some(2) && complaint.contains(blocked);
        assert!(is_blocked, "flitwork {}: {complaint}", words.join(" "));
    }
}

/// The columns of each table of each command, from the book's page.
fn columns() -> BTreeMap<(String, String), BTreeSet<String>> {
    let page = read("docs/src/study-columns.md");
    let mut all: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    let (mut command, mut table) = (String::new(), String::new());
    for line in page.lines() {
        if let Some(name) = line.strip_prefix("## `flitwork ") {
            command = name.trim_end_matches('`').to_owned();
        } else if let Some(name) = line.strip_prefix('`') {
            table = name.trim_end_matches('`').to_owned();
        } else if let Some((name, _)) = line
            .strip_prefix("| `")
            .and_then(|rest| rest.split_once('`'))
        {
            let place = (command.clone(), table.clone());
            all.entry(place).or_default().insert(name.to_owned());
        }
    }
    all
}

#[test]
fn every_column_of_a_claim_exists() {
    let columns = columns();
    assert!(columns.len() > 30, "{} tables", columns.len());
    of_each(|command, claim| {
        // What other commands write is not in the book's tables.
        let [group, name, ..] = &command.words[..] else {
            return;
        };
        if !["study", "paper"].contains(&group.as_str()) {
            return;
        }
        let place = (format!("{group} {name}"), claim.table.clone());
        let line = claim.line;
        let known = columns
            .get(&place)
            .unwrap_or_else(|| panic!("line {line}: no table of {place:?}"));
        let on_request = ON_REQUEST
            .iter()
            .filter(|(option, _)| command.words.iter().any(|word| word == option));
        let on_request: Vec<&str> = on_request
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        for column in claim.columns() {
            let is_known = known.contains(column) || on_request.contains(&column);
            assert!(
                is_known,
                "docs/claims.toml, line {line}: {place:?} has no column {column}"
            );
        }
    });
}

/// A figure of several seeds has an interval or is rounded, unless it is of something that draws nothing: without either only the same
/// digits will do.
#[test]
fn figures_of_random_runs_have_intervals() {
    of_each(|command, claim| {
        let Expected::Value {
            mean,
            half_width,
            rounded_to,
        } = claim.expected
        else {
            return;
        };
        let is_exact = half_width == 0.0 && rounded_to == 0.0;
        // Counts of words, packets and cycles that no seed changes are whole.
        let may_be = command.seeds == Seeds::None || mean.fract() == 0.0;
        assert!(
            !is_exact || may_be,
            "docs/claims.toml, line {}: {mean} has neither half_width nor rounded_to",
            claim.line
        );
    });
}
