//! What is known about a configuration without a run: its size and bounds, whether its packets can deadlock
//! or livelock, and warnings for its user.

use crate::around::around;
use crate::hardware::StoppedNodes;
use flitwork_config::Resolved;
use flitwork_router::parameters::{BuildContext, Verdicts};
pub use flitwork_router::parameters::{Deadlock, Livelock, Warning};
pub use flitwork_router::routing::{Astray, CheckError, Circle, SomeNodes, Watch};
use flitwork_topology::{Grid, Measures, Shape, Topology};
use std::ops::ControlFlow;

/// What the examination found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// Names and values, for people.
    pub facts: Vec<(&'static str, String)>,
    /// Whether packets can deadlock.
    pub deadlock: Deadlock,
    /// Whether packets can livelock.
    pub livelock: Livelock,
    /// Settings that are probably not what the user wants.
    pub warnings: Vec<Warning>,
    /// The circle in which packets can wait for each other, if one was found.
    pub circle: Option<Circle>,
    /// How many virtual channels may be held, and how many pairs of them depend on each other, if they were counted.
    pub dependencies: Option<(u64, u64)>,
    /// The destinations to which packets go astray.
    pub astray: Vec<Astray>,
    /// Why packets weren't followed.
    pub unchecked: Option<CheckError>,
}

/// Examines a configuration.
pub fn examine(resolved: &Resolved) -> Examination {
    examine_under(resolved, &mut |_, _| ControlFlow::Continue(()))
}

/// The same, under observation.
pub fn examine_under(resolved: &Resolved, watch: &mut Watch<'_>) -> Examination {
    let router = &resolved.router;
    let stopped = StoppedNodes::of(resolved);
    let examined = around(resolved).without_packets();
    examined.show(|around| {
        let Verdicts {
            deadlock,
            livelock,
            circle,
            dependencies,
            astray,
            unchecked,
        } = verdicts(resolved, around, watch);
        Examination {
            facts: [facts(resolved), router.figures(around)].concat(),
            deadlock: match &stopped {
                Some(stopped) => Deadlock::Unknown(format!(
                    "not known to be free of deadlock: {stopped}, and what waits there never moves again"
                )),
                None => deadlock,
            },
            livelock: match (&stopped, livelock) {
                (Some(_), Livelock::ProbabilityZero(_)) => Livelock::Unknown(
                    "packets to nodes whose clocks are gated for good may move forever".into(),
                ),
                (_, livelock) => livelock,
            },
            warnings: router.warnings(around),
            circle,
            dependencies,
            astray,
            unchecked,
        }
    })
}

/// Whether packets can wait for each other in a circle, or move forever: on all that is left of a network whose links fail.
fn verdicts(resolved: &Resolved, around: &BuildContext<'_>, watch: &mut Watch<'_>) -> Verdicts {
    let router = &resolved.router;
    let Some(faults) = &resolved.faults.faults else {
        return router.verdicts(around, watch);
    };
    let mut examined: Vec<&Shape> = Vec::new();
    let mut last = None;
    for epoch in faults.epochs() {
        if examined.contains(&&epoch.shape) {
            continue;
        }
        examined.push(&epoch.shape);
        let around = BuildContext {
            shape: &epoch.shape,
            ..*around
        };
        let mut found = router.verdicts(&around, watch);
        let since = format!(" (with the links that work from cycle {} on)", epoch.since);
        let is_free = match &mut found.deadlock {
            Deadlock::Free(_) => true,
            Deadlock::May(text) | Deadlock::Unknown(text) => {
                text.push_str(&since);
                false
            }
        };
        let arrives = match &mut found.livelock {
            Livelock::None(_) | Livelock::ProbabilityZero(_) => true,
            Livelock::May(text) | Livelock::Unknown(text) => {
                text.push_str(&since);
                false
            }
        };
        if !is_free || !arrives {
            return found;
        }
        last = Some(found);
    }
    let mut found = last.expect("routes are made once at least");
    if let Deadlock::Free(why) = &found.deadlock
        && faults.epochs().len() > 1
        && !router.facts().is_free_on_any_paths
    {
        found.deadlock = Deadlock::Unknown(format!(
            "not known to be free of deadlock once paths change, with packets under way on both the old and the new; by \
             themselves either are {why}"
        ));
    }
    found
}

/// Warnings for the user of a configuration.
pub fn warnings(resolved: &Resolved) -> Vec<Warning> {
    let around = around(resolved).without_packets();
    around.show(|around| resolved.router.warnings(around))
}

fn facts(resolved: &Resolved) -> Vec<(&'static str, String)> {
    let shape = &resolved.network.shape;
    let mut facts = vec![
        ("router", resolved.router.name().to_owned()),
        ("network", resolved.network.to_string()),
        ("diameter", format!("{} hops", diameter_hops(shape))),
    ];
    let is_half = resolved.network.duplex.is_half();
    let (ways, shares) = match is_half {
        true => ("both ways together", 2.0),
        false => ("each way", 1.0),
    };
    // A graph without coordinates has no middle to cut through.
    if let Some(bisection) = shape.plain_grid().map(Bisection::of) {
        let words = format!("{} words/cycle {ways}", bisection.words_per_cycle);
        let load = format!("{:.4} words/node/cycle", bisection.full_load / shares);
        facts.extend([
            ("bisection", words),
            ("capacity under uniform traffic", load),
        ]);
    }
    facts
}

/// Links of the longest of the shortest paths between terminals.
fn diameter_hops(shape: &Shape) -> u32 {
    match shape.has_plain_terminals() && shape.terminals() == shape.nodes() {
        true => shape.diameter_hops(),
        false => Measures::of(shape).diameter_hops,
    }
}

/// The cut through the middle of the longest side.
struct Bisection {
    words_per_cycle: u64,
    full_load: f64,
}

impl Bisection {
    /// Uniform traffic of load x sends x L R / (N - 1) words per cycle from the L nodes on one side of the
    /// cut to the R on the other.
    fn of(grid: &Grid) -> Bisection {
        let nodes = u64::from(grid.nodes());
        let sides = grid.sides();
        let longest = sides.iter().enumerate().max_by_key(|(_, side)| **side);
        let (axis, side) = longest.map_or((0, 1), |(axis, side)| (axis, *side));
        let lines = nodes / u64::from(side);
        let is_left = |node| grid.coordinates(node)[axis] < side / 2;
        // The links that cross in one line of nodes along that side.
        let mut crossing = 0;
        let mut coordinates = vec![0; sides.len()];
        for place in 0..side / 2 {
            coordinates[axis] = place;
            let node = grid.node_at(&coordinates);
            let ends = grid.links(node).iter();
            let ends = ends.filter_map(|port| grid.neighbour(node, port));
            crossing += ends.filter(|end| !is_left(*end)).count() as u64;
        }
        let words_per_cycle = lines * crossing;
        let left = lines * u64::from(side / 2);
        let pairs = left as f64 * (nodes - left) as f64;
        Bisection {
            words_per_cycle,
            full_load: words_per_cycle as f64 * (nodes - 1) as f64 / pairs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisections() {
        // 8 x 8 mesh: 8 links each way; x 32 32 / 63 = 8.
        let mesh = Bisection::of(&Grid::mesh(&[8, 8]).unwrap());
        assert_eq!(mesh.words_per_cycle, 8);
        assert!((mesh.full_load - 8.0 * 63.0 / 1024.0).abs() < 1e-12);
        assert_eq!(
            Bisection::of(&Grid::torus(&[4, 8]).unwrap()).words_per_cycle,
            8
        );
        // 5 x 3 mesh: 2 x 3 nodes left of the cut, 9 right of it.
        let odd = Bisection::of(&Grid::mesh(&[5, 3]).unwrap());
        assert_eq!(odd.words_per_cycle, 3);
        assert!((odd.full_load - 3.0 * 14.0 / 54.0).abs() < 1e-12);
    }
}
