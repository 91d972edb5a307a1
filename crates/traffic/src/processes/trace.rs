//! `trace`: packets that were recorded or computed elsewhere.

mod read;

use super::{Arrivals, BernoulliParameters, COUNT, Destinations, ProcessParameters};
use crate::{
    AnyProcess, CsvReader, Lengths, MapError, NetraceParameters, NetraceReader, NodeMap, OpenFile,
    ReadContext, ReadySources, RunContext, TraceError, TraceOptions, TraceReader, TraceSummary,
    TraceWorkload, of_one_length,
};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, Parts, RawTable, Refusal, entries, key, named, settings,
};
use flitwork_topology::{MAX_NODES, Topology};
use flitwork_types::{Cycle, TerminalId};
use std::path::{Path, PathBuf};

/// A trace: its file, the part of it to read, and the map to terminals of the network.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceParameters {
    /// The file, as configured.
    pub file: String,
    /// Its path.
    pub path: PathBuf,
    /// Its format, and the part of it to read.
    pub format: TraceFormat,
    /// Which terminal of the network each node of the trace is.
    pub map: TraceMap,
    /// The length of every packet, in words, in place of the trace's lengths.
    pub fixed_words: Option<u16>,
    /// Whether packets wait for others, as the trace says.
    pub dependencies: bool,
    /// How many packets may be read ahead.
    pub window_packets: u32,
    /// The summary of the trace, if it was read before the run.
    pub summary: Option<TraceSummary>,
    /// The last cycle of the run in which the trace starts a packet, if that is known before the run.
    pub last_cycle: Option<Cycle>,
}

/// The format of a trace's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// CSV, one line per packet.
    Csv {
        /// The number of nodes in the trace.
        nodes: u32,
    },
    /// A netrace file.
    Netrace(NetraceParameters),
}

/// The map from nodes of the trace to terminals of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceMap {
    /// To the node with the same number.
    InOrder,
    /// In rows, to a corner of the plane.
    Block {
        /// Nodes per row.
        columns: u32,
    },
    /// To the nodes listed.
    Given(Vec<TerminalId>),
}

impl TraceParameters {
    /// Opens the file.
    ///
    /// # Errors
    /// A [`TraceError`] if it can't be read or doesn't begin like a file of its format.
    pub fn reader(&self, open: OpenFile) -> Result<Box<dyn TraceReader>, TraceError> {
        let input = open(&self.path)?;
        let reader: Box<dyn TraceReader> = match &self.format {
            TraceFormat::Csv { nodes } => Box::new(CsvReader::new(input, *nodes)?),
            TraceFormat::Netrace(parameters) => Box::new(NetraceReader::new(input, *parameters)?),
        };
        Ok(match self.fixed_words {
            Some(words) => of_one_length(reader, words),
            None => reader,
        })
    }

    /// The map for a trace of `nodes` nodes.
    ///
    /// # Errors
    /// A [`MapError`] if they don't fit the topology.
    pub fn node_map(&self, nodes: u32, topology: &dyn Topology) -> Result<NodeMap, MapError> {
        match &self.map {
            TraceMap::InOrder => NodeMap::in_order(nodes, topology.terminals()),
            TraceMap::Block { columns } => NodeMap::block(*columns, nodes, topology),
            TraceMap::Given(places) => NodeMap::given(places, nodes, topology.terminals()),
        }
    }

    /// Opens the trace for the run. It may have been changed or removed since it was first read.
    fn open(&self, context: &RunContext<'_>) -> Result<TraceWorkload, TraceError> {
        let reader = self.reader(context.open)?;
        let nodes = reader.nodes();
        let Ok(map) = self.node_map(nodes, context.topology) else {
            return Err(TraceError::changed(nodes));
        };
        let options = TraceOptions {
            obey_dependencies: self.dependencies,
            window_packets: self.window_packets as usize,
        };
        let workload = TraceWorkload::new(reader, map, options)?;
        Ok(match &self.summary {
            Some(summary) => workload.with_summary(summary),
            None => workload,
        })
    }
}

const TABLE: &str = "trace";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Format {
    #[default]
    Csv,
    Netrace,
}

named!(Format { Csv = "csv", Netrace = "netrace" });

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Map {
    Block,
    Given,
    #[default]
    InOrder,
}

named!(Map { Block = "block", Given = "given", InOrder = "in-order" });

/// The table as configured.
#[derive(Clone, Default)]
struct Table {
    file: String,
    format: Option<Format>,
    link_bytes: Option<u32>,
    first_region: Option<u32>,
    last_region: Option<u32>,
    nodes: Option<u32>,
    map: Map,
    columns: Option<u32>,
    places: Option<Vec<TerminalId>>,
    dependencies: bool,
    window_packets: u32,
    read_first: bool,
}

#[rustfmt::skip]
const KEYS: &[Key<Table>] = &[
    key("file", |it| &mut it.file, Allowed::Text, "required", "the trace's file, plain or compressed with bzip2, relative to the configuration file's directory"),
    key("format", |it| &mut it.format, Allowed::Choice(Format::NAMES), "netrace if the name contains .tra, else csv", "the format of the trace"),
    key("link_bytes", |it| &mut it.link_bytes, Allowed::Whole(1, COUNT), "8", "bytes per word; netrace only"),
    key("first_region", |it| &mut it.first_region, Allowed::Whole(0, COUNT), "all regions", "the first region to read, from 0; netrace only"),
    key("last_region", |it| &mut it.last_region, Allowed::Whole(0, COUNT), "first_region", "the last region to read; netrace only"),
    key("nodes", |it| &mut it.nodes, Allowed::Whole(1, MAX_NODES as u64), "that of the network's terminals", "the number of nodes in the trace; csv only"),
    key("map", |it| &mut it.map, Allowed::Choice(Map::NAMES), "\"in-order\"", "which terminal of the network each node of the trace is: in rows of columns nodes in a corner of the plane, the first terminal of each node (block), as listed in places (given), or the one with the same number (in-order)"),
    key("columns", |it| &mut it.columns, Allowed::Whole(1, MAX_NODES as u64), "required for block", "nodes per row of the trace's network; block only"),
    key("places", |it| &mut it.places, Allowed::list(&Allowed::Node), "required for given", "the network's node for each node of the trace; given only"),
    key("dependencies", |it| &mut it.dependencies, Allowed::Truth, "true", "whether packets wait for others, as the trace says; otherwise each is ready in its own cycle"),
    key("window_packets", |it| &mut it.window_packets, Allowed::Whole(1, COUNT), "4096", "how many packets may be read ahead; doesn't change results"),
    key("read_first", |it| &mut it.read_first, Allowed::Truth, "true", "whether to read the trace once before the run, so that errors in it are found first; required by the clocked and the live engine"),
];

impl ProcessParameters for TraceParameters {
    const NAME: &'static str = "trace";
    const HELP: &'static str =
        "packets from a netrace or CSV file, with the dependencies between them";
    const ARRIVALS: Arrivals = Arrivals::Closed;
    const DESTINATIONS: Destinations = Destinations::Process("the trace says where packets go");
    const HAS_OWN_LENGTHS: bool = true;

    fn keys(_: &Parts) -> Vec<Entry> {
        let meaning = "packets that were recorded or computed elsewhere; trace only";
        let keys = entries(KEYS);
        vec![Entry::table(TABLE, "required for trace", meaning, keys)]
    }

    fn read(given: &RawTable<'_>, _: &Lengths, context: &ReadContext<'_>) -> Result<Self, Refusal> {
        read::read(given, context)
    }

    fn check_run(&self, given: &RawTable<'_>, context: &ReadContext<'_>) -> Result<(), Refusal> {
        let Some(engine) = context.unclocked_engine.filter(|_| self.dependencies) else {
            return Ok(());
        };
        let table = given.table(TABLE);
        let reads_first = table.is_none_or(|table| table.get("read_first") != Some(false));
        let allowed = match &self.summary {
            Some(summary) if summary.is_local() => return Ok(()),
            // It hasn't been read because something else is wrong.
            None if context.skips_slow_checks && reads_first => return Ok(()),
            Some(_) => format!(
                "with run.engine = {engine:?} a trace in which each packet starts at the destination of those that it \
                 waits for, unlike this one: a source can't learn of a delivery at another node"
            ),
            None => format!("traffic.trace.read_first = true with run.engine = {engine:?}"),
        };
        Err(given.conflict(TABLE, allowed))
    }

    fn settings(&self) -> Vec<(&'static str, Datum)> {
        let mut keys = Table {
            file: self.file.clone(),
            dependencies: self.dependencies,
            window_packets: self.window_packets,
            read_first: self.summary.is_some(),
            ..Table::default()
        };
        match &self.format {
            TraceFormat::Csv { nodes } => {
                (keys.format, keys.nodes) = (Some(Format::Csv), Some(*nodes));
            }
            TraceFormat::Netrace(read) => {
                (keys.format, keys.link_bytes) = (Some(Format::Netrace), Some(read.link_bytes));
                keys.first_region = read.regions.map(|regions| regions.first);
                keys.last_region = read.regions.map(|regions| regions.last);
            }
        }
        match &self.map {
            TraceMap::InOrder => {}
            TraceMap::Block { columns } => {
                (keys.map, keys.columns) = (Map::Block, Some(*columns));
            }
            TraceMap::Given(places) => {
                (keys.map, keys.places) = (Map::Given, Some(places.clone()));
            }
        }
        vec![(TABLE, Datum::table(settings(KEYS, &keys)))]
    }

    fn sources(&self, context: &RunContext<'_>) -> ReadySources {
        let workload = self.open(context).unwrap_or_else(TraceWorkload::broken);
        ReadySources {
            trace: Some(workload.handle()),
            workload: Box::new(workload),
        }
    }

    fn packet_words(&self, _: Option<u16>) -> Option<u16> {
        self.fixed_words
    }

    fn longest_words(&self, _: u16) -> u16 {
        let read = self.summary.as_ref();
        let most = read.map_or(u16::MAX, |summary| summary.most_words.max(1));
        self.fixed_words.unwrap_or(most)
    }

    fn may_leave_nodes_untouched(&self, _: bool) -> bool {
        true
    }

    fn waits_for_deliveries(&self) -> bool {
        true
    }

    fn last_cycle(&self) -> Option<Cycle> {
        self.last_cycle
    }

    fn scaled_down(&self, _: f64, _: u32) -> AnyProcess {
        BernoulliParameters { load: 0.1 }.into()
    }

    fn followed_file(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn files(&mut self) -> Vec<&mut String> {
        vec![&mut self.file]
    }
}
