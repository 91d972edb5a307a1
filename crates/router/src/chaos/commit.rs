//! Carrying out a decision.

use super::{Chaos, Choice, Decision, Flow, Mask, Node};
use flitwork_node::{Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Port};

/// A packet that a decision has set in motion, for the flow to move its words.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moving {
    /// Into an output frame.
    ToOutput {
        packet: PacketRef,
        from: Place,
        output: Port,
    },
    /// From an input frame into the multiqueue, where it is now the youngest packet.
    ToQueue { packet: PacketRef, from: Port },
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Chaos<T, Node<M, P, Q, F>> {
    /// Carries out a decision except for the words, which the flow moves.
    ///
    /// After a packet has gone to an output frame, a packet that waits in the paired input frame moves to the
    /// multiqueue; a stalled one does so without that (Chinn 1995, section 4.1, cases 1 and 2). Only under
    /// special rules may the multiqueue have no room for it.
    pub(super) fn commit<const SPECIAL: bool, Pr: Probe>(
        &self,
        state: &mut Node<M, P, Q, F>,
        decision: Decision,
        now: Cycle,
        site: &mut Site<'_, Pr>,
        mut flow: impl FnMut(&mut Node<M, P, Q, F>, &mut Site<'_, Pr>, Moving),
    ) {
        let output = decision.output;
        let next = decision.scanned + 1;
        state.pointer = if usize::from(next) == self.ports {
            0
        } else {
            next
        };
        let moving = match decision.choice {
            Choice::Queued { place, deroute } => {
                let held = Self::dequeue(state, place);
                Some((held.packet, Place::Queue, deroute))
            }
            Choice::Bypass(port) => {
                state.occupied = M::of(state.occupied.get() & !(1 << port.0));
                Some((state.inputs[port.index()].packet, Place::Input(port), false))
            }
            Choice::Stalled => None,
        };
        if let Some((packet, from, deroute)) = moving {
            self.report_move(site, now, packet, from, Place::Output(output), deroute);
            flow(
                state,
                site,
                Moving::ToOutput {
                    packet,
                    from,
                    output,
                },
            );
        }
        let paired = state.inputs[output.index()];
        let waits = output != self.local
            && state.occupied.get() >> output.0 & 1 == 1
            && paired.ready <= now
            && (!SPECIAL || !self.full_at(state, now));
        if waits {
            if SPECIAL {
                self.make_place(state, now);
            }
            state.occupied = M::of(state.occupied.get() & !(1 << output.0));
            let from = Place::Input(output);
            self.report_move(site, now, paired.packet, from, Place::Queue, false);
            let wants = state.input_wants[output.index()];
            self.enqueue(state, paired.packet, Cycle::NEVER, wants);
            flow(
                state,
                site,
                Moving::ToQueue {
                    packet: paired.packet,
                    from: output,
                },
            );
        }
    }
}
