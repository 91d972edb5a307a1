//! Processes as configured: each has parameters of its own type, behind one object type.

use super::{BUILT_IN, BernoulliParameters};
use crate::{Lengths, Once, ReadContext, ReadySources, RunContext, StaticPacket};
use flitwork_schema::{Datum, Entry, Key, Parts, RawTable, Refusal, entries, settings};
use flitwork_types::Cycle;
use std::fmt;
use std::path::Path;

/// When packets are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Regardless of deliveries, for as long as the run measures.
    OpenLoop,
    /// All in cycle 0.
    AtOnce,
    /// When others are delivered, or by a finite list.
    Closed,
}

impl Arrivals {
    /// Whether packets are made regardless of deliveries, for as long as the run measures. All other processes end.
    pub fn is_open_loop(self) -> bool {
        self == Arrivals::OpenLoop
    }
}

/// What determines the destinations of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destinations {
    /// `traffic.pattern`.
    Pattern,
    /// The process itself; the text says, for messages, why there is no pattern.
    Process(&'static str),
}

/// What a process's file declares: its name, its keys, how it is read and what it makes. The implementing type holds the
/// parameters.
pub trait ProcessParameters: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// What users call it.
    const NAME: &'static str;
    /// What it does, in a line.
    const HELP: &'static str;
    /// When its packets are made.
    const ARRIVALS: Arrivals;
    /// What determines their destinations.
    const DESTINATIONS: Destinations = Destinations::Pattern;
    /// Whether it sets their lengths itself, so that `[traffic.lengths]` isn't allowed.
    const HAS_OWN_LENGTHS: bool = false;
    /// Whether its packets are those of the router's schedule.
    const IS_SCHEDULED: bool = false;
    /// Its keys in `[traffic]`, if it has no tables there.
    const KEYS: &'static [Key<Self>] = &[];
    /// Keys that it doesn't read, each with the reason that the message gives instead of listing the processes that read
    /// the key.
    const UNREAD: &'static [(&'static str, &'static str)] = &[];

    /// The process's entry in the table.
    fn entry(&self) -> ProcessEntry {
        ProcessEntry::of::<Self>()
    }

    /// Its keys and tables in `[traffic]`.
    fn keys(_parts: &Parts) -> Vec<Entry> {
        entries(Self::KEYS)
    }

    /// Reads the parameters from `[traffic]`, for packets of the given lengths.
    ///
    /// # Errors
    /// A [`Refusal`] for missing keys and invalid values.
    fn read(
        given: &RawTable<'_>,
        lengths: &Lengths,
        context: &ReadContext<'_>,
    ) -> Result<Self, Refusal>;

    /// Refuses parameters that the rest of the configuration rules out, after everything else has been checked.
    ///
    /// # Errors
    /// A [`Refusal`].
    fn check_run(&self, _given: &RawTable<'_>, _context: &ReadContext<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// The keys that give these parameters, with their values; tables after plain values.
    fn settings(&self) -> Vec<(&'static str, Datum)> {
        settings(Self::KEYS, self)
    }

    /// Builds the sources: those of its [problem](ProcessParameters::problem), unless it has others.
    fn sources(&self, context: &RunContext<'_>) -> ReadySources {
        let packets = self.problem(context);
        Once::of_packets(packets.expect("a problem, or sources of its own")).into()
    }

    /// All packets, those of a node and itself included, if they exist in cycle 0 and the process makes them: static problems
    /// number them in this order.
    fn problem(&self, _context: &RunContext<'_>) -> Option<Vec<StaticPacket>> {
        None
    }

    /// The value of `traffic.packet_words`, given that of the length distribution.
    fn packet_words(&self, of_law: Option<u16>) -> Option<u16> {
        of_law.filter(|_| !Self::HAS_OWN_LENGTHS)
    }

    /// Words of the longest packet, given the longest of the length distribution; of the longest possible packet if that
    /// isn't known.
    fn longest_words(&self, of_law: u16) -> u16 {
        of_law
    }

    /// The configured mean load, in words per node and cycle, if there is one.
    fn mean_load(&self) -> Option<f64> {
        None
    }

    /// The most packets that a node has in cycle 0, if all packets are made then.
    fn packets_at_once(&self) -> Option<u32> {
        None
    }

    /// The most packets that can wait in a source at a time, if the parameters determine it.
    fn packets_waiting(&self) -> Option<u32> {
        self.packets_at_once()
    }

    /// Packets that accumulate in a node by `last_cycle` but don't show in a run of `shown_cycles`.
    fn packets_gathered(&self, _last_cycle: u32, _shown_cycles: u32) -> u32 {
        0
    }

    /// Whether packets may pass through only a few nodes; `pattern` says whether that holds for the pattern.
    fn may_leave_nodes_untouched(&self, pattern: bool) -> bool {
        pattern
    }

    /// Whether packets depend on deliveries at other nodes, so that they aren't known in advance.
    fn waits_for_deliveries(&self) -> bool {
        false
    }

    /// The cycle of the last packet, if the process has a list.
    fn last_cycle(&self) -> Option<Cycle> {
        None
    }

    /// A process with as much traffic in flight per node, for a small network whose paths are `longer` times shorter and a
    /// run of `cycles`: its memory is measured and extrapolated.
    fn scaled_down(&self, longer: f64, _cycles: u32) -> AnyProcess {
        match Self::ARRIVALS {
            Arrivals::OpenLoop if longer > 1.0 => {
                // An unknown mean is taken as the maximum.
                let load = self.mean_load().unwrap_or(1.0);
                BernoulliParameters {
                    load: (load * longer).min(1.0),
                }
                .into()
            }
            _ => self.clone().into(),
        }
    }

    /// The key that makes the process need a lot of memory, if it does.
    fn memory_key(&self) -> Option<&'static str> {
        None
    }

    /// The file from which packets are read during the run.
    fn followed_file(&self) -> Option<&Path> {
        None
    }

    /// The names of its files, as configured.
    fn files(&mut self) -> Vec<&mut String> {
        Vec::new()
    }
}

flitwork_schema::erased! {
    /// A process of any kind, with its parameters.
    pub struct AnyProcess: ProcessParameters;

    /// The process's entry in the table.
    fn entry(&self) -> ProcessEntry;
    /// The names of its files, as configured.
    fn files(&mut self) -> Vec<&mut String>;
    /// [`ProcessParameters::check_run`].
    ///
    /// # Errors
    /// The same.
    fn check_run(&self, given: &RawTable<'_>, context: &ReadContext<'_>) -> Result<(), Refusal>;
    /// [`ProcessParameters::settings`].
    fn settings(&self) -> Vec<(&'static str, Datum)>;
    /// [`ProcessParameters::sources`].
    fn sources(&self, context: &RunContext<'_>) -> ReadySources;
    /// [`ProcessParameters::problem`].
    fn problem(&self, context: &RunContext<'_>) -> Option<Vec<StaticPacket>>;
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
    /// [`ProcessParameters::may_leave_nodes_untouched`].
    fn may_leave_nodes_untouched(&self, pattern: bool) -> bool;
    /// [`ProcessParameters::waits_for_deliveries`].
    fn waits_for_deliveries(&self) -> bool;
    /// [`ProcessParameters::last_cycle`].
    fn last_cycle(&self) -> Option<Cycle>;
    /// [`ProcessParameters::scaled_down`].
    fn scaled_down(&self, longer: f64, cycles: u32) -> AnyProcess;
    /// [`ProcessParameters::memory_key`].
    fn memory_key(&self) -> Option<&'static str>;
    /// [`ProcessParameters::followed_file`].
    fn followed_file(&self) -> Option<&Path>;
}

impl AnyProcess {
    /// What users call it.
    pub fn name(&self) -> &'static str {
        self.entry().name
    }

    /// Whether packets are made regardless of deliveries, for as long as the run measures. All other processes end.
    pub fn is_open_loop(&self) -> bool {
        self.entry().arrivals.is_open_loop()
    }
}

type Read = fn(&RawTable<'_>, &Lengths, &ReadContext<'_>) -> Result<AnyProcess, Refusal>;

/// A process in the table.
#[derive(Clone, Copy, Debug)]
pub struct ProcessEntry {
    /// What users call it.
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    /// When its packets are made.
    pub arrivals: Arrivals,
    /// What determines their destinations.
    pub destinations: Destinations,
    /// Whether it sets their lengths itself.
    pub has_own_lengths: bool,
    /// Whether its packets are those of the router's schedule.
    pub is_scheduled: bool,
    /// Keys that it doesn't read, each with the reason.
    pub(super) unread: &'static [(&'static str, &'static str)],
    keys: fn(&Parts) -> Vec<Entry>,
    pub(crate) read: Read,
}

impl ProcessEntry {
    /// The entry of a process with these parameters.
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
            read: |given, lengths, context| Ok(P::read(given, lengths, context)?.into()),
        }
    }

    /// Its keys and tables in `[traffic]`.
    pub fn keys(&self, parts: &Parts) -> Vec<Entry> {
        (self.keys)(parts)
    }
}

flitwork_schema::part!(ProcessEntry { name, help }: "processes", BUILT_IN.to_vec());
