//! Patterns as configured: each has parameters of its own type, behind one object type.

use super::{BUILT_IN, Pattern, PatternError, by};
use crate::ReadContext;
use flitwork_schema::{Datum, Entry, Key, Parts, RawTable, Refusal, entries, settings};
use flitwork_topology::Topology;
use flitwork_types::TerminalId;
use std::fmt;

/// What a pattern's file declares: its name, its keys, and how it is built. The implementing type holds the parameters
/// that the keys set; its default holds the values of keys that aren't given.
pub trait PatternParameters:
    Clone + Default + fmt::Debug + PartialEq + Send + Sync + 'static
{
    /// What users call it.
    const NAME: &'static str;
    /// What it does, in a line.
    const HELP: &'static str;
    /// Its keys, in `[traffic]` or in a phase.
    const KEYS: &'static [Key<Self>] = &[];
    /// Its keys that name files; a phase has none of them.
    const FILE_KEYS: &'static [Key<Self>] = &[];

    /// [`PatternParameters::NAME`].
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// The keys that give these parameters, with their values.
    fn settings(&self) -> Vec<(&'static str, Datum)> {
        let mut all = settings(Self::KEYS, self);
        all.extend(settings(Self::FILE_KEYS, self));
        all
    }

    /// Reads the files that the keys name.
    ///
    /// # Errors
    /// A [`Refusal`] for a file that can't be read or has invalid contents.
    fn read_files(
        &mut self,
        _given: &RawTable<'_>,
        _context: &ReadContext<'_>,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// Builds the pattern for a topology. Whatever is random about it for the whole run is drawn from the seed.
    ///
    /// # Errors
    /// A [`PatternError`] for a missing or invalid parameter, and for a topology that doesn't suit the pattern.
    fn build(&self, topology: &dyn Topology, seed: u64) -> Result<Box<dyn Pattern>, PatternError>;

    /// The error for a parameter that is required and isn't given.
    fn missing(parameter: &'static str) -> PatternError {
        let pattern = Self::NAME;
        PatternError::Missing { pattern, parameter }
    }

    /// The error for a topology that doesn't have what the pattern needs.
    fn unsuited(needs: &'static str, topology: &dyn Topology) -> PatternError {
        PatternError::Network {
            pattern: Self::NAME,
            needs,
            network: network(topology),
        }
    }

    /// The error for a parameter whose value doesn't suit the topology.
    fn unfit(
        parameter: &'static str,
        found: u32,
        needs: &'static str,
        topology: &dyn Topology,
    ) -> PatternError {
        PatternError::Unfit {
            pattern: Self::NAME,
            parameter,
            found,
            needs,
            network: network(topology),
        }
    }

    /// Whether it can certainly be built, so that the check needn't build it: that may take memory for every node.
    fn is_surely_buildable(&self, _topology: &dyn Topology) -> bool {
        false
    }

    /// Whether packets may pass through only a few nodes, so that most of the network is never touched.
    fn may_leave_nodes_untouched(&self) -> bool {
        false
    }

    /// The most packets of one source, if it is a list of packets.
    fn most_listed(&self) -> u32 {
        1
    }

    /// The names of its files, as configured.
    fn files(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// Passes the contents of its files to `take`, in bytes: a hash of the configuration includes them.
    fn content(&self, _take: &mut dyn FnMut(&[u8])) {}
}

/// A network, as messages name it.
fn network(topology: &dyn Topology) -> String {
    match topology.grid() {
        Some(_) => format!("a grid of {}", by(&topology.sides())),
        None => format!("a graph of {} terminals", topology.terminals()),
    }
}

flitwork_schema::erased! {
    /// A pattern of any kind, with its parameters.
    pub struct AnyPattern: PatternParameters;

    /// What users call it.
    fn name(&self) -> &'static str;
    /// The keys that give these parameters, with their values.
    fn settings(&self) -> Vec<(&'static str, Datum)>;
    /// Whether it can certainly be built.
    fn is_surely_buildable(&self, topology: &dyn Topology) -> bool;
    /// Whether packets may pass through only a few nodes.
    fn may_leave_nodes_untouched(&self) -> bool;
    /// [`PatternParameters::most_listed`].
    fn most_listed(&self) -> u32;
    /// The names of its files, as configured.
    fn files(&mut self) -> Vec<&mut String>;
    /// Passes the contents of its files to `take`, in bytes.
    fn content(&self, take: &mut dyn FnMut(&[u8]));

    object {
        fn build(&self, topology: &dyn Topology, seed: u64) -> Result<Box<dyn Pattern>, PatternError>;
    }
}

impl AnyPattern {
    /// A pattern with its default parameters.
    ///
    /// # Errors
    /// [`PatternError::Unknown`] if none of the parts has this name.
    pub fn named(parts: &Parts, name: &str) -> Result<AnyPattern, PatternError> {
        let entry = parts.find::<PatternEntry>(name);
        let unknown = || PatternError::Unknown {
            found: name.into(),
            known: parts.names::<PatternEntry>(),
        };
        entry
            .as_ref()
            .map(PatternEntry::with_defaults)
            .ok_or_else(unknown)
    }

    /// Builds the pattern for a topology; its random parts are drawn from the seed.
    ///
    /// # Errors
    /// A [`PatternError`] for a missing or invalid parameter, a topology that doesn't suit the pattern, and a pattern in
    /// which no node would send.
    pub fn build(
        &self,
        topology: &dyn Topology,
        seed: u64,
    ) -> Result<Box<dyn Pattern>, PatternError> {
        let pattern = self.0.build(topology, seed)?;
        if (0..topology.terminals()).all(|it| pattern.silent(TerminalId(it))) {
            let pattern = self.name();
            return Err(PatternError::Silent { pattern });
        }
        Ok(pattern)
    }
}

/// A pattern in the table.
#[derive(Clone, Copy, Debug)]
pub struct PatternEntry {
    /// What users call it.
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    keys: fn() -> Vec<Entry>,
    file_keys: fn() -> Vec<Entry>,
    with_defaults: fn() -> AnyPattern,
    pub(super) read: fn(&RawTable<'_>, &ReadContext<'_>) -> Result<AnyPattern, Refusal>,
}

impl PatternEntry {
    /// The entry of a pattern with these parameters.
    pub const fn of<P: PatternParameters>() -> PatternEntry {
        PatternEntry {
            name: P::NAME,
            help: P::HELP,
            keys: || entries(P::KEYS),
            file_keys: || entries(P::FILE_KEYS),
            with_defaults: || P::default().into(),
            read: |given, context| {
                let mut parameters = P::default();
                given.set(P::KEYS, &mut parameters);
                given.set(P::FILE_KEYS, &mut parameters);
                parameters.read_files(given, context)?;
                Ok(parameters.into())
            },
        }
    }

    /// Its keys, in `[traffic]` or in a phase.
    pub fn keys(&self) -> Vec<Entry> {
        (self.keys)()
    }

    /// Its keys that name files, in `[traffic]` only.
    pub fn file_keys(&self) -> Vec<Entry> {
        (self.file_keys)()
    }

    /// The pattern with its default parameters.
    pub fn with_defaults(&self) -> AnyPattern {
        (self.with_defaults)()
    }
}

flitwork_schema::part!(PatternEntry { name, help }: "patterns", BUILT_IN.to_vec());
