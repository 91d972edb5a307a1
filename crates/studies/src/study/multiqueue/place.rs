//! What runs, and what one run comes to.

use super::Multiqueue;
use crate::contest::configured;
use crate::context::Failed;
use crate::many::{refuse_set, set};
use crate::seen::Seen;
use crate::square::{named_square, pattern};
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::{demand, simulate_demand};
use flitwork_results::Results;
use flitwork_router::chaos::ChaosParameters;
use flitwork_sweep::pool::Stop;
use flitwork_sweep::{Error, seed_override};
use flitwork_topology::Topology;
use flitwork_types::Cycle;
use std::fmt;

/// What every run starts from.
const TEXT: &str = "[network]\ntopology = \"mesh\"\nsides = [16, 16]\n[router.chaos]\n[traffic]\nload = 1.0\npattern = \"uniform\"\n";

/// Cycles in which the network must have emptied, and as many in which packets might still enter it: none does.
const DRAIN_CYCLES: u32 = 2_000_000;

/// A network, a pattern and a size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) topology: &'static str,
    pub(super) pattern: String,
    pub(super) frames: usize,
}

/// "torus, uniform, 5 frames".
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place {
            topology,
            pattern,
            frames,
        } = self;
        write!(f, "{topology}, {pattern}, {frames} frames")
    }
}

/// What is asked for, in the order of the table.
pub(super) fn places(asked: &Multiqueue, catalogue: &Catalogue) -> Result<Vec<Place>, Failed> {
    let mut all = Vec::new();
    for topology in &asked.topologies {
        let grid = named_square(topology, asked.side)?;
        for name in &asked.patterns {
            pattern(catalogue, name, &grid, |_| {})?;
            for &frames in &asked.frames {
                let mut parameters = ChaosParameters::chinn_1995(grid.ports());
                parameters.multiqueue_frames = frames;
                let checked = parameters.check();
                checked.map_err(|error| Failed::option("--frames", error))?;
                all.push(Place {
                    topology: grid.kind(),
                    pattern: name.clone(),
                    frames,
                });
            }
        }
    }
    Ok(all)
}

/// Refuses what `--set` names in vain.
pub(super) fn refuse_set_of(asked: &Multiqueue, places: &[Place]) -> Result<(), Failed> {
    let mut own: Vec<Override> = places.iter().flat_map(|it| it.own(asked, 1)).collect();
    own.push(set("traffic.process", ""));
    refuse_set(&asked.repeats.set, &own, &[TEXT])
}

impl Place {
    pub(super) fn resolve(
        &self,
        asked: &Multiqueue,
        catalogue: &Catalogue,
        seed: u64,
    ) -> Result<Resolved, Error> {
        let point = (self.to_string(), self.own(asked, seed));
        configured(catalogue, ("chaos", TEXT), point, &asked.repeats.set)
    }

    /// The keys that the study sets.
    fn own(&self, asked: &Multiqueue, seed: u64) -> Vec<Override> {
        let (side, measured) = (asked.side, asked.cycles / 2);
        vec![
            set("network.topology", self.topology),
            set("network.sides", format!("[{side}, {side}]")),
            set("router.chaos.multiqueue_frames", self.frames),
            set("router.chaos.derouting", !asked.no_derouting),
            set("traffic.pattern", &self.pattern),
            set("traffic.load", 1.0),
            set("run.warmup_cycles", asked.cycles - measured),
            set("run.measure_cycles", measured),
            set("run.drain_cycles", DRAIN_CYCLES),
            // The sources stop in any case, and at the end of the window.
            set("run.stop_at_overload", false),
            seed_override(seed),
        ]
    }

    /// A run; none if the user asks to stop.
    pub(super) fn run(
        &self,
        asked: &Multiqueue,
        catalogue: &Catalogue,
        seed: u64,
        stop: &Stop,
    ) -> Result<Option<Run>, Error> {
        let resolved = self.resolve(asked, catalogue, seed)?;
        let end = Cycle(asked.cycles);
        let mut demand = demand(&resolved);
        demand.inject_until = end;
        let run = simulate_demand(&resolved, demand, &mut |_| stop.flow());
        if run.outcome.ended == Ended::Interrupted {
            return Ok(None);
        }
        let results = Results::new(&resolved, &run);
        let seen = &run.observation;
        let last = seen.last_delivery.unwrap_or(Cycle::ZERO);
        let held: i64 = seen.queue_packet_cycles.iter().sum();
        let node_cycles = f64::from(results.nodes) * f64::from(seen.measured_cycles);
        Ok(Some(Run {
            seen: Seen::of(&results),
            drain: Drain {
                deroutes_per_hop: seen.all_deroutes as f64 / seen.all_hops.max(1) as f64,
                multiqueue_mean: held as f64 / node_cycles,
                after: (run.outcome.ended == Ended::Empty).then(|| last.since(end)),
                left: results.packets.in_network,
            },
        }))
    }
}

/// What a run comes to.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) seen: Seen,
    pub(super) drain: Drain,
}

/// What it comes to besides, with the drain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Drain {
    /// In the whole run.
    pub(super) deroutes_per_hop: f64,
    /// Packets in a multiqueue, mean over nodes and window.
    pub(super) multiqueue_mean: f64,
    /// Cycles from the sources' last packet until the network was empty, if it ever was.
    pub(super) after: Option<u32>,
    /// Packets that are still in it.
    pub(super) left: u64,
}
