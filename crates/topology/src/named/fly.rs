//! `topology = "fly"`: a k-ary n-fly, the butterfly of switches.
//!
//! Before stage s the digit of the destination that stage s chooses, the most significant first, is exchanged with the one that says the port: a packet
//! leaves the switch of stage s through the port of that digit. Dally and Towles 2004, section 4.1.

use super::{built, stages};
use crate::{MAX_GRAPH_NODES, TopologyEntry};
use flitwork_schema::{Allowed, Key, key};

#[derive(Clone, Debug, Default)]
struct Fly {
    radix: u32,
    stages: u32,
}

const STAGES: &str = "stages";

#[rustfmt::skip]
const KEYS: &[Key<Fly>] = &[
    key("radix", |it| &mut it.radix, Allowed::Whole(2, 10), "required", "inputs of a switch, and outputs: the k of a k-ary n-fly"),
    key(STAGES, |it| &mut it.stages, Allowed::Whole(2, 13), "required", "stages of switches: the n of a k-ary n-fly of k ^ n terminals"),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a k-ary n-fly: packets cross one switch of each stage, on a path of their own";
    TopologyEntry::new("fly", help, KEYS, |given, table| {
        let width = given.radix.checked_pow(given.stages - 1);
        let nodes = width.and_then(|width| width.checked_mul(given.stages));
        if nodes.is_none_or(|nodes| nodes > MAX_GRAPH_NODES) {
            let allowed = format!("at most {MAX_GRAPH_NODES} switches: stages x radix ^ (stages - 1)");
            return Err(table.conflict(STAGES, allowed));
        }
        let exchanged: Vec<u32> = (1..given.stages).rev().collect();
        built(table, "radix", stages::stages((given.radix, given.stages), &exchanged))
    })
}
