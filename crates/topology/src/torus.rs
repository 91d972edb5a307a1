//! `topology = "torus"`.

use crate::{Grid, Shape, TopologyEntry, sides};

pub(crate) fn entry() -> TopologyEntry {
    let help = "a grid of 1 to 16 dimensions, every line of nodes a ring";
    TopologyEntry::new("torus", help, sides::KEYS, |given, table| {
        let grid = Grid::torus(&given.sides);
        grid.map(Shape::from)
            .map_err(|error| sides::refused(&error, table))
    })
}
