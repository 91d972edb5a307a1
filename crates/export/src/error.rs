//! Why there is no file.

use flitwork_files::WriteError;
use std::io;
use std::path::Path;

/// Why a run isn't exported. Then there is no file, or the old one.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// More comes together than is allowed.
    #[error("more than {allowed} {what} before {before}")]
    TooMany {
        /// What, in the plural.
        what: &'static str,
        /// How many are allowed.
        allowed: u64,
        /// The time before which they are found, in the unit of the run's.
        before: u64,
    },
    /// More signals are chosen than a file may have.
    #[error("more than {allowed} signals")]
    TooManySignals {
        /// How many are allowed.
        allowed: u64,
    },
    /// The file can't be written.
    #[error(transparent)]
    Unwritable(#[from] WriteError),
}

impl ExportError {
    /// The host has failed while a file was written.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> ExportError + '_ {
        |error| ExportError::Unwritable(WriteError::writing(path)(error))
    }
}
