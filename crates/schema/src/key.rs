//! The keys of a table, each with the field that it sets.

use crate::{Allowed, Datum, Entry, Field, WrongValue};
use std::fmt;
use std::ops::Deref;

/// A key of a table that sets parameters of type `P`.
pub struct Key<P: 'static> {
    entry: Entry,
    field: Option<Reach<P>>,
}

/// A key is its entry in a schema, with the field.
impl<P> Deref for Key<P> {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        &self.entry
    }
}

/// Borrows the field that a key sets.
type Reach<P> = fn(&mut P) -> &mut dyn Field;

/// A key: its name, the field that it sets, what it may be, its default, and its meaning.
pub const fn key<P>(
    name: &'static str,
    field: fn(&mut P) -> &mut dyn Field,
    allowed: Allowed,
    default: &'static str,
    meaning: &'static str,
) -> Key<P> {
    Key {
        entry: Entry::new(name, allowed, default, meaning),
        field: Some(field),
    }
}

/// A key that isn't a single field: its part reads and writes it.
pub const fn key_apart<P>(
    name: &'static str,
    allowed: Allowed,
    default: &'static str,
    meaning: &'static str,
) -> Key<P> {
    Key {
        entry: Entry::new(name, allowed, default, meaning),
        field: None,
    }
}

/// The same key, which is read only with this.
///
/// Where it isn't read, the resolved configuration doesn't have it, and a value other than the default is refused.
pub const fn only_with<P>(what: &'static str, mut key: Key<P>) -> Key<P> {
    key.entry.only_with = what;
    key
}

impl<P> Key<P> {
    /// The field that the key sets, if it sets one.
    pub fn field<'p>(&self, parameters: &'p mut P) -> Option<&'p mut dyn Field> {
        Some(self.field?(parameters))
    }
}

impl<P> fmt::Debug for Key<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.allowed)
    }
}

/// The entries of keys in a schema.
pub fn entries<P>(keys: &[Key<P>]) -> Vec<Entry> {
    keys.iter().map(|key| key.entry.clone()).collect()
}

/// The values of the keys that give these parameters, in the order of the keys.
pub fn settings<P: Clone>(keys: &[Key<P>], parameters: &P) -> Vec<(&'static str, Datum)> {
    settings_with(keys, parameters, |_| None)
}

/// The same, with the values of keys that aren't a single field from `apart`.
pub fn settings_with<P: Clone>(
    keys: &[Key<P>],
    parameters: &P,
    apart: impl Fn(&str) -> Option<Datum>,
) -> Vec<(&'static str, Datum)> {
    // Fields are borrowed mutably only.
    let mut parameters = parameters.clone();
    let value = |key: &Key<P>| {
        let value = match key.field(&mut parameters) {
            Some(field) => field.get(),
            None => apart(key.name),
        };
        Some((key.name, value?))
    };
    keys.iter().filter_map(value).collect()
}

/// Checks each field against what its key allows, for parameters that don't come from a configuration.
///
/// # Errors
/// The first field with another value.
pub fn check<P: Clone>(keys: &[Key<P>], parameters: &P) -> Result<(), WrongValue> {
    let mut parameters = parameters.clone();
    for key in keys {
        let Some(value) = key.field(&mut parameters).and_then(|field| field.get()) else {
            continue;
        };
        if !key.allowed.admits(&value) {
            return Err(WrongValue::new(key.name, value, key.allowed.to_string()));
        }
    }
    Ok(())
}
