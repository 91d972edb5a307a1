//! What all constructions share: their classes of packets, and how they are run.

use super::{Constructed, LowerError};
use crate::route::GoOn;
use crate::{Adversary, Machine, Meddling, PacketId, Rule, Store};
use flitwork_topology::{Grid, Shape};
use flitwork_types::{MAX_NODES, NodeId};

/// The greatest side of a square mesh.
pub(super) const MAX_SIDE: u32 = MAX_NODES.isqrt();

/// A square mesh, or a torus.
pub(super) fn square(side: u32, wraps: bool) -> Shape {
    let sides = [side, side];
    let grid = if wraps {
        Grid::torus(&sides)
    } else {
        Grid::mesh(&sides)
    };
    grid.expect("a side that has a class makes a grid").into()
}

/// The constants for a side, a queue and the packets a node, of which there may be so many at most: `of` gives those of any
/// side, and `classes` how many classes they have.
pub(super) fn with_a_class<C>(
    side: u32,
    (queue, per_node, most): (u32, u32, u32),
    of: impl Fn(u32) -> C,
    classes: impl Fn(&C) -> u32,
) -> Result<C, LowerError> {
    if queue == 0 {
        return Err(LowerError::NoQueue);
    }
    if !(1..=most).contains(&per_node) {
        return Err(LowerError::PerNode { per_node, most });
    }
    if side > MAX_SIDE {
        return Err(LowerError::TooLarge {
            side,
            most: MAX_SIDE,
        });
    }
    let found = of(side);
    if classes(&found) > 0 {
        return Ok(found);
    }
    let least = (side + 1..=MAX_SIDE).find(|side| classes(&of(*side)) > 0);
    Err(LowerError::TooSmall { side, least })
}

/// Which packets are of which class: an exchange of destinations is one of classes.
#[derive(Debug)]
pub(super) struct Classes {
    /// By packet.
    of: Vec<usize>,
    /// By class.
    members: Vec<Vec<PacketId>>,
}

impl Classes {
    /// The classes of all packets, by number.
    pub(super) fn new(of: Vec<usize>, classes: usize) -> Classes {
        let mut members = vec![Vec::new(); classes];
        for (packet, class) in (0..).map(PacketId).zip(&of) {
            members[*class].push(packet);
        }
        Classes { of, members }
    }

    pub(super) fn count(&self) -> usize {
        self.members.len()
    }

    pub(super) fn all(&self) -> &[usize] {
        &self.of
    }

    pub(super) fn of(&self, packet: PacketId) -> usize {
        self.of[packet.index()]
    }

    pub(super) fn members(&self, class: usize) -> &[PacketId] {
        &self.members[class]
    }

    /// Exchanges two packets' destinations, and with them their classes.
    pub(super) fn exchange(&mut self, one: PacketId, other: PacketId, meddling: &mut Meddling<'_>) {
        meddling.exchange(one, other);
        let (first, second) = (self.of(one), self.of(other));
        for (packet, was, is) in [(one, first, second), (other, second, first)] {
            let members = &mut self.members[was];
            let place = members.iter().position(|it| *it == packet);
            members.swap_remove(place.expect("it is one of its class"));
            self.members[is].push(packet);
            self.of[packet.index()] = is;
        }
    }
}

/// An adversary that checks what its rule does.
pub(super) trait Construction: Adversary {
    /// What no rule of the class does, if it was done in the last step.
    fn failure<R: Rule>(&mut self, machine: &Machine<'_, Shape, R>) -> Option<String>;
}

/// Runs a construction up to its bound, unless it is to stop.
pub(super) fn construct<R: Rule>(
    (shape, store): (&Shape, Store),
    problem: &[(NodeId, NodeId)],
    bound_steps: u32,
    mut adversary: impl Construction,
    rule: &R,
    go_on: GoOn<'_>,
) -> Result<Constructed, LowerError> {
    let mut machine = Machine::new(shape, rule, store, problem).map_err(LowerError::Machine)?;
    let mut exchanges = 0;
    for step in 1..=bound_steps {
        if machine.asks() && !go_on(machine.steps()) {
            return Err(LowerError::Stopped);
        }
        machine.step(&mut adversary);
        exchanges += machine.exchanged().len() as u64;
        if let Some(what) = adversary.failure(&machine) {
            return Err(LowerError::Outside { step, what });
        }
    }
    let packets = machine.packets();
    Ok(Constructed {
        problem: packets
            .iter()
            .map(|it| (it.source, it.destination))
            .collect(),
        bound_steps,
        exchanges,
        at_bound: packets.iter().map(|it| it.at).collect(),
    })
}
