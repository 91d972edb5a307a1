//! How the program ends: exit codes, error messages, interruption, standard output.

use flitwork_experiment::live::panics_are_contained;
use flitwork_experiment::simulate::Progress;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Reports why a command ends without success; returns its exit code.
pub(crate) fn failed(exit: &Exit) -> Code {
    let (message, code) = match exit {
        Exit::BadInput(message) => (message, BAD_INPUT),
        Exit::Failure(message) => (message, FAILURE),
    };
    complain(&format!("error: {}", message.trim_end()));
    Code(code)
}

pub(crate) const FINE: u8 = 0;
pub(crate) const FAILURE: u8 = 1;
pub(crate) const BAD_INPUT: u8 = 2;
pub(crate) const NETWORK_FAILED: u8 = 3;
pub(crate) const DIFFERS: u8 = 4;
pub(crate) const INTERRUPTED: u8 = 130;

pub(crate) use flitwork_studies::Failed as Exit;

/// The exit code of a command that reported its results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code(pub(crate) u8);

impl Code {
    /// That of many runs which weren't interrupted, of which so many networks failed.
    pub(crate) fn of_runs(failed: u32) -> Code {
        Code(if failed > 0 { NETWORK_FAILED } else { FINE })
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> ExitCode {
        code.0.into()
    }
}

/// Prints to standard output. A closed pipe isn't a failure: its reader has seen enough.
pub(crate) fn print(text: &str) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints results, as JSON or as text.
pub(crate) fn print_found<T: Serialize>(
    found: &T,
    json: bool,
    text: impl FnOnce() -> String,
) -> Result<(), Exit> {
    if !json {
        return print(&text());
    }
    let json = serde_json::to_string_pretty(found).map_err(Exit::failure)?;
    print(&(json + "\n"))
}

pub(crate) fn printed(result: io::Result<()>) -> Result<(), Exit> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Exit::Failure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints to standard error; there is nowhere to report a failure to do so.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Installs a hook by which a panic, always a bug of the program, ends it with exit code 1 and asks for a report.
pub(crate) fn report_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A live run turns a node's panic into a fault that names the node and its cycle.
        if panics_are_contained() {
            return;
        }
        // The standard library's own, in a thread that has a stack but no room beside it for signals.
        let place = panic.location().map_or("", |place| place.file());
        if place.ends_with("stack_overflow.rs") {
            complain("error: the host has no memory for another thread");
            std::process::exit(FAILURE.into());
        }
        usual(panic);
        complain(
            "flitwork has failed: this is a bug in the program, not in its input. Please report it, with the \
             command line and the configuration.",
        );
        std::process::exit(FAILURE.into());
    }));
}

/// Turns two signals into orderly ends. If an allocation fails, the standard library reports its size and aborts:
/// that now ends the program with exit code 1. A write beyond the limit on file sizes now fails like one on a full
/// disk, instead of killing the program.
pub(crate) fn end_without_memory() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGABRT, SIGXFSZ};
        let at_once = Arc::new(AtomicBool::new(true));
        // If they can't be installed, the program ends as any other would.
        let _ = signal_hook::flag::register_conditional_shutdown(
            SIGABRT,
            FAILURE.into(),
            at_once.clone(),
        );
        let _ = signal_hook::flag::register(SIGXFSZ, at_once);
    }
}

/// Signals that arrive this soon after the first count as the same Ctrl-C.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

/// How long the set-up of a simulation (reading a configuration and its files, checking and building a network) may
/// continue after a signal. Most set-ups finish in that time, and the run then ends in the usual way.
const SET_UP: Duration = Duration::from_millis(400);

/// How long after a signal packets that never entered the network may still be counted.
const COUNTING: Duration = Duration::from_millis(150);

/// How long after a signal they may still be listed one by one, if the user asked for that. Less than [`COUNTING`],
/// so that listing doesn't cut the count short.
const LISTING: Duration = Duration::from_millis(60);

/// Whether the user has asked to stop.
#[derive(Clone)]
pub(crate) struct Interruption(Arc<State>);

#[derive(Default)]
struct State {
    stop_requested: AtomicBool,
    /// When the user asked to stop.
    since: OnceLock<Instant>,
    /// Whether anything has been simulated, so that there are results to keep.
    is_running: AtomicBool,
    /// What is to be put in order before the program ends at once.
    before_exit: OnceLock<fn()>,
    /// What is to be done as soon as a simulation is running.
    before_work: OnceLock<fn()>,
}

impl Interruption {
    /// Starts to watch for signals: the first Ctrl-C asks for the results so far, and a second one quits at once.
    ///
    /// Some wrappers (`timeout -s INT`) send a signal to a program and then to its group, so a signal that soon after
    /// the first is the same one. If nothing has been simulated yet, there are no results, and the program just ends.
    pub(crate) fn watch() -> Interruption {
        let state = Arc::new(State::default());
        let in_handler = state.clone();
        let mut first: Option<Instant> = None;
        let handler = move || {
            if !in_handler.stop_requested.swap(true, Ordering::SeqCst) {
                in_handler.since.get_or_init(Instant::now);
                let in_thread = in_handler.clone();
                let spawned = Builder::new().spawn(move || in_thread.end_set_up());
                if spawned.is_err() {
                    // The host has no thread to spare: wait here. Another signal is handled only afterwards.
                    in_handler.end_set_up();
                }
            }
            if first.get_or_insert_with(Instant::now).elapsed() > SAME_SIGNAL {
                in_handler.exit();
            }
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            tracing::warn!("Ctrl-C will end the program without results: {error}");
        }
        Interruption(state)
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.0.stop_requested.load(Ordering::Relaxed)
    }

    /// Like [`Interruption::flow`], for a run that may count left-over packets for a while after the signal, so that
    /// its results are complete.
    pub(crate) fn flow_of(&self, progress: Progress) -> ControlFlow<()> {
        if progress.is_counting && self.is_within(COUNTING) {
            return ControlFlow::Continue(());
        }
        self.flow()
    }

    /// Whether left-over packets may still be listed one by one.
    pub(crate) fn may_list(&self) -> bool {
        self.is_within(LISTING)
    }

    /// Whether there was no signal, or it came less than `time` ago.
    fn is_within(&self, time: Duration) -> bool {
        let since = self.0.since.get();
        since.is_none_or(|since| since.elapsed() < time)
    }

    /// What is to be put in order before the program ends at once: once and for all.
    pub(crate) fn before_exit(&self, put_in_order: fn()) {
        let _ = self.0.before_exit.set(put_in_order);
    }

    /// What is to be done once the command isn't refused any more: whenever it asks whether it should continue.
    pub(crate) fn before_work(&self, begin: fn()) {
        let _ = self.0.before_work.set(begin);
    }

    /// Whether a simulation should continue. Also notes that one is running, so that the command isn't refused any more.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if let Some(begin) = self.0.before_work.get() {
            begin();
        }
        self.flow_of_checks()
    }

    /// The same while a command that may still be refused checks what it is to do.
    pub(crate) fn flow_of_checks(&self) -> ControlFlow<()> {
        if !self.0.is_running.load(Ordering::Relaxed) {
            self.0.is_running.store(true, Ordering::SeqCst);
        }
        if self.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl State {
    /// Ends the program if it is still setting up, and so has no results.
    fn end_set_up(&self) {
        std::thread::sleep(SET_UP);
        if !self.is_running.load(Ordering::SeqCst) {
            complain("interrupted before anything was simulated: there are no results");
            self.exit();
        }
    }

    fn exit(&self) -> ! {
        if let Some(before) = self.before_exit.get() {
            before();
        }
        std::process::exit(INTERRUPTED.into())
    }
}
