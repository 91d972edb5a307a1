//! `kind = "same-clock"`: nothing crosses, since both ends tick at the same instants.

use super::{ClockPair, Crossing, CrossingEntry};
use flitwork_schema::{Key, RawTable};

const KEYS: &[Key<()>] = &[];

pub(super) fn entry() -> CrossingEntry {
    let help = "both ends tick at the same instants: what comes is seen at the next tick";
    let build = |(): &(), _: &RawTable<'_>| Ok(Crossing::synchronizer(0));
    CrossingEntry::new("same-clock", help, KEYS, build, suits)
}

fn suits(_: &Crossing, pair: &ClockPair<'_>) -> Result<(), String> {
    match pair.shares {
        true => Ok(()),
        false => Err(
            "it needs a clock that both ends share, or two without jitter that are identical"
                .into(),
        ),
    }
}
