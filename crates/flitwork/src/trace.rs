//! `flitwork trace`: questions to a run.

mod blame;
mod diff;
mod events;
mod export;
mod hang;
mod info;
mod node;
mod packet;
mod packets;
pub(crate) mod session;
mod table;
mod times;
mod what_if;
mod why;

use crate::args::{Question, Trace};
use crate::exit::{Code, DIFFERS, Exit, INTERRUPTED, Interruption, complain};
use crate::places::Places;
use flitwork_config::Catalogue;
use flitwork_debug::search::Stopped;

/// What every question needs.
pub(crate) struct Asking<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) places: &'a Places,
    pub(crate) interruption: &'a Interruption,
    /// Memory for copies of the run, if `--memory` says how much.
    pub(crate) copies_bytes: Option<u64>,
}

/// Why a question has no answer.
pub(crate) enum Stop {
    /// Something is wrong with it, or with the host.
    Exit(Exit),
    /// What was said already: the run, made again, is another one.
    Differs,
    /// The user doesn't wait for the answer.
    Interrupted,
}

impl Stop {
    /// How the program ends.
    pub(crate) fn code(self) -> Result<Code, Exit> {
        match self {
            Stop::Exit(exit) => Err(exit),
            Stop::Differs => Ok(Code(DIFFERS)),
            Stop::Interrupted => {
                complain("interrupted: there is no answer yet");
                Ok(Code(INTERRUPTED))
            }
        }
    }
}

impl From<Stopped> for Stop {
    fn from(_: Stopped) -> Stop {
        Stop::Interrupted
    }
}

impl From<Exit> for Stop {
    fn from(exit: Exit) -> Stop {
        Stop::Exit(exit)
    }
}

pub(crate) fn run(args: &Trace, asking: &Asking<'_>) -> Result<Code, Exit> {
    match answer(args, asking) {
        Ok(code) => Ok(code),
        Err(stop) => stop.code(),
    }
}

fn answer(args: &Trace, asking: &Asking<'_>) -> Result<Code, Stop> {
    match &args.question {
        Question::Info(args) => info::run(args, asking),
        Question::Packets(args) => packets::run(args, asking),
        Question::Packet(args) => packet::run(args, asking),
        Question::Why(args) => why::run(args, asking),
        Question::Blame(args) => blame::run(args, asking),
        Question::Node(args) => node::run(args, asking),
        Question::Events(args) => events::run(args, asking),
        Question::Export(args) => export::run(args, asking),
        Question::Diff(args) => diff::run(args, asking),
        Question::Hang(args) => hang::run(args, asking),
    }
}
