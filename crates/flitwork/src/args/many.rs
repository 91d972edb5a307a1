//! `flitwork sweep`, `merge`, `saturate` and `compare`.

use super::Settings;
use clap::{Args, value_parser};
use flitwork_studies::options::{jobs, number, seeds, whole};
use flitwork_studies::paths::{Input, InputFolder, OutputFolder};
use flitwork_sweep::{Criterion, Decimal, Measure, Shard};
use std::path::{Path, PathBuf};

// Lines of code are no wider than 60 columns; paragraphs are one line each, for clap to wrap.
pub(super) const SWEEP_EXAMPLES: &str = "\
Examples:
  flitwork sweep CONFIG --over traffic.load=0.02:0.5:0.02
  flitwork sweep CONFIG --over traffic.load=0.1,0.2 \\
      --over router.wormhole.vcs=1,2,4

A sweep that was stopped, by Ctrl-C, kill -9 or a power cut, resumes when the same command is run again: points on \
disk are not run twice.

On several machines, each with its own shard, 1/16 to 16/16:
  flitwork sweep CONFIG --over ... --out DIR --shard 3/16
  flitwork merge DIR

Exit code 3: the networks of some points failed (deadlock or livelock). Their rows say so.";

pub(super) const SATURATE_CODES: &str = "\
Exit code 3: the network failed in some runs (deadlock, livelock, or packets left when the drain ended). Their loads \
count as saturated, by any criterion.";

pub(super) const COMPARE_METHOD: &str = "\
Both configurations run with the same seeds, so they carry the same packets if their traffic is the same. Pairs of \
runs are added until the sign of the mean difference is certain enough or the budget is spent; the confidence \
accounts for analysing the data repeatedly.

Exit code 0 whatever the verdict, 3 if a network fails.";

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// The configuration, a TOML file.
    pub(crate) config: Input,
    /// Vary a key over a range, first:last:step, or over a list of values separated by commas. May be repeated:
    /// all combinations run, and the first key varies slowest.
    #[arg(long, value_name = "KEY=VALUES")]
    pub(crate) over: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Seeds per combination: the configuration's seed and those that follow it.
    #[arg(long, default_value_t = 1, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub(crate) seeds: u32,
    /// Runs in parallel [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = jobs, allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    /// The folder for points, tables and figures [default: NAME-sweep for a configuration NAME.toml].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<OutputFolder>,
    /// Run only the points of shard I of N, and write no tables.
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Give points with an invalid configuration a row that says so, and run the others.
    #[arg(long)]
    pub(crate) skip_refused: bool,
    /// Print the summary of the sweep as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// The folders of a sweep's shards; a folder may hold several shards.
    #[arg(required = true, value_name = "DIR")]
    pub(crate) folders: Vec<InputFolder>,
    /// The folder for all points, tables and figures [default: the first DIR].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<OutputFolder>,
    /// Fail if points are missing.
    #[arg(long)]
    pub(crate) complete: bool,
    /// Print the summary of the merge as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Where tables of a search or a comparison go.
#[derive(Debug, Args)]
pub(crate) struct Tables {
    /// Write the results as tables, CSV files, into this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<OutputFolder>,
    /// Overwrite existing tables, all at once.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the results as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Saturate {
    /// The configuration, a TOML file; the search replaces its load.
    pub(crate) config: Input,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Seeds to search with: the configuration's seed and those that follow it.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub(crate) seeds: u32,
    /// The resolution of the search, in words per node and cycle.
    #[arg(long, default_value = "0.005", value_name = "LOAD", value_parser = value_parser!(Decimal), allow_negative_numbers = true)]
    pub(crate) tolerance: Decimal,
    /// The lowest load to try [default: the tolerance].
    #[arg(long, value_name = "LOAD", allow_negative_numbers = true)]
    pub(crate) low: Option<Decimal>,
    /// The highest load to try.
    #[arg(long, default_value = "1", value_name = "LOAD", value_parser = value_parser!(Decimal), allow_negative_numbers = true)]
    pub(crate) high: Decimal,
    /// When a load counts as saturated: "steady" if there is no steady state, "latency=3" if the mean latency
    /// exceeds 3 times that at the lowest load.
    #[arg(long, default_value = "steady", value_name = "CRITERION", value_parser = criterion)]
    pub(crate) criterion: Criterion,
    /// Runs in parallel [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = jobs, allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    #[command(flatten)]
    pub(crate) tables: Tables,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The first configuration, a TOML file.
    #[arg(value_name = "A.toml")]
    pub(crate) a: Input,
    /// The second configuration; it may be the same file, changed by --set-b.
    #[arg(value_name = "B.toml")]
    pub(crate) b: Input,
    /// The figure to compare: accepted, deroutes, hops, latency, max, network-latency, p50, p90, p99, p99.9 or
    /// utilisation; latencies also in ps, with the engine clocked on both sides: latency-ps, max-ps,
    /// network-latency-ps, p50-ps, p90-ps, p99-ps or p99.9-ps [default: latency-ps with that engine, else latency].
    #[arg(long, value_name = "NAME")]
    pub(crate) measure: Option<Measure>,
    /// At most this many runs of each configuration.
    #[arg(long, default_value_t = 64, value_name = "COUNT", value_parser = budget, allow_negative_numbers = true)]
    pub(crate) budget_runs: u32,
    /// Stop adding runs after this much wall-clock time.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) budget_seconds: Option<std::time::Duration>,
    /// The confidence of the verdict.
    #[arg(long, default_value_t = 0.95, value_name = "FRACTION", value_parser = confidence, allow_negative_numbers = true)]
    pub(crate) confidence: f64,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Override a key of the first configuration only.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set_a: Vec<String>,
    /// Override a key of the second configuration only.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set_b: Vec<String>,
    /// Runs in parallel [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = jobs, allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    #[command(flatten)]
    pub(crate) tables: Tables,
}

impl Saturate {
    /// The stem of its tables' names.
    pub(crate) const STEM: &str = "saturation";
}

impl Compare {
    /// The stem of its tables' names.
    pub(crate) const STEM: &str = "comparison";
}

impl Sweep {
    /// The folder that it writes into.
    pub(crate) fn folder(&self) -> PathBuf {
        let stem = || {
            self.config
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
        };
        let default = || PathBuf::from(format!("{}-sweep", stem()));
        self.out
            .as_ref()
            .map_or_else(default, |out| out.to_path_buf())
    }
}

impl Merge {
    /// The folder that it writes into; clap requires at least one.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.out
            .as_deref()
            .or(self.folders.first().map(|folder| &**folder))
    }
}

fn budget(text: &str) -> Result<u32, String> {
    whole(text, 2..=1_000_000)
}

fn criterion(text: &str) -> Result<Criterion, String> {
    let factor = text
        .strip_prefix("latency=")
        .map(|factor| factor.trim().parse::<f64>());
    match (text, factor) {
        ("steady", _) => Ok(Criterion::Steady),
        (_, Some(Ok(factor))) if factor > 1.0 && factor.is_finite() => {
            Ok(Criterion::Latency(factor))
        }
        _ => Err("allowed: steady, or latency=F with F above 1, e.g. latency=3".into()),
    }
}

fn confidence(text: &str) -> Result<f64, String> {
    let is_allowed = |number| (0.5..=0.999_999).contains(&number);
    number(text, is_allowed, "a number from 0.5 to 0.999999")
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let is_allowed = |number| (0.001..=1e9).contains(&number);
    let seconds = number(text, is_allowed, "a number of seconds from 0.001 to 1e9");
    seconds.map(std::time::Duration::from_secs_f64)
}
