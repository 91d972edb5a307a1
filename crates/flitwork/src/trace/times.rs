//! A part of a run's time.

use crate::args::Times;
use crate::asking::Stop;
use crate::exit::Exit;
use flitwork_debug::search::Stopped;
use flitwork_debug::{Ended, Timeline, Wanted};

/// Whether to go on.
type GoOn<'a> = &'a mut dyn FnMut() -> bool;

/// From which time on, and before which.
///
/// # Errors
/// What is asked for lies outside the run.
pub(super) fn within(
    times: &Times,
    timeline: &mut Timeline,
    end: u64,
    go_on: GoOn<'_>,
) -> Result<(u64, u64), Stop> {
    let (from, to) = (times.from, times.to.unwrap_or(end));
    let last = end.saturating_sub(1);
    let wrong = match () {
        () if to > end => {
            format!("--to {to}: the run ends before {end}; allowed: 1 to {end}")
        }
        () if from > last => {
            format!("--from {from}: the run ends before {end}; allowed: 0 to {last}")
        }
        () if from >= to => {
            let before = to.saturating_sub(1);
            format!("--from {from}: that isn't before --to {to}; allowed: 0 to {before}")
        }
        () => match over(timeline, from, go_on)?.filter(|over| *over < from) {
            Some(over) => format!(
                "--from {from}: the run is over at {over}, and nothing happens then or later; allowed: 0 to {over}"
            ),
            None => return Ok((from, to)),
        },
    };
    Err(Exit::bad_input(wrong).into())
}

/// When the run is over, if that is so at a time.
fn over(timeline: &mut Timeline, from: u64, go_on: GoOn<'_>) -> Result<Option<u64>, Stopped> {
    let mut is_over = |time: u64| -> Result<bool, Stopped> {
        let mut branch = timeline.copy_while(time, Wanted::EVENTS, go_on)?;
        let (happened, ended) = branch.advance(time + 1);
        // What its last steps deliver comes later.
        Ok(ended != Ended::Deadline && happened.is_empty() && branch.rest().is_empty())
    };
    if from == 0 || !is_over(from)? {
        return Ok(None);
    }
    let (mut early, mut late) = (0, from);
    while early < late {
        let middle = early + (late - early) / 2;
        match is_over(middle)? {
            true => late = middle,
            false => early = middle + 1,
        }
    }
    Ok(Some(late))
}
