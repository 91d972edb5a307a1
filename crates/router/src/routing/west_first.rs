//! West first: a packet that has to go west does so before anything else, and then takes any shortest path
//! (the turn model of Glass and Ni 1992). No packet turns from north or south to west.

use super::contract::{Choices, Head};
use super::places::{Bearing, Places};
use super::turn_model::{X, Y, build_by};
use super::{Freedom, Needs, RoutingEntry};

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "west-first",
    summary: "west before all else, then adaptive",
    needs: Needs::mesh(1).plane(),
    freedom: Freedom::Acyclic,
    reads: &[],
    own: None,
    build: |parameters, shape| build_by(rule, parameters, shape),
};

#[inline]
fn rule(places: &Places, channels: u32, head: &Head, choices: &mut Choices) {
    let x = places.bearing(X, head.here, head.destination);
    if x == Bearing::Towards {
        choices.prefer(places.port(X, false), channels);
        return;
    }
    if x == Bearing::Away {
        choices.prefer(places.port(X, true), channels);
    }
    let y = places.bearing(Y, head.here, head.destination);
    if y != Bearing::Here {
        choices.prefer(places.port(Y, y == Bearing::Away), channels);
    }
}
