//! How a machine begins, and goes on with another rule.

use super::arrivals::Arrivals;
use super::lanes::Lanes;
use super::{Carried, Machine, PacketId};
use crate::meddler::PacketState;
use crate::rule::{Beginning, Rule};
use crate::store::Store;
use crate::unfit::Unfit;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port, PortSet};

/// Why a problem can't be routed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// Queues of no packets.
    #[error("queues of 0 packets; a queue holds 1 or more")]
    NoQueue,
    /// Queues of outgoing links, but a rule that doesn't say for which link a packet waits.
    #[error("{rule} doesn't say for which link a packet waits; queues of outgoing links need it")]
    NoLinks {
        /// The rule.
        rule: String,
    },
    /// A problem that an algorithm can't route.
    #[error("{0}")]
    Unfit(Unfit),
    /// A packet begins or ends in a node that there isn't.
    #[error("packet {packet} of the problem is of node {node}; the last node is {}", .nodes - 1)]
    Node {
        /// The packet's place in the problem.
        packet: usize,
        /// The node.
        node: NodeId,
        /// How many nodes there are.
        nodes: u32,
    },
}

impl<'a, T: Topology, R: Rule> Machine<'a, T, R> {
    /// A problem: from where to where each packet goes. Packets that are where they go are delivered.
    ///
    /// # Errors
    /// A [`MachineError`] for a store that the rule can't use, and for packets that can't be routed.
    pub fn new(
        topology: &'a T,
        rule: &'a R,
        store: Store,
        problem: &[(NodeId, NodeId)],
    ) -> Result<Machine<'a, T, R>, MachineError> {
        let mut machine = Machine::empty(topology, rule, store)?;
        machine.packets.reserve_exact(problem.len());
        for (number, (source, destination)) in problem.iter().enumerate() {
            machine.put(number, *source, *destination)?;
            if source == destination {
                machine.take_out(PacketId(number as u32));
            }
        }
        machine.begin_all();
        Ok(machine)
    }

    /// Without packets.
    pub(super) fn empty(
        topology: &'a T,
        rule: &'a R,
        store: Store,
    ) -> Result<Machine<'a, T, R>, MachineError> {
        if store.capacity() == Some(0) {
            return Err(MachineError::NoQueue);
        }
        if matches!(store, Store::Outgoing(_)) && !R::WAITS_FOR_LINKS {
            let rule = format!("{rule:?}");
            return Err(MachineError::NoLinks { rule });
        }
        let count = topology.nodes() as usize;
        let nodes = (0..topology.nodes()).map(NodeId);
        Ok(Machine {
            topology,
            grid: topology.grid(),
            rule,
            store,
            step: 0,
            began: 0,
            packets: Vec::new(),
            carried: Vec::new(),
            legs: None,
            nodes: Vec::new(),
            links: nodes.map(|node| topology.links(node)).collect(),
            ports: topology.ports(),
            lanes: Lanes::default(),
            flits: 1,
            free_from: Vec::new(),
            held: vec![Vec::new(); count],
            busy: Vec::new(),
            is_busy: vec![false; count],
            resting: Vec::new(),
            delivered: 0,
            queue_max: 0,
            scheduled: Vec::new(),
            arrivals: Arrivals::over(topology.ports() * count),
            exchanged: Vec::new(),
            crossing: Vec::new(),
            moves: Vec::new(),
            notes: Vec::new(),
            moved: 0,
        })
    }

    /// All packets are where they begin.
    pub(super) fn begin_all(&mut self) {
        self.queue_max = self.held.iter().map(Vec::len).max().unwrap_or(0);
        self.begin();
        if self.store.is_by_link() {
            self.begin_in_queues();
        }
    }

    /// Puts a packet where it begins.
    pub(super) fn put(
        &mut self,
        packet: usize,
        at: NodeId,
        to: NodeId,
    ) -> Result<(), MachineError> {
        let nodes = self.topology.nodes();
        if let Some(node) = [at, to].into_iter().find(|it| it.0 >= nodes) {
            return Err(MachineError::Node {
                packet,
                node,
                nodes,
            });
        }
        self.held[at.index()].push(PacketId(packet as u32));
        self.packets.push(PacketState {
            at,
            source: at,
            destination: to,
            arrived: 0,
        });
        Ok(())
    }

    fn beginning(&self, packet: usize) -> Beginning<'a, R::Sight> {
        let whereabouts = &self.packets[packet];
        let known = self.carried.get(packet);
        let (productive, to_go) = match known.filter(|_| !whereabouts.is_delivered()) {
            Some(it) => (it.productive, it.to_go),
            None => self.sight_of(PacketId(packet as u32)),
        };
        Beginning {
            node: whereabouts.at,
            grid: self.grid,
            source: whereabouts.source,
            productive,
            to_go,
        }
    }

    /// The states as the first step begins.
    fn begin(&mut self) {
        self.end_lanes();
        let beginnings = (0..self.packets.len()).map(|packet| self.beginning(packet));
        let beginnings: Vec<_> = beginnings.collect();
        let mut productive: Vec<PortSet> = Vec::new();
        let nodes = (0..self.topology.nodes()).map(NodeId).map(|node| {
            productive.clear();
            let held = self.held[node.index()].iter();
            productive.extend(held.map(|it| beginnings[it.index()].productive));
            self.rule.begin(node, &productive)
        });
        let nodes = nodes.collect::<Vec<_>>();
        let carried = beginnings.iter().enumerate().map(|(packet, beginning)| {
            let before = self.carried.get(packet);
            let node = &nodes[beginning.node.index()];
            let state = match before {
                Some(it) => self.rule.resume_packet(node, beginning, &it.state),
                None => self.rule.begin_packet(node, beginning),
            };
            Carried {
                productive: beginning.productive,
                through: before.and_then(|it| it.through),
                queue: before.and_then(|it| it.queue),
                to_go: beginning.to_go,
                state,
            }
        });
        self.carried = carried.collect();
        self.nodes = nodes;
        self.begin_lanes();
        let all = (0..self.topology.nodes()).map(NodeId);
        self.busy = all.filter(|node| self.is_asked(*node)).collect();
        self.is_busy.fill(false);
        let busy = self.busy.iter();
        busy.for_each(|node| self.is_busy[node.index()] = true);
    }

    /// Whether a node may have something to send in the next step.
    #[inline]
    pub(super) fn is_asked(&self, node: NodeId) -> bool {
        match self.has_lanes() {
            true => self.waiting_in(node) > 0,
            false => R::HAS_NOTES || !self.held[node.index()].is_empty(),
        }
    }

    /// Packets begin in the queues in which the rule puts them, as far as they fit.
    fn begin_in_queues(&mut self) {
        let capacity = self.store.capacity().unwrap_or(usize::MAX);
        for packet in 0..self.packets.len() {
            let queue = self.rule.begins_in(self.store, &self.beginning(packet));
            let at = self.packets[packet].at;
            let fits = |queue: &Port| self.lie_in(at, *queue) < capacity;
            self.carried[packet].queue = queue.filter(fits);
        }
    }

    /// Goes on with another rule: packets stay where they are, in the queues in which they are. States of nodes begin anew,
    /// and those of packets as [`Rule::resume_packet`] says.
    pub fn go_on(&mut self, rule: &'a R) {
        self.rule = rule;
        self.began = self.step;
        self.begin();
    }
}
