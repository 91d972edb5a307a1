//! The program, with the parts that it comes with.

use flitwork_schema::Parts;
use std::process::ExitCode;

fn main() -> ExitCode {
    flitwork::main_with(Parts::new())
}
