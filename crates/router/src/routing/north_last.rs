//! North last: a packet goes north only when no other direction is left, and before that takes any shortest
//! path (the turn model of Glass and Ni 1992). No packet turns away from north.

use super::contract::{Choices, Head};
use super::places::{Bearing, Places};
use super::turn_model::{X, Y, build_by};
use super::{Freedom, Needs, RoutingEntry};

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "north-last",
    summary: "adaptive, but north only when nothing else is left",
    needs: Needs::mesh(1).plane(),
    freedom: Freedom::Acyclic,
    reads: &[],
    own: None,
    build: |parameters, shape| build_by(rule, parameters, shape),
};

#[inline]
fn rule(places: &Places, channels: u32, head: &Head, choices: &mut Choices) {
    let x = places.bearing(X, head.here, head.destination);
    let y = places.bearing(Y, head.here, head.destination);
    if x != Bearing::Here {
        choices.prefer(places.port(X, x == Bearing::Away), channels);
    }
    if y == Bearing::Away {
        choices.prefer(places.port(Y, true), channels);
    } else if x == Bearing::Here {
        choices.prefer(places.port(Y, false), channels);
    }
}
