//! The meshes of Chinn 1995, chapter 4, and the permutations that are constructed on them.
//!
//! A permutation is constructed for minimal Chaos (for GreedyHP: by it) and then routed. Experiment 1
//! routes it on the whole mesh, with unique destinations, the last twelve packets' at the outer edge;
//! experiments 2 to 4 on the box of 2cn x 2cn nodes in the corner, at whose edge packets vanish.

use super::published::Algorithm;
use super::reading::Reading;
use super::route::{Watched, route};
use crate::context::Failed;
use crate::contract::Steps;
use crate::many::refuse_set_of_thesis;
use crate::square::{overlaid, permutation, set_chaos, square};
use flitwork_adversary::{Class, Direction, Fraction, Plan, clt, lazy};
use flitwork_config::{Catalogue, Override, Resolved};
use flitwork_engine::{Control, Ended};
use flitwork_experiment::memory::{self, PROGRAM_BYTES};
use flitwork_experiment::worst_case::{by_words, run_with};
use flitwork_router::chaos::{Delivery, InitialPointer};
use flitwork_router::greedy_hp::{Assignment, GreedyHpParameters};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId};
use std::collections::HashMap;
use std::fmt::Display;

/// Packets whose destinations experiment 1 moves to the outer edge (section 4.2.1).
const LAST_PACKETS: usize = 12;
/// No run comes near its deadline.
pub(crate) const LAST_CYCLES: u32 = Cycle::LAST.get();

/// The keys of Chaos that experiments set; the packets are the thesis'.
const OWN_KEYS: [&str; 6] = [
    "preset",
    "packet_words",
    "derouting",
    "initial_pointer",
    "delivery",
    "multiqueue_frames",
];

/// Source and destination of each packet.
pub(crate) type Pairs = Vec<(NodeId, NodeId)>;

/// The mesh of a row.
pub(crate) struct Mesh {
    /// The sizes of the construction.
    pub(crate) plan: Plan,
    reading: Reading,
    /// A run on the box of 2cn x 2cn nodes on which the permutation is constructed.
    boxed: Resolved,
    /// A run on the whole mesh, where the experiment routes on it.
    whole: Option<Resolved>,
}

impl Mesh {
    /// The mesh of n x n nodes of an experiment, whose routers have these keys besides.
    pub(crate) fn new(
        catalogue: &Catalogue,
        n: u32,
        (experiment, reading): (&str, Reading),
        set: &[Override],
    ) -> Result<Mesh, Failed> {
        if experiment == "chinn-exp4" {
            reading.refuse()?;
        }
        let refused = |why: &dyn Display| Failed::option("--n", why);
        // Experiments 3 and 4 take the sizes of experiment 2 (sections 4.2.3 and 4.4).
        let k = Plan::queue_positions(5);
        let corner = Plan::usual_corner(n, k);
        if corner < 2 {
            return Err(refused(&format!(
                "n = {n}: the corner, 7/120 of the mesh's side, has fewer than 2 x 2 nodes; \
                 allowed: 35 or more"
            )));
        }
        let plan = Plan::with_d(n, k, corner, reading.d).map_err(|error| match reading.d {
            Fraction::THIRD => refused(&error),
            _ => Failed::option("--d", error),
        })?;
        let on = |side, delivery| {
            let grid = square(false, side);
            let grid = grid.map_err(|error| refused(&format!("n = {n}: {error}")))?;
            let router = match experiment {
                "chinn-exp4" => "greedy-hp",
                _ => "chaos",
            };
            let mut resolved = permutation(catalogue, &grid, router, (1, LAST_CYCLES));
            resolved.network.duplex = reading.duplex;
            set_chaos(&mut resolved, |chaos| {
                *chaos = reading.router(grid.ports());
                chaos.multiqueue_frames = if experiment == "chinn-exp3" { 2 } else { 5 };
                chaos.delivery = delivery;
            });
            overlaid(catalogue, resolved, set)
        };
        let is_whole = experiment == "chinn-exp1";
        Ok(Mesh {
            boxed: on(2 * plan.corner, Delivery::Vanish)?,
            whole: is_whole.then(|| on(n, Delivery::Frame)).transpose()?,
            plan,
            reading,
        })
    }

    /// Refuses keys of `--set` that aren't those of its routers, that experiments set themselves, or that are these ones.
    pub(crate) fn refuse_set(asked: &[Override], more: &[&str]) -> Result<(), Failed> {
        refuse_set_of_thesis(asked, &[&OWN_KEYS[..], more].concat())
    }

    /// Where the experiment routes: on the whole mesh, or on the box in the corner.
    fn place(&self) -> &Resolved {
        self.whole.as_ref().unwrap_or(&self.boxed)
    }

    /// Refuses meshes that the host has no room for, so many of them at a time. Their nodes are zeroed memory, of which only the part that
    /// packets reach is touched.
    pub(crate) fn admit<'a>(
        meshes: impl Iterator<Item = &'a Mesh>,
        at_once: usize,
    ) -> Result<(), Failed> {
        /// Of a run, measured: 133 and 124 with 1.2 and 2.4 million nodes.
        const NODE_BYTES: u64 = 128;
        let nodes = meshes.map(|mesh| u64::from(mesh.place().network.grid().nodes()));
        let mut nodes: Vec<u64> = nodes.collect();
        nodes.sort_unstable_by(|one, other| other.cmp(one));
        let most: u64 = nodes.iter().take(at_once).sum();
        let bytes = match nodes.is_empty() {
            true => 0,
            false => PROGRAM_BYTES + NODE_BYTES * most,
        };
        memory::admit_bytes(bytes, &["--n"]).map_err(Failed::bad_input)
    }

    /// A run of the experiment. The packets are handed to the engine, which doesn't use the pattern; another permutation
    /// replaces the constructed one, so that the configuration can be run on its own.
    pub(crate) fn resolved(
        &self,
        algorithm: Algorithm,
        pointer: InitialPointer,
        (seed, deadline_cycles): (u64, u32),
    ) -> Resolved {
        let mut resolved = self.place().clone();
        resolved.run.seed = seed;
        resolved.run.deadline_cycles = deadline_cycles;
        set_chaos(&mut resolved, |chaos| {
            chaos.initial_pointer = pointer;
            chaos.derouting = algorithm == Algorithm::Chaos;
        });
        set_assignment(&mut resolved, algorithm);
        resolved
    }

    /// The run in which a seed's permutation is constructed: of minimal Chaos, or of GreedyHP.
    fn construction(&self, seed: u64) -> Resolved {
        let mut resolved = self.boxed.clone();
        resolved.run.seed = seed;
        set_chaos(&mut resolved, |chaos| chaos.derouting = false);
        resolved
    }

    /// The permutation of a seed for experiments 1 to 3, and the class of each packet; none if the user asks to stop.
    pub(crate) fn construct(
        &self,
        seed: u64,
        steps: &mut Steps<'_>,
    ) -> Option<(Pairs, Vec<Class>)> {
        let name = format!("n = {}, seed {seed}: construction", self.plan.n);
        steps.run(&name, |control| self.constructed(seed, control))
    }

    /// The same, which means nothing if the control stops it.
    pub(crate) fn constructed(&self, seed: u64, control: Control<'_>) -> (Pairs, Vec<Class>) {
        let minimal = self.construction(seed);
        let constructed = self.against_minimal_chaos(&minimal, control);
        let pairs = match &self.whole {
            Some(whole) => {
                let whole = whole.network.grid();
                self.delay_the_last(whole, &constructed, &minimal, control)
            }
            None => constructed.pairs,
        };
        (pairs, constructed.classes)
    }

    /// The permutation of a seed, constructed against minimal Chaos under one clock.
    fn against_minimal_chaos(&self, minimal: &Resolved, control: Control<'_>) -> clt::Constructed {
        let (grid, plan) = (minimal.network.grid(), &self.plan);
        let classes = plan.place(minimal.run.seed);
        let pairs = clt::to_the_edge(grid, plan, &classes);
        let (end, instant) = (Cycle::LAST, self.reading.exchange);
        let run = |demand, probe| run_with(instant, minimal, demand, probe, control);
        let constructed = clt::construct(grid, plan, classes, &pairs, instant, end, run);
        assert_done(constructed.outcome.ended);
        constructed
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
        minimal: &Resolved,
        control: Control<'_>,
    ) -> Pairs {
        let classes = &constructed.classes;
        let mut pairs = clt::to_unique(whole, &self.plan, classes, minimal.run.seed);
        let watched = Watched::default();
        let routed = route(minimal, &constructed.pairs, watched, control);
        let mut last = routed.seen.deliveries;
        last.sort_unstable();
        let numbers: HashMap<NodeId, usize> = (0..)
            .zip(&pairs)
            .map(|(number, pair)| (pair.0, number))
            .collect();
        let mut moved: HashMap<Class, u32> = HashMap::new();
        for (_, packet) in last.iter().rev().take(LAST_PACKETS) {
            let grid = minimal.network.grid();
            let at = grid.coordinates(grid.home(packet.source));
            let number = numbers[&whole.node_at(&at)];
            let earlier = moved.entry(classes[number]).or_default();
            let mut outermost = whole.coordinates(pairs[number].1);
            let along = usize::from(classes[number].kind == Direction::N);
            outermost[along] = self.plan.n - 1 - *earlier;
            *earlier += 1;
            let outermost = whole.node_at(&outermost);
            let holder = pairs.iter().position(|pair| pair.1 == outermost);
            if let Some(holder) = holder {
                pairs[holder].1 = pairs[number].1;
            }
            pairs[number].1 = outermost;
        }
        pairs
    }

    /// The permutation of experiment 4, which hot potatoes are led to construct, under a seed of its own.
    pub(super) fn commit(&self, algorithm: Algorithm, steps: &mut Steps<'_>) -> Option<Pairs> {
        let Plan { n, corner, .. } = self.plan;
        let mut hot = self.construction(0);
        set_assignment(&mut hot, algorithm);
        let ends = lazy::Ends::Shared;
        steps.run(&format!("n = {n}: construction"), |control| {
            let grid = hot.network.grid();
            let run = |demand, probe| by_words(&hot, demand, probe, control);
            let committed = lazy::construct(grid, n, corner, ends, Cycle::LAST, run);
            assert_done(committed.outcome.ended);
            committed.pairs
        })
    }
}

/// Which hot potatoes advance, if the routers are of that kind.
fn set_assignment(resolved: &mut Resolved, algorithm: Algorithm) {
    if let Some(hot) = resolved.router.get_mut::<GreedyHpParameters>() {
        hot.assignment = match algorithm {
            Algorithm::MatchingHp => Assignment::Matching,
            Algorithm::GreedyHp | Algorithm::Chaos | Algorithm::MinimalChaos => Assignment::Greedy,
        };
    }
}

/// Packets go south and east only, so there is no cycle of waiting packets; derouting never stops. Only the user ends a
/// run before its packets have left.
pub(super) fn assert_done(ended: Ended) {
    let is_done = matches!(ended, Ended::Empty | Ended::Interrupted);
    assert!(is_done, "the experiment did not end: {ended:?}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::context::tests::Silent;
    use std::ops::ControlFlow;

    /// At cycle 0 every node of the corner holds its one packet; at the end no node holds any.
    #[test]
    fn snapshots_count_packets() {
        let mut context = Silent::new(u32::MAX);
        let mesh = Mesh::new(
            context.catalogue(),
            600,
            ("chinn-exp2", Reading::USUAL),
            &[],
        )
        .unwrap();
        let run = (1, LAST_CYCLES);
        let resolved = mesh.resolved(Algorithm::Chaos, InitialPointer::Fixed, run);
        let pairs = mesh.construct(1, &mut Steps::new(&mut context, None));
        let (pairs, _) = pairs.unwrap();
        for (cycle, expected) in [(0, 35 * 35), (100_000, 0)] {
            let flow = &mut |_| ControlFlow::Continue(());
            let watched = Watched {
                snapshot: Some(Cycle(cycle)),
                ..Watched::default()
            };
            let run = route(&resolved, &pairs, watched, flow);
            let (side, packets) = run.seen.occupancy.unwrap().corner(u32::MAX);
            assert_eq!(side, 70);
            assert_eq!(packets.iter().sum::<f64>(), f64::from(expected));
        }
    }
}
