//! Files that a command writes at its end.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Sees that a file can be written before the work is done for it, and makes its folder. What stands in
/// the file stays there, and a file that isn't there yet isn't made.
pub(crate) fn prepare(path: &Path) -> io::Result<()> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        fs::create_dir_all(folder)?;
    }
    match path.metadata() {
        // A pipe or a terminal isn't tried: opening one can wait for its other end.
        Ok(found) if !found.is_file() && !found.is_dir() => Ok(()),
        Ok(_) => OpenOptions::new().append(true).open(path).map(drop),
        Err(_) => {
            File::create(path)?;
            fs::remove_file(path)
        }
    }
}
