//! Everything a user can get wrong, in one type, and how it is reported.
//!
//! ```text
//! configs/x.toml:12:8: traffic.load is 1.5
//!   12 | load = 1.5
//!      |        ^^^
//!   allowed: a number from 0 to 1
//! ```

use super::excerpt::Excerpt;
use flitwork_schema::{MistakeKind, Refusal};
use std::fmt;

/// The place of a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorPlace {
    /// In the text of a file.
    Text {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
    },
    /// A file as a whole.
    File(String),
    /// On the command line.
    CommandLine(String),
    /// In a value that a command chose itself, which nobody wrote.
    Command(String),
}

impl fmt::Display for ErrorPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorPlace::Text { file, line, column } => write!(f, "{file}:{line}:{column}"),
            ErrorPlace::File(file) => f.write_str(file),
            ErrorPlace::CommandLine(option) => write!(f, "command line: {option}"),
            ErrorPlace::Command(value) => f.write_str(value),
        }
    }
}

/// A mistake in a configuration: where it is, what was found, and what is allowed there. If there are
/// several, it is the first of them and holds the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    /// The mistake, without its places.
    refusal: Refusal,
    place: ErrorPlace,
    excerpt: Option<Excerpt>,
    others: Vec<ConfigError>,
    /// Further ones that aren't shown.
    more: usize,
}

/// The most mistakes that are shown: more than anyone corrects at a time.
pub(super) const MOST: usize = 20;

impl ConfigError {
    pub(super) fn new(
        refusal: Refusal,
        place: ErrorPlace,
        excerpt: Option<Excerpt>,
    ) -> ConfigError {
        ConfigError(Box::new(Report {
            refusal,
            place,
            excerpt,
            others: Vec::new(),
            more: 0,
        }))
    }

    /// Several mistakes as one: those in the text sorted by their places, then the others in their order. At most
    /// [`MOST`] are shown.
    pub(super) fn all_of(mut errors: Vec<ConfigError>) -> Option<ConfigError> {
        errors.sort_by_key(|error| match error.place() {
            ErrorPlace::Text { line, column, .. } => (0, *line, *column),
            ErrorPlace::CommandLine(_) => (1, 0, 0),
            ErrorPlace::Command(_) => (2, 0, 0),
            ErrorPlace::File(_) => (3, 0, 0),
        });
        let more = errors.len().saturating_sub(MOST);
        let mut errors = errors.into_iter().take(MOST);
        let mut first = errors.next()?;
        first.0.more = more;
        first.0.others.extend(errors);
        Some(first)
    }

    /// This mistake and those found with it, each on its own.
    pub fn each(&self) -> impl Iterator<Item = ConfigError> {
        let single = |error: &ConfigError| {
            let mut single = error.clone();
            single.0.others.clear();
            single.0.more = 0;
            single
        };
        std::iter::once(self).chain(&self.0.others).map(single)
    }

    /// What kind of mistake it is.
    pub fn kind(&self) -> MistakeKind {
        self.0.refusal.kind
    }

    /// Where it is.
    pub fn place(&self) -> &ErrorPlace {
        &self.0.place
    }

    /// The key that it is about, with its tables.
    pub fn key(&self) -> Option<&str> {
        Some(self.0.refusal.key.as_str()).filter(|key| !key.is_empty())
    }

    /// What was found, in a sentence.
    pub fn found(&self) -> &str {
        &self.0.refusal.found
    }

    /// What is allowed instead.
    pub fn allowed(&self) -> Option<&str> {
        Some(self.0.refusal.allowed.as_str()).filter(|allowed| !allowed.is_empty())
    }

    /// The key that permits it if it is `true`.
    pub fn lifted_by(&self) -> Option<&str> {
        self.0.refusal.lifted_by.as_deref()
    }

    /// What may have been meant.
    pub fn hint(&self) -> Option<&str> {
        self.0.refusal.hint.as_deref()
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &*self.0;
        write!(f, "{}: {}", report.place, self.found())?;
        if let Some(excerpt) = &report.excerpt {
            write!(f, "\n{excerpt}")?;
        }
        if let Some(allowed) = self.allowed() {
            write!(f, "\n  allowed: {allowed}")?;
        }
        if let Some(hint) = self.hint() {
            write!(f, "\n  hint: {hint}")?;
        }
        let shown = report.others.len() + 1;
        for other in &report.others {
            // Each begins as the first one does where programs print it.
            write!(f, "\n\nerror: {other}")?;
        }
        match (shown, report.more) {
            (1, 0) => Ok(()),
            (_, 0) => write!(f, "\n\n{shown} errors"),
            (_, more) => write!(
                f,
                "\n\n{} errors; the first {shown} are shown",
                shown + more
            ),
        }
    }
}

impl std::error::Error for ConfigError {}
