//! The TOML reader's values as those that parts read, and the paths of keys to them.

use flitwork_schema::{Datum, Mark, Span, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Names and values, in the order of the text.
pub(super) type Entries = Vec<(String, Value)>;

/// The entries of a table whose text begins at `offset`.
pub(super) fn entries(table: &DeTable<'_>, offset: usize) -> Entries {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let entries = entries.into_iter().map(|(name, given)| {
        let mut value = value(given, offset);
        value.name = further(name.span(), offset);
        (name.get_ref().to_string(), value)
    });
    entries.collect()
}

/// A value in text that begins at `offset`.
pub(super) fn value(given: &Spanned<DeValue<'_>>, offset: usize) -> Value {
    let datum = match given.get_ref() {
        DeValue::String(text) => Datum::text(text.as_ref()),
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Datum::Other(number.to_string()), Datum::Whole),
        DeValue::Float(number) => {
            let real = number.as_str().parse();
            real.map_or_else(|_| Datum::Other(number.to_string()), Datum::Real)
        }
        DeValue::Boolean(truth) => Datum::Truth(*truth),
        DeValue::Datetime(time) => Datum::Other(time.to_string()),
        DeValue::Array(list) => Datum::List(list.iter().map(|it| value(it, offset)).collect()),
        DeValue::Table(table) => Datum::Table(entries(table, offset)),
    };
    Value {
        datum,
        span: further(given.span(), offset),
        name: 0..0,
        read: Mark::default(),
    }
}

fn further(span: Span, offset: usize) -> Span {
    span.start + offset..span.end + offset
}

/// A key with the tables around it.
pub(super) fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.into(),
        path => format!("{path}.{name}"),
    }
}

/// The same entries without some keys, each with its tables.
pub(super) fn without(entries: &Entries, path: &str, wrong: &[&str]) -> Entries {
    let kept = entries.iter().filter_map(|(name, value)| {
        let key = join(path, name);
        let is_wrong = wrong.iter().any(|wrong| is_about(wrong, &key));
        (!is_wrong).then(|| (name.clone(), value_without(value, &key, wrong)))
    });
    kept.collect()
}

fn value_without(value: &Value, key: &str, wrong: &[&str]) -> Value {
    let datum = match &value.datum {
        Datum::Table(entries) => Datum::Table(without(entries, key, wrong)),
        Datum::List(list) => {
            let list = list.iter().enumerate();
            let list = list.map(|(place, it)| value_without(it, &format!("{key}[{place}]"), wrong));
            Datum::List(list.collect())
        }
        other => other.clone(),
    };
    Value {
        datum,
        ..value.clone()
    }
}

/// Whether a wrong key is this key or an entry of its list, but no key in a table within it.
fn is_about(wrong: &str, key: &str) -> bool {
    let rest = wrong.strip_prefix(key);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('[') && !rest.contains('.'))
}

/// The value of a key with its tables, if it is given.
pub(super) fn find<'e>(entries: &'e Entries, key: &str) -> Option<&'e Value> {
    let (name, place, rest) = split(key);
    let (_, value) = entries.iter().find(|(other, _)| other == name)?;
    match (rest, &value.datum, place) {
        (None, ..) => Some(value),
        (Some(rest), Datum::Table(within), None) => find(within, rest),
        (Some(rest), Datum::List(list), Some(place)) => match &list.get(place)?.datum {
            Datum::Table(within) => find(within, rest),
            _ => None,
        },
        _ => None,
    }
}

/// Sets the value of a key with its tables, or removes it; returns whether that changes anything. A value without a place
/// takes that of the one before it.
pub(super) fn put(entries: &mut Entries, key: &str, value: Option<&Value>) -> bool {
    let (name, place, rest) = split(key);
    let known = entries.iter().position(|(other, _)| other == name);
    let Some(rest) = rest else {
        match (known, value) {
            (Some(known), Some(value)) => entries[known].1.datum = value.datum.clone(),
            (Some(known), None) => drop(entries.remove(known)),
            (None, value) => entries.extend(value.map(|it| (name.to_owned(), it.clone()))),
        }
        return known.is_some() || value.is_some();
    };
    let Some(known) = known else {
        let mut within = Vec::new();
        let is_new = place.is_none() && put(&mut within, rest, value);
        if let (true, Some(value)) = (is_new, value) {
            let datum = Datum::Table(within);
            entries.push((
                name.to_owned(),
                Value {
                    datum,
                    ..value.clone()
                },
            ));
        }
        return is_new;
    };
    match (&mut entries[known].1.datum, place) {
        (Datum::Table(within), None) => put(within, rest, value),
        (Datum::List(list), Some(place)) => match list.get_mut(place).map(|it| &mut it.datum) {
            Some(Datum::Table(within)) => put(within, rest, value),
            _ => false,
        },
        _ => false,
    }
}

/// The first step of a path, `islands[1].nodes`: a name, and an index if it is a list; and the rest.
fn split(key: &str) -> (&str, Option<usize>, Option<&str>) {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    match first.split_once('[') {
        Some((name, place)) => (name, place.trim_end_matches(']').parse().ok(), rest),
        None => (first, None, rest),
    }
}

/// Whether a value is the default, which may be followed by that in other cases.
pub(super) fn is_usual(default: &str, value: &Datum) -> bool {
    let alone = default.split([';', ',']).next().unwrap_or_default();
    let parsed = [default, alone].map(|text| DeValue::parse(text).ok());
    let usual = parsed.into_iter().flatten().next();
    usual.is_some_and(|usual| {
        let usual = self::value(&usual, 0).datum;
        let number = usual.as_real();
        number.is_some() && number == value.as_real() || usual.to_string() == value.to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_is_recognised_in_its_text() {
        let whole = |number| Datum::Whole(number);
        assert!(is_usual("4", &whole(4)) && !is_usual("4", &whole(5)));
        assert!(is_usual("0", &Datum::Real(0.0)) && is_usual("1; one-cycle: 0", &whole(1)));
        assert!(is_usual(
            "\"after\"; booksim-iq: \"together\"",
            &Datum::text("after")
        ));
        assert!(is_usual(
            "4, or the router's if it has one length",
            &whole(4)
        ));
        let order = Datum::list(["a", "b"].map(Datum::text));
        assert!(is_usual("[\"a\", \"b\"]", &order));
        assert!(!is_usual("required", &Datum::text("required")));
    }
}
