//! What every command needs beside its arguments.

use crate::exit::{Code, DIFFERS, Exit, INTERRUPTED, Interruption, complain};
use crate::places::Places;
use flitwork_config::Catalogue;
use flitwork_debug::search::Stopped;

/// What every command needs beside its arguments.
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
    /// That a repeated run isn't what its record or its index says, which is said.
    pub(crate) fn differs(how: &str) -> Stop {
        complain(&format!("error: {how}"));
        Stop::Differs
    }

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
