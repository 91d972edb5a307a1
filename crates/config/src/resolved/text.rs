//! A configuration, written out.

use super::*;
use flitwork_schema::{Datum, Value};
use std::fmt::{Display, Write};

impl Resolved {
    /// The full configuration, every default written out. It reads back as what it was written from,
    /// given the same directory where a permutation's file is named. What only another engine would read,
    /// the clocks and the timing of links or `[live]`, isn't written, and reads back as its defaults.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        let is_clocked = self.run.engine == EngineChoice::Clocked;
        write(&mut out, "network", &self.network.written(is_clocked));
        let router = format!("router.{}", self.router.name());
        write(&mut out, &router, &self.router.written(&self.network.shape));
        let traffic = self.traffic.written(self.router.fixed_words());
        write(&mut out, "traffic", &traffic);
        let run = self.run.written(self.traffic.process.is_open_loop());
        write(&mut out, "run", &run);
        match self.run.engine {
            EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain => {}
            EngineChoice::Clocked => write(&mut out, "clocks", &self.clocks.written()),
            EngineChoice::Live => write(&mut out, "live", &self.live.written()),
        }
        if self.energy.any() {
            write(&mut out, "energy", &self.energy.written());
        }
        out
    }
}

/// Writes a table, and the tables in it behind its values.
pub(super) fn write(out: &mut String, name: &str, entries: &[(&'static str, Datum)]) {
    let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, value)).collect();
    write_table(out, name, name, &entries);
}

fn write_table(out: &mut String, header: &str, name: &str, entries: &[(&str, &Datum)]) {
    table(out, header);
    for (key, value) in entries {
        if tables_in(value).is_empty() {
            entry(out, key, shown(value));
        }
    }
    for (key, value) in entries {
        let name = format!("{name}.{key}");
        let header = match value {
            Datum::Table(_) => name.clone(),
            _ => format!("[{name}]"),
        };
        for within in tables_in(value) {
            let within = within.iter();
            let within: Vec<_> = within.map(|(key, it)| (key.as_str(), &it.datum)).collect();
            write_table(out, &header, &name, &within);
        }
    }
}

/// The tables that a value is, or is a list of.
fn tables_in(value: &Datum) -> Vec<&[(String, Value)]> {
    match value {
        Datum::Table(entries) => vec![entries],
        Datum::List(list) => list.iter().flat_map(|it| tables_in(&it.datum)).collect(),
        _ => Vec::new(),
    }
}

/// A value as TOML writes it.
fn shown(value: &Datum) -> String {
    match value {
        Datum::Whole(number) => number.to_string(),
        Datum::Real(number) => format!("{number:?}"),
        Datum::Truth(truth) => truth.to_string(),
        Datum::Text(text) => quoted(text),
        Datum::List(values) => {
            let values: Vec<String> = values.iter().map(|value| shown(&value.datum)).collect();
            format!("[{}]", values.join(", "))
        }
        Datum::Table(_) => unreachable!("tables have headers of their own"),
    }
}

pub(super) fn table(out: &mut String, name: &str) {
    let gap = if out.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "{gap}[{name}]");
}

pub(super) fn entry(out: &mut String, key: &str, value: impl Display) {
    let _ = writeln!(out, "{key} = {value}");
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
