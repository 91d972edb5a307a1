//! What meshes and tori with several terminals a node share.
//!
//! ```text
//!   terminals 0  1 │  2  3 │ …        a node for each block of terminals, here of 2 x 2;
//!             8  9 │ 10 11 │ …        terminals are numbered row by row over all blocks
//!             ─────┼───────┼─
//! ```
//!
//! Balfour and Dally 2006, section 3 (concentrated meshes), without express links along the edges. Terminals are numbered as by BookSim 2
//! (`networks/cmesh.cpp`).

use super::{built, sides};
use crate::{
    Graph, GraphBuilder, GraphError, Grid, GridError, Topology, TopologyEntry, keys, layout,
};
use flitwork_schema::{Allowed, Key, key};
use flitwork_types::MAX_PORTS;

#[derive(Clone, Debug, Default)]
struct Concentrated {
    sides: Vec<u32>,
    block: Vec<u32>,
}

const BLOCK: &str = "block";

#[rustfmt::skip]
const KEYS: &[Key<Concentrated>] = &[
    keys::sides(|it| &mut it.sides),
    key(BLOCK, |it| &mut it.block, Allowed::List(1, crate::MAX_DIMENSIONS, &Allowed::Whole(1, MAX_PORTS as u64)), "required", "terminals of a node along each dimension, x first: their product is the concentration"),
];

/// A topology of grids of one kind, with a block of terminals at each node.
pub(super) fn entry(
    name: &'static str,
    help: &'static str,
    grid: fn(&[u32]) -> Result<Grid, GridError>,
) -> TopologyEntry {
    TopologyEntry::new(name, help, KEYS, move |given, table| {
        let made = grid(&given.sides).map_err(|error| sides::refused(&error, table))?;
        if given.block.len() != given.sides.len() {
            let allowed = format!("a number for each of the {} sides", given.sides.len());
            return Err(table.conflict(BLOCK, allowed));
        }
        let links = made.ports();
        let most = MAX_PORTS - links;
        let each = given
            .block
            .iter()
            .try_fold(1u32, |all, side| all.checked_mul(*side));
        if each.is_none_or(|each| each as usize > most) {
            let allowed = format!(
                "a product of at most {most}: a node has {MAX_PORTS} ports, {links} of them for links"
            );
            return Err(table.conflict(BLOCK, allowed));
        }
        built(table, "sides", concentrated(&made, &given.block))
    })
}

fn concentrated(grid: &Grid, block: &[u32]) -> Result<GraphBuilder, GraphError> {
    let mut graph = Graph::of_grid(grid)?;
    let sides: Vec<u64> = lengths(grid, block).collect();
    let terminals = sides.iter().product();
    let home = |terminal: u64| {
        let (mut rest, mut at) = (terminal, Vec::with_capacity(block.len()));
        for (side, block) in sides.iter().zip(block) {
            at.push((rest % side) as u32 / block);
            rest /= side;
        }
        grid.node_at(&at)
    };
    graph.set_terminals((0..terminals).map(home))?;
    graph.place_nodes(layout::of_grid(grid))?;
    Ok(graph)
}

/// Terminals along each dimension.
fn lengths(grid: &Grid, block: &[u32]) -> impl Iterator<Item = u64> {
    let sides = grid.sides().into_iter().zip(block.to_vec());
    sides.map(|(side, block)| u64::from(side) * u64::from(block))
}
