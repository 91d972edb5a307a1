//! Why a file can't be written.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A file or folder that can't be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: can't be written: {source}", path.display())]
pub struct WriteError {
    path: PathBuf,
    source: io::Error,
    is_failure: bool,
}

impl WriteError {
    /// A path that can't be created or written to, found before anything was written. A full disk is always a failure of
    /// the host.
    pub(crate) fn path_at(path: &Path) -> impl FnOnce(io::Error) -> WriteError + '_ {
        move |source| WriteError {
            path: path.to_owned(),
            is_failure: matches!(
                source.kind(),
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded
            ),
            source,
        }
    }

    /// The host failed while the file was written.
    pub fn writing(path: &Path) -> impl FnOnce(io::Error) -> WriteError + '_ {
        move |source| WriteError {
            path: path.to_owned(),
            source,
            is_failure: true,
        }
    }

    /// The same of a path that is to be in another folder than it was.
    pub(crate) fn moved(self, from: &Path, to: &Path) -> WriteError {
        let path = match self.path.strip_prefix(from) {
            Ok(inside) => to.join(inside),
            Err(_) => self.path,
        };
        WriteError { path, ..self }
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the host failed, so that the input isn't at fault.
    pub fn is_failure(&self) -> bool {
        self.is_failure
    }
}

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> io::Error {
        error.source
    }
}
