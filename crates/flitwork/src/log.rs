//! What the program says of what it is doing: on standard error, and in a file where that is asked for.

use crate::exit::Exit;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

/// What standard error is told without -v, and with each more of it.
const LEVELS: [&str; 4] = ["warn", "info", "debug", "trace"];
/// A file is for looking at afterwards, so that it is told at least what -vv tells.
const LEAST_IN_FILE: u8 = 2;

/// The file of `--log`, and what kept a line from being written to it first.
struct LogFile {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    file: File,
    error: Option<io::Error>,
}

static FILE: OnceLock<LogFile> = OnceLock::new();

/// One line's way to the file.
struct Line<'a>(&'a LogFile);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Half a line may be out: what would follow it is no line either.
        if state.error.is_none()
            && let Err(error) = state.file.write_all(bytes)
        {
            state.error = Some(error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Ends the log.
///
/// # Errors
/// Where the file doesn't hold all that it was to be told.
pub(crate) fn end() -> Result<(), Exit> {
    let Some(LogFile { path, state }) = FILE.get() else {
        return Ok(());
    };
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    state.error.take().map_or(Ok(()), |error| {
        let path = path.display();
        Err(Exit::Failure(format!(
            "--log {path}: can't be written: {error}"
        )))
    })
}

/// Starts the log: on standard error warnings, with -v more, and in the file at least what -vv tells; or
/// in both what `RUST_LOG` says.
pub(crate) fn start(verbose: u8, file: Option<&Path>) -> Result<(), Exit> {
    if let Some(path) = file {
        let state = Mutex::new(State {
            file: create(path)?,
            error: None,
        });
        let path = path.to_owned();
        FILE.get_or_init(|| LogFile { path, state });
    }
    let (filter, mistake) = filter(verbose);
    let on_terminal = fmt::layer()
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        // It would panic where standard error can't be written.
        .log_internal_errors(false)
        .with_writer(io::stderr)
        .with_filter(filter);
    let in_file = FILE.get().map(|file| {
        fmt::layer()
            .json()
            .flatten_event(true)
            .log_internal_errors(false)
            .with_writer(move || Line(file))
            .with_filter(self::filter(verbose.max(LEAST_IN_FILE)).0)
    });
    tracing_subscriber::registry()
        .with(on_terminal)
        .with(in_file)
        .init();
    if let Some(mistake) = mistake {
        tracing::warn!("RUST_LOG is not used: {mistake}");
    }
    Ok(())
}

fn create(path: &Path) -> Result<File, Exit> {
    File::create(path).map_err(|error| {
        Exit::bad_input(format!(
            "--log {}: can't be written: {error}",
            path.display()
        ))
    })
}

/// What `RUST_LOG` asks for, or a level; and what is wrong with `RUST_LOG`.
fn filter(verbose: u8) -> (EnvFilter, Option<ParseError>) {
    let level = LEVELS[usize::from(verbose).min(LEVELS.len() - 1)];
    let asked = std::env::var("RUST_LOG").unwrap_or_default();
    let asked = asked.trim();
    match EnvFilter::try_new(if asked.is_empty() { level } else { asked }) {
        Ok(filter) => (filter, None),
        Err(mistake) => (EnvFilter::new(level), Some(mistake)),
    }
}
