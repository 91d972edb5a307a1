//! The program with the built-in parts.

use flitwork_schema::Parts;
use std::process::ExitCode;

fn main() -> ExitCode {
    flitwork::main_with(Parts::new())
}
