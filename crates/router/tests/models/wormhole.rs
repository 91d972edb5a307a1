//! The wormhole router at one node against [`crate::wormhole_model`], under every allocator, with random
//! parameters, routing functions and neighbours.

use crate::arbiters::has_model;
use crate::bench::{Bench, Benched, Did};
use crate::dice::Dice;
use crate::observed::observed;
use crate::wormhole_expected::{OnWire, expected};
use crate::wormhole_model::{self as model, Flit, Worm};
use flitwork_router::allocate::{ALLOCATORS, Allocator};
use flitwork_router::routing::{Chance, Choice, Choices, Declaration, Head, Rank, Routing};
use flitwork_router::wormhole::{
    Any, Narrow, Plane, Reallocation, Switching, Wormhole, WormholeParameters,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{
    Cycle, NodeId, Packet, PacketId, PacketRef, Packets, Port, PortSet, TerminalId, Word,
};
use std::collections::VecDeque;

/// A routing function for tests only: any packet may take any lanes.
#[derive(Clone, Copy)]
pub(crate) struct AnyLanes {
    seed: u64,
    links: PortSet,
    channels: u8,
}

impl AnyLanes {
    /// What a packet may take: for each port some of its channels. One rank may be empty.
    fn ranks(&self, serial: u32) -> [Rank; 2] {
        let mut dice = Dice::new(self.seed ^ u64::from(serial));
        let [mut preferred, mut fallback] = [Rank::new(), Rank::new()];
        let one = dice.below(self.links.len());
        for (place, port) in self.links.iter().enumerate() {
            let mut rank = |rank: &mut Rank, percent| {
                let channels = dice.next() as u32 & ((1 << self.channels) - 1);
                if channels != 0 && dice.percent(percent) {
                    let deroute = false;
                    rank.push(Choice {
                        port,
                        channels,
                        deroute,
                    });
                }
            };
            rank(&mut preferred, 40);
            rank(&mut fallback, 30);
            if place == one && fallback.iter().all(|choice| choice.port != port) {
                // There must be something that it can take.
                fallback.push(Choice {
                    port,
                    channels: 1,
                    deroute: false,
                });
            }
        }
        [preferred, fallback]
    }

    /// The same as numbers of output lanes.
    fn lanes(&self, serial: u32) -> [Vec<usize>; 2] {
        let lanes = |rank: Rank| -> Vec<usize> {
            let channels = usize::from(self.channels);
            let of = |choice: &Choice| {
                let (port, set) = (choice.port.index(), choice.channels);
                let set = (0..channels).filter(move |channel| set >> channel & 1 == 1);
                set.map(move |channel| port * channels + channel)
            };
            rank.iter().flat_map(of).collect()
        };
        self.ranks(serial).map(lanes)
    }
}

impl Routing for AnyLanes {
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        let [preferred, fallback] = self.ranks(head.packet.serial);
        *choices = Choices {
            preferred,
            fallback,
        };
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            channels: self.channels,
            escape: None,
            misroutes: 1,
            coins: &[0],
            visits: false,
            is_table: false,
        }
    }
}

fn drawn_allocator(dice: &mut Dice) -> Allocator {
    let all = ALLOCATORS.iter().map(|entry| entry.allocator);
    let modelled: Vec<Allocator> = all.filter(|it| has_model(*it)).collect();
    match dice.one_of(&modelled) {
        Allocator::Islip(_) => Allocator::Islip(dice.one_of(&[1, 1, 2, 3])),
        other => other,
    }
}

pub(crate) fn drawn_parameters(most_channels: usize, dice: &mut Dice) -> WormholeParameters {
    use Switching::{CutThrough, StoreAndForward, Wormhole};
    let speculative = dice.percent(30);
    let switch_allocation_cycles = dice.one_of(&[0, 1, 1, 1, 2, 3]);
    let vc_allocation_cycles = dice.one_of(&[0, 1, 1, 2, 3]);
    WormholeParameters {
        vcs: 1 + dice.below(most_channels) as u8,
        buffer_words: 1 + dice.below(8) as u16,
        switching: dice.one_of(&[Wormhole, Wormhole, CutThrough, StoreAndForward]),
        reallocation: dice.one_of(&[Reallocation::TailSent, Reallocation::BufferEmpty]),
        route_cycles: dice.one_of(&[0, 1, 1, 2]),
        vc_allocation_cycles: match speculative {
            true => vc_allocation_cycles.min(switch_allocation_cycles),
            false => vc_allocation_cycles,
        },
        switch_allocation_cycles,
        traversal_cycles: dice.one_of(&[0, 1, 1, 2]),
        credit_cycles: dice.one_of(&[0, 1, 2, 3]),
        injection_cycles: dice.one_of(&[0, 1, 2]),
        speculative,
        vc_allocator: drawn_allocator(dice),
        switch_allocator: drawn_allocator(dice),
        ..WormholeParameters::default()
    }
}

/// A worm that is being sent to the node.
#[derive(Clone, Copy)]
struct Sending {
    packet: PacketRef,
    worm: usize,
    next: u16,
    words: u16,
}

/// The surroundings of the node: its neighbours and its source.
pub(crate) struct World<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) node: NodeId,
    pub(crate) parameters: WormholeParameters,
    pub(crate) routing: AnyLanes,
    /// How busy neighbours and source are, in percent.
    busy: u32,
    /// How often the source's next word comes in the next cycle, in percent.
    pub(crate) steady: u32,
    /// The destination of each worm.
    pub(crate) destinations: Vec<NodeId>,
    /// For each input lane, what its sender is sending, and the room that it knows of.
    sending: Vec<Option<Sending>>,
    room: Vec<u16>,
    source: Option<Sending>,
    source_is_free: bool,
    /// Credits on their way to neighbours' lanes, and back from those that received the node's words.
    to_neighbours: Vec<(u32, usize)>,
    to_node: Vec<VecDeque<(u32, u8)>>,
}

/// What arrives in a cycle, for the router and for the model.
#[derive(Default)]
pub(crate) struct Coming {
    pub(crate) words: Vec<(Port, Word)>,
    pub(crate) credits: Vec<(Port, u8)>,
    pub(crate) flits: Vec<(usize, Flit)>,
    pub(crate) source: Option<Flit>,
    pub(crate) lanes: Vec<usize>,
}

impl Sending {
    fn word(&mut self, channel: u8) -> (Word, Flit) {
        let word = Word {
            channel,
            ..Word::of(self.packet, self.next, self.words)
        };
        let flit = Flit {
            worm: self.worm,
            index: self.next,
            is_last: self.next + 1 == self.words,
        };
        self.next += 1;
        (word, flit)
    }
}

impl<'a> World<'a> {
    pub(crate) fn new(
        grid: &'a Grid,
        node: NodeId,
        parameters: &WormholeParameters,
        dice: &mut Dice,
    ) -> World<'a> {
        let lanes = (grid.ports() + 1) * usize::from(parameters.vcs);
        World {
            grid,
            node,
            parameters: parameters.clone(),
            routing: AnyLanes {
                seed: dice.next(),
                links: grid.links(node),
                channels: parameters.vcs,
            },
            busy: dice.one_of(&[5, 30, 70, 100]),
            steady: 80,
            destinations: Vec::new(),
            sending: vec![None; lanes],
            room: vec![parameters.buffer_words; lanes],
            source: None,
            source_is_free: true,
            to_neighbours: Vec::new(),
            to_node: vec![VecDeque::new(); grid.ports()],
        }
    }

    pub(crate) fn lane(&self, port: Port, channel: u8) -> usize {
        port.index() * usize::from(self.parameters.vcs) + usize::from(channel)
    }

    /// A new packet, from the node's source or a neighbour.
    fn packet(
        &mut self,
        is_own: bool,
        packets: &mut Packets,
        model: &mut model::Node,
        dice: &mut Dice,
    ) -> Sending {
        let most = match self.parameters.switching {
            Switching::Wormhole => 6,
            _ => usize::from(self.parameters.buffer_words.min(6)),
        };
        let (worm, words) = (self.destinations.len(), 1 + dice.below(most) as u16);
        let at_destination = !is_own && dice.percent(30);
        let others = (0..self.grid.nodes()).map(NodeId);
        let others: Vec<NodeId> = others.filter(|other| *other != self.node).collect();
        let destination = match at_destination {
            true => self.node,
            false => dice.one_of(&others),
        };
        self.destinations.push(destination);
        let created = dice.below(20) as u32;
        let packet = packets.insert(Packet {
            id: PacketId {
                source: TerminalId(if is_own { self.node.0 } else { others[0].0 }),
                serial: worm as u32,
            },
            destination: TerminalId(destination.0),
            created: Cycle(created),
            words,
            ..Packet::default()
        });
        let [preferred, fallback] = match at_destination {
            true => {
                let local = self.grid.local();
                let lanes = (0..self.parameters.vcs).map(|channel| self.lane(local, channel));
                [lanes.collect(), Vec::new()]
            }
            false => self.routing.lanes(worm as u32),
        };
        let known = Worm {
            words,
            created: created.into(),
            preferred,
            fallback,
        };
        model.worms.insert(worm, known);
        Sending {
            packet,
            worm,
            next: 0,
            words,
        }
    }

    /// What arrives at `now`. With `more`, new packets begin as well.
    pub(crate) fn coming(
        &mut self,
        now: u32,
        more: bool,
        packets: &mut Packets,
        model: &mut model::Node,
        dice: &mut Dice,
    ) -> Coming {
        let mut coming = Coming::default();
        self.to_neighbours.retain(|(at, lane)| {
            self.room[*lane] += u16::from(*at <= now);
            *at > now
        });
        for port in self.grid.links(self.node).iter() {
            let channels = (0..self.parameters.vcs).filter(|channel| {
                let lane = self.lane(port, *channel);
                self.room[lane] > 0 && (more || self.sending[lane].is_some())
            });
            let channels: Vec<u8> = channels.collect();
            if !channels.is_empty() && dice.percent(self.busy) {
                let channel = dice.one_of(&channels);
                let lane = self.lane(port, channel);
                let mut sending = match self.sending[lane] {
                    Some(sending) => sending,
                    None => self.packet(false, packets, model, dice),
                };
                let (word, flit) = sending.word(channel);
                self.room[lane] -= 1;
                self.sending[lane] = Some(sending).filter(|worm| worm.next < worm.words);
                coming.words.push((port, word));
                coming.flits.push((lane, flit));
            }
            let credits = &mut self.to_node[port.index()];
            if let Some((_, channel)) = credits.pop_front_if(|(at, _)| *at <= now) {
                coming.credits.push((port, channel));
                coming.lanes.push(self.lane(port, channel));
            }
        }
        if self.source.is_none() && self.source_is_free && more && dice.percent(self.busy) {
            self.source = Some(self.packet(true, packets, model, dice));
            self.source_is_free = false;
        }
        if let Some(mut sending) = self.source
            && dice.percent(self.steady)
        {
            let (word, flit) = sending.word(0);
            self.source = Some(sending).filter(|worm| worm.next < worm.words);
            coming.words.push((self.grid.local(), word));
            coming.source = Some(flit);
        }
        coming
    }

    /// Whether nothing is under way.
    pub(crate) fn is_quiet(&self) -> bool {
        self.to_neighbours.is_empty()
            && self.to_node.iter().all(VecDeque::is_empty)
            && self.sending.iter().all(Option::is_none)
            && self.source.is_none()
    }

    /// Neighbours receive what the node sent.
    pub(crate) fn take(&mut self, now: u32, did: &Did, dice: &mut Dice) {
        let local = self.grid.local();
        for (port, word) in did.words.iter().filter(|(port, _)| *port != local) {
            let at = now + 2 + dice.one_of(&[0, 1, 2, 12]);
            self.to_node[port.index()].push_back((at, word.channel));
        }
        for (port, channel) in &did.credits {
            if *port == local {
                self.source_is_free = true;
            } else {
                let at = now + 1 + dice.below(4) as u32;
                self.to_neighbours.push((at, self.lane(*port, *channel)));
            }
        }
    }
}

/// Cycles in which packets begin, and then those by which all of them must have left.
pub(crate) const BUSY_CYCLES: u32 = 300;
pub(crate) const CYCLES: u32 = 6000;

/// Runs the router and its model side by side. A step is skipped if the router declares that it would do
/// nothing.
fn run<R: Benched>(router: R, world: &mut World<'_>, dice: &mut Dice) {
    let local = world.grid.local();
    let mut model = model::Node::new(world.parameters.clone(), local.index() + 1);
    let mut bench = Bench::new(router, world.node);
    // Credits and words from the source go on unseen.
    bench.acts_visibly = false;
    // By port: words that have won the switch, and when they have crossed it.
    let mut crossing: Vec<VecDeque<(u32, OnWire)>> = vec![VecDeque::new(); local.index() + 1];
    let shut = dice.one_of(&[0, 0, 10, 60]);
    for now in 0..CYCLES {
        let more = now < BUSY_CYCLES;
        let coming = world.coming(now, more, &mut bench.packets, &mut model, dice);
        let mut takes = PortSet::EMPTY;
        for port in world.grid.links(world.node).iter() {
            if !(more && dice.percent(shut)) {
                takes.insert(port);
            }
        }
        (model.sendable, bench.sendable) = (takes, takes);
        let done = model.step(now, &coming.flits, coming.source, &coming.lanes);
        let (words, credits) = (&coming.words[..], &coming.credits[..]);
        let did = bench.step_if_it_acts(Cycle(now), words, credits);
        for word in done.words(world) {
            let due = now + world.parameters.crossing_cycles();
            crossing[word.0.index()].push_back((due, word));
        }
        // Of the words that have crossed, one leaves each port if its link takes it.
        let mut leave = Vec::new();
        for (port, words) in (0..).map(Port).zip(&mut crossing) {
            let goes = port == local || takes.contains(port);
            let word = words.pop_front_if(|(due, _)| goes && *due <= now);
            leave.extend(word.map(|(_, word)| word));
        }
        let what = || format!("cycle {now}, links {takes:?}, of {:?}", world.parameters);
        let expected = expected(world, now, (&done, &leave), coming.source);
        assert_eq!(observed(&did, &bench), expected, "{}", what());
        if now % 16 == 0 {
            assert_eq!(bench.waits(Cycle(now)), model.waits(), "{}", what());
        }
        world.take(now, &did, dice);
        // A settled node is owed no credit, and it eventually settles.
        assert!(!bench.is_settled() || world.to_node.iter().all(VecDeque::is_empty));
        if !more && model.is_empty() && world.is_quiet() && bench.is_idle() {
            assert!(bench.is_settled(), "{:?}", world.parameters);
            return;
        }
    }
    panic!("worms are left of {:?}", world.parameters);
}

/// Wormhole routers of a shape, on a grid, with random parameters.
macro_rules! agree {
    ($shape:ty, $grid:expr, $nodes:expr, $channels:expr, $rounds:expr) => {
        for round in 0..$rounds {
            let mut dice = Dice::new(round);
            let grid = $grid.unwrap();
            let parameters = drawn_parameters($channels, &mut dice);
            parameters.check(grid.ports() + 1).unwrap();
            let node = NodeId(dice.one_of(&$nodes));
            let mut world = World::new(&grid, node, &parameters, &mut dice);
            let routing = Box::new(world.routing);
            let router = Wormhole::<_, $shape>::new(grid.clone(), parameters, routing);
            run(router, &mut world, &mut dice);
        }
    };
}

#[test]
fn a_narrow_node_does_what_the_book_says() {
    agree!(Narrow, Grid::mesh(&[3, 3]), [4, 4, 1, 0], 3, 400);
}

#[test]
fn a_node_of_a_plane_does_what_the_book_says() {
    agree!(Plane, Grid::torus(&[3, 3]), [4], 4, 300);
}

#[test]
fn a_node_of_any_shape_does_what_the_book_says() {
    agree!(Any, Grid::mesh(&[3, 3, 3]), [13, 0, 4], 5, 100);
    agree!(Any, Grid::mesh(&[3]), [1, 0], 2, 100);
}

/// Words, credits and heads wait for time alone in every register of the pipeline, and no longer than the
/// node's patience.
#[test]
fn an_undisturbed_node_is_still_after_its_patience() {
    let grid = Grid::mesh(&[3, 3]).unwrap();
    for round in 0..300 {
        let mut dice = Dice::new(round);
        let mut parameters = drawn_parameters(3, &mut dice);
        // One long wait in each round, of each kind in turn.
        match round % 6 {
            0 => parameters.route_cycles = 40,
            1 => (parameters.vc_allocation_cycles, parameters.speculative) = (40, false),
            2 => parameters.switch_allocation_cycles = 40,
            3 => parameters.traversal_cycles = 40,
            4 => parameters.credit_cycles = 40,
            _ => parameters.injection_cycles = 40,
        }
        let mut world = World::new(&grid, NodeId(4), &parameters, &mut dice);
        let mut model = model::Node::new(parameters.clone(), 5);
        let routing = Box::new(world.routing);
        let router = Wormhole::<_, Plane>::new(grid.clone(), parameters.clone(), routing);
        let mut bench = Bench::new(router, NodeId(4));
        bench.acts_visibly = false;
        let cycles = 20 + dice.below(150) as u32;
        for now in 0..cycles {
            let coming = world.coming(now, true, &mut bench.packets, &mut model, &mut dice);
            let did = bench.step_if_it_acts(Cycle(now), &coming.words, &coming.credits);
            world.take(now, &did, &mut dice);
        }
        // Once the source knows of room in its lane, the move of its word into the lane can't be observed.
        let unseen = parameters.injection_cycles;
        assert!(
            bench.is_still_after_its_patience(cycles, unseen),
            "{parameters:?}"
        );
    }
}
