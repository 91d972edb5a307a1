//! Which of the packets that want a link goes first.

use super::{DimensionOrder, Inqueue, RuleParameters};
use crate::{Link, Rule, Seen, Sight};
use flitwork_schema::{Datum, Entry, Key, RawTable, entries, settings};
use flitwork_topology::Grid;
use std::fmt::Debug;

/// An order of packets that want the same link. It names a [rule](Ordered): dimension order with it.
pub trait Order: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// What users call it.
    const NAME: &'static str;
    /// Which packet is first, in a line.
    const HELP: &'static str;
    /// The keys of its rule's table, beyond those of every rule.
    const KEYS: &'static [Key<Self>] = &[];

    /// What it may know of destinations.
    type Sight: Sight;
    /// Whether a packet's rank stays as it is for as long as it waits in a node, and packets of equal rank came in one step.
    const STAYS: bool = false;

    /// The order unless its keys say otherwise, in a run of this seed.
    fn seeded(_seed: u64) -> Self {
        Self::default()
    }

    /// The rank of a packet for a link: the least goes first; of equals, the one that came first.
    fn rank<P>(&self, link: &Link<'_>, packet: &Seen<'_, Self::Sight, P>) -> u64;
}

/// Dimension order with an order, as a rule of its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ordered<O>(pub O);

impl<O: Order> RuleParameters for Ordered<O> {
    const NAME: &'static str = O::NAME;
    const HELP: &'static str = O::HELP;
    const IS_DIMENSION_ORDER: bool = true;

    fn keys() -> Vec<Entry> {
        entries(O::KEYS)
    }

    fn set(&mut self, given: &RawTable<'_>) {
        given.set(O::KEYS, &mut self.0);
    }

    fn settings(&self) -> Vec<(&'static str, Datum)> {
        settings(O::KEYS, &self.0)
    }

    fn seeded(seed: u64) -> Self {
        Ordered(O::seeded(seed))
    }

    fn rule<I: Inqueue>(&self, _: Option<&Grid>, inqueue: I) -> impl Rule {
        DimensionOrder {
            order: self.0.clone(),
            inqueue,
        }
    }
}
