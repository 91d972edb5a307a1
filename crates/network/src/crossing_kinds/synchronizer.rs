//! `kind = "synchronizer"`: flip-flops in a row behind a FIFO that the sender's clock fills.

use super::sampled::{
    EDGES, EDGES_ALLOWED, EDGES_DEFAULT, EDGES_MEANING, FLOPS_DEFAULT, TAU_MEANING, WINDOW_ALLOWED,
    WINDOW_MEANING, flops,
};
use super::{Crossing, CrossingEntry};
use flitwork_schema::{Key, RawTable, key};

#[derive(Clone)]
struct Synchronizer {
    edges: u32,
    window_ps: Option<u64>,
    tau_ps: Option<u64>,
}

impl Default for Synchronizer {
    fn default() -> Synchronizer {
        Synchronizer {
            edges: EDGES,
            window_ps: None,
            tau_ps: None,
        }
    }
}

#[rustfmt::skip]
const KEYS: &[Key<Synchronizer>] = &[
    key("edges", |it| &mut it.edges, EDGES_ALLOWED, EDGES_DEFAULT, EDGES_MEANING),
    key("window_ps", |it| &mut it.window_ps, WINDOW_ALLOWED, FLOPS_DEFAULT, WINDOW_MEANING),
    key("tau_ps", |it| &mut it.tau_ps, WINDOW_ALLOWED, FLOPS_DEFAULT, TAU_MEANING),
];

pub(super) fn entry() -> CrossingEntry {
    let help = "a synchronizer of edges of the receiver's clock, for all clocks";
    let build = |it: &Synchronizer, given: &RawTable<'_>| {
        Ok(Crossing {
            flops: flops((it.window_ps, it.tau_ps), given)?,
            ..Crossing::synchronizer(it.edges)
        })
    };
    CrossingEntry::new("synchronizer", help, KEYS, build, |_, _| Ok(()))
}
