//! Files and folders for a command's results.
//!
//! One rule for all commands: existing results aren't overwritten without `--force`; with it, all of them are
//! replaced. The rule is checked before any work is done.

use crate::args::Tables;
use crate::exit::{Exit, print_found};
use flitwork_files::{own_files, prepare_file, prepare_folder};
use flitwork_report::{Formats, Found, Provenance, Sourced};
use std::path::Path;

/// How many files a message names before "and N more".
const NAMED: usize = 3;

impl Tables {
    /// Checks, before any work, that the tables can be written.
    ///
    /// # Errors
    /// If they can't, or tables exist and aren't to be overwritten.
    pub(crate) fn prepare(&self, formats: &Formats, stem: &str) -> Result<(), Exit> {
        match &self.out {
            Some(path) => folder("--out", path, self.force, |name| {
                Found::owns(formats, stem, name)
            }),
            None => Ok(()),
        }
    }

    /// Prints the results and writes their tables, in place of those of an earlier run.
    ///
    /// # Errors
    /// If they can't be printed, or a table can't be written; then they have been printed.
    pub(crate) fn put(
        &self,
        formats: &Formats,
        stem: &str,
        found: &Found,
        provenance: &Provenance,
        text: impl FnOnce() -> String,
    ) -> Result<(), Exit> {
        print_found(&Sourced { provenance, found }, self.json, text)?;
        let Some(path) = &self.out else {
            return Ok(());
        };
        let written = flitwork_files::clear(path, |name| Found::owns(formats, stem, name))
            .and_then(|()| found.write(formats, path, stem, provenance));
        let files = written.map_err(|error| Exit::unwritable("--out", &error))?;
        for file in files {
            tracing::info!("written: {}", file.display());
        }
        Ok(())
    }
}

/// Prepares a file that an option names.
///
/// # Errors
/// If it can't be written, or exists and isn't to be overwritten.
pub(crate) fn file(option: &str, path: &Path, force: bool) -> Result<(), Exit> {
    prepare_file(path).map_err(|error| Exit::unwritable(option, &error))?;
    refuse_existing(option, path, force)
}

/// Refuses to overwrite a file that an option names, unless `force` is set.
pub(crate) fn refuse_existing(option: &str, path: &Path, force: bool) -> Result<(), Exit> {
    // What isn't a regular file has no contents to lose.
    if force || !path.is_file() {
        return Ok(());
    }
    Err(Exit::bad_input(format!(
        "{option}: {} exists\n  allowed: another file, or --force, which overwrites it",
        path.display()
    )))
}

/// Prepares a folder that an option names; `owns` says which names of files the command may write there.
///
/// # Errors
/// If it can't be written to, or holds such files that aren't to be replaced.
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
    let more = found.len().saturating_sub(NAMED);
    let more = match more {
        0 => String::new(),
        _ => format!(" and {more} more"),
    };
    Err(Exit::bad_input(format!(
        "{option}: {} has {}{more} of an earlier run\n  allowed: another folder, or --force, which \
         replaces them",
        path.display(),
        found[..found.len().min(NAMED)].join(", ")
    )))
}
