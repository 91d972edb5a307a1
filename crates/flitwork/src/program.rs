//! The program's version, revision and command line, as results record them.

use flitwork_config::Resolved;
use flitwork_report::{Program, Provenance, command_line};

/// The program's version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// This program, with its command line.
pub(crate) fn program() -> Program {
    let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    Program {
        version: VERSION.into(),
        revision: env!("FLITWORK_REVISION").into(),
        command: command_line(arguments),
    }
}

/// The provenance of a configuration's run by this program.
pub(crate) fn provenance(resolved: &Resolved) -> Provenance {
    program().ran(resolved.to_toml(), resolved.run.seed)
}
