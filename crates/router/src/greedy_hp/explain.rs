//! What a node holds, and what a step tells its witness.

use super::assign::Pick;
use super::{Arrival, Contenders, GreedyHp, Node, rules};
use flitwork_node::{
    Candidate, Cause, Decision, Draw, Part, Place, Subject, View, ViewBuilder, Witness,
};
use flitwork_topology::Topology;
use flitwork_types::Packets;

impl<T: Topology> GreedyHp<T> {
    /// All that a node holds at the beginning of a cycle: what came over links has left.
    pub(super) fn view(&self, state: &Node, packets: &Packets) -> View {
        let mut view = ViewBuilder::new();
        let own = state.injection.iter();
        let own = own.map(|own| Part::new(packets[own.packet].id, 0..1));
        view.frame(Place::Input(self.topology.local()), own, false);
        view.build()
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
    let (packet, place) = (packets[own.packet].id, Place::Input(own.port));
    let (subject, rule) = (Subject::Injection, &rules::ENTER);
    witness.decided(Decision::of_one(subject, rule, (packet, place), enters));
    if !enters {
        let culprit = match hands[..] {
            [(only, _)] => Some(packets[only.packet].id),
            _ => None,
        };
        witness.stays(packet, place, Cause::OutputTaken, culprit);
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
