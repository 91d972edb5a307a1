//! What a step tells its witness.

use super::assign::{Contender, Hand, Pick};
use super::{Arrival, rules};
use flitwork_node::{Candidate, Cause, Decision, Draw, Place, Subject, Witness};
use flitwork_types::Packets;

/// Whether the packet in the injection register enters; if not, all links are taken, perhaps the only one by one packet.
pub(super) fn entry(
    own: Arrival,
    enters: bool,
    hands: &[Hand],
    (witness, packets): (&mut Witness, &Packets),
) {
    let (packet, place) = (packets[own.packet].id, Place::Input(own.port));
    let (subject, rule) = (Subject::Injection, &rules::ENTER);
    witness.decided(Decision::of_one(subject, rule, (packet, place), enters));
    if !enters {
        let culprit = match hands {
            [(only, _)] => Some(packets[only.packet].id),
            _ => None,
        };
        witness.stays(packet, place, Cause::OutputTaken, culprit);
    }
}

/// Who gets an outlink. A draw decides among all that could have it.
pub(crate) fn pick<H: Contender>(pick: Pick<'_, H>, packets: &Packets) -> Decision {
    let candidate = |hand: &H, deroute| {
        let (packet, from) = hand.placed(packets);
        Candidate {
            packet,
            from,
            rank: 0,
            deroute,
        }
    };
    match pick {
        Pick::Advances {
            rule,
            port,
            among,
            winner,
            draw,
        } => {
            let candidates = among.iter().filter(|hand| hand.wants(port));
            Decision {
                subject: Subject::Place(Place::Output(port)),
                rule,
                candidates: candidates.map(|hand| candidate(hand, false)).collect(),
                draw,
                winner: Some(winner as usize),
            }
        }
        Pick::LeftOver {
            port,
            hand,
            free,
            drawn,
        } => Decision {
            subject: Subject::Place(Place::Output(port)),
            rule: &rules::LEFT_OVER,
            candidates: vec![candidate(&hand, true)],
            draw: Some(Draw { below: free, drawn }),
            winner: Some(0),
        },
    }
}
