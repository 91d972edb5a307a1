//! What can go wrong with many runs.

use flitwork_config::ConfigError;
use flitwork_experiment::memory::TooMuch;
use flitwork_files::WriteError;
use std::io;
use std::path::{Path, PathBuf};

/// Why many runs can't start, or can't continue.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A configuration that is refused.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A point whose configuration is refused.
    #[error("{point}: {reason}")]
    Point {
        /// The point, in words.
        point: String,
        /// What is wrong.
        reason: String,
    },
    /// A value that can't be read or contradicts others; the message says what is allowed.
    #[error("{0}")]
    BadValue(String),
    /// A folder that holds another sweep.
    #[error(
        "{}: holds another sweep\n  {}\n  allowed: the same sweep, or another folder",
        folder.display(),
        what.join("\n  ")
    )]
    Differs {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        what: Vec<String>,
    },
    /// A folder that another process is using.
    #[error(
        "{}: another process is using it\n  allowed: one sweep of a folder at a time, or shards with different numbers",
        .0.display()
    )]
    Locked(PathBuf),
    /// A file that isn't what it should be.
    #[error("{}: {found}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
    },
    /// A file or folder that can't be read or written.
    #[error("{}: can't be {doing}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// Runs that need more memory than there is.
    #[error(transparent)]
    Memory(#[from] TooMuch),
    /// The host can't start a thread.
    #[error("the host can't start a thread: {0}")]
    Threads(io::Error),
    /// A file that can't be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Results that can't be written after the work for them has been done.
    #[error(transparent)]
    Lost(Box<Error>),
}

impl Error {
    /// That there can be no run at a point, for a reason.
    pub(crate) fn point(point: impl Into<String>, reason: impl Into<String>) -> Error {
        let (point, reason) = (point.into(), reason.into());
        Error::Point { point, reason }
    }

    /// A path that can't be read.
    pub(crate) fn reading(path: &Path) -> impl FnOnce(io::Error) -> Error + '_ {
        Error::io(path, "read")
    }

    /// A path that can't be written.
    pub(crate) fn writing(path: &Path) -> impl FnOnce(io::Error) -> Error + '_ {
        Error::io(path, "written")
    }

    fn io<'a>(path: &'a Path, doing: &'static str) -> impl FnOnce(io::Error) -> Error + 'a {
        move |source| Error::Io {
            path: path.to_owned(),
            doing,
            source,
        }
    }

    /// Whether the host failed during the work, so that the input isn't at fault.
    pub fn is_failure(&self) -> bool {
        match self {
            Error::Lost(_) | Error::Threads(_) => true,
            Error::Write(error) => error.is_failure(),
            _ => false,
        }
    }
}
