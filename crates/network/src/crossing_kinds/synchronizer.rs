//! `kind = "synchronizer"`: flip-flops in a row behind a FIFO that the sender's clock fills.

use super::{Crossing, CrossingEntry, Flops};
use flitwork_schema::{Allowed, Field, Key, RawTable, Refusal, key};

/// A synchronizer, by itself or beside what else a kind has.
#[derive(Clone)]
pub(super) struct Synchronizer {
    pub(super) edges: u32,
    pub(super) window_ps: Option<u64>,
    pub(super) tau_ps: Option<u64>,
}

impl Default for Synchronizer {
    fn default() -> Synchronizer {
        Synchronizer {
            edges: 2,
            window_ps: None,
            tau_ps: None,
        }
    }
}

impl Synchronizer {
    /// Flip-flops of both keys, or of neither.
    pub(super) fn crossing(&self, given: &RawTable<'_>) -> Result<Crossing, Refusal> {
        let span = |key| given.span_of(key).unwrap_or_else(|| given.span());
        let flops = match (self.window_ps, self.tau_ps) {
            (None, None) => None,
            (Some(window_ps), Some(tau_ps)) => Some(Flops { window_ps, tau_ps }),
            (Some(_), None) => return Err(given.missing_for("tau_ps", span("window_ps"))),
            (None, Some(_)) => return Err(given.missing_for("window_ps", span("tau_ps"))),
        };
        Ok(Crossing {
            flops,
            ..Crossing::synchronizer(self.edges)
        })
    }
}

const PS: Allowed = Allowed::Whole(1, 1_000_000_000);

/// The keys of a synchronizer that is somewhere in a kind's parameters.
#[rustfmt::skip]
pub(super) const fn edges<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    key("edges", field, Allowed::Whole(0, 16), "2", "edges of the receiver's clock that everything waits after the one that samples it")
}

#[rustfmt::skip]
pub(super) const fn window_ps<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    key("window_ps", field, PS, "never metastable", "what arrives within this many ps before an edge leaves the flip-flop that samples it undecided")
}

#[rustfmt::skip]
pub(super) const fn tau_ps<P>(field: fn(&mut P) -> &mut dyn Field) -> Key<P> {
    key("tau_ps", field, PS, "never metastable", "the time constant in ps with which an undecided flip-flop decides")
}

const KEYS: &[Key<Synchronizer>] = &[
    edges(|it| &mut it.edges),
    window_ps(|it| &mut it.window_ps),
    tau_ps(|it| &mut it.tau_ps),
];

pub(super) fn entry() -> CrossingEntry {
    let help = "a synchronizer of edges of the receiver's clock, for all clocks";
    let build = Synchronizer::crossing;
    CrossingEntry::new("synchronizer", help, KEYS, build, |_, _| Ok(()))
}
