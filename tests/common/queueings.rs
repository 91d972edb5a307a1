//! Random routers with a queue at each incoming link, and a checker of what they report.

use super::checker::{Rules, in_order};
use super::recorder::Recorder;
use flitwork_node::{Event, Place};
use flitwork_router::queueing::{Order, QueueingParameters};
use flitwork_schema::{Datum, Field, Value};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Port};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// The order of a name.
pub(crate) fn order(name: &str) -> Order {
    let mut order = Order::Fifo;
    order.set(&Value::from(Datum::text(name)));
    order
}

/// Any parameters; `allow_deadlock` lets them run where they may deadlock.
pub(crate) fn queueings(allow_deadlock: bool) -> BoxedStrategy<QueueingParameters> {
    let frames = prop_oneof![3 => Just(1u16), 3 => 2u16..5, 1 => Just(20u16)];
    let home_frames = prop_oneof![1 => Just(1u16), 3 => Just(2u16), 1 => 3u16..6];
    let order = prop::sample::select(Order::NAMES).prop_map(order);
    (frames, home_frames, order)
        .prop_map(move |(frames, home_frames, order)| QueueingParameters {
            frames,
            frame_words: 12,
            home_frames,
            order,
            allow_deadlock,
        })
        .boxed()
}

/// Whether packets in the queues of a grid can't wait for each other in a circle: no ring has four nodes.
pub(crate) fn is_free_of_deadlock(grid: &Grid) -> bool {
    !grid.wraps() || grid.sides().iter().all(|side| *side < 4)
}

/// What is known of a packet under way.
#[derive(Clone, Copy, Debug)]
struct Way {
    packet: Packet,
    /// The node that its head is in or goes to, and the queue there.
    at: NodeId,
    input: (Port, u8),
    /// The last dimension that it went in.
    dimension: usize,
    hops: u16,
    is_delivered: bool,
}

/// A queue: a node's, of a port and a channel.
type Queue = (NodeId, Port, u8);

/// Follows the packets of a run.
struct Checker<'a> {
    grid: &'a Grid,
    link_cycles: u32,
    ways: HashMap<PacketId, Way>,
    /// By queue and cycle: what is sent there, and what has left so that its sender knows.
    taken: HashMap<Queue, BTreeMap<Cycle, i64>>,
    /// Which packet each link carries.
    holders: HashMap<(NodeId, Port), PacketId>,
}

/// Panics at the first violation: packets go their shortest way, dimension by dimension, each link carries one packet after
/// another, no queue is promised more than it takes, and what was in the network was delivered once.
pub(crate) fn check_queues(
    grid: &Grid,
    rules: Rules,
    parameters: &QueueingParameters,
    recorder: &Recorder,
) {
    let mut checker = Checker {
        grid,
        link_cycles: rules.link_latency_cycles,
        ways: HashMap::new(),
        taken: HashMap::new(),
        holders: HashMap::new(),
    };
    for (_, cycle, node, event) in in_order(grid, rules, recorder) {
        checker.event(cycle, node, event);
    }
    let ways = &checker.ways;
    let all = ways.values().all(|way| way.is_delivered);
    assert!(!rules.complete || all, "{ways:?}");
    if !rules.many_clocks {
        checker.check_room(parameters);
    }
}

impl Checker<'_> {
    fn event(&mut self, cycle: Cycle, node: NodeId, event: Event) {
        match event {
            Event::Injected { packet } => {
                let way = Way {
                    packet,
                    at: node,
                    input: (self.grid.local(), 0),
                    dimension: 0,
                    hops: 0,
                    is_delivered: false,
                };
                let before = self.ways.insert(packet.id, way);
                assert!(before.is_none(), "{packet:?} twice");
            }
            Event::Moved {
                packet, from, to, ..
            } => self.moved((cycle, node), packet, (from, to)),
            Event::Tail {
                packet,
                port,
                words,
            } => self.left((cycle, node), packet, (port, words)),
            Event::Lost { packet, .. } => panic!("{packet:?} is lost, and no link has failed"),
            Event::Delivered { packet } => {
                let way = self.ways.get_mut(&packet.id).expect("one that entered");
                assert!(!way.is_delivered, "{packet:?} twice");
                way.is_delivered = true;
                assert_eq!((way.at, way.hops), (node, packet.hops));
                let home = |terminal| self.grid.home(terminal);
                let distance = self
                    .grid
                    .distance(home(packet.id.source), home(packet.destination));
                assert_eq!(u32::from(packet.hops), distance, "{packet:?}");
            }
            Event::Head { .. } => {}
            Event::Freed { .. } => panic!("{event:?}"),
        }
    }

    fn moved(&mut self, (cycle, node): (Cycle, NodeId), id: PacketId, (from, to): (Place, Place)) {
        let grid = self.grid;
        let way = self.ways.get_mut(&id).expect("one that entered");
        let (port, channel) = way.input;
        assert_eq!((way.at, from), (node, Place::InputChannel(port, channel)));
        let destination = grid.home(way.packet.destination);
        if to == Place::Output(grid.local()) {
            assert_eq!(destination, node);
            self.leaves(cycle, (node, port, channel));
            return;
        }
        let Place::OutputChannel(port, channel) = to else {
            panic!("{id:?} goes to {to:?}");
        };
        let productive = grid.productive(node, destination);
        assert!(productive.contains(port), "{id:?} at {node}: {port:?}");
        let dimension = grid.dimension(port);
        assert!(dimension >= way.dimension, "{id:?} turns back");
        let (far, through) = grid.far(node, port).expect("a link");
        assert_eq!(channel == 1, far == destination, "{id:?}");
        (way.dimension, way.hops) = (dimension, way.hops + 1);
        assert!(self.holders.insert((node, port), id).is_none());
        let there = self.taken.entry((far, through, channel)).or_default();
        *there.entry(cycle).or_default() += 1;
    }

    /// A packet's last word has left a node.
    fn left(&mut self, (cycle, node): (Cycle, NodeId), id: PacketId, (port, words): (Port, u16)) {
        let (far, through) = self.grid.far(node, port).expect("a link");
        let way = self.ways.get_mut(&id).expect("one that entered");
        assert_eq!(words, way.packet.words);
        assert_eq!(self.holders.remove(&(node, port)), Some(id));
        let (input, channel) = way.input;
        let home = u8::from(far == self.grid.home(way.packet.destination));
        (way.at, way.input) = (far, (through, home));
        self.leaves(cycle, (node, input, channel));
    }

    /// A packet leaves a queue: its sender knows a link later.
    fn leaves(&mut self, cycle: Cycle, queue: Queue) {
        let known = cycle + self.link_cycles;
        *self
            .taken
            .entry(queue)
            .or_default()
            .entry(known)
            .or_default() -= 1;
    }

    /// No queue of a link is promised more than it takes.
    fn check_room(&self, parameters: &QueueingParameters) {
        let local = self.grid.local();
        for ((node, port, channel), changes) in &self.taken {
            let most = match channel {
                0 => parameters.frames,
                _ => parameters.home_frames,
            };
            let mut held = 0;
            for (cycle, change) in changes.iter().filter(|_| *port != local) {
                held += change;
                let what = (node, port, channel, cycle);
                assert!((0..=i64::from(most)).contains(&held), "{what:?}: {held}");
            }
        }
    }
}
