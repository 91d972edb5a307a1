//! `flitwork sweep`, `merge`, `saturate` and `compare`.

use super::Settings;
use clap::Args;
use flitwork_studies::options::{jobs, seeds, whole};
use flitwork_sweep::{Criterion, Decimal, Measure, NotDecimal, Shard};
use std::path::PathBuf;

pub(super) const SWEEP_BEGIN: &str = "\
Begin with:
  flitwork sweep CONFIG --over traffic.load=0.02:0.5:0.02 --over router.wormhole.vcs=1,2,4
The same command goes on where an earlier one ended, by Ctrl-C, kill -9 or a power cut: points that are on
disk are not run again. A sweep on many machines, and its tables:
  flitwork sweep CONFIG --over ... --out DIR --shard 3/16     (on each machine, 1/16 to 16/16)
  flitwork merge DIR

Exit code 3: the network of some points failed (deadlock or livelock); their rows say so.";

pub(super) const COMPARE_BEGIN: &str = "\
Both run with the same seeds, so that both carry the same packets where their traffic is the same. Runs are
added until the sign of the mean difference is sure or the budget ends; the confidence holds over all looks
at the data. Exit code 0 whatever comes out, 3 where a network fails.";

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// The configuration, a TOML file.
    pub(crate) config: PathBuf,
    /// Vary a key: first:last:step, or values with commas between them. Can be given several times; then
    /// all combinations run, and the first key varies slowest.
    #[arg(long, value_name = "KEY=VALUES")]
    pub(crate) over: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Run each combination with so many seeds: the configuration's, and those after it.
    #[arg(long, default_value_t = 1, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub(crate) seeds: u32,
    /// Runs at a time; by default as many as there are cores.
    #[arg(long, value_name = "N", value_parser = jobs, allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    /// Where points, tables and figures go; by default a folder with the configuration's name and -sweep, here.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Run only the points of this shard, and write no tables.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Make rows of the points whose configurations are refused, and run the others.
    #[arg(long)]
    pub(crate) skip_refused: bool,
    /// Print how the sweep ended as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// Folders of shards of one sweep; one folder may hold many shards.
    #[arg(required = true, value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// Where all points, tables and figures go; by default the first folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Refuse where points are missing.
    #[arg(long)]
    pub(crate) complete: bool,
    /// Print what was merged as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Saturate {
    /// The configuration, a TOML file; its load is replaced.
    pub(crate) config: PathBuf,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Search with so many seeds: the configuration's, and those after it.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub(crate) seeds: u32,
    /// The distance of two loads that are told apart, in words a node and cycle.
    #[arg(long, default_value = "0.005", value_name = "LOAD", value_parser = decimal, allow_negative_numbers = true)]
    pub(crate) tolerance: Decimal,
    /// The lowest load; by default the tolerance.
    #[arg(long, value_name = "LOAD", value_parser = decimal, allow_negative_numbers = true)]
    pub(crate) low: Option<Decimal>,
    /// The highest load.
    #[arg(long, default_value = "1", value_name = "LOAD", value_parser = decimal, allow_negative_numbers = true)]
    pub(crate) high: Decimal,
    /// What saturated means: "steady" for no steady state, "latency=3" for a mean latency above 3 times that
    /// at the lowest load.
    #[arg(long, default_value = "steady", value_name = "CRITERION", value_parser = criterion)]
    pub(crate) criterion: Criterion,
    /// Runs at a time; by default as many as there are cores.
    #[arg(long, value_name = "N", value_parser = jobs, allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    /// Print the results as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The first configuration, a TOML file.
    #[arg(value_name = "A.toml")]
    pub(crate) a: PathBuf,
    /// The second configuration; the same file with other --set-b will do.
    #[arg(value_name = "B.toml")]
    pub(crate) b: PathBuf,
    /// What to compare: accepted, deroutes, hops, latency, max, network-latency, p50, p90, p99, p99.9 or
    /// utilisation.
    #[arg(long, default_value = "latency", value_name = "NAME", value_parser = measure)]
    pub(crate) measure: Measure,
    /// The most runs of each configuration.
    #[arg(long, default_value_t = 64, value_name = "COUNT", value_parser = budget, allow_negative_numbers = true)]
    pub(crate) budget_runs: u32,
    /// The most host time.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) budget_seconds: Option<std::time::Duration>,
    /// The confidence of the verdict, over all looks at the data.
    #[arg(long, default_value_t = 0.95, value_name = "PART", value_parser = confidence, allow_negative_numbers = true)]
    pub(crate) confidence: f64,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Change a key of the first configuration only.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set_a: Vec<String>,
    /// Change a key of the second configuration only.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set_b: Vec<String>,
    /// Runs at a time; by default as many as there are cores.
    #[arg(long, value_name = "N", value_parser = jobs, allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    /// Print the results as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

fn budget(text: &str) -> Result<u32, String> {
    whole(text, 2..=1_000_000)
}

fn shard(text: &str) -> Result<Shard, String> {
    text.parse()
        .map_err(|error: flitwork_sweep::NoShard| error.to_string())
}

fn measure(text: &str) -> Result<Measure, String> {
    text.parse()
        .map_err(|error: flitwork_sweep::NoMeasure| error.to_string())
}

fn decimal(text: &str) -> Result<Decimal, String> {
    let allowed = |_: NotDecimal| "allowed: a decimal number, as 0.005".to_owned();
    text.trim().parse().map_err(allowed)
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
        _ => Err("allowed: steady, or latency=F with F above 1, as latency=3".into()),
    }
}

fn confidence(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok();
    let number = number.filter(|number| (0.5..=0.999_999).contains(number));
    number.ok_or_else(|| "allowed: a number from 0.5 to 0.999999".into())
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let number: Option<f64> = text.trim().parse().ok();
    let number = number.filter(|number| (0.001..=1e9).contains(number));
    number
        .map(std::time::Duration::from_secs_f64)
        .ok_or_else(|| "allowed: a number of seconds from 0.001 to 1e9".into())
}
