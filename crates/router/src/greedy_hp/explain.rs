//! What a node holds, and what a step decides.

use super::assign::Pick;
use super::{Arrival, GreedyHp, Hands, Node, has_room, rules};
use flitwork_node::{
    Buffer, BufferState, Candidate, Capacity, Cause, Decision, Doing, Draw, Explanation, Inputs,
    Part, Place, Subject, View, What,
};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, PacketId, Packets, Word};

impl<T: Topology> GreedyHp<T> {
    /// All that a node holds at the beginning of a cycle: what came over links has left.
    pub(super) fn view(&self, state: &Node, packets: &Packets) -> View {
        let held = state.injection.iter().map(|own| Part {
            packet: packets[own.packet].id,
            first: 0,
            words: 1,
        });
        let injection = Buffer {
            place: Place::Input(self.topology.local()),
            capacity: Capacity::Packets(1),
            held: held.collect(),
            state: BufferState::Usual,
        };
        View {
            buffers: vec![injection],
            ..View::default()
        }
    }

    /// What a step with these inputs decides. A packet that is delivered as it arrives doesn't move and doesn't stay.
    pub(super) fn explanation(
        &self,
        node: NodeId,
        state: &Node,
        now: Cycle,
        inputs: &Inputs<'_>,
        packets: &Packets,
    ) -> Explanation {
        let local = self.topology.local();
        let (mut hands, mut own) = (Hands::new(), state.injection);
        for (port, Word { packet, .. }) in inputs.arrivals() {
            let arrival = Arrival { port, packet };
            if port == local {
                own = Some(arrival);
            } else if let Some(wants) = self.wants(node, packet, packets) {
                hands.push((arrival, wants));
            }
        }
        let links = self.topology.links(node);
        let mut told = Explanation::default();
        if let Some(own) = own {
            let enters = has_room(&hands, links);
            told.decisions.push(Decision {
                subject: Subject::Injection,
                rule: &rules::ENTER,
                candidates: vec![candidate(own, packets, false)],
                draw: None,
                winner: enters.then_some(0),
            });
            if enters {
                let destination = packets[own.packet].destination;
                hands.push((own, self.topology.productive(node, destination)));
            } else {
                told.packets.push(stays(own, &hands, packets));
            }
        }
        let note = |pick: Pick<'_>| told.decisions.push(decision(pick, packets));
        let assigned = self.assign(hands, links, node, now, note);
        told.packets.extend(assigned.iter().map(|leaves| Doing {
            packet: packets[leaves.arrival.packet].id,
            place: Place::Input(leaves.arrival.port),
            what: What::Moves {
                to: Place::Output(leaves.port),
                deroute: leaves.deroute,
            },
        }));
        let port = |doing: &Doing| match doing.place {
            Place::Input(port) => Some(port),
            _ => None,
        };
        told.packets.sort_by_key(port);
        told
    }
}

/// A packet that could have an outlink. A draw decides among all.
fn candidate(arrival: Arrival, packets: &Packets, deroute: bool) -> Candidate {
    Candidate {
        packet: packets[arrival.packet].id,
        from: Place::Input(arrival.port),
        rank: 0,
        deroute,
    }
}

/// The packet in the injection register finds all links taken; if there is one, by this packet.
fn stays(own: Arrival, hands: &Hands, packets: &Packets) -> Doing {
    let culprit: Option<PacketId> = match hands[..] {
        [(only, _)] => Some(packets[only.packet].id),
        _ => None,
    };
    Doing {
        packet: packets[own.packet].id,
        place: Place::Input(own.port),
        what: What::Stays {
            cause: Cause::OutputTaken,
            culprit,
        },
    }
}

/// Who gets an outlink.
fn decision(pick: Pick<'_>, packets: &Packets) -> Decision {
    match pick {
        Pick::Advances {
            rule,
            port,
            among,
            winner,
            draw,
        } => {
            let candidates = among.iter().filter(|(_, wants)| wants.contains(port));
            let candidates = candidates.map(|(arrival, _)| candidate(*arrival, packets, false));
            Decision {
                subject: Subject::Place(Place::Output(port)),
                rule,
                candidates: candidates.collect(),
                draw,
                winner: Some(winner as usize),
            }
        }
        Pick::LeftOver {
            port,
            arrival,
            free,
            drawn,
        } => Decision {
            subject: Subject::Place(Place::Output(port)),
            rule: &rules::LEFT_OVER,
            candidates: vec![candidate(arrival, packets, true)],
            draw: Some(Draw { below: free, drawn }),
            winner: Some(0),
        },
    }
}
