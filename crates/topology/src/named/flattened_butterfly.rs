//! `topology = "flattened-butterfly"`: a k-ary n-flat.

use super::{built, hyperx};
use crate::{TopologyEntry, keys};
use flitwork_schema::Key;

#[derive(Clone, Debug)]
struct Flat {
    radix: u32,
    stages: u32,
    place_cycles: Option<u32>,
}

impl Default for Flat {
    fn default() -> Flat {
        Flat {
            radix: 2,
            stages: 0,
            place_cycles: None,
        }
    }
}

const KEYS: &[Key<Flat>] = &[
    keys::radix(|it| &mut it.radix),
    keys::stages(|it| &mut it.stages),
    keys::place_cycles(|it| &mut it.place_cycles),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a k-ary n-flat: a link between each two nodes of a line, in n - 1 dimensions of k nodes, and k terminals a node";
    TopologyEntry::new("flattened-butterfly", help, KEYS, |given, table| {
        let sides = vec![given.radix; given.stages as usize - 1];
        let nodes = hyperx::counted(&sides, table, "stages")?;
        hyperx::hold_lengths(given.place_cycles, &sides, table)?;
        let widths = vec![1; sides.len()];
        built(
            table,
            "radix",
            hyperx::lines(nodes, &sides, (&widths, given.place_cycles), given.radix),
        )
    })
}
