//! Kinds of crossings by name: a table to which other crates can add.

use super::Crossing;
use crate::clock::Clock;
use flitwork_schema::{Datum, Entry, Key, RawTable, Refusal, entries, settings};
use std::fmt;
use std::sync::Arc;

/// A kind of crossing that a configuration can name.
#[derive(Clone)]
pub struct CrossingEntry {
    name: &'static str,
    help: &'static str,
    keys: Vec<Entry>,
    build: Arc<Build>,
    suits: fn(&Crossing, &ClockPair<'_>) -> Result<(), String>,
}

type Build = dyn Fn(&RawTable<'_>) -> Result<BuiltCrossing, Refusal> + Send + Sync;

/// A crossing, and the kind that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltCrossing {
    /// The name of its kind.
    pub kind: &'static str,
    /// The keys that the kind reads, with all defaults filled in.
    pub keys: Vec<(&'static str, Datum)>,
    /// What it does.
    pub crossing: Crossing,
}

/// The clocks at both ends of a link, in one direction.
#[derive(Clone, Copy, Debug)]
pub struct ClockPair<'a> {
    /// The clock from which words leave.
    pub sender: &'a Clock,
    /// The clock at whose ticks they are taken.
    pub receiver: &'a Clock,
    /// Whether both tick at the same instants.
    pub shares: bool,
    /// How many nodes the receiver's clock drives.
    pub receiver_nodes: usize,
}

impl CrossingEntry {
    /// A kind with parameters of type `P`, which start as their defaults; keys whose default is "required" are always
    /// given. `build` makes the crossing; `suits` says why it can't lie between two clocks.
    pub fn new<P: Clone + Default + 'static>(
        name: &'static str,
        help: &'static str,
        keys: &'static [Key<P>],
        build: fn(&P, &RawTable<'_>) -> Result<Crossing, Refusal>,
        suits: fn(&Crossing, &ClockPair<'_>) -> Result<(), String>,
    ) -> CrossingEntry {
        let build = move |given: &RawTable<'_>| {
            let parameters = given.parameters(keys)?;
            Ok(BuiltCrossing {
                kind: name,
                crossing: build(&parameters, given)?,
                keys: settings(keys, &parameters),
            })
        };
        CrossingEntry {
            name,
            help,
            keys: entries(keys),
            build: Arc::new(build),
            suits,
        }
    }

    /// The keys of `[[network.crossings]]` that it reads.
    pub fn keys(&self) -> &[Entry] {
        &self.keys
    }

    /// The crossing that the keys make.
    ///
    /// # Errors
    /// A [`Refusal`] for a missing key, and for values that make no crossing.
    pub fn build(&self, given: &RawTable<'_>) -> Result<BuiltCrossing, Refusal> {
        (self.build)(given)
    }

    /// Whether a crossing of this kind may lie between two clocks of which the receiver's ticks.
    ///
    /// # Errors
    /// Why it may not: a sentence about `it`, the crossing.
    pub fn suits(&self, crossing: &Crossing, pair: &ClockPair<'_>) -> Result<(), String> {
        (self.suits)(crossing, pair)
    }
}

flitwork_schema::part!(CrossingEntry { name, help }: "crossings", super::built_in());

impl fmt::Debug for CrossingEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the crossing {}", self.name)
    }
}
