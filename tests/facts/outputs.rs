//! Runs commands that write files, and reads back what they wrote.

use crate::mask;
use crate::program::{Done, flitwork, root, temporary, typed};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The placeholder for a new folder in a command line.
const OUT: &str = "OUT";

/// The outcome of a command.
pub(crate) struct Outputs {
    /// The command as a user types it.
    pub(crate) typed: String,
    pub(crate) done: Done,
    /// The files in and below its folder, by name.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// Runs a command line from the root of the repository, with a new folder in place of [`OUT`].
pub(crate) fn outputs(line: &str) -> Outputs {
    let folder = temporary();
    let out = folder.path().to_str().unwrap();
    let args: Vec<String> = line
        .split_whitespace()
        .map(|arg| arg.replace(OUT, out))
        .collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut done = flitwork(root(), &args);
    for text in [&mut done.out, &mut done.err] {
        *text = text.replace(out, OUT);
    }
    let mut files = BTreeMap::new();
    collect(folder.path(), folder.path(), &mut files);
    Outputs {
        typed: typed(&args).replace(out, OUT),
        done,
        files,
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// A table in CSV: its provenance, the names of its columns, its rows.
pub(crate) struct Table {
    pub(crate) provenance: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// Reads a table; columns that depend on the host are masked.
pub(crate) fn table(bytes: &[u8]) -> Table {
    let text = std::str::from_utf8(bytes).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('#'));
    let provenance = mask::text(&lines.map(|line| format!("{line}\n")).collect::<String>());
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .flexible(true)
        .from_reader(bytes);
    let columns: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    let row = |row: csv::StringRecord| {
        let cell = |(index, cell): (usize, &str)| {
            let name = columns.get(index).map_or("", String::as_str);
            if mask::KEYS.contains(&name) {
                mask::HOST.to_owned()
            } else {
                cell.to_owned()
            }
        };
        row.iter().enumerate().map(cell).collect()
    };
    let rows = reader
        .records()
        .map(|record| row(record.unwrap()))
        .collect();
    Table {
        provenance,
        columns,
        rows,
    }
}

/// JSON, masked, without the resolved configuration in it.
pub(crate) fn json(text: &str) -> Option<Value> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    hide(&mut value);
    Some(value)
}

fn hide(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match name.as_str() {
                    "configuration" => *value = "(elsewhere)".into(),
                    name if mask::KEYS.contains(&name) => *value = mask::HOST.into(),
                    _ => hide(value),
                }
            }
        }
        Value::Array(values) => {
            // A sweep names them among its files where the program was built with that feature.
            let parquet = |value: &Value| {
                value
                    .as_str()
                    .is_some_and(|text| text.ends_with(".parquet"))
            };
            values.retain(|value| !parquet(value));
            values.iter_mut().for_each(hide);
        }
        _ => {}
    }
}
