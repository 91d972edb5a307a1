//! Patterns as they are configured: parameters of one kind each, behind one object.

use super::{BUILT_IN, Pattern, PatternError};
use crate::Around;
use flitwork_schema::{Datum, Entry, Given, Key, Part, Refusal, entries, written};
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use std::fmt;

/// What a pattern's file declares: its name, its keys, and how it is built. The parameters are what the keys
/// set; the default is what they are where none is given.
pub trait PatternParameters:
    Clone + Default + fmt::Debug + PartialEq + Send + Sync + 'static
{
    /// What users call it.
    const NAME: &'static str;
    /// What it does, in a line.
    const HELP: &'static str;
    /// The keys that it reads, in `[traffic]` or in a phase.
    const KEYS: &'static [Key<Self>] = &[];
    /// The keys that name files; a phase has none of them.
    const FILE_KEYS: &'static [Key<Self>] = &[];

    /// [`PatternParameters::NAME`].
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// What its keys would have to be given as.
    fn written(&self) -> Vec<(&'static str, Datum)> {
        let mut all = written(Self::KEYS, self);
        all.extend(written(Self::FILE_KEYS, self));
        all
    }

    /// Reads the files that the keys name.
    ///
    /// # Errors
    /// A [`Refusal`] for a file that can't be read or isn't what it should be.
    fn read_files(&mut self, _given: &Given<'_>, _around: &Around<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// The pattern on a grid. What is random about it for the whole run is drawn from the seed.
    ///
    /// # Errors
    /// A [`PatternError`] for a parameter that is missing or wrong, and a grid that the pattern isn't made for.
    fn build(&self, topology: &dyn Topology, seed: u64) -> Result<Box<dyn Pattern>, PatternError>;

    /// Whether it needn't be built to know that it can be: building may take memory for every node.
    fn is_surely_right(&self, _topology: &dyn Topology) -> bool {
        false
    }

    /// Whether packets may come to few nodes only, so that most stay untouched.
    fn leaves_nodes_alone(&self) -> bool {
        false
    }

    /// The names of files, as they were written.
    fn files(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// Gives away what was read from files, byte by byte: it belongs to what a configuration means.
    fn content(&self, _take: &mut dyn FnMut(&[u8])) {}
}

flitwork_schema::erased! {
    /// A pattern of any kind, with its parameters.
    pub struct AnyPattern: PatternParameters;

    /// What users call it.
    fn name(&self) -> &'static str;
    /// What its keys would have to be given as.
    fn written(&self) -> Vec<(&'static str, Datum)>;
    /// Whether it needn't be built to know that it can be.
    fn is_surely_right(&self, topology: &dyn Topology) -> bool;
    /// Whether packets may come to few nodes only.
    fn leaves_nodes_alone(&self) -> bool;
    /// The names of its files, as they were written.
    fn files(&mut self) -> Vec<&mut String>;
    /// Gives away what it has read from files, byte by byte.
    fn content(&self, take: &mut dyn FnMut(&[u8]));

    object {
        fn build(&self, topology: &dyn Topology, seed: u64) -> Result<Box<dyn Pattern>, PatternError>;
    }
}

impl AnyPattern {
    /// A pattern that the program comes with, with its default parameters.
    ///
    /// # Errors
    /// [`PatternError::Unknown`], where none has this name.
    pub fn named(name: &str) -> Result<AnyPattern, PatternError> {
        let entry = BUILT_IN.iter().find(|entry| entry.name == name);
        let unknown = || PatternError::Unknown { found: name.into() };
        entry.map(PatternEntry::usual).ok_or_else(unknown)
    }

    /// The pattern on a topology, whose random parts are drawn from the seed.
    ///
    /// # Errors
    /// A [`PatternError`] for a parameter that is missing or wrong, a grid that the pattern isn't made for,
    /// or a pattern in which no node would send.
    pub fn build(
        &self,
        topology: &dyn Topology,
        seed: u64,
    ) -> Result<Box<dyn Pattern>, PatternError> {
        let pattern = self.0.build(topology, seed)?;
        if (0..topology.nodes()).all(|node| pattern.silent(NodeId(node))) {
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
    usual: fn() -> AnyPattern,
    read: fn(&Given<'_>, &Around<'_>) -> Result<AnyPattern, Refusal>,
}

impl PatternEntry {
    /// The entry of a kind of parameters.
    pub const fn of<P: PatternParameters>() -> PatternEntry {
        PatternEntry {
            name: P::NAME,
            help: P::HELP,
            keys: || entries(P::KEYS),
            file_keys: || entries(P::FILE_KEYS),
            usual: || P::default().into(),
            read: |given, around| {
                let mut parameters = P::default();
                given.set(P::KEYS, &mut parameters);
                given.set(P::FILE_KEYS, &mut parameters);
                parameters.read_files(given, around)?;
                Ok(parameters.into())
            },
        }
    }

    /// The keys that it reads in `[traffic]` or in a phase.
    pub fn keys(&self) -> Vec<Entry> {
        (self.keys)()
    }

    /// The keys that name files, in `[traffic]` only.
    pub fn file_keys(&self) -> Vec<Entry> {
        (self.file_keys)()
    }

    /// The pattern with its default parameters.
    pub fn usual(&self) -> AnyPattern {
        (self.usual)()
    }

    /// The pattern with what is given, not built yet.
    ///
    /// # Errors
    /// A [`Refusal`] for a file that can't be read.
    pub(super) fn read(
        &self,
        given: &Given<'_>,
        around: &Around<'_>,
    ) -> Result<AnyPattern, Refusal> {
        (self.read)(given, around)
    }
}

impl Part for PatternEntry {
    const KIND: &'static str = "patterns";

    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn built_in() -> Vec<PatternEntry> {
        BUILT_IN.to_vec()
    }
}
