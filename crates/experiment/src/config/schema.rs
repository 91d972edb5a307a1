//! The keys as a JSON Schema, for editors and for programs that write configurations.

use super::keys::{Allowed, KEYS, Key};
use serde_json::{Map, Value, json};

/// The JSON Schema (draft 2020-12) of a configuration. It knows every key and what its value may be by
/// itself; what values may be beside each other only the program knows.
pub fn json_schema() -> Value {
    let mut schema = table("");
    let whole = schema.as_object_mut().expect("a table is an object");
    whole.insert(
        "$schema".into(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    whole.insert("title".into(), json!("A configuration of Flitwork"));
    schema
}

/// The keys directly within a table.
fn within(table: &str) -> impl Iterator<Item = (&'static Key, &'static str)> {
    KEYS.iter().filter_map(move |entry| {
        let (parent, name) = entry.key.rsplit_once('.').unwrap_or(("", entry.key));
        (parent == table).then_some((entry, name))
    })
}

fn table(path: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (entry, name) in within(path) {
        properties.insert(name.into(), described(entry));
        if entry.default == "required" {
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

fn described(entry: &Key) -> Value {
    let mut schema = value(entry);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".into(), json!(entry.meaning));
        if let Some(default) = default(entry) {
            schema.insert("default".into(), default);
        }
    }
    schema
}

/// The default, where it is a value and no words.
fn default(entry: &Key) -> Option<Value> {
    let text = format!("x = {}", entry.default);
    let table: toml::Table = toml::from_str(&text).ok()?;
    serde_json::to_value(table.get("x")?).ok()
}

fn whole(least: u64, most: u64) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items, "minItems": 1})
}

fn value(entry: &Key) -> Value {
    match entry.allowed {
        Allowed::Table => table(entry.key),
        Allowed::Tables => list(&table(entry.key)),
        Allowed::Whole(least, most) => whole(least, most),
        Allowed::WholeOr(least, most, name) => {
            json!({"oneOf": [whole(least, most), {"const": name}]})
        }
        Allowed::Range(least, most) => {
            json!({"type": "array", "items": whole(least, most), "minItems": 2, "maxItems": 2})
        }
        Allowed::Number(least, most, _) => {
            json!({"type": "number", "minimum": least, "maximum": most})
        }
        Allowed::Below(least, bound, _) => {
            json!({"type": "number", "minimum": least, "exclusiveMaximum": bound})
        }
        Allowed::Node => whole(0, u64::from(flitwork_topology::MAX_NODES) - 1),
        Allowed::Nodes => list(&whole(0, u64::from(flitwork_topology::MAX_NODES) - 1)),
        Allowed::Truth => json!({"type": "boolean"}),
        Allowed::Choice(_)
        | Allowed::Pattern
        | Allowed::Routing
        | Allowed::Allocator
        | Allowed::Priority => json!({"enum": entry.allowed.choices()}),
        Allowed::Text => json!({"type": "string", "minLength": 1}),
        Allowed::Wholes(least, most) => list(&whole(least, most)),
        Allowed::Numbers(least, most, _) => {
            list(&json!({"type": "number", "minimum": least, "maximum": most}))
        }
        Allowed::Rows => {
            let row = list(&json!({"type": "number", "minimum": 0, "maximum": 1}));
            list(&row)
        }
        Allowed::Sides => json!({
            "type": "array",
            "items": whole(1, u64::from(flitwork_topology::MAX_NODES)),
            "minItems": 1,
            "maxItems": flitwork_topology::MAX_DIMENSIONS,
        }),
        Allowed::Texts => json!({"type": "array", "items": {"type": "string"}}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_in_it() {
        let schema = json_schema();
        for entry in KEYS {
            let mut place = &schema;
            for name in entry.key.split('.') {
                place = place.get("items").unwrap_or(place);
                place = &place["properties"][name];
            }
            assert_eq!(place["description"], entry.meaning, "{}", entry.key);
        }
        assert_eq!(schema["required"], json!(["network", "router", "traffic"]));
    }
}
