//! A part of a run's time.

use crate::args::Times;
use crate::exit::Exit;
use flitwork_debug::{Ended, Timeline, Wanted};

/// From which time on, and before which.
///
/// # Errors
/// What is asked for lies outside the run.
pub(super) fn within(times: &Times, timeline: &mut Timeline, end: u64) -> Result<(u64, u64), Exit> {
    let (from, to) = (times.from, times.to.unwrap_or(end));
    if to > end {
        return Err(Exit::bad_input(format!(
            "--to {to}: the run ends before {end}; allowed: 1 to {end}"
        )));
    }
    let last = end.saturating_sub(1);
    if from > last {
        return Err(Exit::bad_input(format!(
            "--from {from}: the run ends before {end}; allowed: 0 to {last}"
        )));
    }
    if from >= to {
        return Err(Exit::bad_input(format!(
            "--from {from}: that isn't before --to {to}; allowed: 0 to {}",
            to.saturating_sub(1)
        )));
    }
    match over(timeline, from).filter(|over| *over < from) {
        Some(over) => Err(Exit::bad_input(format!(
            "--from {from}: the run is over at {over}, and nothing happens later; allowed: 0 to {over}"
        ))),
        None => Ok((from, to)),
    }
}

/// When the run is over, if that is so at a time.
fn over(timeline: &mut Timeline, from: u64) -> Option<u64> {
    let mut is_over = |time: u64| {
        let (_, ended) = timeline.copy_at(time, Wanted::NOTHING).advance(time + 1);
        ended != Ended::Deadline
    };
    if from == 0 || !is_over(from) {
        return None;
    }
    let (mut early, mut late) = (0, from);
    while early < late {
        let middle = early + (late - early) / 2;
        match is_over(middle) {
            true => late = middle,
            false => early = middle + 1,
        }
    }
    Some(late)
}
