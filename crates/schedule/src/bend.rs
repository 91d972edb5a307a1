//! Ways of packets that turn at most once, and never stop once they have left.

use crate::{Hop, Plan, Request};
use flitwork_topology::{Grid, Topology};
use flitwork_types::Port;

pub(crate) const NORTH: Port = Port(0);
pub(crate) const EAST: Port = Port(1);
pub(crate) const SOUTH: Port = Port(2);
pub(crate) const WEST: Port = Port(3);

/// Which way a packet goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bend {
    /// Along its row to the column of its destination, then along the column. A packet that needn't turn counts as one of
    /// these.
    HorizontalFirst,
    /// Along its column to the row of its destination, then along the row.
    VerticalFirst,
}

/// All that a schedule says of a packet: it waits at its source, and then moves in every step (Symvonis and Tidswell 1994,
/// section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Way {
    /// The step, from 0, in which its first word leaves.
    pub start: u32,
    /// How it goes.
    pub bend: Bend,
}

impl Way {
    /// The links over the mesh for which the packet was scheduled, one after the other.
    pub fn plan(&self, mesh: &Grid, request: &Request) -> Plan {
        let (from, to) = (request.source, request.destination);
        let [x, y] = [0, 1].map(|dimension| mesh.distance_in(dimension, from, to));
        let width = mesh.sides()[0];
        let horizontal = if to.0 % width > from.0 % width {
            EAST
        } else {
            WEST
        };
        let vertical = if to > from { SOUTH } else { NORTH };
        let legs = match self.bend {
            Bend::HorizontalFirst => [(horizontal, x), (vertical, y)],
            Bend::VerticalFirst => [(vertical, y), (horizontal, x)],
        };
        // Chained, so that the number of hops is known before they are collected: a schedule keeps millions.
        let [first, then] = legs.map(|(port, links)| std::iter::repeat_n(port, links as usize));
        let hops = first.chain(then).zip(self.start..);
        Plan {
            hops: hops.map(|(port, step)| Hop { port, step }).collect(),
        }
    }

    /// The steps until the packet's last word is there: 0 for one that stays where it is.
    pub fn end(&self, mesh: &Grid, request: &Request) -> u32 {
        match mesh.distance(request.source, request.destination) {
            0 => 0,
            links => self.start + links - 1 + request.words,
        }
    }
}
