//! Scheduled worms: which schedules are refused, and that a run follows its schedule.

use flitwork_config::EngineChoice;
use flitwork_engine::{Clocked, Ended, Engine, EventDriven, Plain};
use flitwork_experiment::simulate;
use flitwork_network::{Clock, Clocks, Demand, LinkTiming, Network, Periodic};
use flitwork_node::{Event, Probe, Reported, draw_below};
use flitwork_router::scheduled::ScheduleParameters;
use flitwork_router::scheduled::{
    Hop, Request, Route, Schedule, ScheduleError, Scheduled, dimension_order_path, one_bend,
};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::{Birth, Offer, Workload};
use flitwork_types::{Cycle, NodeId, PacketId, Port, TerminalId, Word};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The packets of a schedule, all made in cycle 0.
#[derive(Clone)]
struct Births(Vec<VecDeque<Birth>>);

impl Births {
    fn new(grid: &Grid, schedule: &Schedule) -> Births {
        let mut births = vec![VecDeque::new(); grid.nodes() as usize];
        for (packet, route) in schedule.routes() {
            births[packet.source.index()].push_back(Birth {
                created: Cycle::ZERO,
                destination: TerminalId(end_of(grid, route).0),
                words: route.words,
                class: 0,
            });
        }
        Births(births)
    }
}

impl Workload for Births {
    fn next(&mut self, source: TerminalId, _: Cycle) -> Offer {
        let birth = self.0[source.index()].pop_front();
        birth.map_or(Offer::Never, Offer::Packet)
    }

    fn sources(&self) -> Vec<TerminalId> {
        let all = (0..self.0.len() as u32).map(TerminalId);
        all.filter(|it| !self.0[it.index()].is_empty()).collect()
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(self.clone())
    }
}

fn end_of(grid: &Grid, route: &Route) -> NodeId {
    let step = |node, hop: &Hop| grid.neighbour(node, hop.port).expect("a link");
    route.path.iter().fold(route.source, step)
}

/// The cycles in which a worm's head leaves nodes, and by which ports.
fn heads(grid: &Grid, latency: u32, route: &Route) -> Vec<(Cycle, NodeId, Port)> {
    let (mut node, mut at) = (route.source, route.start);
    let head = |hop: &Hop| {
        let cycle = hop.cycle.unwrap_or(at);
        let next = grid.neighbour(node, hop.port).expect("a link");
        let from = std::mem::replace(&mut node, next);
        at = cycle + latency;
        (cycle, from, hop.port)
    };
    route.path.iter().map(head).collect()
}

/// Deliveries, and the words on links.
#[derive(Default)]
struct Recorder {
    delivered: HashMap<PacketId, Cycle>,
    words: HashSet<(Cycle, NodeId, Port, PacketId, u16)>,
}

impl Probe for Recorder {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Words)
    }

    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        if let Event::Delivered { packet } = event {
            assert_eq!(self.delivered.insert(packet.id, cycle), None);
        }
    }
    fn word(&mut self, node: NodeId, cycle: Cycle, port: Port, packet: PacketId, word: Word) {
        let new = self.words.insert((cycle, node, port, packet, word.index));
        assert!(new, "a word reported twice");
    }
}

fn network(grid: &Grid, latency: u32, schedule: &Schedule) -> Network<Grid, Scheduled<Grid>> {
    Network::new(
        grid.clone(),
        Scheduled::new(grid.clone(), schedule.clone()),
        latency,
    )
}

fn demand(grid: &Grid, schedule: &Schedule) -> Demand {
    Demand::until(Box::new(Births::new(grid, schedule)), Cycle(100_000))
}

fn run(mut engine: impl Engine<Probe = (Digest, Recorder)>) -> (Digest, Recorder) {
    let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
    assert_eq!(outcome.ended, Ended::Empty);
    Box::new(engine).into_probe()
}

/// Runs a schedule on the engines with one clock: each word is on each link of its path in its cycle, and in
/// no other.
fn replay(grid: &Grid, latency: u32, schedule: &Schedule) {
    let network = Arc::new(network(grid, latency, schedule));
    let probe = Default::default;
    let plain = Plain::new(network.clone(), demand(grid, schedule), probe(), 1);
    let (digest, seen) = run(plain);
    let (awake, _) = run(EventDriven::new(
        network.clone(),
        demand(grid, schedule),
        probe(),
    ));
    assert_eq!(awake, digest);
    let clocks = one_clock(grid, latency);
    let engine = Clocked::new(network, clocks, demand(grid, schedule), probe(), 1);
    assert_eq!(run(engine).0, digest);
    let mut words = 0;
    for (packet, route) in schedule.routes() {
        assert_eq!(seen.delivered[&packet], schedule.arrival(packet).unwrap());
        for (head, node, port) in heads(grid, latency, route) {
            for index in 0..route.words {
                let cycle = head + u32::from(index);
                assert!(seen.words.contains(&(cycle, node, port, packet, index)));
                words += 1;
            }
        }
    }
    assert_eq!(seen.words.len(), words);
    assert_eq!(seen.delivered.len(), schedule.routes().count());
}

fn one_clock(grid: &Grid, latency: u32) -> Clocks {
    let clock = Clock::Periodic(Periodic::new(1000, 0));
    Clocks {
        nominal_ps: 1000,
        domains: vec![clock],
        domain_of: vec![0; grid.nodes() as usize],
        links: LinkTiming::wires(
            u64::from(latency) * 1000,
            // The sender knows that a word was taken two latencies after sending it.
            2 * latency + 1,
            2,
        ),
        seed: 1,
    }
}

/// Every order of 0 to `count` - 1.
fn permutations(count: u32) -> Vec<Vec<u32>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1).into_iter();
    let longer = shorter.flat_map(|order| {
        (0..=order.len()).map(move |place| {
            let mut order = order.clone();
            order.insert(place, count - 1);
            order
        })
    });
    longer.collect()
}

fn requests(to: &[u32], words: u16) -> Vec<Request> {
    let pairs = (0u32..).zip(to).filter(|(from, to)| from != *to);
    let request = |(from, to): (u32, &u32)| Request {
        source: NodeId(from),
        destination: NodeId(*to),
        words,
    };
    pairs.map(request).collect()
}

/// Theorem 1's bound (Roberts and Symvonis 1994) for one worm per node on an n x n mesh, on links of one
/// cycle: the last start is at most (2 n - 2)(2 k - 1) and the path takes at most 2 n - 2 + k - 1.
fn check_theorem_1(grid: &Grid, words: u16, schedule: &Schedule) {
    let n = *grid.sides().iter().max().unwrap();
    let k = u32::from(words);
    let bound = (2 * n - 2) * (2 * k - 1) + 2 * n - 2 + k - 1;
    let found = schedule.last_arrival();
    assert!(found <= Cycle(bound), "{found} of {bound} on {grid:?}");
}

#[test]
fn every_permutation_of_small_meshes_is_scheduled_and_run() {
    for (sides, most_words) in [(&[2, 2][..], 5), (&[4], 3), (&[3, 2], 2)] {
        let grid = Grid::mesh(sides).unwrap();
        for order in permutations(grid.nodes()) {
            for words in 1..=most_words {
                let schedule = one_bend(&grid, 1, &requests(&order, words)).unwrap();
                check_theorem_1(&grid, words, &schedule);
                replay(&grid, 1, &schedule);
            }
        }
    }
}

#[test]
fn random_permutations_satisfy_theorem_1() {
    for seed in 0..20 {
        let grid = Grid::mesh(&[9, 9]).unwrap();
        let mut order: Vec<u32> = (0..grid.nodes()).collect();
        for place in (1..order.len()).rev() {
            let other = draw_below(place as u32 + 1, seed, NodeId(place as u32), Cycle::ZERO, 0);
            order.swap(place, other as usize);
        }
        for words in [1, 4, 13] {
            let schedule = one_bend(&grid, 1, &requests(&order, words)).unwrap();
            check_theorem_1(&grid, words, &schedule);
            replay(&grid, 1, &schedule);
        }
    }
}

#[test]
fn longer_links_several_packets_a_source_and_tori() {
    for (grid, latency) in [
        (Grid::torus(&[4, 3]).unwrap(), 3),
        (Grid::mesh(&[3, 2, 3]).unwrap(), 2),
    ] {
        let mut all = Vec::new();
        for round in 1..4 {
            let nodes = grid.nodes();
            let order: Vec<u32> = (0..nodes).map(|node| (node * 5 + round) % nodes).collect();
            all.extend(requests(&order, 2 * round as u16 - 1));
        }
        let schedule = one_bend(&grid, latency, &all).unwrap();
        replay(&grid, latency, &schedule);
    }
}

/// One bend: along x for as long as that is productive, then along y.
#[test]
fn a_path_goes_along_one_dimension_after_the_other() {
    let grid = Grid::mesh(&[4, 3]).unwrap();
    let path = dimension_order_path(&grid, NodeId(8), NodeId(3));
    let names: Vec<String> = path.iter().map(|port| grid.port_name(*port)).collect();
    assert_eq!(names, ["east", "east", "east", "north", "north"]);
}

fn route(source: u32, words: u16, start: u32, path: &[u8]) -> Route {
    Route {
        source: NodeId(source),
        words,
        start: Cycle(start),
        path: path.iter().map(|port| Hop::from(Port(*port))).collect(),
    }
}

/// Lets a worm wait before its second hop.
fn delay(route: &mut Route, latency: u32, wait: u32) {
    let second = route.start + latency + wait;
    if let Some(hop) = route.path.get_mut(1).filter(|_| wait > 0) {
        hop.cycle = Some(second);
    }
}

/// Every walk of one to three hops from a node.
fn walks(grid: &Grid, from: NodeId) -> Vec<Vec<u8>> {
    let mut walks = Vec::new();
    let mut open = vec![(from, Vec::new())];
    while let Some((node, path)) = open.pop() {
        if !path.is_empty() {
            walks.push(path.clone());
        }
        if path.len() == 3 {
            continue;
        }
        for port in grid.links(node).iter() {
            let longer = [&path[..], &[port.0]].concat();
            open.push((grid.neighbour(node, port).unwrap(), longer));
        }
    }
    walks
}

/// Where and when two words of a set of routes are on the same link, word by word.
fn collisions(grid: &Grid, latency: u32, routes: &[Route]) -> HashSet<(Cycle, NodeId, Port)> {
    let mut words: HashMap<(Cycle, NodeId, Port), u32> = HashMap::new();
    for route in routes {
        for (head, node, port) in heads(grid, latency, route) {
            for index in 0..u32::from(route.words) {
                *words.entry((head + index, node, port)).or_default() += 1;
            }
        }
    }
    words.retain(|_, count| *count > 1);
    words.into_keys().collect()
}

/// All pairs of paths of up to three hops on a mesh of 2 x 2 nodes and on a line of 3, with all small lengths
/// and starts: a refused schedule has two words on one link, exactly where and when the error says, and the
/// others run.
#[test]
fn all_pairs_of_short_worms_are_judged_rightly() {
    let (mut refused, mut taken) = (0, 0);
    for (sides, latency) in [(&[2, 2][..], 1), (&[3], 1), (&[3], 2)] {
        let grid = Grid::mesh(sides).unwrap();
        let first = walks(&grid, NodeId(0)).into_iter();
        let pairs = first.flat_map(|one| {
            let others = (1..grid.nodes()).map(NodeId);
            let others = others.flat_map(|node| {
                let walks = walks(&grid, node).into_iter();
                walks.map(move |walk| (node, walk))
            });
            let others: Vec<_> = others.collect();
            others.into_iter().map(move |other| (one.clone(), other))
        });
        for (one, (node, other)) in pairs {
            let cases = [
                (1, 1, 0, [0, 0]),
                (1, 3, 1, [1, 0]),
                (3, 1, 2, [0, 2]),
                (2, 2, 1, [3, 1]),
                (3, 4, 0, [0, 0]),
            ];
            for (words, more, start, waits) in cases {
                let mut routes = [route(0, words, 1, &one), route(node.0, more, start, &other)];
                for (route, wait) in routes.iter_mut().zip(waits) {
                    delay(route, latency, wait);
                }
                let met = collisions(&grid, latency, &routes);
                // A worm that ends where it began is no packet: no source sends to itself.
                let home = routes
                    .iter()
                    .any(|route| end_of(&grid, route) == route.source);
                match Schedule::new(&grid, latency, 2, routes.to_vec()) {
                    Ok(schedule) => {
                        taken += 1;
                        assert!(met.is_empty() && !home, "{routes:?}");
                        replay(&grid, latency, &schedule);
                    }
                    Err(ScheduleError::Home(_)) => assert!(home, "{routes:?}"),
                    Err(ScheduleError::Collision {
                        cycle, node, port, ..
                    }) => {
                        refused += 1;
                        assert!(met.contains(&(cycle, node, port)), "{routes:?}");
                        let link = met.iter().filter(|(_, at, by)| (*at, *by) == (node, port));
                        assert_eq!(link.map(|(at, _, _)| *at).min(), Some(cycle), "{routes:?}");
                    }
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
    assert!(refused > 100 && taken > 1000, "{refused} {taken}");
}

#[test]
fn errors_name_what_is_wrong() {
    let grid = Grid::mesh(&[3, 2]).unwrap();
    let refused = |routes: &[Route]| {
        let error = Schedule::new(&grid, 1, 0, routes.to_vec()).unwrap_err();
        error.to_string()
    };
    // East is port 1, south port 2.
    let east = route(0, 4, 0, &[1, 1]);
    let collision = [east.clone(), route(1, 2, 3, &[1, 2])];
    assert_eq!(
        refused(&collision),
        "packet 0.0 and packet 1.0 both need the link of node 1 at port 1 in cycle 3"
    );
    assert_eq!(
        refused(&[route(0, 1, 0, &[1, 1, 1])]),
        "hop 2 of packet 0.0: node 2 has no link at port 1"
    );
    assert_eq!(
        refused(&[east.clone(), route(0, 1, 3, &[2])]),
        "packet 0.1 starts in cycle 3, before it has arrived from its source; the earliest is 4"
    );
    for empty in [route(2, 0, 0, &[3]), route(2, 1, 0, &[])] {
        assert!(refused(&[empty]).starts_with("packet 2.0 has no words, or a path without hops"));
    }
    // A worm waits before its second hop.
    let mut waits = route(0, 2, 0, &[1, 1]);
    delay(&mut waits, 1, 3);
    assert_eq!(
        refused(&[waits.clone()]),
        "packet 0.0 waits in node 1 in cycle 1, where none may"
    );
    waits.path[1].cycle = Some(Cycle::ZERO);
    assert_eq!(
        refused(&[waits]),
        "hop 1 of packet 0.0 leaves in cycle 0, before its head is ready in cycle 1"
    );
    let late = route(0, 1, Cycle::LAST.get() - 1, &[1]);
    assert!(refused(&[late]).contains("is still under way after cycle 4000000000"));
    // Two worms of one source may start together over different links, once both have come.
    let together = [route(0, 4, 4, &[1]), route(0, 4, 4, &[2])];
    replay(
        &grid,
        1,
        &Schedule::new(&grid, 1, 0, together.to_vec()).unwrap(),
    );
}

/// A schedule for links of one cycle, on links of two: a head comes too late, and the run reports it.
#[test]
#[should_panic(expected = "isn't there in cycle 2")]
fn a_run_that_leaves_its_schedule_is_aborted() {
    let grid = Grid::mesh(&[3]).unwrap();
    let routes = vec![route(0, 3, 0, &[0, 0]), route(1, 1, 4, &[0])];
    let schedule = Schedule::new(&grid, 1, 0, routes).unwrap();
    let network = network(&grid, 2, &schedule);
    run(Plain::new(
        network,
        demand(&grid, &schedule),
        Default::default(),
        1,
    ));
}

/// A configuration that reads its schedule from a file follows it, on every engine with one clock.
#[test]
fn a_files_schedule_is_followed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/schedule-file.toml");
    let mut resolved = flitwork_config::load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
    let Some(ScheduleParameters::File(from)) = resolved.router.get().cloned() else {
        panic!("a schedule from a file");
    };
    let grid = resolved.network.grid().clone();
    let schedule = Schedule::new(&grid, 1, from.waiting, from.routes).unwrap();
    let engines = [
        EngineChoice::Sync,
        EngineChoice::SyncStepped,
        EngineChoice::SyncPlain,
    ];
    for engine in engines {
        resolved.run.engine = engine;
        let prepared = simulate::demand(&resolved);
        let run = simulate::execute(&resolved, prepared, Recorder::default(), &mut |_| {
            ControlFlow::Continue(())
        });
        assert_eq!(run.outcome.ended, Ended::Empty);
        assert_eq!(run.probe.delivered.len(), 6);
        for (packet, route) in schedule.routes() {
            // The words on each of its links, in the cycles that the schedule gives.
            for (head, node, port) in heads(&grid, 1, route) {
                for word in 0..route.words {
                    let there = (head + u32::from(word), node, port, packet, word);
                    assert!(run.probe.words.contains(&there), "{engine:?} {there:?}");
                }
            }
        }
    }
}
