//! What the command line puts over a configuration file.

use super::check::unknown_hint;
use super::error::{ConfigError, Place};
use super::schema::Schema;
use super::source::Source;
use super::values::{self, Entries};
use flitwork_schema::{Allowed, Datum, MistakeKind, Refusal, Value, shown};
use std::fmt;
use std::str::FromStr;
use toml::de::DeValue;

/// A value that the command line puts over that of the file, or beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The key with its tables: `traffic.load`.
    pub key: String,
    /// The value as TOML; a text may go without quotes.
    pub value: String,
    /// What the user gave, where it isn't `--set KEY=VALUE`.
    given: Option<String>,
}

impl Override {
    /// A value by `--set KEY=VALUE`.
    pub fn new(key: &str, value: &str) -> Override {
        Override {
            key: key.trim().into(),
            value: value.trim().into(),
            given: None,
        }
    }

    /// A value by an option of its own, `--seed 5`, which is what errors will name.
    pub fn by_option(option: &str, key: &str, value: &str) -> Override {
        Override {
            given: Some(format!("{option} {}", value.trim())),
            ..Override::new(key, value)
        }
    }

    /// A value by another option that takes KEY=VALUE, which is what errors will name.
    pub fn by_assignment(option: &str, key: &str, value: &str) -> Override {
        Override {
            given: Some(format!("{option} {}={}", key.trim(), value.trim())),
            ..Override::new(key, value)
        }
    }
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.given {
            Some(given) => f.write_str(given),
            None => write!(f, "--set {}={}", self.key, self.value),
        }
    }
}

impl FromStr for Override {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Override, ConfigError> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => Ok(Override::new(key, value)),
            _ => {
                let refusal = Refusal::new(MistakeKind::Syntax, "", None)
                    .found("not KEY=VALUE")
                    .allowed("a key with its tables and a value, as in traffic.load=0.3");
                let place = Place::CommandLine(format!("--set {}", shown(text)));
                Err(ConfigError::new(refusal, place, None))
            }
        }
    }
}

/// Puts the overrides of `source` into the document, the last one for a key on top, and gives every mistake.
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
    // Last, as if it stood behind the text. Where something else stands for one of the tables that it needs, that is a
    // mistake of its own, which the check finds.
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
