//! Files that a configuration names.

use crate::{MistakeKind, MistakePlace, RawTable, Refusal, Span};
use std::fmt;
use std::path::{Path, PathBuf};

/// Access to the files that a configuration names. Parts read them through it and know no file system.
pub trait Files {
    /// The path of a file: names are relative to the configuration file's directory; what isn't there may be in the working
    /// directory.
    fn path(&self, name: &str) -> PathBuf;

    /// The text of a regular file of at most `most_bytes`, without a byte order mark.
    ///
    /// # Errors
    /// [`Unreadable`] if there is no such text.
    fn text(&self, name: &str, most_bytes: u64) -> Result<String, Unreadable>;

    /// Why a name isn't that of a regular file ("doesn't exist"); `None` if it is.
    fn is_no_file(&self, name: &str) -> Option<String>;
}

/// Why a file can't be read as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What was found: "doesn't exist".
    pub found: String,
    /// What is allowed.
    pub allowed: String,
    /// Whether the file could be read but its content isn't text.
    pub content: bool,
}

/// A file that a key names.
pub struct NamedFile {
    key: String,
    span: Option<Span>,
    path: String,
    kind: MistakeKind,
    /// Its text; empty until it is read.
    pub text: String,
}

/// A mistake in a file.
#[derive(Debug)]
pub struct FileMistake {
    /// Its place; `None` if it is about the whole file.
    pub at: Option<Span>,
    /// What was found.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
}

impl NamedFile {
    /// That of a table's key, at this path; its content has mistakes of this kind.
    pub fn new(table: &RawTable<'_>, key: &str, path: &Path, kind: MistakeKind) -> NamedFile {
        NamedFile {
            key: table.key(key),
            span: table.span_of(key),
            path: path.display().to_string(),
            kind,
            text: String::new(),
        }
    }

    /// That it can't be read.
    pub fn unreadable(&self, why: Unreadable) -> Refusal {
        let found = format!("{}: {} {}", self.key, self.path, why.found);
        let refusal = Refusal::new(MistakeKind::File, self.key.clone(), self.span.clone());
        refusal.found(found).allowed(why.allowed)
    }

    /// The same, but what isn't text is a mistake in it.
    pub fn without_text(&self, why: Unreadable) -> Refusal {
        match why.content {
            false => self.unreadable(why),
            true => self.wrong(FileMistake {
                at: None,
                found: why.found,
                allowed: why.allowed,
            }),
        }
    }

    /// A mistake in it.
    pub fn wrong(&self, mistake: FileMistake) -> Refusal {
        let FileMistake { at, found, allowed } = mistake;
        let place = MistakePlace {
            name: self.path.clone(),
            text: at.map(|at| (self.text.clone(), at)),
        };
        let refusal = Refusal::new(self.kind, self.key.clone(), self.span.clone());
        refusal.in_file(place).found(found).allowed(allowed)
    }
}

impl fmt::Debug for dyn Files + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}
