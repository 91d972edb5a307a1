//! All mistakes of a configuration, not the first alone.
//!
//! Values are checked one by one, so that all that are wrong by themselves are found at once. What values
//! mean beside each other ends at the first mistake: the value that it is about is put away then, as if it
//! hadn't been given, and the rest is looked at again. What is said then only counts where it can't come
//! of the value that is missing:
//!
//! - nothing more is looked for once a name is wrong that decides what else is read (a pattern, a process, a
//!   table): everything behind it would be held against another choice;
//! - nothing is said of a value that was put away, or of the key that was probably meant by a wrong name.

use super::error::{ConfigError, Fault, MOST};
use super::schema::{Schema, plain};
use flitwork_schema::{Allowed, nearest};
use toml::de::{DeTable, DeValue};

/// The mistakes that were found.
#[derive(Debug)]
pub(super) struct Gathered<'s> {
    schema: &'s Schema,
    errors: Vec<ConfigError>,
    /// Keys whose values were put away.
    away: Vec<String>,
    /// Keys of which nothing more is said.
    silent: Vec<String>,
    /// Tables with names that nobody knows: what is missing in them may be what was meant.
    unsure: Vec<String>,
    /// Whether what is found from here on may come of what was found.
    is_blind: bool,
}

impl<'s> Gathered<'s> {
    /// None yet.
    pub(super) fn of(schema: &'s Schema) -> Gathered<'s> {
        Gathered {
            schema,
            errors: Vec::new(),
            away: Vec::new(),
            silent: Vec::new(),
            unsure: Vec::new(),
            is_blind: false,
        }
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Adds mistakes of single values and names.
    pub(super) fn add(&mut self, errors: Vec<ConfigError>) {
        for error in errors {
            let key = plain(error.key().unwrap_or_default());
            // A table of a list can't do without its key.
            self.is_blind |= self.schema.list_around(&key).is_some();
            let meant = match error.fault() {
                Fault::Unknown => meant(self.schema, &key),
                Fault::Value => Some(key.clone()),
                _ => None,
            };
            let line = meant.as_deref().and_then(|key| self.schema.find(key));
            match line.map(|line| &line.allowed) {
                Some(allowed) => self.is_blind |= decides(allowed),
                // A key that can't be guessed at takes nothing from others; a text that isn't TOML may.
                None => self.is_blind |= error.fault() != Fault::Unknown,
            }
            self.silent.extend(meant);
            if error.fault() == Fault::Unknown {
                self.unsure.push(known_table(self.schema, &key).to_owned());
            }
            self.away.push(key);
            self.errors.push(error);
        }
    }

    /// Takes the mistake at which the look at all values together ended; whether another look may find more.
    pub(super) fn goes_on_after(&mut self, error: ConfigError) -> bool {
        let key = plain(error.key().unwrap_or_default());
        let may_be_meant = self.unsure.iter().any(|table| table == table_of(&key));
        let is_known = self.silent.contains(&key)
            || error.fault() == Fault::Missing && may_be_meant
            || self
                .errors
                .iter()
                .any(|known| known.place() == error.place());
        if is_known {
            return false;
        }
        let line = self.schema.find(&key);
        let mends = matches!(error.fault(), Fault::Conflict | Fault::Value)
            && line.is_some_and(|line| !decides(&line.allowed));
        self.errors.push(error);
        self.silent.push(key.clone());
        self.away.push(key);
        mends && !self.is_done()
    }

    /// Whether no further look is worth it.
    pub(super) fn is_done(&self) -> bool {
        self.is_blind || self.errors.len() >= MOST
    }

    /// Puts away what is wrong.
    pub(super) fn put_away(&self, document: &mut DeTable<'_>) {
        for key in &self.away {
            remove(document, key);
        }
    }

    /// All mistakes as one, in the order of the text, those of the command line behind it.
    pub(super) fn into_error(self) -> Option<ConfigError> {
        ConfigError::all_of(self.errors)
    }
}

fn table_of(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(table, _)| table)
}

/// The table that an unknown name was written in; a name in quotes may have dots.
fn known_table<'k>(schema: &Schema, key: &'k str) -> &'k str {
    let mut table = table_of(key);
    while !table.is_empty() && schema.find(table).is_none() {
        table = table_of(table);
    }
    table
}

/// The key that was probably meant by one that doesn't exist.
fn meant(schema: &Schema, key: &str) -> Option<String> {
    let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
    let near = nearest(name, schema.names_in(table).into_iter())?;
    let key = match table {
        "" => near.to_owned(),
        table => format!("{table}.{near}"),
    };
    schema.find(&key).map(|line| line.key.clone())
}

/// Whether other keys are read or not by what stands for this one.
fn decides(allowed: &Allowed) -> bool {
    allowed.is_table() || !allowed.choices().is_empty() || *allowed == Allowed::Truth
}

fn remove(document: &mut DeTable<'_>, key: &str) {
    let Some((tables, name)) = key.rsplit_once('.') else {
        document.remove(key);
        return;
    };
    let mut table = document;
    for name in tables.split('.') {
        match table.get_mut(name).map(|value| value.get_mut()) {
            Some(DeValue::Table(inner)) => table = inner,
            _ => return,
        }
    }
    table.remove(name);
}
