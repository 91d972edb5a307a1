//! The command line: arguments, progress, interruption, exit codes. Everything else is in the rooms below.
//!
//! A crate outside that has routers, topologies or other parts of its own runs the same program with them:
//! [`main_with`].
//!
//! Exit codes: 0 fine, 1 our own failure, 2 bad input, 3 the simulated network failed, 4 a
//! replay differs from its record, 130 interrupted.

mod adversary;
mod args;
mod beside;
mod check;
mod compare;
mod exit;
mod hint;
mod list;
mod log;
mod merge;
mod output;
mod program;
mod progress;
mod reference;
mod replay;
mod run;
mod saturate;
mod show;
mod study;
mod sweep;

use args::{Arguments, Command};
use exit::{Code, FINE};
use flitwork_config::Catalogue;
use flitwork_schema::Parts;
use std::process::ExitCode;

/// The command line of the program with these parts.
pub fn command(parts: &Parts) -> clap::Command {
    args::command(parts)
}

/// Runs the program on its arguments, with these parts: those that it comes with, and more.
///
/// ```no_run
/// use flitwork_schema::Parts;
///
/// fn main() -> std::process::ExitCode {
///     flitwork::main_with(Parts::new())
/// }
/// ```
pub fn main_with(parts: Parts) -> ExitCode {
    // First of all, so that no signal ends the program in its own way.
    let interruption = exit::Interruption::watch();
    exit::say_that_panics_are_ours();
    exit::end_without_memory();
    let catalogue = &Catalogue::new(parts);
    let arguments: Arguments = match exit::arguments(catalogue) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    if let Err(exit) = log::start(arguments.verbose, arguments.log.as_deref()) {
        exit.say();
        return exit.code().into();
    }
    if let Some(bytes) = arguments.memory {
        flitwork_experiment::memory::limit_to(bytes);
    }
    let done = match &arguments.command {
        Command::Run(asked) => run::run(asked, catalogue, &interruption),
        Command::Sweep(asked) => sweep::run(asked, catalogue, &interruption),
        Command::Merge(asked) => merge::run(asked),
        Command::Saturate(asked) => saturate::run(asked, catalogue, &interruption),
        Command::Compare(asked) => compare::run(asked, catalogue, &interruption),
        Command::Replay(asked) => replay::run(asked, catalogue, &interruption),
        Command::Paper(asked) => study::paper(asked, catalogue.parts(), &interruption),
        Command::Adversary(asked) => adversary::run(asked, catalogue, &interruption),
        Command::Study(asked) => study::run(asked, catalogue.parts(), &interruption),
        Command::Check(asked) => check::run(asked, catalogue),
        Command::List(asked) => list::run(asked, catalogue),
        Command::Reference => reference::run(catalogue),
    };
    let code = done.unwrap_or_else(|exit| {
        exit.say();
        Code(exit.code())
    });
    match log::end() {
        Ok(()) => code.into(),
        Err(exit) => {
            exit.say();
            // Whatever else went wrong is worth more.
            Code(if code.0 == FINE { exit.code() } else { code.0 }).into()
        }
    }
}
