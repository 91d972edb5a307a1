//! What sources make.

use flitwork_files::open_input;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{
    BatchParameters, CsvReader, LengthLaw, Lengths, MapError, ModulatedParameters,
    NetraceParameters, NetraceReader, NodeMap, OnOffParameters, PatternParameters,
    PhasesParameters, RegionRange, TraceError, TraceReader, TraceSummary, of_one_length,
};
use flitwork_types::{Cycle, NodeId};
use std::io::BufReader;
use std::path::PathBuf;

/// Who sends to whom, when, and how much.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficParameters {
    /// When packets are made.
    pub process: Process,
    /// How long they are; not read by [`Process::Batch`], [`Process::Schedule`] and [`Process::Trace`].
    pub lengths: LengthLaw,
    /// Where they go; what the pattern's file says is in it, and the run's seed.
    pub pattern: PatternParameters,
    /// The permutation's file as it was written, from the configuration file's directory.
    pub permutation_file: Option<String>,
}

impl TrafficParameters {
    /// Words of the longest packet; the longest that there can be where nobody has read the trace.
    pub fn longest_words(&self) -> u16 {
        match &self.process {
            Process::Batch(batch) => {
                let reply = batch.reply.map_or(1, |reply| reply.words);
                batch.request_words.max(reply)
            }
            Process::Trace(trace) => {
                let read = trace.summary.as_ref();
                let most = read.map_or(u16::MAX, |summary| summary.most_words.max(1));
                trace.fixed_words.unwrap_or(most)
            }
            Process::Schedule { longest_words } => *longest_words,
            _ => Lengths::new(&self.lengths).map_or(1, |lengths| lengths.most_words()),
        }
    }
}

/// When packets are made.
#[derive(Clone, Debug, PartialEq)]
pub enum Process {
    /// In each cycle each source tosses a coin.
    Bernoulli {
        /// Words a node and cycle, 0 to 1.
        load: f64,
    },
    /// Each source sends in bursts.
    OnOff(OnOffParameters),
    /// Each source wanders through states with loads of their own.
    Modulated(ModulatedParameters),
    /// Pattern and load change for the whole network.
    Phases(PhasesParameters),
    /// Every source has so many packets in cycle 0.
    Once {
        /// Packets a source, at least 1.
        packets: u32,
    },
    /// So many random permutations in cycle 0.
    KK {
        /// Permutations, at least 1.
        k: u32,
    },
    /// Packets in cycle 0, of which each node sends at most h and gets at most h.
    HH {
        /// At least 1.
        h: u32,
        /// Packets in all; h a node by default.
        packets: Option<u32>,
    },
    /// Requests that are answered.
    Batch(BatchParameters),
    /// In cycle 0 the packets of the router's schedule, which is from a file.
    Schedule {
        /// Words of the longest.
        longest_words: u16,
    },
    /// What was recorded or computed elsewhere.
    Trace(Box<TraceParameters>),
}

impl Process {
    /// What a configuration calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Process::Bernoulli { .. } => "bernoulli",
            Process::OnOff(_) => "on-off",
            Process::Modulated(_) => "modulated",
            Process::Phases(_) => "phases",
            Process::Once { .. } => "once",
            Process::KK { .. } => "k-k",
            Process::HH { .. } => "h-h",
            Process::Batch(_) => "batch",
            Process::Schedule { .. } => "schedule",
            Process::Trace(_) => "trace",
        }
    }

    /// The load that the configuration asks for in the mean, in words a node and cycle, where it does.
    pub fn load(&self) -> Option<f64> {
        match self {
            Process::Bernoulli { load } => Some(*load),
            Process::OnOff(bursts) => Some(bursts.load),
            Process::Modulated(chain) => chain.load,
            _ => None,
        }
    }

    /// Whether packets are made whatever becomes of them, for as long as the run measures. All others end.
    pub fn is_open_loop(&self) -> bool {
        matches!(
            self,
            Process::Bernoulli { .. }
                | Process::OnOff(_)
                | Process::Modulated(_)
                | Process::Phases(_)
        )
    }
}

/// A trace: its file, which part of it, onto which nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceParameters {
    /// The file as it was written.
    pub file: String,
    /// Where it is.
    pub path: PathBuf,
    /// What is in it, and how much of that is read.
    pub format: TraceFormat,
    /// Which node each of the trace's is.
    pub map: TraceMap,
    /// The length of every packet in the place of the trace's, in words.
    pub fixed_words: Option<u16>,
    /// Whether packets wait for those that the trace says.
    pub dependencies: bool,
    /// Packets that may be held for reading ahead.
    pub window_packets: u32,
    /// What it holds, where it was read before the run.
    pub summary: Option<TraceSummary>,
    /// The run's last cycle in which a packet begins by itself, where that is known before the run.
    pub last_cycle: Option<Cycle>,
}

/// What is in a trace's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// A line a packet.
    Csv {
        /// How many nodes the trace has.
        nodes: u32,
    },
    /// A netrace file.
    Netrace {
        /// Both of the following, checked.
        parameters: NetraceParameters,
        /// Bytes a word.
        link_bytes: u32,
        /// The regions that are read; all by default.
        regions: Option<RegionRange>,
    },
}

/// Which node of the network each of the trace's is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceMap {
    /// That of the same number.
    InOrder,
    /// In rows in a corner of the plane.
    Block {
        /// Nodes a row.
        columns: u32,
    },
    /// Listed.
    Given(Vec<NodeId>),
}

impl TraceParameters {
    /// Opens the file.
    ///
    /// # Errors
    /// A [`TraceError`] where it can't be read or doesn't begin as such a file does.
    pub fn reader(&self) -> Result<Box<dyn TraceReader>, TraceError> {
        let file = open_input(&self.path).map_err(|error| TraceError::of_file(&error))?;
        let input = BufReader::new(file);
        let reader: Box<dyn TraceReader> = match &self.format {
            TraceFormat::Csv { nodes } => Box::new(CsvReader::new(input, *nodes)?),
            TraceFormat::Netrace { parameters, .. } => {
                Box::new(NetraceReader::new(input, *parameters)?)
            }
        };
        Ok(match self.fixed_words {
            Some(words) => Box::new(of_one_length(reader, words)),
            None => reader,
        })
    }

    /// The map from so many nodes of the trace.
    ///
    /// # Errors
    /// A [`MapError`] where they don't go onto the grid.
    pub fn node_map(&self, nodes: u32, grid: &Grid) -> Result<NodeMap, MapError> {
        match &self.map {
            TraceMap::InOrder => NodeMap::in_order(nodes, grid.nodes()),
            TraceMap::Block { columns } => NodeMap::block(*columns, nodes, grid),
            TraceMap::Given(places) => NodeMap::given(places, nodes, grid.nodes()),
        }
    }
}
