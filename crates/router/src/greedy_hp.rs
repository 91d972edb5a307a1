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
//! All packets that arrive in a cycle leave in that cycle. A packet waits in the injection register until a
//! link is left for it: a node never holds more packets than it has links. Nothing prevents a packet from
//! being deflected forever (livelock), which is merely improbable.

mod assign;
mod explain;
mod keys;
pub(crate) mod rules;

pub use assign::Assignment;
pub use keys::GreedyHpParameters;

use arrayvec::ArrayVec;
use assign::{Assigned, Departures};
use flitwork_node::{
    Datapath, Event, Explanation, Inputs, Outputs, Passes, Place, Probe, Router, Site, Stepped,
    Until, View, Wait, WaitsFor,
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
type Hands = ArrayVec<(Arrival, PortSet), MAX_PORTS>;

/// One node: what its source wants to send. What arrives over links leaves in the same cycle.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The injection register.
    injection: Option<Arrival>,
}

/// Whether there is a link for the packet that waits at the source.
fn has_room(hands: &Hands, links: PortSet) -> bool {
    hands.len() < links.len()
}

impl<T: Topology> GreedyHp<T> {
    /// Builds the greedy router; `seed` keys the nodes' random streams.
    pub fn new(topology: T, seed: u64) -> GreedyHp<T> {
        let ports = topology.ports();
        // North, south, east, west are ports 0, 2, 1, 3 of a plane.
        let plane = [0, 2, 1, 3].into_iter().filter(|_| ports >= 4);
        let rest = if ports >= 4 { 4..ports } else { 0..ports };
        let order = plane.chain(rest).map(|port| Port(port as u8)).collect();
        GreedyHp {
            topology,
            seed,
            assignment: Assignment::default(),
            order,
        }
    }

    /// The same router with another assignment.
    #[must_use]
    pub fn assigning(self, assignment: Assignment) -> GreedyHp<T> {
        GreedyHp { assignment, ..self }
    }

    /// The topology.
    pub fn topology(&self) -> &T {
        &self.topology
    }

    /// One step, with arrivals in the order of their ports: packets at their destinations are delivered, all others
    /// leave, and the waiting one enters if there is room. Returns who leaves where, and whether the waiting one does.
    fn route<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        arrivals: Arrivals,
        site: &mut Site<'_, P>,
    ) -> (Departures, bool) {
        let links = self.topology.links(site.node);
        let mut hands = Hands::new();
        for arrival in arrivals {
            match self.wants(site.node, arrival.packet, site.packets) {
                Some(wants) => hands.push((arrival, wants)),
                None => {
                    let packet = site.packets.remove(arrival.packet);
                    site.probe
                        .event(site.node, now, Event::Delivered { packet });
                }
            }
        }
        assert!(
            hands.len() <= links.len(),
            "node {}: more packets than links",
            site.node
        );
        let room = has_room(&hands, links);
        let injected = state.injection.take_if(|_| room);
        if let Some(own) = injected {
            let destination = site.packets[own.packet].destination;
            hands.push((own, self.topology.productive(site.node, destination)));
        }
        let assigned = self.assign(hands, links, site.node, now, |_| ());
        for departure in &assigned {
            Self::depart(departure, now, site);
        }
        (assigned, injected.is_some())
    }

    /// The outlinks that are productive for a packet that has come over a link; `None` at its destination.
    #[inline]
    fn wants(&self, node: NodeId, packet: PacketRef, packets: &Packets) -> Option<PortSet> {
        let destination = packets[packet].destination;
        (destination != node).then(|| self.topology.productive(node, destination))
    }

    fn depart<P: Probe>(departure: &Assigned, now: Cycle, site: &mut Site<'_, P>) {
        let Assigned {
            arrival,
            port,
            deroute,
        } = *departure;
        let node = site.node;
        site.probe
            .scheduled(site.packets, node, now, arrival.packet, port);
        let record = &mut site.packets[arrival.packet];
        record.hops = record.hops.saturating_add(1);
        record.deroutes = record.deroutes.saturating_add(deroute.into());
        let packet = record.id;
        let (from, to) = (Place::Input(arrival.port), Place::Output(port));
        site.probe.event(
            node,
            now,
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            },
        );
        site.probe.event(node, now, Event::Head { packet, port });
        let tail = Event::Tail {
            packet,
            port,
            words: 1,
        };
        site.probe.event(node, now, tail);
    }

    fn told_injected<P: Probe>(&self, packet: PacketRef, at: Cycle, site: &mut Site<'_, P>) {
        let packet = site.packets[packet];
        site.probe.event(site.node, at, Event::Injected { packet });
    }
}

impl<T: Topology> Router for GreedyHp<T> {
    type Node = Node;

    fn credit_words(&self) -> Option<u32> {
        None
    }

    fn nodes(&self) -> Vec<Node> {
        vec![Node::default(); self.topology.nodes() as usize]
    }

    /// What comes over links always goes on, so that a packet in the injection register waits for time only.
    fn waits(&self, node: NodeId, state: &Node, packets: &Packets, _: Cycle) -> Vec<Wait> {
        let wait = |own: &Arrival| {
            let packet = packets[own.packet];
            let ids = (packet.id, packet.destination);
            let waits_for = WaitsFor::Outputs(self.topology.links(node));
            Wait::new(node, ids, Place::Input(own.port), waits_for).until(Until::Time)
        };
        state.injection.iter().map(wait).collect()
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

impl<T: Topology> Stepped for GreedyHp<T> {
    fn is_idle(&self, state: &Node) -> bool {
        state.injection.is_none()
    }

    fn look(&self, _: NodeId, state: &Node, packets: &Packets, _: Cycle) -> View {
        self.view(state, packets)
    }

    fn explain(
        &self,
        node: NodeId,
        state: &Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        self.explanation(node, state, now, inputs, packets)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let local = self.topology.local();
        let mut arrivals = Arrivals::new();
        for (port, Word { packet, .. }) in inputs.arrivals() {
            let arrival = Arrival { port, packet };
            if port == local {
                self.told_injected(packet, now, site);
                state.injection = Some(arrival);
            } else {
                arrivals.push(arrival);
            }
        }
        if arrivals.is_empty() && state.injection.is_none() {
            return;
        }
        let (departures, injected) = self.route(state, now, arrivals, site);
        for Assigned { arrival, port, .. } in departures {
            let packet = arrival.packet;
            let word = Word::of(packet, 0, 1);
            if site.probe.wants_words() {
                let id = site.packets[packet].id;
                site.probe.word(site.node, now, port, id, word);
            }
            outputs.send(port, word);
        }
        if injected {
            outputs.credit(local, 0);
        }
    }
}
