//! `topology = "mesh"`.

use crate::{Grid, Shape, TopologyEntry, sides};

pub(crate) fn entry() -> TopologyEntry {
    let help = "a grid of 1 to 16 dimensions, no side of which is a ring";
    TopologyEntry::new("mesh", help, sides::KEYS, |given, table| {
        let grid = Grid::mesh(&given.sides);
        grid.map(Shape::from)
            .map_err(|error| sides::refused(&error, table))
    })
}
