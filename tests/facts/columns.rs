//! Names and types of all columns and keys of outputs.

use crate::mask;
use crate::outputs::{Outputs, Table, json, outputs, table};
use crate::program::each;
use crate::published::commands;
use crate::record::{Fact, compare};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The types of the values at each path of a JSON value.
type Types = BTreeMap<String, BTreeSet<&'static str>>;

fn gather(value: &Value, path: &str, types: &mut Types) {
    let name = match value {
        Value::Null => "missing",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "whole number",
        Value::String(text) if text == mask::HOST => mask::HOST,
        Value::String(_) => "text",
        Value::Array(values) => {
            values
                .iter()
                .for_each(|value| gather(value, &format!("{path}[]"), types));
            "list"
        }
        Value::Object(map) => {
            for (key, value) in map {
                let below = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                gather(value, &below, types);
            }
            return;
        }
    };
    types.entry(path.to_owned()).or_default().insert(name);
}

/// The paths of a JSON value, each with the types of its values.
pub(crate) fn listed(value: &Value) -> String {
    let mut types = Types::new();
    gather(value, "", &mut types);
    let line = |(path, types): (&String, &BTreeSet<&str>)| {
        let types: Vec<&str> = types.iter().copied().collect();
        format!("{path}: {}\n", types.join(", "))
    };
    types.iter().map(line).collect()
}

/// The type of a cell of a table.
fn cell(text: &str) -> &'static str {
    match text {
        "" => "missing",
        mask::HOST => mask::HOST,
        "true" | "false" => "true or false",
        text if text.parse::<i128>().is_ok() => "whole number",
        text if text.parse::<f64>().is_ok() => "number",
        _ => "text",
    }
}

/// A table's columns in order, with the types of their cells, and the keys of its provenance.
fn columns_of(table: &Table) -> String {
    let key = |line: &str| {
        let (key, _) = line.strip_prefix("# ")?.split_once(" = ")?;
        Some(key.to_owned())
    };
    let before_text = table.provenance.split("'''").next().unwrap();
    let keys: Vec<String> = before_text.lines().filter_map(key).collect();
    let mut came = format!("provenance: {}\n", keys.join(", "));
    for (index, name) in table.columns.iter().enumerate() {
        let cells = table.rows.iter().filter_map(|row| row.get(index));
        let types: BTreeSet<&str> = cells.map(|text| cell(text)).collect();
        let types: Vec<&str> = types.into_iter().collect();
        came += &format!("{name}: {}\n", types.join(", "));
    }
    came
}

fn facts(line: &&str) -> Vec<Fact> {
    let Outputs { typed, done, files } = outputs(line);
    let printed = json(&done.out).map(|value| listed(&value));
    let mut facts = Vec::new();
    if let Some(printed) = &printed {
        facts.push(Fact::new(format!("{typed}: standard output"), printed));
    }
    for (name, bytes) in files.iter().filter(|file| file.0.ends_with(".json")) {
        let value = json(std::str::from_utf8(bytes).unwrap()).unwrap();
        let came = Some(listed(&value)).filter(|listed| Some(listed) != printed.as_ref());
        let came = came.unwrap_or_else(|| "as standard output".to_owned());
        facts.push(Fact::new(format!("{typed}: {name}"), came));
    }
    for (name, bytes) in files.iter().filter(|file| file.0.ends_with(".csv")) {
        facts.push(Fact::new(
            format!("{typed}: {name}"),
            columns_of(&table(bytes)),
        ));
    }
    facts
}

#[test]
fn columns_of_outputs() {
    let facts: Vec<Fact> = each(&commands(), facts).into_iter().flatten().collect();
    crate::promises::hold(&facts);
    compare("columns.txt", &facts);
}

/// The columns of Parquet files, which only a program with that feature writes.
#[cfg(feature = "parquet")]
#[test]
fn columns_of_parquet() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use std::io::Write;
    let lines = [
        "run configs/batch.toml --set network.sides=[3,3] --set traffic.batch.requests=5 --packets OUT/packets.parquet --json",
        "sweep configs/wormhole.toml --set network.sides=[4,4] --set run.warmup_cycles=500 --set run.measure_cycles=6000 --over traffic.load=0.1,0.9 --jobs 1 --out OUT --json",
        "sweep configs/minimal-chaos.toml --over network.sides=[4,4],[6,6] --jobs 1 --out OUT --json",
    ];
    let facts = |line: &&str| {
        let Outputs { typed, files, .. } = outputs(line);
        let columns = |(name, bytes): (String, Vec<u8>)| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let reader = SerializedFileReader::new(file).unwrap();
            let metadata = reader.metadata().file_metadata();
            let mut schema = Vec::new();
            parquet::schema::printer::print_schema(&mut schema, metadata.schema());
            let keys = metadata.key_value_metadata().into_iter().flatten();
            let keys: Vec<&str> = keys.map(|entry| entry.key.as_str()).collect();
            let schema = String::from_utf8(schema).unwrap();
            Fact::new(
                format!("{typed}: {name}"),
                format!("provenance: {}\n{schema}", keys.join(", ")),
            )
        };
        let files = files
            .into_iter()
            .filter(|file| file.0.ends_with(".parquet"));
        files.map(columns).collect::<Vec<Fact>>()
    };
    let facts: Vec<Fact> = each(&lines, facts).into_iter().flatten().collect();
    assert!(!facts.is_empty());
    compare("columns-parquet.txt", &facts);
}
