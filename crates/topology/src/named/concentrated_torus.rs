//! `topology = "concentrated-torus"`.

use super::concentrated;
use crate::{Grid, TopologyEntry};

pub(crate) fn entry() -> TopologyEntry {
    let help = "a torus with a block of terminals at each node";
    concentrated::entry("concentrated-torus", help, Grid::torus)
}
