//! Why a part refuses what it was given.

use crate::Span;
use std::fmt;

/// What kind of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MistakeKind {
    /// A file that can't be read, or isn't text of a sensible size.
    File,
    /// Text that isn't TOML, or an override that isn't KEY=VALUE.
    Syntax,
    /// A table or key that doesn't exist.
    Unknown,
    /// A table or key that is required and isn't given.
    Missing,
    /// A value that is wrong whatever the others are: its type, its range, its name.
    Value,
    /// A value that conflicts with others.
    Conflict,
    /// The content of a file of packets.
    Permutation,
    /// The content of a file of links.
    Links,
    /// The content of a schedule's file.
    Schedule,
    /// The content of a trace.
    Trace,
    /// The content of a table of delays.
    Delays,
    /// The content of a table of routes.
    Routes,
}

/// The place of a mistake in a file other than the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MistakePlace {
    /// The file's name, as the user wrote it.
    pub name: String,
    /// Its text and the mistake's place in it; `None` if the mistake is about the whole file.
    pub text: Option<(String, Span)>,
}

/// A mistake in what a part was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What kind of mistake it is.
    pub kind: MistakeKind,
    /// The key that it is about, with its tables.
    pub key: String,
    /// Its place in the configuration, or that of the key that names another file; `None` if it has none.
    pub span: Option<Span>,
    /// Its place in another file, if it is in one.
    pub file: Option<MistakePlace>,
    /// What was found; if empty, the message says what the key's value is.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
    /// What may have been meant.
    pub hint: Option<String>,
    /// The key, with its tables, that permits it if it is `true`.
    pub lifted_by: Option<String>,
    /// The keys, with their tables, one of which decides that the key isn't read, if that is the mistake.
    pub decided_by: Vec<String>,
}

impl Refusal {
    /// A mistake about a key, shown at a place.
    pub fn new(kind: MistakeKind, key: impl Into<String>, span: Option<Span>) -> Refusal {
        Refusal {
            kind,
            key: key.into(),
            span,
            file: None,
            found: String::new(),
            allowed: String::new(),
            hint: None,
            lifted_by: None,
            decided_by: Vec::new(),
        }
    }

    /// With what was found.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Refusal {
        self.found = found.into();
        self
    }

    /// With what is allowed.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Refusal {
        self.allowed = allowed.into();
        self
    }

    /// With what may have been meant.
    #[must_use]
    pub fn hint(mut self, hint: Option<String>) -> Refusal {
        self.hint = hint.or(self.hint);
        self
    }

    /// With the key, with its tables, that permits it if it is `true`.
    #[must_use]
    pub fn lifted_by(mut self, key: String) -> Refusal {
        self.lifted_by = Some(key);
        self
    }

    /// With the keys, with their tables, that decide that the key isn't read.
    #[must_use]
    pub fn decided_by(mut self, keys: Vec<String>) -> Refusal {
        self.decided_by = keys;
        self
    }

    /// In another file.
    #[must_use]
    pub fn in_file(mut self, file: MistakePlace) -> Refusal {
        self.file = Some(file);
        self
    }
}

/// A parameter whose value is wrong, found by code that doesn't know the configuration's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} is {found}; allowed: {allowed}")]
pub struct WrongValue {
    /// The parameter's name: its key in the configuration.
    pub key: &'static str,
    /// What was found.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
}

impl WrongValue {
    /// A parameter with this value, where that is allowed.
    pub fn new(
        key: &'static str,
        found: impl fmt::Display,
        allowed: impl fmt::Display,
    ) -> WrongValue {
        WrongValue {
            key,
            found: found.to_string(),
            allowed: allowed.to_string(),
        }
    }

    /// Refuses a number outside of a range.
    ///
    /// # Errors
    /// A mistake that says which numbers are allowed.
    pub fn unless_within(
        key: &'static str,
        found: u64,
        (least, most): (u64, u64),
    ) -> Result<(), WrongValue> {
        match (least..=most).contains(&found) {
            true => Ok(()),
            false => Err(WrongValue::new(key, found, format!("{least} to {most}"))),
        }
    }
}
