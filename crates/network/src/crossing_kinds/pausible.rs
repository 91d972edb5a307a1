//! `kind = "pausible"`: a clock that waits while something comes (Chapiro 1984; Yun and Donohue 1996; Moore and others
//! 2002). A mutual exclusion lets either the next edge or an arrival through, so what comes needs no synchronizer.

use super::{ClockPair, Crossing, CrossingEntry, Pause};
use crate::clock::Clock;
use flitwork_schema::{Allowed, Key, RawTable, key};

#[rustfmt::skip]
const KEYS: &[Key<u64>] = &[
    key("transfer_ps", |transfer_ps| transfer_ps, Allowed::Whole(1, 1_000_000_000), "required", "ps for which an arrival keeps the next edge of a pausible clock away"),
];

pub(super) fn entry() -> CrossingEntry {
    let help = "the receiver's clock, which drives one node only, waits while something comes: no synchronizer";
    let build = |transfer_ps: &u64, _: &RawTable<'_>| {
        Ok(Crossing {
            pause: Some(Pause {
                transfer_ps: *transfer_ps,
                arbiter: None,
            }),
            ..Crossing::synchronizer(0)
        })
    };
    CrossingEntry::new("pausible", help, KEYS, build, suits)
}

fn suits(crossing: &Crossing, pair: &ClockPair<'_>) -> Result<(), String> {
    let (Clock::Periodic(_), shortest_ps) = (pair.receiver, pair.receiver.step_ps().0) else {
        return Err("only a clock can wait".into());
    };
    if pair.receiver_nodes > 1 {
        return Err(format!(
            "the clock that waits drives one node only, and this one drives {}",
            pair.receiver_nodes
        ));
    }
    match crossing.pause {
        Some(pause) if pause.transfer_ps >= shortest_ps => Err(format!(
            "transfer_ps is less than every period of the clock that waits, {shortest_ps} ps"
        )),
        _ => Ok(()),
    }
}
