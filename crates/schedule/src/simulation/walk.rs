//! The way of a worm's head over the whole mesh, one link in each step.

use super::{Cell, Direction, Place};
use crate::Hop;

/// A worm under way. It can't stop: its clock ticks when it moves.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    /// The side of a supernode.
    side: u32,
    /// The supernode in which it is, or whose places it goes to next.
    cell: Cell,
    /// Where the head is on the whole mesh: column and row.
    at: [u32; 2],
    /// The step that begins.
    step: u32,
    hops: Vec<Hop>,
}

/// The column and the row of a supernode's place on the whole mesh.
fn on_mesh(side: u32, cell: Cell, place: Place) -> [u32; 2] {
    [
        cell.column * side + place.column,
        cell.row * side + place.row,
    ]
}

impl Walk {
    /// A worm that starts in a step.
    pub(super) fn new(side: u32, cell: Cell, place: Place, step: u32) -> Walk {
        Walk {
            side,
            cell,
            at: on_mesh(side, cell, place),
            step,
            hops: Vec::new(),
        }
    }

    /// The step that begins.
    pub(super) fn step(&self) -> u32 {
        self.step
    }

    /// Where the head is on the mesh of its supernode.
    pub(super) fn place(&self) -> Place {
        Place {
            column: self.at[0] - self.cell.column * self.side,
            row: self.at[1] - self.cell.row * self.side,
        }
    }

    /// What it has done.
    pub(super) fn hops(self) -> Vec<Hop> {
        self.hops
    }

    /// Moves over a link.
    fn cross(&mut self, direction: Direction) {
        self.hops.push(Hop {
            port: direction.port(),
            step: self.step,
        });
        self.step += 1;
        match direction {
            Direction::North => self.at[1] -= 1,
            Direction::East => self.at[0] += 1,
            Direction::South => self.at[1] += 1,
            Direction::West => self.at[0] -= 1,
        }
    }

    /// Moves to the next place of its supernode.
    pub(super) fn go(&mut self, place: Place) {
        let to = on_mesh(self.side, self.cell, place);
        let apart = [0, 1].map(|it| i64::from(to[it]) - i64::from(self.at[it]));
        let direction = match apart {
            [0, -1] => Direction::North,
            [1, 0] => Direction::East,
            [0, 1] => Direction::South,
            [-1, 0] => Direction::West,
            _ => panic!(
                "a worm at {:?} of supernode {} can't go to {place:?} in step {}",
                self.at, self.cell, self.step
            ),
        };
        self.cross(direction);
    }

    /// Moves through places, each linked to the one before it.
    pub(super) fn through(&mut self, places: impl IntoIterator<Item = Place>) {
        for place in places {
            self.go(place);
        }
    }

    /// Moves straight, towards the next supernode, and from then on in it.
    pub(super) fn leave(&mut self, direction: Direction, links: u32) {
        for _ in 0..links {
            self.cross(direction);
        }
        self.cell = self.cell.next(direction);
    }
}
