//! What kinds whose flip-flops sample what comes have in common.

use super::Flops;
use flitwork_schema::{Allowed, RawTable, Refusal};

/// The edges of a synchronizer, by default.
pub(super) const EDGES: u32 = 2;
/// What `edges` may be, its default, and what it means.
pub(super) const EDGES_ALLOWED: Allowed = Allowed::Whole(0, 16);
pub(super) const EDGES_DEFAULT: &str = "2";
#[rustfmt::skip]
pub(super) const EDGES_MEANING: &str = "edges of the receiver's clock that everything waits after the one that samples it";

/// The same for `window_ps` and `tau_ps`.
pub(super) const WINDOW_ALLOWED: Allowed = Allowed::Whole(1, 1_000_000_000);
pub(super) const FLOPS_DEFAULT: &str = "never metastable";
#[rustfmt::skip]
pub(super) const WINDOW_MEANING: &str = "what arrives within this many ps before an edge leaves the flip-flop that samples it undecided";
#[rustfmt::skip]
pub(super) const TAU_MEANING: &str = "the time constant in ps with which an undecided flip-flop decides";

/// Flip-flops of both keys, or of neither.
pub(super) fn flops(
    (window_ps, tau_ps): (Option<u64>, Option<u64>),
    given: &RawTable<'_>,
) -> Result<Option<Flops>, Refusal> {
    match (window_ps, tau_ps) {
        (None, None) => Ok(None),
        (Some(window_ps), Some(tau_ps)) => Ok(Some(Flops { window_ps, tau_ps })),
        (Some(_), None) => Err(given.missing_for("tau_ps", span(given, "window_ps"))),
        (None, Some(_)) => Err(given.missing_for("window_ps", span(given, "tau_ps"))),
    }
}

fn span(given: &RawTable<'_>, key: &str) -> flitwork_schema::Span {
    given.span_of(key).unwrap_or_else(|| given.span())
}
