//! Schedules of worms (Roberts and Symvonis 1994, section 2.1) against a search through single cycles, and
//! against a network that follows one.

mod refused;

use crate::dice::Dice;
use crate::observed::events;
use flitwork_node::{
    Event, Inputs, Outputs, Place, Probe, Router, Site, Wait, WaitsFor, WordRouter,
};
use flitwork_router::scheduled::{Hop, Request, Route, Schedule, Scheduled, one_bend};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{
    Cycle, MAX_PORTS, NodeId, Packet, PacketId, PacketRef, Packets, Port, PortSet, TerminalId, Word,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A word's place: the cycle, and the link by the node that it leaves.
type OnLink = (u64, NodeId, Port);

/// Where the words of a worm that starts in a given cycle are: word j in cycle t + j on the link that its head takes in
/// cycle t.
fn places(grid: &Grid, latency: u32, route: &Route, start: u64) -> Vec<OnLink> {
    let mut node = route.source;
    let mut places = Vec::new();
    let mut head = start;
    for Hop { port, cycle } in &route.path {
        head = cycle.map_or(head, |cycle| cycle.get().into());
        for word in 0..u64::from(route.words) {
            places.push((head + word, node, *port));
        }
        head += u64::from(latency);
        node = grid.neighbour(node, *port).expect("a link");
    }
    places
}

/// The cycles and nodes in which a worm's head waits, once it has left its source.
fn waits(grid: &Grid, latency: u32, route: &Route) -> Vec<(NodeId, u64)> {
    let mut node = route.source;
    let mut waits = Vec::new();
    let mut ready = None;
    for Hop { port, cycle } in &route.path {
        let there = ready.unwrap_or(u64::from(route.start.get()));
        let leaves = cycle.map_or(there, |cycle| cycle.get().into());
        if ready.is_some() {
            waits.extend((there..leaves).map(|cycle| (node, cycle)));
        }
        ready = Some(leaves + u64::from(latency));
        node = grid.neighbour(node, *port).expect("a link");
    }
    waits
}

/// Names the cycles of some hops, so that the worm waits before them.
fn with_waits(route: &mut Route, latency: u32, dice: &mut Dice) {
    let mut ready = route.start;
    for hop in &mut route.path {
        let cycle = ready + dice.one_of(&[0, 0, 0, 1, 2, 7]);
        if cycle > ready || dice.below(4) == 0 {
            hop.cycle = Some(cycle);
        }
        ready = cycle + latency;
    }
}

/// Along x, then along y.
fn path(grid: &Grid, request: &Request) -> Vec<Port> {
    let mut node = request.source;
    let mut path = Vec::new();
    for ports in [[1, 3], [0, 2]] {
        loop {
            let good = grid.productive(node, request.destination);
            let Some(port) = ports.into_iter().find(|port| good.contains(Port(*port))) else {
                break;
            };
            path.push(Port(port));
            node = grid.neighbour(node, Port(port)).expect("a link");
        }
    }
    path
}

fn requests(grid: &Grid, dice: &mut Dice) -> Vec<Request> {
    let nodes = grid.nodes() as usize;
    let mut request = || {
        let source = dice.below(nodes);
        Request {
            source: NodeId(source as u32),
            destination: NodeId(((source + 1 + dice.below(nodes - 1)) % nodes) as u32),
            words: 1 + dice.below(5) as u16,
        }
    };
    (0..25).map(|_| request()).collect()
}

/// Each worm starts in the first cycle, from its head's arrival on, in which no word of it collides with
/// another's.
#[test]
fn each_worm_starts_as_early_as_it_fits() {
    for grid in [Grid::mesh(&[4, 3]).unwrap(), Grid::torus(&[3, 4]).unwrap()] {
        for seed in 0..150 {
            let mut dice = Dice::new(seed);
            let latency = dice.one_of(&[1, 1, 2, 5]);
            let requests = requests(&grid, &mut dice);
            let mut taken: BTreeSet<OnLink> = BTreeSet::new();
            let mut come: BTreeMap<NodeId, u64> = BTreeMap::new();
            let mut expected = Vec::new();
            for request in &requests {
                let mut route = Route {
                    source: request.source,
                    words: request.words,
                    start: Cycle::ZERO,
                    path: path(&grid, request).into_iter().map(Hop::from).collect(),
                };
                let ready = come.entry(request.source).or_default();
                let free = |start: &u64| {
                    let places = places(&grid, latency, &route, *start);
                    places.iter().all(|place| !taken.contains(place))
                };
                let start = (*ready..).find(free).expect("a cycle in which it fits");
                *ready += u64::from(request.words);
                taken.extend(places(&grid, latency, &route, start));
                route.start = Cycle(start as u32);
                expected.push(route);
            }
            let schedule = one_bend(&grid, latency, &requests).unwrap();
            expected.sort_by_key(|route| route.source);
            let found: Vec<Route> = schedule.routes().map(|(_, route)| route.clone()).collect();
            assert_eq!(found, expected, "seed {seed}");
            let last = taken.iter().map(|(cycle, ..)| *cycle).max().unwrap();
            let arrival = last + u64::from(latency);
            assert_eq!(u64::from(schedule.last_arrival().get()), arrival);
        }
    }
}

fn route(source: u32, words: u16, start: u32, path: &[u8]) -> Route {
    Route {
        source: NodeId(source),
        words,
        start: Cycle(start),
        path: path.iter().map(|port| Hop::from(Port(*port))).collect(),
    }
}

#[derive(Default)]
struct Notes(Vec<(Cycle, Event)>);

impl Probe for Notes {
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        self.0.push((cycle, event));
    }
}

/// A network of nodes, stepped one after the other, and its links.
struct SmallNetwork {
    grid: Grid,
    latency: u32,
    packets: Packets,
    notes: Notes,
    /// Words by the cycle and the node of their arrival.
    coming: BTreeMap<(u32, NodeId), Vec<(Port, Word)>>,
    /// Words that left: when, where, of which packet, and which of its words.
    sent: BTreeSet<(OnLink, PacketId, u16)>,
}

impl SmallNetwork {
    /// A source sends a packet, a word a cycle.
    fn supply(&mut self, packet: PacketRef, route: &Route, from: u32) {
        for index in 0..route.words {
            let word = Word::of(packet, index, route.words);
            let at = (from + u32::from(index), route.source);
            let came = (self.grid.local(), word);
            self.coming.entry(at).or_default().push(came);
        }
    }

    fn step<R: WordRouter>(&mut self, router: &R, state: &mut R::Node, node: NodeId, now: u32) {
        let mut words = [Word::BLANK; MAX_PORTS];
        let mut arrived = PortSet::EMPTY;
        for (port, word) in self.coming.remove(&(now, node)).unwrap_or_default() {
            arrived.insert(port);
            words[port.index()] = word;
        }
        if arrived.is_empty() && router.next_step(state, Cycle(now)) > Cycle(now) {
            return;
        }
        let inputs = Inputs {
            arrived,
            words: &words,
            credits: PortSet::EMPTY,
            credit_channels: &[0; MAX_PORTS],
            sendable: PortSet(u64::MAX),
        };
        let (mut sent, mut credited) = ([Word::BLANK; MAX_PORTS], [0; MAX_PORTS]);
        let mut outputs = Outputs::new(&mut sent, &mut credited);
        let mut site = Site::new(node, &mut self.packets, &mut self.notes);
        router.step(state, Cycle(now), &inputs, &mut outputs, &mut site);
        for port in outputs.sent.iter() {
            let word = sent[port.index()];
            let id = self.packets[word.packet].id;
            let place = (u64::from(now), node, port);
            assert!(self.sent.insert((place, id, word.index)));
            let next = self.grid.neighbour(node, port).expect("a link");
            let at = (now + self.latency, next);
            let came = (self.grid.opposite(port), word);
            self.coming.entry(at).or_default().push(came);
        }
    }
}

/// The packets that wait only for their time, each in its source or in the queue.
fn who_waits(grid: &Grid, node: NodeId, waits: &[Wait]) -> BTreeSet<(PacketId, bool, TerminalId)> {
    let waits = waits.iter().map(|wait| {
        let is_queued = wait.place == Place::Queue;
        assert!(is_queued || wait.place == Place::Input(grid.local()));
        assert_eq!(wait.node, node);
        assert!(matches!(wait.waits_for, WaitsFor::Nothing));
        (wait.packet, is_queued, wait.destination)
    });
    waits.collect()
}

/// A schedule in which worms wait, of those requests for which a path was drawn that fits.
fn waiting_schedule(grid: &Grid, latency: u32, requests: &[Request], dice: &mut Dice) -> Schedule {
    let mut routes = Vec::new();
    let mut schedule = Schedule::new(grid, latency, 2, Vec::new()).unwrap();
    for request in requests {
        let path = path(grid, request).into_iter().map(Hop::from).collect();
        let mut route = Route {
            source: request.source,
            words: request.words,
            start: Cycle(dice.below(40) as u32),
            path,
        };
        with_waits(&mut route, latency, dice);
        routes.push(route);
        match Schedule::new(grid, latency, 2, routes.clone()) {
            Ok(fits) => schedule = fits,
            Err(_) => drop(routes.pop()),
        }
    }
    schedule
}

/// Every word is on the link of each hop in the cycle that its schedule gives and in no other, and a packet
/// is delivered in the cycle in which its last word is at the end of its path. It waits in its source from
/// its head's arrival until its last word leaves.
#[test]
fn a_network_keeps_to_its_schedule() {
    for seed in 0..100 {
        let mut dice = Dice::new(seed);
        let grid = Grid::mesh(&[3, 4]).unwrap();
        let latency = dice.one_of(&[1, 2, 4]);
        let requests = requests(&grid, &mut dice);
        let schedule = match seed % 2 {
            0 => one_bend(&grid, latency, &requests).unwrap(),
            _ => waiting_schedule(&grid, latency, &requests, &mut dice),
        };
        let router = Scheduled::new(grid.clone(), schedule.clone());
        let mut nodes = router.nodes();
        let mut wires = SmallNetwork {
            grid: grid.clone(),
            latency,
            packets: Packets::new(),
            notes: Notes::default(),
            coming: BTreeMap::new(),
            sent: BTreeSet::new(),
        };
        let (mut expected, mut lines) = (BTreeSet::new(), Vec::new());
        let mut waiting = Vec::new();
        let mut come: BTreeMap<NodeId, u32> = BTreeMap::new();
        for (id, route) in schedule.routes() {
            let from = come.entry(route.source).or_default();
            let step = |node, hop: &Hop| grid.neighbour(node, hop.port).unwrap();
            let destination = route.path.iter().fold(route.source, step);
            let destination = TerminalId(destination.0);
            let packet = wires.packets.insert(Packet {
                id,
                destination,
                words: route.words,
                ..Packet::default()
            });
            wires.supply(packet, route, *from);
            for (at, is_queued, cycles) in stays(&grid, latency, route, *from) {
                waiting.push((id, (at, is_queued, destination), cycles));
            }
            *from += u32::from(route.words);
            let places = places(&grid, latency, route, route.start.get().into());
            let words = (0..route.words).cycle();
            let named = places.into_iter().zip(words);
            expected.extend(named.map(|(place, index)| (place, id, index)));
            let hops = route.path.len();
            let (at, serial) = (schedule.arrival(id).unwrap(), id.serial);
            let line = format!("{at}: {serial} is delivered after {hops} hops, 0 deroutes");
            lines.push(line);
        }
        for now in 0..=schedule.last_arrival().get() {
            for (node, state) in nodes.iter_mut().enumerate() {
                let node = NodeId(node as u32);
                wires.step(&router, state, node, now);
                let waits = router.waits(node, state, &wires.packets, Cycle(now));
                let law = waiting
                    .iter()
                    .filter(|(_, (at, ..), cycles)| *at == node && cycles.contains(&now));
                let law: BTreeSet<_> = law
                    .map(|(id, (_, is_queued, to), _)| (*id, *is_queued, *to))
                    .collect();
                assert_eq!(who_waits(&grid, node, &waits), law, "seed {seed} in {now}");
            }
        }
        assert_eq!(wires.sent, expected, "seed {seed}");
        let mut reported = events(&wires.notes.0);
        reported.retain(|line| line.contains("delivered"));
        reported.sort();
        lines.sort();
        assert_eq!(reported, lines, "seed {seed}");
        assert!(nodes.iter().all(|state| router.is_idle(state)));
    }
}

/// Where a worm is kept, in its source or in a queue, and in which cycles.
fn stays(grid: &Grid, latency: u32, route: &Route, from: u32) -> Vec<(NodeId, bool, Range<u32>)> {
    let first = route.path[0].cycle.unwrap_or(route.start);
    let words = u32::from(route.words);
    let mut stays = vec![(route.source, false, from..first.get() + words - 1)];
    for (node, from, until) in spells(&waits(grid, latency, route)) {
        stays.push((node, true, from..until + words));
    }
    stays
}

/// Cycles in a row in one node: the first, and the last.
fn spells(waits: &[(NodeId, u64)]) -> Vec<(NodeId, u32, u32)> {
    let follows = |one: &(NodeId, u64), next: &(NodeId, u64)| (one.0, one.1 + 1) == *next;
    let spells = waits.chunk_by(follows);
    let ends = spells.map(|spell| (spell[0], spell[spell.len() - 1]));
    ends.map(|((node, from), (_, until))| (node, from as u32, until as u32))
        .collect()
}
