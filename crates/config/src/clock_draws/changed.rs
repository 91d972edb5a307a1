//! Which clocks change, and to what.

use super::{Blocks, CLOCKS};
use crate::clocks::{ChangedClocks, ClockParameters, Stepping};
use flitwork_network::{Change, Rate};
use flitwork_topology::{Shape, Topology};
use flitwork_types::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// Whose clock it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClockOf {
    /// An island's, by its place in the configuration.
    Island(usize),
    /// That of a block of the other nodes.
    Block(u32),
}

/// The changes of each clock, by their places in the configuration.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// Those of all clocks.
    all: Vec<usize>,
    /// Those of single clocks.
    single: BTreeMap<ClockOf, Vec<usize>>,
}

impl Changed {
    pub(super) fn of(clocks: &ClockParameters, shape: &Shape) -> Changed {
        let mut changed = Changed::default();
        if clocks.changes.is_empty() {
            return changed;
        }
        let clock_of = clocks.clock_of(shape);
        for (place, change) in clocks.changes.iter().enumerate() {
            let single: Vec<ClockOf> = match &change.clocks {
                ChangedClocks::All => {
                    changed.all.push(place);
                    continue;
                }
                ChangedClocks::Islands(islands) => {
                    islands.iter().copied().map(ClockOf::Island).collect()
                }
                ChangedClocks::Nodes(nodes) => nodes.iter().map(|node| clock_of(*node)).collect(),
            };
            for clock in single {
                changed.single.entry(clock).or_default().push(place);
            }
        }
        changed
    }

    /// Whether clocks outside islands that are alike stay so.
    pub(super) fn is_alike(&self) -> bool {
        let is_block = |clock: &ClockOf| matches!(clock, ClockOf::Block(_));
        !self.single.keys().any(is_block)
    }

    /// The changes of a clock, whose drift stays.
    pub(super) fn changes(
        &self,
        clocks: &ClockParameters,
        clock: ClockOf,
        drift_ppb: i32,
    ) -> Vec<Change> {
        let single = self.single.get(&clock).into_iter().flatten();
        let places = self.all.iter().chain(single);
        let change = |place: &usize| {
            let change = &clocks.changes[*place];
            Change {
                at_ps: change.at_ps,
                rate: change.period_ps.map(|period_ps| Rate {
                    period_ps,
                    drift_ppb,
                }),
            }
        };
        places.map(change).collect()
    }
}

impl ClockParameters {
    /// Whose clock a node's is.
    pub(crate) fn clock_of(&self, shape: &Shape) -> impl Fn(NodeId) -> ClockOf {
        let (islands, blocks) = (self.island_of(shape), Blocks::of(self, shape));
        move |node| match islands.get(node.index()).copied().flatten() {
            Some(island) => ClockOf::Island(island),
            None => ClockOf::Block(blocks.of_node(node.0)),
        }
    }

    /// All clocks: none of self-timed nodes.
    pub(crate) fn all_clocks(&self, shape: &Shape) -> BTreeSet<ClockOf> {
        let clock_of = self.clock_of(shape);
        let all = (0..shape.nodes()).map(|node| clock_of(NodeId(node)));
        all.filter(|clock| self.ticks(*clock)).collect()
    }

    /// Whether it is the clock of nodes that aren't self-timed.
    pub(crate) fn ticks(&self, clock: ClockOf) -> bool {
        match (&self.stepping, clock) {
            (Stepping::Oscillators(_), _) | (_, ClockOf::Island(_)) => true,
            (Stepping::SelfTimed(_), ClockOf::Block(_)) => false,
        }
    }

    /// The drift of a clock, in parts per billion.
    pub(crate) fn drift_ppb(&self, clock: ClockOf, seed: u64) -> i32 {
        match (clock, &self.stepping) {
            (ClockOf::Island(place), _) => self.islands[place].clock().drift_ppb,
            (ClockOf::Block(block), Stepping::Oscillators(all)) => {
                all.drift_ppb(seed ^ CLOCKS, block)
            }
            (ClockOf::Block(_), Stepping::SelfTimed(_)) => 0,
        }
    }
}
