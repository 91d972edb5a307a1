//! What stands in results.json, as a JSON Schema: for programs that read results.

use super::Results;
use crate::provenance::{Provenance, SCHEMA_VERSION};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The JSON Schema (draft 2020-12) of results.json and of what `flitwork run --json` prints, with the version
/// that results have as `schema_version`. It is made of the types that are written.
pub fn json_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    let provenance = generator.subschema_for::<Provenance>();
    let schema = generator.into_root_schema_for::<Results>();
    let mut schema = schema.to_value();
    schema["$id"] = json!(format!("urn:flitwork:results:{SCHEMA_VERSION}"));
    schema["title"] = json!("Results of a run of Flitwork");
    schema["properties"]["provenance"] = provenance.to_value();
    if let Some(required) = schema["required"].as_array_mut() {
        required.insert(0, json!("provenance"));
    }
    schema
}
