//! The keys as a JSON Schema, for editors and for programs that write configurations.

use super::Catalogue;
use super::schema::{Line, Schema};
use super::tables::part::ONE_OF;
use flitwork_schema::Allowed;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The version of the schema: it grows when a configuration that conformed to it may no longer do so, because a key is
/// removed, allows less or becomes required. `tests/facts` compares it with the schema that was last recorded.
const VERSION: u32 = 1;

/// What names a schema: the version and, where parts from outside add keys, a checksum.
fn id(schema: &Value) -> String {
    static BUILT_IN: LazyLock<u32> =
        LazyLock::new(|| checksum(&tables(Catalogue::default().schema())));
    match checksum(schema) {
        built_in if built_in == *BUILT_IN => format!("urn:flitwork:configuration:{VERSION}"),
        other => format!("urn:flitwork:configuration:{VERSION}:{other:08x}"),
    }
}

/// A checksum of everything that decides whether a configuration conforms to a schema, which descriptions and
/// defaults don't.
fn checksum(schema: &Value) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(shape(schema).to_string().as_bytes());
    hasher.finalize()
}

/// A schema without its descriptions and defaults, its words sorted. Names within `properties` are keys, whatever they
/// are called.
fn shape(schema: &Value) -> Value {
    let sorted = |words: BTreeMap<String, Value>| Value::Object(words.into_iter().collect());
    match schema {
        Value::Object(words) => {
            let words = words
                .iter()
                .filter(|(word, _)| *word != "description" && *word != "default");
            let shaped = words.map(|(word, rule)| match (word.as_str(), rule) {
                ("properties", Value::Object(keys)) => {
                    let keys = keys.iter().map(|(key, rule)| (key.clone(), shape(rule)));
                    (word.clone(), sorted(keys.collect()))
                }
                _ => (word.clone(), shape(rule)),
            });
            sorted(shaped.collect())
        }
        Value::Array(values) => values.iter().map(shape).collect(),
        other => other.clone(),
    }
}

/// The table of all tables, with one of those of which a configuration has one.
fn tables(keys: &Schema) -> Value {
    let mut schema = table(keys, "");
    schema["oneOf"] = ONE_OF
        .iter()
        .map(|name| json!({"required": [name]}))
        .collect();
    schema
}

/// The JSON Schema of a configuration.
pub(super) fn of(keys: &Schema) -> Value {
    let mut schema = tables(keys);
    let id = id(&schema);
    let whole = schema.as_object_mut().expect("a table is an object");
    whole.insert(
        "$schema".into(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    whole.insert("$id".into(), json!(id));
    whole.insert("title".into(), json!("A configuration of Flitwork"));
    schema
}

fn table(keys: &Schema, path: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (line, name) in keys.within(path) {
        properties.insert(name.into(), described(keys, line));
        if line.default == "required" {
            required.push(name);
        }
    }
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "required": required,
    })
}

fn described(keys: &Schema, line: &Line) -> Value {
    let mut schema = value(keys, line);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".into(), json!(line.described()));
        if let Some(default) = default(line) {
            schema.insert("default".into(), default);
        }
    }
    schema
}

/// The default, if it is a value rather than words.
fn default(line: &Line) -> Option<Value> {
    let text = format!("x = {}", line.default);
    let table: toml::Table = toml::from_str(&text).ok()?;
    serde_json::to_value(table.get("x")?).ok()
}

fn whole(least: u64, most: u64) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most})
}

/// A list with a least and a greatest number of entries.
fn list(least: usize, most: usize, items: &Value) -> Value {
    let mut list = json!({"type": "array", "items": items});
    if least > 0 {
        list["minItems"] = json!(least);
    }
    if most < usize::MAX {
        list["maxItems"] = json!(most);
    }
    list
}

fn value(keys: &Schema, line: &Line) -> Value {
    match &line.allowed {
        Allowed::Table => table(keys, &line.key),
        Allowed::OneTable => {
            let mut one = table(keys, &line.key);
            one["minProperties"] = json!(1);
            one["maxProperties"] = json!(1);
            one
        }
        Allowed::Tables => list(1, usize::MAX, &table(keys, &line.key)),
        plain => plain_value(plain),
    }
}

fn plain_value(allowed: &Allowed) -> Value {
    match *allowed {
        Allowed::Whole(least, most) => whole(least, most),
        Allowed::WholeOr(least, most, name) => {
            json!({"oneOf": [whole(least, most), {"const": name}]})
        }
        Allowed::Range(least, most) => {
            let one = whole(least, most);
            json!({"oneOf": [one, list(2, 2, &one)]})
        }
        Allowed::Number(least, most, _) => {
            json!({"type": "number", "minimum": least, "maximum": most})
        }
        Allowed::Below(least, bound, _) => {
            json!({"type": "number", "minimum": least, "exclusiveMaximum": bound})
        }
        Allowed::Node => whole(0, u64::from(flitwork_topology::MAX_NODES) - 1),
        Allowed::Truth => json!({"type": "boolean"}),
        Allowed::Choice(_) | Allowed::Part(_) | Allowed::Names(_) => {
            json!({"enum": allowed.choices()})
        }
        Allowed::Text => json!({"type": "string", "minLength": 1}),
        Allowed::AnyText => json!({"type": "string"}),
        Allowed::List(least, most, of) => list(least, most, &plain_value(of)),
        Allowed::Table | Allowed::OneTable | Allowed::Tables => unreachable!("no plain value"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_schema::{Key, Parts, RawTable, key};
    use flitwork_topology::TopologyEntry;

    #[test]
    fn every_key_is_in_it() {
        let catalogue = Catalogue::default();
        let schema = catalogue.json_schema();
        for entry in &catalogue.schema().lines {
            let mut place = &schema;
            for name in entry.key.split('.') {
                place = place.get("items").unwrap_or(place);
                place = &place["properties"][name];
            }
            assert_eq!(place["description"], entry.described(), "{}", entry.key);
        }
        assert_eq!(schema["required"], json!(["network", "traffic"]));
        assert_eq!(schema["oneOf"][2], json!({"required": ["schedule"]}));
    }

    /// Keys of a crate outside are another schema.
    #[test]
    fn other_parts_have_another_name() {
        #[derive(Clone, Default)]
        struct Line {
            stops: u32,
        }
        const KEYS: &[Key<Line>] = &[key(
            "stops",
            |it| &mut it.stops,
            Allowed::Whole(2, 9),
            "required",
            "how many",
        )];
        let build = |_: &Line, given: &RawTable<'_>| Err(given.missing("stops"));
        let line = TopologyEntry::new("line", "nodes in a line", KEYS, build);
        let schema = Catalogue::new(Parts::new().with(line)).json_schema();
        assert_eq!(
            schema["properties"]["network"]["properties"]["stops"]["maximum"],
            9
        );
        let built_in = Catalogue::default().json_schema();
        assert_eq!(built_in["$id"], "urn:flitwork:configuration:1");
        let id = schema["$id"].as_str().unwrap();
        assert!(id.starts_with("urn:flitwork:configuration:1:"), "{id}");
    }
}
