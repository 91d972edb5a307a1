//! The text of a resolved configuration.

use super::*;
use flitwork_schema::{Datum, Value};
use flitwork_topology::Topology;
use std::fmt::Write;

impl Resolved {
    /// The full configuration with all defaults. Reading it gives the same configuration, with the same directory if it
    /// names files. What isn't read, such as the clocks and the timing of links on other engines than the clocked one,
    /// isn't written: it is as by default.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        for (name, settings) in self.tables() {
            match name {
                "router" => {
                    let name = format!("router.{}", self.router.name());
                    write(&mut out, &name, &settings);
                }
                name => write(&mut out, name, &settings),
            }
        }
        out
    }

    fn tables(&self) -> Vec<(&'static str, Settings)> {
        let shape = &self.network.shape;
        let known = Known {
            network: Some(&self.network),
            nodes: Some(shape.nodes()),
            router: Some((&self.router, self.router.settings(shape))),
            traffic: Some(&self.traffic),
            run: Some(&self.run),
            clocks: Some(&self.clocks),
            live: Some(&self.live),
            energy: self.energy,
        };
        let tables = known.tables().into_iter();
        tables
            .filter_map(|(name, settings)| Some((name, settings?)))
            .collect()
    }
}

/// Keys and their values.
pub(crate) type Settings = Vec<(&'static str, Datum)>;

/// What is known of a run: all of it, or the parts without a mistake.
pub(crate) struct Known<'a> {
    pub(crate) network: Option<&'a NetworkParameters>,
    pub(crate) nodes: Option<u32>,
    /// The router, and its settings.
    pub(crate) router: Option<(&'a AnyRouter, Settings)>,
    pub(crate) traffic: Option<&'a TrafficParameters>,
    pub(crate) run: Option<&'a RunParameters>,
    pub(crate) clocks: Option<&'a ClockParameters>,
    pub(crate) live: Option<&'a LiveParameters>,
    pub(crate) energy: EnergyParameters,
}

impl Known<'_> {
    /// What is read of each table, if that is known; those of `router` are of the table in it. A table that isn't there
    /// isn't read.
    pub(crate) fn tables(&self) -> Vec<(&'static str, Option<Settings>)> {
        let engine = self.run.map(|run| run.engine);
        let router = self.router.as_ref();
        let network = self.network.zip(engine);
        let traffic = self.traffic.zip(router);
        let run = self.run.zip(self.traffic);
        let mut all = vec![
            (
                "network",
                network.and_then(|(it, engine)| {
                    Some(it.settings(match engine {
                        EngineChoice::Clocked => Some(self.clocks?.period_ps),
                        _ => None,
                    }))
                }),
            ),
            ("router", router.map(|(_, settings)| settings.clone())),
            (
                "traffic",
                traffic.map(|(it, (router, _))| it.settings(router.fixed_words())),
            ),
            (
                "run",
                run.map(|(run, it)| run.settings(it.process.is_open_loop())),
            ),
        ];
        let clocks = || Some(self.clocks?.settings(self.nodes?));
        let live = || Some(self.live?.settings());
        match engine {
            None => all.extend([("clocks", None), ("live", None)]),
            Some(EngineChoice::Clocked) => all.push(("clocks", clocks())),
            Some(EngineChoice::Live) => all.push(("live", live())),
            Some(EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain) => {}
        }
        if self.energy.any() {
            all.push(("energy", Some(self.energy.settings())));
        }
        all
    }
}

/// The text of a table with this header and these values.
pub fn table_text(name: &str, entries: &[(&'static str, Datum)]) -> String {
    let mut out = String::new();
    write(&mut out, name, entries);
    out
}

/// Writes a table: its values, then the tables in it.
pub(crate) fn write(out: &mut String, name: &str, entries: &[(&'static str, Datum)]) {
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
