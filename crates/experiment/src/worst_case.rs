//! A worst-case permutation, constructed against a user's own configuration.

use crate::around::around;
use crate::simulate::execute;
pub use flitwork_adversary::{Fraction, Instant};
use flitwork_adversary::{Plan, PlanError, clt, lazy, packets};
use flitwork_config::{EngineChoice, Resolved};
use flitwork_engine::{Control, Ended, Outcome};
use flitwork_machine::run;
use flitwork_network::Demand;
use flitwork_node::{AnyProbe, Event, Probe};
use flitwork_router::chaos::{ChaosParameters, MultiqueuePolicy};
use flitwork_router::greedy_hp::GreedyHpParameters;
use flitwork_topology::Grid;
use flitwork_trace::Digest;
use flitwork_traffic::Once;
use flitwork_traffic::PermutationParameters;
use flitwork_types::{Cycle, NodeId};
use serde::Serialize;

/// Why no permutation can be constructed for a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorstCaseError {
    /// A setting that the construction does not allow.
    #[error("{key} is {found}\n  allowed: {allowed}")]
    Setting {
        /// The key in the configuration file, or the option.
        key: &'static str,
        /// What it is.
        found: String,
        /// What is allowed, and why.
        allowed: &'static str,
    },
    /// The mesh is too small, or the requested corner does not fit.
    #[error(transparent)]
    Plan(PlanError),
    /// The run was interrupted.
    #[error("interrupted before the construction was done")]
    Interrupted,
    /// The packets could not all be delivered by the configuration's deadline.
    #[error("the network did not deliver all packets by cycle {cycle}")]
    Undelivered {
        /// The cycle at which the run was given up.
        cycle: Cycle,
    },
}

/// Choices that the text of a construction leaves open; none is the model's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Construction {
    /// The side of the corner, in nodes.
    pub corner: Option<u32>,
    /// When destinations are exchanged.
    pub exchange: Option<Instant>,
    /// The rows or columns for each of the mesh that a class takes more, d.
    pub d: Option<Fraction>,
}

/// A constructed permutation.
#[derive(Clone, Debug, Serialize)]
pub struct Permutation {
    /// "clt" or "lazy".
    pub construction: &'static str,
    /// The shorter side of the mesh, in nodes.
    pub n: u32,
    /// The side of the corner where packets start, in nodes.
    pub corner: u32,
    /// Packets in a full class.
    pub per_class: u32,
    /// Packets of each class, N_1, E_1, N_2, …
    pub classes: Vec<u32>,
    /// Exchanges made.
    pub exchanges: u64,
    /// The last cycle in which a packet was delivered.
    pub cycles: u32,
    /// The digest of the configuration's run on it.
    pub digest: String,
    /// Whether the same router, run on the permutation without exchanges, gave that digest (Lemma 2.12);
    /// `None` for GreedyHP, whose decisions depend on destinations.
    pub lemma_2_12: Option<bool>,
    /// Source and destination of each packet.
    pub packets: Vec<(u32, u32)>,
}

#[derive(Default)]
struct LastDelivery(Cycle);

impl Probe for LastDelivery {
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        if matches!(event, Event::Delivered { .. }) {
            self.0 = self.0.max(cycle);
        }
    }
}

/// The configuration as the construction runs it: packets start in a corner, and most nodes never see one.
pub fn as_constructed(resolved: &Resolved) -> Resolved {
    let mut resolved = resolved.clone();
    resolved.traffic.pattern = PermutationParameters::listed(Vec::new()).into();
    resolved.run.engine = EngineChoice::Sync;
    resolved
}

/// Constructs a permutation against a configuration's router.
///
/// # Errors
/// If the construction does not cover the configuration, or the run does not end.
pub fn construct(
    resolved: &Resolved,
    chosen: &Construction,
    control: Control<'_>,
) -> Result<Permutation, WorstCaseError> {
    let topology = resolved.network.topology();
    let found = match resolved.network.shape.plain_grid() {
        Some(grid) if !grid.wraps() && grid.sides().len() >= 2 => None,
        Some(grid) if grid.sides().len() == 1 => Some(format!("a {topology} of 1 dimension")),
        Some(grid) => Some(format!("a {topology} of {} dimensions", grid.sides().len())),
        None => Some(format!("a {topology}")),
    };
    if let Some(found) = found {
        return Err(WorstCaseError::Setting {
            key: "network",
            found,
            allowed: "a mesh of two dimensions or more",
        });
    }
    let router = &resolved.router;
    if let Some(parameters) = router.get::<ChaosParameters>() {
        return against_chaos(resolved, parameters, chosen, control);
    }
    if router.is::<GreedyHpParameters>() {
        let clt_only = chosen
            .exchange
            .map(|_| "--exchange")
            .or(chosen.d.map(|_| "--d"));
        if let Some(key) = clt_only {
            return Err(WorstCaseError::Setting {
                key,
                found: "given".into(),
                allowed: "with router.chaos only: the construction against greedy-hp has no exchanges",
            });
        }
        return against_greedy_hp(resolved, chosen.corner, control);
    }
    Err(WorstCaseError::Setting {
        key: "router",
        found: router.name().into(),
        allowed: "chaos or greedy-hp: the constructions are for these",
    })
}

fn against_chaos(
    resolved: &Resolved,
    parameters: &ChaosParameters,
    chosen: &Construction,
    control: Control<'_>,
) -> Result<Permutation, WorstCaseError> {
    if parameters.derouting {
        return Err(WorstCaseError::Setting {
            key: "router.chaos.derouting",
            found: "true".into(),
            allowed: "false: the construction needs a minimal, deterministic router",
        });
    }
    if parameters.multiqueue_policy == MultiqueuePolicy::Random {
        return Err(WorstCaseError::Setting {
            key: "router.chaos.multiqueue_policy",
            found: "random".into(),
            allowed: "oldest-first or newest-first: the construction needs a deterministic router",
        });
    }
    let grid = resolved.network.grid();
    let k = Plan::queue_positions(parameters.multiqueue_frames);
    let plan = plan(grid, k, chosen.corner, chosen.d.unwrap_or(Fraction::THIRD))?;
    let classes = plan.place(resolved.run.seed);
    let pairs = clt::to_unique(grid, &plan, &classes, resolved.run.seed);
    let end = Cycle(resolved.run.deadline_cycles);
    let instant = chosen.exchange.unwrap_or_default();
    let run = |demand, probe| run_with(instant, resolved, demand, probe, control);
    let constructed = clt::construct(grid, &plan, classes, &pairs, instant, end, run);
    delivered(constructed.outcome)?;
    let (cycles, digest) = repeat(resolved, &constructed.pairs, control)?;
    Ok(Permutation {
        construction: "clt",
        n: plan.n,
        corner: plan.corner,
        per_class: plan.per_class,
        classes: plan.counts,
        exchanges: constructed.exchanges,
        cycles: cycles.get(),
        digest: constructed.digest.to_string(),
        lemma_2_12: Some(digest == constructed.digest),
        packets: endpoints(&constructed.pairs),
    })
}

/// Runs a demand on a configuration's network such that a construction learns of each exchange's instant in time,
/// whatever its engine is.
///
/// # Panics
/// If its router can't be driven by time stamps where these suffice.
pub fn run_with<P: Probe + Send + 'static>(
    instant: Instant,
    resolved: &Resolved,
    demand: Demand,
    probe: P,
    control: Control<'_>,
) -> (Outcome, P) {
    match instant {
        Instant::Decision => {
            let network = around(resolved).timestamps();
            let network = network.expect("a router that can be driven by time stamps");
            let done = run(network.start, demand, AnyProbe::new(probe), control);
            (done.outcome, done.probe.into_probe())
        }
        Instant::Link => by_words(resolved, demand, probe, control),
    }
}

/// Runs a demand word by word on a configuration's network under one clock, whatever its engine is: where a decision is a
/// departure, a construction learns of both. Nodes are visited in the order of their numbers within a cycle.
pub fn by_words<P: Probe + Send + 'static>(
    resolved: &Resolved,
    demand: Demand,
    probe: P,
    control: Control<'_>,
) -> (Outcome, P) {
    let mut by_words = resolved.clone();
    by_words.run.engine = EngineChoice::SyncStepped;
    let done = execute(&by_words, demand, probe, control);
    (done.outcome, done.probe)
}

/// Runs the configuration on the permutation as it is.
fn repeat(
    resolved: &Resolved,
    pairs: &[(NodeId, NodeId)],
    control: Control<'_>,
) -> Result<(Cycle, Digest), WorstCaseError> {
    let end = Cycle(resolved.run.deadline_cycles);
    let packets = packets(resolved.network.grid(), pairs);
    let demand = Demand::until(Box::new(Once::new(&packets)), end);
    let probe = (Digest::default(), LastDelivery::default());
    let finished = execute(resolved, demand, probe, control);
    delivered(finished.outcome)?;
    Ok((finished.probe.1.0, finished.probe.0))
}

fn against_greedy_hp(
    resolved: &Resolved,
    corner: Option<u32>,
    control: Control<'_>,
) -> Result<Permutation, WorstCaseError> {
    let grid = resolved.network.grid();
    // The sizes of the experiments with Chaos (Chinn 1995, section 4.4).
    let plan = plan(grid, Plan::queue_positions(5), corner, Fraction::THIRD)?;
    let (ends, end) = (lazy::Ends::Unique, Cycle(resolved.run.deadline_cycles));
    let committed = lazy::construct(grid, plan.n, plan.corner, ends, end, |demand, probe| {
        by_words(resolved, demand, probe, control)
    });
    delivered(committed.outcome)?;
    let (cycles, digest) = repeat(resolved, &committed.pairs, control)?;
    Ok(Permutation {
        construction: "lazy",
        n: plan.n,
        corner: plan.corner,
        per_class: plan.n - plan.corner,
        classes: Vec::new(),
        exchanges: 0,
        cycles: cycles.get(),
        digest: digest.to_string(),
        lemma_2_12: None,
        packets: endpoints(&committed.pairs),
    })
}

/// The requested corner, or that of the thesis, which on small meshes has fewer than the 2 nodes per side that
/// the construction needs.
fn plan(grid: &Grid, k: u32, corner: Option<u32>, d: Fraction) -> Result<Plan, WorstCaseError> {
    let n = side(grid);
    let corner = corner.unwrap_or(Plan::usual_corner(n, k).max(2));
    Plan::with_d(n, k, corner, d).map_err(WorstCaseError::Plan)
}

/// The side of the square in which the construction works: the shorter of the first two.
fn side(grid: &Grid) -> u32 {
    grid.sides()[0].min(grid.sides()[1])
}

fn endpoints(pairs: &[(NodeId, NodeId)]) -> Vec<(u32, u32)> {
    pairs.iter().map(|(from, to)| (from.0, to.0)).collect()
}

fn delivered(outcome: Outcome) -> Result<(), WorstCaseError> {
    match outcome.ended {
        Ended::Empty => Ok(()),
        Ended::Interrupted => Err(WorstCaseError::Interrupted),
        Ended::Stuck | Ended::Deadline => Err(WorstCaseError::Undelivered {
            cycle: outcome.cycle,
        }),
    }
}
