//! What a rule that configurations name declares.

use super::Inqueue;
use crate::Rule;
use flitwork_schema::{Datum, Entry, RawTable, Refusal};
use flitwork_topology::{Grid, NetworkReading};
use std::fmt::Debug;

/// What a rule's file declares: its name, its keys, and the rule. The implementing type holds the parameters that the keys set.
pub trait RuleParameters: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// What users call it: its table is `[rule.NAME]`.
    const NAME: &'static str;
    /// What it does, in a line.
    const HELP: &'static str;
    /// Whether an inqueue discipline decides which packets a node lets in; otherwise the rule does itself.
    const HAS_INQUEUE: bool = true;
    /// Whether packets follow dimension order.
    const IS_DIMENSION_ORDER: bool = false;
    /// Whether packets may leave shortest paths.
    const DEROUTES: bool = false;

    /// Its keys, beyond `queues`, `k` and `inqueue`.
    fn keys() -> Vec<Entry> {
        Vec::new()
    }

    /// Sets the parameters of the keys that are given.
    fn set(&mut self, _given: &RawTable<'_>) {}

    /// Its keys, with their values.
    fn settings(&self) -> Vec<(&'static str, Datum)> {
        Vec::new()
    }

    /// The parameters unless its keys say otherwise, in a run of this seed.
    fn seeded(_seed: u64) -> Self {
        Self::default()
    }

    /// Refuses a network that it isn't for; `given` is its table.
    ///
    /// # Errors
    /// A [`Refusal`].
    fn check(&self, _given: &RawTable<'_>, _reading: &NetworkReading<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// The rule; the grid is the network's, if it is one.
    fn rule<I: Inqueue>(&self, grid: Option<&Grid>, inqueue: I) -> impl Rule;
}
