//! What can be said of a configuration without running it: its size, its bounds, whether packets can wait for
//! each other or go round for ever, and what its user should be warned of.

mod livelock;

pub use livelock::Livelock;

use crate::config::{Resolved, RoutedWormhole, RouterParameters};
use crate::exchange::Exchange;
use flitwork_router::chaos::ChaosParameters;
use flitwork_router::deflection::{DeflectionParameters, Extent, Priority};
use flitwork_router::routing::{Freedom, ROUTINGS, Verdict, build_routing, check};
use flitwork_router::wormhole::{Reallocation, Switching};
use flitwork_topology::{Grid, Topology};
use std::fmt;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// Names and values, for people.
    pub facts: Vec<(&'static str, String)>,
    /// Whether packets can wait for each other in a circle.
    pub deadlock: Deadlock,
    /// Whether packets can move for ever and not arrive.
    pub livelock: Livelock,
    /// What may not be what the user wants.
    pub warnings: Vec<Warning>,
}

/// Whether packets can wait for each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deadlock {
    /// They can't, and why.
    Free(String),
    /// They can or may, and how.
    May(String),
    /// Nobody knows, and why not.
    Unknown(String),
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Deadlock::Free(text) | Deadlock::May(text) | Deadlock::Unknown(text)) = self;
        f.write_str(text)
    }
}

/// Something that is allowed and may not be what the user wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The key that it is about.
    pub key: &'static str,
    /// What is so, and what that does.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.text)
    }
}

/// Looks at a configuration.
pub fn examine(resolved: &Resolved) -> Examination {
    Examination {
        facts: facts(resolved),
        deadlock: deadlock(resolved),
        livelock: livelock::of(resolved),
        warnings: warnings(resolved),
    }
}

/// What a configuration's user should be warned of.
pub fn warnings(resolved: &Resolved) -> Vec<Warning> {
    let latency = resolved.network.link_latency_cycles;
    match &resolved.router {
        RouterParameters::Wormhole(wormhole) => short_buffers(wormhole, latency),
        RouterParameters::Deflection(router) => short_epochs(router, resolved),
        _ => Vec::new(),
    }
}

/// A buffer that is shorter than the credit round trip.
fn short_buffers(wormhole: &RoutedWormhole, link_latency_cycles: u32) -> Vec<Warning> {
    let parameters = &wormhole.parameters;
    let trip = parameters.credit_round_trip_cycles(link_latency_cycles);
    let words = u32::from(parameters.buffer_words);
    if words >= trip {
        return Vec::new();
    }
    let percent = 100 * words / trip;
    vec![Warning {
        key: "router.wormhole.buffer_words",
        text: format!(
            "{words} words are fewer than the {trip} cycles of a credit's round trip: a worm alone in a \
             virtual channel uses at most {percent} % of a link"
        ),
    }]
}

/// Epochs in which a golden packet may not get home.
fn short_epochs(router: &DeflectionParameters, resolved: &Resolved) -> Vec<Warning> {
    let Priority::Golden(golden) = router.priority else {
        return Vec::new();
    };
    let home = router.home_cycles(extent(resolved));
    if u64::from(golden.epoch_cycles) >= home {
        return Vec::new();
    }
    vec![Warning {
        key: "router.deflection.epoch_cycles",
        text: format!(
            "{} cycles are fewer than the {home} in which a golden packet surely gets home: a packet's time \
             under way has no bound",
            golden.epoch_cycles
        ),
    }]
}

fn extent(resolved: &Resolved) -> Extent {
    let grid = &resolved.network.grid;
    Extent {
        nodes: grid.nodes(),
        diameter_hops: grid.diameter_hops(),
        link_latency_cycles: resolved.network.link_latency_cycles,
    }
}

fn facts(resolved: &Resolved) -> Vec<(&'static str, String)> {
    let grid = &resolved.network.grid;
    let sides: Vec<String> = grid.sides().iter().map(u32::to_string).collect();
    let shape = if grid.wraps() { "torus" } else { "mesh" };
    let bisection = Bisection::of(grid);
    let mut facts = vec![
        ("router", resolved.router.name().to_owned()),
        (
            "network",
            format!("{shape} of {}, {} nodes", sides.join(" x "), grid.nodes()),
        ),
        ("diameter", format!("{} hops", grid.diameter_hops())),
        (
            "bisection",
            format!("{} words/cycle each way", bisection.words_per_cycle),
        ),
        (
            "uniform load at which it is full",
            format!("{:.4} words/node/cycle", bisection.full_load),
        ),
    ];
    if let RouterParameters::Wormhole(wormhole) = &resolved.router {
        facts.extend(wormhole_facts(wormhole, resolved));
    }
    facts
}

fn wormhole_facts(wormhole: &RoutedWormhole, resolved: &Resolved) -> [(&'static str, String); 3] {
    let parameters = &wormhole.parameters;
    let latency = resolved.network.link_latency_cycles;
    let inputs = resolved.network.grid.ports() as u64 + 1;
    let words = inputs * u64::from(parameters.vcs) * u64::from(parameters.buffer_words);
    [
        ("routing", wormhole.routing.name.clone()),
        ("buffers of a node", format!("{words} words")),
        (
            "credit's round trip",
            format!(
                "{} cycles, with buffers of {} words",
                parameters.credit_round_trip_cycles(latency),
                parameters.buffer_words
            ),
        ),
    ]
}

/// The cut through the middle of the longest side.
struct Bisection {
    words_per_cycle: u64,
    full_load: f64,
}

impl Bisection {
    /// Uniform traffic of load x sends x L R / (N - 1) words a cycle from the L nodes on one side of the cut
    /// to the R on the other.
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

fn deadlock(resolved: &Resolved) -> Deadlock {
    match &resolved.router {
        RouterParameters::Chaos(chaos) => chaos_deadlock(chaos, resolved),
        RouterParameters::GreedyHp => {
            Deadlock::Free("free of deadlock: no word waits in the network".into())
        }
        RouterParameters::Deflection(_) => {
            Deadlock::Free("free of deadlock: no word waits for another".into())
        }
        RouterParameters::Scheduled(_) => {
            Deadlock::Free("free of deadlock: no two words ever want one link in one cycle".into())
        }
        RouterParameters::Wormhole(wormhole) => wormhole_deadlock(wormhole, &resolved.network.grid),
    }
}

fn chaos_deadlock(chaos: &ChaosParameters, resolved: &Resolved) -> Deadlock {
    if !chaos.derouting {
        return Deadlock::Unknown(
            "not known to be free of deadlock: with derouting off, full multiqueues may wait for each other in \
             a circle, if the traffic has packets turn in one"
                .into(),
        );
    }
    let exchange = Exchange::of(resolved, chaos);
    Deadlock::Free(format!(
        "free of deadlock: {exchange}; and a full multiqueue makes room by derouting (Konstantinidou and Snyder \
         1991)"
    ))
}

fn wormhole_deadlock(wormhole: &RoutedWormhole, grid: &Grid) -> Deadlock {
    let routing = match build_routing(&wormhole.routing, grid) {
        Ok(routing) => routing,
        Err(error) => return Deadlock::Unknown(error.to_string()),
    };
    let verdict = match check(routing.as_ref(), grid) {
        Ok(verdict) => verdict,
        Err(error) => return Deadlock::Unknown(format!("no verdict: {error}")),
    };
    let parameters = &wormhole.parameters;
    let mixes = parameters.reallocation == Reallocation::TailSent
        && parameters.switching == Switching::Wormhole;
    let escapes = ROUTINGS
        .iter()
        .any(|it| it.name == wormhole.routing.name && it.freedom == Freedom::Escape);
    match verdict {
        Verdict::EscapeAcyclic { .. } if mixes && escapes => Deadlock::May(
            "may deadlock: escape channels form no cycle, but with reallocation = \"tail-sent\" a head may \
             stand behind another worm's words, where it can't take its escape channel (Duato 1993)"
                .into(),
        ),
        Verdict::Circle(_) => Deadlock::May(verdict.to_string()),
        Verdict::Acyclic { .. } | Verdict::EscapeAcyclic { .. } => {
            Deadlock::Free(verdict.to_string())
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
