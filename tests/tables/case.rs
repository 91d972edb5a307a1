//! Random networks with random tables, and a walker that decides where their packets go.

use flitwork_node::mix;
use flitwork_router::routing::{Astray, Circle};
use flitwork_topology::Topology;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = mix(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15));
        (self.0 >> 16) as usize % bound
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

/// A channel: from a node to a neighbour, and its number.
type Channel = (usize, usize, u8);

/// A neighbour, the channels to it, and whether these are fallbacks.
type Way = (usize, Vec<u8>, bool);

/// A network and a table, as this test knows them.
pub(crate) struct Case {
    /// Terminals of each node.
    pub(crate) terminals: Vec<usize>,
    pub(crate) links: BTreeSet<(usize, usize)>,
    pub(crate) channels: u8,
    /// For a node and a destination: the neighbours with their channels, and whether they are fallbacks.
    rows: BTreeMap<(usize, usize), Vec<Way>>,
}

impl Case {
    pub(crate) fn drawn(seed: u64) -> Case {
        let mut draws = Draws(seed);
        let nodes = 2 + draws.below(9);
        let mut links = BTreeSet::new();
        let mut link = |one: usize, other: usize| {
            links.insert((one.min(other), one.max(other)));
        };
        let is_ring = draws.one_in(2);
        for node in 1..nodes {
            let before = if is_ring { node - 1 } else { draws.below(node) };
            link(node, before);
        }
        if is_ring {
            link(0, nodes - 1);
        }
        for _ in 0..draws.below(nodes + 1) {
            let one = draws.below(nodes);
            link(one, (one + 1 + draws.below(nodes - 1)) % nodes);
        }
        let mut terminals: Vec<usize> = (0..nodes).map(|_| draws.below(3)).collect();
        terminals[0] = 1;
        terminals[nodes - 1] = terminals[nodes - 1].max(1);
        let mut case = Case {
            terminals,
            links,
            channels: 1 + draws.below(3) as u8,
            rows: BTreeMap::new(),
        };
        // Of ten tables few are right by chance.
        let all_channels = draws.one_in(2);
        let wrong_one_in = [1_000_000, 1_000_000, 40, 12, 3][draws.below(5)];
        for to in 0..nodes {
            let far = case.far(to);
            for here in (0..nodes).filter(|here| *here != to) {
                case.row((here, to), (&far, all_channels), wrong_one_in, &mut draws);
            }
        }
        case
    }

    fn neighbours(&self, node: usize) -> Vec<usize> {
        let ends = self.links.iter().filter_map(|(one, other)| match node {
            node if node == *one => Some(*other),
            node if node == *other => Some(*one),
            _ => None,
        });
        ends.collect()
    }

    fn far(&self, to: usize) -> Vec<usize> {
        let mut far = vec![usize::MAX; self.terminals.len()];
        far[to] = 0;
        let mut open = vec![to];
        while !open.is_empty() {
            let mut next = Vec::new();
            for node in open {
                for other in self.neighbours(node) {
                    if far[other] == usize::MAX {
                        far[other] = far[node] + 1;
                        next.push(other);
                    }
                }
            }
            open = next;
        }
        far
    }

    fn row(
        &mut self,
        (here, to): (usize, usize),
        (far, all_channels): (&[usize], bool),
        wrong_one_in: usize,
        draws: &mut Draws,
    ) {
        let all = self.neighbours(here);
        let closer: Vec<usize> = all
            .iter()
            .copied()
            .filter(|it| far[*it] < far[here])
            .collect();
        let mut ways: Vec<Way> = Vec::new();
        if draws.one_in(wrong_one_in) && draws.one_in(2) {
            return;
        }
        for _ in 0..1 + usize::from(draws.one_in(3)) {
            let from = if draws.one_in(wrong_one_in) {
                &all
            } else {
                &closer
            };
            let next = from[draws.below(from.len())];
            if ways.iter().any(|(other, _, _)| *other == next) {
                continue;
            }
            let channels = match if all_channels { 0 } else { draws.below(3) } {
                0 => (0..self.channels).collect(),
                1 => vec![draws.below(self.channels.into()) as u8],
                // By the hop: classes that follow each other, as far as there are any.
                _ => vec![(far[here] as u8).min(self.channels) - 1],
            };
            ways.push((next, channels, draws.one_in(4)));
        }
        self.rows.insert((here, to), ways);
    }

    /// The table in CSV, each way in a row of its own.
    pub(crate) fn text(&self) -> String {
        let mut table = String::from("destination,node,rank,channels,ports\n");
        for ((here, to), ways) in &self.rows {
            for (next, channels, is_fallback) in ways {
                let rank = if *is_fallback { "fallback" } else { "" };
                let all = channels.len() == usize::from(self.channels);
                let listed: Vec<String> = channels.iter().map(u8::to_string).collect();
                let listed = if all { String::new() } else { listed.join("|") };
                let _ = writeln!(table, "n{to},{here},{rank},{listed},n{next}");
            }
        }
        table
    }

    fn homes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.terminals.len()).filter(|node| self.terminals[*node] > 0)
    }

    fn nexts(&self, here: usize, to: usize) -> Vec<usize> {
        let ways = self.rows.get(&(here, to)).into_iter().flatten();
        ways.map(|(next, _, _)| *next).collect()
    }

    /// Where packets from a node to another may be, the latter apart.
    fn reached(&self, from: usize, to: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if node != to && reached.insert(node) {
                open.extend(self.nexts(node, to));
            }
        }
        reached
    }

    /// Whether a packet may come back to a node.
    fn loops(&self, node: usize, to: usize) -> bool {
        let nexts = self.nexts(node, to).into_iter();
        nexts
            .filter(|next| *next != to)
            .any(|next| self.reached(next, to).contains(&node))
    }

    /// Where packets to a node may be.
    fn all_reached(&self, to: usize) -> BTreeSet<usize> {
        let from = self.homes().filter(|from| *from != to);
        from.flat_map(|from| self.reached(from, to)).collect()
    }

    /// Which channel packets to each destination may hold while they wait for which.
    fn dependencies(&self) -> BTreeSet<(usize, Channel, Channel)> {
        let mut all = BTreeSet::new();
        for to in self.homes() {
            for here in self.all_reached(to) {
                for held in self.channels_to(here, to) {
                    for wanted in self.channels_to(held.1, to) {
                        all.insert((to, held, wanted));
                    }
                }
            }
        }
        all
    }

    fn channels_to(&self, here: usize, to: usize) -> Vec<Channel> {
        let ways = self.rows.get(&(here, to)).into_iter().flatten();
        let each =
            ways.flat_map(|(next, channels, _)| channels.iter().map(|it| (here, *next, *it)));
        if here == to {
            Vec::new()
        } else {
            each.collect()
        }
    }
}

/// Whether edges form a cycle: what has no successor is taken away again and again.
fn is_cyclic(edges: &BTreeSet<(Channel, Channel)>) -> bool {
    let mut left = edges.clone();
    loop {
        let before = left.len();
        let begins: BTreeSet<Channel> = left.iter().map(|(one, _)| *one).collect();
        left.retain(|(_, next)| begins.contains(next));
        if left.len() == before {
            return before > 0;
        }
    }
}

/// What is wrong with the ways to a destination is what the walker finds.
fn hold_astray(case: &Case, to: usize, found: Option<&Astray>) {
    let reached = case.all_reached(to);
    let gaps: BTreeSet<usize> = reached
        .iter()
        .copied()
        .filter(|it| case.nexts(*it, to).is_empty())
        .collect();
    let is_looping = reached.iter().any(|node| case.loops(*node, to));
    let Some(found) = found else {
        assert!(
            gaps.is_empty() && !is_looping,
            "to {to}: {gaps:?} {is_looping}"
        );
        return;
    };
    assert_eq!(found.unrouted.count, gaps.len(), "{found:?}");
    assert!(
        found
            .unrouted
            .first
            .iter()
            .all(|(node, _)| gaps.contains(&node.index())),
        "{found:?}"
    );
    assert_eq!(!found.circle.is_empty(), is_looping, "{found:?}");
    for (place, node) in found.circle.iter().enumerate() {
        let next = found.circle[(place + 1) % found.circle.len()];
        assert!(reached.contains(&node.index()), "{found:?}");
        assert!(
            case.nexts(node.index(), to).contains(&next.index()),
            "{found:?}"
        );
    }
    let arrives = |from: &usize| {
        case.reached(*from, to)
            .iter()
            .any(|it| case.nexts(*it, to).contains(&to))
    };
    let unreached: Vec<usize> = case
        .homes()
        .filter(|from| *from != to && !arrives(from))
        .collect();
    assert_eq!(found.unreached.count, unreached.len(), "{found:?}");
    let named: Vec<usize> = found
        .unreached
        .first
        .iter()
        .map(|(node, _)| node.index())
        .collect();
    assert_eq!(named, unreached[..named.len()], "{found:?}");
    assert!(!found.lines().is_empty());
}

/// Each channel of the circle is held by a packet to the destination that it names, which wants the next one.
fn hold_circle(
    topology: &dyn Topology,
    all: &BTreeSet<(usize, Channel, Channel)>,
    circle: &Circle,
) {
    let channel = |place: usize| {
        let held = &circle.held[place % circle.held.len()];
        let end = topology.neighbour(held.node, held.port).unwrap();
        (held.node.index(), end.index(), held.channel)
    };
    for (place, held) in circle.held.iter().enumerate() {
        let step = (held.destination.index(), channel(place), channel(place + 1));
        assert!(all.contains(&step), "{circle}");
    }
    let different: BTreeSet<Channel> = (0..circle.held.len()).map(channel).collect();
    assert_eq!(different.len(), circle.held.len(), "{circle}");
}

/// The check found what the walker finds; `dependencies` are so many pairs of channels.
pub(crate) fn hold(
    case: &Case,
    topology: &dyn Topology,
    astray: &[Astray],
    (circle, dependencies): (Option<&Circle>, u64),
) {
    let homes: BTreeSet<usize> = case.homes().collect();
    for to in &homes {
        let mut own = astray.iter().filter(|it| it.destination.index() == *to);
        hold_astray(case, *to, own.next());
        assert!(own.next().is_none());
    }
    let is_home = |it: &Astray| homes.contains(&it.destination.index());
    assert!(astray.iter().all(is_home));
    let all = case.dependencies();
    let pairs = all.iter().map(|(_, one, next)| (*one, *next));
    let pairs: BTreeSet<(Channel, Channel)> = pairs.collect();
    assert_eq!(circle.is_some(), is_cyclic(&pairs), "{circle:?}");
    assert_eq!(dependencies, pairs.len() as u64);
    if let Some(circle) = circle {
        hold_circle(topology, &all, circle);
    }
}
