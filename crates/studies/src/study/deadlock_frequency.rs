//! How often networks deadlock that may: by frames, channels, adaptivity, timing, load, network, pattern and packet length.
//!
//! Each run is watched for the first knot: packets that wait for each other, so that none of them ever moves again. Sources never fall
//! silent, and a run without a knot by the deadline is a censored observation.

mod places;
mod row;
#[cfg(test)]
mod tests;
mod text;

use super::{Plot, Ran, Study, StudyEntry, StudyFigure};
use crate::axes;
use crate::context::{Context, Failed};
use crate::lifetimes::{Event, RunOf, StepOf, Watched, runs_table, survival_table, watch_all};
use crate::many::{admit, as_far};
use crate::options::{Repeats, jobs_or_cores, load, named, whole};
use crate::seeds::distinct;
use crate::study::livelock::setting::topology;
use crate::timing::Timings;
use clap::Args;
use clap::builder::PossibleValue;
use flitwork_config::{Catalogue, Resolved};
use flitwork_debug::first_knot;
use flitwork_experiment::hardware::StoppedNodes;
use flitwork_experiment::simulation::{Use, simulation, time_of};
use flitwork_node::{AnyProbe, Event as NodeEvent, Probe};
use flitwork_report::{Column, Table};
use flitwork_sweep::pool::Stop;
use flitwork_types::{Cycle, NodeId};
use places::{Kind, Place, Run, places, refuse_set_of, starts};
use row::{FrequencyRow, Knotted, place_columns, row_columns, rows_of, seen_columns};
use std::collections::BTreeMap;

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<DeadlockFrequency>(
    "deadlock-frequency",
    "How often networks deadlock that may: by frames, channels, adaptivity, timing, load, network, pattern and packets",
);

/// How often a run is looked at, in cycles.
const STRIDE_CYCLES: u32 = 1000;

/// What is watched for.
const DEADLOCK: Event = Event {
    time: (
        "deadlock_cycles",
        "of the nominal clock until the first knot closed; missing if none had by the deadline",
    ),
    some: "at which some deadlocked",
    at_risk: "seeds without a deadlock up to then",
    ended: ("deadlocked", "of them, those that deadlocked then"),
    left: "the part of all that has no deadlock after it (Kaplan and Meier 1958)",
};

/// Its options. Each axis is varied from one point: the first value of each list, shortest paths, one clock.
#[derive(Clone, Debug, Args)]
#[command(
    mut_arg("timing", |it| it.default_value("one-clock,phases,drift,spread,self-timed,self-timed-drawn")),
    mut_arg("spread", |it| it.default_value("1"))
)]
pub(super) struct DeadlockFrequency {
    /// What is varied, each alone: frames, channels, threshold, adaptivity, timing, load, network, pattern, packet.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "frames,channels,threshold,adaptivity,timing,load,network,pattern,packet"
    )]
    axes: Vec<String>,
    /// The routers.
    #[arg(long, value_name = "NAME,…", default_value = "minimal-chaos,wormhole", value_parser = named(Kind::ALL.into_iter().map(|it| (PossibleValue::new(it.name()).help(it.help()), it))))]
    routers: Vec<Kind>,
    /// Frames of the multiqueue of minimal Chaos.
    #[arg(long, value_name = "FRAMES,…", default_value = "3,1,2,4,5", value_parser = |text: &str| whole(text, 1..=64))]
    frames: Vec<u32>,
    /// Virtual channels of a wormhole router's links, of 8 words each.
    #[arg(long, value_name = "COUNT,…", default_value = "2,1,3,4", value_parser = |text: &str| whole(text, 1..=32))]
    channels: Vec<u32>,
    /// Stall thresholds of minimal Chaos, in cycles.
    #[arg(long, value_name = "CYCLES,…", default_value = "7,0,1,20,80", value_parser = |text: &str| whole(text, 0..=100_000))]
    thresholds: Vec<u32>,
    /// What each source offers, in words per cycle.
    #[arg(long, value_name = "LOAD,…", default_value = "1,0.15,0.2,0.25,0.3,0.4,0.6", value_parser = load)]
    loads: Vec<f64>,
    /// The topologies.
    #[arg(long, value_name = "NAME,…", default_value = "mesh,torus", value_parser = topology())]
    topology: Vec<&'static str>,
    /// Sides of the square networks, in nodes.
    #[arg(long, value_name = "NODES,…", default_value = "8,4,16", value_parser = |text: &str| whole(text, 2..=64))]
    sides: Vec<u32>,
    /// Traffic patterns without parameters.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "uniform,bit-complement,transpose,bit-reversal"
    )]
    patterns: Vec<String>,
    /// Words of a packet.
    #[arg(long, value_name = "WORDS,…", default_value = "10,1,5,20", value_parser = |text: &str| whole(text, 1..=4096))]
    words: Vec<u32>,
    #[command(flatten)]
    timings: Timings,
    /// Cycles of the nominal clock for which a run is watched.
    #[arg(long, value_name = "CYCLES", default_value_t = 50_000, value_parser = |text: &str| whole(text, 1000..=100_000_000))]
    deadline: u32,
    /// How often.
    #[command(flatten)]
    repeats: Repeats<60>,
}

impl Study for DeadlockFrequency {
    type Row = FrequencyRow;

    const PLOT: Plot = Plot::Folder(
        "Draw who is left over time, and how often networks deadlock over each axis of numbers",
    );
    const FIGURES: Option<&'static str> = Some("deadlock-frequency-");

    fn refuse_unread(&self, given: &[String]) -> Result<(), Failed> {
        let is_given = |option: &str| given.iter().any(|it| it == option);
        let readers = [
            ("frames", Kind::Chaos),
            ("thresholds", Kind::Chaos),
            ("channels", Kind::Wormhole),
        ];
        let unread = readers
            .iter()
            .find(|(option, kind)| is_given(option) && !self.routers.contains(kind));
        if let Some((option, kind)) = unread {
            let why = format!(
                "no router that is asked for has any; allowed: with --routers {}",
                kind.name()
            );
            return Err(Failed::option(&format!("--{option}"), why));
        }
        match self.axes.iter().any(|axis| axis == "timing") {
            true => self.timings.refuse_unread(given)?,
            false => Timings::refuse_all(given, "--axes timing")?,
        }
        axes::refuse_empty(&places(self)?, &self.axes, given)
    }

    fn plan(&self) -> Option<Vec<String>> {
        let places = places(self).ok()?;
        let of =
            |place: &Place| format!("{} {} {}", place.axis, place.value, place.point.plan(self));
        Some(places.iter().map(of).collect())
    }

    fn run(&self, context: &mut dyn Context) -> Result<Ran<FrequencyRow>, Failed> {
        let places = places(self)?;
        // Every start runs: others are compared with it.
        let all = starts(self).into_iter();
        let runs = distinct(all.chain(places.iter().map(|place| place.point.clone())));
        refuse_set_of(self, runs.iter())?;
        let catalogue = context.catalogue().clone();
        let resolve = |run: &Run, seed| run.resolve(self, &catalogue, seed);
        admit(
            jobs_or_cores(self.repeats.jobs),
            self.repeats.seeds,
            runs.iter().map(|it| resolve(it, self.repeats.first_seed)),
        )?;
        let watch = |run: &Run, seed: u64, stop: &Stop| {
            let resolved = resolve(run, seed).ok()?;
            watch(&resolved, seed, &mut || stop.flow().is_continue())
        };
        let ran = watch_all(
            context,
            &runs,
            (&self.repeats.over, self.repeats.jobs),
            watch,
        )?;
        let of = places.len();
        Ok(as_far(
            rows_of(places, &starts(self), &ran, self.deadline),
            of,
        ))
    }

    fn columns(&self) -> Vec<Column<FrequencyRow>> {
        row_columns()
    }

    fn details(&self, rows: &[FrequencyRow]) -> Vec<Table> {
        let runs = rows
            .iter()
            .map(|row| (row.place.clone(), row.lifetimes.runs.clone()));
        let curves = rows
            .iter()
            .map(|row| (row.place.clone(), &row.lifetimes.survival));
        vec![
            runs_table(
                &DEADLOCK,
                place_columns(|it: &RunOf<Place, Knotted>| &it.0),
                seen_columns(),
                runs,
            ),
            survival_table(&DEADLOCK, place_columns(|it: &StepOf<Place>| &it.0), curves),
        ]
    }

    /// What each router runs at the point from which axes start, with the first seed.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let of = |run: Run| {
            let resolved = run.resolve(self, catalogue, self.repeats.first_seed).ok()?;
            Some((run.to_string(), resolved.to_toml()))
        };
        starts(self).into_iter().filter_map(of).collect()
    }

    fn text(&self, rows: &[FrequencyRow]) -> String {
        text::frequency_text(self, rows)
    }

    fn figures(&self, rows: &[FrequencyRow]) -> Vec<StudyFigure> {
        text::frequency_figures(rows)
    }
}

/// Counts packets that are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Delivered(u64);

impl Probe for Delivered {
    fn event(&mut self, _: NodeId, _: Cycle, event: NodeEvent) {
        if matches!(event, NodeEvent::Delivered { .. }) {
            self.0 += 1;
        }
    }
}

/// Runs a configuration until its first knot; none if the user asks to stop.
fn watch(
    resolved: &Resolved,
    seed: u64,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Watched<Knotted>> {
    let stopped = StoppedNodes::of(resolved);
    let has_stopped =
        |node: NodeId, at: u64| stopped.as_ref().is_some_and(|it| it.has_stopped(node, at));
    let run = simulation(resolved, Use::Events, AnyProbe::new(Delivered::default()));
    let cycle_time = time_of(resolved, Cycle(1));
    let stride = time_of(resolved, Cycle(STRIDE_CYCLES));
    let shape = &resolved.network.shape;
    let looked = first_knot(run, (shape, &has_stopped), stride, go_on);
    let (Delivered(delivered), found) = looked.ok()?;
    let knot = found.as_ref().map(|it| &it.knot);
    let time = |it: u64| u32::try_from(it.div_ceil(cycle_time)).unwrap_or(u32::MAX);
    Some(Watched {
        seed,
        ended: found.as_ref().map(|it| time(it.time)),
        seen: Knotted {
            delivered,
            circle: knot.map(|knot| {
                knot.circle
                    .iter()
                    .filter(|step| step.link.is_some())
                    .count() as u32
            }),
            stuck: knot.map(|knot| knot.stuck.len() as u32),
        },
    })
}
