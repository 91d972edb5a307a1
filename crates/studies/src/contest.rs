//! Compares routers: several configurations under the same traffic, over the same loads.
//!
//! Each contender runs in each panel (a network and a pattern) at each load with the same seeds. Sources draw
//! by seed and node, so contenders whose packets have one length see the same packets. At the highest load,
//! which is meant to be an overload, the accepted load is the contender's throughput.

mod figures;
mod named;
mod panel;
#[cfg(test)]
mod tests;
mod text;
mod tuning;

pub(crate) use named::{configured, named};
pub(crate) use panel::Panel;

use figures::contest_figures;
use text::contest_text;

use crate::context::{Context, Failed};
use crate::contract::{Ran, Study, StudyFigure};
use crate::many::{OfPoint, measure, refuse_set, rows_of, set};
use crate::options::{Curves, ascending};
use crate::seeds::mean_of;
use crate::seen::{self, Of, Seen};
use clap::Args;
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_measure::Estimate;
use flitwork_report::{Column, Table, column, estimate};
use flitwork_sweep::{Error, seed_override};
use std::collections::BTreeMap;
use std::sync::Arc;
use tuning::Candidate;
pub(crate) use tuning::{Choice, Entrant};

/// A router that takes part: its name in figures and tables, and its configuration.
pub(crate) type Contender = (&'static str, &'static str);

/// The configuration of a contender.
macro_rules! configuration {
    ($file:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/configs/contest/",
            $file,
            ".toml"
        ))
    };
}
pub(crate) use configuration;

/// The number of a panel, those of an entrant and of its choice, and a load.
type Point = (usize, (usize, usize), f64);

/// The entrants, the panels and the loads.
struct Contest<'a> {
    entrants: Vec<Entrant>,
    packet_words: u16,
    catalogue: Catalogue,
    panels: Vec<Panel>,
    curves: &'a Curves,
}

impl<'a> Contest<'a> {
    fn new<T: Contested>(asked: &'a T, catalogue: &Catalogue) -> Result<Contest<'a>, Failed> {
        Ok(Contest {
            entrants: asked.entrants()?,
            packet_words: asked.packet_words(),
            catalogue: catalogue.clone(),
            panels: asked.panels(),
            curves: asked.curves(),
        })
    }

    /// Every entrant at every load in every panel, each built as chosen there.
    fn points(&self, chosen: impl Fn(usize, usize) -> usize) -> Vec<Point> {
        let mut points = Vec::new();
        for panel in 0..self.panels.len() {
            for entrant in 0..self.entrants.len() {
                let choice = chosen(panel, entrant);
                let loads = self.curves.loads.iter();
                points.extend(loads.map(|load| (panel, (entrant, choice), *load)));
            }
        }
        points
    }

    fn resolve(
        &self,
        (panel, (entrant, choice), load): Point,
        seed: u64,
        more: &[Override],
    ) -> Result<Resolved, Error> {
        let Entrant {
            name,
            text,
            choices,
        } = &self.entrants[entrant];
        let key = match text.contains("[router.chaos]") {
            true => "router.chaos.packet_words",
            false => "traffic.packet_words",
        };
        let mut over = self.own(panel, load, seed);
        over.push(set(key, self.packet_words));
        over.extend_from_slice(&choices[choice].set);
        over.extend_from_slice(more);
        let point = format!("{name}, {}", self.panels[panel].title());
        let given = &self.curves.many.repeats.set;
        configured(&self.catalogue, (name, text), (point, over), given)
    }

    /// The keys that the study sets.
    fn own(&self, panel: usize, load: f64, seed: u64) -> Vec<Override> {
        let (panel, cycles) = (&self.panels[panel], self.curves.many.cycles);
        let mut all = panel.set();
        all.extend([
            set("run.warmup_cycles", cycles / 2),
            set("run.measure_cycles", cycles),
            set("traffic.load", load),
            seed_override(seed),
        ]);
        all
    }

    /// Refuses what `--set` names in vain.
    fn refuse_set(&self) -> Result<(), Failed> {
        let panels = 0..self.panels.len();
        let mut own: Vec<Override> = panels.flat_map(|panel| self.own(panel, 1.0, 1)).collect();
        own.extend([
            set("traffic.packet_words", 0),
            set("router.chaos.packet_words", 0),
        ]);
        let choices = self.entrants.iter().flat_map(|it| &it.choices);
        own.extend(choices.flat_map(|it| it.set.iter().cloned()));
        let texts: Vec<&str> = self.entrants.iter().map(|it| it.text).collect();
        refuse_set(&self.curves.many.repeats.set, &own, &texts)
    }

    /// A row of the runs of all seeds.
    fn row(&self, (panel, (entrant, choice), load): Point, runs: &[Seen]) -> ContestRow {
        let entrant = &self.entrants[entrant];
        ContestRow {
            network_and_pattern: self.panels[panel].title(),
            router: entrant.name,
            choice: entrant.choices[choice].clone(),
            configured_load: load,
            runs: runs.to_vec(),
            candidates: Arc::default(),
        }
    }
}

/// A contender at a load in a panel, with all seeds: see the study's columns.
#[derive(Clone, Debug)]
pub struct ContestRow {
    network_and_pattern: String,
    router: &'static str,
    choice: Choice,
    configured_load: f64,
    runs: Vec<Seen>,
    /// All that were tuned in its panel.
    candidates: Arc<Vec<Candidate>>,
}

impl ContestRow {
    /// A figure over the seeds; NaN if none of the runs has it.
    fn mean(&self, of: Of) -> Estimate {
        mean_of(self.runs.iter().filter_map(of))
    }

    fn accepted(&self) -> Estimate {
        self.mean(|run| run.accepted)
    }

    fn offered(&self) -> Estimate {
        self.mean(|run| run.offered)
    }

    fn is_steady(&self) -> bool {
        seen::is_steady(&self.runs)
    }
}

/// The rows of each panel, in the panels' order.
fn by_panel(rows: &[ContestRow]) -> impl Iterator<Item = &[ContestRow]> {
    rows.chunk_by(|one, other| one.network_and_pattern == other.network_and_pattern)
}

/// The same, each with its panel: not all have rows if the user asked to stop.
fn with_panels<'a>(
    panels: &'a [Panel],
    rows: &'a [ContestRow],
) -> impl Iterator<Item = (&'a Panel, &'a [ContestRow])> {
    by_panel(rows).filter_map(|rows| {
        let title = &rows[0].network_and_pattern;
        let panel = panels.iter().find(|panel| panel.title() == *title)?;
        Some((panel, rows))
    })
}

/// The rows of each contender in a panel, in the order of the loads.
fn by_router(panel: &[ContestRow]) -> impl Iterator<Item = &[ContestRow]> {
    panel.chunk_by(|one, other| one.router == other.router)
}

/// Whether any may be built in several ways.
fn has_choice(entrants: &[Entrant]) -> bool {
    entrants.iter().any(|it| it.choices.len() > 1)
}

const LOAD: &str = "words/node/cycle";

/// The columns of where a row stands.
#[rustfmt::skip]
fn place_columns<R>(of: impl Fn(&R) -> &ContestRow + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("network_and_pattern", "", "the panel", move |it| of(it).network_and_pattern.clone()),
        column("router", "", "the contender", move |it| of(it).router),
        column("configured_load_words_per_node_cycle", LOAD, "what the configuration asks for", move |it| of(it).configured_load),
    ]
}

/// A study that is a contest.
pub(crate) trait Contested: Args {
    /// Seeds that entrants with several choices are tuned by.
    const TUNING_SEEDS: u32 = 2;

    /// Who takes part.
    ///
    /// # Errors
    /// An option that leaves nothing to choose from.
    fn entrants(&self) -> Result<Vec<Entrant>, Failed>;

    /// The entrant that the others are compared with, instead of the one that accepts most.
    fn reference(&self) -> Option<&'static str> {
        None
    }

    /// Words of a packet.
    fn packet_words(&self) -> u16;

    /// Its loads, and how long each runs.
    fn curves(&self) -> &Curves;

    /// The panels.
    fn panels(&self) -> Vec<Panel>;
}

impl<T: Contested> Study for T {
    type Row = ContestRow;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<ContestRow>, Failed> {
        let Curves { loads, many } = self.curves();
        ascending("--loads", loads)?;
        let contest = Contest::new(self, context.catalogue())?;
        contest.refuse_set()?;
        let tuned = match has_choice(&contest.entrants) {
            true => tuning::tune(&contest, context, T::TUNING_SEEDS)?,
            false => Some(vec![Vec::new(); contest.panels.len()]),
        };
        let Some(tuned) = tuned else {
            return Ok(Ran::Nothing);
        };
        let chosen = |panel: usize, entrant: usize| {
            let name = contest.entrants[entrant].name;
            let mut own = tuned[panel].iter().filter(|it| it.router == name);
            own.position(|it| it.is_chosen).unwrap_or(0)
        };
        let points = contest.points(chosen);
        let repeats = &many.repeats;
        let resolve = |point: &Point, seed, more: &[Override]| contest.resolve(*point, seed, more);
        let runs = measure(context, &points, repeats, resolve, |_| true, Seen::found)?;
        let tuned: Vec<Arc<Vec<Candidate>>> = tuned.into_iter().map(Arc::new).collect();
        let done: Vec<(Point, OfPoint<Seen>)> = points.into_iter().zip(runs).collect();
        let row = |(point, runs): &(Point, OfPoint<Seen>)| {
            Some(ContestRow {
                candidates: Arc::clone(&tuned[point.0]),
                ..contest.row(*point, runs.as_ref()?)
            })
        };
        // Contenders are compared over all loads of a panel.
        Ok(rows_of(&done, |one, other| one.0.0 == other.0.0, row))
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<ContestRow>> {
        let mut all = place_columns(|it: &ContestRow| it);
        all.extend(estimate(("offered_load", "offered_load"), LOAD, "what the sources made in the window: less than configured where some of them are silent", |it: &ContestRow| Some(it.offered())));
        all.extend(estimate(("accepted_load", "accepted_load"), LOAD, "what was delivered in the window", |it: &ContestRow| Some(it.accepted())));
        all.push(column("steady", "", "whether the runs of most seeds were steady; a run that may be unsteady only by chance is repeated for longer", ContestRow::is_steady));
        all.extend(estimate(("latency_mean", "latency"), "cycles", "from creation to delivery, of the seeds whose runs were steady, where they are most of them; elsewhere of all seeds, and then it reflects the length of the window", |it: &ContestRow| seen::latency(&it.runs)));
        all.extend(estimate(("deroutes_per_hop", "deroutes_per_hop"), "", "of all hops in the window", |it: &ContestRow| seen::over(&it.runs, |run| run.deroutes_per_hop)));
        all.extend([
            column("steady_seeds", "", "seeds whose run was steady", |it: &ContestRow| seen::count(&it.runs, |run| run.is_steady)),
            column("saturated_seeds", "", "seeds whose network was saturated", |it: &ContestRow| seen::count(&it.runs, |run| run.is_saturated)),
            column("failed_seeds", "", "seeds whose network failed", |it: &ContestRow| seen::count(&it.runs, |run| run.has_failed)),
        ]);
        all.extend(seen::fairness_columns(|it: &ContestRow| &it.runs));
        all.extend([
            column("choice", "", "how the contender is built, where there is a choice", |it: &ContestRow| Some(it.choice.label.clone()).filter(|label| !label.is_empty())),
            column("node_buffer_words", "words", "of buffer in a node, where there is a choice", |it: &ContestRow| it.choice.buffer_words),
            column("hop_cycles", "cycles", "of a hop without waiting, where there is a choice", |it: &ContestRow| it.choice.hop_cycles),
        ]);
        all
    }

    /// Each run, and each candidate where there is a choice.
    fn details(&self, rows: &[ContestRow]) -> Vec<Table> {
        let runs = rows
            .iter()
            .flat_map(|row| row.runs.iter().map(move |run| (row, run)));
        let mut columns = place_columns(|it: &(&ContestRow, &Seen)| it.0);
        columns.extend(seen::seed_columns(|it: &(&ContestRow, &Seen)| it.1));
        let mut all = vec![Table::new("runs", &columns, runs)];
        if has_choice(&self.entrants().unwrap_or_default()) {
            let panels = self.panels();
            let candidates = || {
                with_panels(&panels, rows)
                    .map(|(panel, rows)| (panel, rows[0].candidates.as_slice()))
            };
            all.push(tuning::table(candidates()));
            all.push(tuning::runs_table(candidates()));
        }
        all
    }

    /// What each entrant runs, in each way that it may be built: in the first panel, at the lowest load, with the first seed.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let Ok(contest) = Contest::new(self, catalogue) else {
            return BTreeMap::new();
        };
        let entrants = contest.entrants.iter().enumerate();
        let all = entrants.flat_map(|(place, entrant)| {
            let choices = entrant.choices.iter().enumerate();
            choices.map(move |(at, choice)| (place, at, entrant.name, &choice.label))
        });
        let named = all.filter_map(|(place, at, name, label)| {
            let first = (0, (place, at), *self.curves().loads.first()?);
            let seed = self.curves().many.repeats.first_seed;
            let resolved = contest.resolve(first, seed, &[]).ok()?;
            let name = match label.is_empty() {
                true => name.to_owned(),
                false => format!("{name}, {label}"),
            };
            Some((name, resolved.to_toml()))
        });
        named.collect()
    }

    fn text(&self, rows: &[ContestRow]) -> String {
        contest_text(&self.curves().many.repeats, self.reference(), rows)
    }

    fn figures(&self, rows: &[ContestRow]) -> Vec<StudyFigure> {
        contest_figures(&self.panels(), self.curves().many.repeats.seeds, rows)
    }

    fn owns(&self, name: &str) -> bool {
        let begins = |panel: &Panel| name.starts_with(&format!("{}-", panel.stem()));
        name.ends_with(".svg") && self.panels().iter().any(begins)
    }
}
