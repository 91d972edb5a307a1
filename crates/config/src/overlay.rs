//! Overrides the file's values with those of the command line.

use super::check::unknown_hint;
use super::overrides::Override;
use super::schema::Schema;
use super::source::Source;
use super::unread::Found;
use super::values::{self, Entries};
use flitwork_schema::{Allowed, Datum, MistakeKind, Refusal, Value, listed, nearest, shown};
use toml::de::DeValue;

/// Puts the overrides of `source` into the document, the last one for a key on top; returns what of the file they leave unread,
/// and every mistake.
pub(super) fn apply(source: &Source<'_>, document: &mut Entries) -> (Vec<Found>, Vec<Refusal>) {
    let (mut left, mut wrong) = (Vec::new(), Vec::new());
    for (index, over) in source.overrides.iter().enumerate() {
        let offset = source.offset_of(index);
        match apply_one(source.schema, over, offset, document) {
            Ok(more) => left.extend(more),
            Err(refusal) => wrong.push(refusal),
        }
    }
    (left, wrong)
}

fn apply_one(
    schema: &Schema,
    over: &Override,
    offset: usize,
    document: &mut Entries,
) -> Result<Vec<Found>, Refusal> {
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
    if let (Allowed::OneTable, Datum::Text(name)) = (&entry.allowed, &value.datum) {
        return choose(schema, (over, name), &value, document);
    }
    // Last, as if it followed the text. If something else is in the place of a table that it needs, that is a mistake
    // of its own, which the check finds.
    values::put(document, &entry.key, None);
    values::put(document, &entry.key, Some(&value));
    Ok(Vec::new())
}

/// Makes a table the only one within another: the file's own, or an empty one. Returns the others.
fn choose(
    schema: &Schema,
    (over, name): (&Override, &str),
    value: &Value,
    document: &mut Entries,
) -> Result<Vec<Found>, Refusal> {
    let names = schema.names_in(&over.key);
    if !names.contains(&name) {
        let near = nearest(name, names.iter().copied());
        let refusal = Refusal::new(MistakeKind::Value, &*over.key, Some(value.span.clone()));
        let refusal = refusal.found(format!("{} is {name:?}", over.key));
        return Err(refusal
            .allowed(listed(&names))
            .hint(near.map(|name| format!("did you mean {name:?}?"))));
    }
    let key = values::join(&over.key, name);
    let mut left = Vec::new();
    for other in names.into_iter().filter(|other| *other != name) {
        let other = values::join(&over.key, other);
        match values::find(document, &other).map(|it| (&it.datum, it.span.clone())) {
            None => continue,
            Some((Datum::Table(keys), _)) if keys.is_empty() => {}
            Some((_, span)) => left.push(Found::overridden(other.clone(), span, over)),
        }
        values::put(document, &other, None);
    }
    if values::find(document, &key).is_none() {
        let datum = Datum::Table(Vec::new());
        let chosen = Value {
            datum,
            ..value.clone()
        };
        values::put(document, &key, Some(&chosen));
    }
    Ok(left)
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
