//! Greedy adaptive that leaves shortest paths inside a box only (Chinn 1995, section 2.4.4).

use super::greedy_adaptive::take_oldest;
use super::{Inqueue, RuleParameters};
use crate::{Beginning, Blind, Choice, Corner, Here, NoNotes, Offers, Rule};
use flitwork_schema::{Allowed, Datum, Entry, Key, RawTable, Refusal, entries, key, settings};
use flitwork_topology::{Grid, NetworkReading};
use flitwork_types::{NodeId, PortSet};

/// Each link takes its oldest packet that it brings closer. Then, inside a box in a corner of a square mesh, a link that is
/// left and doesn't lead out of the box takes the oldest packet that is left.
#[derive(Clone, Copy, Debug)]
pub struct Derouting<I> {
    /// The mesh' side.
    pub side: u32,
    /// The box's corner.
    pub corner: Corner,
    /// The box's side; with 0 the rule is minimal.
    pub box_side: u32,
    /// Which is let in.
    pub inqueue: I,
}

impl<I> Derouting<I> {
    fn is_inside(&self, node: NodeId) -> bool {
        let is_of_mesh = u64::from(node.0) < u64::from(self.side).pow(2);
        let place = is_of_mesh.then(|| self.corner.place(self.side, node));
        place.is_some_and(|(column, row)| column.max(row) <= self.box_side)
    }
}

impl<I: Inqueue> Rule for Derouting<I> {
    type Sight = Blind;
    type Node = u64;
    type Packet = ();
    type Note = NoNotes;

    fn begin(&self, node: NodeId, _: &[PortSet]) -> u64 {
        self.inqueue.begin(node)
    }

    fn begin_packet(&self, _: &u64, _: &Beginning<'_, Blind>) {}

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        take_oldest(here, choice, |_, _| true);
        if !self.is_inside(here.node) {
            return;
        }
        for port in here.links.iter() {
            let stays = here.neighbour(port).is_some_and(|it| self.is_inside(it));
            let oldest = (0..here.packets.len()).find(|place| !choice.sends(*place));
            if let Some(place) = oldest.filter(|_| stays && !choice.takes(port)) {
                choice.send(port, place);
            }
        }
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        self.inqueue.accept(*here.state, here, offers, accepted);
    }

    fn has_state(&self) -> bool {
        self.inqueue.has_state()
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut u64, _: &mut [()]) {
        *node = self.inqueue.after(here, *node);
    }
}

/// The rule as configurations name it: its box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeroutingParameters {
    /// The side of the box.
    pub box_side: u32,
    /// The corner that it is in.
    pub corner: Corner,
}

#[rustfmt::skip]
const KEYS: &[Key<DeroutingParameters>] = &[
    key("box_side", |it| &mut it.box_side, Allowed::Whole(0, 1 << 12), "0", "nodes along a side of the box inside which packets may leave shortest paths; with 0 none does"),
    key("corner", |it| &mut it.corner, Allowed::Choice(Corner::NAMES), "\"south-west\"", "the corner of the mesh that the box is in"),
];

impl RuleParameters for DeroutingParameters {
    const NAME: &'static str = "derouting";
    const HELP: &'static str = "greedy; inside a box in a corner, links that are left take packets away from their destinations";
    const DEROUTES: bool = true;

    fn keys() -> Vec<Entry> {
        entries(KEYS)
    }

    fn set(&mut self, given: &RawTable<'_>) {
        given.set(KEYS, self);
    }

    fn settings(&self) -> Vec<(&'static str, Datum)> {
        settings(KEYS, self)
    }

    fn check(&self, given: &RawTable<'_>, reading: &NetworkReading<'_>) -> Result<(), Refusal> {
        if square(reading.shape.grid()).is_some() {
            return Ok(());
        }
        let found = format!("{} is given", given.path());
        let allowed = "another rule: its box is in a corner of a square mesh or torus";
        Err(given.misplaced(found, allowed))
    }

    fn rule<I: Inqueue>(&self, grid: Option<&Grid>, inqueue: I) -> impl Rule {
        Derouting {
            side: square(grid).unwrap_or(0),
            corner: self.corner,
            box_side: self.box_side,
            inqueue,
        }
    }
}

/// The side of a square mesh or torus.
fn square(grid: Option<&Grid>) -> Option<u32> {
    match grid?.sides()[..] {
        [x, y] if x == y => Some(x),
        _ => None,
    }
}
