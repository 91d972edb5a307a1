//! The exchanges EX1 to EX4 (Chinn 1995, section 2.2), made while the router runs.
//!
//! Whenever a decision, or under [`Instant::Link`] the departure of a head, would admit a packet of a later class to the
//! E_i-row west of the N_i-column, or to the N_i-column north of the E_i-row, its destination is exchanged with that of a
//! packet of the class that belongs there, which is still inside the (i-1)-box and not scheduled (not on its way) to leave
//! it. Both can go south and east before and after, so the router can't observe the exchange (Lemma 2.10).
//!
//! Two interpretations of ours: of several partners the one with the lowest number is taken, and exchanges continue for as
//! long as there is a partner, not only for the steps that the proof needs.

use crate::{Class, Direction, nodes};
use flitwork_node::{Event, Instant, Probe, Reported};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port, TerminalId};
use std::collections::BTreeSet;

/// The adversary: a probe that exchanges destinations.
#[derive(Debug)]
pub struct Exchanger {
    instant: Instant,
    grid: Grid,
    corner: u32,
    /// The class of each packet, by number: row by row in the corner.
    pub(crate) classes: Vec<Class>,
    /// The destination of each packet.
    pub(crate) destinations: Vec<NodeId>,
    /// The place of each packet in the engine's store.
    places: Vec<Option<PacketRef>>,
    /// For each packet, the least i such that, after all moves that have come to their instant, it is in the (i-1)-box.
    levels: Vec<u32>,
    /// For each class, in the order of [`Class::place`], its packets that can be partners.
    partners: Vec<BTreeSet<u32>>,
    pub(crate) exchanges: u64,
}

impl Exchanger {
    pub(crate) fn new(
        instant: Instant,
        grid: Grid,
        corner: u32,
        classes: Vec<Class>,
        destinations: Vec<NodeId>,
    ) -> Exchanger {
        let count = classes.iter().map(|class| class.index).max().unwrap_or(0);
        let mut partners = vec![BTreeSet::new(); 2 * count as usize];
        let mut levels = Vec::new();
        for (number, class) in (0..).zip(&classes) {
            let level = level(corner, number % corner + 1, number / corner + 1);
            if level <= class.index {
                partners[class.place()].insert(number);
            }
            levels.push(level);
        }
        Exchanger {
            instant,
            grid,
            corner,
            places: vec![None; classes.len()],
            levels,
            partners,
            exchanges: 0,
            destinations,
            classes,
        }
    }

    /// The class that the invariant allows to enter column `x`, row `y` in the given direction, if it restricts that.
    fn guard(&self, kind: Direction, x: u32, y: u32) -> Option<Class> {
        let (into, across) = if kind == Direction::E { (y, x) } else { (x, y) };
        let index = (into + 1).checked_sub(self.corner)?;
        (index >= 1 && across < into).then_some(Class { kind, index })
    }

    fn number(&self, source: TerminalId) -> usize {
        nodes::number(&self.grid, self.corner, self.grid.home(source))
    }

    /// Exchanges packet `number`, if the invariant needs it and there is a partner.
    fn exchange(&mut self, packets: &mut Packets, number: usize, guard: Class) {
        let class = self.classes[number];
        let may_enter = match class.kind == guard.kind {
            true => class.index <= guard.index,
            false => class.index < guard.index,
        };
        let partners = self.partners.get(guard.place());
        let Some(partner) = partners.and_then(|set| set.first().copied()) else {
            return;
        };
        if may_enter || partner as usize == number {
            return;
        }
        self.partners[guard.place()].remove(&partner);
        self.partners[class.place()].remove(&(number as u32));
        self.partners[class.place()].insert(partner);
        self.classes.swap(number, partner as usize);
        self.destinations.swap(number, partner as usize);
        let place =
            |number: usize| self.places[number].expect("every packet starts in the network");
        let (one, other) = (place(number), place(partner as usize));
        for (place, number) in [(one, number), (other, partner as usize)] {
            let destination = self.destinations[number];
            packets[place].destination = nodes::terminal(&self.grid, destination);
        }
        self.exchanges += 1;
    }

    /// All packets enter the network in cycle 0, before the first decision.
    fn find_places(&mut self, packets: &Packets) {
        let places: Vec<_> = packets
            .iter()
            .map(|(at, packet)| (self.number(packet.id.source), at))
            .collect();
        for (number, at) in places {
            self.places[number] = Some(at);
        }
    }

    /// A packet is about to move over a link: it gets another destination if the invariant needs that.
    fn moves(&mut self, packets: &mut Packets, node: NodeId, packet: PacketRef, port: Port) {
        if self.places[0].is_none() {
            self.find_places(packets);
        }
        let number = self.number(packets[packet].id.source);
        let next = self
            .grid
            .neighbour(node, port)
            .expect("packets move over links that exist");
        let (here, next) = (self.grid.coordinates(node), self.grid.coordinates(next));
        let kind = if next[1] > here[1] {
            Direction::E
        } else {
            Direction::N
        };
        let (x, y) = (next[0] + 1, next[1] + 1);
        if let Some(guard) = self.guard(kind, x, y) {
            self.exchange(packets, number, guard);
        }
        let class = self.classes[number];
        self.levels[number] = level(self.corner, x, y);
        if self.levels[number] > class.index {
            self.partners[class.place()].remove(&(number as u32));
        }
    }
}

/// The least i for which column `x` and row `y`, counted from 1, lie in the (i-1)-box.
fn level(corner: u32, x: u32, y: u32) -> u32 {
    (x.max(y) + 2).saturating_sub(corner).max(1)
}

impl Probe for Exchanger {
    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}

    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Interventions)
    }

    fn intervene(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        _: Cycle,
        (packet, port): (PacketRef, Port),
        when: Instant,
    ) {
        if self.instant == when {
            self.moves(packets, node, packet, port);
        }
    }
}
