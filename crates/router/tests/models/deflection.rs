//! The deflection router at one node against [`crate::deflection_model`], for every priority.

use crate::bench::{Bench, Benched, Did};
use crate::deflection_model::{self as model, Flit};
use crate::dice::Dice;
use crate::observed::observed;
use flitwork_node::Place;
use flitwork_router::deflection::{
    Deflection, DeflectionParameters, Golden, PRIORITIES, PortChoice, Priority, Switching,
};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_topology::{Grid, Topology};
use flitwork_types::{
    Cycle, Flit as Shape, NodeId, Packet, PacketId, Packets, Port, TerminalId, Word,
};

fn drawn_parameters(dice: &mut Dice) -> DeflectionParameters {
    let priority = match dice.one_of(PRIORITIES).priority {
        Priority::Golden(_) => Priority::Golden(Golden {
            epoch_cycles: 1 + dice.below(12) as u32,
            transactions: 1 + dice.below(3) as u32,
        }),
        known @ (Priority::Greedy | Priority::OldestFirst | Priority::Random) => known,
        // One that is new has no model yet.
        _ => Priority::OldestFirst,
    };
    let worms = dice.percent(40) && priority != Priority::Greedy;
    let parameters = DeflectionParameters {
        switching: if worms {
            Switching::Worm
        } else {
            Switching::Flit
        },
        priority,
        port_choice: dice.one_of(&[PortChoice::Ordered, PortChoice::Random]),
        eject_words: 1 + dice.below(3) as u8,
        side_buffer_flits: if worms { 0 } else { dice.one_of(&[0, 1, 2, 4]) },
        redirection_cycles: dice.one_of(&[0, 1, 2, 5]),
    };
    parameters.check().unwrap();
    parameters
}

/// The node's neighbours and its source.
struct World<'a> {
    grid: &'a Grid,
    node: NodeId,
    /// The most words of a packet.
    words: usize,
    busy: u32,
    /// How often words of one packet follow each other directly, in percent; they arrive as worms.
    follow: u32,
    serials: u32,
    /// By port: the words of the packet that arrive next.
    coming: Vec<Vec<Flit>>,
    source: Vec<Flit>,
    source_is_free: bool,
    /// Words that neighbours will send back.
    back: Vec<Flit>,
}

impl World<'_> {
    /// The words of a new packet, last first.
    fn packet(&mut self, is_own: bool, now: u32, dice: &mut Dice) -> Vec<Flit> {
        let nodes = self.grid.nodes();
        let at_destination = !is_own && dice.percent(40);
        let other = (self.node.0 + 1 + dice.below(nodes as usize - 1) as u32) % nodes;
        let words = 1 + dice.below(self.words) as u16;
        self.serials += 1;
        let packet = Packet {
            id: PacketId {
                source: match is_own {
                    true => TerminalId(self.node.0),
                    false => TerminalId(dice.below(nodes as usize) as u32),
                },
                serial: self.serials,
            },
            destination: if at_destination {
                TerminalId(self.node.0)
            } else {
                TerminalId(other)
            },
            created: Cycle(now.saturating_sub(dice.below(10) as u32)),
            words,
            ..Packet::default()
        };
        let word = |index| Flit {
            packet: Packet {
                hops: if is_own { 0 } else { dice.below(9) as u16 },
                deroutes: if is_own { 0 } else { dice.below(4) as u16 },
                ..packet
            },
            index,
        };
        (0..words).rev().map(word).collect()
    }

    /// What arrives over a link. The packet's other words arrive at other times, in any order.
    fn over_link(&mut self, port: Port, now: u32, dice: &mut Dice) -> Option<Flit> {
        if !dice.percent(self.busy) {
            return None;
        }
        let place = port.index();
        if !self.back.is_empty() && dice.percent(30) {
            let one = dice.below(self.back.len());
            return Some(self.back.swap_remove(one));
        }
        if self.coming[place].is_empty() {
            self.coming[place] = self.packet(false, now, dice);
        } else if !dice.percent(self.follow) {
            // The packet's other words come another time, in any order.
            let rest = std::mem::take(&mut self.coming[place]);
            self.back.extend(rest);
            return None;
        }
        self.coming[place].pop()
    }

    fn source_word(&mut self, now: u32, dice: &mut Dice) -> Option<Flit> {
        if self.source_is_free && dice.percent(self.busy) {
            self.source = self.packet(true, now, dice);
            self.source_is_free = false;
        }
        dice.percent(85).then(|| self.source.pop()).flatten()
    }

    /// Words that have left for another node may return.
    fn take(&mut self, did: &Did, packets: &Packets, dice: &mut Dice) {
        self.source_is_free |= !did.credits.is_empty();
        for (_, word) in &did.words {
            let packet = packets[word.packet];
            let index = word.index;
            if packet.destination.0 == self.node.0 || dice.percent(20) {
                self.back.push(Flit { packet, index });
            }
        }
    }
}

impl<'a> World<'a> {
    fn new(grid: &'a Grid, node: NodeId, words: usize, dice: &mut Dice) -> World<'a> {
        World {
            grid,
            node,
            words,
            busy: dice.one_of(&[20, 60, 90, 100]),
            follow: dice.one_of(&[50, 95]),
            serials: 0,
            coming: vec![Vec::new(); grid.ports()],
            source: Vec::new(),
            source_is_free: true,
            back: Vec::new(),
        }
    }
}

/// Runs the router and its model side by side; `is_reported` selects the model's lines that the router reports.
fn run<R: Benched>(
    what: &str,
    (mut world, dice): (World<'_>, &mut Dice),
    router: R,
    mut model: model::Node,
    is_reported: impl Fn(&String) -> bool,
) {
    let mut bench = Bench::new(router, world.node);
    let mut source_packet = None;
    for now in 0..300 {
        let mut words = Vec::new();
        let mut over_links = Vec::new();
        for port in world.grid.links(world.node).iter() {
            if let Some(flit) = world.over_link(port, now, dice) {
                let packet = bench.packets.insert(flit.packet);
                let word = Word {
                    packet,
                    index: flit.index,
                    channel: 0,
                    flit: Shape::Only,
                };
                words.push((port, word));
                over_links.push((port, flit));
            }
        }
        let source = world.source_word(now, dice);
        if let Some(flit) = source {
            if flit.index == 0 {
                source_packet = Some(bench.packets.insert(flit.packet));
            }
            let packet = source_packet.expect("a packet begins with its first word");
            let word = Word::of(packet, flit.index, flit.packet.words);
            words.push((world.grid.local(), word));
        }
        let did = bench.step_as_explained(Cycle(now), &words, &[]);
        let mut expected = model.step(now, &over_links, source);
        expected.retain(&is_reported);
        assert_eq!(observed(&did, &bench), expected, "cycle {now} of {what}");
        assert_eq!(
            bench.waits(Cycle(now + 1)),
            model.waits(),
            "cycle {now} of {what}"
        );
        assert_eq!(bench.is_idle(), model.waits().is_empty());
        world.take(&did, &bench.packets, dice);
    }
}

#[test]
fn a_node_does_what_the_book_says() {
    let grids = [
        (Grid::mesh(&[3, 3]), &[4, 4, 4, 1, 0][..], 500),
        (Grid::torus(&[3, 4]), &[4], 200),
        (Grid::mesh(&[3]), &[1, 0], 100),
        (Grid::mesh(&[3, 3, 3]), &[13, 4], 60),
    ];
    for (grid, nodes, rounds) in grids {
        let grid = grid.unwrap();
        for round in 0..rounds {
            let mut dice = Dice::new(round);
            let node = NodeId(dice.one_of(nodes));
            let parameters = drawn_parameters(&mut dice);
            let what = format!("round {round}, node {node} of {grid:?}: {parameters:?}");
            let router = Deflection::new(grid.clone(), parameters.clone(), round);
            let model = model::Node::new(&grid, node, &parameters, round);
            let world = World::new(&grid, node, 5, &mut dice);
            run(&what, (world, &mut dice), router, model, |_| true);
        }
    }
}

/// GreedyHP is the greedy priority with one-word packets and without a limit on ejections (Chinn 1995,
/// section 4.3), and doesn't report a move to the processor.
#[test]
fn a_greedy_node_does_what_the_book_says() {
    let parameters = DeflectionParameters {
        priority: Priority::Greedy,
        eject_words: 32,
        ..DeflectionParameters::flit_bless()
    };
    for (grid, node) in [
        (Grid::mesh(&[3, 3]), 4),
        (Grid::mesh(&[3, 3]), 1),
        (Grid::torus(&[3, 4]), 4),
        (Grid::mesh(&[3]), 1),
        (Grid::mesh(&[3, 3, 3]), 13),
    ] {
        let (grid, node) = (grid.unwrap(), NodeId(node));
        let home = Place::Output(grid.local());
        for seed in 0..60 {
            let mut dice = Dice::new(seed);
            let what = format!("seed {seed}, node {node} of {grid:?}");
            let world = World::new(&grid, node, 1, &mut dice);
            let model = model::Node::new(&grid, node, &parameters, seed);
            let router = GreedyHp::new(grid.clone(), seed);
            let goes_home = format!("to {home}, ");
            run(&what, (world, &mut dice), router, model, |line| {
                !line.contains(&goes_home)
            });
        }
    }
}
