//! The Chaos router's other interface: time stamps, announced ahead, against the same model.

use crate::chaos::drawn_parameters;
use crate::chaos_model as model;
use crate::dice::Dice;
use crate::observed::events;
use flitwork_node::{Event, Probe, Signal, Site, TimestampRouter};
use flitwork_router::chaos::{Any, Chaos, ChaosParameters, Plane, StallRule, TimestampFlow};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, Due, NodeId, Packet, PacketId, Packets, Port, TerminalId};
use std::collections::BTreeMap;

const CYCLES: u32 = 400;

#[derive(Default)]
struct Notes(Vec<(Cycle, Event)>);

impl Probe for Notes {
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        self.0.push((cycle, event));
    }
}

/// The node, its neighbours and its source. The node is informed at once of everything that is known to
/// arrive.
struct World<'a, R: TimestampRouter> {
    grid: &'a Grid,
    node: NodeId,
    words: u16,
    router: R,
    state: R::Node,
    packets: Packets,
    notes: Notes,
    signals: Vec<(NodeId, Signal)>,
    serials: u32,
    /// The longest time that senders wait before they send again.
    pause: usize,
    /// The next cycle in which the node must be called.
    due: Due,
    /// What arrives when: heads and credits, by cycle.
    heads: BTreeMap<u32, Vec<(Port, usize, NodeId)>>,
    credits: BTreeMap<u32, Vec<Port>>,
}

impl<R: TimestampRouter> World<'_, R> {
    /// A packet begins at a port, some time after the input frame becomes free.
    fn begin(&mut self, port: Port, free_from: u32, dice: &mut Dice) {
        let at = free_from + dice.below(self.pause) as u32;
        let nodes = self.grid.nodes() as usize;
        let is_own = port == self.grid.local();
        let other = (self.node.index() + 1 + dice.below(nodes - 1)) % nodes;
        let destination = match !is_own && dice.percent(20) {
            true => self.node,
            false => NodeId(other as u32),
        };
        let number = self.serials;
        self.serials += 1;
        let packet = self.packets.insert(Packet {
            id: PacketId {
                source: TerminalId(0),
                serial: number,
            },
            destination: TerminalId(destination.0),
            words: self.words,
            ..Packet::default()
        });
        let head = (port, number as usize, destination);
        self.heads.entry(at).or_default().push(head);
        let mut site = Site::new(self.node, &mut self.packets, &mut self.notes);
        let (state, signals) = (&mut self.state, &mut self.signals);
        let next = self
            .router
            .head(state, port, packet, Cycle(at), &mut site, signals);
        self.due = self.due.min(next);
    }

    /// Neighbours and source respond to what the node has announced.
    fn answer(&mut self, dice: &mut Dice) {
        while let Some((_, signal)) = self.signals.pop() {
            match signal {
                Signal::Credit { port, leaves } => self.begin(port, leaves.get() + 1, dice),
                Signal::Ready { .. } => panic!("links are full duplex"),
                Signal::Send { port, head, .. } => {
                    let waits = dice.one_of(&[0, 1, 2, 5, 40]);
                    let from = head + u32::from(self.words) + 1 + waits;
                    self.credits.entry(from.get()).or_default().push(port);
                    let mut site = Site::new(self.node, &mut self.packets, &mut self.notes);
                    let (state, signals) = (&mut self.state, &mut self.signals);
                    let next = self.router.credit(state, port, from, &mut site, signals);
                    self.due = self.due.min(next);
                }
            }
        }
    }

    /// The node is called in the cycles that it named, and in no others.
    fn wake(&mut self, now: Cycle) {
        if self.due > now {
            return;
        }
        assert!(self.due == now, "the node named a cycle that is over");
        let mut site = Site::new(self.node, &mut self.packets, &mut self.notes);
        let (state, signals) = (&mut self.state, &mut self.signals);
        self.due = self.router.wake(state, now, &mut site, signals);
        assert!(self.due > now);
    }
}

/// Lines about cycles before the last ones, which the two may not both have reported.
fn settled(lines: Vec<String>) -> Vec<String> {
    let about = |line: &String| {
        let (cycle, _) = line.split_once(": ")?;
        cycle.parse().ok().filter(|cycle: &u32| *cycle < CYCLES)
    };
    let mut lines: Vec<(u32, String)> = lines
        .into_iter()
        .filter_map(|line| Some((about(&line)?, line)))
        .collect();
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}

fn run<R: TimestampRouter>(
    grid: &Grid,
    node: NodeId,
    router: R,
    (parameters, stall_rule, seed): (&ChaosParameters, StallRule, u64),
    dice: &mut Dice,
) {
    let mut model = model::Node::new(grid, node, (parameters, stall_rule), seed);
    let mut world = World {
        grid,
        node,
        words: parameters.packet_words,
        state: router.nodes().swap_remove(node.index()),
        router,
        packets: Packets::new(),
        notes: Notes::default(),
        signals: Vec::new(),
        serials: 0,
        pause: dice.one_of(&[1, 4, 60]),
        due: Due::NEVER,
        heads: BTreeMap::new(),
        credits: BTreeMap::new(),
    };
    for port in grid.links(node).iter().chain([grid.local()]) {
        world.begin(port, 0, dice);
    }
    let mut expected = Vec::new();
    for now in 0..CYCLES + 60 {
        world.wake(Cycle(now));
        world.answer(dice);
        let heads = world.heads.remove(&now).unwrap_or_default();
        let credits = world.credits.remove(&now).unwrap_or_default();
        expected.extend(model.step(now, &heads, &credits));
    }
    let (found, expected) = (settled(events(&world.notes.0)), settled(expected));
    let differ = found
        .iter()
        .zip(&expected)
        .find(|(one, other)| one != other);
    assert_eq!(
        differ, None,
        "found and expected, seed {seed} of {parameters:?}, {stall_rule:?}"
    );
    assert_eq!(found.len(), expected.len());
}

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

#[test]
fn a_node_that_is_informed_ahead_does_what_the_book_says() {
    agree!(
        Plane<TimestampFlow>,
        Grid::mesh(&[3, 3]),
        [4, 4, 1, 0],
        5,
        500
    );
    agree!(Plane<TimestampFlow>, Grid::torus(&[4, 3]), [4], 5, 200);
    agree!(
        Any<TimestampFlow>,
        Grid::mesh(&[3, 3, 3]),
        [13, 0, 4],
        12,
        100
    );
}
