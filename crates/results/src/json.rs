//! results.json: every figure under its name, with lists and reports that do not fit into a cell; and its JSON Schema.

use super::figures::figures;
use super::tables::{class_columns, distance_columns};
use super::{Failure, Results};
use flitwork_measure::Reason;
use flitwork_report::{Column, Provenance, SCHEMA_VERSION, Table, headers, properties};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

/// The keys that are not figures.
const BY_CLASS: &str = "latency_by_class";
const BY_DISTANCE: &str = "latency_by_distance";
const UNSTEADY: &str = "unsteady";
const FAILURE: &str = "failure";

impl Serialize for Results {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for figure in figures() {
            map.serialize_entry(figure.name(), &figure.column.cell(self))?;
        }
        map.serialize_entry(UNSTEADY, &self.unsteady())?;
        for list in [
            Table::new(BY_CLASS, &class_columns(), &self.latency_by_class),
            Table::new(BY_DISTANCE, &distance_columns(), &self.latency_by_distance),
        ] {
            map.serialize_entry(list.name, &list)?;
        }
        map.serialize_entry(FAILURE, &self.failure)?;
        map.end()
    }
}

/// The JSON Schema (draft 2020-12) of results.json and of what `flitwork run --json` prints, with the version
/// that results have as `schema_version`. It is generated from the figures and the types that are written.
pub fn json_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    let mut keys = Map::new();
    let provenance = generator.subschema_for::<Provenance>();
    keys.insert("provenance".into(), provenance.to_value());
    keys.extend(properties(
        figures().iter().map(|figure| &figure.column.header),
    ));
    let mut more = |name: &str, description: &str, mut schema: Value| {
        schema["description"] = json!(description);
        keys.insert(name.into(), schema);
    };
    let unsteady = generator.subschema_for::<Option<Reason>>().to_value();
    more(
        UNSTEADY,
        "The rule of the steady state that was violated, with its numbers.",
        unsteady,
    );
    more(
        BY_CLASS,
        "Latency of the same packets by their classes.",
        list_of(&class_columns()),
    );
    let by_distance = "The same by the distance from source to destination.";
    more(BY_DISTANCE, by_distance, list_of(&distance_columns()));
    let failure = generator.subschema_for::<Option<Failure>>().to_value();
    more(FAILURE, "Why packets were not delivered.", failure);
    whole(keys, &mut generator)
}

/// The schema of an object with these keys, all of them required.
fn whole(keys: Map<String, Value>, generator: &mut SchemaGenerator) -> Value {
    let required: Vec<&String> = keys.keys().collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:flitwork:results:{SCHEMA_VERSION}"),
        "title": "Results of a run of Flitwork",
        "type": "object",
        "required": required,
        "properties": keys,
        "$defs": generator.take_definitions(true),
    })
}

fn list_of<R>(columns: &[Column<R>]) -> Value {
    let keys = properties(&headers(columns));
    let required: Vec<&String> = keys.keys().collect();
    let items = json!({"type": "object", "required": required, "properties": keys});
    json!({"type": "array", "items": items})
}
