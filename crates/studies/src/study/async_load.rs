//! The effect of asynchrony on latency and throughput: Chaos on a square mesh and torus under one clock and
//! with a clock per node, over the offered load.

mod report;

use report::{async_load_figures, async_load_text};

use super::clocking::{Clocking, asynchronous, clock_columns};
use super::{Plot, Ran, Study, StudyEntry, StudyFigure};
use crate::context::{Context, Failed};
use crate::many::{admit, alone, refuse_set, repeat, rows_of, set};
use crate::options::{Repeats, ascending, edges, jobs_or_cores, load, side, spread, whole};
use crate::seeds::{mean_of, over_seeds};
use crate::seen::{self, Seen};
use crate::square::{HOT_FRACTION, chaos, hot_nodes, measured, named_square, pattern};
use clap::Args;
use flitwork_config::{Catalogue, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::simulate;
use flitwork_measure::{Estimate, Reason};
use flitwork_report::{Column, Table, column, estimate};
use flitwork_results::Results;
use flitwork_sweep::pool::Stop;
use flitwork_traffic::{BernoulliParameters, HotSpotParameters};
use flitwork_types::TerminalId;
use std::collections::BTreeMap;

/// Cycles in which packets created by the end of the measurement may enter, and as many again in which the
/// network may empty. After an overload of uniform traffic it does within a quarter of them; if it takes longer, that is
/// reported.
const DRAIN_CYCLES: u32 = 2_000;

/// Measured cycles: at most as many as every clock can count.
fn cycles(text: &str) -> Result<u32, String> {
    whole(text, 20..=1_000_000_000)
}

/// Its entry in the table.
pub(super) const ENTRY: StudyEntry = StudyEntry::of::<AsyncLoad>(
    "async-load",
    "The effect of asynchrony on Chaos' latency and throughput, on a mesh and a torus, by load",
);

/// Its options.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct AsyncLoad {
    /// The side of the square mesh and torus, in nodes.
    #[arg(long, default_value_t = 16, value_name = "NODES", value_parser = side)]
    side: u32,
    /// Offered loads, ascending, in words per node and cycle of the nominal clock.
    #[arg(long, value_name = "LOAD,…", default_value = "0.02,0.04,0.06,0.08,0.1,0.12,0.14,0.17,0.2,0.28", value_parser = load)]
    loads: Vec<f64>,
    /// The largest deviation of a node's period from the nominal one, in percent; periods are drawn uniformly.
    #[arg(long, value_name = "PERCENT,…", default_value = "0,0.1,1,5,10", value_parser = spread)]
    spreads: Vec<f64>,
    /// The topologies: mesh and torus.
    #[arg(long, value_name = "NAME,…", default_value = "mesh,torus")]
    topologies: Vec<String>,
    /// Traffic patterns without parameters, and hot-spot: a tenth of the packets goes to four nodes, at
    /// a quarter and three quarters of each side.
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "uniform,transpose,hot-spot"
    )]
    patterns: Vec<String>,
    /// How often: each seed draws traffic, clocks and deroutes.
    #[command(flatten)]
    repeats: Repeats<3>,
    /// Measured cycles of the nominal clock; half as many precede them.
    #[arg(long, default_value_t = 3000, value_parser = cycles)]
    cycles: u32,
    /// Edges of the receiver's clock that a word or a credit waits at a crossing.
    #[arg(long = "synchronizer", value_name = "EDGES,…", default_value = "2", value_parser = edges)]
    synchronizers: Vec<u32>,
}

impl Study for AsyncLoad {
    type Row = AsyncLoadRow;

    const FIGURES: Option<&'static str> = Some("async-load-");

    const PLOT: Plot = Plot::Folder(
        "Plot latency against load in this folder, one SVG file for each network and pattern",
    );

    fn run(&self, context: &mut dyn Context) -> Result<Ran<AsyncLoadRow>, Failed> {
        ascending("--loads", &self.loads)?;
        self.refuse_set()?;
        let points = points(self, context.catalogue())?;
        let Repeats { over, jobs, .. } = &self.repeats;
        let all = points.iter().map(|point| Ok(point.resolved.clone()));
        admit(jobs_or_cores(*jobs), over.seeds, all)?;
        let run = |point: &Point, seed, stop: &Stop| point.run(seed, stop);
        let runs = repeat(context, &points, (over, *jobs), run)?;
        let done: Vec<_> = points.into_iter().zip(runs).collect();
        Ok(rows_of(&done, alone, |(point, runs)| {
            Some(point.row(runs.as_ref()?))
        }))
    }

    /// What runs at the first load with the first seed, on each network, with each pattern, under all clocks.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String> {
        let points = points(self, catalogue).unwrap_or_default().into_iter();
        let first = points.filter(|point| Some(&point.load) == self.loads.first());
        let named = first.map(|point| {
            let (topology, pattern, clocking) = point.key();
            let name = format!("{topology}, {pattern}, {clocking}");
            (name, point.resolved.to_toml())
        });
        named.collect()
    }

    #[rustfmt::skip]
    fn columns(&self) -> Vec<Column<AsyncLoadRow>> {
        let mut all = place_columns(|it: &AsyncLoadRow| it);
        all.extend(estimate(("offered_load", "offered_load"), LOAD, "what the sources made in the window, over seeds or batches: less than configured where some of them are silent", |it: &AsyncLoadRow| Some(it.offered)));
        all.push(column("seeds", "", "runs: one per seed", |it: &AsyncLoadRow| it.seeds));
        all.extend(estimate(("latency_mean", "latency"), "cycles", "from creation to delivery, over seeds, or with one seed over its batches; of runs that were overloaded, of what was delivered in the window", |it: &AsyncLoadRow| it.latency));
        all.push(column("latency_p99_cycles", "cycles", "99 % of the packets were at least as fast, mean over the seeds", |it: &AsyncLoadRow| it.latency_p99));
        all.extend(estimate(("accepted_load", "accepted_load"), LOAD, "what was delivered in the window, over seeds or batches", |it: &AsyncLoadRow| Some(it.accepted)));
        all.extend([
            column("steady", "", "whether at least half of the runs were in their steady state while they were measured: one in a hundred steady runs is taken for one that isn't", |it: &AsyncLoadRow| it.steady),
            column("steady_seeds", "", "seeds whose run was steady", |it: &AsyncLoadRow| it.seeds - it.unsteady.len() as u32),
            column("reason", "", "which rules of the steady state the others violated", |it: &AsyncLoadRow| it.reasons()),
            column("overloaded_seeds", "", "seeds whose run was overloaded, or whose sources' backlog grew", |it: &AsyncLoadRow| it.overloaded_seeds),
            column("packets_in_network", "packets", "in the network when the runs ended, sum over the runs: hot nodes may take longer to empty than a run waits", |it: &AsyncLoadRow| it.left_packets),
        ]);
        all.extend(seen::fairness_columns(|it: &AsyncLoadRow| &it.seen));
        all
    }

    #[rustfmt::skip]
    fn details(&self, rows: &[AsyncLoadRow]) -> Vec<Table> {
        type One<'a> = (&'a AsyncLoadRow, &'a Seen, &'a Rest);
        let runs = rows.iter().flat_map(|row| row.seen.iter().zip(&row.rest).map(move |(seen, rest)| (row, seen, rest)));
        let mut columns = place_columns(|it: &One<'_>| it.0);
        columns.extend(seen::seed_columns(|it: &One<'_>| it.1));
        columns.extend([
            column("latency_p99_cycles", "cycles", "99 % of the packets were at least as fast", |it: &One<'_>| it.2.p99),
            column("reason", "", "which rule of the steady state the run violated", |it: &One<'_>| it.2.unsteady.map(|it| it.to_string())),
            column("packets_in_network", "packets", "in the network when the run ended", |it: &One<'_>| it.2.left),
        ]);
        vec![Table::new("runs", &columns, runs)]
    }

    fn text(&self, rows: &[AsyncLoadRow]) -> String {
        async_load_text(self, rows)
    }

    fn figures(&self, rows: &[AsyncLoadRow]) -> Vec<StudyFigure> {
        async_load_figures(self, rows)
    }
}

/// A row of the table: a network, a pattern, clocks and a load, over all seeds.
#[derive(Clone, Debug)]
pub(super) struct AsyncLoadRow {
    topology: &'static str,
    pattern: &'static str,
    clocking: Clocking,
    load: f64,
    offered: Estimate,
    seeds: u32,
    latency: Option<Estimate>,
    latency_p99: Option<f64>,
    accepted: Estimate,
    steady: bool,
    /// For each run that wasn't steady, why not.
    unsteady: Vec<Reason>,
    overloaded_seeds: u32,
    left_packets: u64,
    /// Each seed's run.
    seen: Vec<Seen>,
    rest: Vec<Rest>,
}

const LOAD: &str = "words/node/cycle";

#[rustfmt::skip]
fn place_columns<R>(of: impl Fn(&R) -> &AsyncLoadRow + Copy + Send + Sync + 'static) -> Vec<Column<R>> {
    let mut all = vec![
        column("topology", "", "`mesh` or `torus`", move |it| of(it).topology),
        column("pattern", "", "the traffic pattern", move |it| of(it).pattern),
    ];
    all.extend(clock_columns(move |it| of(it).clocking));
    all.push(column("configured_load_words_per_node_cycle", LOAD, "what the configuration asks for", move |it| of(it).load));
    all
}

impl AsyncLoadRow {
    fn reasons(&self) -> Option<String> {
        let reasons: Vec<String> = self.unsteady.iter().map(Reason::to_string).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// The rule of the steady state that most runs violate.
    fn reason(&self) -> Option<Reason> {
        self.unsteady.first().copied().filter(|_| !self.steady)
    }
}

impl AsyncLoad {
    /// Refuses what `--set` names in vain.
    fn refuse_set(&self) -> Result<(), Failed> {
        let own = OWN_KEYS.map(|key| set(key, ""));
        refuse_set(&self.repeats.set, &own, &["[router.chaos]"])
    }
}

/// The keys and tables that the study sets.
const OWN_KEYS: [&str; 12] = [
    "network.topology",
    "network.sides",
    "network.synchronizer_edges",
    "network.crossings",
    "network.handshake",
    "traffic.process",
    "traffic.pattern",
    "traffic.load",
    "traffic.hot_nodes",
    "traffic.hot_fraction",
    "clocks",
    "run",
];

/// What a row's runs have in common, and the first seed's configuration.
struct Point {
    resolved: Resolved,
    topology: &'static str,
    clocking: Clocking,
    load: f64,
}

fn points(asked: &AsyncLoad, catalogue: &Catalogue) -> Result<Vec<Point>, Failed> {
    let mut clockings = vec![Clocking::OneClock];
    clockings.extend(asynchronous(&asked.spreads, &asked.synchronizers));
    let run = measured(
        asked.repeats.first_seed,
        (asked.cycles / 2, asked.cycles),
        DRAIN_CYCLES,
    );
    let mut points = Vec::new();
    for name in &asked.topologies {
        let grid = named_square(name, asked.side)?;
        let topology = grid.kind();
        for name in &asked.patterns {
            let pattern = pattern(catalogue, name, &grid, |pattern| {
                if let Some(spot) = pattern.get_mut::<HotSpotParameters>() {
                    spot.hot_nodes = Some(hot_nodes(asked.side).map(TerminalId).into());
                    spot.hot_fraction = Some(HOT_FRACTION);
                }
            })?;
            let base = chaos(catalogue, &grid, &asked.repeats.set, (1.0, pattern), run)?;
            for &clocking in &clockings {
                points.extend(asked.loads.iter().map(|&load| {
                    let mut resolved = clocking.of(base.clone());
                    resolved.traffic.process = BernoulliParameters { load }.into();
                    Point {
                        resolved,
                        topology,
                        clocking,
                        load,
                    }
                }));
            }
        }
    }
    Ok(points)
}

impl Point {
    fn key(&self) -> (&'static str, &'static str, Clocking) {
        let pattern = self.resolved.traffic.pattern.name();
        (self.topology, pattern, self.clocking)
    }

    /// A run; none if the user asks to stop.
    fn run(&self, seed: u64, stop: &Stop) -> Option<(Seen, Rest)> {
        let mut resolved = self.resolved.clone();
        resolved.run.seed = seed;
        let run = simulate(&resolved, &mut |_| stop.flow());
        if run.outcome.ended == Ended::Interrupted {
            return None;
        }
        let results = Results::new(&resolved, &run);
        let load = results.load.as_ref();
        let percentiles = results.latency.percentiles_or_transient();
        let rest = Rest {
            offered: load.map(|load| load.offered),
            accepted: load.map(|load| load.accepted),
            // The report puts what isn't of a steady state in parentheses.
            latency: results.latency.mean_or_window(),
            p99: percentiles.get("p99"),
            unsteady: results.unsteady(),
            left: results.packets.in_network,
        };
        Some((Seen::of(&results), rest))
    }

    fn row(&self, runs: &[(Seen, Rest)]) -> AsyncLoadRow {
        let (seen, rest): (Vec<Seen>, Vec<Rest>) = runs.iter().cloned().unzip();
        let latencies = rest.iter().filter_map(|run| run.latency);
        let p99s = rest.iter().filter_map(|run| run.p99);
        let unsteady: Vec<Reason> = rest.iter().filter_map(|run| run.unsteady).collect();
        let (topology, pattern, clocking) = self.key();
        AsyncLoadRow {
            topology,
            pattern,
            clocking,
            load: self.load,
            offered: over_runs(rest.iter().filter_map(|run| run.offered)),
            seeds: runs.len() as u32,
            latency: Some(over_runs(latencies)).filter(|mean| mean.observations > 0),
            latency_p99: over_seeds(p99s.map(|p99| p99 as f64)).map(|p99| p99.mean),
            accepted: over_runs(rest.iter().filter_map(|run| run.accepted)),
            steady: 2 * unsteady.len() <= runs.len(),
            overloaded_seeds: unsteady.iter().filter(|it| it.is_overload()).count() as u32,
            unsteady,
            left_packets: rest.iter().map(|run| run.left).sum(),
            seen,
            rest,
        }
    }
}

/// What a run comes to besides: its own intervals, its worst latencies, why it isn't steady, and the packets that are left.
#[derive(Clone, Debug)]
struct Rest {
    offered: Option<Estimate>,
    accepted: Option<Estimate>,
    latency: Option<Estimate>,
    p99: Option<u64>,
    unsteady: Option<Reason>,
    left: u64,
}

/// The mean over seeds with its interval. A single seed's is that of its batches.
fn over_runs(runs: impl Iterator<Item = Estimate>) -> Estimate {
    let runs: Vec<Estimate> = runs.collect();
    match runs[..] {
        [only] => only,
        _ => mean_of(runs.iter().map(|run| run.mean)),
    }
}

#[cfg(test)]
mod tests;
