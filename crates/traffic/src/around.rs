//! What traffic is for: what a configuration says beside it, and what a run has.

use crate::{AnyPattern, Lengths, OpenLoop, Pattern, TraceError, TraceHandle, Workload};
use flitwork_schema::{Files, Parts, Span};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId};
use std::io::Read;
use std::path::Path;

/// Opens a regular file of packets: nothing here knows a file system.
pub type OpenFile = fn(&Path) -> Result<Box<dyn Read + Send>, TraceError>;

/// What a configuration says beside its traffic, for those who read `[traffic]`.
pub struct Around<'a> {
    /// The patterns and processes that there are.
    pub parts: &'a Parts,
    /// Where files are.
    pub files: &'a dyn Files,
    /// Opens files of packets.
    pub open: OpenFile,
    /// The network's shape.
    pub topology: &'a dyn Topology,
    /// What all random draws come from.
    pub seed: u64,
    /// The length of every packet, in words, where the router has but one.
    pub fixed_words: Option<u16>,
    /// Whether that length is the router's key `packet_words`.
    pub router_has_words: bool,
    /// Words of the longest packet of the router's schedule, where that has packets of its own.
    pub scheduled_words: Option<u16>,
    /// The engine, where nodes have no common clock: nothing tells a node of a delivery elsewhere.
    pub apart: Option<&'static str>,
    /// Whether a place lies in the configuration's file, so that the command line may put it aside.
    pub is_in_file: &'a dyn Fn(&Span) -> bool,
    /// Whether a mistake is known and others are looked for: nothing that takes long is done for that.
    pub looks_again: bool,
}

/// What a run has for its sources. All that can be wrong about it has been refused with the configuration.
pub struct Site<'a> {
    /// The network's shape.
    pub topology: &'a dyn Topology,
    /// What all random draws come from.
    pub seed: u64,
    /// The first cycle in which open loops make nothing more.
    pub until: Cycle,
    /// How long packets are.
    pub lengths: Lengths,
    /// Where they go.
    pub pattern: &'a AnyPattern,
    /// Whether somebody asks for what a trace calls its packets.
    pub keep_births: bool,
    /// Opens files of packets.
    pub open: OpenFile,
    /// The packets of the router's schedule: source, destination and words of each.
    pub scheduled: &'a dyn Fn() -> Vec<(NodeId, NodeId, u16)>,
}

/// Sources that are ready to make packets.
pub struct ReadySources {
    /// What they make.
    pub workload: Box<dyn Workload>,
    /// What reports on the trace that they follow, if they do.
    pub trace: Option<TraceHandle>,
}

impl<W: Workload + 'static> From<W> for ReadySources {
    fn from(workload: W) -> ReadySources {
        ReadySources {
            workload: Box::new(workload),
            trace: None,
        }
    }
}

impl Site<'_> {
    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.topology.nodes()
    }

    /// Where packets go.
    ///
    /// # Panics
    /// Where the pattern isn't one that the grid takes: the configuration has been checked.
    pub fn pattern(&self) -> Box<dyn Pattern> {
        self.pattern
            .build(self.topology, self.seed)
            .unwrap_or_else(|error| panic!("a resolved configuration's pattern: {error}"))
    }

    /// What open loops make their packets of.
    ///
    /// # Panics
    /// As [`Site::pattern`].
    pub fn open_loop(&self) -> OpenLoop {
        OpenLoop {
            pattern: self.pattern(),
            lengths: self.lengths.clone(),
            until: self.until,
            seed: self.seed,
            nodes: self.nodes(),
        }
    }
}
