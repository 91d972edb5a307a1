//! The supernodes as nodes of a smaller mesh.

use super::{Half, Quadrant};
use flitwork_types::Port;
use std::fmt;

/// A supernode among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// From 0, from left to right.
    pub column: u32,
    /// From 0, from top to bottom.
    pub row: u32,
}

impl Cell {
    /// Whether the supernode is even: the coordinates of its middle have an even sum. Its clock is a step ahead of an odd one's.
    pub fn is_even(self) -> bool {
        // The middle of supernode (x, y) is at (x, y) (s + 1) + (1, 1) s / 2, where s is even.
        (self.column + self.row).is_multiple_of(2)
    }

    /// The supernode next to it. The caller knows that there is one.
    pub(super) fn next(self, direction: Direction) -> Cell {
        let Cell { column, row } = self;
        let (column, row) = match direction {
            Direction::North => (column, row - 1),
            Direction::East => (column + 1, row),
            Direction::South => (column, row + 1),
            Direction::West => (column - 1, row),
        };
        Cell { column, row }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.column, self.row)
    }
}

/// To which of its neighbours a supernode sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Up.
    North,
    /// Right.
    East,
    /// Down.
    South,
    /// Left.
    West,
}

impl Direction {
    /// All four, in the order of a mesh's ports.
    pub const ALL: [Direction; 4] = [
        Direction::North,
        Direction::East,
        Direction::South,
        Direction::West,
    ];

    /// The port of a mesh.
    pub fn port(self) -> Port {
        Port(self as u8)
    }

    /// Whether it leads along the vertical lane.
    pub fn is_vertical(self) -> bool {
        matches!(self, Direction::North | Direction::South)
    }

    /// The buffer from which a supernode sends: the one whose next lane, anticlockwise, leads there.
    pub fn sender(self) -> Quadrant {
        self.quadrant(1)
    }

    /// The buffer into which the worm goes: the first on its right.
    pub fn receiver(self) -> Quadrant {
        self.quadrant(2)
    }

    /// So many quarter turns on from the upper left, for north, and likewise for the others: both go clockwise.
    fn quadrant(self, turns: usize) -> Quadrant {
        Quadrant::ALL[(self as usize + turns) % 4]
    }

    /// The half whose snake the worm then joins: the left one from the lower buffers, the right one from the upper.
    pub fn joins(self) -> Half {
        match self.receiver().is_upper {
            true => Half::Right,
            false => Half::Left,
        }
    }
}
