//! From the TOML reader's values to those that parts read.

use flitwork_schema::{Datum, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is in a table whose values have been checked, in the order of the text.
pub(super) fn entries(table: &DeTable<'_>) -> Vec<(String, Value)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let entries = entries.into_iter();
    entries
        .map(|(name, given)| (name.get_ref().clone().into_owned(), value(given)))
        .collect()
}

fn value(given: &Spanned<DeValue<'_>>) -> Value {
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
        DeValue::Array(list) => Datum::List(list.iter().map(value).collect()),
        DeValue::Table(table) => Datum::Table(entries(table)),
    };
    Value {
        datum,
        span: given.span(),
    }
}
