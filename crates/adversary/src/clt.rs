//! The CLT permutation (Chinn 1995, sections 2.2 and 4.2): the worst for the router that it is built for.

pub use crate::exchange::Exchanger;
use crate::{Class, Direction, Plan, nodes};
use flitwork_engine::Outcome;
use flitwork_network::Demand;
pub use flitwork_node::Instant;
use flitwork_topology::Grid;
use flitwork_trace::Digest;
use flitwork_traffic::Once;
use flitwork_types::{Cycle, NodeId};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The result of a construction.
#[derive(Clone, Debug)]
pub struct Constructed {
    /// The class of each packet after the last exchange, by its source: row by row in the corner.
    pub classes: Vec<Class>,
    /// Source and destination of each packet after the last exchange, in the same order.
    pub pairs: Vec<(NodeId, NodeId)>,
    /// How many exchanges were made.
    pub exchanges: u64,
    /// The digest of the run, which the router repeats on the permutation without any exchange
    /// (Lemma 2.12).
    pub digest: Digest,
    /// How the run ended.
    pub outcome: Outcome,
}

/// The probe of a construction, which `run` returns as the run leaves it.
pub type Probe = (Digest, Exchanger);

/// `run` runs the router on a plan's packets, and destinations are exchanged during the run.
///
/// `grid` is a mesh with the plan's corner in its north-west; `classes` and `pairs` are the initial classes and
/// destinations of its packets, from [`Plan::place`] and [`to_the_edge`] or [`to_unique`]. The result is meaningful only
/// if the router is deterministic and minimal, and if its engine reports decisions (with [`Instant::Link`]: departures)
/// in the order of their cycles.
pub fn construct(
    grid: &Grid,
    plan: &Plan,
    classes: Vec<Class>,
    pairs: &[(NodeId, NodeId)],
    instant: Instant,
    end: Cycle,
    run: impl FnOnce(Demand, Probe) -> (Outcome, Probe),
) -> Constructed {
    let packets = Once::new(&nodes::packets(grid, pairs));
    let demand = Demand::until(Box::new(packets), end);
    let destinations = pairs.iter().map(|(_, destination)| *destination).collect();
    let exchanger = Exchanger::new(instant, grid.clone(), plan.corner, classes, destinations);
    let (outcome, (digest, exchanger)) = run(demand, (Digest::default(), exchanger));
    let sources = pairs.iter().map(|(source, _)| *source);
    Constructed {
        pairs: sources.zip(exchanger.destinations).collect(),
        classes: exchanger.classes,
        exchanges: exchanger.exchanges,
        digest,
        outcome,
    }
}

/// Sources and destinations of a plan's packets, each to the last node of its class's column or row.
pub fn to_the_edge(grid: &Grid, plan: &Plan, classes: &[Class]) -> Vec<(NodeId, NodeId)> {
    let sides = grid.sides();
    along(grid, plan, classes, |class| match class.kind {
        Direction::N => sides[1] - 1,
        Direction::E => sides[0] - 1,
    })
}

/// Sources and destinations of a plan's packets on its whole mesh: within a class unique destinations,
/// south of the E_i-row or east of the N_i-column, at random.
pub fn to_unique(grid: &Grid, plan: &Plan, classes: &[Class], seed: u64) -> Vec<(NodeId, NodeId)> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let count = classes.iter().map(|class| class.place() + 1).max();
    let ways = |place| {
        let first = plan.corner - 1 + Class::number(place).index;
        let mut ways: Vec<u32> = (first..plan.n).collect();
        crate::plan::shuffle(&mut ways, &mut random);
        ways
    };
    let mut ways: Vec<Vec<u32>> = (0..count.unwrap_or(0)).map(ways).collect();
    along(grid, plan, classes, |class| {
        let way = ways[class.place()].pop();
        way.expect("a plan has as many destinations as packets")
    })
}

/// Sources and destinations of a plan's packets, each in its class's column or row at the place that `way` says.
fn along(
    grid: &Grid,
    plan: &Plan,
    classes: &[Class],
    mut way: impl FnMut(&Class) -> u32,
) -> Vec<(NodeId, NodeId)> {
    let pair = |(number, class): (u32, &Class)| {
        let (line, way) = (plan.corner - 2 + class.index, way(class));
        let destination = match class.kind {
            Direction::N => [line, way],
            Direction::E => [way, line],
        };
        let source = nodes::of_corner(grid, plan.corner, number);
        (source, nodes::at(grid, destination))
    };
    (0..).zip(classes).map(pair).collect()
}
