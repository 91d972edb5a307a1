//! What timing does for a router whose freedom from livelock rests on chance (Konstantinidou and Snyder 1991): rings on which every
//! packet of Chaos is derouted for ever under one clock.
//!
//! Every node of a ring has one packet for the opposite node. A Chaos router with a multiqueue of one frame draws nothing at random,
//! so that all nodes do the same in every cycle under one clock: each packet goes to and fro between its source and the next node, and none
//! arrives. What differs between nodes ends it: pointers, clocks, steps that take a time of their own.

mod drift;
mod law;
mod predict;
mod rounds;
pub(super) mod setting;
#[cfg(test)]
mod tests;
mod text;

use super::{Plot, Ran, Study, StudyEntry};
use crate::context::{Context, Failed};
use crate::lifetimes::{
    Event, Lifetimes, RunOf, StepOf, Watched, runs_table, survival_table, watch_all,
};
use crate::many::{admit, as_far};
use crate::options::{Repeats, jobs_or_cores, side, whole};
use crate::timing::Timings;
use clap::Args;
use flitwork_config::Catalogue;
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use flitwork_report::{Column, Table, column};
use flitwork_sweep::pool::Stop;
use predict::{Prediction, predicted_cycles};
use setting::{Network, Routers, Setting, Sides, setting_columns, sides, topology};
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<Livelock>(
    "livelock",
    "How long Chaos is in livelock on rings, under one clock, clocks that differ, and self-timed",
);

/// What is watched for.
const ESCAPE: Event = Event {
    time: (
        "escape_cycles",
        "of the nominal clock until the last packet had arrived; missing in livelock",
    ),
    some: "at which some escaped",
    at_risk: "seeds in livelock up to then",
    ended: ("escaped", "of them, those that escaped then"),
    left: "the part of all that is in livelock after it (Kaplan and Meier 1958)",
};

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct Livelock {
    /// Nodes of the rings, or sides of the networks, such as 4x4.
    #[arg(long = "n", value_name = "N,…", default_value = "4,8,16", value_parser = sides)]
    sizes: Vec<Sides>,
    /// The topologies: torus, which a ring is, and mesh.
    #[arg(long, value_name = "NAME,…", default_value = "torus", value_parser = topology())]
    topology: Vec<&'static str>,
    /// Where packets go: shift is to the opposite node.
    #[arg(long, value_name = "NAME,…", default_value = "shift")]
    pattern: Vec<String>,
    /// How many nodes further on packets go with the pattern shift; by default half of each side.
    #[arg(long, value_name = "NODES,…", value_parser = side)]
    shift: Vec<u32>,
    /// Packets of each node.
    #[arg(long, value_name = "PACKETS,…", default_value = "1", value_parser = |text: &str| whole(text, 1..=1000))]
    packets: Vec<u32>,
    #[command(flatten)]
    timings: Timings,
    #[command(flatten)]
    routers: Routers,
    /// Cycles of the nominal clock after which packets that are under way are counted as in livelock.
    #[arg(long, value_name = "CYCLES", default_value_t = 200_000, value_parser = |text: &str| whole(text, 1000..=100_000_000))]
    deadline: u32,
    /// How often: each seed draws phases, periods, pointers and times of steps. With `--set` nothing is predicted.
    #[command(flatten)]
    repeats: Repeats<20>,
}

/// What else is seen of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    /// When the first packet arrived, in cycles.
    first: Option<u32>,
    /// Hops through unproductive ports.
    deroutes: u64,
    /// When the first packet gets past its neighbour by the clocks alone, in cycles.
    predicted: Option<u32>,
}

/// A row of the table: a setting, over all seeds.
#[derive(Clone, Debug)]
pub(super) struct LivelockRow {
    setting: Setting,
    lifetimes: Lifetimes<Seen>,
    prediction: Prediction,
}

impl LivelockRow {
    fn new(setting: Setting, runs: Vec<Watched<Seen>>, asked: &Livelock) -> LivelockRow {
        let prediction = Prediction::new(&setting, &runs, asked.deadline);
        LivelockRow {
            prediction: match asked.is_predictable() {
                true => prediction,
                false => prediction.only_seen(),
            },
            setting,
            lifetimes: Lifetimes::new(runs, asked.deadline),
        }
    }

    fn deroutes(&self) -> f64 {
        let runs = &self.lifetimes.runs;
        let all: f64 = runs.iter().map(|run| run.seen.deroutes as f64).sum();
        all / runs.len().max(1) as f64
    }
}

impl Study for Livelock {
    type Row = LivelockRow;

    const PLOT: Plot = Plot::Folder(
        "Draw the time to escape over what makes nodes differ, and who is left over time",
    );
    const FIGURES: Option<&'static str> = Some("livelock-");

    fn refuse_unread(&self, given: &[String]) -> Result<(), Failed> {
        let has_shift = self.pattern.iter().any(|it| it == "shift");
        if !self.shift.is_empty() && !has_shift {
            let why = "no pattern that is asked for reads it; allowed: with --pattern shift";
            return Err(Failed::option("--shift", why));
        }
        self.timings.refuse_unread(given)
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<LivelockRow>, Failed> {
        let settings = self.settings()?;
        let catalogue = context.catalogue().clone();
        setting::refuse_set(&self.repeats.set, &settings)?;
        let Repeats { over, set, jobs } = &self.repeats;
        let resolve =
            |setting: &Setting, seed| setting.resolve(&catalogue, set, (seed, self.deadline));
        admit(
            jobs_or_cores(*jobs),
            over.seeds,
            settings.iter().map(|it| resolve(it, over.first_seed)),
        )?;
        let watch = |setting: &Setting, seed: u64, stop: &Stop| {
            let resolved = resolve(setting, seed).ok()?;
            let run = simulate(&resolved, &mut |_| stop.flow());
            let seen = &run.observation;
            let last = seen
                .last_delivery
                .filter(|_| run.outcome.ended == Ended::Empty);
            (run.outcome.ended != Ended::Interrupted).then_some(Watched {
                seed,
                ended: last.map(|it| it.get()),
                seen: Seen {
                    first: seen.latency.min().and_then(|it| u32::try_from(it).ok()),
                    deroutes: seen.all_deroutes,
                    predicted: predicted_cycles(setting, &resolved, self.deadline)
                        .filter(|_| self.is_predictable()),
                },
            })
        };
        let ran = watch_all(context, &settings, (over, *jobs), watch)?;
        let row = |(setting, runs)| LivelockRow::new(setting, runs, self);
        Ok(as_far(ran.into_iter().map(row).collect(), settings.len()))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<LivelockRow>> {
        let mut all = setting_columns(|it: &LivelockRow| &it.setting);
        all.extend([
            column("seeds", "", "runs: one per seed", |it: &LivelockRow| it.lifetimes.runs.len() as u64),
            column("livelocked_seeds", "", "seeds of which a packet hadn't arrived by the deadline", |it: &LivelockRow| it.lifetimes.left()),
            column("livelocked_part_low", "", "the lower end of the exact 95 % interval of their part (Clopper and Pearson 1934)", |it: &LivelockRow| it.lifetimes.part_left().map(|it| it.low)),
            column("livelocked_part_high", "", "its upper end", |it: &LivelockRow| it.lifetimes.part_left().map(|it| it.high)),
            column("escape_median_cycles", "cycles", "of the nominal clock until the last packet of half of the seeds had arrived; missing if more are in livelock", |it: &LivelockRow| it.lifetimes.survival.median()),
            column("deroutes_mean", "hops", "through unproductive ports until then, or until the deadline, mean over the seeds", LivelockRow::deroutes),
            column("first_delivery_median_cycles", "cycles", "of the nominal clock until the first packet of half of the seeds had arrived; missing if more have delivered none", |it: &LivelockRow| it.prediction.first),
            column("predicted_median_cycles", "cycles", "until a packet of half of the seeds gets past its neighbour, from the rounds of packets under each seed's clocks; missing where that isn't known", |it: &LivelockRow| it.prediction.median),
            column("first_delivery_of_predicted", "", "the first delivery of a seed over what is predicted of it: the median of the seeds that have both", |it: &LivelockRow| it.prediction.ratios.map(|it| it.1)),
            column("first_delivery_of_predicted_low", "", "the least of them", |it: &LivelockRow| it.prediction.ratios.map(|it| it.0)),
            column("first_delivery_of_predicted_high", "", "the most of them", |it: &LivelockRow| it.prediction.ratios.map(|it| it.2)),
            column("drift_median_cycles", "cycles", "the same for half of all clocks, from the mean lengths of rounds alone, inversely proportional to the value; for self-timed-drawn from the random walk of neighbours, inversely proportional to its square", |it: &LivelockRow| it.prediction.drift),
        ]);
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[LivelockRow]) -> Vec<Table> {
        let runs = rows.iter().map(|row| (row.setting.clone(), row.lifetimes.runs.clone()));
        let seen = vec![
            column("deroutes", "hops", "through unproductive ports", |it: &RunOf<Setting, Seen>| it.1.seen.deroutes),
            column("first_delivery_cycles", "cycles", "until the first packet had arrived; missing if none had", |it: &RunOf<Setting, Seen>| it.1.seen.first),
            column("predicted_cycles", "cycles", "until a packet gets past its neighbour, from the rounds of packets under the seed's clocks; missing where that isn't known, or later than the deadline", |it: &RunOf<Setting, Seen>| it.1.seen.predicted),
        ];
        let curves = rows.iter().map(|row| (row.setting.clone(), &row.lifetimes.survival));
        vec![
            runs_table(&ESCAPE, setting_columns(|it: &RunOf<Setting, Seen>| &it.0), seen, runs),
            survival_table(&ESCAPE, setting_columns(|it: &StepOf<Setting>| &it.0), curves),
        ]
    }

    /// What each setting runs with the first seed.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let settings = self.settings().unwrap_or_default().into_iter();
        let of = |setting: Setting| {
            let resolved = setting
                .resolve(
                    catalogue,
                    &self.repeats.set,
                    (self.repeats.first_seed, self.deadline),
                )
                .ok()?;
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

impl Livelock {
    /// Whether the rounds of packets are those of the routers that the predictions know.
    fn is_predictable(&self) -> bool {
        self.repeats.set.is_empty()
    }

    /// Refuses what `--set` names in vain.
    fn networks(&self) -> Result<Vec<Network>, Failed> {
        let mut all = Vec::new();
        for topology in self.topology.iter().copied() {
            for sides in &self.sizes {
                for pattern in &self.pattern {
                    for shift in self.shifts(pattern, sides)? {
                        all.extend(self.packets.iter().map(|packets| Network {
                            topology,
                            sides: sides.clone(),
                            pattern: pattern.clone(),
                            shift,
                            packets: *packets,
                        }));
                    }
                }
            }
        }
        Ok(all)
    }

    /// How many nodes further on packets of a pattern go.
    fn shifts(&self, pattern: &str, sides: &Sides) -> Result<Vec<Option<u32>>, Failed> {
        if pattern != "shift" {
            return Ok(vec![None]);
        }
        if !self.shift.is_empty() {
            return Ok(self.shift.iter().copied().map(Some).collect());
        }
        match sides.0.iter().find(|side| !side.is_multiple_of(2)) {
            Some(odd) => {
                let why = format!("a ring of {odd} has no opposite nodes; allowed: even numbers");
                Err(Failed::option("--n", why))
            }
            None => Ok(vec![None]),
        }
    }

    /// All settings, in the order of the options.
    fn settings(&self) -> Result<Vec<Setting>, Failed> {
        let routers = self.routers.all();
        let timings = self.timings.all();
        let mut all = Vec::new();
        for network in self.networks()? {
            for router in &routers {
                all.extend(timings.iter().map(|timed| Setting {
                    network: network.clone(),
                    router: *router,
                    timed: *timed,
                }));
            }
        }
        Ok(all)
    }
}
