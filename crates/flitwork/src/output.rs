//! Where a command's results go.
//!
//! One rule for all commands: results that are there aren't replaced, unless `--force` says so; then they
//! are replaced as a whole. It holds before any work is done.

use crate::exit::Exit;
use flitwork_files::{own_files, prepare_file, prepare_folder};
use std::path::Path;

/// Names of files that are told before "and so many more".
const TOLD: usize = 3;

/// A file that an option names.
pub(crate) fn file(option: &str, path: &Path, force: bool) -> Result<(), Exit> {
    prepare_file(path).map_err(|error| Exit::unwritable(option, &error))?;
    free(option, path, force)
}

/// Refuses to replace a file that an option names.
pub(crate) fn free(option: &str, path: &Path, force: bool) -> Result<(), Exit> {
    // What isn't a file has nothing that could be lost.
    if force || !path.is_file() {
        return Ok(());
    }
    Err(Exit::bad_input(format!(
        "{option}: {} is there already\n  allowed: another file, or --force, which replaces it",
        path.display()
    )))
}

/// A folder that an option names, and the names of the files that may be written there.
pub(crate) fn folder(
    option: &str,
    path: &Path,
    force: bool,
    owns: impl Fn(&str) -> bool,
) -> Result<(), Exit> {
    let unwritable = |error| Exit::unwritable(option, &error);
    prepare_folder(path).map_err(unwritable)?;
    let found = own_files(path, owns).map_err(unwritable)?;
    if force || found.is_empty() {
        return Ok(());
    }
    let more = found.len().saturating_sub(TOLD);
    let more = match more {
        0 => String::new(),
        _ => format!(" and {more} more"),
    };
    Err(Exit::bad_input(format!(
        "{option}: {} has {}{more} of an earlier run\n  allowed: another folder, or --force, which \
         replaces them",
        path.display(),
        found[..found.len().min(TOLD)].join(", ")
    )))
}
