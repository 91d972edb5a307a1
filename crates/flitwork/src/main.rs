//! The command line: arguments, progress, interruption, exit codes. Everything else is `experiment`'s.
//!
//! Exit codes: 0 fine, 1 our own failure, 2 bad input, 3 the simulated network failed, 4 a
//! replay differs from its record, 130 interrupted.

mod adversary;
mod args;
mod beside;
mod check;
mod compare;
mod contest;
mod exit;
mod hint;
mod list;
mod log;
mod merge;
mod output;
mod paper;
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
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all, so that no signal ends the program in its own way.
    let interruption = exit::Interruption::watch();
    exit::say_that_panics_are_ours();
    exit::end_without_memory();
    let arguments: Arguments = match exit::arguments() {
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
        Command::Run(asked) => run::run(asked, &interruption),
        Command::Sweep(asked) => sweep::run(asked, &interruption),
        Command::Merge(asked) => merge::run(asked),
        Command::Saturate(asked) => saturate::run(asked, &interruption),
        Command::Compare(asked) => compare::run(asked, &interruption),
        Command::Replay(asked) => replay::run(asked, &interruption),
        Command::Paper(asked) => paper::run(asked, &interruption),
        Command::Adversary(asked) => adversary::run(asked, &interruption),
        Command::Study(asked) => study::run(asked, &interruption),
        Command::Check(asked) => check::run(asked),
        Command::List(asked) => list::run(asked),
        Command::Reference => reference::run(),
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
