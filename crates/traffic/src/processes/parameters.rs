//! Processes as they are configured: parameters of one kind each, behind one object.

use super::{BUILT_IN, BernoulliParameters};
use crate::{Around, Lengths, ReadySources, Site};
use flitwork_schema::{Datum, Entry, Given, Part, Parts, Refusal};
use flitwork_types::Cycle;
use std::fmt;
use std::path::Path;

/// When packets come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Whatever becomes of them, for as long as the run measures.
    OpenLoop,
    /// All are there in cycle 0.
    AtOnce,
    /// As others are delivered, or by a list that ends.
    Closed,
}

impl Arrivals {
    /// Whether packets come whatever becomes of them, for as long as the run measures. All others end.
    pub fn is_open_loop(self) -> bool {
        self == Arrivals::OpenLoop
    }
}

/// Who says where packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destinations {
    /// `traffic.pattern`.
    Pattern,
    /// The process; why there is no pattern then, as a message says it.
    Process(&'static str),
}

/// What a process's file declares: its name, its keys, how it is read and what it makes.
pub trait ProcessParameters: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// What users call it.
    const NAME: &'static str;
    /// What it does, in a line.
    const HELP: &'static str;
    /// When its packets come.
    const ARRIVALS: Arrivals;
    /// Who says where they go.
    const DESTINATIONS: Destinations = Destinations::Pattern;
    /// Whether it says itself how long they are, so that there is no `[traffic.lengths]`.
    const HAS_OWN_LENGTHS: bool = false;
    /// Whether its packets are those of the router's schedule.
    const IS_SCHEDULED: bool = false;
    /// What is said of a key that it doesn't read, where that isn't who does.
    const UNREAD: &'static [(&'static str, &'static str)] = &[];

    /// What is known of all of this kind.
    fn entry(&self) -> ProcessEntry {
        ProcessEntry::of::<Self>()
    }

    /// The keys and tables that it reads in `[traffic]`.
    fn keys(parts: &Parts) -> Vec<Entry>;

    /// The parameters that `[traffic]` gives, of packets of such lengths.
    ///
    /// # Errors
    /// A [`Refusal`] for what is missing or can't be.
    fn read(given: &Given<'_>, lengths: &Lengths, around: &Around<'_>) -> Result<Self, Refusal>;

    /// Refuses what the run around can't take, after all else has been found right.
    ///
    /// # Errors
    /// A [`Refusal`].
    fn hold(&self, _given: &Given<'_>, _around: &Around<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// What its keys would have to be given as; tables behind values.
    fn written(&self) -> Vec<(&'static str, Datum)>;

    /// The sources.
    fn sources(&self, site: &Site<'_>) -> ReadySources;

    /// What is written as `traffic.packet_words`, where the law has one length and the router none.
    fn packet_words(&self, of_law: Option<u16>) -> Option<u16> {
        of_law
    }

    /// Words of the longest packet, of the longest by the law; of the longest that there can be where that
    /// isn't known.
    fn longest_words(&self, of_law: u16) -> u16 {
        of_law
    }

    /// The load that the configuration asks for in the mean, in words a node and cycle, where it does.
    fn mean_load(&self) -> Option<f64> {
        None
    }

    /// Packets that each node has in cycle 0, at most, where all are there then.
    fn packets_at_once(&self) -> Option<u32> {
        None
    }

    /// Packets that may wait in a source at a time, where its parameters say that.
    fn packets_waiting(&self) -> Option<u32> {
        self.packets_at_once()
    }

    /// Packets that gather in a node by a cycle behind those that a run of so few cycles shows.
    fn packets_gathered(&self, _last_cycle: u32, _shown_cycles: u32) -> u32 {
        0
    }

    /// Whether packets may come to few nodes only; `pattern` says whether the pattern does so.
    fn leaves_nodes_alone(&self, pattern: bool) -> bool {
        pattern
    }

    /// Whether packets depend on deliveries at other nodes, so that they aren't known beforehand.
    fn waits_for_deliveries(&self) -> bool {
        false
    }

    /// The cycle of the last packet, where a list has one.
    fn last_cycle(&self) -> Option<Cycle> {
        None
    }

    /// A process with as much in flight a node for a network that has `longer` times shorter ways, and a run
    /// of so many cycles.
    fn small(&self, longer: f64, _cycles: u32) -> AnyProcess {
        match Self::ARRIVALS {
            Arrivals::OpenLoop if longer > 1.0 => {
                // A mean that isn't known is the most.
                let load = self.mean_load().unwrap_or(1.0);
                BernoulliParameters {
                    load: (load * longer).min(1.0),
                }
                .into()
            }
            _ => self.clone().into(),
        }
    }

    /// The key on which the need of memory hangs, where it is large.
    fn heavy_key(&self) -> Option<&'static str> {
        None
    }

    /// The file that packets are read from while the run goes on.
    fn followed(&self) -> Option<&Path> {
        None
    }

    /// The names of files, as they were written.
    fn files(&mut self) -> Vec<&mut String> {
        Vec::new()
    }
}

flitwork_schema::erased! {
    /// A process of any kind, with its parameters.
    pub struct AnyProcess: ProcessParameters;

    /// What is known of all of its kind.
    fn entry(&self) -> ProcessEntry;
    /// The names of its files, as they were written.
    fn files(&mut self) -> Vec<&mut String>;
    /// [`ProcessParameters::hold`].
    ///
    /// # Errors
    /// The same.
    fn hold(&self, given: &Given<'_>, around: &Around<'_>) -> Result<(), Refusal>;
    /// [`ProcessParameters::written`].
    fn written(&self) -> Vec<(&'static str, Datum)>;
    /// [`ProcessParameters::sources`].
    fn sources(&self, site: &Site<'_>) -> ReadySources;
    /// [`ProcessParameters::packet_words`].
    fn packet_words(&self, of_law: Option<u16>) -> Option<u16>;
    /// [`ProcessParameters::longest_words`].
    fn longest_words(&self, of_law: u16) -> u16;
    /// [`ProcessParameters::mean_load`].
    fn mean_load(&self) -> Option<f64>;
    /// [`ProcessParameters::packets_at_once`].
    fn packets_at_once(&self) -> Option<u32>;
    /// [`ProcessParameters::packets_waiting`].
    fn packets_waiting(&self) -> Option<u32>;
    /// [`ProcessParameters::packets_gathered`].
    fn packets_gathered(&self, last_cycle: u32, shown_cycles: u32) -> u32;
    /// [`ProcessParameters::leaves_nodes_alone`].
    fn leaves_nodes_alone(&self, pattern: bool) -> bool;
    /// [`ProcessParameters::waits_for_deliveries`].
    fn waits_for_deliveries(&self) -> bool;
    /// [`ProcessParameters::last_cycle`].
    fn last_cycle(&self) -> Option<Cycle>;
    /// [`ProcessParameters::small`].
    fn small(&self, longer: f64, cycles: u32) -> AnyProcess;
    /// [`ProcessParameters::heavy_key`].
    fn heavy_key(&self) -> Option<&'static str>;
    /// [`ProcessParameters::followed`].
    fn followed(&self) -> Option<&Path>;
}

impl AnyProcess {
    /// What users call it.
    pub fn name(&self) -> &'static str {
        self.entry().name
    }

    /// Whether packets are made whatever becomes of them, for as long as the run measures. All others end.
    pub fn is_open_loop(&self) -> bool {
        self.entry().arrivals.is_open_loop()
    }
}

type Read = fn(&Given<'_>, &Lengths, &Around<'_>) -> Result<AnyProcess, Refusal>;

/// A process in the table.
#[derive(Clone, Copy, Debug)]
pub struct ProcessEntry {
    /// What users call it.
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    /// When its packets come.
    pub arrivals: Arrivals,
    /// Who says where they go.
    pub destinations: Destinations,
    /// Whether it says itself how long they are.
    pub has_own_lengths: bool,
    /// Whether its packets are those of the router's schedule.
    pub is_scheduled: bool,
    /// What is said of a key that it doesn't read, where that isn't who does.
    pub(super) unread: &'static [(&'static str, &'static str)],
    keys: fn(&Parts) -> Vec<Entry>,
    pub(super) read: Read,
}

impl ProcessEntry {
    /// The entry of a kind of parameters.
    pub const fn of<P: ProcessParameters>() -> ProcessEntry {
        ProcessEntry {
            name: P::NAME,
            help: P::HELP,
            arrivals: P::ARRIVALS,
            destinations: P::DESTINATIONS,
            has_own_lengths: P::HAS_OWN_LENGTHS,
            is_scheduled: P::IS_SCHEDULED,
            unread: P::UNREAD,
            keys: P::keys,
            read: |given, lengths, around| Ok(P::read(given, lengths, around)?.into()),
        }
    }

    /// The keys and tables that it reads in `[traffic]`.
    pub fn keys(&self, parts: &Parts) -> Vec<Entry> {
        (self.keys)(parts)
    }
}

impl Part for ProcessEntry {
    const KIND: &'static str = "processes";

    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn built_in() -> Vec<ProcessEntry> {
        BUILT_IN.to_vec()
    }
}
