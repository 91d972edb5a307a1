//! Converts the TOML reader's values to those that parts read.

use flitwork_schema::{Datum, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Names and values, in the order of the text.
pub(super) type Entries = Vec<(String, Value)>;

/// The entries of a table whose values have been checked, in the order of the text.
pub(super) fn entries(table: &DeTable<'_>) -> Entries {
    entries_but(table, &[])
}

/// The same without some keys, each with its tables.
pub(super) fn entries_but(table: &DeTable<'_>, wrong: &[&str]) -> Entries {
    within(table, "", wrong)
}

fn within(table: &DeTable<'_>, path: &str, wrong: &[&str]) -> Entries {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let entries = entries.into_iter().filter_map(|(name, given)| {
        let name = name.get_ref().clone().into_owned();
        let key = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        let is_wrong = wrong.iter().any(|wrong| is_about(wrong, &key));
        (!is_wrong).then(|| (name, value_but(given, &key, wrong)))
    });
    entries.collect()
}

/// Whether a wrong key is this key or an entry of its list, but no key in a table within it.
fn is_about(wrong: &str, key: &str) -> bool {
    let rest = wrong.strip_prefix(key);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('[') && !rest.contains('.'))
}

/// A value that has been checked.
pub(super) fn value(given: &Spanned<DeValue<'_>>) -> Value {
    value_but(given, "", &[])
}

fn value_but(given: &Spanned<DeValue<'_>>, key: &str, wrong: &[&str]) -> Value {
    let datum = match given.get_ref() {
        DeValue::String(text) => Datum::Text(text.clone().into_owned()),
        DeValue::Integer(number) => {
            let number = i128::from_str_radix(number.as_str(), number.radix());
            Datum::Whole(number.expect("a number that was checked"))
        }
        DeValue::Float(number) => {
            Datum::Real(number.as_str().parse().expect("a number that was checked"))
        }
        DeValue::Boolean(truth) => Datum::Truth(*truth),
        DeValue::Datetime(time) => Datum::Text(time.to_string()),
        DeValue::Array(list) => {
            let values = list.iter().enumerate();
            let value = |(place, given)| value_but(given, &format!("{key}[{place}]"), wrong);
            Datum::List(values.map(value).collect())
        }
        DeValue::Table(table) => Datum::Table(within(table, key, wrong)),
    };
    Value {
        datum,
        span: given.span(),
    }
}

/// The value of a key with its tables, if it is given.
pub(super) fn find<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
    let (first, rest) = split(key);
    let mut given = table.get(first.name)?;
    if let (Some(place), Some(_)) = (first.place, rest) {
        given = given.get_ref().as_array()?.get(place)?;
    }
    match rest {
        Some(rest) => find(given.get_ref().as_table()?, rest),
        None => Some(given),
    }
}

/// Whether a key with its tables is given.
pub(super) fn has(entries: &Entries, key: &str) -> bool {
    let (first, rest) = split(key);
    let known = entries.iter().find(|(name, _)| name == first.name);
    let within = |value, rest| within_ref(value, first.place).is_some_and(|inner| has(inner, rest));
    known.is_some_and(|(_, value)| rest.is_none_or(|rest| within(value, rest)))
}

/// The entries of a table, or of one in a list of tables.
fn within_ref(value: &Value, place: Option<usize>) -> Option<&Entries> {
    match (&value.datum, place) {
        (Datum::List(list), Some(place)) => within_ref(list.get(place)?, None),
        (Datum::Table(entries), None) => Some(entries),
        _ => None,
    }
}

fn within_mut(value: &mut Value, place: Option<usize>) -> Option<&mut Entries> {
    match (&mut value.datum, place) {
        (Datum::List(list), Some(place)) => within_mut(list.get_mut(place)?, None),
        (Datum::Table(entries), None) => Some(entries),
        _ => None,
    }
}

/// Sets the value of a key with its tables, or removes it; returns whether that changes anything.
pub(super) fn put(entries: &mut Entries, key: &str, datum: Option<&Datum>) -> bool {
    let (first, rest) = split(key);
    let known = entries.iter().position(|(name, _)| name == first.name);
    match (known, rest) {
        (Some(known), None) => {
            match datum {
                Some(datum) => entries[known].1.datum = datum.clone(),
                None => drop(entries.remove(known)),
            }
            true
        }
        (None, None) => {
            let value = datum.map(|datum| (first.name.to_owned(), datum.clone().into()));
            let is_new = value.is_some();
            entries.extend(value);
            is_new
        }
        (Some(known), Some(rest)) => {
            let inner = within_mut(&mut entries[known].1, first.place);
            inner.is_some_and(|inner| put(inner, rest, datum))
        }
        (None, Some(rest)) => {
            let mut inner = Vec::new();
            let is_new = first.place.is_none() && put(&mut inner, rest, datum);
            if is_new {
                entries.push((first.name.to_owned(), Datum::Table(inner).into()));
            }
            is_new
        }
    }
}

/// A step of a key's path: a name, and an index if it is a list.
struct Step<'k> {
    name: &'k str,
    place: Option<usize>,
}

/// The first step of a path, `islands[1].nodes`, and the rest.
fn split(key: &str) -> (Step<'_>, Option<&str>) {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    let (name, place) = match first.split_once('[') {
        Some((name, place)) => (name, place.trim_end_matches(']').parse().ok()),
        None => (first, None),
    };
    (Step { name, place }, rest)
}
