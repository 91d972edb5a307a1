//! What can be said on the command line.

mod many;
mod parts;

pub(crate) use many::{Compare, Merge, Saturate, Sweep};
pub(crate) use parts::{Paper, Study, command};

use clap::{Args, Parser, Subcommand, ValueEnum};
use flitwork_experiment::live::{Rehearsal, RehearsalKind};
use flitwork_report::ENDINGS;
use flitwork_studies::options::{side, whole};
use flitwork_types::{Cycle, NodeId};
use std::path::PathBuf;
use std::sync::LazyLock;

/// What `--version` prints.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nrevision ",
    env!("FLITWORK_REVISION")
);

/// The name of a file with a table, by the formats that there are.
fn table_file() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| format!("FILE.{}", ENDINGS.join("|")));
    &NAME
}

/// Where to begin, and what exit codes mean.
const BEGIN: &str = "\
Begin with:
  flitwork run configs/chaos-mesh.toml
  flitwork paper chinn-exp2 --n 600 --seeds 1
  flitwork reference

Exit codes: 0 fine, 1 a failure of ours or of the host, 2 bad input, 3 the simulated network failed
(deadlock or livelock), 4 a replay differs from its record, 130 interrupted (Ctrl-C: ends with what there is; twice: at once).";

const RUN_BEGIN: &str = "\
The least configuration:
  [network]
  topology = \"mesh\"
  sides = [8, 8]
  [router.chaos]
  [traffic]
  load = 0.1        # words a node and cycle

`flitwork reference` lists all keys and their defaults.";

const ADVERSARY_BEGIN: &str = "\
Route the permutation with
  flitwork run CONFIG --set traffic.file=FILE
where CONFIG has process = \"once\" and pattern = \"permutation\" in [traffic]. A file that isn't given by
an absolute path is looked for in the folder of CONFIG.";

/// Simulates networks of asynchronous routers, cycle by cycle.
#[derive(Debug, Parser)]
#[command(name = "flitwork", version, long_version = VERSION, max_term_width = 100, after_help = BEGIN)]
pub(crate) struct Arguments {
    /// Say more on standard error of what is being done; twice for more still.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = 100)]
    pub(crate) verbose: u8,
    /// Write what is being done into this file too, a JSON object a line; at least what -vv says.
    #[arg(long, global = true, value_name = "FILE.jsonl", display_order = 101)]
    pub(crate) log: Option<PathBuf>,
    /// Let all runs together take so much memory, as 8GB or 500MB, in the place of what the host has free. What
    /// needs more is refused before it begins.
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory, display_order = 102)]
    pub(crate) memory: Option<u64>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a configuration and report what an architect wants to see.
    #[command(after_long_help = RUN_BEGIN)]
    Run(Run),
    /// Simulate a configuration at many points, on all cores: tables and figures; goes on where it ended.
    #[command(after_long_help = many::SWEEP_BEGIN)]
    Sweep(Sweep),
    /// Put the shards of a sweep together, and write its tables and figures.
    Merge(Merge),
    /// Find the load at which a network saturates, by bisection.
    Saturate(Saturate),
    /// Tell which of two configurations is better, with the same seeds for both.
    #[command(after_long_help = many::COMPARE_BEGIN)]
    Compare(Compare),
    /// Run a record of a live run again, deterministically, and compare.
    Replay(Replay),
    /// Reproduce a published experiment and print it beside the published table.
    Paper(Paper),
    /// Construct a worst-case permutation against a configuration's router.
    #[command(after_long_help = ADVERSARY_BEGIN)]
    Adversary(Adversary),
    /// Run a study of ours: a table over a parameter.
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Study(Study),
    /// Look at a configuration without running it: its bounds, and whether packets can wait for each other
    /// in a circle; a wormhole router's channel dependencies are built and looked through. Where they can,
    /// the circle is named and the exit code is 3.
    Check(Check),
    /// List everything that a configuration can name, with a line each.
    List(List),
    /// Print the reference of all configuration keys, as Markdown.
    Reference,
}

/// Which engine steps the routers. The first three give one digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Works only where something can happen.
    Sync,
    /// The same, but moves every word.
    SyncStepped,
    /// Steps every node in every cycle and moves every word: the reference.
    SyncPlain,
    /// Gives nodes clocks of their own, as the table `clocks` says.
    Clocked,
    /// Runs nodes concurrently, as the table `live` says.
    Live,
}

/// What runs the nodes of the live engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Runtime {
    /// Threads of our own.
    Threads,
    /// Tasks of Tokio.
    Tokio,
}

/// How the live engine runs its nodes.
#[derive(Debug, Args)]
#[command(next_help_heading = "The live engine")]
pub(crate) struct Live {
    /// What runs the nodes; the same as --set live.runtime=NAME.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) runtime: Option<Runtime>,
    /// Cycles by which a node may lead a neighbour, or "none" for as many as happen; the same as --set
    /// live.slack=N.
    #[arg(long, value_name = "N|none", allow_negative_numbers = true)]
    pub(crate) slack: Option<String>,
    /// Worker threads; as many as nodes makes one thread a node. The same as --set live.workers=N.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) workers: Option<String>,
    /// Messages that a link holds each way, at least the link's latency in cycles + 1; the same as --set
    /// live.channel_capacity=N.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) channel_capacity: Option<String>,
    /// Cycles that a node may run in a row when its turn comes; the same as --set live.burst_cycles=N.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) burst_cycles: Option<String>,
    /// Keep each worker on a core of its own; the same as --set live.pinning=true.
    #[arg(long)]
    pub(crate) pinning: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Settings {
    /// Change a key of the configuration, e.g. traffic.load=0.3. Can be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The seed of everything random; the same as --set run.seed=N.
    // Text, because the configuration knows what is allowed and says it.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<String>,
    /// The engine; the same as --set run.engine=NAME.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) engine: Option<Engine>,
}

/// What a JSON Schema can be printed of.
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
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Print a JSON Schema instead: of configurations, or with --schema=results of results.json.
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "configuration",
        conflicts_with_all = ["config", "set", "seed", "engine"]
    )]
    pub(crate) schema: Option<Schema>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only this kind: routers, topologies, "routing functions", allocators, priorities, patterns,
    /// processes or engines. The first letters are enough.
    pub(crate) kind: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The configuration, a TOML file.
    pub(crate) config: PathBuf,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Write results.json, results.csv, links.csv, nodes.csv, latency.csv and a heat map into this
    /// folder, and waits.csv if the network fails.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Replace results and records that are there, as a whole.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the results as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a row for every packet into this file: where it went, when it was created, injected and
    /// delivered, its hops. The ending says in which format.
    #[arg(long, value_name = table_file())]
    pub(crate) packets: Option<PathBuf>,
    /// Write loads, latency, backlog and use of links over time, in intervals of so many cycles:
    /// intervals.csv and a figure in the folder of --out.
    #[arg(long, requires = "out", value_name = "CYCLES", value_parser = every, allow_negative_numbers = true)]
    pub(crate) every: Option<u32>,
    /// Write down what the host decided in a live run, for `flitwork replay`.
    #[arg(long, value_name = "FILE.flog")]
    pub(crate) record: Option<PathBuf>,
    /// Write down which packets came to each node, too: `flitwork replay --node` then replays that node
    /// alone, and the record is about twice as large.
    #[arg(long, requires = "record")]
    pub(crate) record_heads: bool,
    /// Set off a fault in a live run, to see what becomes of it: panic (of the node), close (of the
    /// channels into it) or die (of the worker that runs it).
    #[arg(long, value_name = "FAULT:NODE@CYCLE", value_parser = rehearsal)]
    pub(crate) rehearse: Option<Rehearsal>,
    // Last, since its heading would stand over what follows.
    #[command(flatten)]
    pub(crate) live: Live,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The record, as `flitwork run --record` writes it.
    pub(crate) record: PathBuf,
    /// Threads; the replay does the same on any number of them.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = threads)]
    pub(crate) threads: usize,
    /// Stop when this node begins this cycle, and say what packets stand in it.
    #[arg(long, value_name = "NODE@CYCLE", value_parser = node_at)]
    pub(crate) until: Option<(NodeId, Cycle)>,
    /// Tell of these nodes: their cycles and digests, and with --trace their events. Only these are
    /// replayed, from what came to them, if the record was made with --record-heads.
    #[arg(long, value_delimiter = ',', value_name = "NODE,…", value_parser = node)]
    pub(crate) node: Vec<NodeId>,
    /// Print every event, a line each (cycle, node, what) instead of the results; each node's in order.
    #[arg(long)]
    pub(crate) trace: bool,
    /// Refuse the record if it wasn't made with this configuration.
    #[arg(long, value_name = "FILE", conflicts_with = "set")]
    pub(crate) config: Option<PathBuf>,
    /// Change a key of the record's configuration; needs --what-if. Can be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Move words one by one, as the live run did: slower, and the same.
    #[arg(long)]
    pub(crate) stepped: bool,
    /// Replay under another configuration: what came to a node comes when it came, as far as that stays
    /// possible; the first arrival that doesn't is told.
    #[arg(long)]
    pub(crate) what_if: bool,
    /// Print the results as JSON.
    #[arg(long, conflicts_with = "trace")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Adversary {
    /// The configuration, a TOML file: a deterministic, minimal router (or greedy-hp) on a mesh.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// Where the permutation goes, a JSON file that `traffic.file` of a configuration can name.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Replace the file if it is there.
    #[arg(long)]
    pub(crate) force: bool,
    /// The side of the corner where packets start, instead of the thesis' choice.
    #[arg(long, value_name = "NODES", value_parser = side, allow_negative_numbers = true)]
    pub(crate) corner: Option<u32>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// Bytes.
fn memory(text: &str) -> Result<u64, String> {
    let size: Option<bytesize::ByteSize> = text.parse().ok();
    let bytes = size.map(|size| size.as_u64()).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "allowed: a size, as 8GB (10^9 bytes) or 500MiB (2^20 bytes)".into())
}

/// An interval's length.
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

/// No host has more.
fn threads(text: &str) -> Result<usize, String> {
    whole(text, 1..=1024).map(|threads| threads as usize)
}
