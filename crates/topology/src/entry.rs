//! Topologies by name: a table to which other crates can add.

use crate::Shape;
use flitwork_schema::{Datum, Entry, Files, Key, Parts, RawTable, Refusal, entries, settings};
use std::fmt;
use std::sync::Arc;

/// A topology that a configuration can name.
///
/// A new one is a file with its parameters, their keys and how to build it, and a line in the table
/// `topologies!` or, outside this crate, in [`Parts::with`](flitwork_schema::Parts::with).
#[derive(Clone)]
pub struct TopologyEntry {
    name: &'static str,
    help: &'static str,
    keys: Vec<Entry>,
    is_one_way: bool,
    build: Arc<Build>,
}

type Build = dyn Fn(&RawTable<'_>, &dyn Files) -> Result<Built, Refusal> + Send + Sync;

/// A network's shape, and the topology that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The name of its topology.
    pub topology: &'static str,
    /// The keys that the topology reads, with all defaults filled in.
    pub keys: Vec<(&'static str, Datum)>,
    /// The shape that they make.
    pub shape: Shape,
}

/// The context in which a part that works on a whole network is read.
#[derive(Clone, Copy, Debug)]
pub struct NetworkReading<'a> {
    /// The parts that can be named.
    pub parts: &'a Parts,
    /// The network.
    pub shape: &'a Shape,
    /// The seed of all random draws.
    pub seed: u64,
}

impl TopologyEntry {
    /// A topology with parameters of type `P`. Its parameters start as their defaults, and the keys that are
    /// given replace these; keys whose default is "required" are always given.
    pub fn new<P: Clone + Default + 'static>(
        name: &'static str,
        help: &'static str,
        keys: &'static [Key<P>],
        build: impl Fn(&P, &RawTable<'_>) -> Result<Shape, Refusal> + Send + Sync + 'static,
    ) -> TopologyEntry {
        TopologyEntry::of_files(name, help, keys, move |given, table, _| build(given, table))
    }

    /// The same of one that reads files.
    pub(crate) fn of_files<P: Clone + Default + 'static>(
        name: &'static str,
        help: &'static str,
        keys: &'static [Key<P>],
        build: impl Fn(&P, &RawTable<'_>, &dyn Files) -> Result<Shape, Refusal> + Send + Sync + 'static,
    ) -> TopologyEntry {
        let build = move |given: &RawTable<'_>, files: &dyn Files| {
            check(keys, given)?;
            let parameters = given.parameters(keys)?;
            Ok(Built {
                topology: name,
                shape: build(&parameters, given, files)?,
                // A list that isn't given has no value.
                keys: without_empty(settings(keys, &parameters)),
            })
        };
        TopologyEntry {
            name,
            help,
            keys: entries(keys),
            is_one_way: false,
            build: Arc::new(build),
        }
    }

    /// The same, whose links may lead one way: no router takes it.
    pub(crate) fn one_way(self) -> TopologyEntry {
        TopologyEntry {
            is_one_way: true,
            ..self
        }
    }

    /// The keys of `[network]` that it reads.
    pub fn keys(&self) -> &[Entry] {
        &self.keys
    }

    /// Whether its links may lead one way, so that no router takes it.
    pub fn is_one_way(&self) -> bool {
        self.is_one_way
    }

    /// The shape that the keys of `[network]` make.
    ///
    /// # Errors
    /// A [`Refusal`] for a missing key, for a file that can't be read, and for values that make no network.
    pub fn build(&self, given: &RawTable<'_>, files: &dyn Files) -> Result<Built, Refusal> {
        (self.build)(given, files)
    }
}

/// Refuses what a key of this topology doesn't allow and one of the same name does, of another topology.
fn check<P>(keys: &[Key<P>], given: &RawTable<'_>) -> Result<(), Refusal> {
    let is_wrong = |key: &&Key<P>| {
        let value = given.value(key.name);
        value.is_some_and(|value| !key.allowed.admits(&value.datum))
    };
    match keys.iter().find(is_wrong) {
        Some(key) => Err(given.conflict(key.name, key.allowed.to_string())),
        None => Ok(()),
    }
}

flitwork_schema::part!(TopologyEntry { name, help }: "topologies", crate::named::built_in());

impl fmt::Debug for TopologyEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the topology {}", self.name)
    }
}

fn without_empty(mut settings: Vec<(&'static str, Datum)>) -> Vec<(&'static str, Datum)> {
    settings.retain(|(_, value)| !matches!(value, Datum::List(list) if list.is_empty()));
    settings
}
