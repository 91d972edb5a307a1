//! Before the work: can its results be written?

use crate::error::WriteError;
use crate::new_file::{NewFile, folder_of, is_special};
use std::fs::{self, OpenOptions};
use std::path::Path;

/// Makes a folder and sees that files can be written there, so that long work doesn't end in vain.
///
/// # Errors
/// When that fails.
pub fn prepare_folder(folder: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(folder).map_err(WriteError::path_at(folder))?;
    NewFile::create(&folder.join("try"))
        .map(drop)
        .map_err(|error| WriteError::path_at(folder)(error.into()))
}

/// Sees that a file can be written, and makes its folder. What stands in the file stays there, and a file
/// that isn't there yet isn't made.
///
/// # Errors
/// When it can't.
pub fn prepare_file(path: &Path) -> Result<(), WriteError> {
    if is_special(path) {
        return Ok(());
    }
    let folder = folder_of(path);
    fs::create_dir_all(folder).map_err(WriteError::path_at(path))?;
    if path.exists() {
        // One that is protected isn't replaced, though its folder would allow it.
        let opened = OpenOptions::new().append(true).open(path);
        opened.map_err(WriteError::path_at(path))?;
    }
    NewFile::create(path).map(drop)
}
