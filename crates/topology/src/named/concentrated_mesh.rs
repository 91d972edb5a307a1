//! `topology = "concentrated-mesh"`.

use super::concentrated;
use crate::{Grid, TopologyEntry};

pub(crate) fn entry() -> TopologyEntry {
    let help = "a mesh with a block of terminals at each node";
    concentrated::entry("concentrated-mesh", help, Grid::mesh)
}
