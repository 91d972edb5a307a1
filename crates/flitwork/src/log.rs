//! The log: on standard error, and in a file if requested.

use crate::exit::Exit;
use flitwork_files::{Place, prepare_file};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tracing_subscriber::filter::{ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// The level of standard error without -v, and with each -v more.
const LEVELS: [&str; 4] = ["warn", "info", "debug", "trace"];
/// The least number of -v for the file: it is read afterwards, so it has at least the detail of -vv.
const LEAST_IN_FILE: u8 = 2;

/// The file of `--log`.
struct LogFile {
    path: PathBuf,
    /// It, and the first error of writing to it.
    state: Mutex<(Lines, Option<io::Error>)>,
}

/// Where lines go.
enum Lines {
    /// Nowhere yet: the command may be refused, which changes nothing, and its inputs aren't known, of which the file might
    /// be one.
    Wait(Vec<u8>),
    File(File),
}

static FILE: OnceLock<LogFile> = OnceLock::new();

/// Whether [`work_begins`] is to open the file.
static IS_READY: AtomicBool = AtomicBool::new(false);

impl LogFile {
    fn state(&self) -> MutexGuard<'_, (Lines, Option<io::Error>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes one line.
impl Write for &LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (lines, error) = &mut *self.state();
        match lines {
            Lines::Wait(lines) => lines.extend_from_slice(bytes),
            // After an error, half a line may have been written: what followed would be no line of its own.
            Lines::File(file) if error.is_none() => *error = file.write_all(bytes).err(),
            Lines::File(_) => {}
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("--log {}: can't be written: {error}", path.display())
}

/// Checks that the log can be written, once all inputs are known. The work that follows opens it.
///
/// # Errors
/// If it can't be.
pub(crate) fn prepare() -> Result<(), Exit> {
    let Some(log) = FILE.get() else {
        return Ok(());
    };
    prepare_file(&log.path).map_err(|error| refuse(&log.path, &error.into()))?;
    IS_READY.store(true, Ordering::Relaxed);
    Ok(())
}

/// Opens the log if that was prepared: the command isn't refused any more. If it can't be opened, the end says so.
pub(crate) fn work_begins() {
    if IS_READY.load(Ordering::Relaxed) && IS_READY.swap(false, Ordering::Relaxed) {
        let _ = open();
    }
}

/// Opens the log if it has waited, and writes what it had to say.
///
/// # Errors
/// If it can't be opened.
pub(crate) fn open() -> Result<(), Exit> {
    let Some(log) = FILE.get() else {
        return Ok(());
    };
    let (lines, error) = &mut *log.state();
    if let Lines::Wait(waiting) = lines {
        // A command without other outputs prepares none.
        let prepared = prepare_file(&log.path).map_err(io::Error::from);
        let begun = prepared.and_then(|()| flitwork_files::begin(&log.path));
        let mut file = begun.map_err(|error| refuse(&log.path, &error))?;
        *error = file.write_all(waiting).err();
        *lines = Lines::File(file);
    }
    Ok(())
}

fn refuse(path: &Path, error: &io::Error) -> Exit {
    Exit::BadInput(unwritable(path, error))
}

/// Refuses what no file can be. Nothing is changed.
fn check(path: &Path) -> Result<(), Exit> {
    let checked = match path.metadata() {
        Ok(_) if Place::of(path).is_special() => Ok(()),
        Ok(_) => OpenOptions::new().append(true).open(path).map(drop),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    checked.map_err(|error| refuse(path, &error))
}

/// Ends the log.
///
/// # Errors
/// If the log couldn't be written to the file in full.
pub(crate) fn end() -> Result<(), Exit> {
    let error = FILE
        .get()
        .and_then(|file| Some((file, file.state().1.take()?)));
    error.map_or(Ok(()), |(file, error)| {
        Err(Exit::Failure(unwritable(&file.path, &error)))
    })
}

/// Starts the log: warnings on standard error, more with -v, and at least the detail of -vv in the file. `RUST_LOG`
/// overrides both. The file is opened when the work begins, or at the end: a refused command leaves none.
pub(crate) fn start(verbose: u8, file: Option<&Path>) -> Result<(), Exit> {
    if let Some(path) = file {
        check(path)?;
        FILE.get_or_init(|| LogFile {
            path: path.to_owned(),
            state: Mutex::new((Lines::Wait(Vec::new()), None)),
        });
    }
    let (filter, mistake) = filter(verbose);
    let on_terminal = fmt::layer()
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        // Otherwise it would panic if standard error can't be written to.
        .log_internal_errors(false)
        .with_writer(io::stderr)
        .with_filter(filter);
    let in_file = FILE.get().map(|file| {
        fmt::layer()
            .json()
            .flatten_event(true)
            .log_internal_errors(false)
            .with_writer(move || file)
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

/// The filter of `RUST_LOG`, or that of a level; and what is wrong with `RUST_LOG`.
fn filter(verbose: u8) -> (Targets, Option<String>) {
    let level = LEVELS[usize::from(verbose).min(LEVELS.len() - 1)];
    let level = || targets(level).unwrap_or_default();
    let directives = std::env::var("RUST_LOG").unwrap_or_default();
    match targets(&directives) {
        Ok(_) if directives.trim().is_empty() => (level(), None),
        Ok(targets) => (targets, None),
        Err(mistake) => (level(), Some(mistake)),
    }
}

/// Parses directives `TARGET=LEVEL`, `TARGET` or `LEVEL`, separated by commas. Directives that filter by spans or by
/// regular expressions of their fields are errors: the program has no spans.
fn targets(directives: &str) -> Result<Targets, String> {
    let directives = directives.split(',').map(str::trim);
    let directives: Vec<&str> = directives.filter(|it| !it.is_empty()).collect();
    for directive in &directives {
        let target = directive.split('=').next().unwrap_or_default();
        if target.contains(|c: char| !c.is_alphanumeric() && !"_:-".contains(c)) {
            return Err("invalid filter directive".to_owned());
        }
    }
    match directives.is_empty() {
        true => Ok(Targets::new()),
        false => directives
            .join(",")
            .parse()
            .map_err(|mistake: ParseError| mistake.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::targets;
    use tracing::Level;

    #[test]
    fn directives_choose_by_the_longest_part_of_the_program() {
        let targets = targets(" warn, flitwork=debug,flitwork::run=off,,flitwork_live ").unwrap();
        for (part, most) in [
            ("tokio", Some(Level::WARN)),
            ("flitwork::log", Some(Level::DEBUG)),
            ("flitwork::run", None),
            ("flitwork_live::watch", Some(Level::TRACE)),
        ] {
            for level in [
                Level::ERROR,
                Level::WARN,
                Level::INFO,
                Level::DEBUG,
                Level::TRACE,
            ] {
                let is_logged = most.is_some_and(|most| level <= most);
                assert_eq!(
                    targets.would_enable(part, &level),
                    is_logged,
                    "{part} {level}"
                );
            }
        }
        let unnamed = super::targets("flitwork=info").unwrap();
        assert!(!unnamed.would_enable("tokio", &Level::ERROR));
    }

    #[test]
    fn what_is_no_directive_is_a_mistake() {
        for mistake in [
            "///no[filter",
            "[span]",
            "a[{b=1}]=info",
            "a=loud",
            "a=info=debug",
            "a b",
        ] {
            assert!(targets(mistake).is_err(), "{mistake}");
        }
    }
}
