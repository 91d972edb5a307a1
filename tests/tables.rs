//! Routing by tables on random graphs: a walker that knows nothing of the library's decides where packets go, and `check` must say the
//! same; a circle that it names is one in a graph of dependencies built here; and what it calls free delivers all packets.

use flitwork_config::{Catalogue, Resolved};
use flitwork_engine::Ended;
use flitwork_experiment::examine::{Astray, Circle, Deadlock, Examination, Livelock, examine};
use flitwork_experiment::simulate::{demand, execute};
use flitwork_node::mix;
use flitwork_router::routing::Table;
use flitwork_topology::Topology;
use flitwork_types::Cycle;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

const CASES: u64 = 400;

struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = mix(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15));
        (self.0 >> 16) as usize % bound
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

/// A channel: from a node to a neighbour, and its number.
type Channel = (usize, usize, u8);

/// A network and a table, as this test knows them.
struct Case {
    /// Terminals of each node.
    terminals: Vec<usize>,
    links: BTreeSet<(usize, usize)>,
    channels: u8,
    /// For a node and a destination: the neighbours with their channels, and whether they are fallbacks.
    rows: BTreeMap<(usize, usize), Vec<(usize, Vec<u8>, bool)>>,
}

impl Case {
    fn drawn(seed: u64) -> Case {
        let mut draws = Draws(seed);
        let nodes = 2 + draws.below(7);
        let mut links = BTreeSet::new();
        let mut link = |one: usize, other: usize| {
            links.insert((one.min(other), one.max(other)));
        };
        for node in 1..nodes {
            link(node, draws.below(node));
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
        let wrong_one_in = [1_000_000, 1_000_000, 40, 12, 3][draws.below(5)];
        for to in 0..nodes {
            let far = case.far(to);
            for here in (0..nodes).filter(|here| *here != to) {
                case.row((here, to), &far, wrong_one_in, &mut draws);
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
        far: &[usize],
        wrong_one_in: usize,
        draws: &mut Draws,
    ) {
        let all = self.neighbours(here);
        let closer: Vec<usize> = all
            .iter()
            .copied()
            .filter(|it| far[*it] < far[here])
            .collect();
        let mut ways: Vec<(usize, Vec<u8>, bool)> = Vec::new();
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
            let channels = match draws.below(3) {
                0 => (0..self.channels).collect(),
                1 => vec![draws.below(self.channels.into()) as u8],
                // By the hop: classes that follow each other, as far as there are any.
                _ => vec![(far[here] as u8).min(self.channels) - 1],
            };
            ways.push((next, channels, draws.one_in(4)));
        }
        self.rows.insert((here, to), ways);
    }

    /// The files: all ways of a pair with the same channels and rank in a row, or each in a row of its own.
    fn write(&self, folder: &Path) {
        let mut links = String::from("from,to\n");
        for (one, other) in &self.links {
            let _ = writeln!(links, "n{one},n{other}");
        }
        let mut nodes = String::from("node,terminals\n");
        for (node, terminals) in self.terminals.iter().enumerate() {
            let _ = writeln!(nodes, "n{node},{terminals}");
        }
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
        let configuration = format!(
            "[network]\ntopology = \"file\"\nfile = \"n.csv\"\nnodes_file = \"nodes.csv\"\n[router.wormhole]\nvcs = {}\n\
             buffer_words = 2\nrouting = \"table\"\n[router.wormhole.table]\nfile = \"t.csv\"\n[traffic]\npacket_words = 5\n\
             load = 1.0\n[run]\nwarmup_cycles = 0\nmeasure_cycles = 2000\n",
            self.channels
        );
        for (name, text) in [
            ("n.csv", links),
            ("nodes.csv", nodes),
            ("t.csv", table),
            ("n.toml", configuration),
        ] {
            fs::write(folder.join(name), text).unwrap();
        }
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
fn hold_circle(resolved: &Resolved, all: &BTreeSet<(usize, Channel, Channel)>, circle: &Circle) {
    let shape = &resolved.network.shape;
    let channel = |place: usize| {
        let held = &circle.held[place % circle.held.len()];
        let end = shape.neighbour(held.node, held.port).unwrap();
        (held.node.index(), end.index(), held.channel)
    };
    for (place, held) in circle.held.iter().enumerate() {
        let step = (held.destination.index(), channel(place), channel(place + 1));
        assert!(all.contains(&step), "{circle}");
    }
    let different: BTreeSet<Channel> = (0..circle.held.len()).map(channel).collect();
    assert_eq!(different.len(), circle.held.len(), "{circle}");
}

fn hold(case: &Case, resolved: &Resolved, found: &Examination) {
    let homes: BTreeSet<usize> = case.homes().collect();
    for to in &homes {
        let mut own = found
            .astray
            .iter()
            .filter(|it| it.destination.index() == *to);
        hold_astray(case, *to, own.next());
        assert!(own.next().is_none());
    }
    assert!(
        found
            .astray
            .iter()
            .all(|it| homes.contains(&it.destination.index()))
    );
    let may_livelock = matches!(found.livelock, Livelock::May(_));
    assert_eq!(
        may_livelock,
        !found.astray.is_empty(),
        "{:?}",
        found.livelock
    );
    let all = case.dependencies();
    let pairs: BTreeSet<(Channel, Channel)> =
        all.iter().map(|(_, one, next)| (*one, *next)).collect();
    assert_eq!(
        found.circle.is_some(),
        is_cyclic(&pairs),
        "{:?}",
        found.deadlock
    );
    let is_free = found.circle.is_none() && found.astray.is_empty();
    assert_eq!(
        matches!(found.deadlock, Deadlock::Free(_)),
        is_free,
        "{:?}",
        found.deadlock
    );
    match &found.circle {
        Some(circle) => {
            assert_eq!(circle.dependencies, pairs.len() as u64);
            hold_circle(resolved, &all, circle);
        }
        None => assert_eq!(found.dependencies.unwrap().1, pairs.len() as u64),
    }
}

/// Full load, and then what is under way must arrive.
fn delivers(resolved: &Resolved) -> bool {
    let mut given = demand(resolved);
    given.inject_until = Cycle(400);
    given.end = Cycle(100_000);
    let done = execute(resolved, given, (), &mut |_| ControlFlow::Continue(()));
    done.outcome.ended == Ended::Empty
}

#[test]
fn the_check_of_tables_agrees_with_a_walk() {
    let catalogue = Catalogue::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("n.toml");
    let mut seen = BTreeMap::new();
    for seed in 0..CASES {
        let case = Case::drawn(seed);
        case.write(folder.path());
        let examined = catalogue.load_examined(&path, &[]);
        let (resolved, _) = examined.unwrap_or_else(|error| panic!("{seed}: {error}"));
        let found = examine(&resolved);
        hold(&case, &resolved, &found);
        let run = catalogue.load(&path, &[]);
        let kind = match (&found.deadlock, &found.livelock) {
            (Deadlock::Free(_), Livelock::None(_)) => {
                let resolved = run.unwrap_or_else(|error| panic!("{seed}: {error}"));
                assert!(delivers(&resolved), "{seed}: {resolved:?}");
                "free"
            }
            (_, Livelock::May(_)) => {
                assert_eq!(run.unwrap_err().lifted_by(), None, "{seed}");
                "astray"
            }
            _ => {
                let lifted = run.unwrap_err().lifted_by().map(str::to_owned);
                assert_eq!(
                    lifted.as_deref(),
                    Some("router.wormhole.allow_deadlock"),
                    "{seed}"
                );
                "circle"
            }
        };
        *seen.entry(kind).or_insert(0) += 1;
        let looping = found.astray.iter().any(|it| !it.circle.is_empty());
        *seen.entry("loop").or_insert(0) += u64::from(looping);
        let gap = found.astray.iter().any(|it| it.unrouted.count > 0);
        *seen.entry("gap").or_insert(0) += u64::from(gap);
    }
    // All kinds are met often.
    for kind in ["free", "astray", "circle", "loop", "gap"] {
        assert!(
            seen.get(kind).is_some_and(|times| *times >= CASES / 40),
            "{seen:?}"
        );
    }
}

/// Damaged tables are read or refused, with a place in the text; nothing panics.
#[test]
fn damaged_tables_are_refused_with_a_place() {
    let catalogue = Catalogue::default();
    let folder = tempfile::tempdir().unwrap();
    let mut draws = Draws(7);
    let mut refused = 0;
    for seed in 0..20 {
        let case = Case::drawn(seed);
        case.write(folder.path());
        let path = folder.path().join("n.toml");
        let (resolved, _) = catalogue.load_examined(&path, &[]).unwrap();
        let text = fs::read_to_string(folder.path().join("t.csv")).unwrap();
        for _ in 0..50 {
            let mut damaged: Vec<char> = text.chars().collect();
            for _ in 0..1 + draws.below(3) {
                let at = draws.below(damaged.len());
                let new =
                    [',', '\n', '\r', '|', '"', '#', '9', 'n', ' ', 'ß', '\0'][draws.below(11)];
                match draws.below(3) {
                    0 => drop(damaged.remove(at)),
                    1 => damaged.insert(at, new),
                    _ => damaged[at] = new,
                }
            }
            let damaged: String = damaged.into_iter().collect();
            let read = Table::of_text(&damaged, &resolved.network.shape, case.channels);
            if let Err(mistake) = read {
                refused += 1;
                assert!(!mistake.found.is_empty() && !mistake.allowed.is_empty());
                let place = mistake.at.map(|at| damaged.get(at).map(str::len));
                assert_ne!(place, Some(None), "{damaged}");
            }
        }
    }
    assert!(refused > 100, "{refused}");
}
