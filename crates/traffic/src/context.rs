//! The context of traffic: the rest of the configuration while `[traffic]` is read, and the run while sources are
//! built.

use crate::{
    AnyPattern, Lengths, OpenLoop, Pattern, StaticPacket, TraceError, TraceHandle, Workload,
};
use flitwork_schema::{Files, Parts};
use flitwork_topology::Topology;
use flitwork_types::Cycle;
use std::io::Read;
use std::path::Path;

/// Opens a regular file of packets. This crate knows no file system.
pub type OpenFile = fn(&Path) -> Result<Box<dyn Read + Send>, TraceError>;

/// What the readers of `[traffic]` need to know of the rest of the configuration.
pub struct ReadContext<'a> {
    /// The available patterns and processes.
    pub parts: &'a Parts,
    /// Finds and reads small files.
    pub files: &'a dyn Files,
    /// Opens files of packets.
    pub open: OpenFile,
    /// The network's shape.
    pub topology: &'a dyn Topology,
    /// The seed of all random draws.
    pub seed: u64,
    /// The words of packets whose length isn't given.
    pub usual_words: u16,
    /// The length of every packet, in words, if only one is supported.
    pub fixed_words: Option<u16>,
    /// Why only one is.
    pub fixed_as: &'static str,
    /// Whether it is the router's key `packet_words`.
    pub router_has_words: bool,
    /// Words of the longest packet in the router's schedule, if the schedule defines packets.
    pub scheduled_words: Option<u16>,
    /// The engine's name, if its nodes have no common clock: a source can't learn of a delivery at another node.
    pub unclocked_engine: Option<&'static str>,
    /// Whether links fail, so that packets may be lost.
    pub links_fail: bool,
    /// Whether an error is known already and only further ones are sought: slow checks are skipped.
    pub skips_slow_checks: bool,
}

/// What a run gives to its sources. The configuration has been checked: building sources from it can't fail.
pub struct RunContext<'a> {
    /// The network's shape.
    pub topology: &'a dyn Topology,
    /// The seed of all random draws.
    pub seed: u64,
    /// The first cycle in which open loops make no more packets.
    pub until: Cycle,
    /// How long packets are.
    pub lengths: Lengths,
    /// Where they go.
    pub pattern: &'a AnyPattern,
    /// Opens files of packets.
    pub open: OpenFile,
    /// Returns the packets of the router's schedule: source, destination and words of each.
    pub scheduled: &'a dyn Fn() -> Vec<StaticPacket>,
}

/// Sources that are ready to make packets.
pub struct ReadySources {
    /// The packets that they make.
    pub workload: Box<dyn Workload>,
    /// Reports on the trace that they follow, if any.
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

impl RunContext<'_> {
    /// The number of terminals.
    pub fn terminals(&self) -> u32 {
        self.topology.terminals()
    }

    /// The pattern of destinations.
    ///
    /// # Panics
    /// If the pattern doesn't suit the topology, which the configuration's check rules out.
    pub fn pattern(&self) -> Box<dyn Pattern> {
        self.pattern
            .build(self.topology, self.seed)
            .unwrap_or_else(|error| panic!("a resolved configuration's pattern: {error}"))
    }

    /// The context of an open loop.
    ///
    /// # Panics
    /// As [`RunContext::pattern`].
    pub fn open_loop(&self) -> OpenLoop {
        OpenLoop {
            pattern: self.pattern(),
            lengths: self.lengths.clone(),
            until: self.until,
            seed: self.seed,
            terminals: self.terminals(),
        }
    }
}
