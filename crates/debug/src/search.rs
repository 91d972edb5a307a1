//! The next place in time at which something holds, and the last one before.

use crate::gather::{Explained, Happening, Wanted};
pub use crate::timeline::Stopped;
use crate::timeline::Timeline;

/// The longest stretch that is gathered before it is looked through, in cycles.
const MOST_CYCLES: u64 = 1 << 14;

/// What has been gathered in a stretch of time, in order.
#[derive(Debug)]
pub struct Gathered {
    /// Happenings.
    pub happened: Vec<Happening>,
    /// Steps that were explained.
    pub explained: Vec<Explained>,
}

/// Looks from a time on, in stretches that grow, until `find` has found something or `end` is reached. `go_on` is asked
/// before each stretch.
///
/// # Errors
/// [`Stopped`] if `go_on` says no.
pub fn later<T>(
    timeline: &mut Timeline,
    (from, end): (u64, u64),
    wanted: Wanted,
    go_on: &mut dyn FnMut() -> bool,
    mut find: impl FnMut(&Gathered) -> Option<T>,
) -> Result<Option<T>, Stopped> {
    let mut branch = timeline.copy_while(from, wanted, go_on)?;
    let cycles = (1, MOST_CYCLES, timeline.cycle_time());
    let found = branch.stretches(end, cycles, go_on, |branch, happened| {
        find(&Gathered {
            happened,
            explained: branch.explained(),
        })
    });
    found.map(|(found, _)| found)
}

/// Looks back from a time, in stretches that grow, until `find` has found something, the last in a stretch, or the
/// beginning is reached. `go_on` is asked before each stretch.
///
/// # Errors
/// [`Stopped`] if `go_on` says no.
pub fn earlier<T>(
    timeline: &mut Timeline,
    before: u64,
    wanted: Wanted,
    go_on: &mut dyn FnMut() -> bool,
    mut find: impl FnMut(&Gathered) -> Option<T>,
) -> Result<Option<T>, Stopped> {
    let mut end = before;
    let mut cycles = 1;
    while end > 0 {
        if !go_on() {
            return Err(Stopped);
        }
        let begin = end.saturating_sub(cycles * timeline.cycle_time());
        let mut branch = timeline.copy_while(begin, wanted, go_on)?;
        let (happened, _) = branch.advance(end);
        let found = find(&Gathered {
            happened,
            explained: branch.explained(),
        });
        if found.is_some() {
            return Ok(found);
        }
        end = begin;
        cycles = (2 * cycles).min(MOST_CYCLES);
    }
    Ok(None)
}
