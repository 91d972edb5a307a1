//! Files that a configuration names.

use std::fmt;
use std::path::PathBuf;

/// Where a configuration's files are. Parts that read one ask for it here, so that they know no file system.
pub trait Files {
    /// Where a file of that name is: names start from the configuration file's directory.
    fn path(&self, name: &str) -> PathBuf;

    /// The text of a regular file of at most `most_bytes`, without a byte order mark.
    ///
    /// # Errors
    /// [`Unreadable`], where it gives no such text.
    fn text(&self, name: &str, most_bytes: u64) -> Result<String, Unreadable>;

    /// What keeps a name from being that of a regular file, "doesn't exist"; `None` where nothing does.
    fn is_no_file(&self, name: &str) -> Option<String>;
}

/// Why a file gives no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What was found: "doesn't exist".
    pub found: String,
    /// What is allowed.
    pub allowed: String,
    /// Whether the file could be read, and it is the content that is no text.
    pub content: bool,
}

impl fmt::Debug for dyn Files + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}
