//! `topology = "flattened-butterfly"`: a k-ary n-flat.

use super::{built, hyperx};
use crate::TopologyEntry;
use flitwork_schema::{Allowed, Key, key};

#[derive(Clone, Debug, Default)]
struct Flat {
    radix: u32,
    stages: u32,
}

#[rustfmt::skip]
const KEYS: &[Key<Flat>] = &[
    key("radix", |it| &mut it.radix, Allowed::Whole(2, 32), "required", "nodes along each dimension, and terminals of a node: the k of a k-ary n-flat"),
    key("stages", |it| &mut it.stages, Allowed::Whole(2, 8), "required", "stages of the butterfly that is flattened: the n of a k-ary n-flat of n - 1 dimensions and k ^ n terminals"),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a k-ary n-flat: a link between each two nodes of a line, in n - 1 dimensions of k nodes, and k terminals a node";
    TopologyEntry::new("flattened-butterfly", help, KEYS, |given, table| {
        let sides = vec![given.radix; given.stages as usize - 1];
        let nodes = hyperx::counted(&sides, table, "stages")?;
        let widths = vec![1; sides.len()];
        built(table, "radix", hyperx::lines(nodes, &sides, &widths, given.radix))
    })
}
