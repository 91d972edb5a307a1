//! `topology = "fly"`: a k-ary n-fly, the butterfly of switches.
//!
//! Before stage s the digit of the destination that stage s chooses, the most significant first, is exchanged with the one that says the port: a packet
//! leaves the switch of stage s through the port of that digit. Dally and Towles 2004, section 4.1.

use super::{built, stages};
use crate::{MAX_GRAPH_NODES, TopologyEntry, keys};
use flitwork_schema::Key;

#[derive(Clone, Debug)]
struct Fly {
    radix: u32,
    stages: u32,
}

impl Default for Fly {
    fn default() -> Fly {
        Fly {
            radix: 2,
            stages: 0,
        }
    }
}

const STAGES: &str = "stages";

const KEYS: &[Key<Fly>] = &[
    keys::radix(|it| &mut it.radix),
    keys::stages(|it| &mut it.stages),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a k-ary n-fly: packets cross one switch of each stage, on a path of their own";
    TopologyEntry::new("fly", help, KEYS, |given, table| {
        let width = given.radix.checked_pow(given.stages - 1);
        let nodes = width.and_then(|width| width.checked_mul(given.stages));
        if nodes.is_none_or(|nodes| nodes > MAX_GRAPH_NODES) {
            let allowed =
                format!("at most {MAX_GRAPH_NODES} switches: stages x radix ^ (stages - 1)");
            return Err(table.conflict(STAGES, allowed));
        }
        let exchanged: Vec<u32> = (1..given.stages).rev().collect();
        built(
            table,
            "radix",
            stages::stages((given.radix, given.stages), &exchanged),
        )
    })
}
