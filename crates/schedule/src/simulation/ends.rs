//! How a worm comes into the storage from its source, and how it gets from there to its destination (creation and consumption
//! phases, sections 3.3 and 3.4).

use super::snakes::Slot;
use super::superstep::Tracks;
use super::walk::Walk;
use super::{Half, Place, Region};

/// The places of a column from one to a row, without the first.
fn along_column(from: Place, row: u32) -> impl Iterator<Item = Place> {
    between(from.row, row).map(move |row| Place { row, ..from })
}

/// The places of a row from one to a column, without the first.
fn along_row(from: Place, column: u32) -> impl Iterator<Item = Place> {
    between(from.column, column).map(move |column| Place { column, ..from })
}

/// The numbers from one to another, without the first.
fn between(from: u32, to: u32) -> impl Iterator<Item = u32> {
    (1..=from.abs_diff(to)).map(move |it| if from < to { from + it } else { from - it })
}

impl Tracks {
    /// Where a worm that begins in a place joins a snake: the half, and the way to its storage cycle's last node, where the head
    /// of slot 0 is as a superstep begins. From the upper half of a supernode it is the right snake, from the lower the left:
    /// there the cycle's last node is near.
    pub(super) fn birth(&self, place: Place) -> (Half, Vec<Place>) {
        let lane = self.supernode.lane();
        let is_upper = place.row < lane || (place.row == lane && place.column >= lane);
        let half = if is_upper { Half::Right } else { Half::Left };
        let start = self.place(half, self.timetable.cycle - 1);
        let row = start.row;
        let turn = Place { row, ..place };
        let way = along_column(place, row).chain(along_row(turn, start.column));
        (half, way.collect())
    }

    /// Where a worm leaves the death cycle for a place, and its way from there. Each buffer has one node for it, each lane one at
    /// each end.
    pub(super) fn exit(&self, place: Place) -> (Place, Vec<Place>) {
        let (lane, last) = (self.supernode.lane(), self.supernode.side() - 1);
        let Place { column, row } = place;
        let exit = match self.supernode.region(place) {
            Region::Storage(_) => place,
            Region::Lane if column == lane => {
                let row = if row <= lane { 1 } else { last - 1 };
                Place { column, row }
            }
            Region::Lane => {
                let column = if column < lane { 0 } else { last };
                Place { column, row }
            }
            Region::Buffer(quadrant) => {
                let corner = self.supernode.buffer_cycle(quadrant)[0];
                let beyond = self.supernode.buffer;
                let column = match quadrant.half {
                    Half::Left => corner.column - beyond,
                    Half::Right => corner.column + beyond,
                };
                Place { column, ..corner }
            }
        };
        let turn = Place { column, ..exit };
        let way = along_row(exit, column).chain(along_column(turn, row));
        (exit, way.collect())
    }

    /// The places that a slot's head visits on its death cycle, which begins as a superstep ends. After a whole cycle it is again
    /// where it was.
    fn death_cycle(&self, slot: Slot) -> impl Iterator<Item = Place> {
        let way = &self.death[slot.half as usize];
        let first = way.len() - (slot.number * self.supernode.words()) as usize;
        way[first..].iter().chain(&way[..first]).copied()
    }

    /// Takes a worm from its slot around the death cycle.
    pub(super) fn survive(&self, walk: &mut Walk, slot: Slot) {
        walk.through(self.death_cycle(slot));
    }

    /// Takes a worm from its slot to its destination in this supernode.
    pub(super) fn consume(&self, walk: &mut Walk, slot: Slot, destination: Place) {
        let (exit, way) = self.exit(destination);
        let mut cycle = self.death_cycle(slot);
        while walk.place() != exit {
            let next = cycle.next();
            walk.go(next.expect("an exit is on the death cycle"));
        }
        walk.through(way);
    }
}
