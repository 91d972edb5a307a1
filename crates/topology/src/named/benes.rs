//! `topology = "benes"`: a butterfly of 2 x 2 switches and its mirror image, which share their middle stage.
//!
//! In the first half any way leads on, and each switch of the middle stage is reached by one; in the second half a packet has one path. So there are as many paths as
//! switches of a stage, and any permutation finds paths that share no link (Beneš 1965; Dally and Towles 2004, section 6.4).

use super::{built, stages};
use crate::{MAX_GRAPH_NODES, TopologyEntry, keys};
use flitwork_schema::Key;

#[derive(Clone, Debug, Default)]
struct Benes {
    dimensions: u32,
}

/// With more there are more switches than a graph has nodes.
const MOST: u32 = 9;

const DIMENSIONS: &str = "dimensions";

const KEYS: &[Key<Benes>] = &[keys::dimensions(|it| &mut it.dimensions)];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a butterfly of 2 x 2 switches and its mirror image: several paths for each packet";
    TopologyEntry::new("benes", help, KEYS, |given, table| {
        let dimensions = given.dimensions;
        if !(2..=MOST).contains(&dimensions) {
            let allowed = format!("2 to {MOST}: a graph has at most {MAX_GRAPH_NODES} switches");
            return Err(table.conflict(DIMENSIONS, allowed));
        }
        let exchanged: Vec<u32> = (1..dimensions).rev().chain(1..dimensions).collect();
        built(
            table,
            DIMENSIONS,
            stages::stages((2, dimensions), &exchanged),
        )
    })
}
