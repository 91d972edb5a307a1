//! Checks of single keys: names exist, and each value is one that its key may have.

use super::error::{ConfigError, Fault};
use super::schema::{Line, Schema, plain};
use super::source::Source;
use flitwork_schema::{Allowed, nearest, shown};
use flitwork_topology::MAX_NODES;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeArray, DeFloat, DeInteger, DeTable, DeValue};

/// The most nodes of any network.
const NODES: u64 = MAX_NODES as u64;

/// Checks a table and everything in it, in the order of the text, and returns every mistake. The path of a table in a
/// list has its index, as in `clocks.islands[1]`.
pub(super) fn check(source: &Source<'_>, table: &DeTable<'_>, path: &str) -> Vec<ConfigError> {
    let mut wrong = Vec::new();
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    for (name, value) in entries {
        let key = join(path, name.get_ref());
        let is_name = !name.get_ref().contains(['.', '[', ']']);
        match source.schema.find(&plain(&key)).filter(|_| is_name) {
            None => wrong.push(unknown(source, path, name.get_ref(), &name.span(), value)),
            Some(entry) => wrong.extend(check_entry(source, (entry, &key), value)),
        }
    }
    wrong
}

/// Checks the value of a key: a table, a list of tables, or a plain value.
pub(super) fn check_entry(
    source: &Source<'_>,
    named: Named<'_>,
    value: &Spanned<DeValue<'_>>,
) -> Vec<ConfigError> {
    match (&named.0.allowed, value.get_ref()) {
        (Allowed::Table | Allowed::OneTable, DeValue::Table(table)) => {
            check(source, table, named.1)
        }
        (Allowed::Tables, DeValue::Array(list)) => check_tables(source, named, list),
        _ => check_value(source, named, value)
            .err()
            .into_iter()
            .collect(),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.into()
    } else {
        format!("{path}.{name}")
    }
}

/// The mistake of an unknown table or key.
fn unknown(
    source: &Source<'_>,
    path: &str,
    name: &str,
    span: &Range<usize>,
    value: &Spanned<DeValue<'_>>,
) -> ConfigError {
    let schema = source.schema;
    let names = schema.names_in(&plain(path));
    let key = join(path, name);
    let kind = if value.get_ref().is_table() {
        "table"
    } else {
        "key"
    };
    let found = format!("unknown {kind} {}", shown(&key));
    let allowed = match (path, names.as_slice()) {
        ("", names) => format!("the tables {}", names.join(", ")),
        (_, []) => format!("nothing in {}", schema.header(path)),
        (_, names) => format!("in {}: {}", schema.header(path), names.join(", ")),
    };
    let near = nearest(name, names.iter().copied());
    let hint = near
        .map(|name| format!("did you mean {name}?"))
        .or_else(|| unknown_hint(schema, name));
    source
        .error(Fault::Unknown, span, found)
        .about(&key)
        .allowed_is(allowed)
        .hinted(hint)
}

/// A hint for an unknown name or key: the same name in another table, or a key that looks like it.
pub(super) fn unknown_hint(schema: &Schema, name: &str) -> Option<String> {
    let last = |line: &&Line| line.key.rsplit('.').next() == Some(name);
    let elsewhere = schema.lines.iter().find(last);
    match elsewhere.map(|line| (line, line.key.rsplit_once('.'))) {
        Some((line, _)) if line.allowed.is_table() => {
            Some(format!("the table is {}", schema.header(&line.key)))
        }
        Some((Line { key, .. }, Some((table, _)))) => {
            let header = schema.header(table);
            Some(format!("{name} is a key of {header}: {key}"))
        }
        _ => nearest(name, schema.lines.iter().map(|line| line.key.as_str()))
            .map(|name| format!("did you mean {name}?")),
    }
}

/// A line of the schema, and the key as messages have it: with its index where it is within a list of tables.
pub(super) type Named<'k> = (&'k Line, &'k str);

/// Checks a value against what its key may be.
fn check_value(
    source: &Source<'_>,
    (entry, key): Named<'_>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), ConfigError> {
    let span = &value.span();
    let good = match (&entry.allowed, value.get_ref()) {
        (_, DeValue::Array(list)) if entry.allowed.is_list() => {
            return check_list(source, (entry, key), (list, span));
        }
        (
            Allowed::Whole(least, most) | Allowed::WholeOr(least, most, _),
            DeValue::Integer(number),
        ) => {
            let range = i128::from(*least)..=i128::from(*most);
            whole(number).is_some_and(|number| range.contains(&number))
        }
        (Allowed::Node, DeValue::Integer(number)) => {
            whole(number).is_some_and(|number| (0..NODES.into()).contains(&number))
        }
        (Allowed::Number(least, most, _), DeValue::Integer(number)) => {
            whole(number).is_some_and(|number| (*least..=*most).contains(&(number as f64)))
        }
        (Allowed::Number(least, most, _), DeValue::Float(number)) => {
            real(number).is_some_and(|number| (*least..=*most).contains(&number))
        }
        (Allowed::Below(least, bound, _), DeValue::Integer(number)) => {
            whole(number).is_some_and(|number| (*least..*bound).contains(&(number as f64)))
        }
        (Allowed::Below(least, bound, _), DeValue::Float(number)) => {
            real(number).is_some_and(|number| (*least..*bound).contains(&number))
        }
        (Allowed::Choice(_) | Allowed::Names(_) | Allowed::WholeOr(..), DeValue::String(name)) => {
            entry.allowed.choices().contains(&name.as_ref())
        }
        (Allowed::Text, DeValue::String(text)) => !text.is_empty(),
        (Allowed::Truth, DeValue::Boolean(_)) => true,
        _ => false,
    };
    if good {
        return Ok(());
    }
    let found = format!("{key} is {}", found(source, value));
    Err(source
        .error(Fault::Value, span, found)
        .about(key)
        .allowed_is(entry.allowed.to_string())
        .hinted(hint(source, entry, value.get_ref())))
}

/// Checks a list against what its key may be.
fn check_list(
    source: &Source<'_>,
    named: Named<'_>,
    (list, span): (&DeArray<'_>, &Range<usize>),
) -> Result<(), ConfigError> {
    let wholes = |longest, range| check_wholes(source, named, (list, span), longest, range);
    match named.0.allowed.clone() {
        Allowed::Range(least, most) => check_range(source, named, (list, span), least..=most),
        Allowed::UpTo(longest, least, most) => wholes(longest, least..=most),
        Allowed::Nodes => wholes(usize::MAX, 0..=NODES - 1),
        Allowed::Wholes(least, most) => wholes(usize::MAX, least..=most),
        Allowed::Numbers(least, most, _) => {
            check_numbers(source, named, (list, span), least..=most)
        }
        Allowed::Rows => check_rows(source, named, (list, span)),
        _ => check_texts(source, named, (list, span)),
    }
}

/// A hint for a value of the wrong type or name.
fn hint(source: &Source<'_>, entry: &Line, value: &DeValue<'_>) -> Option<String> {
    match (&entry.allowed, value) {
        (Allowed::WholeOr(..), DeValue::String(text)) if text.parse::<f64>().is_ok() => {
            Some("without quotes".into())
        }
        (Allowed::Choice(_) | Allowed::Names(_) | Allowed::WholeOr(..), DeValue::String(name)) => {
            let near = nearest(name, entry.allowed.choices().iter().copied());
            near.map(|name| format!("did you mean {name:?}?"))
        }
        (
            Allowed::Whole(..) | Allowed::Number(..) | Allowed::Below(..) | Allowed::Truth,
            DeValue::String(text),
        ) => {
            let bare = text.parse::<f64>().is_ok() || text == "true" || text == "false";
            bare.then(|| "without quotes".into())
        }
        (
            Allowed::UpTo(..)
            | Allowed::Nodes
            | Allowed::Range(..)
            | Allowed::Wholes(..)
            | Allowed::Numbers(..),
            DeValue::Integer(_),
        ) => Some("a list is written [1, 2]".into()),
        (Allowed::Tables, DeValue::Table(_)) => {
            let header = source.schema.header(&entry.key);
            Some(format!("each table of the list begins with {header}"))
        }
        _ => None,
    }
}

fn check_tables(
    source: &Source<'_>,
    (entry, key): Named<'_>,
    list: &DeArray<'_>,
) -> Vec<ConfigError> {
    let mut wrong = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let key = format!("{key}[{index}]");
        match value.get_ref() {
            DeValue::Table(table) => wrong.extend(check(source, table, &key)),
            _ => {
                let found = format!("{key} is {}", found(source, value));
                let error = source.error(Fault::Value, &value.span(), found);
                wrong.push(error.about(&key).allowed_is(entry.allowed.to_string()));
            }
        }
    }
    wrong
}

/// Checks a list of a minimum and a maximum.
fn check_range(
    source: &Source<'_>,
    named: Named<'_>,
    (list, span): (&DeArray<'_>, &Range<usize>),
    range: RangeInclusive<u64>,
) -> Result<(), ConfigError> {
    check_wholes(source, named, (list, span), 2, range)?;
    let numbers: Vec<_> = list
        .iter()
        .map(|value| value.get_ref().as_integer().and_then(whole))
        .collect();
    let (entry, key) = named;
    let (found, allowed) = match numbers.as_slice() {
        [least, most] if least <= most => return Ok(()),
        [_, _] => (
            format!("{key} is {}", source.snippet(span)),
            "a least number that isn't above the most".into(),
        ),
        _ => (format!("{key} has 1 entry"), entry.allowed.to_string()),
    };
    let error = source.error(Fault::Value, span, found);
    Err(error.about(key).allowed_is(allowed))
}

/// Checks a list of whole numbers.
fn check_wholes(
    source: &Source<'_>,
    named: Named<'_>,
    (list, span): (&DeArray<'_>, &Range<usize>),
    longest: usize,
    range: RangeInclusive<u64>,
) -> Result<(), ConfigError> {
    check_entries(source, named, (list, span), 1..=longest, |value| {
        let number = value.as_integer().and_then(whole);
        number
            .is_some_and(|number| u64::try_from(number).is_ok_and(|number| range.contains(&number)))
    })
}

/// Checks a list of numbers.
fn check_numbers(
    source: &Source<'_>,
    named: Named<'_>,
    (list, span): (&DeArray<'_>, &Range<usize>),
    range: RangeInclusive<f64>,
) -> Result<(), ConfigError> {
    check_entries(source, named, (list, span), 1..=usize::MAX, |value| {
        let number = match value {
            DeValue::Integer(number) => whole(number).map(|number| number as f64),
            DeValue::Float(number) => real(number),
            _ => None,
        };
        number.is_some_and(|number| range.contains(&number))
    })
}

/// Checks a list of lists of probabilities.
fn check_rows(
    source: &Source<'_>,
    named: Named<'_>,
    (list, span): (&DeArray<'_>, &Range<usize>),
) -> Result<(), ConfigError> {
    let (entry, key) = named;
    let is_list = |value: &DeValue<'_>| matches!(value, DeValue::Array(_));
    check_entries(source, named, (list, span), 1..=usize::MAX, is_list)?;
    for (index, row) in list.iter().enumerate() {
        let row_key = format!("{key}[{index}]");
        if let DeValue::Array(numbers) = row.get_ref() {
            check_numbers(source, (entry, &row_key), (numbers, &row.span()), 0.0..=1.0)?;
        }
    }
    Ok(())
}

fn check_texts(
    source: &Source<'_>,
    named: Named<'_>,
    (list, span): (&DeArray<'_>, &Range<usize>),
) -> Result<(), ConfigError> {
    let is_text = |value: &DeValue<'_>| value.is_str();
    check_entries(source, named, (list, span), 0..=usize::MAX, is_text)
}

/// Checks the length of a list and each of its entries.
fn check_entries(
    source: &Source<'_>,
    (entry, key): Named<'_>,
    (list, span): (&DeArray<'_>, &Range<usize>),
    entries: RangeInclusive<usize>,
    is_good: impl Fn(&DeValue<'_>) -> bool,
) -> Result<(), ConfigError> {
    let wrong = |span: &Range<usize>, found| {
        let error = source.error(Fault::Value, span, found);
        Err(error.about(key).allowed_is(entry.allowed.to_string()))
    };
    match list.len() {
        length if entries.contains(&length) => {}
        0 => return wrong(span, format!("{key} is an empty list")),
        length => return wrong(span, format!("{key} has {length} entries")),
    }
    let mut values = list.iter().enumerate();
    match values.find(|(_, value)| !is_good(value.get_ref())) {
        None => Ok(()),
        Some((index, value)) => {
            let found = format!("{key}[{index}] is {}", found(source, value));
            wrong(&value.span(), found)
        }
    }
}

/// A value as it was written, or a description if that would be long.
fn found(source: &Source<'_>, value: &Spanned<DeValue<'_>>) -> String {
    match value.get_ref() {
        DeValue::Table(_) => "a table".into(),
        DeValue::Array(list) if list.iter().any(|entry| entry.get_ref().is_table()) => {
            "a list of tables".into()
        }
        DeValue::Array(_) => format!("the list {}", source.snippet(&value.span())),
        DeValue::String(text) if text.is_empty() => "an empty string".into(),
        _ => source.snippet(&value.span()),
    }
}

/// The number, if 64 bits and a sign hold it.
fn whole(number: &DeInteger<'_>) -> Option<i128> {
    let number = i128::from_str_radix(number.as_str(), number.radix()).ok()?;
    (i128::from(i64::MIN)..=i128::from(u64::MAX))
        .contains(&number)
        .then_some(number)
}

fn real(number: &DeFloat<'_>) -> Option<f64> {
    number.as_str().parse().ok()
}
