//! How the program ends: exit codes, error messages, interruption, standard output.

use crate::args::{self, Arguments};
use crate::hint;
use clap::FromArgMatches;
use flitwork_config::Catalogue;
use flitwork_experiment::live::panics_are_contained;
use flitwork_experiment::simulate::Progress;
use flitwork_files::WriteError;
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Why the program ends otherwise than well.
#[derive(Debug)]
pub(crate) enum Exit {
    /// 2: what the user gave can't be used.
    BadInput(String),
    /// 1: something of ours, or of the host, failed.
    Failure(String),
}

impl Exit {
    /// 2, with a message.
    pub(crate) fn bad_input(error: impl Display) -> Exit {
        Exit::BadInput(error.to_string())
    }

    /// A file of an option that can't be written: 1 where the host failed, 2 where the path is wrong.
    pub(crate) fn unwritable(option: &str, error: &WriteError) -> Exit {
        let message = format!("{option}: {error}");
        match error.is_failure() {
            true => Exit::Failure(message),
            false => Exit::BadInput(message),
        }
    }

    pub(crate) fn code(&self) -> u8 {
        match self {
            Exit::BadInput(_) => BAD_INPUT,
            Exit::Failure(_) => FAILURE,
        }
    }

    pub(crate) fn say(&self) {
        let (Exit::BadInput(message) | Exit::Failure(message)) = self;
        complain(&format!("error: {}", message.trim_end()));
    }
}

pub(crate) const FINE: u8 = 0;
pub(crate) const FAILURE: u8 = 1;
pub(crate) const BAD_INPUT: u8 = 2;
pub(crate) const NETWORK_FAILED: u8 = 3;
pub(crate) const DIFFERS: u8 = 4;
pub(crate) const INTERRUPTED: u8 = 130;

/// What a command that could say what it had to ends with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code(pub(crate) u8);

impl From<Code> for ExitCode {
    fn from(code: Code) -> ExitCode {
        code.0.into()
    }
}

/// Prints to standard output. A reader that has seen enough and gone away is no failure.
pub(crate) fn print(text: &str) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints what was found, as JSON where that is asked for and else as text.
pub(crate) fn print_found<T: Serialize>(
    found: &T,
    json: bool,
    text: impl FnOnce() -> String,
) -> Result<(), Exit> {
    if !json {
        return print(&text());
    }
    let json = serde_json::to_string_pretty(found);
    print(&(json.map_err(|error| Exit::Failure(error.to_string()))? + "\n"))
}

fn printed(result: io::Result<()>) -> Result<(), Exit> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Exit::Failure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// The arguments, or how the program ends without any: after a help text, or a mistake in them.
pub(crate) fn arguments(catalogue: &Catalogue) -> Result<Arguments, ExitCode> {
    let mut command = args::command(catalogue.parts());
    let read = command.try_get_matches_from_mut(std::env::args_os());
    let read = read.and_then(|matches| {
        Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    });
    read.map_err(|mut error| {
        hint::meant(catalogue, &command, &mut error, std::env::args().skip(1));
        let said = error.print().and_then(|()| io::stdout().flush());
        if error.use_stderr() {
            return BAD_INPUT.into();
        }
        match printed(said) {
            Ok(()) => FINE.into(),
            Err(exit) => {
                exit.say();
                exit.code().into()
            }
        }
    })
}

/// Prints to standard error, as well as that can be done.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A panic is a fault of ours: it ends the program with exit code 1 and says what to do about it.
pub(crate) fn say_that_panics_are_ours() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A node's panic in a live run becomes a fault with its place.
        if panics_are_contained() {
            return;
        }
        usual(panic);
        complain(
            "flitwork has failed: this is a fault of the program, not of its input. Please report \
             it with the command line and the configuration.",
        );
        std::process::exit(FAILURE.into());
    }));
}

/// Where an allocation fails, the standard library says how large it was and aborts: from now on that ends the
/// program with exit code 1. A write beyond a limit of file sizes fails as one on a full disk does, instead of
/// ending the program.
pub(crate) fn end_without_memory() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGABRT, SIGXFSZ};
        let at_once = Arc::new(AtomicBool::new(true));
        // Without them the program ends as other programs do.
        let _ = signal_hook::flag::register_conditional_shutdown(
            SIGABRT,
            FAILURE.into(),
            at_once.clone(),
        );
        let _ = signal_hook::flag::register(SIGXFSZ, at_once);
    }
}

/// How soon after a Ctrl-C another is the same.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

/// How long what comes before a simulation (reading a configuration and its files, checking and building a
/// network) may go on after a signal: most of it ends in time for an answer of the usual form.
const SET_UP: Duration = Duration::from_millis(400);

/// How long after a signal packets that never entered the network may be counted.
const COUNTING: Duration = Duration::from_millis(150);

/// And how long each of them may be listed, where that is asked for: less, so that the count is the same.
const LISTING: Duration = Duration::from_millis(60);

/// Whether the user has asked to stop.
#[derive(Clone)]
pub(crate) struct Interruption(Arc<Asked>);

#[derive(Default)]
struct Asked {
    to_stop: AtomicBool,
    /// When that was.
    since: OnceLock<Instant>,
    /// Whether anything has been simulated, so that there is something to keep.
    is_under_way: AtomicBool,
}

impl Interruption {
    /// From now on the first Ctrl-C asks for an end with what there is, and the second ends at once.
    ///
    /// Some wrappers (`timeout -s INT`) send a signal to a program and then to its group: what comes that soon
    /// after the first is the same. Where nothing is simulated yet, there is nothing to end with.
    pub(crate) fn watch() -> Interruption {
        let asked = Arc::new(Asked::default());
        let flags = asked.clone();
        let mut first: Option<Instant> = None;
        let handler = move || {
            if !flags.to_stop.swap(true, Ordering::SeqCst) {
                flags.since.get_or_init(Instant::now);
                let asked = flags.clone();
                let waits = Builder::new().spawn(move || asked.end_set_up());
                if waits.is_err() {
                    // A host that gives no thread: another signal is looked at after that.
                    flags.end_set_up();
                }
            }
            if first.get_or_insert_with(Instant::now).elapsed() > SAME_SIGNAL {
                std::process::exit(INTERRUPTED.into());
            }
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            tracing::warn!("Ctrl-C will end the program without results: {error}");
        }
        Interruption(asked)
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.to_stop.load(Ordering::Relaxed)
    }

    /// The same of a run that may count what is left over for a while after the signal, so that its results
    /// are whole.
    pub(crate) fn flow_of(&self, progress: Progress) -> ControlFlow<()> {
        if progress.is_counting && self.is_within(COUNTING) {
            return ControlFlow::Continue(());
        }
        self.flow()
    }

    /// Whether what is left over of a run may still be listed one by one.
    pub(crate) fn may_list(&self) -> bool {
        self.is_within(LISTING)
    }

    /// Whether there was no signal, or none so long ago.
    fn is_within(&self, time: Duration) -> bool {
        let since = self.0.since.get();
        since.is_none_or(|since| since.elapsed() < time)
    }

    /// Whether what is under way goes on.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if !self.0.is_under_way.load(Ordering::Relaxed) {
            self.0.is_under_way.store(true, Ordering::SeqCst);
        }
        if self.asked() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Asked {
    /// Ends a program that has nothing to end with.
    fn end_set_up(&self) {
        std::thread::sleep(SET_UP);
        if !self.is_under_way.load(Ordering::SeqCst) {
            complain("interrupted before anything was simulated: there are no results");
            std::process::exit(INTERRUPTED.into());
        }
    }
}
