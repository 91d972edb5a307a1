//! The log: on standard error, and in a file if the user asks for one.

use crate::exit::Exit;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// The level of standard error without -v, and with each -v more.
const LEVELS: [&str; 4] = ["warn", "info", "debug", "trace"];
/// The least number of -v for the file: it is read afterwards, so it has at least the detail of -vv.
const LEAST_IN_FILE: u8 = 2;

/// The file of `--log`, and the first error of writing to it.
struct LogFile {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    file: File,
    error: Option<io::Error>,
}

static FILE: OnceLock<LogFile> = OnceLock::new();

/// A writer of one line to the file.
struct Line<'a>(&'a LogFile);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        // After an error, half a line may have been written: what followed would be no line of its own.
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
/// If the log couldn't be written to the file in full.
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

/// Starts the log: warnings on standard error, more with -v, and at least the detail of -vv in the file. `RUST_LOG`
/// overrides both.
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
        // Otherwise it would panic if standard error can't be written to.
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

/// The filter that `RUST_LOG` asks for, or that of a level; and what is wrong with `RUST_LOG`.
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
    let one = |directive: &str| {
        let part = directive.split('=').next().unwrap_or_default();
        if !part
            .chars()
            .all(|c| c.is_alphanumeric() || "_:-".contains(c))
        {
            return Err("invalid filter directive".to_owned());
        }
        let targets = directive.parse::<Targets>();
        targets.map_err(|mistake| mistake.to_string())
    };
    let directives = directives.split(',').map(str::trim);
    let mut all = Targets::new();
    for directive in directives.filter(|directive| !directive.is_empty()) {
        let targets = one(directive)?;
        all = all.with_targets(targets.iter().map(|(name, level)| (name.to_owned(), level)));
        if let Some(level) = targets.default_level() {
            all = all.with_default(level);
        }
    }
    Ok(all)
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
