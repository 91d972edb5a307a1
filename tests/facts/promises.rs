//! Names, units and types of results are promises: within a major version they are only added. `promised.txt` lists
//! them; `FLITWORK_RECORD_FACTS` adds to it, and nothing takes from it.

use crate::columns::{Types, types_of};
use crate::outputs::{json, outputs};
use crate::program::{each, flitwork, root};
use crate::record::whole;
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
    "check configs/wormhole.toml --set network.sides=[4,2] --set router.wormhole.routing=fully-adaptive --json",
    "check configs/graph-file.toml --set router.wormhole.routing=table --set router.wormhole.table.file=tests/facts/astray.csv --json",
    "check configs/route/ring.toml --json",
    "topology configs/express-mesh.toml --json",
    "topology configs/route/ring.toml --json",
];

/// A name where it occurs, with its unit if it has one, `saturate: tried[].latency_mean_cycles [cycles]`, and the types
/// of its values.
type Names = BTreeMap<String, BTreeSet<String>>;

/// The types of what was found in an output or file.
pub(crate) struct Found {
    /// Where the names occur.
    pub(crate) title: String,
    pub(crate) types: Types,
}

/// The columns of `flitwork reference columns`; where each occurs is added to `names`.
fn columns(names: &mut Names) -> Reference {
    let (mut units, mut titles) = (BTreeMap::new(), BTreeSet::new());
    let mut title = String::new();
    for line in flitwork(root(), &["reference", "columns"]).out.lines() {
        if let Some(of) = line.strip_prefix("## ") {
            title = of.replace('`', "");
            titles.insert(title.clone());
        }
        let Some(row) = line.strip_prefix("| `") else {
            continue;
        };
        let mut cells = row.split('|').map(str::trim);
        let name = cells.next().unwrap().trim_end_matches('`').to_owned();
        let unit = cells.next().unwrap().to_owned();
        let full = with_unit(&format!("{title}: {name}"), &unit);
        names.entry(full).or_default();
        units.insert(name, unit);
    }
    Reference { units, titles }
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
        for (key, rule) in object["properties"].as_object().into_iter().flatten() {
            let types = names.entry(format!("{title}: {key}")).or_default();
            allowed(rule, types);
        }
    }
}

/// The types that a rule of a JSON Schema allows.
fn allowed(rule: &Value, types: &mut BTreeSet<String>) {
    match rule {
        Value::String(name) => {
            let name = match name.as_str() {
                "array" => "list",
                "boolean" => "true or false",
                "integer" => "whole number",
                "null" => "missing",
                "string" => "text",
                other => other.trim_start_matches("#/$defs/"),
            };
            types.insert(name.to_owned());
        }
        Value::Array(rules) => rules.iter().for_each(|rule| allowed(rule, types)),
        rule => {
            let words = ["type", "$ref", "anyOf", "oneOf"];
            let given = words.iter().filter_map(|word| rule.get(word));
            given.for_each(|rule| allowed(rule, types));
        }
    }
}

/// Where the names in what was printed or in a file occur, without arguments; `None` where the schema says it.
pub(crate) fn title(typed: &str, file: &str) -> Option<String> {
    let typed = typed.strip_prefix("flitwork ")?;
    let is_name = |word: &&str| !word.starts_with('-') && !word.contains(['.', '/', '\'']);
    let command: Vec<&str> = typed.split(' ').take_while(is_name).collect();
    let command = command.join(" ");
    match file {
        "packets.csv" => Some("Files of --packets".to_owned()),
        "results.csv" => Some("results.json and results.csv".to_owned()),
        "sweep.csv" => Some("sweep.csv and sweep.parquet".to_owned()),
        file if command == "run" => Some(file.to_owned()).filter(|file| file.ends_with(".csv")),
        file if file.ends_with(".csv") => Some(format!("{command}, {file}")),
        _ => Some(command),
    }
}

/// What the reference has of columns.
struct Reference {
    units: BTreeMap<String, String>,
    titles: BTreeSet<String>,
}

/// Adds what was found; of tables in the reference only the types, as the reference has the names: the axes of a sweep
/// are columns too.
fn add(names: &mut Names, reference: &Reference, found: &Found) {
    let is_listed = reference.titles.contains(&found.title);
    for (path, types) in &found.types {
        let last = path.rsplit('.').next().unwrap_or(path);
        let unit = reference.units.get(last).map_or("", String::as_str);
        let name = with_unit(&format!("{}: {path}", found.title), unit);
        if !is_listed || names.contains_key(&name) {
            let known = names.entry(name).or_default();
            known.extend(types.iter().cloned());
        }
    }
}

/// Holds the names in outputs, and those of the reference, the schema and the questions, against the list.
///
/// # Panics
///
/// If a promised name, its unit or a type of it is gone, or a new one isn't in the list.
pub(crate) fn hold(found: &[Found]) {
    let mut names = Names::new();
    let reference = columns(&mut names);
    keys_of_schema(&mut names);
    let answers = each(QUESTIONS, |line| {
        let done = outputs(line).done;
        let answer = json(&done.out).unwrap_or_else(|| panic!("{line}: {}", done.err));
        let title = title(&format!("flitwork {line}"), "standard output").unwrap();
        let types = types_of(&answer);
        Found { title, types }
    });
    for found in found.iter().chain(&answers) {
        add(&mut names, &reference, found);
    }
    compare(&names);
}

fn read(text: &str) -> Names {
    let line = |line: &str| -> (String, BTreeSet<String>) {
        let (name, types) = line.split_once("  ").unwrap_or((line, ""));
        let types = types.split(", ").filter(|name| !name.is_empty());
        (name.to_owned(), types.map(str::to_owned).collect())
    };
    text.lines().map(line).collect()
}

fn written(names: &Names) -> String {
    let line = |(name, types): (&String, &BTreeSet<String>)| {
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        format!("{}\n", format!("{name}  {}", types.join(", ")).trim_end())
    };
    names.iter().map(line).collect()
}

fn compare(names: &Names) {
    if let Some(folder) = whole() {
        fs::write(folder.join("promised.txt"), written(names)).unwrap();
        return;
    }
    let path = root().join("tests/facts/promised.txt");
    let mut promised = read(&fs::read_to_string(&path).unwrap());
    let gone = lacks(names, &promised);
    assert!(
        gone.is_empty(),
        "names, units and types of results are promises, and these are gone: {gone:#?}\nWithin a major version they are \
         only added (docs/src/results.md). With a new one, take them out of tests/facts/promised.txt"
    );
    let new = lacks(&promised, names);
    if std::env::var_os("FLITWORK_RECORD_FACTS").is_some() {
        for (name, types) in names {
            let known = promised.entry(name.clone()).or_default();
            known.extend(types.iter().cloned());
        }
        fs::write(&path, written(&promised)).unwrap();
        return;
    }
    assert!(
        new.is_empty(),
        "names or types that tests/facts/promised.txt doesn't have: {new:#?}\nFrom now on they are promises: \
         FLITWORK_RECORD_FACTS=1 cargo test --test facts columns, and commit the difference"
    );
}

/// The names in `all` that `names` lack, and those with types that they lack there.
fn lacks(names: &Names, all: &Names) -> Vec<String> {
    let lacking = |(name, types): (&String, &BTreeSet<String>)| match names.get(name) {
        None => Some(name.clone()),
        Some(has) => {
            let lost: Vec<&str> = types.difference(has).map(String::as_str).collect();
            Some(format!("{name}  {}", lost.join(", "))).filter(|_| !lost.is_empty())
        }
    };
    all.iter().filter_map(lacking).collect()
}

#[test]
fn a_name_that_is_gone_and_a_unit_or_type_that_changes_are_seen() {
    let text = "compare: a\ncompare: b  missing, text\ncompare: mean_cycles [cycles]  number\n";
    let promised = read(text);
    assert_eq!(written(&promised), text);
    let now = read("compare: a\ncompare: b  text\ncompare: c\ncompare: mean_cycles [ps]  number\n");
    let gone = ["compare: b  missing", "compare: mean_cycles [cycles]"];
    assert_eq!(lacks(&now, &promised), gone);
    let new = ["compare: c", "compare: mean_cycles [ps]"];
    assert_eq!(lacks(&promised, &now), new);
    assert_eq!(lacks(&promised, &promised), [""; 0]);
}

#[test]
fn titles_leave_arguments_out() {
    for (typed, file, expected) in [
        (
            "flitwork paper chinn-exp2 --n 60 --json",
            "standard output",
            Some("paper chinn-exp2"),
        ),
        (
            "flitwork saturate configs/a.toml --set 'x=[4,4]'",
            "standard output",
            Some("saturate"),
        ),
        (
            "flitwork study routers --out OUT",
            "routers.csv",
            Some("study routers, routers.csv"),
        ),
        (
            "flitwork run configs/a.toml --out OUT",
            "results.json",
            None,
        ),
        (
            "flitwork run configs/a.toml --out OUT",
            "nodes.csv",
            Some("nodes.csv"),
        ),
        (
            "flitwork sweep configs/a.toml --out OUT",
            "sweep.csv",
            Some("sweep.csv and sweep.parquet"),
        ),
    ] {
        assert_eq!(title(typed, file).as_deref(), expected, "{typed}: {file}");
    }
}
