//! `kind = "dual-clock-fifo"`: a memory that one clock writes and the other reads, each of which sees the other's
//! pointer through a synchronizer.

use super::synchronizer::{Synchronizer, edges, tau_ps, window_ps};
use super::{Crossing, CrossingEntry};
use flitwork_schema::{Allowed, Key, RawTable, key};

#[derive(Clone, Default)]
struct DualClockFifo {
    depth: u32,
    pointers: Synchronizer,
}

#[rustfmt::skip]
const KEYS: &[Key<DualClockFifo>] = &[
    key("depth", |it| &mut it.depth, Allowed::Whole(1, 65_535), "required", "words that a dual-clock FIFO holds, those on the way to it among them; instead of link_capacity_words"),
    edges(|it| &mut it.pointers.edges),
    window_ps(|it| &mut it.pointers.window_ps),
    tau_ps(|it| &mut it.pointers.tau_ps),
];

pub(super) fn entry() -> CrossingEntry {
    let help = "a dual-clock FIFO of some depth, whose pointers are synchronized, for all clocks";
    let build = |it: &DualClockFifo, given: &RawTable<'_>| {
        Ok(Crossing {
            capacity_words: Some(it.depth),
            ..it.pointers.crossing(given)?
        })
    };
    CrossingEntry::new("dual-clock-fifo", help, KEYS, build, |_, _| Ok(()))
}
