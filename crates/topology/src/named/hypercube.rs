//! `topology = "hypercube"`: a mesh of two nodes along each dimension.

use crate::{Grid, Shape, TopologyEntry, keys};
use flitwork_schema::Key;

#[derive(Clone, Debug, Default)]
struct Hypercube {
    dimensions: usize,
}

const KEYS: &[Key<Hypercube>] = &[keys::dimensions(|it| &mut it.dimensions)];

pub(crate) fn entry() -> TopologyEntry {
    let help =
        "2 ^ dimensions nodes, linked where their numbers differ in one bit: a mesh of sides 2";
    TopologyEntry::new("hypercube", help, KEYS, |given, table| {
        let cube = Grid::mesh(&vec![2; given.dimensions]);
        let cube = cube.map_err(|error| table.conflict("dimensions", error.to_string()))?;
        Ok(Shape::from(cube))
    })
}
