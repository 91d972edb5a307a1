//! The program's version, revision and command line, as results record them.

use flitwork_report::{Program, command_line};

/// The revision of the sources at build time.
pub(crate) const REVISION: &str = env!("FLITWORK_REVISION");

/// This program, with its command line.
pub(crate) fn program() -> Program {
    let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    Program {
        version: env!("CARGO_PKG_VERSION").into(),
        revision: REVISION.into(),
        command: command_line(arguments),
    }
}
