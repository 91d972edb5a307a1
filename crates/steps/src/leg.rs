//! A part of a packet's way.

use flitwork_types::{NodeId, Port};

/// A part of a packet's way, along one line of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Where it ends.
    pub goal: NodeId,
    /// The links by which the packet goes, all the way.
    pub port: Port,
    /// How many of them it has still to cross on this leg.
    pub links: u32,
    /// How many it has crossed on this leg.
    pub crossed: u32,
    /// How many it has to cross on the legs after this one.
    pub beyond: u32,
    /// Of packets that want the same link, those of a lower stage go first.
    pub stage: u16,
}
