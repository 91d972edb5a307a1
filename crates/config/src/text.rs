//! The text of tables.

use flitwork_schema::{Datum, Value};
use std::fmt::Write;

/// Keys and their values.
pub(crate) type Settings = Vec<(&'static str, Datum)>;

/// The text of a table with this header and these values.
pub fn table_text(name: &str, entries: &[(&'static str, Datum)]) -> String {
    let mut out = String::new();
    write(&mut out, name, entries);
    out
}

/// Writes a table: its values, then the tables in it; or a list of tables, which has no name.
pub(crate) fn write(out: &mut String, name: &str, entries: &[(&'static str, Datum)]) {
    if let [("", list)] = entries {
        for within in tables_in(list) {
            let within = within.iter();
            let within: Vec<_> = within.map(|(key, it)| (key.as_str(), &it.datum)).collect();
            write_table(out, &format!("[{name}]"), name, &within);
        }
        return;
    }
    let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, value)).collect();
    write_table(out, name, name, &entries);
}

fn write_table(out: &mut String, header: &str, name: &str, entries: &[(&str, &Datum)]) {
    table(out, header);
    for (key, value) in entries {
        if tables_in(value).is_empty() {
            out.push_str(key);
            out.push_str(" = ");
            show(out, value);
            out.push('\n');
        }
    }
    for (key, value) in entries {
        let tables = tables_in(value);
        if tables.is_empty() {
            continue;
        }
        let name = format!("{name}.{key}");
        let header = match value {
            Datum::Table(_) => name.clone(),
            _ => format!("[{name}]"),
        };
        for within in tables {
            let within = within.iter();
            let within: Vec<_> = within.map(|(key, it)| (key.as_str(), &it.datum)).collect();
            write_table(out, &header, &name, &within);
        }
    }
}

/// The tables in a value: itself, or the entries of a list.
fn tables_in(value: &Datum) -> Vec<&[(String, Value)]> {
    match value {
        Datum::Table(entries) => vec![entries],
        Datum::List(list) => list.iter().flat_map(|it| tables_in(&it.datum)).collect(),
        _ => Vec::new(),
    }
}

/// Writes a value in TOML.
fn show(out: &mut String, value: &Datum) {
    match value {
        Datum::Text(text) => quote(out, text),
        Datum::List(values) => {
            out.push('[');
            for (place, value) in values.iter().enumerate() {
                out.push_str(if place == 0 { "" } else { ", " });
                show(out, &value.datum);
            }
            out.push(']');
        }
        plain => {
            let _ = write!(out, "{plain}");
        }
    }
}

fn table(out: &mut String, name: &str) {
    let gap = if out.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "{gap}[{name}]");
}

/// Writes a string in TOML.
fn quote(out: &mut String, text: &str) {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    let _ = match text.bytes().all(is_plain) {
        // Most are. The crate's writer would cost more than the rest of a short run's text together.
        true => write!(out, "\"{text}\""),
        false => write!(out, "{}", toml::Value::from(text)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_toml_quotes_them() {
        let plain = ["", "uniform", "a b", "it's", "~", "[x] = 1 # none"];
        let others = [
            "\"",
            "a\\b",
            "two\nlines",
            "tab\t",
            "\u{7f}",
            "\u{e9}t\u{e9}",
            "'\"",
        ];
        for text in plain.into_iter().chain(others) {
            let mut out = String::new();
            quote(&mut out, text);
            assert_eq!(out, toml::Value::from(text).to_string());
        }
    }
}
