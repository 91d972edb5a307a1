//! `trace`: what was recorded or computed elsewhere.

mod read;

use super::{Arrivals, BernoulliParameters, COUNT, Destinations, ProcessEntry, ProcessParameters};
use crate::{
    AnyProcess, Around, CsvReader, Lengths, MapError, NetraceParameters, NetraceReader, NodeMap,
    OpenFile, ReadySources, RegionRange, Site, TraceError, TraceOptions, TraceReader, TraceSummary,
    TraceWorkload, of_one_length,
};
use flitwork_schema::{
    Allowed, Datum, Entry, Given, Key, Parts, Refusal, entries, key, named, written,
};
use flitwork_topology::{MAX_NODES, Topology};
use flitwork_types::{Cycle, NodeId};
use std::path::{Path, PathBuf};

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
    pub fn reader(&self, open: OpenFile) -> Result<Box<dyn TraceReader>, TraceError> {
        let input = open(&self.path)?;
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
    pub fn node_map(&self, nodes: u32, topology: &dyn Topology) -> Result<NodeMap, MapError> {
        match &self.map {
            TraceMap::InOrder => NodeMap::in_order(nodes, topology.nodes()),
            TraceMap::Block { columns } => NodeMap::block(*columns, nodes, topology),
            TraceMap::Given(places) => NodeMap::given(places, nodes, topology.nodes()),
        }
    }

    /// A trace may have changed or gone since it was read first.
    fn follow(&self, site: &Site<'_>) -> Result<TraceWorkload, TraceError> {
        let reader = self.reader(site.open)?;
        let nodes = reader.nodes();
        let Ok(map) = self.node_map(nodes, site.topology) else {
            return Err(TraceError::changed(nodes));
        };
        let options = TraceOptions {
            obey_dependencies: self.dependencies,
            window_packets: self.window_packets as usize,
            keep_births: site.keep_births,
        };
        let workload = TraceWorkload::new(reader, map, options)?;
        Ok(match &self.summary {
            Some(summary) => workload.with_summary(summary),
            None => workload,
        })
    }
}

pub(super) const ENTRY: ProcessEntry = ProcessEntry::of::<TraceParameters>();

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

/// The table as it is written.
#[derive(Clone, Default)]
struct Asked {
    file: String,
    format: Option<Format>,
    link_bytes: Option<u32>,
    first_region: Option<u32>,
    last_region: Option<u32>,
    nodes: Option<u32>,
    map: Map,
    columns: Option<u32>,
    places: Option<Vec<NodeId>>,
    dependencies: bool,
    window_packets: u32,
    read_first: bool,
}

#[rustfmt::skip]
const KEYS: &[Key<Asked>] = &[
    key("file", |it| &mut it.file, Allowed::Text, "required", "the trace's file, plain or packed by bzip2, from the configuration file's directory"),
    key("format", |it| &mut it.format, Allowed::Choice(Format::NAMES), "netrace for names with .tra, else csv", "what kind of trace it is"),
    key("link_bytes", |it| &mut it.link_bytes, Allowed::Whole(1, COUNT), "8", "bytes a word; netrace only"),
    key("first_region", |it| &mut it.first_region, Allowed::Whole(0, COUNT), "all regions", "the first region that is read, from 0; netrace only"),
    key("last_region", |it| &mut it.last_region, Allowed::Whole(0, COUNT), "first_region", "the last region that is read; netrace only"),
    key("nodes", |it| &mut it.nodes, Allowed::Whole(1, MAX_NODES as u64), "those of the network", "how many nodes the trace has; csv only"),
    key("map", |it| &mut it.map, Allowed::Choice(Map::NAMES), "\"in-order\"", "which node of the network each of the trace's is: in rows of columns nodes in a corner of the plane, as places says, or by the same number"),
    key("columns", |it| &mut it.columns, Allowed::Whole(1, MAX_NODES as u64), "required for block", "nodes in a row of the trace's network; block only"),
    key("places", |it| &mut it.places, Allowed::Nodes, "required for given", "the network's node for each of the trace's; given only"),
    key("dependencies", |it| &mut it.dependencies, Allowed::Truth, "true", "whether packets wait for those that the trace says; otherwise each is ready in its own cycle"),
    key("window_packets", |it| &mut it.window_packets, Allowed::Whole(1, COUNT), "4096", "packets that may be held for reading ahead; changes no result"),
    key("read_first", |it| &mut it.read_first, Allowed::Truth, "true", "whether the trace is read once before the run, so that mistakes in it are found first; the clocked and the live engine need it"),
];

impl ProcessParameters for TraceParameters {
    const NAME: &'static str = "trace";
    const HELP: &'static str = "a netrace or CSV file, with what each packet waits for";
    const ARRIVALS: Arrivals = Arrivals::Closed;
    const DESTINATIONS: Destinations = Destinations::Process("the trace says where packets go");
    const HAS_OWN_LENGTHS: bool = true;

    fn keys(_: &Parts) -> Vec<Entry> {
        let meaning = "packets that were recorded or computed elsewhere; trace only";
        let keys = entries(KEYS);
        vec![Entry::table(TABLE, "required for trace", meaning, keys)]
    }

    fn read(given: &Given<'_>, _: &Lengths, around: &Around<'_>) -> Result<Self, Refusal> {
        read::read(given, around)
    }

    fn hold(&self, given: &Given<'_>, around: &Around<'_>) -> Result<(), Refusal> {
        let Some(engine) = around.apart.filter(|_| self.dependencies) else {
            return Ok(());
        };
        let allowed = match &self.summary {
            Some(summary) if summary.is_local() => return Ok(()),
            Some(_) => format!(
                "with run.engine = {engine:?} a trace whose packets start where those end that they wait for; \
                 this one's don't: nothing would tell a node of a delivery elsewhere"
            ),
            None => format!("traffic.trace.read_first = true with run.engine = {engine:?}"),
        };
        Err(given.conflict(TABLE, allowed))
    }

    fn written(&self) -> Vec<(&'static str, Datum)> {
        let mut asked = Asked {
            file: self.file.clone(),
            dependencies: self.dependencies,
            window_packets: self.window_packets,
            read_first: self.summary.is_some(),
            ..Asked::default()
        };
        match &self.format {
            TraceFormat::Csv { nodes } => {
                (asked.format, asked.nodes) = (Some(Format::Csv), Some(*nodes));
            }
            TraceFormat::Netrace {
                link_bytes,
                regions,
                ..
            } => {
                (asked.format, asked.link_bytes) = (Some(Format::Netrace), Some(*link_bytes));
                asked.first_region = regions.map(|regions| regions.first);
                asked.last_region = regions.map(|regions| regions.last);
            }
        }
        match &self.map {
            TraceMap::InOrder => {}
            TraceMap::Block { columns } => {
                (asked.map, asked.columns) = (Map::Block, Some(*columns));
            }
            TraceMap::Given(places) => {
                (asked.map, asked.places) = (Map::Given, Some(places.clone()));
            }
        }
        vec![(TABLE, Datum::table(written(KEYS, &asked)))]
    }

    fn sources(&self, site: &Site<'_>) -> ReadySources {
        let workload = self.follow(site).unwrap_or_else(TraceWorkload::broken);
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

    fn leaves_nodes_alone(&self, _: bool) -> bool {
        true
    }

    fn waits_for_deliveries(&self) -> bool {
        true
    }

    fn last_cycle(&self) -> Option<Cycle> {
        self.last_cycle
    }

    fn small(&self, _: f64, _: u32) -> AnyProcess {
        BernoulliParameters { load: 0.1 }.into()
    }

    fn followed(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn files(&mut self) -> Vec<&mut String> {
        vec![&mut self.file]
    }
}
