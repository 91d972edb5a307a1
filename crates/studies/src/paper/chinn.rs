//! Chinn 1995, chapter 4: experiments 1 to 4.
//!
//! A permutation is constructed for minimal Chaos (for GreedyHP: by it) and then routed. Experiment 1
//! routes it on the whole mesh, with unique destinations, the last twelve packets' at the outer edge;
//! experiments 2 to 4 on the box of 2cn x 2cn nodes in the corner, at whose edge packets vanish.

mod error;
mod row;

pub use error::ChinnError;
pub use row::{Row, SeedRun};
pub(super) use row::{columns, runs};

use super::Watcher;
use super::published::{Algorithm, Published, published};
use super::watch::{Occupancy, Snapshot, Watched};
use crate::square::{permutation, square};
use flitwork_adversary::{Class, Kind, Plan, clt, lazy};
use flitwork_config::Resolved;
use flitwork_engine::{Control, Ended};
use flitwork_experiment::memory::PROGRAM_BYTES;
use flitwork_experiment::simulate::execute;
use flitwork_experiment::worst_case::by_stamps;
use flitwork_network::Demand;
use flitwork_router::chaos::{ChaosParameters, Delivery, InitialPointer};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::Once;
use flitwork_types::{Cycle, NodeId};
use std::collections::HashMap;

/// Packets whose destinations experiment 1 moves to the outer edge (section 4.2.1).
const LAST_PACKETS: usize = 12;
/// No run comes near its deadline.
const LAST_CYCLES: u32 = Cycle::LAST.get();

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The experiment's name, one of [`published`]'s.
    pub experiment: String,
    /// The sides of the meshes; empty for the published ones.
    pub sizes: Vec<u32>,
    /// Seeds per row.
    pub seeds: u32,
    /// The nodes' initial pointers when the permutation is routed. It is always constructed with
    /// fixed ones, as in the thesis.
    pub initial_pointer: InitialPointer,
    /// The cycle of the first seed's runs at which the occupancy of the corner is recorded.
    pub snapshot: Option<Cycle>,
}

/// The watcher stopped the experiment.
pub(crate) struct Interrupted;

pub(super) fn run(request: &Request, watcher: &mut dyn Watcher) -> Result<Vec<Row>, ChinnError> {
    if request.seeds == 0 {
        return Err(ChinnError::NoSeeds);
    }
    // All sizes are checked before the first of them runs.
    let (table, meshes) = table_and_meshes(request)?;
    let mut rows = Vec::new();
    for mesh in meshes {
        let done = match table.name.as_str() {
            "chinn-exp4" => mesh.hot_potato(request, watcher),
            _ => mesh.chaos(request, watcher),
        };
        let Ok(runs) = done else { break };
        for (algorithm, runs) in runs {
            let row = row(&table, &mesh, algorithm, runs);
            watcher.row(&row);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The published table of an experiment, and the requested meshes; by default its own.
pub(super) fn table_and_meshes(request: &Request) -> Result<(Published, Vec<Mesh>), ChinnError> {
    let table = published()
        .into_iter()
        .find(|table| table.name == request.experiment);
    let table = table.ok_or_else(|| ChinnError::Unknown(request.experiment.clone()))?;
    let sizes = match request.sizes.is_empty() {
        true => table.rows.iter().map(|row| row.n).collect(),
        false => request.sizes.clone(),
    };
    let meshes: Result<Vec<Mesh>, ChinnError> =
        sizes.iter().map(|n| Mesh::new(*n, &table.name)).collect();
    Ok((table, meshes?))
}

/// A finished run.
struct Done {
    seed: u64,
    watched: Watched,
    seconds: f64,
}

fn row(table: &Published, mesh: &Mesh, algorithm: Algorithm, mut done: Vec<Done>) -> Row {
    let snapshot = done
        .first_mut()
        .and_then(|done| done.watched.occupancy.take());
    let runs: Vec<SeedRun> = done
        .iter()
        .map(|Done { seed, watched, .. }| SeedRun {
            seed: *seed,
            cycles: watched.last_cycle().get(),
            deroutes: watched.deroutes,
            digest: watched.digest.to_string(),
        })
        .collect();
    let count = runs.len() as f64;
    let sum = done.iter().fold(0u64, |sum, done| {
        sum.wrapping_add(done.watched.digest.get())
    });
    Row {
        experiment: table.name.clone(),
        n: mesh.plan.n,
        cn: mesh.plan.corner,
        algorithm,
        cycles: runs.iter().map(|run| f64::from(run.cycles)).sum::<f64>() / count,
        cycles_min: runs.iter().map(|run| run.cycles).min().unwrap_or(0),
        cycles_max: runs.iter().map(|run| run.cycles).max().unwrap_or(0),
        seeds: runs.len() as u32,
        published: table.cycles(mesh.plan.n, algorithm),
        packets: u64::from(mesh.plan.packets()),
        deroutes: runs.iter().map(|run| run.deroutes as f64).sum::<f64>() / count,
        seconds: done.iter().map(|done| done.seconds).sum(),
        digest: format!("{sum:016x}"),
        runs,
        snapshot: snapshot.map(|occupancy| mesh.snapshot(&occupancy)),
    }
}

/// The least memory that a run of these sizes needs, in bytes: its nodes are zeroed memory, of which only the part
/// that packets reach is touched. Sizes that make no mesh need nothing.
pub fn need_bytes(request: &Request) -> u64 {
    /// When a node is due and how many packets it has made, in the engine and in what watches it; measured with
    /// 2.4 and 9 million nodes.
    const NODE_BYTES: u64 = 16;
    let of = |n: &u32| {
        let mesh = Mesh::new(*n, &request.experiment).ok()?;
        let nodes = mesh.whole.as_ref().unwrap_or(&mesh.corner_box).nodes();
        Some(PROGRAM_BYTES + NODE_BYTES * u64::from(nodes))
    };
    request.sizes.iter().filter_map(of).max().unwrap_or(0)
}

/// The mesh of a row.
pub(crate) struct Mesh {
    /// The sizes of the construction.
    pub(crate) plan: Plan,
    /// The box of 2cn x 2cn nodes on which the permutation is constructed.
    pub(crate) corner_box: Grid,
    /// The whole mesh, where the experiment routes on it.
    whole: Option<Grid>,
    multiqueue_frames: usize,
}

type Runs = Vec<(Algorithm, Vec<Done>)>;

impl Mesh {
    /// The mesh of n x n nodes of an experiment, one of [`published`]'s.
    pub(crate) fn new(n: u32, experiment: &str) -> Result<Mesh, ChinnError> {
        // Experiments 3 and 4 take the sizes of experiment 2 (sections 4.2.3 and 4.4).
        let k = Plan::queue_positions(5);
        let corner = Plan::usual_corner(n, k);
        if corner < 2 {
            return Err(ChinnError::Small { n });
        }
        let plan = Plan::new(n, k, corner).map_err(ChinnError::Plan)?;
        let mesh = |side| square(false, side).map_err(|error| ChinnError::Grid { n, error });
        let corner_box = mesh(2 * plan.corner)?;
        let whole = (experiment == "chinn-exp1").then(|| mesh(n)).transpose()?;
        let multiqueue_frames = if experiment == "chinn-exp3" { 2 } else { 5 };
        Ok(Mesh {
            plan,
            corner_box,
            whole,
            multiqueue_frames,
        })
    }

    /// Where an experiment routes, and what happens to packets at their destinations: the whole mesh, or the box in
    /// the corner, at whose edge packets vanish.
    pub(super) fn place(&self) -> (&Grid, Delivery) {
        match &self.whole {
            Some(whole) => (whole, Delivery::Frame),
            None => (&self.corner_box, Delivery::Vanish),
        }
    }

    /// The router of an experiment; `delivery` says what happens to packets at their destinations.
    pub(super) fn parameters(
        &self,
        pointer: InitialPointer,
        derouting: bool,
        delivery: Delivery,
    ) -> ChaosParameters {
        let mut parameters = ChaosParameters::chinn_1995(self.corner_box.ports());
        parameters.multiqueue_frames = self.multiqueue_frames;
        parameters.initial_pointer = pointer;
        parameters.derouting = derouting;
        parameters.delivery = delivery;
        parameters
    }

    /// The run in which a seed's permutation is constructed, and which the construction repeats: minimal Chaos on the box.
    fn boxed(&self, seed: u64) -> Resolved {
        let parameters = self.parameters(InitialPointer::Fixed, false, Delivery::Vanish);
        permutation(&self.corner_box, parameters.into(), (seed, LAST_CYCLES))
    }

    /// Experiments 1 to 3: each seed has a permutation of its own, for both algorithms.
    fn chaos(&self, request: &Request, watcher: &mut dyn Watcher) -> Result<Runs, Interrupted> {
        let algorithms = [Algorithm::MinimalChaos, Algorithm::Chaos];
        let mut runs = algorithms.map(|algorithm| (algorithm, Vec::new()));
        for seed in 1..=u64::from(request.seeds) {
            watcher.begin(&format!("n = {}, seed {seed}: construction", self.plan.n));
            let constructed = self.construct(seed, &mut |progress| watcher.progress(progress))?;
            let pairs = match &self.whole {
                Some(whole) => self.delay_the_last(whole, &constructed, seed, watcher)?,
                None => constructed.pairs,
            };
            for (algorithm, done) in &mut runs {
                let name = algorithm.name();
                watcher.begin(&format!("n = {}, seed {seed}: {name}", self.plan.n));
                let resolved =
                    self.resolved(*algorithm, request.initial_pointer, (seed, LAST_CYCLES));
                let snapshot = request.snapshot.filter(|_| seed == 1);
                done.push(route(&resolved, &pairs, snapshot, watcher)?);
            }
        }
        Ok(runs.into())
    }

    /// The permutation of a seed, constructed against minimal Chaos under one clock.
    pub(crate) fn construct(
        &self,
        seed: u64,
        control: Control<'_>,
    ) -> Result<clt::Constructed, Interrupted> {
        let (grid, plan) = (&self.corner_box, &self.plan);
        let classes = plan.place(seed);
        let pairs = clt::to_the_edge(grid, plan, &classes);
        let resolved = self.boxed(seed);
        let constructed =
            clt::construct(grid, plan, classes, &pairs, Cycle::LAST, |demand, probe| {
                by_stamps(&resolved, demand, probe, control)
            });
        finished(constructed.outcome.ended)?;
        Ok(constructed)
    }

    /// Unique destinations, changed so that the last packets that minimal Chaos brings out of the
    /// congestion go to the outermost nodes of their columns and rows (section 4.2.1: "the last twelve packets to
    /// be delivered were ones whose destinations were at the outer edge of the mesh"). The last are taken
    /// as they leave the box: on the whole mesh a packet that leaves late for a near destination would
    /// not be among them, and the congestion would seem to last shorter than it does.
    fn delay_the_last(
        &self,
        whole: &Grid,
        constructed: &clt::Constructed,
        seed: u64,
        watcher: &mut dyn Watcher,
    ) -> Result<Vec<(NodeId, NodeId)>, Interrupted> {
        let classes = &constructed.classes;
        let mut pairs = clt::to_unique(whole, &self.plan, classes, seed);
        let box_run = route(&self.boxed(seed), &constructed.pairs, None, watcher)?;
        let mut last = box_run.watched.deliveries;
        last.sort_unstable();
        let numbers: HashMap<NodeId, usize> = pairs
            .iter()
            .enumerate()
            .map(|(number, pair)| (pair.0, number))
            .collect();
        let mut moved: HashMap<Class, u32> = HashMap::new();
        for (_, packet) in last.iter().rev().take(LAST_PACKETS) {
            let at = self.corner_box.coordinates(packet.source);
            let number = numbers[&whole.node_at(&at)];
            let earlier = moved.entry(classes[number]).or_default();
            let mut outermost = whole.coordinates(pairs[number].1);
            let along = if classes[number].kind == Kind::N {
                1
            } else {
                0
            };
            outermost[along] = self.plan.n - 1 - *earlier;
            *earlier += 1;
            let outermost = whole.node_at(&outermost);
            let holder = pairs
                .iter()
                .position(|(_, destination)| *destination == outermost);
            if let Some(holder) = holder {
                pairs[holder].1 = pairs[number].1;
            }
            pairs[number].1 = outermost;
        }
        Ok(pairs)
    }

    /// Experiment 4: one permutation, committed under a seed of its own, then routed under others.
    fn hot_potato(
        &self,
        request: &Request,
        watcher: &mut dyn Watcher,
    ) -> Result<Runs, Interrupted> {
        let pointer = request.initial_pointer;
        let of = |seed| self.resolved(Algorithm::GreedyHp, pointer, (seed, LAST_CYCLES));
        watcher.begin(&format!("n = {}: construction", self.plan.n));
        let Plan { n, corner, .. } = self.plan;
        let (grid, ends) = (&self.corner_box, lazy::Ends::Shared);
        let committed = lazy::construct(grid, n, corner, ends, Cycle::LAST, |demand, probe| {
            by_stamps(&of(0), demand, probe, &mut |now| watcher.progress(now))
        });
        finished(committed.outcome.ended)?;
        let mut done = Vec::new();
        for seed in 1..=u64::from(request.seeds) {
            watcher.begin(&format!("n = {n}, seed {seed}: greedy-hp"));
            let snapshot = request.snapshot.filter(|_| seed == 1);
            done.push(route(&of(seed), &committed.pairs, snapshot, watcher)?);
        }
        Ok(vec![(Algorithm::GreedyHp, done)])
    }

    fn snapshot(&self, occupancy: &Occupancy) -> Snapshot {
        let width = occupancy.grid.sides()[0];
        // Figure 4.4 shows 150 nodes a side where cn is 91.
        let side = (self.plan.corner * 150).div_ceil(91).min(width);
        let rows = (0..side).flat_map(|y| (0..side).map(move |x| y * width + x));
        let packets = rows
            .map(|node| f64::from(occupancy.packets[node as usize]))
            .collect();
        Snapshot {
            cycle: occupancy.at,
            side,
            packets,
        }
    }
}

fn finished(ended: Ended) -> Result<(), Interrupted> {
    match ended {
        Ended::Empty => Ok(()),
        Ended::Interrupted => Err(Interrupted),
        // Packets go south and east only, so there is no cycle of waiting packets; derouting never stops.
        Ended::Stuck | Ended::Deadline => panic!("the experiment did not end: {ended:?}"),
    }
}

fn route(
    resolved: &Resolved,
    pairs: &[(NodeId, NodeId)],
    snapshot: Option<Cycle>,
    watcher: &mut dyn Watcher,
) -> Result<Done, Interrupted> {
    let grid = resolved.network.grid();
    let occupancy = snapshot.map(|at| Occupancy {
        grid: grid.clone(),
        at,
        link_latency_cycles: resolved.network.link_latency_cycles,
        packets: vec![0; grid.nodes() as usize],
    });
    let watched = Watched {
        digest: Digest::default(),
        deliveries: Vec::with_capacity(pairs.len()),
        deroutes: 0,
        occupancy,
    };
    let demand = Demand::until(Box::new(Once::new(pairs)), Cycle::LAST);
    let done = execute(resolved, demand, watched, &mut |now| watcher.progress(now));
    finished(done.outcome.ended)?;
    Ok(Done {
        seed: resolved.run.seed,
        watched: done.probe,
        seconds: done.elapsed.as_secs_f64(),
    })
}
