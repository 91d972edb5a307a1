//! `topology = "torus"`.

use super::sides;
use crate::{Grid, TopologyEntry};

pub(crate) fn entry() -> TopologyEntry {
    let help = "a grid of 1 to 16 dimensions, every line of nodes a ring";
    sides::entry("torus", help, Grid::torus)
}
