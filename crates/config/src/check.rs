//! Checks of single keys: names exist, and each value is one that its key may have.

use super::schema::{Line, Schema, plain};
use super::source::Source;
use super::values::{Entries, join};
use flitwork_schema::{Allowed, Datum, MistakeKind, Refusal, Value, nearest, shown};

/// Checks a table and everything in it, in the order of the text, and returns every mistake. The path of a table in a
/// list has its index, as in `clocks.islands[1]`.
pub(super) fn check(source: &Source<'_>, table: &Entries, path: &str) -> Vec<Refusal> {
    let each = table.iter().flat_map(|(name, value)| {
        let key = join(path, name);
        let is_name = !name.contains(['.', '[', ']']);
        match source.schema.find(&plain(&key)).filter(|_| is_name) {
            None => vec![unknown(source.schema, path, name, value)],
            Some(entry) => check_entry(source, (entry, &key), value),
        }
    });
    each.collect()
}

/// A line of the schema, and the key as messages have it: with its index where it is within a list of tables.
pub(super) type Named<'k> = (&'k Line, &'k str);

/// Checks the value of a key: a table, a list of tables, or a plain value.
pub(super) fn check_entry(source: &Source<'_>, named: Named<'_>, value: &Value) -> Vec<Refusal> {
    let (entry, key) = named;
    match (&entry.allowed, &value.datum) {
        (Allowed::Table | Allowed::OneTable, Datum::Table(table)) => check(source, table, key),
        (Allowed::Tables, Datum::List(list)) => {
            let each = list.iter().enumerate().flat_map(|(index, value)| {
                let key = format!("{key}[{index}]");
                match &value.datum {
                    Datum::Table(table) => check(source, table, &key),
                    _ => vec![wrong_value(source, (entry, &key), &key, value)],
                }
            });
            each.collect()
        }
        (allowed, datum) if allowed.admits(datum) => Vec::new(),
        (allowed, _) => vec![wrong(source, named, allowed, value)],
    }
}

/// The mistake of an unknown table or key.
fn unknown(schema: &Schema, path: &str, name: &str, value: &Value) -> Refusal {
    let names = schema.names_in(&plain(path));
    let key = join(path, name);
    let kind = match value.datum {
        Datum::Table(_) => "table",
        _ => "key",
    };
    let allowed = match (path, names.as_slice()) {
        ("", names) => format!("the tables {}", names.join(", ")),
        (_, []) => format!("no keys in {}", schema.header(path)),
        (_, names) => format!("in {}: {}", schema.header(path), names.join(", ")),
    };
    let near = || nearest(name, names.iter().copied());
    let hint = retired(&plain(&key))
        .or_else(|| near().map(|name| format!("did you mean {name}?")))
        .or_else(|| unknown_hint(schema, name));
    let found = format!("unknown {kind} {}", shown(&key));
    Refusal::new(MistakeKind::Unknown, key, Some(value.name.clone()))
        .found(found)
        .allowed(allowed)
        .hint(hint)
}

/// Keys of earlier versions, and what to write instead.
const RETIRED: &[(&str, &str)] = &[(
    "clocks.self-timed.idle_ps",
    "self-timed nodes no longer step when there is nothing to do: leave it out; what a router's counted cycles take is count_ps",
)];

/// What to write instead of a key of an earlier version.
fn retired(key: &str) -> Option<String> {
    let instead = RETIRED.iter().find(|(retired, _)| *retired == key);
    instead.map(|(_, instead)| (*instead).to_owned())
}

/// A hint for an unknown name or key: the same name in another table, or a similar key.
pub(super) fn unknown_hint(schema: &Schema, name: &str) -> Option<String> {
    let last = |line: &&Line| line.key.rsplit('.').next() == Some(name);
    // Of several those that are in the fewest tables.
    let depth = |line: &Line| line.key.matches('.').count();
    let least = schema.lines.iter().filter(last).map(depth).min();
    let elsewhere = schema.lines.iter().filter(last);
    let elsewhere: Vec<&Line> = elsewhere
        .filter(|line| Some(depth(line)) == least)
        .collect();
    if let Some(line) = elsewhere.first().filter(|line| line.allowed.is_table()) {
        return Some(format!("the table is {}", schema.header(&line.key)));
    }
    let in_tables = elsewhere.iter().filter_map(|line| {
        let (table, _) = line.key.rsplit_once('.')?;
        Some((schema.header(table), line.key.as_str()))
    });
    let (headers, keys): (Vec<String>, Vec<&str>) = in_tables.unzip();
    if keys.is_empty() {
        let near = nearest(name, schema.lines.iter().map(|line| line.key.as_str()));
        return near.map(|name| format!("did you mean {name}?"));
    }
    let (headers, keys) = (headers.join(" and "), keys.join(" or "));
    Some(format!("{name} is a key of {headers}: {keys}"))
}

/// What is wrong with a value that isn't `allowed`: the key's value, or an entry of its list.
fn wrong(
    source: &Source<'_>,
    (entry, key): Named<'_>,
    allowed: &Allowed,
    value: &Value,
) -> Refusal {
    let (lengths, of, list) = match (allowed, &value.datum) {
        (Allowed::List(least, most, of), Datum::List(list)) => {
            (*least..=*most, (*of).clone(), list)
        }
        (Allowed::Range(least, most), Datum::List(list)) => {
            (2..=2, Allowed::Whole(*least, *most), list)
        }
        _ => {
            let hint = hint(source.schema, entry, &value.datum);
            return wrong_value(source, (entry, key), key, value).hint(hint);
        }
    };
    let of_list = Refusal::new(MistakeKind::Value, key, Some(value.span.clone()));
    let of_list = of_list.allowed(entry.allowed.to_string());
    match list.len() {
        length if lengths.contains(&length) => {}
        0 => return of_list.found(format!("{key} is an empty list")),
        1 => return of_list.found(format!("{key} has 1 entry")),
        length => return of_list.found(format!("{key} has {length} entries")),
    }
    match list
        .iter()
        .enumerate()
        .find(|(_, it)| !of.admits(&it.datum))
    {
        Some((index, inner)) => {
            let name = format!("{key}[{index}]");
            match (&of, &inner.datum) {
                (Allowed::List(..), Datum::List(_)) => wrong(source, (entry, &name), &of, inner),
                _ => wrong_value(source, (entry, key), &name, inner),
            }
        }
        // Each of the two is right.
        None => of_list
            .found(format!("{key} is {}", source.snippet(&value.span)))
            .allowed("a minimum no greater than the maximum"),
    }
}

/// The mistake of a value that messages call by a name.
fn wrong_value(source: &Source<'_>, (entry, key): Named<'_>, name: &str, value: &Value) -> Refusal {
    let found = match &value.datum {
        Datum::Table(_) => "a table".into(),
        Datum::List(list) if list.iter().any(|it| matches!(it.datum, Datum::Table(_))) => {
            "a list of tables".into()
        }
        Datum::List(_) => format!("the list {}", source.snippet(&value.span)),
        Datum::Text(text) if text.is_empty() => "an empty string".into(),
        _ => source.snippet(&value.span),
    };
    Refusal::new(MistakeKind::Value, key, Some(value.span.clone()))
        .found(format!("{name} is {found}"))
        .allowed(entry.allowed.to_string())
}

/// A hint for a value of the wrong type or name.
fn hint(schema: &Schema, entry: &Line, value: &Datum) -> Option<String> {
    match (&entry.allowed, value) {
        (Allowed::WholeOr(..), Datum::Text(text)) if text.parse::<f64>().is_ok() => {
            Some("without quotes".into())
        }
        (Allowed::Choice(_) | Allowed::Names(_) | Allowed::WholeOr(..), Datum::Text(name)) => {
            let near = nearest(name, entry.allowed.choices().iter().copied());
            near.map(|name| format!("did you mean {name:?}?"))
        }
        (
            Allowed::Whole(..) | Allowed::Number(..) | Allowed::Below(..) | Allowed::Truth,
            Datum::Text(text),
        ) => {
            let bare = text.parse::<f64>().is_ok() || text == "true" || text == "false";
            bare.then(|| "without quotes".into())
        }
        (
            Allowed::Range(..)
            | Allowed::List(_, _, Allowed::Whole(..) | Allowed::Number(..) | Allowed::Node),
            Datum::Whole(_),
        ) => Some("a list is written [1, 2]".into()),
        (Allowed::Tables, Datum::Table(_)) => {
            let header = schema.header(&entry.key);
            Some(format!("each table of the list begins with {header}"))
        }
        _ => None,
    }
}
