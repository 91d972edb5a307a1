//! Results conform to their JSON Schema, and a configuration conforms exactly if the program accepts its
//! values.

use crate::harness::{Folder, SMALL};
use flitwork_config::{MistakeKind, resolve};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// Compares a value with a schema of the keywords that are used here; another keyword is a mistake of this
/// test and not ignored. Objects are closed: a key without a description is one that nobody can look up.
fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if schema == &Value::Bool(true) {
        return Ok(());
    }
    let schema = schema.as_object().ok_or(format!("{at}: no schema"))?;
    for (word, rule) in schema {
        let holds = match word.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "format" | "default" => true,
            "$ref" => {
                let path = rule.as_str().unwrap().strip_prefix('#').unwrap();
                return check(root, root.pointer(path).unwrap(), value, at);
            }
            "type" => is_one_of(rule, value),
            "const" => rule == value,
            "enum" => rule.as_array().unwrap().contains(value),
            "minimum" | "maximum" | "exclusiveMaximum" => is_within(word, rule, value),
            "minItems" | "maxItems" => {
                let bound = rule.as_u64().unwrap() as usize;
                let items = value.as_array().map_or(bound, Vec::len);
                if word == "minItems" {
                    items >= bound
                } else {
                    items <= bound
                }
            }
            "minProperties" | "maxProperties" => {
                let bound = rule.as_u64().unwrap() as usize;
                let keys = value.as_object().map_or(bound, Map::len);
                if word == "minProperties" {
                    keys >= bound
                } else {
                    keys <= bound
                }
            }
            "minLength" => {
                let least = rule.as_u64().unwrap() as usize;
                value
                    .as_str()
                    .is_none_or(|text| text.chars().count() >= least)
            }
            "anyOf" | "oneOf" => {
                let any = rule.as_array().unwrap().iter();
                let held = any.filter(|one| check(root, one, value, at).is_ok());
                let count = held.count();
                count == 1 || count > 1 && word == "anyOf"
            }
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                for (index, item) in items {
                    check(root, rule, item, &format!("{at}/{index}"))?;
                }
                true
            }
            "required" => {
                let mut names = rule.as_array().unwrap().iter();
                let there = |name: &Value| value.get(name.as_str().unwrap()).is_some();
                names.all(there)
            }
            "properties" => {
                check_properties(root, schema, value, at)?;
                true
            }
            "additionalProperties" => rule == &Value::Bool(false) || rule.is_object(),
            other => return Err(format!("{at}: unknown word {other}")),
        };
        if !holds {
            return Err(format!("{at}: {word} {rule} doesn't hold for {value}"));
        }
    }
    Ok(())
}

/// Whether a value is within a bound, if it is a number.
fn is_within(word: &str, bound: &Value, value: &Value) -> bool {
    let bound = bound.as_f64().unwrap();
    value.as_f64().is_none_or(|number| match word {
        "minimum" => number >= bound,
        "maximum" => number <= bound,
        _ => number < bound,
    })
}

fn check_properties(
    root: &Value,
    schema: &Map<String, Value>,
    value: &Value,
    at: &str,
) -> Result<(), String> {
    for (name, value) in value.as_object().into_iter().flatten() {
        let described = schema["properties"].get(name);
        let described = described.ok_or(format!("{at}: {name} isn't described"))?;
        check(root, described, value, &format!("{at}/{name}"))?;
    }
    Ok(())
}

fn is_one_of(types: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    };
    match types {
        Value::Array(types) => types.iter().any(is),
        one => is(one),
    }
}

#[test]
fn results_conform_to_their_schema() {
    let folder = Folder::new();
    let schema = folder.fine(&["check", "--schema=results"]).json();
    let version = schema["$id"].as_str().unwrap().rsplit_once(':').unwrap().1;
    assert_eq!(version, "4");
    folder.write(
        "once.toml",
        SMALL
            .replace("load = 0.1", "process = \"once\"")
            .split("[run]")
            .next()
            .unwrap(),
    );
    let energy = ["--set", "energy.link_pj=2.5"];
    let wormhole = SMALL.replace("[router.chaos]", "[router.wormhole]");
    folder.write("wormhole.toml", wormhole);
    let runs: [(&[&str], i32); 7] = [
        (&["small.toml"], 0),
        (&["small.toml", energy[0], energy[1]], 0),
        (&["wormhole.toml", "--engine", "live"], 0),
        (&["once.toml"], 0),
        (&["small.toml", "--set", "traffic.load=0"], 0),
        (
            &[
                "small.toml",
                "--set",
                "traffic.load=1.0",
                "--set",
                "run.drain_cycles=100000",
            ],
            0,
        ),
        (
            &[
                "small.toml",
                "--set",
                "traffic.load=1.0",
                "--set",
                "run.drain_cycles=1",
            ],
            3,
        ),
    ];
    for (args, code) in runs {
        let done = folder.flitwork(&[&["run", "--json"], args].concat());
        assert_eq!(done.code, Some(code), "{args:?}: {}", done.err);
        let results = done.json();
        let found = check(&schema, &schema, &results, "");
        assert_eq!(found, Ok(()), "{args:?}");
        // A schema that accepts anything would prove nothing.
        let mut broken = results.clone();
        broken["packets_created"] = "many".into();
        assert!(check(&schema, &schema, &broken, "").is_err());
        let mut more = results.clone();
        more["load_average"] = 1.into();
        assert!(check(&schema, &schema, &more, "").is_err());
        let mut fewer = results;
        fewer.as_object_mut().unwrap().remove("provenance");
        assert!(check(&schema, &schema, &fewer, "").is_err());
    }
}

/// The JSON Schema of configurations.
fn of_configurations() -> Value {
    Folder::new().fine(&["check", "--schema"]).json()
}

fn as_json(text: &str) -> Value {
    serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()
}

#[test]
fn every_configuration_conforms_to_the_schema() {
    let schema = of_configurations();
    assert_eq!(schema["$id"], "urn:flitwork:configuration:1");
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let folders = ["", "route", "schedule"].map(|folder| configs.join(folder));
    let mut kept = 0;
    for file in folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
    {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = fs::read_to_string(&path).unwrap();
            let found = check(&schema, &schema, &as_json(&text), "");
            assert_eq!(found, Ok(()), "{}", path.display());
            kept += 1;
        }
    }
    assert!(kept > 10, "{kept}");
    for wrong in [
        SMALL.replace("[router.chaos]", "[router.chaos]\n[router.wormhole]"),
        SMALL.replace("[router.chaos]", "[router.chaos]\n[rule.fifo]"),
        SMALL.replace("[router.chaos]", ""),
        SMALL.replace("topology =", "toplogy ="),
        SMALL.replace("[run]", "[runs]"),
    ] {
        assert_ne!(wrong, SMALL);
        assert!(
            check(&schema, &schema, &as_json(&wrong), "").is_err(),
            "{wrong}"
        );
    }
}

/// Values of every type, small and large.
fn values() -> Vec<Value> {
    let mut values = vec![
        json!("x"),
        json!(""),
        json!("none"),
        json!(true),
        json!(0),
        json!(1),
        json!(3),
        json!(-1),
        json!(0.5),
        json!(1.5),
        json!(-0.5),
        json!(100),
        json!(70_000),
        json!(3_000_000_000u32),
        json!(u32::MAX),
        json!(1e12),
        json!([]),
        json!([0]),
        json!([1, 2]),
        json!([-1]),
        json!([0.5]),
        json!(["x"]),
        json!([[0.5]]),
        json!([[2]]),
        json!(vec![1; 17]),
        json!({}),
        json!({"x": 1}),
        json!([{"x": 1}]),
    ];
    values.extend(["hot-spot", "uniform", "live", "mesh"].map(Value::from));
    values
}

/// Every key accepts the values that its schema accepts, and no others.
#[test]
fn the_schema_accepts_what_the_program_accepts() {
    let schema = of_configurations();
    let (mut taken, mut refused) = (0, 0);
    let mut left = vec![(String::new(), &schema)];
    while let Some((path, of)) = left.pop() {
        for (name, schema) in of["properties"].as_object().unwrap() {
            let key = [&path, name.as_str()].concat();
            if schema.get("properties").is_some() {
                left.push((format!("{key}."), schema));
            }
            for value in values() {
                let said = check(schema, schema, &value, "");
                let text = format!("{key} = {}", toml::Value::try_from(&value).unwrap());
                let error = resolve(&text, "x.toml", Path::new(""), &[]).expect_err("a single key");
                let is_wrong = error.each().any(|error| {
                    let about = error.key().unwrap_or_default();
                    matches!(error.kind(), MistakeKind::Value | MistakeKind::Unknown)
                        && about.starts_with(&key)
                });
                // Only the program detects that a table lacks a key here, and which of two numbers is larger.
                let is_more = value.is_object() || value.is_array();
                assert!(
                    said.is_err() == is_wrong || said.is_err() && is_more,
                    "{text}: {said:?}\n{error}"
                );
                taken += u32::from(!is_wrong);
                refused += u32::from(is_wrong);
            }
        }
    }
    assert!(
        taken > 300 && refused > 3000,
        "{taken} taken, {refused} refused"
    );
}

/// Every key of an object has a description.
#[test]
fn the_schema_describes_every_key() {
    let schema = Folder::new().fine(&["check", "--schema=results"]).json();
    let mut keys = 0;
    let mut left = vec![&schema];
    while let Some(value) = left.pop() {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                keys += 1;
                // A choice of several is described as a whole.
                let place = if properties.len() == 1 {
                    value
                } else {
                    property
                };
                let said = property.get("description").or(place.get("description"));
                let is_said = said
                    .and_then(Value::as_str)
                    .is_some_and(|said| said.len() > 5);
                let is_named = name == "provenance" && property.get("$ref").is_some();
                assert!(is_named || is_said, "{name}: {property}");
            }
        }
        left.extend(value.as_object().into_iter().flat_map(|map| map.values()));
        left.extend(value.as_array().into_iter().flatten());
    }
    assert!(keys > 80, "{keys}");
}
