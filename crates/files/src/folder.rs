//! Folders with files of an earlier run.

use crate::error::WriteError;
use crate::new_file::{RANDOM, folder_of};
use crate::prepare::create_folder;
use std::fs;
use std::io;
use std::path::Path;

/// The sorted names of the files in a folder that the caller owns; none if the folder doesn't exist.
///
/// # Errors
/// If the folder can't be read.
pub fn own_files(folder: &Path, owns: impl Fn(&str) -> bool) -> Result<Vec<String>, WriteError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    if !folder.is_dir() {
        let error = io::Error::from(io::ErrorKind::NotADirectory);
        return Err(WriteError::path_at(folder)(error));
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(WriteError::path_at(folder))? {
        let name = entry.map_err(WriteError::path_at(folder))?.file_name();
        found.extend(name.into_string().ok().filter(|name| owns(name)));
    }
    found.sort();
    Ok(found)
}

/// Removes the files that the caller owns, and the temporary files that a program left when it was killed while writing
/// them.
///
/// # Errors
/// For the first file that can't be removed.
pub fn clear(folder: &Path, owns: impl Fn(&str) -> bool) -> Result<(), WriteError> {
    remove(folder, |name| {
        owns(target_of_temporary(name).unwrap_or(name))
    })
}

/// Removes only the temporary files that a program left when it was killed while writing files that the caller owns.
///
/// # Errors
/// For the first file that can't be removed.
pub fn clear_left_over(folder: &Path, owns: impl Fn(&str) -> bool) -> Result<(), WriteError> {
    remove(folder, |name| target_of_temporary(name).is_some_and(&owns))
}

fn remove(folder: &Path, is_to_go: impl Fn(&str) -> bool) -> Result<(), WriteError> {
    for name in own_files(folder, is_to_go)? {
        let path = folder.join(name);
        fs::remove_file(&path).map_err(WriteError::writing(&path))?;
    }
    Ok(())
}

/// Writes a folder with its files, which appears when it is whole. What is there already must be an empty folder.
///
/// # Errors
/// If something else is there, or that fails.
pub fn write_folder(folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<(), WriteError> {
    let around = folder_of(folder);
    create_folder(around).map_err(WriteError::path_at(folder))?;
    // In a folder of its own: that of a temporary folder may be read by its owner only.
    let temporary = tempfile::Builder::new()
        .prefix(".")
        .suffix(".new")
        .tempdir_in(around)
        .map_err(WriteError::path_at(folder))?;
    let inner = temporary.path().join("folder");
    fs::create_dir(&inner).map_err(WriteError::writing(folder))?;
    for (name, contents) in files {
        crate::write(&inner.join(name), contents)?;
    }
    fs::rename(&inner, folder).map_err(WriteError::writing(folder))
}

/// The name of the file whose place a temporary file of [`crate::NewFile`] was to take.
fn target_of_temporary(name: &str) -> Option<&str> {
    let (name, random) = name
        .strip_prefix('.')?
        .strip_suffix(".new")?
        .rsplit_once('.')?;
    let is_random = random.len() == RANDOM && random.chars().all(|c| c.is_ascii_alphanumeric());
    is_random.then_some(name)
}
