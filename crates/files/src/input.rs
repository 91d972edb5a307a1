//! Input files.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Opens a regular file for reading. Anything else isn't opened: opening a pipe without a writer would block, and a pipe
/// can't be read twice.
///
/// # Errors
/// If the file doesn't exist or isn't a regular file, or if the host fails.
pub fn open_input(path: &Path) -> io::Result<File> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        return File::open(path);
    }
    let found = match metadata.is_dir() {
        true => "is a directory",
        false => "is not a regular file",
    };
    let what = format!("{found}; allowed: a file that can be read more than once");
    Err(io::Error::new(ErrorKind::InvalidInput, what))
}
