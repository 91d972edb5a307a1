//! Names and types of all columns and keys of outputs, and what tables say about where they come from.

use crate::mask;
use crate::outputs::{Outputs, Table, json, table};
use crate::promises::{Found, hold, title};
use crate::published::done;
use crate::record::{Fact, compare};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The types of the values at each path of a JSON value, or in each column of a table.
pub(crate) type Types = BTreeMap<String, BTreeSet<String>>;

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
    let at_path = types.entry(path.to_owned()).or_default();
    at_path.insert(name.to_owned());
}

/// The paths of a JSON value, each with the types of its values; those of the provenance are the same everywhere.
pub(crate) fn types_of(value: &Value) -> Types {
    let mut types = Types::new();
    gather(value, "", &mut types);
    types.retain(|path, _| !path.is_empty() && !path.starts_with("provenance"));
    types
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

/// A table's columns with the types of their cells.
fn columns_of(table: &Table) -> Types {
    let columns = table.columns.iter().enumerate();
    let types = |index: usize| -> BTreeSet<String> {
        let cells = table.rows.iter().filter_map(move |row| row.get(index));
        cells.map(|text| cell(text).to_owned()).collect()
    };
    columns
        .map(|(index, name)| (name.clone(), types(index)))
        .collect()
}

/// The keys of a table's provenance.
fn provenance(table: &Table) -> String {
    let key = |line: &str| {
        let (key, _) = line.strip_prefix("# ")?.split_once(" = ")?;
        Some(key.to_owned())
    };
    let before_text = table.provenance.split("'''").next().unwrap();
    let keys: Vec<String> = before_text.lines().filter_map(key).collect();
    keys.join(", ")
}

/// How many tables have the same keys of their provenance, and what they are called.
#[derive(Default)]
struct Alike {
    tables: usize,
    named: BTreeSet<String>,
}

#[test]
fn columns_of_outputs() {
    let mut found = Vec::new();
    let mut alike: BTreeMap<String, Alike> = BTreeMap::new();
    let mut add = |title: Option<String>, types: Types| {
        found.extend(title.map(|title| Found { title, types }));
    };
    for Outputs { typed, done, files } in done() {
        if let Some(printed) = json(&done.out) {
            add(title(typed, "standard output"), types_of(&printed));
        }
        for (name, bytes) in files {
            if name.ends_with(".json") {
                let value = json(std::str::from_utf8(bytes).unwrap()).unwrap();
                add(title(typed, name), types_of(&value));
            } else if name.ends_with(".csv") {
                let table = table(bytes);
                add(title(typed, name), columns_of(&table));
                let alike = alike.entry(provenance(&table)).or_default();
                alike.tables += 1;
                let command = typed.split(' ').nth(1).unwrap();
                alike.named.insert(format!("{command}: {name}"));
            }
        }
    }
    hold(&found);
    let fact = |(keys, Alike { tables, named }): (String, Alike)| {
        let named: Vec<String> = named.into_iter().collect();
        Fact::new(keys, format!("tables: {tables}\n{}", named.join("\n")))
    };
    let facts: Vec<Fact> = alike.into_iter().map(fact).collect();
    compare("columns.txt", &facts);
}

/// The columns of Parquet files, which only a program with that feature writes: neighbours of one type share a line.
#[test]
fn columns_of_parquet() {
    use crate::outputs::outputs;
    use crate::program::each;
    use crate::sample::Shown;
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
            let schema = by_type(&String::from_utf8(schema).unwrap());
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
    let mut shown = Shown::default();
    let facts: Vec<Fact> = facts.into_iter().map(|fact| shown.rest(fact)).collect();
    compare("columns-parquet.txt", &facts);
}

/// A printed schema, `  OPTIONAL INT64 seed (INTEGER(64,false));` in each line: the names of neighbours of one type after
/// that type.
fn by_type(schema: &str) -> String {
    let column = |line: &str| -> (String, String) {
        let mut words: Vec<&str> = line.trim_end_matches(';').split_whitespace().collect();
        let name = if words.len() > 2 { words.remove(2) } else { "" };
        (words.join(" "), name.to_owned())
    };
    let columns: Vec<(String, String)> = schema.lines().map(column).collect();
    let line = |same: &[(String, String)]| {
        let names: Vec<&str> = same.iter().map(|column| column.1.as_str()).collect();
        let line = format!("{}: {}", same[0].0, names.join(", "));
        format!("{}\n", line.trim_end())
    };
    let alike = columns.chunk_by(|one, next| one.0 == next.0);
    alike.map(line).collect()
}
