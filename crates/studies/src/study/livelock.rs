//! What timing does for a router whose freedom from livelock rests on chance (Konstantinidou and Snyder 1991): rings on which every
//! packet of Chaos is derouted for ever under one clock.
//!
//! Every node of a ring has one packet for the opposite node. A Chaos router with a multiqueue of one frame draws nothing at random,
//! so that all nodes do the same in every cycle under one clock: packets go around, and none arrives. What differs between nodes
//! ends it: pointers, clocks, steps that take a time of their own.

#[cfg(test)]
mod tests;
mod text;

use super::{Plot, Ran, Study, StudyEntry};
use crate::context::{Context, Failed};
use crate::contract::over_threads;
use crate::many::{admit, set};
use crate::options::{edges, jobs, jobs_or_cores, named, number, seeds, side, whole};
use crate::seeds::distinct;
use clap::Args;
use clap::builder::PossibleValue;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use flitwork_measure::fit::PowerLaw;
use flitwork_measure::{Interval, Lifetime, Survival};
use flitwork_report::{Column, Table, column};
use flitwork_sweep::{Base, Error};
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Livelock>(
    "livelock",
    "How long Chaos is in livelock on rings, under one clock, clocks that differ, and self-timed",
);

/// The nominal clock's period, and the time of a self-timed step, in ps: so long that periods apart by a thousandth of a percent
/// differ by many ps.
const PERIOD_PS: u32 = 1_000_000;
/// What a request and an acknowledge take over a link, in ps.
const LINK_PS: u32 = PERIOD_PS / 10;
/// The confidence of intervals.
const LEVEL: f64 = 0.95;

/// What makes nodes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timing {
    /// Nothing.
    OneClock,
    /// Each begins its scan at a random port.
    RandomPointers,
    /// Clocks of equal periods and random phases.
    Phases,
    /// The same with frequencies up to so many ppm apart.
    Drift,
    /// The same with periods up to so many percent apart.
    Spread,
    /// The same with ticks late by up to so many percent of a period.
    Jitter,
    /// No clocks: steps of a nominal period each.
    SelfTimed,
    /// The same with steps up to so many percent shorter or longer, drawn anew each time.
    SelfTimedDrawn,
}

impl Timing {
    const ALL: [Timing; 8] = [
        Timing::OneClock,
        Timing::RandomPointers,
        Timing::Phases,
        Timing::Drift,
        Timing::Spread,
        Timing::Jitter,
        Timing::SelfTimed,
        Timing::SelfTimedDrawn,
    ];

    fn name(self) -> &'static str {
        match self {
            Timing::OneClock => "one-clock",
            Timing::RandomPointers => "random-pointers",
            Timing::Phases => "phases",
            Timing::Drift => "drift",
            Timing::Spread => "spread",
            Timing::Jitter => "jitter",
            Timing::SelfTimed => "self-timed",
            Timing::SelfTimedDrawn => "self-timed-drawn",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Timing::OneClock => "one clock for all nodes",
            Timing::RandomPointers => "one clock, and each node begins its scan at a random port",
            Timing::Phases => "a clock a node, of one period and random phases",
            Timing::Drift => {
                "the same, frequencies apart by up to the parts per million of --drift"
            }
            Timing::Spread => "the same, periods apart by up to the percent of --spread",
            Timing::Jitter => "the same, each tick late by up to the percent of --jitter",
            Timing::SelfTimed => "no clocks: each step takes a nominal period",
            Timing::SelfTimedDrawn => {
                "no clocks: each step's time is drawn, within the percent of --spread"
            }
        }
    }

    /// The unit of its value, if it has one.
    fn unit(self) -> Option<&'static str> {
        match self {
            Timing::Drift => Some("ppm"),
            Timing::Spread | Timing::Jitter | Timing::SelfTimedDrawn => Some("%"),
            _ => None,
        }
    }

    fn has_clocks(self) -> bool {
        matches!(
            self,
            Timing::Phases | Timing::Drift | Timing::Spread | Timing::Jitter
        )
    }

    /// What it sets.
    fn keys(self, value: f64, edges: u32) -> Vec<Override> {
        let mut all = Vec::new();
        if self.has_clocks() {
            all.extend([
                set("run.engine", "clocked"),
                set("clocks.period_ps", PERIOD_PS),
                set("clocks.phase", "random"),
                set("network.synchronizer_edges", edges),
            ]);
        }
        let steps = |by: f64| {
            let step = |end: f64| (f64::from(PERIOD_PS) * (1.0 + end / 100.0)).round() as u32;
            let step = format!("[{}, {}]", step(-by), step(by));
            vec![
                set("run.engine", "clocked"),
                set("clocks.period_ps", PERIOD_PS),
                set("network.handshake.request_ps", LINK_PS),
                set("network.handshake.acknowledge_ps", LINK_PS),
                set("clocks.self-timed.word_ps", &step),
                set("clocks.self-timed.decision_ps", &step),
                set("clocks.self-timed.count_ps", PERIOD_PS),
            ]
        };
        match self {
            Timing::OneClock | Timing::Phases => {}
            Timing::RandomPointers => all.push(set("router.chaos.initial_pointer", "random")),
            Timing::Drift => all.push(set("clocks.drift_ppm", value)),
            Timing::Spread => all.extend([
                set("clocks.spread", "uniform"),
                set("clocks.spread_percent", value),
            ]),
            Timing::Jitter => all.push(set(
                "clocks.jitter_ps",
                (f64::from(PERIOD_PS) * value / 100.0).round(),
            )),
            Timing::SelfTimed => all.extend(steps(0.0)),
            Timing::SelfTimedDrawn => all.extend(steps(value)),
        }
        all
    }
}

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct Livelock {
    /// Nodes of the rings.
    #[arg(long = "n", value_name = "N,…", default_value = "4,8,16", value_parser = side)]
    sizes: Vec<u32>,
    /// What makes nodes differ.
    #[arg(long, value_name = "NAME,…", default_value = "one-clock,random-pointers,phases,drift,spread,jitter,self-timed,self-timed-drawn", value_parser = named(Timing::ALL.into_iter().map(|it| (PossibleValue::new(it.name()).help(it.help()), it))))]
    timing: Vec<Timing>,
    /// The most by which periods and self-timed steps differ from the nominal ones, in percent.
    #[arg(long, value_name = "PERCENT,…", default_value = "0.03,0.1,0.3,1", value_parser = |text: &str| number(text, |it| (0.001..=50.0).contains(&it), "0.001 to 50 %"))]
    spread: Vec<f64>,
    /// The most by which frequencies differ, in parts per million.
    #[arg(long, value_name = "PPM,…", default_value = "100", value_parser = |text: &str| number(text, |it| it > 0.0 && it <= 100_000.0, "above 0, up to 100000 ppm"))]
    drift: Vec<f64>,
    /// The most by which a tick is late, in percent of a period.
    #[arg(long, value_name = "PERCENT,…", default_value = "1", value_parser = |text: &str| number(text, |it| (0.001..=90.0).contains(&it), "0.001 to 90 %"))]
    jitter: Vec<f64>,
    /// Edges of the receiver's clock that a word or a credit waits where it crosses from one clock to another.
    #[arg(long, value_name = "EDGES,…", default_value = "2", value_parser = edges)]
    edges: Vec<u32>,
    /// Frames of the multiqueue; with more than one a full multiqueue draws at random.
    #[arg(long, value_name = "FRAMES", default_value_t = 1, value_parser = |text: &str| whole(text, 1..=64))]
    frames: u32,
    /// Cycles that a packet waits before it may enter the multiqueue.
    #[arg(long, value_name = "CYCLES", default_value_t = 0, value_parser = |text: &str| whole(text, 0..=1 << 20))]
    threshold: u32,
    /// Words of a packet.
    #[arg(long, value_name = "WORDS", default_value_t = 10, value_parser = |text: &str| whole(text, 1..=4096))]
    words: u32,
    /// Cycles of the nominal clock after which packets that are under way are counted as in livelock.
    #[arg(long, value_name = "CYCLES", default_value_t = 200_000, value_parser = |text: &str| whole(text, 1000..=100_000_000))]
    deadline: u32,
    /// The first seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    first_seed: u64,
    /// The number of seeds. Each draws phases, periods, pointers and times of steps.
    #[arg(long, default_value_t = 20, value_name = "COUNT", value_parser = seeds)]
    seeds: u32,
    /// Concurrent runs; by default one per core. The rows are the same with any number.
    #[arg(long, value_name = "N", value_parser = jobs)]
    jobs: Option<usize>,
}

/// A ring and what makes its nodes differ.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Setting {
    n: u32,
    timing: Timing,
    /// How much.
    value: f64,
    edges: u32,
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ring of {}, {}", self.n, self.timing.name())?;
        if let Some(unit) = self.timing.unit() {
            write!(f, ", {} {unit}", self.value)?;
        }
        match self.timing.has_clocks() {
            true => write!(f, ", {} edges", self.edges),
            false => Ok(()),
        }
    }
}

/// A seed's run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    seed: u64,
    /// When the last packet arrived, in cycles of the nominal clock; none if one never did.
    escaped: Option<u32>,
    /// Hops through unproductive ports.
    deroutes: u64,
}

/// A row of the table: a setting, over all seeds.
#[derive(Clone, Debug)]
pub(super) struct LivelockRow {
    setting: Setting,
    runs: Vec<Run>,
    survival: Survival,
}

impl LivelockRow {
    fn new(setting: Setting, runs: &[Run], deadline: u32) -> LivelockRow {
        let lifetime = |run: &Run| Lifetime {
            time: run.escaped.unwrap_or(deadline).into(),
            ended: run.escaped.is_some(),
        };
        let lifetimes: Vec<Lifetime> = runs.iter().map(lifetime).collect();
        LivelockRow {
            setting,
            runs: runs.to_vec(),
            survival: Survival::of(&lifetimes, LEVEL),
        }
    }

    fn livelocked(&self) -> u64 {
        self.runs.iter().filter(|run| run.escaped.is_none()).count() as u64
    }

    /// The part of the seeds in livelock, with its exact interval.
    fn part(&self) -> Option<Interval> {
        Interval::of_part(self.livelocked(), self.runs.len() as u64, LEVEL)
    }
}

impl Study for Livelock {
    type Row = LivelockRow;

    const PLOT: Plot = Plot::Folder(
        "Draw the time to escape over what makes nodes differ, and who is left over time",
    );
    const FIGURES: Option<&'static str> = Some("livelock-");
    const SEED: &'static str = "first_seed";

    fn refuse_unread(&self, given: &[String]) -> Result<(), Failed> {
        let reads = |option: &str, of: &[Timing], by: &str| {
            let is_read = self.timing.iter().any(|it| of.contains(it));
            match given.iter().any(|it| it == option) && !is_read {
                true => {
                    let why = format!(
                        "no timing that is asked for reads it; allowed: with --timing {by}"
                    );
                    Err(Failed::option(&format!("--{option}"), why))
                }
                false => Ok(()),
            }
        };
        reads(
            "spread",
            &[Timing::Spread, Timing::SelfTimedDrawn],
            "spread or self-timed-drawn",
        )?;
        reads("drift", &[Timing::Drift], "drift")?;
        reads("jitter", &[Timing::Jitter], "jitter")?;
        let clocks = [
            Timing::Phases,
            Timing::Drift,
            Timing::Spread,
            Timing::Jitter,
        ];
        reads("edges", &clocks, "phases, drift, spread or jitter")
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<LivelockRow>, Failed> {
        let settings = self.settings()?;
        let catalogue = context.catalogue().clone();
        let jobs = jobs_or_cores(self.jobs);
        let resolve = |setting: &Setting, seed| self.resolve(&catalogue, *setting, seed);
        admit(
            jobs,
            self.seeds,
            settings.iter().map(|it| resolve(it, self.first_seed)),
        )?;
        let runs = settings.len() as u64 * u64::from(self.seeds);
        let runs = u32::try_from(runs).unwrap_or(u32::MAX);
        let ran = over_threads(context, jobs, runs, |number, stop| {
            let seed = self.first_seed.wrapping_add(u64::from(number % self.seeds));
            let resolved = resolve(&settings[(number / self.seeds) as usize], seed).ok()?;
            let run = simulate(&resolved, &mut |_| stop.flow());
            let seen = &run.observation;
            let last = seen
                .last_delivery
                .filter(|_| run.outcome.ended == Ended::Empty);
            (run.outcome.ended != Ended::Interrupted).then_some(Run {
                seed,
                escaped: last.map(|it| it.get()),
                deroutes: seen.all_deroutes,
            })
        })?;
        let Some(ran) = ran else {
            return Ok(Ran::Nothing);
        };
        let by_setting = settings.into_iter().zip(ran.chunks(self.seeds as usize));
        let rows = by_setting.map(|(setting, runs)| LivelockRow::new(setting, runs, self.deadline));
        Ok(Ran::Whole(rows.collect()))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<LivelockRow>> {
        let mut all = setting_columns(|it: &LivelockRow| it.setting);
        all.extend([
            column("seeds", "", "runs: one per seed", |it: &LivelockRow| it.runs.len() as u64),
            column("livelocked_seeds", "", "seeds of which a packet hadn't arrived by the deadline", LivelockRow::livelocked),
            column("livelocked_part_low", "", "the lower end of the exact 95 % interval of their part (Clopper and Pearson 1934)", |it: &LivelockRow| it.part().map(|it| it.low)),
            column("livelocked_part_high", "", "its upper end", |it: &LivelockRow| it.part().map(|it| it.high)),
            column("escape_median_cycles", "cycles", "of the nominal clock until the last packet of half of the seeds had arrived; missing if more are in livelock", |it: &LivelockRow| it.survival.median()),
            column("deroutes_mean", "hops", "through unproductive ports until then, or until the deadline, mean over the seeds", |it: &LivelockRow| it.runs.iter().map(|run| run.deroutes as f64).sum::<f64>() / it.runs.len().max(1) as f64),
        ]);
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[LivelockRow]) -> Vec<Table> {
        let runs = rows.iter().flat_map(|row| row.runs.iter().map(|run| (row.setting, *run)));
        let mut columns = setting_columns(|it: &(Setting, Run)| it.0);
        columns.extend([
            column("seed", "", "the seed of all random draws", |it: &(Setting, Run)| it.1.seed),
            column("escape_cycles", "cycles", "of the nominal clock until the last packet had arrived; missing in livelock", |it: &(Setting, Run)| it.1.escaped),
            column("deroutes", "hops", "through unproductive ports", |it: &(Setting, Run)| it.1.deroutes),
        ]);
        let runs = Table::new("runs", &columns, runs);
        let steps = rows.iter().flat_map(|row| row.survival.steps().iter().map(|step| (row.setting, *step)));
        let mut columns = setting_columns(|it: &(Setting, flitwork_measure::SurvivalStep)| it.0);
        columns.extend([
            column("time_cycles", "cycles", "at which some escaped", |it: &(Setting, flitwork_measure::SurvivalStep)| it.1.time),
            column("at_risk", "", "seeds in livelock up to then", |it: &(Setting, flitwork_measure::SurvivalStep)| it.1.at_risk),
            column("escaped", "", "of them, those that escaped then", |it: &(Setting, flitwork_measure::SurvivalStep)| it.1.ended),
            column("left", "", "the part of all that is in livelock after it (Kaplan and Meier 1958)", |it: &(Setting, flitwork_measure::SurvivalStep)| it.1.survival),
            column("left_low", "", "the lower end of its 95 % interval", |it: &(Setting, flitwork_measure::SurvivalStep)| it.1.interval.map(|it| it.low)),
            column("left_high", "", "its upper end", |it: &(Setting, flitwork_measure::SurvivalStep)| it.1.interval.map(|it| it.high)),
        ]);
        let survival = Table::new("survival", &columns, steps);
        vec![runs, survival]
    }

    /// What each setting runs with the first seed.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let settings = self.settings().unwrap_or_default().into_iter();
        let of = |setting: Setting| {
            let resolved = self.resolve(catalogue, setting, self.first_seed).ok()?;
            Some((setting.to_string(), resolved.to_toml()))
        };
        settings.filter_map(of).collect()
    }

    fn text(&self, rows: &[LivelockRow]) -> String {
        text::livelock_text(self, rows)
    }

    fn figures(&self, rows: &[LivelockRow]) -> Vec<super::StudyFigure> {
        text::livelock_figures(rows)
    }
}

#[rustfmt::skip]
fn setting_columns<R: 'static>(of: impl Fn(&R) -> Setting + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("n", "nodes", "of the ring", move |it| of(it).n),
        column("timing", "", "what makes nodes differ", move |it| of(it).timing.name()),
        column("value", "", "how much: percent of a period, or parts per million for `drift`; missing for others", move |it| of(it).timing.unit().map(|_| of(it).value)),
        column("synchronizer_edges", "edges", "of the receiver's clock at a crossing; missing without clocks that differ", move |it| of(it).timing.has_clocks().then_some(of(it).edges)),
    ]
}

impl Livelock {
    /// All settings, in the order of the options.
    fn settings(&self) -> Result<Vec<Setting>, Failed> {
        if let Some(odd) = self.sizes.iter().find(|n| !n.is_multiple_of(2)) {
            let why = format!("a ring of {odd} has no opposite nodes; allowed: even numbers");
            return Err(Failed::option("--n", why));
        }
        let mut all = Vec::new();
        for (n, timing) in self
            .sizes
            .iter()
            .flat_map(|n| self.timing.iter().map(move |it| (*n, *it)))
        {
            let values: &[f64] = match timing {
                Timing::Drift => &self.drift,
                Timing::Spread | Timing::SelfTimedDrawn => &self.spread,
                Timing::Jitter => &self.jitter,
                _ => &[0.0],
            };
            let edges: &[u32] = if timing.has_clocks() {
                &self.edges
            } else {
                &[0]
            };
            for (value, edges) in values
                .iter()
                .flat_map(|value| edges.iter().map(move |it| (*value, *it)))
            {
                all.push(Setting {
                    n,
                    timing,
                    value,
                    edges,
                });
            }
        }
        Ok(all)
    }

    fn resolve(
        &self,
        catalogue: &Catalogue,
        setting: Setting,
        seed: u64,
    ) -> Result<Resolved, Error> {
        let Livelock {
            frames,
            threshold,
            words,
            deadline,
            ..
        } = self;
        let text = format!(
            "[network]\ntopology = \"torus\"\nsides = [{}]\n[router.chaos]\npacket_words = {words}\nmultiqueue_frames = {frames}\n\
             stall_threshold_cycles = {threshold}\n[traffic]\nprocess = \"once\"\npattern = \"shift\"\n[run]\nseed = {seed}\ndeadline_cycles = {deadline}\n",
            setting.n
        );
        let base = Base::of_text(catalogue, "the study's configuration", text, Vec::new());
        base.repeatable(
            setting.to_string(),
            &setting.timing.keys(setting.value, setting.edges),
        )
    }
}

/// The exponent of the time to escape over what makes nodes differ, of each ring with three points or more, all of which escaped.
fn laws(rows: &[LivelockRow]) -> Vec<(u32, Timing, u32, PowerLaw)> {
    let key = |row: &LivelockRow| (row.setting.n, row.setting.timing, row.setting.edges);
    let keys = distinct(rows.iter().map(key)).into_iter();
    let law = |of: (u32, Timing, u32)| {
        let own = rows.iter().filter(|row| key(row) == of);
        let points: Vec<(f64, f64)> = own
            .filter_map(|row| Some((row.setting.value, row.survival.median()? as f64)))
            .collect();
        let law = PowerLaw::fit(&points).ok().filter(|_| points.len() > 2)?;
        Some((of.0, of.1, of.2, law))
    };
    keys.filter_map(law).collect()
}
