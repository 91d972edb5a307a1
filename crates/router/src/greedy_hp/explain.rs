//! What a node holds, and what a step tells its witness.

use super::assign::Pick;
use super::{Arrival, Contenders, GreedyHp, Node, rules};
use flitwork_node::{
    Buffer, BufferState, Candidate, Capacity, Cause, Decision, Draw, Part, Place, Subject, View,
    Witness,
};
use flitwork_topology::Topology;
use flitwork_types::Packets;

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
}

/// Whether the packet in the injection register enters; if not, all links are taken, perhaps the only one by one packet.
pub(super) fn entry(
    own: Option<Arrival>,
    enters: bool,
    hands: &Contenders,
    (witness, packets): (&mut Witness, &Packets),
) {
    let Some(own) = own else { return };
    witness.decided(Decision {
        subject: Subject::Injection,
        rule: &rules::ENTER,
        candidates: vec![candidate(own, packets, false)],
        draw: None,
        winner: enters.then_some(0),
    });
    if !enters {
        let culprit = match hands[..] {
            [(only, _)] => Some(packets[only.packet].id),
            _ => None,
        };
        let place = Place::Input(own.port);
        witness.stays(packets[own.packet].id, place, Cause::OutputTaken, culprit);
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

/// Who gets an outlink.
pub(super) fn pick(pick: Pick<'_>, packets: &Packets) -> Decision {
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
