//! Overrides the file's values with those of the command line.

use super::check::unknown_hint;
use super::overrides::Override;
use super::schema::Schema;
use super::source::Source;
use super::values::{self, Entries};
use flitwork_schema::{Allowed, Datum, MistakeKind, Refusal, Value, shown};
use toml::de::DeValue;

/// Puts the overrides of `source` into the document, the last one for a key on top, and returns every mistake.
pub(super) fn apply(source: &Source<'_>, document: &mut Entries) -> Vec<Refusal> {
    let overrides = source.overrides.iter().enumerate();
    let wrong = overrides.filter_map(|(index, over)| {
        let offset = source.offset_of(index);
        apply_one(source.schema, over, offset, document).err()
    });
    wrong.collect()
}

fn apply_one(
    schema: &Schema,
    over: &Override,
    offset: usize,
    document: &mut Entries,
) -> Result<(), Refusal> {
    let span = offset..offset + over.value.len();
    let unknown = |key: &str| Refusal::new(MistakeKind::Unknown, key, Some(span.clone()));
    let Some(entry) = schema.find(&over.key) else {
        let found = format!("unknown key {}", shown(&over.key));
        let hint = unknown_hint(schema, &over.key);
        return Err(unknown(&over.key).found(found).hint(hint));
    };
    if let Some(list) = schema.list_around(&entry.key) {
        let found = format!("{} is a key of the tables of a list", entry.key);
        let allowed = format!("the whole list, as in {}=[{{…}}, {{…}}]", list.key);
        return Err(unknown(&entry.key).found(found).allowed(allowed));
    }
    // The place of the key is that of the value.
    let value = Value {
        name: span,
        ..value_of(over, &entry.allowed, offset)?
    };
    // Last, as if it followed the text. If something else is in the place of a table that it needs, that is a mistake
    // of its own, which the check finds.
    values::put(document, &entry.key, None);
    values::put(document, &entry.key, Some(&value));
    Ok(())
}

/// The value of an override, at its place.
fn value_of(over: &Override, allowed: &Allowed, offset: usize) -> Result<Value, Refusal> {
    let text = over.value.as_str();
    let span = offset..offset + text.len();
    let parsed = match allowed.is_text() && !text.starts_with(['"', '\'']) {
        true => None,
        false => Some(DeValue::parse(text)),
    };
    match parsed {
        Some(Ok(value)) => Ok(values::value(&value, offset)),
        Some(Err(error)) if text.starts_with(['"', '\'', '[', '{']) => {
            let found = format!("not a TOML value: {}", error.message());
            Err(Refusal::new(MistakeKind::Syntax, &over.key, Some(span)).found(found))
        }
        _ => Ok(Value {
            span,
            ..Datum::text(text).into()
        }),
    }
}
