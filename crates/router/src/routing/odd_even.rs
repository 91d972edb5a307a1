//! Odd-even: the allowed turns depend on the column (Chiu 2000, function ROUTE for shortest paths).
//! No packet turns from east to north or south in an even column, nor from north or south to west in an odd
//! one. Its adaptiveness is spread more evenly than that of the turn models.
//!
//! - Eastwards, a packet may go north or south if it hasn't come from the west, or in an odd column; it may
//!   go east unless that leads into the destination's column, if that is even, before its row.
//! - Westwards, it may go west anywhere, and north or south only in even columns, where it can turn west.
//!
//! ROUTE tests whether the packet is in its source's column. In an even column this is equivalent to not
//! having come from the west: a packet that did can't have left its row there.

use super::contract::{Choices, Head};
use super::places::{Bearing, Places};
use super::turn_model::{X, Y, build_by};
use super::{Freedom, Needs, RoutingEntry};

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "odd-even",
    summary: "adaptive, with turns that depend on the column's parity",
    needs: Needs::mesh(1).plane(),
    freedom: Freedom::Acyclic,
    reads: &[],
    own: None,
    build: |parameters, shape| build_by(rule, parameters, shape),
};

/// Whether the packet's last hop led east.
#[inline]
fn came_eastwards(places: &Places, head: &Head) -> bool {
    let west = places.port(X, false);
    head.from.is_some_and(|(port, _)| port == west)
}

#[inline]
fn rule(places: &Places, channels: u32, head: &Head, choices: &mut Choices) {
    let (here, destination) = (head.here, head.destination);
    let odd = |node| places.coordinate(node, X) % 2 == 1;
    let x = places.bearing(X, here, destination);
    let y = places.bearing(Y, here, destination);
    let mut vertical = y != Bearing::Here;
    match x {
        Bearing::Away => {
            let next_to_it = places.steps(X, true, here, destination) == 1;
            if !vertical || odd(destination) || !next_to_it {
                choices.prefer(places.port(X, true), channels);
            }
            vertical &= odd(here) || !came_eastwards(places, head);
        }
        Bearing::Towards => {
            choices.prefer(places.port(X, false), channels);
            vertical &= !odd(here);
        }
        Bearing::Here | Bearing::Either => {}
    }
    if vertical {
        choices.prefer(places.port(Y, y == Bearing::Away), channels);
    }
}
