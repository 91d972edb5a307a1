//! What asynchrony does to latency and throughput: Chaos on a square mesh and torus under one clock and
//! under clocks of the nodes' own, over the offered load.

mod report;

use report::{async_load_figures, async_load_text};

use super::clocking::{Clocking, LEVEL, Refused, check};
use super::steps::{BrokenOff, Steps, Watcher};
use super::{Made, Output, Ran, Study, StudyEntry};
use crate::context::{Context, Failed};
use crate::options::{seeds, side};
use clap::Args;
use flitwork_config::{
    ClockParameters, EnergyParameters, EngineChoice, LiveParameters, NetworkParameters, Resolved,
    RunParameters, TrafficParameters,
};
use flitwork_experiment::memory;
use flitwork_experiment::simulate::simulate;
use flitwork_measure::{Estimate, Reason, SteadyState};
use flitwork_results::Results;
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_traffic::{AnyPattern, BernoulliParameters, HotSpotParameters, LengthLaw};
use flitwork_types::NodeId;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Cycles in which what was made by the end of the measurement may enter, and as many again in which the
/// network empties. After an overload of uniform traffic it does within a quarter of them; what lasts longer is told.
const DRAIN_CYCLES: u32 = 2_000;
/// The part of hot-spot's packets that goes to its four hot nodes.
const HOT_FRACTION: f64 = 0.1;
/// The most measured cycles, so that every clock can count its ticks.
const MAX_CYCLES: u32 = 1_000_000_000;

/// Its line in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<AsyncLoad>(
    "async-load",
    "What asynchrony does to Chaos' latency and throughput, on a mesh and a torus, over the load",
);

/// What is asked for.
#[derive(Clone, Debug, Default, Args)]
pub struct AsyncLoad {
    /// The side of the square mesh and torus, in nodes.
    #[arg(long, default_value_t = 16, value_name = "NODES", value_parser = side, allow_negative_numbers = true)]
    pub side: u32,
    /// Offered loads, in words a node and cycle of the nominal clock.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LOAD,…",
        default_value = "0.02,0.04,0.06,0.08,0.1,0.12,0.14,0.17,0.2,0.28",
        allow_negative_numbers = true
    )]
    pub loads: Vec<f64>,
    /// How far the nodes' periods are from the nominal one at most, in percent: drawn uniformly.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "PERCENT,…",
        default_value = "0,0.1,1,5,10",
        allow_negative_numbers = true
    )]
    pub spreads: Vec<f64>,
    /// mesh and torus.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME,…",
        default_value = "mesh,torus"
    )]
    pub topologies: Vec<String>,
    /// Traffic patterns that need no parameter, and hot-spot: a tenth of the packets goes to four nodes,
    /// a quarter and three quarters along each side.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAME,…",
        default_value = "uniform,transpose,hot-spot"
    )]
    pub patterns: Vec<String>,
    /// How many seeds: each gives traffic, clocks, and deroutes. Results are means over them.
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = seeds, allow_negative_numbers = true)]
    pub seeds: u32,
    /// Measured cycles of the nominal clock; half as many go before them.
    #[arg(long, default_value_t = 3000, allow_negative_numbers = true)]
    pub cycles: u32,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing.
    #[arg(
        long = "synchronizer",
        value_delimiter = ',',
        value_name = "EDGES,…",
        default_value = "2",
        allow_negative_numbers = true
    )]
    pub synchronizers: Vec<u32>,
    /// Print the rows as JSON.
    #[arg(long)]
    pub json: bool,
    /// Draw latency over load into this folder, an SVG file for each network and pattern.
    #[arg(long, value_name = "DIR")]
    pub plot: Option<PathBuf>,
    /// Replace figures that are there.
    #[arg(long)]
    pub force: bool,
}

impl Study for AsyncLoad {
    type Row = AsyncLoadRow;

    fn run(&self, context: &mut dyn Context) -> Result<Ran<AsyncLoadRow>, Failed> {
        let rows = context.over_runs(|watcher| async_load(self, watcher));
        Ok(Ran::AsFar(rows?))
    }

    /// What runs at the first load with the first seed, on each network, with each pattern, under all clocks.
    fn configurations(&self) -> BTreeMap<String, String> {
        let points = points(self).unwrap_or_default().into_iter();
        let first = points.filter(|point| Some(&point.load) == self.loads.first());
        let named = first.map(|point| {
            let pattern = point.resolved.traffic.pattern.name();
            let name = format!("{}, {pattern}, {}", point.topology(), point.clocking);
            (name, point.clocking.of(point.resolved.clone()).to_toml())
        });
        named.collect()
    }

    fn seeds(&self) -> (u64, u32) {
        (1, self.seeds)
    }

    fn json(&self) -> bool {
        self.json
    }

    fn text(&self, rows: &[AsyncLoadRow]) -> String {
        async_load_text(self, rows)
    }

    fn output(&self) -> Option<Output<'_>> {
        let plot = Output::plot(self.plot.as_deref(), self.force)?;
        Some(Output {
            is_folder: true,
            ..plot
        })
    }

    fn owns(&self, name: &str) -> bool {
        name.starts_with("async-load-") && name.ends_with(".svg")
    }

    fn files(&self, rows: &[AsyncLoadRow]) -> Vec<Made> {
        async_load_figures(self, rows)
    }
}

/// A point: a network, a pattern, clocks and a load.
#[derive(Clone, Debug, Serialize)]
pub struct AsyncLoadRow {
    /// "mesh" or "torus".
    pub topology: &'static str,
    /// The traffic pattern.
    pub pattern: String,
    /// "one-clock", "spread" or "self-timed".
    pub clocks: &'static str,
    /// How far periods are from the nominal one at most, in percent.
    pub spread_percent: Option<f64>,
    /// Edges of the synchronizers.
    pub synchronizer_edges: Option<u32>,
    /// The configured load, in words a node and cycle.
    pub load: f64,
    /// Words offered a node and cycle, over seeds or batches: less than configured where sources are silent.
    pub offered: Estimate,
    /// Runs: one a seed.
    pub seeds: u32,
    /// From creation to delivery in cycles: over seeds, or with one seed over its batches. Of runs that were
    /// overloaded it is the mean of what was delivered in the window.
    pub latency: Option<Estimate>,
    /// Its 99th percentile, mean over the seeds.
    pub latency_p99: Option<f64>,
    /// Words accepted a node and cycle, over seeds or batches.
    pub accepted: Estimate,
    /// Whether at least half of the runs were in their steady state while they were measured: one in a
    /// hundred steady runs is taken for one that isn't.
    pub steady: bool,
    /// For each run that wasn't, why not.
    pub not_steady: Vec<String>,
    /// Runs that were overloaded, or whose sources' backlog grew.
    pub overloaded_seeds: u32,
    /// Packets that were still in the network when the runs ended, sum over the runs: hot nodes may take
    /// longer to empty than a run waits.
    pub left_packets: u64,
    #[serde(skip)]
    clocking: Clocking,
    #[serde(skip)]
    reason: Option<Reason>,
}

/// A point that is to be run: the first seed's configuration, and its clocks.
struct Point {
    resolved: Resolved,
    clocking: Clocking,
    load: f64,
}

/// Runs the study; the rows that there are when the watcher breaks it off.
///
/// # Errors
/// An option that makes no sense, or a pattern that the network can't carry.
fn async_load(asked: &AsyncLoad, watcher: Watcher<'_>) -> Result<Vec<AsyncLoadRow>, Refused> {
    check(&asked.spreads, &asked.synchronizers, asked.seeds)?;
    check_loads(asked)?;
    let points = points(asked)?;
    for point in &points {
        let resolved = point.clocking.of(point.resolved.clone());
        memory::admit(&resolved, 1.0).map_err(|error| Refused::new("--side", error))?;
    }
    let mut steps = Steps::new(watcher, points.len() * asked.seeds as usize);
    let mut rows = Vec::new();
    for point in &points {
        let seeds = 1..=u64::from(asked.seeds);
        let runs: Result<Vec<Results>, BrokenOff> =
            seeds.map(|seed| point.run(seed, &mut steps)).collect();
        let Ok(runs) = runs else { break };
        rows.push(point.row(&runs));
    }
    Ok(rows)
}

fn check_loads(asked: &AsyncLoad) -> Result<(), Refused> {
    if asked.loads.is_empty() {
        return Err(Refused::new(
            "--loads",
            "none is given; allowed: at least one",
        ));
    }
    for load in &asked.loads {
        if !(*load > 0.0 && *load <= 1.0) {
            let why = format!("{load}; allowed: above 0, up to 1 word a node and cycle");
            return Err(Refused::new("--loads", why));
        }
    }
    if !(20..=MAX_CYCLES).contains(&asked.cycles) {
        let why = format!("{}; allowed: 20 to {MAX_CYCLES}", asked.cycles);
        return Err(Refused::new("--cycles", why));
    }
    Ok(())
}

fn points(asked: &AsyncLoad) -> Result<Vec<Point>, Refused> {
    let mut clockings = vec![Clocking::OneClock];
    for &edges in &asked.synchronizers {
        let spreads = asked.spreads.iter();
        clockings.extend(spreads.map(|&percent| Clocking::Spread { percent, edges }));
        clockings.push(Clocking::SelfTimed { edges });
    }
    let mut points = Vec::new();
    for topology in &asked.topologies {
        let grid = grid(asked.side, topology)?;
        for name in &asked.patterns {
            let pattern = pattern(name, &grid)?;
            for &clocking in &clockings {
                points.extend(asked.loads.iter().map(|&load| Point {
                    resolved: resolved(asked.cycles, &grid, &pattern, load),
                    clocking,
                    load,
                }));
            }
        }
    }
    Ok(points)
}

fn grid(side: u32, topology: &str) -> Result<Grid, Refused> {
    let grid = match topology {
        "mesh" => Grid::mesh(&[side, side]),
        "torus" => Grid::torus(&[side, side]),
        _ => {
            let why =
                format!("no topology of this study is called `{topology}`; allowed: mesh, torus");
            return Err(Refused::new("--topologies", why));
        }
    };
    grid.map_err(|error| Refused::new("--side", error))
}

fn pattern(name: &str, grid: &Grid) -> Result<AnyPattern, Refused> {
    let refused = |error| Refused::new("--patterns", error);
    let mut pattern = AnyPattern::named(name).map_err(refused)?;
    if let Some(spot) = pattern.get_mut::<HotSpotParameters>() {
        let side = grid.sides()[0];
        let places = [side / 4, 3 * side / 4];
        let hot = places
            .iter()
            .flat_map(|y| places.map(|x| NodeId(y * side + x)));
        spot.hot_nodes = Some(hot.collect());
        spot.hot_fraction = Some(HOT_FRACTION);
    }
    pattern.build(grid, 0).map_err(refused)?;
    Ok(pattern)
}

fn resolved(cycles: u32, grid: &Grid, pattern: &AnyPattern, load: f64) -> Resolved {
    let parameters = ChaosParameters::chinn_1995(grid.ports());
    let packet_words = parameters.packet_words;
    let warmup_cycles = cycles / 2;
    Resolved {
        network: NetworkParameters::new(grid.clone(), 1, Some(packet_words.into())),
        router: parameters.into(),
        traffic: TrafficParameters {
            process: BernoulliParameters { load }.into(),
            lengths: LengthLaw::Fixed {
                words: packet_words,
            },
            pattern: pattern.clone(),
        },
        run: RunParameters {
            seed: 1,
            engine: EngineChoice::Sync,
            warmup_cycles,
            measure_cycles: cycles,
            drain_cycles: DRAIN_CYCLES,
            stop_at_overload: false,
            deadline_cycles: warmup_cycles + cycles + 2 * DRAIN_CYCLES,
        },
        clocks: ClockParameters::default(),
        live: LiveParameters::new(1),
        energy: EnergyParameters::default(),
    }
}

impl Point {
    fn topology(&self) -> &'static str {
        if self.resolved.network.grid().wraps() {
            "torus"
        } else {
            "mesh"
        }
    }

    fn run(&self, seed: u64, steps: &mut Steps<'_>) -> Result<Results, BrokenOff> {
        let mut resolved = self.resolved.clone();
        resolved.run.seed = seed;
        let resolved = self.clocking.of(resolved);
        let (topology, pattern) = (self.topology(), resolved.traffic.pattern.name());
        let (clocking, load) = (self.clocking, self.load);
        let name = format!("{topology}, {pattern}, {clocking}, load {load}, seed {seed}");
        let run = steps.run(&name, |control| simulate(&resolved, control))?;
        Ok(Results::new(&resolved, &run))
    }

    fn row(&self, runs: &[Results]) -> AsyncLoadRow {
        // The report sets what isn't of a steady state in parentheses.
        let latencies: Vec<Estimate> = runs
            .iter()
            .filter_map(|run| run.latency.mean_or_window())
            .collect();
        let p99s = runs
            .iter()
            .filter_map(|run| run.latency.percentiles_or_transient().p99);
        let p99s: Vec<f64> = p99s.map(|p99| p99 as f64).collect();
        let loads = runs.iter().filter_map(|run| run.load.as_ref());
        let offered: Vec<Estimate> = loads.clone().map(|load| load.offered).collect();
        let accepted: Vec<Estimate> = loads.map(|load| load.accepted).collect();
        let reasons = runs.iter().filter_map(|run| match run.steady {
            Some(SteadyState::NotSteady { reason }) => Some(reason),
            _ => None,
        });
        let reasons: Vec<Reason> = reasons.collect();
        let steady = 2 * reasons.len() <= runs.len();
        AsyncLoadRow {
            topology: self.topology(),
            pattern: self.resolved.traffic.pattern.name().into(),
            clocks: self.clocking.kind(),
            spread_percent: self.clocking.spread_percent(),
            synchronizer_edges: self.clocking.edges(),
            load: self.load,
            offered: over_seeds(&offered),
            seeds: runs.len() as u32,
            latency: (!latencies.is_empty()).then(|| over_seeds(&latencies)),
            latency_p99: (!p99s.is_empty()).then(|| p99s.iter().sum::<f64>() / p99s.len() as f64),
            accepted: over_seeds(&accepted),
            steady,
            overloaded_seeds: reasons.iter().filter(|it| it.is_overload()).count() as u32,
            not_steady: reasons.iter().map(Reason::to_string).collect(),
            left_packets: runs.iter().map(|run| run.packets.in_network).sum(),
            clocking: self.clocking,
            reason: reasons.first().copied().filter(|_| !steady),
        }
    }
}

/// The mean over seeds with its interval. A single seed's is that of its batches.
fn over_seeds(runs: &[Estimate]) -> Estimate {
    match runs {
        [only] => *only,
        _ => {
            let means: Vec<f64> = runs.iter().map(|run| run.mean).collect();
            Estimate::of_independent(&means, LEVEL)
        }
    }
}

#[cfg(test)]
mod tests;
