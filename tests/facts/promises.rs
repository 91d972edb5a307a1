//! Names and units of results are promises: within a major version they are only added. `promised.txt` lists them;
//! `FLITWORK_RECORD_FACTS` adds to it, and nothing takes from it.

use crate::columns::listed;
use crate::outputs::{json, outputs};
use crate::program::{each, flitwork, root};
use crate::record::Fact;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Questions to a small run, and problems; their output isn't recorded elsewhere.
const QUESTIONS: &[&str] = &[
    "trace info configs/chaos-mesh.toml --set network.sides=[3,3] --set run.measure_cycles=500 --json",
    "trace packets configs/chaos-mesh.toml --set network.sides=[3,3] --set run.measure_cycles=500 --limit 9 --json",
    "trace events configs/chaos-mesh.toml --set network.sides=[3,3] --set run.measure_cycles=500 --limit 9 --json",
    "trace packet configs/chaos-mesh.toml 0.0 --set network.sides=[3,3] --set run.measure_cycles=500 --json",
    "trace why configs/chaos-mesh.toml 0.0 --set network.sides=[3,3] --set run.measure_cycles=500 --json",
    "trace blame configs/chaos-mesh.toml --set network.sides=[3,3] --set run.measure_cycles=500 --json",
    "trace blame configs/chaos-mesh.toml --set network.sides=[3,3] --set run.measure_cycles=500 --critical --json",
    "trace node configs/chaos-mesh.toml 4@150 --set network.sides=[3,3] --set run.measure_cycles=500 --json",
    "trace hang configs/deadlock.toml --json",
    "schedule configs/schedule/exact.toml --json",
    "route configs/route/ring.toml --json",
];

/// A name where it occurs, with its unit if it has one: `saturate: tried[].latency_mean_cycles [cycles]`.
type Names = BTreeSet<String>;

/// The units of all columns, by name, from `flitwork reference columns`; where each occurs is added to `names`.
fn columns(names: &mut Names) -> BTreeMap<String, String> {
    let mut units = BTreeMap::new();
    let mut title = String::new();
    for line in flitwork(root(), &["reference", "columns"]).out.lines() {
        if let Some(of) = line.strip_prefix("## ") {
            title = of.replace('`', "");
        }
        let Some(row) = line.strip_prefix("| `") else {
            continue;
        };
        let mut cells = row.split('|').map(str::trim);
        let name = cells.next().unwrap().trim_end_matches('`').to_owned();
        let unit = cells.next().unwrap().to_owned();
        names.insert(with_unit(&format!("{title}: {name}"), &unit));
        units.insert(name, unit);
    }
    units
}

fn with_unit(name: &str, unit: &str) -> String {
    match unit {
        "" => name.to_owned(),
        unit => format!("{name} [{unit}]"),
    }
}

/// The keys that the JSON Schema of results has, in the objects that it names.
fn keys_of_schema(names: &mut Names) {
    let text = flitwork(root(), &["check", "--schema=results"]).out;
    let schema: Value = serde_json::from_str(&text).unwrap();
    let mut objects = vec![("results.json".to_owned(), &schema)];
    let defined = schema["$defs"].as_object().into_iter().flatten();
    objects.extend(defined.map(|(name, object)| (format!("results.json, {name}"), object)));
    for (title, object) in objects {
        for key in object["properties"].as_object().into_iter().flatten() {
            names.insert(format!("{title}: {}", key.0));
        }
    }
}

/// What was run and written, without its arguments; `None` where the reference and the schema say what the names are.
fn title(done: &str) -> Option<String> {
    let (typed, file) = done.strip_prefix("flitwork ")?.rsplit_once(": ")?;
    let is_name = |word: &&str| !word.starts_with('-') && !word.contains(['.', '/', '\'']);
    let command: Vec<&str> = typed.split(' ').take_while(is_name).collect();
    match (command[0], file) {
        ("run", _) => None,
        ("sweep", file) if file.ends_with(".csv") => None,
        (_, file) if file.ends_with(".csv") => Some(format!("{}, {file}", command.join(" "))),
        _ => Some(command.join(" ")),
    }
}

/// The paths in what [`listed`] says, or the columns of a table.
fn paths(came: &str) -> impl Iterator<Item = &str> {
    let lines = came.lines().filter_map(|line| line.rsplit_once(": "));
    lines
        .map(|(path, _)| path)
        .filter(|path| !path.is_empty() && !path.starts_with("provenance"))
}

fn add(names: &mut Names, units: &BTreeMap<String, String>, title: &str, came: &str) {
    for path in paths(came) {
        let last = path.rsplit('.').next().unwrap_or(path);
        let unit = units.get(last).map_or("", String::as_str);
        names.insert(with_unit(&format!("{title}: {path}"), unit));
    }
}

/// Holds the names in facts about outputs, and those of the reference, the schema and the questions, against the list.
///
/// # Panics
///
/// If a promised name or its unit is gone, or a new one isn't in the list.
pub(crate) fn hold(facts: &[Fact]) {
    let mut names = Names::new();
    let units = columns(&mut names);
    keys_of_schema(&mut names);
    for fact in facts {
        if let Some(title) = title(&fact.done) {
            add(&mut names, &units, &title, &fact.came);
        }
    }
    let answers = each(QUESTIONS, |line| {
        let done = outputs(line).done;
        let answer = json(&done.out).unwrap_or_else(|| panic!("{line}: {}", done.err));
        (title(&format!("flitwork {line}: out")), listed(&answer))
    });
    for (title, came) in &answers {
        add(&mut names, &units, title.as_deref().unwrap(), came);
    }
    compare(&names);
}

fn compare(names: &Names) {
    let path = root().join("tests/facts/promised.txt");
    let text = fs::read_to_string(&path).unwrap();
    let promised: Names = text.lines().map(str::to_owned).collect();
    let (gone, new) = changes(&promised, names);
    assert!(
        gone.is_empty(),
        "names and units of results are promises, and these are gone: {gone:#?}\nWithin a major version they are only \
         added (docs/src/results.md). With a new one, take them out of tests/facts/promised.txt"
    );
    if std::env::var_os("FLITWORK_RECORD_FACTS").is_some() {
        let all: Vec<&str> = promised.union(names).map(String::as_str).collect();
        fs::write(&path, all.join("\n") + "\n").unwrap();
        return;
    }
    assert!(
        new.is_empty(),
        "names that tests/facts/promised.txt doesn't have: {new:#?}\nFrom now on they are promises: \
         FLITWORK_RECORD_FACTS=1 cargo test --test facts columns, and commit the difference"
    );
}

/// The names that are gone, and those that are new.
fn changes<'n>(promised: &'n Names, names: &'n Names) -> (Vec<&'n String>, Vec<&'n String>) {
    let gone = promised.difference(names).collect();
    (gone, names.difference(promised).collect())
}

#[test]
fn a_name_that_is_gone_and_a_unit_that_changes_are_seen() {
    let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Names>();
    let promised = names(&["compare: a", "compare: mean_cycles [cycles]"]);
    let now = names(&["compare: a", "compare: mean_cycles [ps]", "compare: b"]);
    let (gone, new) = changes(&promised, &now);
    assert_eq!(gone, ["compare: mean_cycles [cycles]"]);
    assert_eq!(new, ["compare: b", "compare: mean_cycles [ps]"]);
    assert_eq!(changes(&promised, &promised), (vec![], vec![]));
}

#[test]
fn titles_leave_arguments_out() {
    for (done, expected) in [
        (
            "flitwork paper chinn-exp2 --n 60 --json: standard output",
            Some("paper chinn-exp2"),
        ),
        (
            "flitwork saturate configs/a.toml --set 'x=[4,4]': standard output",
            Some("saturate"),
        ),
        (
            "flitwork study routers --out OUT: routers.csv",
            Some("study routers, routers.csv"),
        ),
        ("flitwork run configs/a.toml --out OUT: results.json", None),
        ("flitwork sweep configs/a.toml --out OUT: sweep.csv", None),
    ] {
        assert_eq!(title(done).as_deref(), expected, "{done}");
    }
    let came = "provenance: seed\nprovenance.seed: whole number\n: list\n[].a: text\nb.c: missing, number\n";
    assert_eq!(paths(came).collect::<Vec<_>>(), ["[].a", "b.c"]);
}
