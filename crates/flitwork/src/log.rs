//! What the program says of what it is doing: on standard error, and in a file where that is asked for.

use crate::exit::Exit;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Mutex;
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

/// What standard error is told without -v, and with each more of it.
const LEVELS: [&str; 4] = ["warn", "info", "debug", "trace"];
/// A file is for looking at afterwards, so that it is told at least what -vv tells.
const LEAST_IN_FILE: u8 = 2;

/// Starts the log: on standard error warnings, with -v more, and in the file at least what -vv tells; or
/// in both what `RUST_LOG` says.
pub(crate) fn start(verbose: u8, file: Option<&Path>) -> Result<(), Exit> {
    let file = file.map(create).transpose()?;
    let (filter, mistake) = filter(verbose);
    let on_terminal = fmt::layer()
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        // It would panic where standard error can't be written.
        .log_internal_errors(false)
        .with_writer(io::stderr)
        .with_filter(filter);
    let in_file = file.map(|file| {
        fmt::layer()
            .json()
            .flatten_event(true)
            .log_internal_errors(false)
            .with_writer(Mutex::new(file))
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
