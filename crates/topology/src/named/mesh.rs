//! `topology = "mesh"`.

use super::sides;
use crate::{Grid, TopologyEntry};

pub(crate) fn entry() -> TopologyEntry {
    let help = "a grid of 1 to 16 dimensions, no side of which is a ring";
    sides::entry("mesh", help, Grid::mesh)
}
