//! Files that a configuration names.

use std::fmt;
use std::path::PathBuf;

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

impl fmt::Debug for dyn Files + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}
