//! Files that are read.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Opens a regular file for reading. What isn't one isn't opened: a pipe without a writer would never
/// answer, and nothing of a pipe can be read twice.
///
/// # Errors
/// Where there is no such file or it isn't a regular one, and those of the host.
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
