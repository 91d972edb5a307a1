//! What several tables of clocks have in common: bounds, spreads and the walk of ticks.

use crate::clocks::{Spread, SpreadLaw};
use flitwork_network::Wander;
use flitwork_schema::{Allowed, RawTable, Refusal};

/// The longest period and the longest delay of a node, in ps: a millisecond.
pub(crate) const MAX_PERIOD_PS: u64 = 1_000_000_000;
/// The latest instant of a run, in ps: a quarter of the range of 64 bits, so that the sum of two doesn't wrap.
pub(super) const LAST_PS: u64 = 1 << 62;
pub(super) const PPM: &str = "parts per million";

pub(super) const WANDER: Allowed = Allowed::Whole(0, MAX_PERIOD_PS - 1);
pub(super) const WANDER_BOUND: Allowed = Allowed::Whole(1, MAX_PERIOD_PS);
pub(super) const WANDER_MEANING: &str = "ps by which a period may be longer or shorter than the clock's own; drawn for each tick, and added up from tick to tick; together with jitter_ps less than every period";
pub(super) const BOUND_MEANING: &str = "the most ps by which ticks may have wandered from their places, either way; a step beyond it ends as far within it instead; at least wander_ps";

flitwork_schema::named!(SpreadLaw { None = "none", Uniform = "uniform", Normal = "normal" });

/// Holds what is given of a spread together: a law has a percentage, and none has no use for it.
///
/// # Errors
/// A percentage that is missing.
pub(super) fn hold_spread(given: &RawTable<'_>, spread: &mut Spread) -> Result<(), Refusal> {
    match (spread.law, spread.percent) {
        (SpreadLaw::None, _) => *spread = Spread::NONE,
        (_, Some(_)) => {}
        (_, None) => {
            let law = given.span_of("spread").unwrap_or_else(|| given.span());
            return Err(given.missing_for("spread_percent", law));
        }
    }
    Ok(())
}

/// Holds what is given of the walk of the ticks together: only what wanders has a bound.
///
/// # Errors
/// A bound below the step.
pub(super) fn hold_wander(given: &RawTable<'_>, wander: &mut Wander) -> Result<(), Refusal> {
    match *wander {
        Wander { most_ps: 0, .. } => *wander = Wander::default(),
        Wander {
            most_ps,
            bound_ps: Some(bound_ps),
        } if bound_ps < most_ps => {
            let allowed = format!("wander_ps, {most_ps} ps, or more");
            return Err(given.conflict("wander_bound_ps", allowed));
        }
        _ => {}
    }
    Ok(())
}
