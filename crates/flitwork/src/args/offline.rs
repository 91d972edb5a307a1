//! Arguments of the commands for static problems.

use clap::Args;
use flitwork_studies::paths::{Input, Output};

pub(super) const SCHEDULE_EXAMPLES: &str = "\
Examples:
  flitwork schedule configs/schedule/permutation.toml --order longest-total --select path --out s.csv
  flitwork run configs/schedule-file.toml --set router.scheduled.file=s.csv

FILE.csv is for links of one cycle. Where packets wait, the run needs router.scheduled.waiting.";

#[derive(Debug, Args)]
pub(crate) struct Route {
    /// The graph, the rule and the problem, a TOML file as those in configs/route.
    pub(crate) config: Input,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options stand for keys of [schedule] in the configuration.
#[derive(Debug, Args)]
pub(crate) struct Schedule {
    /// The graph, the schedule and the problem, a TOML file as those in configs/schedule.
    pub(crate) config: Input,
    /// The method: bounds and limits of each are in docs/src/schedules.md.
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Which packets are scheduled first.
    #[arg(long, value_name = "NAME")]
    pub(crate) order: Option<String>,
    /// Which paths are tried.
    #[arg(long, value_name = "NAME")]
    pub(crate) select: Option<String>,
    /// Which of two packets of the same rank is first.
    #[arg(long, value_name = "NAME")]
    pub(crate) ties: Option<String>,
    /// Packets that may wait in a node at once, besides those that haven't left their sources.
    #[arg(long, value_name = "K")]
    pub(crate) waiting: Option<u32>,
    /// Let packets leave shortest paths.
    #[arg(long)]
    pub(crate) detours: bool,
    /// How many random orders are tried where a schedule is longer than the longest distance.
    #[arg(long, value_name = "N")]
    pub(crate) tries: Option<u32>,
    /// The seed of what the method draws.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Also find the fewest steps for packets that may be divided among paths: no schedule with as many that wait is shorter.
    #[arg(long)]
    pub(crate) bound: bool,
    /// Write the schedule into this file, for the scheduled router.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: Option<Output>,
    /// Overwrite that file.
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Play the schedule on every engine with one clock.
    #[arg(long)]
    pub(crate) play: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
