//! North last: a packet goes north only when no other direction is left, and before that takes any shortest
//! path (the turn model of Glass and Ni 1992). No packet turns away from north.

use super::contract::{Chance, Choices, Declaration, Head, Routing};
use super::places::Bearing;
use super::turn_model::{TurnModel, X, Y};
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_topology::Grid;

pub(super) const ENTRY: RoutingEntry = RoutingEntry::on_grids(
    "north-last",
    build,
    Needs::mesh(1).plane(),
    Freedom::Acyclic,
    &[],
    "adaptive, but north only when nothing else is left",
);

struct NorthLast(TurnModel);

impl Routing for NorthLast {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        let TurnModel { places, channels } = &self.0;
        let x = places.bearing(X, head.here, head.destination);
        let y = places.bearing(Y, head.here, head.destination);
        choices.clear();
        if x != Bearing::Here {
            choices.prefer(places.port(X, x == Bearing::Away), *channels);
        }
        if y == Bearing::Away {
            choices.prefer(places.port(Y, true), *channels);
        } else if x == Bearing::Here {
            choices.prefer(places.port(Y, false), *channels);
        }
    }

    fn declaration(&self) -> Declaration {
        self.0.declaration()
    }
}

fn build(parameters: &RoutingParameters, grid: &Grid) -> Result<Box<dyn Routing>, RoutingError> {
    Ok(Box::new(NorthLast(TurnModel::new(parameters, grid))))
}
