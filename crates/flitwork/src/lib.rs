//! The command line: arguments, progress, interruption, exit codes. Everything else is in the crates below.
//!
//! A crate outside this repository that has routers, topologies or other parts of its own runs the same program with
//! them: [`main_with`].
//!
//! Exit codes: 0 success, 1 a failure of the program or the host, 2 bad input, 3 the simulated network failed, 4 a
//! replay differs from its record, 130 interrupted.
//!
//! ```no_run
//! use flitwork_schema::Parts;
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     // A router of one's own: `Parts::new().with(RouterEntry::of::<Mine>())`.
//!     flitwork::main_with(Parts::new())
//! }
//! ```

mod adversary;
mod args;
mod asking;
mod check;
mod compare;
mod debug;
mod exit;
mod list;
mod log;
mod merge;
mod output;
mod parse;
mod paths;
mod places;
mod program;
mod progress;
mod recalled;
mod reference;
mod replay;
mod route;
mod run;
mod saturate;
mod schedule;
mod show;
mod side_outputs;
mod study;
mod sweep;
mod topology;
mod trace;
mod view;

use args::Command;
use asking::{Asking, Stop};
use exit::{BAD_INPUT, Code, Exit, FINE};
use flitwork_config::Catalogue;
use flitwork_schema::Parts;
use places::Places;
use std::process::ExitCode;

/// The command line of the program with the given parts.
pub fn command(parts: &Parts) -> clap::Command {
    args::command(parts)
}

/// Runs the program on its command-line arguments, with the given parts: the built-in ones and those of the caller.
///
/// ```no_run
/// use flitwork_schema::Parts;
///
/// fn main() -> std::process::ExitCode {
///     flitwork::main_with(Parts::new())
/// }
/// ```
pub fn main_with(parts: Parts) -> ExitCode {
    // First of all: from here on, no signal kills the program by default.
    let interruption = exit::Interruption::watch();
    exit::report_panics();
    exit::end_without_memory();
    let catalogue = &Catalogue::new(parts);
    let parsed = match parse::parse(catalogue) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let arguments = &parsed.arguments;
    let places = &Places::of(arguments, (&parsed.command, &parsed.matches), catalogue);
    // Before anything is opened for writing.
    let begun = places.check();
    if let Err(exit) = begun.and_then(|()| log::start(arguments.verbose, places.log())) {
        return exit::failed(&exit).into();
    }
    interruption.before_work(log::work_begins);
    // What is looked into keeps copies of its run, and the limit is theirs.
    let keeps_copies = matches!(
        &arguments.command,
        Command::Trace(_) | Command::View(_) | Command::Debug(_)
    );
    if let Some(bytes) = arguments.memory.filter(|_| !keeps_copies) {
        flitwork_experiment::memory::limit_to(bytes);
    }
    let asking = &Asking {
        catalogue,
        places,
        interruption: &interruption,
        copies_bytes: arguments.memory,
    };
    let done = match &arguments.command {
        Command::Run(args) => run::run(args, asking),
        Command::Sweep(args) => sweep::run(args, asking),
        Command::Merge(args) => merge::run(args, asking),
        Command::Saturate(args) => saturate::run(args, asking),
        Command::Compare(args) => compare::run(args, asking),
        Command::Replay(args) => replay::run(args, asking),
        Command::Trace(args) => trace::run(args, asking).or_else(Stop::code),
        Command::Debug(args) => debug::run(args, asking).or_else(Stop::code),
        Command::View(args) => view::run(args, asking).or_else(Stop::code),
        Command::Paper(args) => study::paper(args, asking),
        Command::Route(args) => route::run(args, asking),
        Command::Schedule(args) => schedule::run(args, asking),
        Command::Adversary(args) => adversary::run(args, asking),
        Command::Study(args) => study::run(args, asking),
        Command::Check(args) => check::run(args, asking),
        Command::Topology(args) => topology::run(args, asking),
        Command::List(args) => list::run(args, asking),
        Command::Reference(args) => reference::run(args, asking),
    };
    let code = done.unwrap_or_else(|exit| exit::failed(&exit));
    let ended = end(places, code).map_or_else(|exit| exit::failed(&exit), |()| Code(FINE));
    // Any other failure takes precedence over that of the log.
    if code.0 == FINE { ended } else { code }.into()
}

/// Ends the log, which is to be none of the files that turned out to be read. A command that was refused has said so, and
/// begins none.
fn end(places: &Places, code: Code) -> Result<(), Exit> {
    match places.compare() {
        _ if code.0 == BAD_INPUT => {}
        Ok(()) => log::open()?,
        Err(clash) if code.0 == FINE => return Err(clash),
        Err(_) => {}
    }
    log::end()
}
