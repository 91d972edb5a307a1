//! Voltage-frequency islands: `[[clocks.islands]]`.

use super::common::{
    BOUND_MEANING, MAX_PERIOD_PS, PPM, WANDER, WANDER_BOUND, WANDER_MEANING, hold_wander,
};
use crate::clocks::IslandParameters;
use flitwork_schema::{
    Allowed, Datum, Entry, Key, RawTable, Refusal, entries, key, only_with, settings,
};
use flitwork_topology::{Shape, Topology};
use flitwork_types::NodeId;
use std::collections::BTreeMap;

#[rustfmt::skip]
const ISLAND: &[Key<IslandParameters>] = &[
    key("nodes", |it| &mut it.nodes, Allowed::list(&Allowed::Node), "required", "the nodes of the island; no node is in two"),
    key("period_ps", |it| &mut it.period_ps, Allowed::Whole(1, MAX_PERIOD_PS), "required", "ps from one tick of the island to the next"),
    key("phase_ps", |it| &mut it.phase_ps, Allowed::Whole(0, MAX_PERIOD_PS), "0", "the island's first tick, in ps from the start"),
    key("jitter_ps", |it| &mut it.jitter_ps, Allowed::Whole(0, MAX_PERIOD_PS - 1), "0", "ps by which a tick may come late; drawn for each tick; less than the period"),
    key("wander_ps", |it| &mut it.wander.most_ps, WANDER, "0", WANDER_MEANING),
    only_with("wander_ps of 1 or more", key("wander_bound_ps", |it| &mut it.wander.bound_ps, WANDER_BOUND, "no bound", BOUND_MEANING)),
    key("drift_ppm", |it| &mut it.drift_ppm, Allowed::Number(-100_000.0, 100_000.0, PPM), "0", "how much slower (positive) or faster than its period the island's oscillator runs"),
];

/// The tables' keys.
#[rustfmt::skip]
pub(super) fn table() -> Entry {
    Entry::tables("islands", "none", "voltage-frequency islands, a table [[clocks.islands]] for each: domains with exactly the clock that is given", entries(ISLAND))
}

/// Whether the islands hold all of so many nodes; none is in two.
pub(super) fn are_all_in(islands: &[IslandParameters], nodes: u32) -> bool {
    islands
        .iter()
        .map(|island| island.nodes.len())
        .sum::<usize>()
        == nodes as usize
}

impl IslandParameters {
    /// The values of the keys that give it.
    pub(super) fn settings(&self) -> Datum {
        Datum::table(settings(ISLAND, self))
    }
}

/// The tables, in their order.
///
/// # Errors
/// A key that is missing, and nodes that aren't there or are in two islands.
pub(super) fn islands(
    given: &RawTable<'_>,
    shape: &Shape,
) -> Result<Vec<IslandParameters>, Refusal> {
    // Where each node has been named.
    let mut taken = BTreeMap::new();
    let tables = given.tables("islands");
    let islands = tables.iter().enumerate();
    islands
        .map(|(index, table)| island(table, index, shape, &mut taken))
        .collect()
}

/// An island; `taken` has the islands of the nodes that earlier ones name.
fn island(
    given: &RawTable<'_>,
    index: usize,
    shape: &Shape,
    taken: &mut BTreeMap<NodeId, usize>,
) -> Result<IslandParameters, Refusal> {
    let mut island: IslandParameters = given.parameters(ISLAND)?;
    hold_wander(given, &mut island.wander)?;
    for (place, node) in island.nodes.iter().enumerate() {
        let named = format!("node {node}");
        let (found, allowed) = if node.0 >= shape.nodes() {
            let last = shape.nodes() - 1;
            let found = format!("{named}, which the network doesn't have");
            (found, format!("nodes 0 to {last}"))
        } else {
            match taken.insert(*node, index) {
                None => continue,
                Some(before) if before == index => {
                    (format!("{named} twice"), "each node once".into())
                }
                Some(before) => (
                    format!("{named}, which is in clocks.islands[{before}]"),
                    "each node in one island".into(),
                ),
            }
        };
        return Err(given.names_wrongly(("nodes", place), &found, allowed));
    }
    Ok(island)
}
