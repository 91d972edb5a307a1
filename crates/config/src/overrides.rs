//! What the command line puts over a configuration file.

use super::check::unknown_hint;
use super::error::{ConfigError, Fault, Place};
use super::source::Source;
use flitwork_schema::{Allowed, shown};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

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
                let place = Place::CommandLine(format!("--set {}", shown(text)));
                let found = "not KEY=VALUE";
                Err(ConfigError::new(Fault::Syntax, place, found)
                    .allowed_is("a key with its tables and a value, as in traffic.load=0.3"))
            }
        }
    }
}

/// Puts the overrides of `source` into the document, the last one for a key on top, and gives every mistake.
pub(super) fn apply<'a>(source: &Source<'a>, document: &mut DeTable<'a>) -> Vec<ConfigError> {
    let overrides = 0..source.overrides.len();
    overrides
        .filter_map(|index| apply_one(source, document, index).err())
        .collect()
}

fn apply_one<'a>(
    source: &Source<'a>,
    document: &mut DeTable<'a>,
    index: usize,
) -> Result<(), ConfigError> {
    let over = &source.overrides[index];
    let offset = source.offset_of(index);
    let span = offset..offset + over.value.len();
    let schema = source.schema;
    let Some(entry) = schema.find(&over.key) else {
        let found = format!("unknown key {}", shown(&over.key));
        return Err(source
            .error(Fault::Unknown, &span, found)
            .about(&over.key)
            .hinted(unknown_hint(schema, &over.key)));
    };
    if let Some(list) = schema.list_around(&entry.key) {
        let found = format!("{} is a key of the tables of a list", entry.key);
        let allowed = format!("the whole list, as in {}=[{{…}}, {{…}}]", list.key);
        return Err(source
            .error(Fault::Unknown, &span, found)
            .about(&entry.key)
            .allowed_is(allowed));
    }
    let value = value_of(source, over, &entry.allowed, offset)?;
    put(document, &entry.key, value, &span);
    Ok(())
}

/// The value of an override, at its place.
fn value_of<'a>(
    source: &Source<'a>,
    over: &'a Override,
    allowed: &Allowed,
    offset: usize,
) -> Result<Spanned<DeValue<'a>>, ConfigError> {
    let text = over.value.as_str();
    let bare = || {
        let value = DeValue::String(Cow::Borrowed(text));
        Spanned::new(offset..offset + text.len(), value)
    };
    if allowed.is_text() && !text.starts_with(['"', '\'']) {
        return Ok(bare());
    }
    match DeValue::parse(text) {
        Ok(value) => Ok(shifted(value, offset)),
        Err(error) if text.starts_with(['"', '\'', '[', '{']) => {
            let span = offset..offset + text.len();
            let found = format!("not a TOML value: {}", error.message());
            Err(source.error(Fault::Syntax, &span, found).about(&over.key))
        }
        Err(_) => Ok(bare()),
    }
}

/// A value whose spans lie `offset` further on.
fn shifted(value: Spanned<DeValue<'_>>, offset: usize) -> Spanned<DeValue<'_>> {
    let further = |span: Range<usize>| span.start + offset..span.end + offset;
    let span = further(value.span());
    let value = match value.into_inner() {
        DeValue::Array(list) => DeValue::Array(
            list.into_iter()
                .map(|entry| shifted(entry, offset))
                .collect(),
        ),
        DeValue::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| {
                let span = further(key.span());
                (Spanned::new(span, key.into_inner()), shifted(value, offset))
            });
            DeValue::Table(entries.collect())
        }
        scalar => scalar,
    };
    Spanned::new(span, value)
}

/// Puts a value under a key, with the tables that it needs. Where something else stands for one of
/// those, that is a mistake of its own, which the check tells.
fn put<'a>(
    document: &mut DeTable<'a>,
    key: &'a str,
    value: Spanned<DeValue<'a>>,
    span: &Range<usize>,
) {
    let mut table = document;
    let mut path = key.split('.').peekable();
    while let Some(name) = path.next() {
        let name = Spanned::new(span.clone(), Cow::Borrowed(name));
        if path.peek().is_none() {
            // The place of the key is that of the value.
            table.remove(name.get_ref().as_ref());
            table.insert(name, value);
            return;
        }
        let fresh = || Spanned::new(span.clone(), DeValue::Table(DeTable::new()));
        match table.entry(name).or_insert_with(fresh).get_mut() {
            DeValue::Table(inner) => table = inner,
            _ => return,
        }
    }
}
