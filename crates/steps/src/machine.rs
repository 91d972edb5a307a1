//! The machine that repeats steps: it keeps packets and queues, asks the rule, and carries out what the rule says.
//!
//! ```text
//!   for each node that holds packets      choose ──▶ scheduled
//!                                                       │
//!   the meddler                           exchanges destinations, if it likes
//!                                                       │
//!   for each node that is offered any     accept ──▶ moves: at its destination a packet leaves the network
//!                                                       │
//!   for each node that held or holds any  after ──▶ states
//! ```
//!
//! Nothing depends on the order in which nodes are asked: what comes into a node in a step is put in the order of its ports.

use crate::meddler::{Meddler, Meddling, Scheduled, Whereabouts};
use crate::rule::{Choice, Here, Offer, Rule, Seen, Sight};
use crate::store::Store;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port, PortSet};

/// A packet of a problem, by its place in the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketId(pub u32);

impl PacketId {
    /// The number as an index into a table of packets.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A packet that has crossed a link in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    /// Which packet.
    pub packet: PacketId,
    /// From which node.
    pub from: NodeId,
    /// Over the link at which port.
    pub port: Port,
}

/// What is known of a packet besides its whereabouts.
#[derive(Clone, Debug, PartialEq)]
struct Carried<P> {
    productive: PortSet,
    through: Option<Port>,
    state: P,
}

/// A problem being routed.
#[derive(Debug)]
pub struct Machine<'a, T, R: Rule> {
    topology: &'a T,
    rule: &'a R,
    store: Store,
    step: u32,
    packets: Vec<Whereabouts>,
    carried: Vec<Carried<R::Packet>>,
    nodes: Vec<R::Node>,
    /// What each node holds, in the order of its coming.
    held: Vec<Vec<PacketId>>,
    /// The nodes that hold anything, once each.
    busy: Vec<NodeId>,
    /// By node: whether it is listed among those being collected.
    is_listed: Vec<bool>,
    delivered: usize,
    queue_max: usize,
    scheduled: Vec<Scheduled>,
    exchanged: Vec<(PacketId, PacketId)>,
    moves: Vec<Move>,
}

impl<'a, T: Topology, R: Rule> Machine<'a, T, R> {
    /// A problem: from where to where each packet goes. Packets that are where they go are delivered.
    pub fn new(
        topology: &'a T,
        rule: &'a R,
        store: Store,
        problem: &[(NodeId, NodeId)],
    ) -> Machine<'a, T, R> {
        let count = topology.nodes() as usize;
        let mut held = vec![Vec::new(); count];
        let packets: Vec<Whereabouts> = problem
            .iter()
            .map(|(source, destination)| Whereabouts {
                at: *source,
                source: *source,
                destination: *destination,
                arrived: 0,
            })
            .collect();
        let mut productive = Vec::with_capacity(packets.len());
        for (number, packet) in (0..).map(PacketId).zip(&packets) {
            productive.push(topology.productive(packet.source, packet.destination));
            if !packet.is_delivered() {
                held[packet.source.index()].push(number);
            }
        }
        let links_of = |node: &NodeId| {
            let held = held[node.index()].iter();
            held.map(|packet| productive[packet.index()]).collect()
        };
        let all = || (0..topology.nodes()).map(NodeId);
        let nodes: Vec<R::Node> = all()
            .map(|node| {
                let links: Vec<PortSet> = links_of(&node);
                rule.begin(node, &links)
            })
            .collect();
        let carried = packets.iter().zip(&productive).map(|(packet, productive)| {
            let node = &nodes[packet.source.index()];
            Carried {
                productive: *productive,
                through: None,
                state: rule.begin_packet(node, packet.source, *productive),
            }
        });
        Machine {
            carried: carried.collect(),
            topology,
            rule,
            store,
            step: 0,
            nodes,
            busy: all().filter(|it| !held[it.index()].is_empty()).collect(),
            is_listed: vec![false; count],
            delivered: packets.iter().filter(|it| it.is_delivered()).count(),
            queue_max: held.iter().map(Vec::len).max().unwrap_or(0),
            packets,
            held,
            scheduled: Vec::new(),
            exchanged: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// How many steps are done.
    pub fn steps(&self) -> u32 {
        self.step
    }

    /// Whether all packets are where they go.
    pub fn is_done(&self) -> bool {
        self.delivered == self.packets.len()
    }

    /// The packets that aren't where they go.
    pub fn undelivered(&self) -> usize {
        self.packets.len() - self.delivered
    }

    /// The packets' whereabouts, by number.
    pub fn packets(&self) -> &[Whereabouts] {
        &self.packets
    }

    /// What a node holds, in the order of its coming.
    pub fn held(&self, node: NodeId) -> &[PacketId] {
        &self.held[node.index()]
    }

    /// The most packets that any node has held at a step's end.
    pub fn queue_max(&self) -> usize {
        self.queue_max
    }

    /// The moves of the last step, in the order of the nodes to which they led.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The packets whose destinations were exchanged in the last step.
    pub fn exchanged(&self) -> &[(PacketId, PacketId)] {
        &self.exchanged
    }

    /// What two machines must have in common to go on alike: everything that isn't a count of what was.
    pub fn is_like(&self, other: &Machine<'_, T, R>) -> bool {
        self.packets == other.packets
            && self.nodes == other.nodes
            && self.held == other.held
            && self.carried == other.carried
    }

    /// The order in which nodes are asked in the next step; nothing depends on it.
    pub fn busy_mut(&mut self) -> &mut [NodeId] {
        &mut self.busy
    }

    /// Makes a step. Returns whether anything moved.
    pub fn step(&mut self, meddler: &mut impl Meddler) -> bool {
        self.step += 1;
        let mut scheduled = std::mem::take(&mut self.scheduled);
        scheduled.clear();
        self.choose(&mut scheduled);
        self.scheduled = scheduled;
        self.exchanged.clear();
        let mut meddling = Meddling {
            step: self.step,
            scheduled: &self.scheduled,
            packets: &mut self.packets,
            exchanged: &mut self.exchanged,
        };
        meddler.meddle(&mut meddling);
        for (one, other) in &self.exchanged {
            for packet in [one, other] {
                let Whereabouts {
                    at, destination, ..
                } = self.packets[packet.index()];
                self.carried[packet.index()].productive = self.topology.productive(at, destination);
            }
        }
        // Node by node, and of one node by its ports: the order of the nodes that chose leaves no trace.
        self.scheduled
            .sort_unstable_by_key(|it| (it.to, it.through));
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.accept(&mut moves);
        self.moves = moves;
        self.carry_out();
        !self.moves.is_empty()
    }

    fn seen(&self, packet: PacketId) -> Seen<'_, R::Sight, R::Packet> {
        let Whereabouts {
            at,
            source,
            destination,
            arrived,
        } = self.packets[packet.index()];
        let carried = &self.carried[packet.index()];
        Seen {
            source,
            productive: carried.productive,
            arrived,
            through: carried.through,
            state: &carried.state,
            to_go: R::Sight::of(self.topology, at, destination),
        }
    }

    /// Every node that holds packets chooses what it sends.
    fn choose(&self, scheduled: &mut Vec<Scheduled>) {
        let (mut seen, mut choice) = (Vec::new(), Choice::default());
        for node in self.busy.iter().copied() {
            let held = &self.held[node.index()];
            seen.clear();
            seen.extend(held.iter().map(|packet| self.seen(*packet)));
            choice.sent.clear();
            let here = self.here(node, &seen);
            self.rule.choose(&here, &mut choice);
            for (number, (port, place)) in choice.sent.iter().enumerate() {
                let before = &choice.sent[..number];
                let is_free = before.iter().all(|it| it.0 != *port && it.1 != *place);
                let far = self.topology.far(node, *port);
                let Some((to, through)) = far.filter(|_| is_free && *place < held.len()) else {
                    panic!(
                        "{:?} sends {place} of {held:?} at {port:?} of node {node} in step {}: {:?}",
                        self.rule, self.step, choice.sent
                    );
                };
                scheduled.push(Scheduled {
                    packet: held[*place],
                    from: node,
                    port: *port,
                    to,
                    through,
                });
            }
        }
    }

    fn here<'b>(
        &'b self,
        node: NodeId,
        packets: &'b [Seen<'b, R::Sight, R::Packet>],
    ) -> Here<'b, R> {
        Here {
            node,
            links: self.topology.links(node),
            grid: self.topology.grid(),
            step: self.step,
            store: self.store,
            state: &self.nodes[node.index()],
            packets,
        }
    }

    /// How many packets are where those go that come by a port.
    fn together(&self, node: NodeId, through: Port) -> usize {
        let held = self.held[node.index()].iter();
        let is_there = |packet: &&PacketId| {
            let came = self.carried[packet.index()].through;
            self.store.is_shared(came, Some(through))
        };
        held.filter(is_there).count()
    }

    /// How many more packets fit where those go that come by a port.
    fn room(&self, node: NodeId, through: Port) -> usize {
        match self.store.capacity() {
            Some(capacity) => capacity.saturating_sub(self.together(node, through)),
            None => usize::MAX,
        }
    }

    /// Every node that is offered packets says which come.
    fn accept(&self, moves: &mut Vec<Move>) {
        let (mut seen, mut offers, mut accepted) = (Vec::new(), Vec::new(), Vec::new());
        for offered in self.scheduled.chunk_by(|one, other| one.to == other.to) {
            let node = offered[0].to;
            seen.clear();
            seen.extend(self.held[node.index()].iter().map(|it| self.seen(*it)));
            offers.clear();
            offers.extend(offered.iter().map(|it| Offer {
                through: it.through,
                room: self.room(node, it.through),
                packet: self.seen(it.packet),
            }));
            accepted.clear();
            let here = self.here(node, &seen);
            self.rule.accept(&here, &offers, &mut accepted);
            accepted.sort_unstable();
            accepted.dedup();
            moves.extend(accepted.iter().map(|place| {
                let Scheduled {
                    packet, from, port, ..
                } = offered[*place];
                Move { packet, from, port }
            }));
        }
    }

    /// Packets cross links, and states follow.
    fn carry_out(&mut self) {
        let mut busy = std::mem::take(&mut self.busy);
        busy.iter()
            .for_each(|node| self.is_listed[node.index()] = true);
        for Move { packet, from, .. } in &self.moves {
            let held = &mut self.held[from.index()];
            let place = held.iter().position(|it| it == packet);
            held.remove(place.expect("a node sends what it holds"));
        }
        for Move { packet, from, port } in &self.moves {
            let far = self.topology.far(*from, *port);
            let (to, through) = far.expect("a link was chosen");
            let whereabouts = &mut self.packets[packet.index()];
            (whereabouts.at, whereabouts.arrived) = (to, self.step);
            if whereabouts.is_delivered() {
                self.delivered += 1;
                continue;
            }
            let carried = &mut self.carried[packet.index()];
            carried.productive = self.topology.productive(to, whereabouts.destination);
            carried.through = Some(through);
            self.held[to.index()].push(*packet);
            self.queue_max = self.queue_max.max(self.held[to.index()].len());
            self.check_room(to, through);
            if !self.is_listed[to.index()] {
                self.is_listed[to.index()] = true;
                busy.push(to);
            }
        }
        if R::HAS_STATE {
            busy.iter().for_each(|node| self.after(*node));
        }
        busy.iter()
            .for_each(|node| self.is_listed[node.index()] = false);
        busy.retain(|node| !self.held[node.index()].is_empty());
        self.busy = busy;
    }

    /// A rule that accepts more than fits is a bug.
    fn check_room(&self, node: NodeId, through: Port) {
        let Some(capacity) = self.store.capacity() else {
            return;
        };
        let there = self.together(node, through);
        assert!(
            there <= capacity,
            "{:?} accepts more than fits: {there} packets in node {node}, {}, in step {}",
            self.rule,
            self.store,
            self.step
        );
    }

    fn after(&mut self, node: NodeId) {
        let held = &self.held[node.index()];
        let seen: Vec<_> = held.iter().map(|packet| self.seen(*packet)).collect();
        let mut state = self.nodes[node.index()].clone();
        let mut states: Vec<R::Packet> = seen.iter().map(|packet| packet.state.clone()).collect();
        let here = self.here(node, &seen);
        self.rule.after(&here, &mut state, &mut states);
        self.nodes[node.index()] = state;
        for (packet, state) in self.held[node.index()].iter().zip(states) {
            self.carried[packet.index()].state = state;
        }
    }
}
