//! What can go wrong with many runs.

use crate::axis::AxisError;
use flitwork_config::ConfigError;
use flitwork_experiment::memory::TooMuch;
use flitwork_files::WriteError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why many runs can't begin, or can't go on.
#[derive(Debug)]
pub enum Error {
    /// An `--over` that can't be read.
    Axis(AxisError),
    /// A configuration that is refused.
    Config(ConfigError),
    /// A point whose configuration is refused.
    Point {
        /// Which, in words.
        point: String,
        /// What is wrong.
        reason: String,
    },
    /// A value that contradicts others; the message says what is allowed.
    Asked(String),
    /// A folder whose sweep is another one.
    Differs {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        what: Vec<String>,
    },
    /// A folder that another process works on.
    Locked(PathBuf),
    /// A file that isn't what it should be.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
    },
    /// A file or folder that can't be read or written.
    Io {
        /// Which.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Runs for which there is no memory.
    Memory(TooMuch),
    /// The host can't start a thread.
    Threads(io::Error),
    /// A file that can't be written.
    Write(WriteError),
    /// Results that can't be written after the work for them has been done.
    Lost(Box<Error>),
}

impl Error {
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

    /// Whether the host failed during the work, so that no other input would help.
    pub fn is_failure(&self) -> bool {
        match self {
            Error::Lost(_) | Error::Threads(_) => true,
            Error::Write(error) => error.is_failure(),
            _ => false,
        }
    }
}

impl From<AxisError> for Error {
    fn from(error: AxisError) -> Error {
        Error::Axis(error)
    }
}

impl From<TooMuch> for Error {
    fn from(error: TooMuch) -> Error {
        Error::Memory(error)
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Error {
        Error::Write(error)
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Error {
        Error::Config(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Axis(error) => error.fmt(f),
            Error::Config(error) => error.fmt(f),
            Error::Point { point, reason } => write!(f, "{point}: {reason}"),
            Error::Asked(message) => f.write_str(message),
            Error::Differs { folder, what } => {
                let folder = folder.display();
                writeln!(f, "{folder}: holds another sweep")?;
                what.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
                write!(f, "  allowed: the same sweep, or another folder")
            }
            Error::Locked(path) => write!(
                f,
                "{}: another process works on it\n  allowed: one sweep of a folder at a time, or shards with different numbers",
                path.display()
            ),
            Error::Damaged { path, found } => write!(f, "{}: {found}", path.display()),
            Error::Io {
                path,
                doing,
                source,
            } => {
                write!(f, "{}: can't be {doing}: {source}", path.display())
            }
            Error::Memory(error) => error.fmt(f),
            Error::Threads(error) => write!(f, "the host gives no thread to run on: {error}"),
            Error::Write(error) => error.fmt(f),
            Error::Lost(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
