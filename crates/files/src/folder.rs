//! Folders with files of an earlier run.

use crate::error::WriteError;
use std::fs;
use std::path::Path;

/// The files of a folder that are one's own, by name; none of a folder that isn't there.
///
/// # Errors
/// A folder that can't be read.
pub fn own_files(folder: &Path, owns: impl Fn(&str) -> bool) -> Result<Vec<String>, WriteError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(WriteError::path_at(folder))? {
        let name = entry.map_err(WriteError::path_at(folder))?.file_name();
        found.extend(name.into_string().ok().filter(|name| owns(name)));
    }
    found.sort();
    Ok(found)
}

/// Removes one's own files, and what is left of such where a program was killed in writing them.
///
/// # Errors
/// The first that can't be removed.
pub fn clear(folder: &Path, owns: impl Fn(&str) -> bool) -> Result<(), WriteError> {
    for name in own_files(folder, |name| owns(left_of(name).unwrap_or(name)))? {
        let path = folder.join(name);
        fs::remove_file(&path).map_err(WriteError::writing(&path))?;
    }
    Ok(())
}

/// The file for which another stands beside it under the name that [`crate::NewFile`] gives.
fn left_of(name: &str) -> Option<&str> {
    let (name, _) = name
        .strip_prefix('.')?
        .strip_suffix(".new")?
        .rsplit_once('.')?;
    Some(name)
}
