//! The command line: commands, arguments and options.

mod debug;
mod many;
mod offline;
mod parts;
mod shared;
mod topology;
mod trace;
mod view;

pub(crate) use many::{Compare, Merge, Saturate, Sweep, Tables};
pub(crate) use offline::{Route, Schedule};
pub(crate) use parts::{Paper, Study, command, own_options};
pub(crate) use shared::alone;
pub(crate) use topology::Topology;
pub(crate) use trace::{
    AskHang, AskPacket, AskWhy, AtNode, Blame, By, Diff, Events, Export, LeftOut, OfRun, Packets,
    Question, Times, Trace, What,
};

pub(crate) use debug::Debug;
pub(crate) use view::View;

use crate::exit::Exit;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use flitwork_config::{ENGINES, Override};
use flitwork_experiment::live::{Rehearsal, RehearsalKind};
use flitwork_experiment::worst_case::{Fraction, Instant};
use flitwork_studies::options::{EXCHANGES, listed, side, whole};
use flitwork_studies::paths::{Input, Output, OutputFolder};
use flitwork_types::{Cycle, NodeId};
use std::convert::Infallible;

/// What `--version` prints.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nrevision ",
    env!("FLITWORK_REVISION")
);

/// First steps, and what exit codes mean. No line is wider than 60 columns.
const EXAMPLES: &str = "\
Examples:
  flitwork run configs/chaos-mesh.toml
  flitwork paper chinn-exp2 --n 600 --seeds 1
  flitwork reference

Exit codes:
  0    success
  1    internal error, or a failure of the host
  2    bad input
  3    the simulated network failed, e.g. it deadlocked
  4    a replay differs from its record
  130  interrupted: Ctrl-C reports the results so far,
       a second Ctrl-C quits at once

`flitwork help COMMAND` describes a command in full.";

const RUN_EXAMPLE: &str = "\
A minimal configuration:
  [network]
  topology = \"mesh\"
  sides = [8, 8]
  [router.chaos]
  [traffic]
  load = 0.1        # words per node and cycle

`flitwork reference` lists all keys and their defaults.";

const ADVERSARY_EXAMPLE: &str = "\
To route the permutation:
  flitwork run CONFIG --set traffic.file=FILE

CONFIG sets process = \"once\" and pattern = \"permutation\" in [traffic]. A relative FILE is resolved against the folder \
of CONFIG.";

/// A cycle-level simulator of asynchronous routers and their networks.
#[derive(Debug, Parser)]
#[command(name = "flitwork", version, long_version = VERSION, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Log progress to standard error; -vv for debug messages, -vvv for everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = 100)]
    pub(crate) verbose: u8,
    /// Also write the log to this file, one JSON object per line, with at least the detail of -vv.
    #[arg(long, global = true, value_name = "FILE.jsonl", display_order = 101)]
    pub(crate) log: Option<Output>,
    /// Memory for all runs together, e.g. 8GB or 500MB; by default what is free on the host. A command that
    /// needs more is refused before it starts.
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory, allow_negative_numbers = true, display_order = 102)]
    pub(crate) memory: Option<u64>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate one configuration and report latency, throughput and use of resources.
    #[command(after_long_help = RUN_EXAMPLE)]
    Run(Box<Run>),
    /// Simulate a configuration over ranges of its keys, on all cores; resumes where it stopped.
    #[command(after_long_help = many::SWEEP_EXAMPLES)]
    Sweep(Sweep),
    /// Merge the shards of a sweep and write its tables and figures.
    Merge(Merge),
    /// Find the load at which a network saturates, by bisection.
    #[command(after_long_help = many::SATURATE_CODES)]
    Saturate(Saturate),
    /// Decide which of two configurations is better, by paired runs with common seeds.
    #[command(after_long_help = many::COMPARE_METHOD)]
    Compare(Compare),
    /// Replay the record of a live run deterministically and compare the two.
    Replay(Replay),
    /// Ask a run what happened in it: packets, events, nodes, and why a packet was late.
    #[command(subcommand_required = true, arg_required_else_help = true, after_long_help = trace::TRACE_EXAMPLES)]
    Trace(Trace),
    /// Explore a run in the terminal: its network, nodes and packets, step by step, forwards and backwards in time.
    #[command(after_long_help = debug::DEBUG_EXAMPLES)]
    Debug(Debug),
    /// Show a run in a browser: its network over time, its nodes and packets, or two runs side by side.
    #[command(after_long_help = view::VIEW_EXAMPLES)]
    View(View),
    /// Reproduce a published experiment and print the results beside the published ones.
    ///
    /// `flitwork paper EXPERIMENT --help` shows the options that the experiment reads.
    Paper(Paper),
    /// Route a static problem by a rule of the papers' synchronous steps.
    ///
    /// Prints the steps until all packets have arrived, the longest distance and the largest queue. If packets wait for each
    /// other, the circle is printed, and the exit code is 3.
    #[command(after_long_help = offline::ROUTE_EXAMPLES)]
    Route(Route),
    /// Schedule a static problem off-line, before any run, by a method of the papers.
    ///
    /// Prints the schedule's length beside the longest distance. Packets move on steps: in each, a link carries one word.
    #[command(after_long_help = offline::SCHEDULE_EXAMPLES)]
    Schedule(Schedule),
    /// Construct a worst-case permutation for a configuration's router.
    #[command(after_long_help = ADVERSARY_EXAMPLE)]
    Adversary(Adversary),
    /// Run one of the built-in studies, each a table over a parameter.
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Study(Study),
    /// Analyse a configuration without running it: its bounds, and whether it can deadlock.
    ///
    /// A network can deadlock if packets can wait for each other cyclically. For a wormhole router, the graph of channel
    /// dependencies is built and searched. A cyclic dependency is printed, and the exit code is 3. Of a configuration for
    /// `flitwork route` or `flitwork schedule`, what it has is printed.
    Check(Check),
    /// Describe a configuration's network: degrees, distances, bisection, and the throughput that they allow.
    #[command(after_long_help = topology::TOPOLOGY_EXAMPLES)]
    Topology(Topology),
    /// List what a configuration or a command can name: routers, topologies, patterns, studies and so on.
    List(List),
    /// Print the reference of all configuration keys, or of all columns of results, as Markdown.
    Reference(Reference),
}

/// Options of the live engine, each short for a key of the configuration.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of the live engine")]
pub(crate) struct Live {
    /// What runs the nodes; short for --set live.runtime=NAME.
    #[arg(long, value_name = "NAME", value_parser = runtime())]
    runtime: Option<Override>,
    /// How many cycles a node may run ahead of a neighbour, or "none" for no limit; short for --set
    /// live.slack=N.
    #[arg(long, value_name = "N|none", value_parser = short_for("--slack", "live.slack"), allow_negative_numbers = true)]
    slack: Option<Override>,
    /// Worker threads, up to one per node; short for --set live.workers=N.
    #[arg(long, value_name = "N", value_parser = short_for("--workers", "live.workers"), allow_negative_numbers = true)]
    workers: Option<Override>,
    /// Messages that a link holds in each direction, at least its latency in cycles + 1; short for --set
    /// live.channel_capacity=N.
    #[arg(long, value_name = "N", value_parser = short_for("--channel-capacity", "live.channel_capacity"), allow_negative_numbers = true)]
    channel_capacity: Option<Override>,
    /// Cycles that a node may run before its worker turns to another; short for --set live.burst_cycles=N.
    #[arg(long, value_name = "N", value_parser = short_for("--burst-cycles", "live.burst_cycles"), allow_negative_numbers = true)]
    burst_cycles: Option<Override>,
    /// Pin each worker to a core of its own; short for --set live.pinning=true.
    #[arg(long, num_args = 0, default_missing_value = "true", value_parser = short_for("--pinning", "live.pinning"))]
    pinning: Option<Override>,
}

impl Live {
    /// What they put over the configuration.
    pub(crate) fn overrides(&self) -> impl Iterator<Item = Override> {
        let all = [
            &self.runtime,
            &self.slack,
            &self.workers,
            &self.channel_capacity,
            &self.burst_cycles,
            &self.pinning,
        ];
        all.into_iter().flatten().cloned()
    }
}

#[derive(Debug, Args)]
pub(crate) struct Settings {
    /// Override a key of the configuration, e.g. traffic.load=0.3. May be repeated. A file that isn't in the configuration's
    /// folder may be in the working directory.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The seed of all random draws; short for --set run.seed=N.
    #[arg(long, value_name = "N", value_parser = short_for("--seed", "run.seed"), allow_negative_numbers = true)]
    seed: Option<Override>,
    /// The engine; short for --set run.engine=NAME.
    #[arg(long, value_name = "NAME", value_parser = engine())]
    engine: Option<Override>,
}

impl Settings {
    /// What they put over the configuration.
    pub(crate) fn overrides(&self) -> Result<Vec<Override>, Exit> {
        let short = self.seed.iter().chain(&self.engine).cloned();
        with_short(overrides(&self.set)?, short)
    }
}

/// The overrides that an option gives, KEY=VALUE each.
pub(crate) fn overrides(set: &[String]) -> Result<Vec<Override>, Exit> {
    let all: Result<Vec<Override>, _> = set.iter().map(|text| text.parse()).collect();
    all.map_err(Exit::bad_input)
}

/// Adds the values of options that are short for a key.
///
/// # Errors
/// A key that is given twice: neither value is the last.
pub(crate) fn with_short(
    mut all: Vec<Override>,
    short: impl IntoIterator<Item = Override>,
) -> Result<Vec<Override>, Exit> {
    for option in short {
        if let Some(other) = all.iter().find(|over| over.key == option.key) {
            return Err(Exit::bad_input(format!(
                "command line: {option}: {other} sets {} too\n  allowed: one of the two",
                option.key
            )));
        }
        all.push(option);
    }
    Ok(all)
}

/// The documents that have a JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Schema {
    /// Configurations.
    Configuration,
    /// The results of a run.
    Results,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The configuration, a TOML file.
    #[arg(required_unless_present = "schema")]
    pub(crate) config: Option<Input>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Print what was found as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a JSON Schema instead: that of configurations, or with --schema=results that of results.json.
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "configuration",
        conflicts_with_all = ["config", "set", "seed", "engine", "json"]
    )]
    pub(crate) schema: Option<Schema>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only this kind: routers, topologies, "routing functions", allocators, priorities, patterns,
    /// processes, engines, orders, crossings, rules, inqueues, methods, studies, papers, formats or exports. The first
    /// letters are enough.
    pub(crate) kind: Option<String>,
}

/// What there is a reference of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Subject {
    /// The keys of configurations.
    Keys,
    /// The columns of results: names, units, types, and the files that have them.
    Columns,
    /// The columns of studies and papers' experiments.
    Studies,
}

#[derive(Debug, Args)]
pub(crate) struct Reference {
    /// What it is a reference of.
    #[arg(value_enum, default_value_t = Subject::Keys)]
    pub(crate) subject: Subject,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The configuration, a TOML file.
    pub(crate) config: Input,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Write results.json, results.csv, links.csv, nodes.csv, latency.csv and a heat map to this folder, and
    /// waits.csv if the network fails.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<OutputFolder>,
    /// Overwrite existing results and records, all files at once.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the results as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write one row per packet to this file: source, destination, when it was created, injected and delivered,
    /// and its hops. The extension selects the format.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) packets: Option<Output>,
    /// Write an index of the run to this file, for `flitwork trace`: what is needed to repeat the run, a row per packet,
    /// and what nodes did in each stretch of cycles. A live run needs --record as well.
    #[arg(long, value_name = "FILE.fltrace")]
    pub(crate) trace: Option<Output>,
    /// Also write loads, latency, backlog and use of links over time, in intervals of this many cycles:
    /// intervals.csv and a figure, in the folder of --out.
    #[arg(long, requires = "out", value_name = "CYCLES", value_parser = every, allow_negative_numbers = true)]
    pub(crate) every: Option<u32>,
    /// Record what the host decides in a live run, for `flitwork replay`.
    #[arg(long, value_name = "FILE.flog")]
    pub(crate) record: Option<Output>,
    /// Also record which packets arrived at each node, so that `flitwork replay --node` can replay that node
    /// alone. The record is about twice as large.
    #[arg(long, requires = "record")]
    pub(crate) record_heads: bool,
    /// Inject a fault into a live run, to see how it is handled: panic (the node panics), close (the channels into
    /// it close) or die (the worker that runs it ends).
    #[arg(long, value_name = "FAULT:NODE@CYCLE", value_parser = rehearsal)]
    pub(crate) rehearse: Option<Rehearsal>,
    // Last: its heading would also cover the options after it.
    #[command(flatten)]
    pub(crate) live: Live,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The record, as `flitwork run --record` writes it.
    pub(crate) record: Input,
    /// Threads; the result doesn't depend on their number.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: usize,
    /// Stop when this node reaches this cycle, and list the packets in it.
    #[arg(long, value_name = "NODE@CYCLE", value_parser = node_at)]
    pub(crate) until: Option<(NodeId, Cycle)>,
    /// Report on these nodes: their cycles and digests, and with --trace their events. If the record was made
    /// with --record-heads, only these nodes are replayed.
    #[arg(long, value_delimiter = ',', value_name = "NODE,…", value_parser = node)]
    pub(crate) node: Vec<NodeId>,
    /// Print every event instead of the results, one per line (cycle, node, event), in order for each node.
    #[arg(long)]
    pub(crate) trace: bool,
    /// Refuse the record unless it was made with this configuration.
    #[arg(long, value_name = "FILE", conflicts_with = "set")]
    pub(crate) config: Option<Input>,
    /// Override a key of the record's configuration; needs --what-if. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Replay under another configuration: arrivals keep their recorded cycles for as long as that is possible,
    /// and the first arrival that isn't possible is reported.
    #[arg(long)]
    pub(crate) what_if: bool,
    /// Print the results as JSON.
    #[arg(long, conflicts_with = "trace")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Adversary {
    /// The configuration, a TOML file, with a deterministic, minimal router (or greedy-hp) on a mesh.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Input,
    /// Write the permutation to this JSON file, which traffic.file of a configuration can name.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Output,
    /// Overwrite the file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
    /// The side of the corner in which packets start, instead of the thesis's choice.
    #[arg(long, value_name = "NODES", value_parser = side, allow_negative_numbers = true)]
    pub(crate) corner: Option<u32>,
    /// When destinations are exchanged: at the decision, or when the link starts to send the packet.
    #[arg(long, value_parser = listed(EXCHANGES), value_name = "WHEN")]
    pub(crate) exchange: Option<Instant>,
    /// The constant d: a class has floor((k + 1)(cn + c²n) + d n) packets; by default 1/3.
    #[arg(long, value_name = "FRACTION")]
    pub(crate) d: Option<Fraction>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// An option that is short for a key. The configuration checks the value and reports what is allowed.
fn short_for(
    option: &'static str,
    key: &'static str,
) -> impl Fn(&str) -> Result<Override, Infallible> + Clone + Send + Sync + 'static {
    move |value| Ok(Override::by_option(option, key, value))
}

fn engine() -> impl TypedValueParser<Value = Override> {
    let engines = ENGINES.iter();
    let names = engines.map(|(engine, help)| PossibleValue::new(engine.name()).help(*help));
    let parser = PossibleValuesParser::new(names);
    parser.map(|name| Override::by_option("--engine", "run.engine", &name))
}

fn runtime() -> impl TypedValueParser<Value = Override> {
    let names = [("threads", "Worker threads"), ("tokio", "Tokio tasks")];
    let names = names.map(|(name, help)| PossibleValue::new(name).help(help));
    let parser = PossibleValuesParser::new(names);
    parser.map(|name| Override::by_option("--runtime", "live.runtime", &name))
}

/// Bytes.
fn memory(text: &str) -> Result<u64, String> {
    let size: Option<bytesize::ByteSize> = text.parse().ok();
    let bytes = size.map(|size| size.as_u64()).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "allowed: a size, e.g. 8GB (10^9 bytes) or 500MiB (2^20 bytes)".into())
}

/// The length of an interval, in cycles.
fn every(text: &str) -> Result<u32, String> {
    whole(text, 1..=4_000_000_000)
}

/// A fault, a node and a cycle.
fn rehearsal(text: &str) -> Result<Rehearsal, String> {
    let allowed = "allowed: panic, close or die, then :NODE@CYCLE, e.g. panic:5@1000";
    let parts = text.split_once(':').and_then(|(kind, at)| {
        let kind = match kind {
            "panic" => RehearsalKind::Panic,
            "close" => RehearsalKind::Close,
            "die" => RehearsalKind::Die,
            _ => return None,
        };
        Some((kind, node_at(at).ok()?))
    });
    let (kind, (node, cycle)) = parts.ok_or(allowed)?;
    Ok(Rehearsal { kind, node, cycle })
}

/// NODE@CYCLE.
pub(crate) fn node_at(text: &str) -> Result<(NodeId, Cycle), String> {
    let parts = text
        .split_once('@')
        .and_then(|(node, cycle)| Some((node.trim().parse().ok()?, cycle.trim().parse().ok()?)));
    let (node, cycle) = parts.ok_or("allowed: NODE@CYCLE, e.g. 5@1000")?;
    Ok((NodeId(node), Cycle(cycle)))
}

fn node(text: &str) -> Result<NodeId, String> {
    let number = text.trim().parse().ok();
    number
        .map(NodeId)
        .ok_or("allowed: the number of a node, from 0".into())
}

/// A number of threads; no host has more than the most allowed.
fn threads(text: &str) -> Result<usize, String> {
    whole(text, 1..=1024).map(|threads| threads as usize)
}
