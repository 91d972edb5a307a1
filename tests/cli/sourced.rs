//! The provenance in files of results, read without the program's own code.

use crate::harness::Folder;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Map, Value};
use std::fs;

/// A single table or image: its provenance holds the engine that the configuration names, and the folder of
/// the command line.
pub(crate) fn without_provenance(folder: &Folder, name: &str) -> Vec<u8> {
    let text = || folder.read(name);
    match name.rsplit_once('.').unwrap().1 {
        "csv" => {
            let lines = text();
            let lines = lines.lines().filter(|line| !line.starts_with('#'));
            lines.collect::<Vec<_>>().join("\n").into()
        }
        "svg" => {
            let text = text();
            let (head, rest) = text.split_once("<metadata>").unwrap();
            let (_, body) = rest.split_once("</metadata>").unwrap();
            format!("{head}{body}").into()
        }
        "png" => pixels(&fs::read(folder.path(name)).unwrap()),
        "parquet" => {
            let file = fs::File::open(folder.path(name)).unwrap();
            let rows = SerializedFileReader::new(file).unwrap().into_iter();
            let rows = rows.map(|row| row.unwrap().to_string() + "\n");
            rows.collect::<String>().into()
        }
        other => panic!("{other}"),
    }
}

/// A PNG file's chunks, by their types.
fn chunks(png: &[u8]) -> Vec<(&str, &[u8])> {
    let mut chunks = Vec::new();
    let mut rest = &png[8..];
    while !rest.is_empty() {
        let (length, behind) = rest.split_first_chunk::<4>().unwrap();
        let (kind, behind) = behind.split_at(4);
        let (data, behind) = behind.split_at(u32::from_be_bytes(*length) as usize);
        chunks.push((str::from_utf8(kind).unwrap(), data));
        rest = &behind[4..];
    }
    chunks
}

fn pixels(png: &[u8]) -> Vec<u8> {
    let chunks = chunks(png).into_iter();
    chunks
        .filter(|(kind, _)| *kind == "IDAT")
        .flat_map(|(_, data)| data.to_vec())
        .collect()
}

/// A file's provenance.
pub(crate) fn provenance(folder: &Folder, name: &str) -> Value {
    let from_toml = |text: String| {
        let table: toml::Table = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        serde_json::to_value(table).unwrap()
    };
    match name.rsplit_once('.').unwrap().1 {
        "json" => folder.json(name)["provenance"].clone(),
        "csv" => {
            let text = folder.read(name);
            let head = text.lines().map_while(|line| line.strip_prefix('#'));
            let head = head.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n");
            from_toml(head.collect())
        }
        "svg" => {
            let text = folder.read(name);
            let (_, rest) = text.split_once("<metadata>").unwrap();
            let text = rest.split_once("</metadata>").unwrap().0;
            from_toml(text.replace("&lt;", "<").replace("&amp;", "&"))
        }
        "png" => {
            let png = fs::read(folder.path(name)).unwrap();
            let texts = chunks(&png).into_iter().filter(|(kind, _)| *kind == "iTXt");
            let pairs = texts.map(|(_, data)| {
                // Keyword, 0, not compressed, no method, no language, no translation, text.
                let (keyword, text) = str::from_utf8(data).unwrap().split_once('\0').unwrap();
                let text = text.strip_prefix("\0\0\0\0").unwrap();
                (keyword.to_owned(), text.to_owned())
            });
            named(pairs)
        }
        "parquet" => {
            let file =
                SerializedFileReader::new(fs::File::open(folder.path(name)).unwrap()).unwrap();
            let metadata = file.metadata().file_metadata().key_value_metadata();
            let pairs = metadata.into_iter().flatten();
            named(pairs.map(|pair| (pair.key.clone(), pair.value.clone().unwrap())))
        }
        "toml" => {
            let mut found = from_toml(folder.read(name));
            let seed = found["first_seed"].as_str().unwrap().parse::<u64>();
            found["seed"] = seed.unwrap().into();
            found["configuration"] = found["resolved"].take();
            found
        }
        "vcd" | "pftrace" => of_lines(&fs::read(folder.path(name)).unwrap()),
        "js" => {
            let text = folder.read(name);
            let json = text.split_once(" = ").unwrap().1.trim_end();
            let data: Value = serde_json::from_str(json.strip_suffix(';').unwrap()).unwrap();
            data["provenance"].clone()
        }
        "flog" => of_record(&fs::read(folder.path(name)).unwrap()),
        other => panic!("{name}: no file of {other} says where it comes from"),
    }
}

/// Keywords `flitwork.NAME` and their texts; several configurations as one object.
fn named(pairs: impl Iterator<Item = (String, String)>) -> Value {
    let mut found = Map::new();
    let mut configurations = Map::new();
    for (keyword, text) in pairs {
        // A Parquet file also has its schema in Arrow's form.
        let Some(name) = keyword.strip_prefix("flitwork.") else {
            continue;
        };
        match name.strip_prefix("configuration.") {
            Some(one) => {
                configurations.insert(one.to_owned(), text.into());
            }
            None => {
                let number = text.parse::<u64>().map(Value::from);
                let value = number.unwrap_or_else(|_| text.into());
                found.insert(name.to_owned(), value);
            }
        }
    }
    if !configurations.is_empty() {
        found.insert("configuration".to_owned(), configurations.into());
    }
    found.into()
}

/// Lines `flitwork.NAME = value`, the first of which has the schema's version and the last of which how whole the file
/// is; values may have several lines themselves.
fn of_lines(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    let (_, text) = text.split_once("flitwork.schema_version").unwrap();
    let (text, _) = text.split_once("flitwork.status").unwrap();
    let text = format!(
        "schema_version{}",
        text.split("$end").next().unwrap().trim_end()
    );
    let pairs = text.split("\nflitwork.").map(|pair| {
        let (name, value) = pair.split_once(" = ").unwrap();
        (format!("flitwork.{name}"), value.to_owned())
    });
    named(pairs)
}

/// A record's header: comments before the configuration, which has the seed.
fn of_record(bytes: &[u8]) -> Value {
    // Magic, version, the body's length; then nodes, link ports, local ports, words and heads, and three
    // strings, the last of which is the configuration.
    let mut rest = &bytes[8 + 2 + 4 + 4 + 1 + 1 + 2 + 1..];
    let mut string = || {
        let (length, behind) = rest.split_first_chunk::<4>().unwrap();
        let (text, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
        rest = behind;
        str::from_utf8(text).unwrap()
    };
    let [_version, _runtime, text] = [string(), string(), string()];
    let remark = text.lines().map_while(|line| line.strip_prefix("# "));
    let remark: Vec<&str> = remark.collect();
    let from_toml = |text: &str| toml::from_str::<toml::Table>(text).unwrap();
    let mut found = serde_json::to_value(from_toml(&remark.join("\n"))).unwrap();
    let seed = from_toml(text)["run"]["seed"].as_integer().unwrap();
    found["seed"] = seed.into();
    found["seeds"] = 1.into();
    found["configuration"] = text.into();
    found
}
