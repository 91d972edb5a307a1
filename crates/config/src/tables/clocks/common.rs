//! What several tables of clocks have in common: bounds, spreads and the walk of ticks.

use crate::clocks::Spread;
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

/// The law of a [`Spread`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum SpreadLaw {
    #[default]
    None,
    Uniform,
    Normal,
}

flitwork_schema::named!(SpreadLaw { None = "none", Uniform = "uniform", Normal = "normal" });

impl Spread {
    /// Its law, and the percentage that goes with it.
    pub(super) fn given(self) -> (SpreadLaw, Option<f64>) {
        match self {
            Spread::None => (SpreadLaw::None, None),
            Spread::Uniform { percent } => (SpreadLaw::Uniform, Some(percent)),
            Spread::Normal { percent } => (SpreadLaw::Normal, Some(percent)),
        }
    }
}

/// How something is spread, given the law and its percentage.
///
/// # Errors
/// A percentage that is missing.
pub(super) fn spread_of(
    given: &RawTable<'_>,
    (law, percent): (SpreadLaw, Option<f64>),
) -> Result<Spread, Refusal> {
    match (law, percent) {
        (SpreadLaw::None, _) => Ok(Spread::None),
        (_, None) => {
            let law = given.span_of("spread").unwrap_or_else(|| given.span());
            Err(given.missing_for("spread_percent", law))
        }
        (SpreadLaw::Uniform, Some(percent)) => Ok(Spread::Uniform { percent }),
        (SpreadLaw::Normal, Some(percent)) => Ok(Spread::Normal { percent }),
    }
}

/// What is given of a [`Wander`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct GivenWander {
    pub(super) most_ps: Option<u64>,
    pub(super) bound_ps: Option<u64>,
}

impl GivenWander {
    pub(super) fn of(wander: Option<Wander>) -> GivenWander {
        GivenWander {
            most_ps: Some(wander.map_or(0, |wander| wander.most_ps)),
            bound_ps: wander.and_then(|wander| wander.bound_ps),
        }
    }

    /// The walk of the ticks, if they wander.
    pub(super) fn wander(self) -> Option<Wander> {
        let most_ps = self.most_ps.filter(|most_ps| *most_ps > 0);
        most_ps.map(|most_ps| Wander {
            most_ps,
            bound_ps: self.bound_ps,
        })
    }
}

/// The walk of the ticks, if they wander.
///
/// # Errors
/// A bound below the step.
pub(super) fn wander(given: &RawTable<'_>, own: GivenWander) -> Result<Option<Wander>, Refusal> {
    let wander = own.wander();
    match (own.bound_ps, wander) {
        (Some(bound_ps), Some(Wander { most_ps, .. })) if bound_ps < most_ps => {
            let allowed = format!("wander_ps, {most_ps} ps, or more");
            Err(given.conflict("wander_bound_ps", allowed))
        }
        (_, wander) => Ok(wander),
    }
}
