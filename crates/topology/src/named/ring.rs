//! `topology = "ring"`: a torus of one dimension.

use crate::{Grid, Shape, TopologyEntry, keys};
use flitwork_schema::Key;

#[derive(Clone, Debug, Default)]
struct Ring {
    nodes: u32,
}

const KEYS: &[Key<Ring>] = &[keys::nodes(|it| &mut it.nodes)];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a ring of nodes: a torus of one dimension";
    TopologyEntry::new("ring", help, KEYS, |given, table| {
        let ring = Grid::torus(&[given.nodes]);
        let ring = ring.map_err(|error| table.conflict("nodes", error.to_string()))?;
        Ok(Shape::from(ring))
    })
}
