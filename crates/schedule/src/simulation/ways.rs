//! On which ways worms keep moving inside a supernode.

use super::{Half, Place, Quadrant, Region, Supernode};

/// Rows of this many columns, beginning at a row, one to the right and the next to the left.
fn rows(from: u32, until: u32, columns: u32) -> impl Iterator<Item = Place> {
    (from..until).flat_map(move |row| {
        (0..columns).map(move |step| Place {
            column: if (row - from).is_multiple_of(2) {
                step
            } else {
                columns - 1 - step
            },
            row,
        })
    })
}

impl Supernode {
    /// The cycle of a half's storage: f k / 2 storage nodes, one of the horizontal lane and s - 1 of the vertical one, each linked
    /// to the next, and the last to the first.
    ///
    /// The left one begins where it enters the vertical lane, in the last row but one, and goes up. The right one begins in the
    /// second row, and goes down.
    pub fn storage_cycle(&self, half: Half) -> Vec<Place> {
        let (lane, last) = (self.lane(), self.side() - 1);
        let column = |row| Place { column: lane, row };
        let mut cycle: Vec<Place> = (1..last).rev().map(column).collect();
        let upper = self.upper_left_storage();
        cycle.extend(&upper);
        cycle.push(Place {
            column: 0,
            row: lane,
        });
        // The lower storage is the upper one's mirror image.
        cycle.extend(upper.iter().rev().map(|place| Place {
            row: last - place.row,
            ..*place
        }));
        if half == Half::Right {
            for place in &mut cycle {
                *place = Place {
                    column: last - place.column,
                    row: last - place.row,
                };
            }
        }
        cycle
    }

    /// A Hamiltonian path of the upper left storage, from the second row beside the vertical lane to the first column beside the
    /// horizontal one. What the buffer leaves of the quadrant is an L of even breadth: the first two rows column by column from
    /// right to left, then the rest row by row, of which there is an even number of full ones and one of shorter ones.
    fn upper_left_storage(&self) -> Vec<Place> {
        let (side, breadth) = (self.quadrant, self.quadrant - self.buffer);
        let columns = (0..side).rev();
        let pairs = columns.flat_map(|column| {
            let up = column % 2 == 1;
            [u32::from(up), u32::from(!up)].map(|row| Place { column, row })
        });
        pairs
            .chain(rows(2, breadth, side))
            .chain(rows(breadth, side, breadth))
            .collect()
    }

    /// The cycle of a quadrant's buffer: all its k nodes, from the inner corner, which is linked to a command processor. Each is
    /// linked to the next, and the last to the first.
    ///
    /// It begins along the lane on which worms come in ([`Direction::receiver`](super::Direction::receiver)), away from the
    /// crossing.
    pub fn buffer_cycle(&self, quadrant: Quadrant) -> Vec<Place> {
        let (lane, buffer) = (self.lane(), self.buffer);
        // As seen from the inner corner: back along the column beside the vertical lane.
        let out = std::iter::once(Place { column: 0, row: 0 });
        let there = rows(0, buffer, buffer - 1).map(|place| Place {
            column: place.column + 1,
            ..place
        });
        let back = (1..buffer).rev().map(|row| Place { column: 0, row });
        let turn = |place: Place| Place {
            column: match quadrant.half {
                Half::Left => lane - 1 - place.column,
                Half::Right => lane + 1 + place.column,
            },
            row: match quadrant.is_upper {
                true => lane - 1 - place.row,
                false => lane + 1 + place.row,
            },
        };
        let mut cycle: Vec<Place> = out.chain(there).chain(back).map(turn).collect();
        let comes_in_vertically = quadrant.is_upper == (quadrant.half == Half::Left);
        if comes_in_vertically {
            cycle[1..].reverse();
        }
        cycle
    }

    /// The cycle of a half's storage with side steps to as many nodes, all in the storage: before it goes on, a worm steps aside
    /// and back, over a link that is on no cycle and that no other side step uses.
    pub(super) fn delayed_cycle(&self, half: Half, side_steps: u32) -> Vec<Place> {
        let cycle = self.storage_cycle(half);
        let is_stored = |place: Place| self.region(place) == Region::Storage(half);
        let mut left = side_steps;
        let mut delayed = Vec::new();
        for (at, place) in cycle.iter().copied().enumerate() {
            delayed.push(place);
            if left == 0 || !is_stored(place) {
                continue;
            }
            let Place { column, row } = place;
            let (right, down) = (column + 1, row + 1);
            // No link is to the right of two places, or below.
            let asides = [Place { column: right, row }, Place { column, row: down }];
            for aside in asides {
                let (before, after) = (cycle[at - 1], cycle[(at + 1) % cycle.len()]);
                let is_inside = aside.column.max(aside.row) < self.side() && is_stored(aside);
                if left > 0 && is_inside && aside != before && aside != after {
                    left -= 1;
                    delayed.extend([aside, place]);
                }
            }
        }
        assert_eq!(
            left, 0,
            "{self:?} has too few links beside its {half:?} cycle"
        );
        delayed
    }

    /// The cycle on which the worms of a half pass all f k nodes of the storage, of both halves, and 4 of the lanes. It begins
    /// where the half's storage cycle does, but goes on across the vertical lane.
    pub fn death_cycle(&self, half: Half) -> Vec<Place> {
        let own = self.storage_cycle(half);
        let other = self.storage_cycle(half.other());
        let first_stored = self.side() as usize - 2;
        let mut cycle = vec![own[0]];
        cycle.extend(&other[first_stored..]);
        cycle.push(other[0]);
        cycle.extend(&own[first_stored..]);
        cycle
    }
}
