//! `topology = "fat-tree"`: a k-ary n-tree.
//!
//! ```text
//!   level 0        ( )   ( )        k ^ (n - 1) switches on each of n levels, k links down and k up,
//!                   │ ╲ ╱ │         none up from level 0; each switch of the last level has k terminals
//!   level 1        ( )   ( )
//!                  │ │   │ │
//!   terminals      0 1   2 3        k = 2, n = 2
//! ```
//!
//! A switch of a level is numbered by n - 1 digits of base k. Links between levels l and l + 1 join those switches whose digits differ at most in
//! the one at place l, from the left (Petrini and Vanneschi 1997, section 2). Any shortest path leads up to a common ancestor and down
//! again, so no circle of channels exists.

use super::{built, joined, stages};
use crate::distances::Distances;
use crate::{Graph, GraphBuilder, GraphError, MAX_GRAPH_NODES, TopologyEntry, keys, layout};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_types::NodeId;

#[derive(Clone, Debug)]
struct FatTree {
    radix: u32,
    levels: u32,
}

impl Default for FatTree {
    fn default() -> FatTree {
        FatTree {
            radix: 2,
            levels: 0,
        }
    }
}

const LEVELS: &str = "levels";

#[rustfmt::skip]
const KEYS: &[Key<FatTree>] = &[
    keys::radix(|it| &mut it.radix),
    key(LEVELS, |it| &mut it.levels, Allowed::Whole(1, 13), "required", "levels of switches: the n of a k-ary n-tree of k ^ n terminals"),
];

pub(crate) fn entry() -> TopologyEntry {
    let help = "a k-ary n-tree: radix ^ levels terminals below levels of switches with as many links up as down";
    TopologyEntry::new("fat-tree", help, KEYS, |given, table| {
        let width = counted(given, table)?;
        built(table, "radix", tree(given, width))
    })
}

/// Switches of a level.
fn counted(given: &FatTree, table: &RawTable<'_>) -> Result<u32, Refusal> {
    let width = given.radix.checked_pow(given.levels - 1);
    let fits = |width: &u32| {
        let nodes = width.checked_mul(given.levels);
        nodes.is_some_and(|nodes| (2..=MAX_GRAPH_NODES).contains(&nodes))
    };
    width.filter(fits).ok_or_else(|| {
        let allowed = format!("2 to {MAX_GRAPH_NODES} switches: levels x radix ^ (levels - 1)");
        table.conflict(LEVELS, allowed)
    })
}

fn tree(given: &FatTree, width: u32) -> Result<GraphBuilder, GraphError> {
    let FatTree { radix, levels } = *given;
    let known = ByDigits {
        radix,
        levels,
        width,
    };
    let mut graph = Graph::of_known(width * levels, known)?;
    for level in 0..levels - 1 {
        // The weight of the digit that differs.
        let weight = width / radix.pow(level + 1);
        for upper in 0..width {
            let own = upper / weight % radix;
            for digit in 0..radix {
                let lower = upper - own * weight + digit * weight;
                let (from, to) = (level * width + upper, (level + 1) * width + lower);
                joined(
                    &mut graph,
                    (from, digit as usize),
                    (to, (radix + own) as usize),
                )?;
            }
        }
    }
    let last = (levels - 1) * width;
    graph.set_terminals((0..width * radix).map(|terminal| NodeId(last + terminal / radix)))?;
    stages::name_rows(
        &mut graph,
        (levels, width),
        radix,
        ("level", ["down", "up"]),
    )?;
    let places = layout::of_stages(levels, width).into_iter();
    graph.place_nodes(
        places
            .map(|(along, across)| (across, 0.6 * along))
            .collect(),
    )?;
    Ok(graph)
}

/// Distances by the digits of switches' numbers in their levels: one that differs can only be changed between two levels, its own.
#[derive(Clone, Debug)]
struct ByDigits {
    radix: u32,
    levels: u32,
    width: u32,
}

impl Distances for ByDigits {
    fn between(&self, from: NodeId, to: NodeId) -> u32 {
        let [(begin, one), (end, other)] =
            [from, to].map(|it| (it.0 / self.width, it.0 % self.width));
        let (mut highest, mut lowest) = (begin.min(end), begin.max(end));
        let mut weight = self.width;
        for level in 0..self.levels - 1 {
            weight /= self.radix;
            if one / weight % self.radix != other / weight % self.radix {
                (highest, lowest) = (highest.min(level), lowest.max(level + 1));
            }
        }
        // From the highest level on the way to the lowest one, or the other way around.
        let down = (begin - highest) + (lowest - highest) + (lowest - end);
        let up = (lowest - begin) + (lowest - highest) + (end - highest);
        down.min(up)
    }

    fn longest(&self) -> u32 {
        // From a switch of the first level up, or of the last down, and all the way back; with one level there is one switch.
        2 * (self.levels - 1)
    }
}
