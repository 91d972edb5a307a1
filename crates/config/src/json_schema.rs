//! The keys as a JSON Schema, for editors and for programs that write configurations.

use super::schema::{Line, Schema};
use flitwork_schema::Allowed;
use serde_json::{Map, Value, json};

/// The JSON Schema of a configuration.
pub(super) fn of(keys: &Schema) -> Value {
    let mut schema = table(keys, "");
    let whole = schema.as_object_mut().expect("a table is an object");
    whole.insert(
        "$schema".into(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
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
        schema.insert("description".into(), json!(line.meaning));
        if let Some(default) = default(line) {
            schema.insert("default".into(), default);
        }
    }
    schema
}

/// The default, where it is a value and no words.
fn default(line: &Line) -> Option<Value> {
    let text = format!("x = {}", line.default);
    let table: toml::Table = toml::from_str(&text).ok()?;
    serde_json::to_value(table.get("x")?).ok()
}

fn whole(least: u64, most: u64) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items, "minItems": 1})
}

fn value(keys: &Schema, line: &Line) -> Value {
    match line.allowed {
        Allowed::Table => table(keys, &line.key),
        Allowed::Tables => list(&table(keys, &line.key)),
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
        Allowed::Choice(_) | Allowed::Part(_) | Allowed::Names(_) => {
            json!({"enum": line.allowed.choices()})
        }
        Allowed::Text => json!({"type": "string", "minLength": 1}),
        Allowed::Wholes(least, most) => list(&whole(least, most)),
        Allowed::Numbers(least, most, _) => {
            list(&json!({"type": "number", "minimum": least, "maximum": most}))
        }
        Allowed::Rows => {
            let row = list(&json!({"type": "number", "minimum": 0, "maximum": 1}));
            list(&row)
        }
        Allowed::UpTo(entries, least, most) => json!({
            "type": "array",
            "items": whole(least, most),
            "minItems": 1,
            "maxItems": entries,
        }),
        Allowed::Texts => json!({"type": "array", "items": {"type": "string"}}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_in_it() {
        let catalogue = crate::Catalogue::default();
        let schema = catalogue.json_schema();
        for entry in &catalogue.schema().lines {
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
