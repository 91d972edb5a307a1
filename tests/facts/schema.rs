//! The JSON Schemas: that of configurations a key a line, and whether it accepts what it accepted.

use crate::program::{flitwork, root, typed};
use crate::record::Fact;
use crate::sample::checksum;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;

pub(crate) const CONFIGURATIONS: &[&str] = &["check", "--schema"];
pub(crate) const RESULTS: &[&str] = &["check", "--schema=results"];

/// The rules of each key, besides those of the keys in it, by its path: `router.chaos.scan_order`, and `[]` for what a
/// list has.
type Keys = BTreeMap<String, Map<String, Value>>;

/// Of the schema of configurations are recorded the rules, as its descriptions are those of the reference (a test of
/// `flitwork-config` compares them, `tests/docs.rs` the reference); of that of results what it is, as its names and types
/// are in `promised.txt`; of both the checksum.
pub(crate) fn recorded(fact: Fact) -> Fact {
    let (exit, text) = fact.came.split_once('\n').unwrap();
    let mut keys = Keys::new();
    let schema: Value = serde_json::from_str(text).unwrap();
    add(&schema, "", &mut keys);
    let is_whole = fact.done == typed(CONFIGURATIONS);
    let keys = keys.iter().filter(|key| is_whole || key.0.is_empty());
    let lines = keys.map(|(path, rules)| format!("{path}  {}\n", Value::from(rules.clone())));
    let came = format!("{exit}; {}\n{}", checksum(text), lines.collect::<String>());
    Fact::part(fact.done.clone(), came, fact.came)
}

fn add(schema: &Value, path: &str, keys: &mut Keys) {
    let mut rules = schema.as_object().cloned().unwrap_or_default();
    let [properties, items, required] =
        ["properties", "items", "required"].map(|word| rules.remove(word).unwrap_or_default());
    for word in ["description", "$defs"] {
        rules.remove(word);
    }
    keys.insert(path.to_owned(), rules);
    for (key, schema) in properties.as_object().into_iter().flatten() {
        let below = format!("{path}.{key}");
        let below = below.trim_start_matches('.');
        add(schema, below, keys);
        let is_required = required
            .as_array()
            .is_some_and(|of| of.contains(&json!(key)));
        if is_required {
            let rules = keys.get_mut(below).unwrap();
            rules.insert("required".to_owned(), json!(true));
        }
    }
    if items.is_object() {
        add(&items, &format!("{path}[]"), keys);
    }
}

/// Whether everything that an older schema accepted at a path has all keys that an alternative requires.
fn is_met(path: &str, alternative: &Value, old: &Keys) -> bool {
    let was_required = |key: &Value| {
        let key = format!("{path}.{}", key.as_str().unwrap_or_default());
        let rules = old.get(key.trim_start_matches('.'));
        rules.is_some_and(|rules| rules.contains_key("required"))
    };
    let rules = alternative.as_object();
    let only = rules.is_some_and(|rules| rules.keys().all(|word| word == "required"));
    let keys = alternative["required"].as_array();
    only && keys.is_some_and(|keys| keys.iter().all(was_required))
}

/// Whether a schema accepts everything that an older one accepted: it may add keys and names, require less and have wider bounds.
fn takes(new: &Keys, old: &Keys) -> Result<(), String> {
    let is_rule = |word: &&String| !["default", "title"].contains(&word.as_str());
    for (path, before) in old {
        let now = new.get(path).ok_or(format!("{path} is gone"))?;
        for word in before.keys().chain(now.keys()).filter(is_rule) {
            let (before, now) = (before.get(word), now.get(word));
            let names = |of: Option<&Value>| of.and_then(Value::as_array).cloned();
            let is_kept = match (names(before), names(now)) {
                (Some(before), Some(now)) if word == "enum" => {
                    before.iter().all(|name| now.contains(name))
                }
                _ if word == "required" && now.is_none() => true,
                _ if ["maximum", "maxItems"].contains(&word.as_str()) => {
                    let most = |of: Option<&Value>| of.map_or(Some(f64::INFINITY), Value::as_f64);
                    most(now) >= most(before)
                }
                (None, Some(now)) if word == "oneOf" => now.iter().any(|it| is_met(path, it, old)),
                _ => before == now,
            };
            if !is_kept {
                return Err(format!("{path}: {word} was {before:?} and is {now:?}"));
            }
        }
    }
    let is_in_old = |path: &str| old.contains_key(path.rsplit_once('.').map_or("", |it| it.0));
    let mut added = new.iter().filter(|key| !old.contains_key(key.0));
    match added.find(|(path, rules)| rules.contains_key("required") && is_in_old(path)) {
        Some((path, _)) => Err(format!("{path} is required")),
        None => Ok(()),
    }
}

/// Users who validate configurations find the schema by its `$id`: a version must accept what it once accepted.
#[test]
fn the_schema_of_a_version_takes_what_it_took() {
    let now = flitwork(root(), CONFIGURATIONS).out;
    let mut keys = Keys::new();
    add(&serde_json::from_str(&now).unwrap(), "", &mut keys);
    let recorded = fs::read_to_string(root().join("tests/facts/recorded/program.txt")).unwrap();
    let mark = format!("=== {}\n", typed(CONFIGURATIONS));
    let (_, recorded) = recorded.split_once(&mark).unwrap();
    let (recorded, _) = recorded.split_once("\n\n").unwrap();
    let key = |line: &str| {
        let (path, rules) = line.split_once("  ").unwrap();
        (path.to_owned(), serde_json::from_str(rules).unwrap())
    };
    let before: Keys = recorded.lines().skip(1).map(key).collect();
    assert!(before.len() > 200, "{}", before.len());
    if keys[""]["$id"] == before[""]["$id"] {
        let taken = takes(&keys, &before);
        taken.expect("VERSION in crates/config/src/json_schema.rs grows, and CHANGELOG.md says so");
    }
}

#[test]
fn only_what_accepts_less_needs_a_new_version() {
    let keys = |schema: Value| {
        let mut keys = Keys::new();
        add(&schema, "", &mut keys);
        keys
    };
    let table = |properties: Value, required: Value| {
        keys(json!({"type": "object", "properties": properties, "required": required}))
    };
    let old = || json!({"a": {"enum": ["x"]}, "b": {"items": {"type": "integer"}}});
    let before = table(old(), json!(["a"]));
    let with = |name: &str, rules: Value| {
        let mut new = old();
        new[name] = rules;
        new
    };
    let inner = json!({"properties": {"d": {}}, "required": ["d"]});
    for (new, required, is_taken) in [
        (old(), json!(["a"]), true),
        (old(), json!([]), true),
        (old(), json!(["a", "b"]), false),
        (with("a", json!({"enum": ["y", "x"]})), json!(["a"]), true),
        (with("a", json!({"enum": ["y"]})), json!(["a"]), false),
        (
            with("b", json!({"items": {"type": "number"}})),
            json!(["a"]),
            false,
        ),
        (with("c", inner.clone()), json!(["a"]), true),
        (with("c", inner), json!(["a", "c"]), false),
        (json!({"a": {"enum": ["x"]}}), json!(["a"]), false),
    ] {
        let taken = takes(&table(new.clone(), required), &before);
        assert_eq!(taken.is_ok(), is_taken, "{new}: {taken:?}");
    }
    let one_of = |keys: [&str; 2]| {
        let alternatives = keys.map(|key| json!({"required": [key]}));
        json!({"type": "object", "properties": with("c", json!({})), "oneOf": alternatives})
    };
    for (alternatives, is_taken) in [(["a", "c"], true), (["b", "c"], false)] {
        let taken = takes(&keys(one_of(alternatives)), &before);
        assert_eq!(taken.is_ok(), is_taken, "{alternatives:?}: {taken:?}");
    }
}
