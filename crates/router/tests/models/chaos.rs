//! The Chaos router at one node against [`crate::chaos_model`].

use crate::bench::{Bench, Benched};
use crate::chaos_model as model;
use crate::dice::Dice;
use crate::observed::observed;
use flitwork_node::{Event, Place, Router, Value, WordRouter, draw_below};
use flitwork_router::chaos::{
    Any, Chaos, ChaosParameters, Delivery, DerouteAmong, InitialPointer, MultiqueueFreed,
    MultiqueuePolicy, Plane, StallRule, WordFlow,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{
    Cycle, Due, NodeId, Packet, PacketId, PacketRef, Packets, Port, TerminalId, Word,
};
use std::collections::BTreeMap;

pub(crate) fn drawn_parameters(
    ports: usize,
    most_frames: usize,
    dice: &mut Dice,
) -> ChaosParameters {
    use MultiqueuePolicy::{NewestFirst, OldestFirst, Random};
    let mut parameters = ChaosParameters::chinn_1995(ports);
    parameters.packet_words = 1 + dice.below(6) as u16;
    parameters.multiqueue_frames = 1 + dice.below(most_frames);
    parameters.stall_threshold_cycles = dice.one_of(&[0, 1, 3, 7]);
    parameters.decision_latency_cycles = dice.one_of(&[1, 2, 3]);
    let release = parameters.least_release_cycles() + dice.one_of(&[0, 1, 3]);
    parameters.input_release_cycles = release;
    let mut order: Vec<Port> = (0..ports as u8).map(Port).collect();
    for place in 0..ports {
        order.swap(place, dice.below(place + 1));
    }
    parameters.set_scan_order(order, ports).unwrap();
    parameters.initial_pointer = dice.one_of(&[InitialPointer::Fixed, InitialPointer::Random]);
    parameters.multiqueue_policy = dice.one_of(&[OldestFirst, NewestFirst, Random]);
    parameters.derouting = dice.percent(70);
    parameters.bypass = dice.percent(60);
    parameters.cut_through = dice.percent(70);
    parameters.output_reopen_cycles = dice.one_of(&[0, 0, 1, 2]);
    parameters.deroute_among = dice.one_of(&[DerouteAmong::Ready, DerouteAmong::All]);
    parameters.multiqueue_freed_at =
        dice.one_of(&[MultiqueueFreed::Decision, MultiqueueFreed::Tail]);
    parameters.delivery = dice.one_of(&[Delivery::Frame, Delivery::Vanish]);
    parameters.check().unwrap();
    parameters
}

/// The node's neighbours and its source.
struct World<'a> {
    grid: &'a Grid,
    node: NodeId,
    words: u16,
    busy: u32,
    packets: usize,
    /// By port: the packet whose words arrive, with the next of them; and the cycle from which another may come.
    coming: Vec<Option<(PacketRef, u16)>>,
    free_from: Vec<u32>,
    /// By port: when the far input frame becomes free.
    credits: BTreeMap<Port, u32>,
}

/// What arrives in a cycle.
#[derive(Default)]
struct Coming {
    words: Vec<(Port, Word)>,
    heads: Vec<(Port, usize, NodeId)>,
    credits: Vec<Port>,
}

impl<'a> World<'a> {
    fn new(grid: &'a Grid, node: NodeId, words: u16, dice: &mut Dice) -> World<'a> {
        World {
            grid,
            node,
            words,
            busy: dice.one_of(&[3, 30, 100]),
            packets: 0,
            coming: vec![None; grid.ports() + 1],
            free_from: vec![0; grid.ports() + 1],
            credits: BTreeMap::new(),
        }
    }

    fn packet<R: Benched>(
        &mut self,
        port: Port,
        bench: &mut Bench<R>,
        dice: &mut Dice,
    ) -> (PacketRef, NodeId) {
        let is_own = port == self.grid.local();
        let nodes: Vec<NodeId> = (0..self.grid.nodes()).map(NodeId).collect();
        let destination = match !is_own && dice.percent(20) {
            true => self.node,
            false => nodes[(self.node.index() + 1 + dice.below(nodes.len() - 1)) % nodes.len()],
        };
        let packet = bench.packets.insert(Packet {
            id: PacketId {
                source: TerminalId(0),
                serial: self.packets as u32,
            },
            destination: TerminalId(destination.0),
            words: self.words,
            ..Packet::default()
        });
        self.packets += 1;
        (packet, destination)
    }

    fn step<R: Benched>(&mut self, now: u32, bench: &mut Bench<R>, dice: &mut Dice) -> Coming {
        let mut coming = Coming::default();
        let links = self.grid.links(self.node);
        for port in links.iter().chain([self.grid.local()]) {
            let place = port.index();
            if self.coming[place].is_none()
                && self.free_from[place] <= now
                && dice.percent(self.busy)
            {
                let number = self.packets;
                let (packet, destination) = self.packet(port, bench, dice);
                coming.heads.push((port, number, destination));
                self.coming[place] = Some((packet, 0));
                self.free_from[place] = u32::MAX;
            }
            if let Some((packet, index)) = self.coming[place] {
                let word = Word::of(packet, index, self.words);
                coming.words.push((port, word));
                let more = index + 1 < self.words;
                self.coming[place] = more.then_some((packet, index + 1));
            }
        }
        let due = self.credits.extract_if(.., |_, at| *at <= now);
        coming.credits.extend(due.map(|(port, _)| port));
        coming
    }

    /// The node's neighbours receive what it has sent.
    fn take(&mut self, now: u32, did: &crate::bench::Did, dice: &mut Dice) {
        for (port, _) in &did.credits {
            let wait = match *port == self.grid.local() {
                true => 0,
                false => dice.below(3) as u32,
            };
            self.free_from[port.index()] = now + 1 + wait;
        }
        for (port, word) in &did.words {
            if word.flit.is_head() && *port != self.grid.local() {
                let waits = dice.one_of(&[0, 1, 2, 5, 40]);
                let at = now + u32::from(self.words) + 1 + waits;
                self.credits.insert(*port, at);
            }
        }
    }
}

/// The router and its model side by side.
macro_rules! agree {
    ($shape:ty, $grid:expr, $nodes:expr, $frames:expr, $rounds:expr) => {
        for round in 0..$rounds {
            let mut dice = Dice::new(round);
            let grid = $grid.unwrap();
            let parameters = drawn_parameters(grid.ports(), $frames, &mut dice);
            let node = NodeId(dice.one_of(&$nodes));
            let rule = dice.one_of(&[StallRule::BehindOpenOutput, StallRule::BehindWaitingOutput]);
            let router = Chaos::<_, $shape>::new(grid.clone(), parameters.clone(), round);
            let router = router.with_stall_rule(rule);
            run(&grid, node, router, (&parameters, rule, round), &mut dice);
        }
    };
}

fn run<R: Benched>(
    grid: &Grid,
    node: NodeId,
    router: R,
    (parameters, stall_rule, seed): (&ChaosParameters, StallRule, u64),
    dice: &mut Dice,
) {
    let mut world = World::new(grid, node, parameters.packet_words, dice);
    let mut model = model::Node::new(grid, node, (parameters, stall_rule), seed);
    let mut bench = Bench::new(router, node);
    for now in 0..900 {
        world.busy = if now < 400 { world.busy } else { 0 };
        let coming = world.step(now, &mut bench, dice);
        let credits: Vec<(Port, u8)> = coming.credits.iter().map(|port| (*port, 0)).collect();
        let did = bench.step_as_explained(Cycle(now), &coming.words, &credits);
        let expected = model.step(now, &coming.heads, &coming.credits);
        assert_eq!(
            observed(&did, &bench),
            expected,
            "cycle {now}, seed {seed} of {parameters:?}, {stall_rule:?}"
        );
        if now % 8 == 0 {
            let mut waits = bench.waits(Cycle(now));
            waits.retain(|line| !line.contains("output frame"));
            assert_eq!(
                waits,
                model.waits(now),
                "cycle {now}, seed {seed} of {parameters:?}"
            );
        }
        world.take(now, &did, dice);
        // A settled node is owed no credit.
        assert!(!bench.is_settled() || world.credits.is_empty());
    }
    assert!(world.packets > 2);
    assert!(bench.is_idle() && bench.is_settled(), "{parameters:?}");
}

#[test]
fn a_node_of_a_plane_does_what_the_book_says() {
    agree!(Plane<WordFlow>, Grid::mesh(&[3, 3]), [4, 4, 1, 0], 5, 500);
    agree!(Plane<WordFlow>, Grid::torus(&[4, 3]), [4], 5, 300);
    agree!(Plane<WordFlow>, Grid::mesh(&[4]), [1, 0], 3, 100);
}

#[test]
fn a_node_of_any_shape_does_what_the_book_says() {
    agree!(Any<WordFlow>, Grid::mesh(&[3, 3, 3]), [13, 0, 4], 12, 100);
}

/// Packets wait for time alone in a decision, before a stall and before a credit, and no longer than the
/// node's patience.
#[test]
fn an_undisturbed_node_is_still_after_its_patience() {
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let node = NodeId(4);
    for round in 0..300 {
        let mut dice = Dice::new(round);
        let mut parameters = drawn_parameters(4, 5, &mut dice);
        // One long wait in each round, of each kind in turn.
        match round % 5 {
            0 => parameters.stall_threshold_cycles = 60,
            1 => parameters.decision_latency_cycles = 60,
            2 => parameters.packet_words = 60,
            3 => parameters.output_reopen_cycles = 60,
            _ => parameters.input_release_cycles = 100,
        }
        let release = parameters.least_release_cycles();
        parameters.input_release_cycles = parameters.input_release_cycles.max(release);
        let router = Chaos::<_, Plane<WordFlow>>::new(grid.clone(), parameters.clone(), round);
        let mut world = World::new(&grid, node, parameters.packet_words, &mut dice);
        let mut bench = Bench::new(router, node);
        let words = u32::from(parameters.packet_words);
        let cycles = 20 + dice.below(200) as u32;
        for now in 0..cycles + words {
            // Then no more packets, only the words of those that have begun.
            world.busy = if now < cycles { world.busy } else { 0 };
            let coming = world.step(now, &mut bench, &mut dice);
            let credits: Vec<(Port, u8)> = coming.credits.iter().map(|port| (*port, 0)).collect();
            let did = bench.step_if_it_acts(Cycle(now), &coming.words, &credits);
            world.take(now, &did, &mut dice);
        }
        assert!(
            bench.is_still_after_its_patience(cycles + words, 0),
            "{parameters:?}"
        );
    }
}

/// Five packets arrive in cycle 0, each with one productive output: the first decision is for the output at
/// which the pointer starts. That is south, the first of the scan order, or the random initial state of Chinn
/// 1995, section 4.2: a random link. In the scan order delivery follows the links, and no node starts there.
#[test]
fn a_pointer_starts_at_a_link() {
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let [centre, north, east, south, west] = [4, 1, 5, 7, 3].map(NodeId);
    let coming = [(0, south), (1, west), (2, north), (3, centre), (4, east)];
    let first = |initial_pointer, seed| {
        let mut parameters = ChaosParameters::chinn_1995(4);
        parameters.initial_pointer = initial_pointer;
        let router = Chaos::<_, Plane<WordFlow>>::new(grid.clone(), parameters, seed);
        let mut bench = Bench::new(router, centre);
        let word = |(port, destination): (u8, NodeId)| {
            let packet = bench.packets.insert(Packet {
                destination: TerminalId(destination.0),
                words: 10,
                ..Packet::default()
            });
            (Port(port), Word::of(packet, 0, 10))
        };
        let words: Vec<_> = coming.into_iter().map(word).collect();
        let did = bench.step(Cycle::ZERO, &words, &[]);
        let to_output = |(_, event): &(Cycle, Event)| match event {
            Event::Moved {
                to: Place::Output(port),
                ..
            } => Some(port.index()),
            _ => None,
        };
        did.events.iter().find_map(to_output).unwrap()
    };
    let mut starts = [0; 5];
    for seed in 0..4000 {
        assert_eq!(first(InitialPointer::Fixed, seed), 2, "south");
        starts[first(InitialPointer::Random, seed)] += 1;
    }
    // 1000 each are expected; the standard deviation is 27.
    assert_eq!(starts[4], 0, "{starts:?}");
    let links = &starts[..4];
    assert!(links.iter().all(|count: &u32| count.abs_diff(1000) < 140));
}

/// Where it starts at random is drawn before the first cycle: by no number that a cycle has.
#[test]
fn a_pointer_is_drawn_before_the_run() {
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let mut parameters = ChaosParameters::chinn_1995(4);
    parameters.initial_pointer = InitialPointer::Random;
    let order = parameters.scan_order().to_vec();
    for seed in 0..50 {
        let router = Chaos::<_, Plane<WordFlow>>::new(grid.clone(), parameters.clone(), seed);
        for (node, state) in (0..).map(NodeId).zip(router.nodes()) {
            let view = router.look(node, &state, &Packets::new(), Cycle::ZERO);
            let pointer = view.registers.iter().find(|it| it.name == "scan pointer");
            let drawn = draw_below(4, seed, node, Cycle(u32::MAX), 0) as usize;
            assert_eq!(
                pointer.unwrap().value,
                Value::from(order[drawn]),
                "{node} {seed}"
            );
        }
    }
}

/// What a node says of its next step, packet by packet: of two packets to the east the second waits for a credit, and
/// the node sleeps until that comes.
#[test]
fn a_blocked_node_sleeps() {
    let grid = Grid::mesh(&[3, 1]).unwrap();
    let mut parameters = ChaosParameters::chinn_1995(grid.ports());
    parameters.packet_words = 4;
    parameters.input_release_cycles = parameters.least_release_cycles();
    let latency = parameters.decision_latency_cycles;
    let towards = |node| {
        grid.productive(NodeId(1), NodeId(node))
            .iter()
            .next()
            .unwrap()
    };
    let (west, east) = (towards(0), towards(2));
    let router = Chaos::<_, Plane<WordFlow>>::new(grid, parameters, 1);
    let mut bench = Bench::new(router, NodeId(1));
    let mut packet = || {
        bench.packets.insert(Packet {
            destination: TerminalId(2),
            words: 4,
            ..Packet::default()
        })
    };
    let packets = [packet(), packet()];
    for now in 0..200 {
        let word = |packet, index| vec![(west, Word::of(packet, index as u16, 4))];
        let words = match now {
            0..4 => word(packets[0], now),
            50..54 => word(packets[1], now - 50),
            _ => Vec::new(),
        };
        let credits = if now == 100 {
            vec![(east, 0)]
        } else {
            Vec::new()
        };
        let did = bench.step_if_it_acts(Cycle(now), &words, &credits);
        let next = bench.next_step(Cycle(now + 1));
        match now {
            // The decision is made at once, and the head moves in the last cycle of its latency.
            0 => assert_eq!(next, Cycle(latency - 1)),
            // The second packet is in its output frame, and its input frame's credit has left.
            70..100 => assert_eq!(next, Due::NEVER),
            100 => assert_eq!((did.words.len(), next), (1, Due::at(Cycle(101)))),
            110.. => assert_eq!(next, Due::NEVER),
            _ => {}
        }
    }
    assert!(bench.is_idle());
}
