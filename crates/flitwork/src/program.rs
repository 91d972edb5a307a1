//! Which program this is, for whoever keeps its results.

use flitwork_report::{Program, command_line};

/// The revision of the sources, as the build found it.
pub(crate) const REVISION: &str = env!("FLITWORK_REVISION");

/// This program, with the command line that it was given.
pub(crate) fn program() -> Program {
    let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    Program {
        version: env!("CARGO_PKG_VERSION").into(),
        revision: REVISION.into(),
        command: command_line(arguments),
    }
}
