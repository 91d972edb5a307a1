//! What the program says of what it is doing: on standard error, and in a file where that is asked for.

use crate::exit::Exit;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

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
fn filter(verbose: u8) -> (Targets, Option<String>) {
    let level = LEVELS[usize::from(verbose).min(LEVELS.len() - 1)];
    let level = || targets(level).unwrap_or_default();
    let asked = std::env::var("RUST_LOG").unwrap_or_default();
    match targets(&asked) {
        Ok(_) if asked.trim().is_empty() => (level(), None),
        Ok(asked) => (asked, None),
        Err(mistake) => (level(), Some(mistake)),
    }
}

/// Directives `TARGET=LEVEL`, `TARGET` or `LEVEL`, separated by commas. Those that choose by spans or by
/// regular expressions of their fields are none: the program has no spans.
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
                let told = most.is_some_and(|most| level <= most);
                assert_eq!(targets.would_enable(part, &level), told, "{part} {level}");
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
