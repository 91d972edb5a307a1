//! What asynchrony does to experiment 2 of Chinn 1995.
//!
//! The permutation is constructed under one clock, against minimal Chaos, as `flitwork paper chinn-exp2`
//! does, and routed on the same box by minimal Chaos and by Chaos: under one clock; under clocks of the
//! nodes' own, which are equal and in step, to check the engine; and under such clocks with random phases and
//! unequal periods. The thesis takes nodes that first examine a random direction for asynchrony (sections
//! 4.2.1 and 4.2.2), so that is routed too.

mod report;

use report::{async_exp2_figure, async_exp2_text};

use super::clocking::{Clocking, LEVEL, Refused, check};
use super::steps::{BrokenOff, Steps, Watcher};
use super::{Made, Output, Ran, Study, StudyEntry};
use crate::context::{Context, Failed};
use crate::options::{seeds, side};
use crate::paper::{Algorithm, InitialPointer, Mesh};
use clap::Args;
use flitwork_config::Resolved;
use flitwork_engine::{Control, Ended};
use flitwork_experiment::memory;
use flitwork_experiment::simulate::execute;
use flitwork_measure::{Estimate, Window};
use flitwork_network::Load;
use flitwork_observe::Observer;
use flitwork_trace::Digest;
use flitwork_traffic::Once;
use flitwork_traffic::PermutationParameters;
use flitwork_types::{Cycle, NodeId};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The deadline of a run, in times of the same run under one clock, and beyond that in cycles. A network
/// that has not emptied by then stands still.
const DEADLINE_RATIO: u32 = 20;
const DEADLINE_CYCLES: u32 = 20_000;
/// The latest deadline: at half the nominal period a clock still counts its ticks.
const LAST_CYCLES: u32 = Cycle::LAST.get() / 4;

/// Its line in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<AsyncExp2>(
    "async-exp2",
    "What asynchrony does to experiment 2 of Chinn 1995: the permutation against minimal Chaos, routed under clocks \
     of the nodes' own",
);

/// What is asked for.
#[derive(Clone, Debug, Default, Args)]
pub struct AsyncExp2 {
    /// Sides of the meshes in nodes, 35 or more.
    #[arg(
        long = "n",
        value_delimiter = ',',
        value_name = "N,…",
        default_value = "120,240,360",
        value_parser = side,
        allow_negative_numbers = true
    )]
    pub sizes: Vec<u32>,
    /// How far the nodes' periods are from the nominal one at most, in percent: drawn uniformly.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "PERCENT,…",
        default_value = "0,0.1,1,5,10",
        allow_negative_numbers = true
    )]
    pub spreads: Vec<f64>,
    /// How many seeds: each gives a permutation, clocks, and deroutes. Results are means over them.
    #[arg(long, default_value_t = 5, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub seeds: u32,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing. 0 tells what unequal
    /// clocks do from what synchronizers cost.
    #[arg(
        long = "synchronizer",
        value_delimiter = ',',
        value_name = "EDGES,…",
        default_value = "0,2",
        allow_negative_numbers = true
    )]
    pub synchronizers: Vec<u32>,
    /// Print the rows as JSON.
    #[arg(long)]
    pub json: bool,
    /// Draw the times over n, as parts of one clock's, into this SVG file.
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Replace figures that are there.
    #[arg(long)]
    pub force: bool,
}

impl Study for AsyncExp2 {
    type Row = AsyncExp2Row;

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

    fn json(&self) -> bool {
        self.json
    }

    fn text(&self, rows: &[AsyncExp2Row]) -> String {
        async_exp2_text(self, rows)
    }

    fn output(&self) -> Option<Output<'_>> {
        Output::plot(self.plot.as_deref(), self.force)
    }

    fn files(&self, rows: &[AsyncExp2Row]) -> Vec<Made> {
        vec![Made::svg("", async_exp2_figure(rows))]
    }
}

/// A run of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AsyncExp2Run {
    /// The seed.
    pub seed: u64,
    /// The cycle of the nominal clock in which the last packet left; none if not all did.
    pub cycles: Option<u32>,
    /// Hops through unproductive ports.
    pub deroutes: u64,
    /// The run's digest.
    pub digest: String,
}

/// A line of the table.
#[derive(Clone, Debug, Serialize)]
pub struct AsyncExp2Row {
    /// The side of the mesh, in nodes.
    pub n: u32,
    /// The side of the corner, in nodes.
    pub cn: u32,
    /// What routes.
    pub algorithm: Algorithm,
    /// "one-clock", "in-step" or "spread".
    pub clocks: &'static str,
    /// Whether each node first examines a random direction instead of south.
    pub random_pointers: bool,
    /// How far periods are from the nominal one at most, in percent.
    pub spread_percent: Option<f64>,
    /// Edges of the synchronizers.
    pub synchronizer_edges: Option<u32>,
    /// Cycles of the nominal clock until the last packet has left, over the runs that came to an end.
    pub cycles: Option<Estimate>,
    /// The same as a part of one clock's, seed by seed.
    pub ratio: Option<Estimate>,
    /// Hops through unproductive ports, mean over the runs.
    pub deroutes: f64,
    /// Runs that did not deliver every packet.
    pub stuck_runs: u32,
    /// Whether each run's digest is that of the seed's run under one clock.
    pub same_as_one_clock: bool,
    /// The runs.
    pub runs: Vec<AsyncExp2Run>,
    #[serde(skip)]
    setting: Setting,
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

/// Runs the study; the rows that there are when the watcher breaks it off, perhaps with fewer seeds.
///
/// # Errors
/// A size that the construction doesn't fit, and spreads or synchronizers that make no sense.
fn async_exp2(asked: &AsyncExp2, watcher: Watcher<'_>) -> Result<Vec<AsyncExp2Row>, Refused> {
    check(&asked.spreads, &asked.synchronizers, asked.seeds)?;
    if asked.sizes.is_empty() {
        return Err(Refused::new("--n", "none is given; allowed: at least one"));
    }
    let meshes = asked.sizes.iter().map(|n| Mesh::new(*n, "chinn-exp2"));
    let meshes = meshes
        .collect::<Result<Vec<Mesh>, _>>()
        .map_err(|error| Refused::new("--n", error))?;
    let settings = settings(asked);
    for (mesh, setting) in meshes
        .iter()
        .flat_map(|mesh| settings.iter().map(move |it| (mesh, it)))
    {
        let mut resolved = resolved(mesh, Algorithm::Chaos, *setting, (1, 1));
        // Its packets start in a corner of the box.
        resolved.traffic.pattern = PermutationParameters::listed(Vec::new()).into();
        memory::admit(&resolved, 1.0).map_err(|error| Refused::new("--n", error))?;
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
        n: mesh.plan.n,
        cn: mesh.plan.corner,
        algorithm,
        clocks: setting.clocking.kind(),
        random_pointers: setting.pointer == InitialPointer::Random,
        spread_percent: setting.clocking.spread_percent(),
        synchronizer_edges: setting.clocking.edges(),
        cycles: estimate(&ended),
        ratio: estimate(&ratios),
        deroutes: runs.iter().map(|run| run.deroutes as f64).sum::<f64>() / runs.len() as f64,
        stuck_runs: (runs.len() - ended.len()) as u32,
        same_as_one_clock: pairs().all(|(run, one)| run == one),
        runs: runs.to_vec(),
        setting,
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
    let load = Load::until(Box::new(Once::new(pairs)), end);
    let done = execute(resolved, load, (Digest::default(), observer), control);
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
