//! `topology = "benes"`: a butterfly of 2 x 2 switches and its mirror image, which share their middle stage.
//!
//! In the first half any way leads on, and each switch of the middle stage is reached by one; in the second half a packet has one path. So there are as many paths as
//! switches of a stage, and any permutation finds paths that share no link (Beneš 1965; Dally and Towles 2004, section 6.4).

use super::{built, stages};
use crate::{MAX_GRAPH_NODES, TopologyEntry};
use flitwork_schema::{Allowed, Key, key};

#[derive(Clone, Debug, Default)]
struct Benes {
    dimensions: u32,
}

const DIMENSIONS: &str = "dimensions";

#[rustfmt::skip]
const KEYS: &[Key<Benes>] = &[
    key(DIMENSIONS, |it| &mut it.dimensions, Allowed::Whole(2, 10), "required", "2 ^ dimensions terminals, and 2 x dimensions - 1 stages"),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a butterfly of 2 x 2 switches and its mirror image: several paths for each packet";
    TopologyEntry::new("benes", help, KEYS, |given, table| {
        let dimensions = given.dimensions;
        if (2 * dimensions - 1) << (dimensions - 1) > MAX_GRAPH_NODES {
            let allowed = format!("so many that there are at most {MAX_GRAPH_NODES} switches");
            return Err(table.conflict(DIMENSIONS, allowed));
        }
        let exchanged: Vec<u32> = (1..dimensions).rev().chain(1..dimensions).collect();
        built(table, DIMENSIONS, stages::stages((2, dimensions), &exchanged))
    })
}
