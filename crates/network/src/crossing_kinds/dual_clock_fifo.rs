//! `kind = "dual-clock-fifo"`: a memory that one clock writes and the other reads, each of which sees the other's
//! pointer through a synchronizer.

use super::sampled::{
    EDGES, EDGES_ALLOWED, EDGES_DEFAULT, EDGES_MEANING, FLOPS_DEFAULT, TAU_MEANING, WINDOW_ALLOWED,
    WINDOW_MEANING, flops,
};
use super::{Crossing, CrossingEntry};
use flitwork_schema::{Allowed, Key, RawTable, key};

#[derive(Clone)]
struct DualClockFifo {
    depth: u32,
    edges: u32,
    window_ps: Option<u64>,
    tau_ps: Option<u64>,
}

impl Default for DualClockFifo {
    fn default() -> DualClockFifo {
        DualClockFifo {
            depth: 0,
            edges: EDGES,
            window_ps: None,
            tau_ps: None,
        }
    }
}

#[rustfmt::skip]
const KEYS: &[Key<DualClockFifo>] = &[
    key("depth", |it| &mut it.depth, Allowed::Whole(1, 65_535), "required", "words that a dual-clock FIFO holds, those on the way to it among them; instead of link_capacity_words"),
    key("edges", |it| &mut it.edges, EDGES_ALLOWED, EDGES_DEFAULT, EDGES_MEANING),
    key("window_ps", |it| &mut it.window_ps, WINDOW_ALLOWED, FLOPS_DEFAULT, WINDOW_MEANING),
    key("tau_ps", |it| &mut it.tau_ps, WINDOW_ALLOWED, FLOPS_DEFAULT, TAU_MEANING),
];

pub(super) fn entry() -> CrossingEntry {
    let help = "a dual-clock FIFO of some depth, whose pointers are synchronized, for all clocks";
    let build = |it: &DualClockFifo, given: &RawTable<'_>| {
        Ok(Crossing {
            capacity_words: Some(it.depth),
            flops: flops((it.window_ps, it.tau_ps), given)?,
            ..Crossing::synchronizer(it.edges)
        })
    };
    CrossingEntry::new("dual-clock-fifo", help, KEYS, build, |_, _| Ok(()))
}
