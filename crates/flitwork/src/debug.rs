//! `flitwork debug`: a run in the terminal.

use crate::args::Debug;
use crate::asking::{Asking, Stop};
use crate::exit::{Code, Exit, FINE, INTERRUPTED};
use crate::recalled::run_of;
use crate::trace::session::{COPIES_BYTES, Session};
use flitwork_view::terminal::{self, NoTerminal};
use std::io::{self, IsTerminal};

pub(crate) fn run(args: &Debug, asking: &Asking<'_>) -> Result<Code, Stop> {
    let session = Session::open(&args.run, &args.settings, asking)?;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Exit::bad_input(NoTerminal::None).into());
    }
    asking.places.prepare()?;
    session.verify()?;
    let bytes = asking.copies_bytes.unwrap_or(COPIES_BYTES) as usize;
    let run = run_of(session);
    // What is seen is all there is: nothing is kept of a run that is interrupted.
    let is_interrupted = || asking.interruption.flow().is_break();
    asking.interruption.before_exit(terminal::restore);
    terminal::debug(&run, bytes, &is_interrupted).map_err(|error| match error {
        NoTerminal::None => Exit::bad_input(error),
        NoTerminal::Fails(_) => Exit::failure(error),
    })?;
    if let Some(differs) = run.repeats.differs() {
        return Err(Stop::differs(&differs));
    }
    match is_interrupted() {
        true => Ok(Code(INTERRUPTED)),
        false => Ok(Code(FINE)),
    }
}
