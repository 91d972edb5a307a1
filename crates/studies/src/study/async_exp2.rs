//! The effect of asynchrony on experiment 2 of Chinn 1995.
//!
//! The permutation is constructed under one clock, against minimal Chaos, as `flitwork paper chinn-exp2`
//! does, and routed on the same box by minimal Chaos and by Chaos: under one clock; with a clock per
//! node, all equal and in step, to check the engine; with such clocks of random phases and unequal periods; and
//! self-timed, over links with handshakes. The thesis models asynchrony by nodes that first examine a random direction (sections
//! 4.2.1 and 4.2.2), so that is routed too.

mod report;

use report::{async_exp2_figure, async_exp2_text};

use super::clocking::{Clocking, asynchronous, clock_columns};
use super::{Plot, Ran, Study, StudyEntry};
use crate::context::{Context, Failed};
use crate::many::{OfPoint, admit, alone, repeat, rows_of};
use crate::options::{Repeats, edges, jobs_or_cores, side, spread};
use crate::paper::{Algorithm, Mesh, Reading, Run, Watched, route, run_columns};
use crate::seeds::over_seeds;
use clap::Args;
use flitwork_config::{Catalogue, Resolved};
use flitwork_engine::Progress;
use flitwork_measure::Estimate;
use flitwork_report::{Column, Table, column, estimate};
use flitwork_router::chaos::InitialPointer;
use flitwork_sweep::pool::Stop;
use flitwork_traffic::PermutationParameters;
use flitwork_types::Cycle;
use std::collections::BTreeMap;

/// The deadline of a run, as a multiple of the same run under one clock, plus a number of cycles. A
/// network that isn't empty by then is stuck.
const DEADLINE_RATIO: u32 = 20;
const DEADLINE_CYCLES: u32 = 20_000;
/// The latest deadline: at half the nominal period a clock still counts its ticks.
const LAST_CYCLES: u32 = Cycle::LAST.get() / 4;

const ALGORITHMS: [Algorithm; 2] = [Algorithm::MinimalChaos, Algorithm::Chaos];

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<AsyncExp2>(
    "async-exp2",
    "The effect of asynchrony on experiment 2 of Chinn 1995: the permutation against minimal Chaos, routed with a \
     clock per node",
);

/// Its options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct AsyncExp2 {
    /// Sides of the meshes in nodes, 35 or more.
    #[arg(long = "n", value_name = "N,…", default_value = "120,240,360", value_parser = side)]
    sizes: Vec<u32>,
    /// The largest deviation of a node's period from the nominal one, in percent; periods are drawn uniformly.
    #[arg(long, value_name = "PERCENT,…", default_value = "0,0.1,1,5,10", value_parser = spread)]
    spreads: Vec<f64>,
    /// How often: each seed draws a permutation, clocks and deroutes.
    #[command(flatten)]
    repeats: Repeats<5>,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing. 0 separates the effect of unequal
    /// clocks from the cost of synchronizers.
    #[arg(long = "synchronizer", value_name = "EDGES,…", default_value = "0,2", value_parser = edges)]
    synchronizers: Vec<u32>,
}

impl Study for AsyncExp2 {
    type Row = AsyncExp2Row;

    const PLOT: Plot =
        Plot::File("Plot the times relative to one clock against n in this SVG file");

    fn run(&self, context: &mut dyn Context) -> Result<Ran<AsyncExp2Row>, Failed> {
        Mesh::refuse_set(&self.repeats.set, &[])?;
        let meshes = self.meshes(context.catalogue())?;
        let Repeats { over, jobs, .. } = &self.repeats;
        self.admit(&meshes, jobs_or_cores(*jobs))?;
        let settings = self.settings();
        let run = |mesh: &Mesh, seed, stop: &Stop| runs(mesh, &settings, seed, stop);
        let runs = repeat(context, &meshes, (over, *jobs), run)?;
        let done: Vec<_> = meshes.iter().zip(runs).collect();
        let rows = |(mesh, runs): &(&Mesh, OfPoint<_>)| Some(self.rows(mesh, runs.as_deref()?));
        Ok(rows_of(&done, alone, rows).concat())
    }

    /// The configurations that route the first seed's permutation: one for each mesh, router and setting.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for mesh in self.meshes(catalogue).unwrap_or_default() {
            for row in self.rows(&mesh, &[]) {
                let (algorithm, setting) = (row.key.algorithm, row.key.setting);
                let resolved = setting.of(&mesh, algorithm, (self.repeats.first_seed, LAST_CYCLES));
                let name = format!("n = {}, {}, {setting}", row.key.n, algorithm.name());
                all.insert(name, resolved.to_toml());
            }
        }
        all
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<AsyncExp2Row>> {
        let mut all = key_columns(|it: &AsyncExp2Row| it.key);
        all.extend(estimate(("time_mean", "time"), "cycles", "of the nominal clock until the last packet has left, over the runs that came to an end", AsyncExp2Row::cycles));
        all.extend(estimate(("ratio", "ratio"), "", "the same as a fraction of one clock's, seed by seed", AsyncExp2Row::ratio));
        all.extend([
            column("deroutes_mean", "hops", "through unproductive ports, mean over the runs", AsyncExp2Row::deroutes),
            column("stuck_runs", "", "runs that did not deliver every packet", AsyncExp2Row::stuck_runs),
            column("same_as_one_clock", "", "whether each run's digest is that of the seed's run under one clock", AsyncExp2Row::is_as_one_clock),
        ]);
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[AsyncExp2Row]) -> Vec<Table> {
        let runs = rows.iter().flat_map(|row| row.runs.iter().map(|run| (row.key, *run)));
        let mut columns = key_columns(|it: &(Key, Run)| it.0);
        columns.extend(run_columns("of the nominal clock until the last packet has left; missing if not all did", |it: &(Key, Run)| it.1));
        vec![Table::new("runs", &columns, runs)]
    }

    fn text(&self, rows: &[AsyncExp2Row]) -> String {
        async_exp2_text(self, rows)
    }

    fn figure(&self, rows: &[AsyncExp2Row]) -> Option<String> {
        Some(async_exp2_figure(rows))
    }
}

impl AsyncExp2 {
    fn meshes(&self, catalogue: &Catalogue) -> Result<Vec<Mesh>, Failed> {
        let meshes = self.sizes.iter();
        meshes
            .map(|n| {
                let set = &self.repeats.set;
                Mesh::new(catalogue, *n, ("chinn-exp2", Reading::USUAL), set)
            })
            .collect()
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings = vec![ONE_CLOCK, Setting::under(Clocking::InStep), RANDOM_POINTERS];
        let asynchronous = asynchronous(&self.spreads, &self.synchronizers);
        settings.extend(asynchronous.map(Setting::under));
        settings
    }

    /// Refuses meshes that the host has no room for.
    fn admit(&self, meshes: &[Mesh], jobs: usize) -> Result<(), Failed> {
        let largest = |setting: &Setting| {
            let all = meshes.iter().map(|mesh| {
                let mut resolved = setting.of(mesh, Algorithm::Chaos, (1, 1));
                // Its packets start in a corner of the box.
                resolved.traffic.pattern = PermutationParameters::listed(Vec::new()).into();
                Ok(resolved)
            });
            admit(jobs, self.repeats.seeds, all)
        };
        self.settings().iter().try_for_each(largest)
    }

    /// The rows of a mesh: one for each router and setting.
    fn rows(&self, mesh: &Mesh, runs: &[Vec<Run>]) -> Vec<AsyncExp2Row> {
        let settings = self.settings();
        let places = ALGORITHMS.into_iter();
        let places = places.flat_map(|algorithm| settings.iter().map(move |it| (algorithm, *it)));
        let row = |(place, (algorithm, setting)): (usize, (Algorithm, Setting))| {
            let one_clock = place - place % settings.len();
            let with = |place: usize| runs.iter().map(|of_seed| of_seed[place]).collect();
            AsyncExp2Row {
                key: Key {
                    n: mesh.plan.n,
                    cn: mesh.plan.corner,
                    algorithm,
                    setting,
                },
                runs: with(place),
                one_clock: with(one_clock),
            }
        };
        places.enumerate().map(row).collect()
    }
}

/// What identifies a row.
#[derive(Clone, Copy, Debug)]
struct Key {
    n: u32,
    cn: u32,
    algorithm: Algorithm,
    setting: Setting,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct AsyncExp2Row {
    key: Key,
    /// One per seed.
    runs: Vec<Run>,
    /// The same seeds' runs under one clock.
    one_clock: Vec<Run>,
}

impl AsyncExp2Row {
    fn pairs(&self) -> impl Iterator<Item = (&Run, &Run)> {
        self.runs.iter().zip(&self.one_clock)
    }

    fn cycles(&self) -> Option<Estimate> {
        let cycles = self.runs.iter().filter_map(|run| run.cycles);
        over_seeds(cycles.map(f64::from))
    }

    fn ratio(&self) -> Option<Estimate> {
        let ratio =
            |(run, one): (&Run, &Run)| Some(f64::from(run.cycles?) / f64::from(one.cycles?));
        over_seeds(self.pairs().filter_map(ratio))
    }

    fn deroutes(&self) -> f64 {
        let sum = self.runs.iter().map(|run| run.deroutes as f64).sum::<f64>();
        sum / self.runs.len() as f64
    }

    fn stuck_runs(&self) -> u32 {
        let stuck = self.runs.iter().filter(|run| run.cycles.is_none());
        stuck.count() as u32
    }

    fn is_as_one_clock(&self) -> bool {
        let seen = |run: &Run| (run.cycles, run.deroutes, run.digest);
        self.pairs().all(|(run, one)| seen(run) == seen(one))
    }
}

#[rustfmt::skip]
fn key_columns<R: 'static>(of: impl Fn(&R) -> Key + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    let mut all = vec![
        column("n", "nodes", "the side of the mesh", move |it| of(it).n),
        column("cn", "nodes", "the side of the corner", move |it| of(it).cn),
        column("algorithm", "", "what routes", move |it| of(it).algorithm.name()),
    ];
    all.extend(clock_columns(move |it| of(it).setting.clocking));
    all.push(column("random_pointers", "", "whether each node first examines a random direction instead of south", move |it| of(it).setting.pointer == InitialPointer::Random));
    all
}

/// The clocks and pointers of a row's runs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Setting {
    clocking: Clocking,
    pointer: InitialPointer,
}

/// The thesis' own experiment; all others are compared with it.
const ONE_CLOCK: Setting = Setting::under(Clocking::OneClock);

const SELF_TIMED: Setting = Setting::under(Clocking::SelfTimed);

/// The thesis' stand-in for asynchrony.
const RANDOM_POINTERS: Setting = Setting {
    pointer: InitialPointer::Random,
    ..ONE_CLOCK
};

impl Setting {
    /// With fixed pointers.
    const fn under(clocking: Clocking) -> Setting {
        Setting {
            clocking,
            pointer: InitialPointer::Fixed,
        }
    }

    const fn spread(percent: f64, edges: u32) -> Setting {
        Setting::under(Clocking::Spread { percent, edges })
    }

    /// A run on the box in the corner, at whose edge packets vanish.
    fn of(self, mesh: &Mesh, algorithm: Algorithm, run: (u64, u32)) -> Resolved {
        self.clocking
            .of(mesh.resolved(algorithm, self.pointer, run))
    }
}

/// A seed's permutation, routed by each router in every setting. One clock comes first for each router, and sets the deadline.
/// None if the user asks to stop.
fn runs(mesh: &Mesh, settings: &[Setting], seed: u64, stop: &Stop) -> Option<Vec<Run>> {
    let (pairs, _) = mesh.constructed(seed, &mut |_| stop.flow());
    let mut all = Vec::new();
    for algorithm in ALGORITHMS {
        let mut deadline = LAST_CYCLES;
        for setting in settings {
            if stop.flow().is_break() {
                return None;
            }
            let resolved = setting.of(mesh, algorithm, (seed, deadline));
            let control = &mut |_: Progress| stop.flow();
            let run = route(&resolved, &pairs, Watched::default(), control).run;
            if let Some(cycles) = run.cycles.filter(|_| *setting == ONE_CLOCK) {
                let later = cycles.saturating_mul(DEADLINE_RATIO);
                deadline = later.saturating_add(DEADLINE_CYCLES).min(LAST_CYCLES);
            }
            all.push(run);
        }
    }
    stop.flow().is_continue().then_some(all)
}

/// "one clock, random pointers", "5 % spread".
impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.pointer {
            InitialPointer::Fixed => self.clocking.fmt(f),
            InitialPointer::Random => f.pad("one clock, random pointers"),
        }
    }
}

#[cfg(test)]
mod tests;
