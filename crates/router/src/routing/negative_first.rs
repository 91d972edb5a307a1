//! Negative first: all hops towards 0 come before all hops away from it, in any order within either group
//! (the turn model of Glass and Ni 1992, for any number of dimensions). No packet turns from a positive to a
//! negative direction.

use super::contract::{Choices, Head};
use super::places::{Bearing, Places};
use super::turn_model::build_by;
use super::{Freedom, Needs, RoutingEntry};

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "negative-first",
    summary: "adaptive towards 0 in all dimensions, then adaptive away from it",
    needs: Needs::mesh(1),
    freedom: Freedom::Acyclic,
    reads: &[],
    own: None,
    build: |parameters, shape| build_by(rule, parameters, shape),
};

#[inline]
fn rule(places: &Places, channels: u32, head: &Head, choices: &mut Choices) {
    for (wanted, away) in [(Bearing::Towards, false), (Bearing::Away, true)] {
        for axis in 0..places.dimensions() {
            if places.bearing(axis, head.here, head.destination) == wanted {
                choices.prefer(places.port(axis, away), channels);
            }
        }
        if !choices.preferred.is_empty() {
            return;
        }
    }
}
