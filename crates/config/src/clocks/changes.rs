//! Clocks that change during the run as they are configured: `[[clocks.changes]]`.

use super::keys::MAX_PERIOD_PS;
use flitwork_schema::{Allowed, Datum, Entry, Key, entries, key, settings};
use flitwork_types::NodeId;

/// The latest instant of a run, in ps: a quarter of the range of 64 bits, so that the sum of two doesn't wrap.
pub(crate) const LAST_PS: u64 = 1 << 62;

/// What becomes of some clocks at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeParameters {
    /// When, in ps, up to 2^62.
    pub at_ps: u64,
    /// Which clocks.
    pub clocks: ChangedClocks,
    /// Their period from then on, in ps, 1 to 10^9; `None` if they are gated.
    pub period_ps: Option<u64>,
}

/// Which clocks change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedClocks {
    /// All of them.
    All,
    /// Those of these islands, by their places in the configuration.
    Islands(Vec<usize>),
    /// Those of these nodes, one node of each clock.
    Nodes(Vec<NodeId>),
}

/// What a table of `[[clocks.changes]]` gives.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenChange {
    pub(crate) at_ps: u64,
    pub(crate) islands: Option<Vec<usize>>,
    pub(crate) nodes: Option<Vec<NodeId>>,
    pub(crate) period_ps: Option<u64>,
    pub(crate) gated: Option<bool>,
}

/// The place of an island in the configuration; no network has more of them than nodes.
const ISLAND_PLACE: Allowed = Allowed::Whole(0, flitwork_types::MAX_NODES as u64 - 1);

#[rustfmt::skip]
pub(crate) const CHANGE: &[Key<GivenChange>] = &[
    key("at_ps", |it| &mut it.at_ps, Allowed::Whole(0, LAST_PS), "required", "ps from the start of the run: from the first tick at or after it the change holds"),
    key("islands", |it| &mut it.islands, Allowed::list(&ISLAND_PLACE), "all clocks, without nodes", "the islands whose clocks change: 0 is the first [[clocks.islands]]"),
    key("nodes", |it| &mut it.nodes, Allowed::list(&Allowed::Node), "all clocks, without islands", "the nodes whose clocks change, one node of each clock; all nodes that share its clock change with it"),
    key("period_ps", |it| &mut it.period_ps, Allowed::Whole(1, MAX_PERIOD_PS), "required unless gated", "ps from one tick to the next; drift, jitter and wander stay as they are"),
    key("gated", |it| &mut it.gated, Allowed::Truth, "false", "whether the clocks stop at at_ps, until a later change gives them a period: their first tick is then exactly at its at_ps"),
];

/// The tables.
#[rustfmt::skip]
pub(crate) fn table() -> Entry {
    Entry::tables("changes", "none", "clocks that get another period or are gated during the run, a table [[clocks.changes]] for each time", entries(CHANGE))
}

impl ChangeParameters {
    /// The values of the keys that give it.
    pub(crate) fn settings(&self) -> Datum {
        let mut given = GivenChange {
            at_ps: self.at_ps,
            period_ps: self.period_ps,
            gated: self.period_ps.is_none().then_some(true),
            ..GivenChange::default()
        };
        match &self.clocks {
            ChangedClocks::All => {}
            ChangedClocks::Islands(islands) => given.islands = Some(islands.clone()),
            ChangedClocks::Nodes(nodes) => given.nodes = Some(nodes.clone()),
        }
        Datum::table(settings(CHANGE, &given))
    }
}
