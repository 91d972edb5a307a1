//! GreedyHP, the greedy hot potato router (Chinn 1995, section 4.3): packets of one word that never wait.
//!
//! ```text
//!   north ──▶ ■ ─┐     each cycle, at random          ┌─▶ north
//!   east  ──▶ ■ ─┤     north, south, east, west  or   ├─▶ east
//!   south ──▶ ■ ─┼──▶  west, east, south, north   ────┼─▶ south
//!   west  ──▶ ■ ─┤     a random productive packet     ├─▶ west
//!   local ──▶ ■ ─┘     each, the rest anywhere        └─▶ delivery, on arrival
//! ```
//!
//! With [`Assignment::Matching`] a node lets as many packets advance as can, instead of asking one outlink after the
//! other: the algorithm that GreedyHP is there to approximate.
//!
//! All packets that arrive in a cycle leave in that cycle. A packet waits in the injection register of its terminal until a
//! link is left for it, and terminals take turns: a node never holds more packets than it has links. One to another terminal
//! of the node is delivered at once, as those are that arrive over links. Nothing prevents a packet from
//! being deflected forever (livelock), which is merely improbable.

pub(crate) mod assign;
pub(crate) mod explain;
mod keys;
mod rules;

pub use assign::Assignment;
pub use keys::GreedyHpParameters;

use crate::registers::{Registers, local_port};
use arrayvec::ArrayVec;
use assign::Assigned;
use flitwork_node::{
    Datapath, Inputs, Outputs, Part, Passes, Place, Probe, Router, Site, Until, View, ViewBuilder,
    Wait, WaitsFor, WordRouter,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, MAX_PORTS, NodeId, PacketRef, Packets, Port, PortSet, Word};

/// The router on a topology.
pub struct GreedyHp<T> {
    topology: T,
    seed: u64,
    assignment: Assignment,
    /// Outlinks in the first of the two orders; the other is its reverse.
    order: Vec<Port>,
}

/// A packet at a port.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    port: Port,
    packet: PacketRef,
}

type Arrivals = ArrayVec<Arrival, MAX_PORTS>;
/// Packets that must leave, and the ports that are productive for each.
type Contenders = ArrayVec<(Arrival, PortSet), MAX_PORTS>;

/// One node: what its source wants to send. What arrives over links leaves in the same cycle.
#[derive(Clone, Debug)]
pub struct Node {
    /// The injection registers.
    injections: Registers<PacketRef>,
}

impl<T: Topology> GreedyHp<T> {
    /// Builds the greedy router; `seed` keys the nodes' random streams.
    pub fn new(topology: T, seed: u64) -> GreedyHp<T> {
        GreedyHp {
            order: assign::link_order(topology.ports()),
            topology,
            seed,
            assignment: Assignment::default(),
        }
    }

    /// The same router with another assignment.
    #[must_use]
    pub fn assigning(self, assignment: Assignment) -> GreedyHp<T> {
        GreedyHp { assignment, ..self }
    }

    /// The node to which a packet goes.
    #[inline]
    fn destination(&self, packet: PacketRef, packets: &Packets) -> NodeId {
        self.topology.home(packets[packet].destination)
    }

    /// One step, with arrivals in the order of their ports: packets at their destinations are delivered, all others
    /// leave, and the waiting one enters if there is room.
    fn route<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        arrivals: Arrivals,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let links = self.topology.links(site.node);
        let mut hands = Contenders::new();
        for arrival in arrivals {
            let destination = self.destination(arrival.packet, site.packets);
            if destination == site.node {
                site.delivered(now, arrival.packet);
            } else {
                hands.push((arrival, self.topology.productive(site.node, destination)));
            }
        }
        assert!(
            hands.len() <= links.len(),
            "node {}: more packets than links",
            site.node
        );
        let over_links = hands.len();
        for local in state.injections.in_turn() {
            let Some(packet) = *state.injections.at(local) else {
                continue;
            };
            let port = local_port(self.topology.ports(), local);
            let (own, room) = (Arrival { port, packet }, hands.len() < links.len());
            let destination = self.destination(packet, site.packets);
            let is_home = destination == site.node;
            if !is_home {
                site.witness(|witness, packets| {
                    explain::entry(own, room, &hands[..over_links], (witness, packets));
                });
            }
            if is_home {
                site.delivered(now, packet);
            } else if room {
                hands.push((own, self.topology.productive(site.node, destination)));
                state.injections.entered(local);
            } else {
                continue;
            }
            *state.injections.at(local) = None;
            outputs.credit(port, 0);
        }
        let assigned = self.assign(hands, links, site.node, now, |pick| {
            site.witness(|witness, packets| witness.decided(explain::pick(pick, packets)));
        });
        for departure in &assigned {
            Self::depart(departure, now, outputs, site);
        }
    }

    #[inline]
    fn depart<P: Probe>(
        departure: &Assigned,
        now: Cycle,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let Assigned {
            arrival: Arrival { port: from, packet },
            port,
            deroute,
        } = *departure;
        let word = Word::of(packet, 0, 1);
        site.hops(now, packet, port, deroute);
        site.moved(
            now,
            packet,
            (Place::Input(from), Place::Output(port)),
            deroute,
        );
        site.departs(now, port, word, 1);
        outputs.send(port, word);
    }
}

impl<T: Topology> Router for GreedyHp<T> {
    type Node = Node;

    fn credit_words(&self) -> Option<u32> {
        None
    }

    fn nodes(&self) -> Vec<Node> {
        let injections = Registers::new(self.topology.locals());
        vec![Node { injections }; self.topology.nodes() as usize]
    }

    /// What comes over links always goes on, so that a packet in the injection register waits for time only.
    fn waits(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        let wait = |(local, packet): (usize, &PacketRef)| {
            let waits_for = WaitsFor::Outputs(self.topology.links(node));
            let place = Place::Input(local_port(self.topology.ports(), local));
            Wait::of(node, &packets[*packet], place, waits_for).until(Until::Time)
        };
        state.injections.iter().map(wait).collect()
    }

    fn heap_bytes(&self, state: &Node) -> usize {
        state.injections.heap_bytes()
    }

    fn packet_words(&self) -> Option<u16> {
        Some(1)
    }

    /// Nothing is buffered; a packet that leaves over a link passes the crossbar, a delivered one doesn't.
    fn datapath(&self) -> Option<Datapath> {
        Some(Datapath {
            linked: Passes::new(0, 0, 1),
            ..Datapath::NONE
        })
    }
}

impl<T: Topology> WordRouter for GreedyHp<T> {
    fn is_idle(&self, state: &Node) -> bool {
        state.injections.are_empty()
    }

    /// What came over links has left.
    fn look(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> View {
        let mut view = ViewBuilder::of_ports(self.topology.ports_of(node));
        for port in self.topology.local_ports().iter() {
            let own = state.injections.get(port.index() - self.topology.ports());
            let own = own.map(|packet| Part::new(packets[*packet].id, 0..1));
            view.frame(Place::Input(port), own, false);
        }
        view.build()
    }

    fn step<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let links = self.topology.ports();
        let mut arrivals = Arrivals::new();
        for (port, Word { packet, .. }) in inputs.arrivals() {
            let arrival = Arrival { port, packet };
            if let Some(local) = port.index().checked_sub(links) {
                site.injected(now, packet);
                *state.injections.at(local) = Some(packet);
            } else {
                arrivals.push(arrival);
            }
        }
        if !arrivals.is_empty() || !state.injections.are_empty() {
            self.route(state, now, arrivals, outputs, site);
        }
    }
}
