//! The effect of asynchrony on experiment 2 of Chinn 1995.
//!
//! The permutation is constructed under one clock, against minimal Chaos, as `flitwork paper chinn-exp2`
//! does, and routed on the same box by minimal Chaos and by Chaos: under one clock; with a clock per
//! node, all equal and in step, to check the engine; and with such clocks of random phases and
//! unequal periods. The thesis models asynchrony by nodes that first examine a random direction (sections
//! 4.2.1 and 4.2.2), so that is routed too.

mod report;

use report::{async_exp2_figure, async_exp2_text};

use super::clocking::{Clocking, LEVEL, clock_columns};
use super::steps::{BrokenOff, Steps, Watcher};
use super::{Plot, Ran, Study, StudyEntry};
use crate::context::{Context, Failed};
use crate::options::{edges, seeds, side, spread};
use crate::paper::{Algorithm, InitialPointer, Mesh};
use clap::Args;
use flitwork_config::Resolved;
use flitwork_engine::{Control, Ended};
use flitwork_experiment::memory;
use flitwork_experiment::simulate::execute;
use flitwork_measure::{Estimate, Window};
use flitwork_network::Demand;
use flitwork_observe::Observer;
use flitwork_report::{Column, Table, column, estimate};
use flitwork_trace::Digest;
use flitwork_traffic::Once;
use flitwork_traffic::PermutationParameters;
use flitwork_types::{Cycle, NodeId};
use std::collections::BTreeMap;

/// The deadline of a run, in times of the same run under one clock, and beyond that in cycles. A network
/// that has not emptied by then is stuck.
const DEADLINE_RATIO: u32 = 20;
const DEADLINE_CYCLES: u32 = 20_000;
/// The latest deadline: at half the nominal period a clock still counts its ticks.
const LAST_CYCLES: u32 = Cycle::LAST.get() / 4;

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
    /// The number of seeds. Each draws a permutation, clocks and deroutes; results are means over them.
    #[arg(long, default_value_t = 5, value_name = "COUNT", value_parser = seeds)]
    seeds: u32,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing. 0 separates the effect of unequal
    /// clocks from the cost of synchronizers.
    #[arg(long = "synchronizer", value_name = "EDGES,…", default_value = "0,2", value_parser = edges)]
    synchronizers: Vec<u32>,
}

impl Study for AsyncExp2 {
    type Row = AsyncExp2Row;

    const PLOT: Option<Plot> = Some(Plot::File(
        "Draw the times over n, as parts of one clock's, into this SVG file",
    ));

    fn run(&self, context: &mut dyn Context) -> Result<Ran<AsyncExp2Row>, Failed> {
        let rows = context.over_runs(|watcher| async_exp2(self, watcher));
        Ok(Ran::AsFar(rows?))
    }

    /// What the first seed's permutation is routed by, in each setting and on each mesh.
    fn configurations(&self) -> BTreeMap<String, String> {
        let meshes = self.sizes.iter();
        let meshes = meshes.filter_map(|n| Mesh::new(*n, "chinn-exp2").ok());
        let mut all = BTreeMap::new();
        for mesh in meshes {
            for (algorithm, setting, _) in Runs::new(&settings(self)).groups {
                let resolved = resolved(&mesh, algorithm, setting, (1, LAST_CYCLES));
                let (n, algorithm) = (mesh.plan.n, algorithm.name());
                all.insert(
                    format!("n = {n}, {algorithm}, {setting}"),
                    resolved.to_toml(),
                );
            }
        }
        all
    }

    fn seeds(&self) -> (u64, u32) {
        (1, self.seeds)
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<AsyncExp2Row>> {
        let mut all = key_columns(|it: &AsyncExp2Row| it.key);
        all.extend(estimate(("time_mean", "time"), "cycles", "of the nominal clock until the last packet has left, over the runs that came to an end", |it: &AsyncExp2Row| it.cycles));
        all.extend(estimate(("ratio", "ratio"), "", "the same as a part of one clock's, seed by seed", |it: &AsyncExp2Row| it.ratio));
        all.extend([
            column("deroutes_mean", "hops", "through unproductive ports, mean over the runs", |it: &AsyncExp2Row| it.deroutes),
            column("stuck_runs", "", "runs that did not deliver every packet", |it: &AsyncExp2Row| it.stuck_runs),
            column("same_as_one_clock", "", "whether each run's digest is that of the seed's run under one clock", |it: &AsyncExp2Row| it.same_as_one_clock),
        ]);
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[AsyncExp2Row]) -> Vec<Table> {
        let runs = rows.iter().flat_map(|row| row.runs.iter().map(|run| (row.key, run.clone())));
        let mut columns = key_columns(|it: &(Key, AsyncExp2Run)| it.0);
        columns.extend([
            column("seed", "", "the seed of everything random", |it: &(Key, AsyncExp2Run)| it.1.seed),
            column("time_cycles", "cycles", "of the nominal clock until the last packet has left; missing if not all did", |it: &(Key, AsyncExp2Run)| it.1.cycles),
            column("deroutes", "hops", "through unproductive ports", |it: &(Key, AsyncExp2Run)| it.1.deroutes),
            column("digest", "", "the digest of all events", |it: &(Key, AsyncExp2Run)| it.1.digest.clone()),
        ]);
        vec![Table::new("runs", &columns, runs)]
    }

    fn text(&self, rows: &[AsyncExp2Row]) -> String {
        async_exp2_text(self, rows)
    }

    fn figure(&self, rows: &[AsyncExp2Row]) -> Option<String> {
        Some(async_exp2_figure(rows))
    }
}

/// A run of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AsyncExp2Run {
    seed: u64,
    /// The cycle of the nominal clock in which the last packet left; none if not all did.
    cycles: Option<u32>,
    deroutes: u64,
    digest: String,
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
    cycles: Option<Estimate>,
    ratio: Option<Estimate>,
    deroutes: f64,
    stuck_runs: u32,
    same_as_one_clock: bool,
    runs: Vec<AsyncExp2Run>,
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

/// What a row's runs have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Setting {
    clocking: Clocking,
    pointer: InitialPointer,
}

/// The thesis' own experiment; all others are compared with it.
const ONE_CLOCK: Setting = Setting {
    clocking: Clocking::OneClock,
    pointer: InitialPointer::Fixed,
};

/// Runs the study; returns the rows so far if the watcher stops it, perhaps with fewer seeds.
///
/// # Errors
/// A size that the construction doesn't fit.
fn async_exp2(asked: &AsyncExp2, watcher: Watcher<'_>) -> Result<Vec<AsyncExp2Row>, Failed> {
    let meshes = asked.sizes.iter().map(|n| Mesh::new(*n, "chinn-exp2"));
    let meshes = meshes
        .collect::<Result<Vec<Mesh>, _>>()
        .map_err(|error| Failed::option("--n", error))?;
    let settings = settings(asked);
    for (mesh, setting) in meshes
        .iter()
        .flat_map(|mesh| settings.iter().map(move |it| (mesh, it)))
    {
        let mut resolved = resolved(mesh, Algorithm::Chaos, *setting, (1, 1));
        // Its packets start in a corner of the box.
        resolved.traffic.pattern = PermutationParameters::listed(Vec::new()).into();
        memory::admit(&resolved, 1.0).map_err(|error| Failed::option("--n", error))?;
    }
    // A construction counts as a run.
    let runs = meshes.len() * asked.seeds as usize * (1 + 2 * settings.len());
    let mut steps = Steps::new(watcher, runs);
    let mut rows = Vec::new();
    for mesh in &meshes {
        let mut runs = Runs::new(&settings);
        let broken =
            (1..=u64::from(asked.seeds)).any(|seed| runs.add(mesh, seed, &mut steps).is_err());
        rows.extend(runs.rows(mesh));
        if broken {
            break;
        }
    }
    Ok(rows)
}

fn settings(asked: &AsyncExp2) -> Vec<Setting> {
    let with = |clocking| Setting {
        clocking,
        ..ONE_CLOCK
    };
    let random = Setting {
        pointer: InitialPointer::Random,
        ..ONE_CLOCK
    };
    let mut settings = vec![ONE_CLOCK, with(Clocking::InStep), random];
    for &edges in &asked.synchronizers {
        let spreads = asked.spreads.iter();
        settings.extend(spreads.map(|&percent| with(Clocking::Spread { percent, edges })));
    }
    settings
}

/// The runs on a mesh.
struct Runs {
    groups: Vec<(Algorithm, Setting, Vec<AsyncExp2Run>)>,
}

impl Runs {
    fn new(settings: &[Setting]) -> Runs {
        let algorithms = [Algorithm::MinimalChaos, Algorithm::Chaos];
        let groups = algorithms.into_iter().flat_map(|algorithm| {
            settings
                .iter()
                .map(move |setting| (algorithm, *setting, Vec::new()))
        });
        Runs {
            groups: groups.collect(),
        }
    }

    /// A seed's permutation, routed in every setting. One clock comes first, and sets the deadline.
    fn add(&mut self, mesh: &Mesh, seed: u64, steps: &mut Steps<'_>) -> Result<(), BrokenOff> {
        let n = mesh.plan.n;
        let name = format!("n = {n}, seed {seed}: construction");
        let constructed = steps.run(&name, |control| mesh.construct(seed, control).ok())?;
        let pairs = constructed.ok_or(BrokenOff)?.pairs;
        let mut deadline = LAST_CYCLES;
        for (algorithm, setting, runs) in &mut self.groups {
            let name = format!("n = {n}, seed {seed}: {}, {setting}", algorithm.name());
            if *setting == ONE_CLOCK {
                deadline = LAST_CYCLES;
            }
            let resolved = resolved(mesh, *algorithm, *setting, (seed, deadline));
            let run = steps.run(&name, |control| route(&resolved, &pairs, control))?;
            if let (true, Some(cycles)) = (*setting == ONE_CLOCK, run.cycles) {
                let later = cycles.saturating_mul(DEADLINE_RATIO);
                deadline = later.saturating_add(DEADLINE_CYCLES).min(LAST_CYCLES);
            }
            runs.push(run);
        }
        Ok(())
    }

    fn rows(&self, mesh: &Mesh) -> Vec<AsyncExp2Row> {
        let done = self.groups.iter().filter(|(_, _, runs)| !runs.is_empty());
        let rows = done.map(|(algorithm, setting, runs)| {
            let one_clock = self.groups.iter();
            let mut one_clock =
                one_clock.filter(|group| (group.0, group.1) == (*algorithm, ONE_CLOCK));
            let one_clock = one_clock.next().map_or(&[][..], |group| &group.2);
            row(mesh, (*algorithm, *setting), runs, one_clock)
        });
        rows.collect()
    }
}

fn row(
    mesh: &Mesh,
    (algorithm, setting): (Algorithm, Setting),
    runs: &[AsyncExp2Run],
    one_clock: &[AsyncExp2Run],
) -> AsyncExp2Row {
    let ended: Vec<f64> = runs
        .iter()
        .filter_map(|run| run.cycles.map(f64::from))
        .collect();
    let pairs = || runs.iter().zip(one_clock);
    let ratios: Vec<f64> = pairs()
        .filter_map(|(run, one)| Some(f64::from(run.cycles?) / f64::from(one.cycles?)))
        .collect();
    let estimate =
        |values: &[f64]| (!values.is_empty()).then(|| Estimate::of_independent(values, LEVEL));
    AsyncExp2Row {
        key: Key {
            n: mesh.plan.n,
            cn: mesh.plan.corner,
            algorithm,
            setting,
        },
        cycles: estimate(&ended),
        ratio: estimate(&ratios),
        deroutes: runs.iter().map(|run| run.deroutes as f64).sum::<f64>() / runs.len() as f64,
        stuck_runs: (runs.len() - ended.len()) as u32,
        same_as_one_clock: pairs().all(|(run, one)| run == one),
        runs: runs.to_vec(),
    }
}

/// A run on the box in the corner, at whose edge packets vanish.
fn resolved(mesh: &Mesh, algorithm: Algorithm, setting: Setting, run: (u64, u32)) -> Resolved {
    let resolved = mesh.resolved(algorithm, setting.pointer, run);
    setting.clocking.of(resolved)
}

fn route(resolved: &Resolved, pairs: &[(NodeId, NodeId)], control: Control<'_>) -> AsyncExp2Run {
    let end = Cycle(resolved.run.deadline_cycles);
    let window = Window::new(Cycle::ZERO, end).expect("a deadline is at least a cycle");
    let observer = Observer::new(resolved.network.shape.clone(), 1, window);
    let demand = Demand::until(Box::new(Once::new(pairs)), end);
    let done = execute(resolved, demand, (Digest::default(), observer), control);
    let (digest, observer) = done.probe;
    let seen = observer.finish(end);
    let last = seen
        .last_delivery
        .filter(|_| done.outcome.ended == Ended::Empty);
    AsyncExp2Run {
        seed: resolved.run.seed,
        cycles: last.map(Cycle::get),
        deroutes: seen.all_deroutes,
        digest: digest.to_string(),
    }
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
