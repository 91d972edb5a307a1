//! Negative first: all hops towards 0 come before all hops away from it, in any order within either group
//! (the turn model of Glass and Ni 1992, for any number of dimensions). No packet turns from a positive to a
//! negative direction.

use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::places::Bearing;
use super::turn_model::TurnModel;
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_topology::Grid;

pub(super) const ENTRY: RoutingEntry = RoutingEntry::on_grids(
    "negative-first",
    build,
    Needs::mesh(1),
    Freedom::Acyclic,
    &[],
    "adaptive towards 0 in all dimensions, then adaptive away from it",
);

struct NegativeFirst(TurnModel);

impl Routing for NegativeFirst {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        let TurnModel { places, channels } = &self.0;
        choices.clear();
        for (wanted, away) in [(Bearing::Towards, false), (Bearing::Away, true)] {
            for axis in 0..places.dimensions() {
                if places.bearing(axis, head.here, head.destination) == wanted {
                    choices.prefer(places.port(axis, away), *channels);
                }
            }
            if !choices.preferred.is_empty() {
                return;
            }
        }
    }

    fn declaration(&self) -> Declaration {
        self.0.declaration()
    }
}

fn build(parameters: &RoutingParameters, grid: &Grid) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(NegativeFirst(TurnModel::new(parameters, grid))))
}
