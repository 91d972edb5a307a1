//! Loads what `flitwork route` and `flitwork schedule` read.

use crate::problem::{Algorithm, Problem, Routing, Scheduling, read_problem};
use crate::source::Source;
use crate::values::{self, Entries};
use crate::{Catalogue, ConfigError, Override, Reading, Unread, read};
use flitwork_schema::{MistakeKind, Refusal};
use std::path::Path;

/// What was read, and where its text has what, for mistakes that only show later.
#[derive(Clone, Debug)]
pub struct Loaded<T> {
    /// What the text means.
    pub value: T,
    /// The given keys that are neither read nor refused.
    pub unread: Vec<Unread>,
    places: Places,
}

impl<T> Loaded<T> {
    /// The mistake that a key's value turned out to be: shown at the key, or at the innermost table around it that is given.
    pub fn refused(
        &self,
        key: &str,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> ConfigError {
        let Places {
            catalogue,
            name,
            text,
            overrides,
            entries,
        } = &self.places;
        let source = Source {
            catalogue,
            schema: catalogue.schema(),
            name,
            text,
            overrides,
            wrong: &[],
            looks_again: false,
            refuses_unread: true,
            reader: "",
        };
        let mut at = key;
        let value = loop {
            match (values::find(entries, at), at.rsplit_once('.')) {
                (None, Some((table, _))) => at = table,
                (value, _) => break value,
            }
        };
        let span = value.map(|value| value.span.clone());
        let refusal = Refusal::new(MistakeKind::Conflict, key, span);
        source.error(refusal.found(found).allowed(allowed))
    }
}

/// A text and its values, with their places.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    catalogue: Catalogue,
    name: String,
    text: String,
    overrides: Vec<Override>,
    entries: Entries,
}

impl Places {
    pub(crate) fn of(source: &Source<'_>, entries: Entries) -> Places {
        Places {
            catalogue: source.catalogue.clone(),
            name: source.name.into(),
            text: source.text.into(),
            overrides: source.overrides.to_vec(),
            entries,
        }
    }
}

impl Catalogue {
    /// Reads a problem and the rule that routes it. Paths in the file are relative to its directory.
    ///
    /// # Errors
    /// A [`ConfigError`] for a file that can't be read, and for every mistake in it.
    pub fn load_routing(
        &self,
        path: &Path,
        overrides: &[Override],
    ) -> Result<Loaded<Routing>, ConfigError> {
        self.load_problem(path, overrides)
    }

    /// Reads a problem and the method that schedules it. Paths in the file are relative to its directory.
    ///
    /// # Errors
    /// The same.
    pub fn load_scheduling(
        &self,
        path: &Path,
        overrides: &[Override],
    ) -> Result<Loaded<Scheduling>, ConfigError> {
        self.load_problem(path, overrides)
    }

    fn load_problem<A: Algorithm>(
        &self,
        path: &Path,
        overrides: &[Override],
    ) -> Result<Loaded<Problem<A>>, ConfigError> {
        let (text, name) = (read(path)?, path.display().to_string());
        let base_dir = path.parent().unwrap_or(Path::new(""));
        self.resolve_problem(&text, (&name, base_dir), overrides)
    }

    pub(crate) fn resolve_problem<A: Algorithm>(
        &self,
        text: &str,
        (name, base_dir): (&str, &Path),
        overrides: &[Override],
    ) -> Result<Loaded<Problem<A>>, ConfigError> {
        let reading = Reading {
            reader: A::COMMAND,
            refuses_unread: true,
            judge: &|source, given| read_problem(source, base_dir, given),
        };
        let (value, unread, places) = self.resolve_as(text, name, overrides, &reading)?;
        Ok(Loaded {
            value,
            unread,
            places,
        })
    }
}
