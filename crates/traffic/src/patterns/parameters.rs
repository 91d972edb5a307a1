//! Patterns as they are configured: parameters of one kind each, behind one object.

use super::{BUILT_IN, Pattern, PatternError};
use crate::Around;
use flitwork_schema::{Datum, Entry, Given, Key, Part, Refusal, entries, written};
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use std::any::Any;
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

/// A pattern of any kind, with its parameters.
pub struct AnyPattern(Box<dyn Erased>);

/// [`PatternParameters`] as an object.
trait Erased: fmt::Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn written(&self) -> Vec<(&'static str, Datum)>;
    fn build(&self, topology: &dyn Topology, seed: u64) -> Result<Box<dyn Pattern>, PatternError>;
    fn is_surely_right(&self, topology: &dyn Topology) -> bool;
    fn leaves_nodes_alone(&self) -> bool;
    fn files(&mut self) -> Vec<&mut String>;
    fn content(&self, take: &mut dyn FnMut(&[u8]));
    fn copy(&self) -> Box<dyn Erased>;
    fn equals(&self, other: &dyn Any) -> bool;
    fn any(&self) -> &dyn Any;
    fn any_mut(&mut self) -> &mut dyn Any;
}

impl<P: PatternParameters> Erased for P {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn written(&self) -> Vec<(&'static str, Datum)> {
        let mut all = written(P::KEYS, self);
        all.extend(written(P::FILE_KEYS, self));
        all
    }

    fn build(&self, topology: &dyn Topology, seed: u64) -> Result<Box<dyn Pattern>, PatternError> {
        PatternParameters::build(self, topology, seed)
    }

    fn is_surely_right(&self, topology: &dyn Topology) -> bool {
        PatternParameters::is_surely_right(self, topology)
    }

    fn leaves_nodes_alone(&self) -> bool {
        PatternParameters::leaves_nodes_alone(self)
    }

    fn files(&mut self) -> Vec<&mut String> {
        PatternParameters::files(self)
    }

    fn content(&self, take: &mut dyn FnMut(&[u8])) {
        PatternParameters::content(self, take);
    }

    fn copy(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<P>() == Some(self)
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl<P: PatternParameters> From<P> for AnyPattern {
    fn from(parameters: P) -> AnyPattern {
        AnyPattern(Box::new(parameters))
    }
}

impl Clone for AnyPattern {
    fn clone(&self) -> AnyPattern {
        AnyPattern(self.0.copy())
    }
}

impl PartialEq for AnyPattern {
    fn eq(&self, other: &AnyPattern) -> bool {
        self.0.equals(other.0.any())
    }
}

impl fmt::Debug for AnyPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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

    /// What users call it.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// What its keys would have to be given as.
    pub fn written(&self) -> Vec<(&'static str, Datum)> {
        self.0.written()
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

    /// Whether it needn't be built to know that it can be.
    pub fn is_surely_right(&self, topology: &dyn Topology) -> bool {
        self.0.is_surely_right(topology)
    }

    /// Whether packets may come to few nodes only.
    pub fn leaves_nodes_alone(&self) -> bool {
        self.0.leaves_nodes_alone()
    }

    /// The names of its files, as they were written.
    pub fn files(&mut self) -> Vec<&mut String> {
        self.0.files()
    }

    /// Gives away what it has read from files, byte by byte.
    pub fn content(&self, take: &mut dyn FnMut(&[u8])) {
        self.0.content(take);
    }

    /// Its parameters, where it is of their kind.
    pub fn get<P: PatternParameters>(&self) -> Option<&P> {
        self.0.any().downcast_ref()
    }

    /// Its parameters to be changed, where it is of their kind.
    pub fn get_mut<P: PatternParameters>(&mut self) -> Option<&mut P> {
        self.0.any_mut().downcast_mut()
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
