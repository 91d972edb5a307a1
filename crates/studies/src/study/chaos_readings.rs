//! Chinn's experiments 1 to 3 in several readings of the thesis, with fixed and random initial pointers.

use super::{Plot, Ran, Study, StudyEntry, StudyFigure};
use crate::axes::base_text;
use crate::context::{Context, Failed};
use crate::many::{OfPoint, alone, repeat, rows_of};
use crate::options::{Names, Repeats, jobs_or_cores, listed, name_in, or, side};
use crate::paper::{
    Algorithm, HALF, LAST_CYCLES, Mesh, Preset, Reading, Run, Watched, published, route,
    run_columns, sum_of_digests,
};
use crate::seeds::{counted, dash, over_seeds, percent, with_whiskers};
use clap::Args;
use flitwork_adversary::{Fraction, Instant};
use flitwork_config::Catalogue;
use flitwork_engine::Progress;
use flitwork_measure::Estimate;
use flitwork_plot::{Curves, Drawable, Series, Style};
use flitwork_report::{Aligned, Column, Table, column, estimate};
use flitwork_router::chaos::{DerouteAmong, InitialPointer, MultiqueueFreed};
use flitwork_sweep::pool::Stop;
use std::collections::BTreeMap;
use std::iter::repeat_n;
use std::num::NonZero;

/// The experiments with Chaos routers.
const EXPERIMENTS: [&str; 3] = ["chinn-exp1", "chinn-exp2", "chinn-exp3"];

/// What routes in them.
const ALGORITHMS: [Algorithm; 2] = [Algorithm::MinimalChaos, Algorithm::Chaos];

/// The keys that readings set besides.
const OWN_KEYS: [&str; 2] = ["deroute_among", "multiqueue_freed_at"];

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<ChaosReadings>(
    "chaos-readings",
    "Chinn's experiments 1 to 3 in several readings of the thesis, and what random pointers gain",
);

/// The d of a reading: all others have 1/3.
const D: Fraction = Fraction {
    parts: 71,
    of: NonZero::new(200).expect("not 0"),
};

const USUAL: Reading = Reading::USUAL;
const B: Reading = Reading {
    preset: Preset::B,
    ..USUAL
};

/// The readings.
#[rustfmt::skip]
const READINGS: Names<Reading> = &[
    ("usual", USUAL, "The defaults of `flitwork paper`"),
    ("link", Reading { exchange: Instant::Link, ..USUAL }, "Exchanges when the link starts: A"),
    ("b", B, "The preset chinn-1995-b"),
    ("b-d", Reading { d: D, ..B }, "The same with d = 71/200"),
    ("all", Reading { deroute_among: DerouteAmong::All, ..USUAL }, "Deroutes among all packets"),
    ("tail", Reading { multiqueue_freed_at: MultiqueueFreed::Tail, ..USUAL }, "Multiqueue frames freed at the tail"),
    ("b-all", Reading { deroute_among: DerouteAmong::All, ..B }, "B, and deroutes among all packets"),
    ("b-tail", Reading { multiqueue_freed_at: MultiqueueFreed::Tail, ..B }, "B, and multiqueue frames freed at the tail"),
    ("half", Reading { duplex: HALF, ..USUAL }, "Half-duplex links"),
    ("b-half", Reading { duplex: HALF, ..B }, "B, and half-duplex links"),
];

/// Its options.
#[derive(Clone, Debug, Args)]
pub(super) struct ChaosReadings {
    /// The readings.
    #[arg(
        long,
        value_parser = listed(READINGS),
        value_name = "NAME,…",
        default_value = "usual,link,b,b-d,b-half"
    )]
    readings: Vec<Reading>,
    /// Sides of the meshes in nodes, for each experiment; by default the published ones.
    #[arg(long, value_name = "N,…", value_parser = side)]
    n: Vec<u32>,
    /// How often, and which keys of Chaos all readings have.
    #[command(flatten)]
    repeats: Repeats<3>,
}

/// A reading of an experiment on a mesh.
struct Point {
    reading: Reading,
    experiment: &'static str,
    mesh: Mesh,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct ReadingRow {
    reading: Reading,
    experiment: &'static str,
    n: u32,
    algorithm: Algorithm,
    /// The published time, if this row was published.
    published: Option<f64>,
    /// A run of each seed with fixed pointers, and with random ones.
    fixed: Vec<Run>,
    random: Vec<Run>,
}

impl ReadingRow {
    /// A figure of the seeds' times with fixed and with random pointers.
    fn over(&self, of: impl Fn(f64, f64) -> Option<f64>) -> Option<Estimate> {
        let pairs = self.fixed.iter().zip(&self.random);
        let both = pairs.filter_map(|(fixed, random)| fixed.cycles.zip(random.cycles));
        over_seeds(both.filter_map(|(fixed, random)| of(fixed.into(), random.into())))
    }

    fn time(&self) -> Option<Estimate> {
        self.over(|fixed, _| Some(fixed))
    }

    fn random_time(&self) -> Option<Estimate> {
        self.over(|_, random| Some(random))
    }

    /// From the published time, as a part of it.
    fn deviation(&self) -> Option<Estimate> {
        self.over(|fixed, _| Some(fixed / self.published? - 1.0))
    }

    /// By how much random pointers are faster on the same permutation.
    fn gain(&self) -> Option<Estimate> {
        self.over(|fixed, random| Some(1.0 - random / fixed))
    }
}

#[rustfmt::skip]
fn place_columns<R>(of: impl Fn(&R) -> &ReadingRow + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    vec![
        column("reading", "", "the reading of the thesis", move |it| name_in(READINGS, &of(it).reading)),
        column("experiment", "", "the experiment", move |it| of(it).experiment),
        column("n", "nodes", "the side of the mesh", move |it| of(it).n),
        column("algorithm", "", "what routed", move |it| of(it).algorithm.name()),
    ]
}

/// What routes each permutation, in the order of the runs.
const ROUTED: [(Algorithm, InitialPointer); 4] = [
    (Algorithm::MinimalChaos, InitialPointer::Fixed),
    (Algorithm::MinimalChaos, InitialPointer::Random),
    (Algorithm::Chaos, InitialPointer::Fixed),
    (Algorithm::Chaos, InitialPointer::Random),
];

impl Point {
    /// A seed's permutation, routed by all of them; none if the user asks to stop.
    fn run(&self, seed: u64, stop: &Stop) -> Option<[Run; ROUTED.len()]> {
        let control = &mut |_: Progress| stop.flow();
        let (pairs, _) = self.mesh.constructed(seed, control);
        let route = |(algorithm, pointer)| {
            let resolved = self.mesh.resolved(algorithm, pointer, (seed, LAST_CYCLES));
            route(&resolved, &pairs, Watched::default(), &mut |_| stop.flow()).run
        };
        let whole = stop.flow().is_continue();
        let runs = whole.then(|| ROUTED.map(route))?;
        stop.flow().is_continue().then_some(runs)
    }

    /// The rows of its runs: one for each algorithm.
    fn rows(&self, runs: &[[Run; ROUTED.len()]]) -> Vec<ReadingRow> {
        let n = self.mesh.plan.n;
        let with = |of| {
            let place = ROUTED.iter().position(|it| *it == of);
            let place = place.expect("each algorithm is routed with both pointers");
            runs.iter().map(move |runs| runs[place]).collect()
        };
        let row = |algorithm| ReadingRow {
            reading: self.reading,
            experiment: self.experiment,
            n,
            algorithm,
            published: published(self.experiment).time(algorithm, n),
            fixed: with((algorithm, InitialPointer::Fixed)),
            random: with((algorithm, InitialPointer::Random)),
        };
        ALGORITHMS.map(row).into()
    }
}

impl ChaosReadings {
    /// Each reading of each experiment on each of its meshes.
    fn points(&self, catalogue: &Catalogue) -> Result<Vec<Point>, Failed> {
        let mut all = Vec::new();
        for reading in self.readings.iter().copied() {
            for experiment in EXPERIMENTS {
                let own = published(experiment).sides();
                for n in or(&self.n, &own) {
                    let set = &self.repeats.set;
                    all.push(Point {
                        reading,
                        experiment,
                        mesh: Mesh::new(catalogue, *n, (experiment, reading), set)?,
                    });
                }
            }
        }
        Ok(all)
    }
}

/// Cycles with their interval, if they have one.
fn cycles(mean: Option<Estimate>) -> String {
    dash(mean.map(|mean| match mean.half_width {
        Some(half) => format!("{:.1} ± {half:.1}", mean.mean),
        None => format!("{:.1}", mean.mean),
    }))
}

/// A part as a percentage with its interval, if it has one.
fn shown(part: Option<Estimate>) -> String {
    dash(part.map(|part| match part.half_width {
        Some(half) => format!("{:+.1} ± {:.1} %", 100.0 * part.mean, 100.0 * half),
        None => percent(part.mean),
    }))
}

impl Study for ChaosReadings {
    type Row = ReadingRow;

    const FIGURES: Option<&'static str> = Some("chaos-readings-");

    const PLOT: Plot = Plot::Folder(
        "Plot the deviations against n in this folder, one SVG file for each experiment and algorithm",
    );

    fn run(&self, context: &mut dyn Context) -> Result<Ran<ReadingRow>, Failed> {
        Mesh::refuse_set(&self.repeats.set, &OWN_KEYS)?;
        let points = self.points(context.catalogue())?;
        let Repeats { over, jobs, .. } = &self.repeats;
        let jobs_at_once = jobs_or_cores(*jobs);
        let of_mesh = jobs_at_once.min(over.seeds as usize);
        let meshes = points
            .iter()
            .flat_map(|point| repeat_n(&point.mesh, of_mesh));
        Mesh::admit(meshes, jobs_at_once)?;
        let runs = repeat(context, &points, (over, *jobs), Point::run)?;
        let done: Vec<_> = points.iter().zip(runs).collect();
        let row = |(point, runs): &(&Point, OfPoint<_>)| Some(point.rows(runs.as_deref()?));
        Ok(rows_of(&done, alone, row).concat())
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<ReadingRow>> {
        let mut all = place_columns(|it: &ReadingRow| it);
        all.extend(estimate(("time_mean", "time"), "cycles", "until the last packet has left", ReadingRow::time));
        all.push(column("published_time_cycles", "cycles", "the published time, if this row was published", |it: &ReadingRow| it.published));
        all.extend(estimate(("time_deviation", "time_deviation"), "", "from the published time, as a fraction of it", ReadingRow::deviation));
        all.extend(estimate(("random_pointers_time_mean", "random_pointers_time"), "cycles", "with random initial pointers until the last packet has left", ReadingRow::random_time));
        all.extend(estimate(("random_pointers_gain", "random_pointers_gain"), "", "by which random pointers shorten the time, as a fraction of it; seed by seed", ReadingRow::gain));
        all.extend([
            column("seeds", "", "runs: one per seed", |it: &ReadingRow| it.fixed.len() as u32),
            column("digest", "", "the sum of the runs' digests with fixed pointers", |it: &ReadingRow| sum_of_digests(&it.fixed)),
        ]);
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[ReadingRow]) -> Vec<Table> {
        type One<'a> = (&'a ReadingRow, &'static str, Run);
        let runs = rows.iter().flat_map(|row| {
            let fixed = row.fixed.iter().map(move |run| (row, "fixed", *run));
            fixed.chain(row.random.iter().map(move |run| (row, "random", *run)))
        });
        let mut columns = place_columns(|it: &One<'_>| it.0);
        columns.push(column("initial_pointer", "", "`fixed` or `random`", |it: &One<'_>| it.1));
        columns.extend(run_columns("until the last packet has left", |it: &One<'_>| it.2));
        vec![Table::new("runs", &columns, runs)]
    }

    /// What routes the first seed's permutations, by reading, experiment, mesh and algorithm.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let points = self.points(catalogue).unwrap_or_default();
        let of = |point: &Point, algorithm: Algorithm| {
            let run = (self.repeats.first_seed, LAST_CYCLES);
            let resolved = point.mesh.resolved(algorithm, InitialPointer::Fixed, run);
            let (reading, n) = (name_in(READINGS, &point.reading), point.mesh.plan.n);
            let (experiment, algorithm) = (point.experiment, algorithm.name());
            let name = format!("{reading}, {experiment}, n = {n}, {algorithm}");
            (name, resolved.to_toml())
        };
        let each = points
            .iter()
            .flat_map(|point| ALGORITHMS.map(|it| of(point, it)));
        each.collect()
    }

    fn text(&self, rows: &[ReadingRow]) -> String {
        let out = format!(
            "Chinn 1995, experiments 1 to 3 in several readings, {}; ± 95 % intervals\n{}\n",
            counted(self.repeats.seeds as usize, "seed"),
            base_text([""; 0], &self.repeats.set)
        );
        let columns = Aligned::<ReadingRow>::new()
            .left("reading", 8, |it| name_in(READINGS, &it.reading))
            .left("experiment", 11, |it| it.experiment)
            .right("n", 5, |it| it.n)
            .behind(2)
            .left("algorithm", 13, |it| it.algorithm.name())
            .right("cycles", 18, |it| cycles(it.time()))
            .right("published", 11, |it| {
                dash(it.published.map(|cycles| format!("{cycles:.0}")))
            })
            .right("deviation", 14, |it| shown(it.deviation()))
            .right("random pointers", 18, |it| cycles(it.random_time()))
            .right("gain", 15, |it| shown(it.gain()));
        out + &columns.text(rows)
    }

    fn figures(&self, rows: &[ReadingRow]) -> Vec<StudyFigure> {
        let each = EXPERIMENTS
            .iter()
            .flat_map(|experiment| ALGORITHMS.map(|algorithm| (*experiment, algorithm)));
        each.map(|of| self.figure_of(rows, of)).collect()
    }
}

impl ChaosReadings {
    /// The deviations of an experiment and algorithm over n, a curve for each reading.
    fn figure_of(
        &self,
        rows: &[ReadingRow],
        (experiment, algorithm): (&str, Algorithm),
    ) -> StudyFigure {
        let of = |reading: &Reading| {
            let rows = rows.iter().filter(|row| {
                (row.reading, row.experiment, row.algorithm) == (*reading, experiment, algorithm)
            });
            let means = rows.filter_map(|row| Some((row.n, row.deviation()?.scaled(100.0))));
            with_whiskers(name_in(READINGS, reading), Style::Curve, means)
        };
        let mut series: Vec<Series> = self.readings.iter().map(of).collect();
        series.retain(|it| !it.points.is_empty());
        let title = format!(
            "{experiment}, {}: deviation from the published times",
            algorithm.name()
        );
        let curves = Curves {
            title: &title,
            x_label: "side of the mesh, n (nodes)",
            y_label: "deviation (%)",
            series,
            ..Curves::default()
        };
        let name = format!("chaos-readings-{experiment}-{}.svg", algorithm.name());
        (name, curves.svg())
    }
}

#[cfg(test)]
mod tests;
