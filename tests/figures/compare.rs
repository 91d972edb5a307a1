//! What a run wrote, compared with its account: every column, key and line, by name.

use crate::figures::account::Account;
use crate::figures::outputs::Figures;
use crate::figures::tables::Row;
use crate::figures::text;
use flitwork_engine::Ended;
use flitwork_types::NodeId;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The mismatches found.
#[derive(Debug, Default)]
pub(crate) struct Differences(pub(crate) Vec<String>);

const ADD_IT: &str = "isn't counted from events: add it to tests/figures";

/// Numbers are equal up to rounding: both sides add the same whole numbers in different orders.
fn near(found: f64, expected: f64) -> bool {
    let size = found.abs().max(expected.abs());
    (found - expected).abs() <= 1e-9 * size + 1e-12
}

impl Differences {
    fn say(&mut self, what: String) {
        self.0.push(what);
    }

    /// Two JSON values, key by key.
    pub(crate) fn json(&mut self, path: &str, found: &Value, expected: &Value) {
        match (found, expected) {
            (Value::Object(one), Value::Object(other)) => {
                let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
                for name in names {
                    let path = format!("{path}/{name}");
                    match (one.get(name), other.get(name)) {
                        (Some(one), Some(other)) => self.json(&path, one, other),
                        (Some(_), None) => self.say(format!("{path} {ADD_IT}")),
                        (None, _) => self.say(format!("{path} is missing")),
                    }
                }
            }
            (Value::Array(one), Value::Array(other)) => {
                if one.len() != other.len() {
                    self.say(format!("{path}: {} for {}", one.len(), other.len()));
                }
                for (place, (one, other)) in one.iter().zip(other).enumerate() {
                    self.json(&format!("{path}/{place}"), one, other);
                }
            }
            (Value::Number(one), Value::Number(other)) => {
                let equal = match (one.as_u64(), other.as_u64()) {
                    (Some(one), Some(other)) => one == other,
                    _ => near(one.as_f64().unwrap(), other.as_f64().unwrap()),
                };
                if !equal {
                    self.say(format!("{path}: {one}, by events {other}"));
                }
            }
            // The text of a reason has rounded numbers.
            (Value::String(one), Value::String(other)) if same_text(one, other) => {}
            _ if found == expected => {}
            _ => self.say(format!("{path}: {found}, by events {expected}")),
        }
    }

    /// Compares a table with the expected rows, in order.
    pub(crate) fn table(&mut self, path: &Path, expected: &[Row], places: Option<i32>) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // The provenance of a table is no column.
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.comment(Some(b'#')).from_path(path).unwrap();
        let columns: Vec<String> = reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        let unique: BTreeSet<&String> = columns.iter().collect();
        if unique.len() != columns.len() {
            self.say(format!("{name} has a column twice"));
        }
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        if rows.len() != expected.len() {
            self.say(format!(
                "{name}: {} rows for {}",
                rows.len(),
                expected.len()
            ));
        }
        for (at, (row, expected)) in rows.iter().zip(expected).enumerate() {
            for (column, cell) in columns.iter().zip(row) {
                match expected.get(column) {
                    None => self.say(format!("{name}: column {column} {ADD_IT}")),
                    Some(value) if !same_cell(cell, value, places) => {
                        self.say(format!("{name} row {at}: {column} {cell:?} for {value}"));
                    }
                    Some(_) => {}
                }
            }
            for name_of in expected.keys().filter(|name| !unique.contains(name)) {
                self.say(format!("{name}: no column {name_of}"));
            }
        }
    }

    /// The packets that wait have entered; in a network that is stuck they are those that weren't delivered.
    pub(crate) fn waits(&mut self, path: &Path, account: &Account<'_>) {
        let mut reader = csv::ReaderBuilder::new();
        let mut reader = reader.comment(Some(b'#')).from_path(path).unwrap();
        let columns = reader.headers().unwrap().clone();
        let known = [
            "node",
            "coordinates",
            "source",
            "serial",
            "destination",
            "place",
            "waits_for",
        ];
        for column in columns.iter().filter(|column| !known.contains(column)) {
            self.say(format!("waits.csv: column {column} {ADD_IT}"));
        }
        let mut reported = BTreeSet::new();
        for row in reader.records().map(Result::unwrap) {
            let cell = |name| &row[columns.iter().position(|it| it == name).unwrap()];
            let number = |name| cell(name).parse::<u32>().unwrap();
            let node = NodeId(number("node"));
            let at: Vec<String> = account
                .grid
                .coordinates(node)
                .iter()
                .map(u32::to_string)
                .collect();
            if cell("coordinates") != format!("({})", at.join(", ")) {
                self.say(format!("waits.csv: node {node} isn't at {row:?}"));
            }
            let place_and_reason = [cell("place"), cell("waits_for")];
            if place_and_reason.iter().any(|text| text.is_empty()) {
                self.say(format!("waits.csv: {row:?} lacks a place or a reason"));
            }
            reported.insert(["source", "serial", "destination"].map(number));
        }
        let of = |all: bool| -> BTreeSet<[u32; 3]> {
            let lives = account.lives.iter();
            let lives = lives.filter(|life| all || life.delivered.is_none());
            let named = lives.map(|life| [life.source.0, life.serial, life.destination.0]);
            named.collect()
        };
        // If packets still move, some are between the places where they could wait, and words of a packet
        // that counts as delivered may still leave.
        let right = match account.ended {
            Ended::Stuck => reported == of(false),
            _ => reported.is_subset(&of(true)),
        };
        if !right {
            let left = of(false);
            self.say(format!("waits.csv has {reported:?}, by events {left:?}"));
        }
    }

    /// The report's lines.
    pub(crate) fn text(&mut self, text: &str, figures: &Figures<'_>) {
        let (report, configuration) = text.split_once("\n\nresolved configuration\n").unwrap();
        let head = match figures.status() {
            "partial" => "results (PARTIAL: the run was interrupted)",
            "failed" if figures.reported.failure["kind"] == "deadline" => {
                "results (FAILED: the run ended before its packets were delivered)"
            }
            "failed" => "results (FAILED: packets could not be delivered)",
            _ => "results",
        };
        let mut lines = report.lines();
        if lines.next() != Some(head) {
            self.say(format!("the report's head isn't {head:?}"));
        }
        let expected = text::lines(figures);
        let expected: Vec<String> = expected
            .iter()
            .map(|(name, value)| format!("  {name:<22} {value}"))
            .collect();
        let lines: Vec<&str> = lines.collect();
        if lines.len() != expected.len() {
            self.say(format!(
                "a line of the report {ADD_IT}: {lines:#?}, expected {expected:#?}"
            ));
        }
        for (line, expected) in lines.iter().zip(&expected) {
            if !same_text(line, expected) {
                self.say(format!("{line:?}, by events {expected:?}"));
            }
        }
        let unindented: Vec<&str> = configuration
            .lines()
            .map(|line| line.strip_prefix("  ").unwrap_or(line))
            .collect();
        if unindented.join("\n").trim_end() != figures.reported.configuration.trim_end() {
            self.say("another configuration is shown".into());
        }
    }
}

/// Compares a cell with its expected value, shown to this many places if it is rounded.
fn same_cell(cell: &str, expected: &Value, places: Option<i32>) -> bool {
    match expected {
        Value::Null => cell.is_empty(),
        Value::String(text) => same_text(cell, text),
        Value::Number(number) if number.is_f64() => {
            let Ok(found) = cell.parse::<f64>() else {
                return false;
            };
            let expected = number.as_f64().unwrap();
            let half = places.map_or(0.0, |places| 0.501 * 10_f64.powi(-places));
            near(found, expected) || (found - expected).abs() <= half
        }
        other => {
            let expected = other.to_string();
            cell == expected
        }
    }
}

/// Texts whose words are equal, and whose numbers differ by no more than one in the last place shown: a half
/// may have been rounded either way.
fn same_text(one: &str, other: &str) -> bool {
    let (one, other) = (tokens(one), tokens(other));
    one.len() == other.len()
        && one
            .iter()
            .zip(&other)
            .all(|(one, other)| same_token(one, other))
}

fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    let number = |it: char| it.is_ascii_digit() || it == '.';
    while let Some(first) = rest.chars().next() {
        let kind = number(first);
        let end = rest
            .find(|it: char| number(it) != kind)
            .unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        found.push(token);
        rest = after;
    }
    found
}

fn same_token(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let places = |text: &str| text.split_once('.').map(|(_, after)| after.len());
    match (places(one), places(other), one.parse(), other.parse()) {
        (Some(places), Some(same), Ok(one), Ok(other)) if places == same => {
            let (one, other): (f64, f64) = (one, other);
            (one - other).abs() < 1.01 * 10_f64.powi(-(places as i32))
        }
        _ => false,
    }
}
