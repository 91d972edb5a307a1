//! Checks, before a command does any work, that its results can be written.

use crate::error::WriteError;
use crate::new_file::{NewFile, folder_of};
use crate::stream::is_special;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Creates a folder and checks that files can be written there, so that a long run isn't wasted.
///
/// # Errors
/// If that fails.
pub fn prepare_folder(folder: &Path) -> Result<(), WriteError> {
    create_folder(folder).map_err(WriteError::path_at(folder))?;
    NewFile::create(&folder.join("try"))
        .map(drop)
        .map_err(|error| WriteError::path_at(folder)(error.into()))
}

/// Checks that a file can be written, and creates its folder. An existing file isn't changed, and a new one isn't
/// created.
///
/// # Errors
/// If it can't be written.
pub fn prepare_file(path: &Path) -> Result<(), WriteError> {
    if is_special(path) {
        return Ok(());
    }
    let folder = folder_of(path);
    create_folder(folder).map_err(WriteError::path_at(path))?;
    if path.exists() {
        // A write-protected file isn't replaced, even though its folder would allow it.
        let opened = OpenOptions::new().append(true).open(path);
        opened.map_err(WriteError::path_at(path))?;
    }
    NewFile::create(path).map(drop)
}

/// Creates a folder and those around it.
///
/// # Errors
/// If that fails, or the path is a file.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir_all(folder) {
        // "File exists" would say nothing about the folder.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(ErrorKind::NotADirectory.into())
        }
        created => created,
    }
}
