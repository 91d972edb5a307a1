//! Reads a configuration's self-timed nodes, and checks their keys against each other.

use super::clocks::spread_of;
use crate::clocks::SelfTimedParameters;
use crate::clocks::self_timed::{ARBITER, GivenSteps, NEEDED, SELF_TIMED};
use crate::clocks::table::Stage;
use flitwork_network::Arbiter;
use flitwork_schema::{Between, Given, Refusal};

/// `[clocks.self-timed]`; `in_table` says whether a table gives a stage.
///
/// # Errors
/// A stage that is missing, a spread without its percentage.
pub(super) fn self_timed(
    given: &Given<'_>,
    in_table: impl Fn(Stage) -> bool,
) -> Result<SelfTimedParameters, Refusal> {
    for (key, stage) in NEEDED {
        if !in_table(stage) {
            given.needed::<Between>(key)?;
        }
    }
    let mut own = GivenSteps::default();
    given.set(SELF_TIMED, &mut own);
    let spread = spread_of(given, (own.spread.unwrap_or_default(), own.spread_percent))?;
    Ok(own.parameters(spread))
}

/// `[clocks.arbiter]`.
///
/// # Errors
/// A key that is missing.
pub(super) fn arbiter(given: &Given<'_>) -> Result<Arbiter, Refusal> {
    let mut arbiter = Arbiter {
        window_ps: given.needed("window_ps")?,
        tau_ps: given.needed("tau_ps")?,
    };
    given.set(ARBITER, &mut arbiter);
    Ok(arbiter)
}
