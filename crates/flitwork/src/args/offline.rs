//! Arguments of the commands for static problems.

use super::{overrides, short_for, with_short};
use crate::exit::Exit;
use clap::Args;
use flitwork_config::{Override, table_within};
use flitwork_studies::paths::{Input, Output};

pub(super) const ROUTE_EXAMPLES: &str = "\
Examples:
  flitwork route configs/route/greedy-adaptive.toml --seed 2 --json
  flitwork route configs/route/greedy-adaptive.toml --set rule=fifo --set rule.fifo.queues=unbounded";

pub(super) const SCHEDULE_EXAMPLES: &str = "\
Examples:
  flitwork schedule configs/schedule/permutation.toml --order longest-total --select path --out s.csv
  flitwork run configs/schedule-file.toml --set router.scheduled.file=s.csv

FILE.csv is for links of one cycle. Where packets wait, the run needs router.scheduled.waiting.";

/// What is put over a configuration that has no engine.
#[derive(Debug, Args)]
pub(crate) struct StaticSettings {
    /// Override a key of the configuration, e.g. traffic.pattern=transpose. May be repeated. A file that isn't in the
    /// configuration's folder may be in the working directory.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The seed of all random draws; short for --set run.seed=N.
    #[arg(long, value_name = "N", value_parser = short_for("--seed", "run.seed"), allow_negative_numbers = true)]
    seed: Option<Override>,
}

impl StaticSettings {
    fn overrides(&self, short: Vec<Override>) -> Result<Vec<Override>, Exit> {
        let short = self.seed.iter().cloned().chain(short);
        with_short(overrides(&self.set)?, short)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Route {
    /// The network, the rule and the packets, a TOML file like those in configs/route.
    pub(crate) config: Input,
    #[command(flatten)]
    settings: StaticSettings,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Route {
    /// What options put over the configuration.
    pub(crate) fn overrides(&self) -> Result<Vec<Override>, Exit> {
        self.settings.overrides(Vec::new())
    }
}

/// Options stand for keys of the configuration.
#[derive(Debug, Args)]
pub(crate) struct Schedule {
    /// The network, the method and the packets, a TOML file like those in configs/schedule.
    pub(crate) config: Input,
    #[command(flatten)]
    settings: StaticSettings,
    /// The method, in place of the file's; short for --set schedule=NAME.
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// Which packets are scheduled first; short for --set schedule.METHOD.order=NAME, like the following options for their keys.
    #[arg(long, value_name = "NAME")]
    order: Option<String>,
    /// Which paths are tried.
    #[arg(long, value_name = "NAME")]
    select: Option<String>,
    /// Which of two packets of the same rank is first.
    #[arg(long, value_name = "NAME")]
    ties: Option<String>,
    /// Packets that may wait in a node at once, besides those that haven't left their sources.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    waiting: Option<String>,
    /// Let packets leave shortest paths.
    #[arg(long, num_args = 0, default_missing_value = "true")]
    detours: Option<String>,
    /// How many random orders are tried where a schedule is longer than the longest distance.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    tries: Option<String>,
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

impl Schedule {
    /// What options put over the configuration. Those of the method's keys are the keys of the one that it names, or of that
    /// which replaces it.
    pub(crate) fn overrides(&self) -> Result<Vec<Override>, Exit> {
        let mut chosen = self.settings.set.iter().filter_map(|set| {
            let (key, name) = set.split_once('=')?;
            (key.trim() == "schedule").then(|| name.trim().to_owned())
        });
        let method = self.method.clone().or(chosen.next_back());
        let method = method.or_else(|| table_within(&self.config, "schedule"));
        let method = method.unwrap_or_else(|| "multistage".into());
        let keys = [
            ("order", &self.order),
            ("select", &self.select),
            ("ties", &self.ties),
            ("waiting", &self.waiting),
            ("detours", &self.detours),
            ("tries", &self.tries),
        ];
        let of_method = self.method.iter();
        let of_method = of_method.map(|it| Override::by_option("--method", "schedule", it));
        let of_keys = keys.into_iter().filter_map(|(key, value)| {
            let (option, key) = (format!("--{key}"), format!("schedule.{method}.{key}"));
            Some(Override::by_option(&option, &key, value.as_ref()?))
        });
        self.settings.overrides(of_method.chain(of_keys).collect())
    }
}
