//! `kind = "mesochronous"`: both clocks come from one oscillator, with a phase between them that doesn't change, so
//! that it is known once at which edge what comes can be sampled safely.

use super::{ClockPair, Crossing, CrossingEntry};
use crate::clock::Clock;
use flitwork_schema::{Allowed, Key, RawTable, key};

#[rustfmt::skip]
const KEYS: &[Key<u64>] = &[
    key("margin_ps", |margin_ps| margin_ps, Allowed::Whole(0, 1_000_000_000), "0", "what arrives less than this many ps before an edge waits for the next one; mesochronous only"),
];

pub(super) fn entry() -> CrossingEntry {
    let help = "clocks of one frequency, whose phases differ by a constant: no synchronizer";
    let build = |margin_ps: &u64, _: &RawTable<'_>| {
        Ok(Crossing {
            margin_ps: *margin_ps,
            ..Crossing::synchronizer(0)
        })
    };
    CrossingEntry::new("mesochronous", help, KEYS, build, suits)
}

fn suits(_: &Crossing, pair: &ClockPair<'_>) -> Result<(), String> {
    match (pair.sender, pair.receiver) {
        (Clock::Periodic(one), Clock::Periodic(other)) if one.is_in_tune_with(other) => Ok(()),
        (Clock::Periodic(_), Clock::Periodic(_)) => {
            Err("it needs two clocks of the same period, drift and changes".into())
        }
        _ => Err("it needs a clock at both ends".into()),
    }
}
