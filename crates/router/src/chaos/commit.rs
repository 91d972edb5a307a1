//! Carrying out a decision.

use super::{Chaos, Choice, Decision, Flow, Mask, Node};
use flitwork_node::{Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Port};

/// A packet that a decision has set in motion, for the flow to move its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    pub(super) packet: PacketRef,
    /// An input frame or the multiqueue.
    pub(super) from: Place,
    /// An output frame or, from an input frame, the multiqueue, where it is now the youngest packet.
    pub(super) to: Place,
    /// Whether it leaves through a port that isn't productive for it.
    pub(super) deroute: bool,
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Chaos<T, Node<M, P, Q, F>> {
    /// Carries out a decision except for the words, which the flow moves: the packet that goes to the output frame, if
    /// one does. [`Self::follow`] comes after it.
    #[inline]
    pub(super) fn commit(
        &self,
        state: &mut Node<M, P, Q, F>,
        decision: Decision,
    ) -> Option<Moving> {
        let next = decision.scanned + 1;
        state.pointer = if usize::from(next) == self.ports {
            0
        } else {
            next
        };
        let (packet, from, deroute) = match decision.choice {
            Choice::Queued { place, deroute } => {
                let held = Self::dequeue(state, place);
                (held.packet, Place::Queue, deroute)
            }
            Choice::Bypass(port) => {
                state.occupied = M::of(state.occupied.get() & !(1 << port.0));
                (state.inputs[port.index()].packet, Place::Input(port), false)
            }
            Choice::Stalled => return None,
        };
        Some(Moving {
            packet,
            from,
            to: Place::Output(decision.output),
            deroute,
        })
    }

    /// After a packet has gone to an output frame, a packet that waits in the paired input frame moves to the
    /// multiqueue; a stalled one does so without that (Chinn 1995, section 4.1, cases 1 and 2). Only under
    /// special rules may the multiqueue have no room for it.
    #[inline]
    pub(super) fn follow<const SPECIAL: bool>(
        &self,
        state: &mut Node<M, P, Q, F>,
        output: Port,
        now: Cycle,
    ) -> Option<Moving> {
        let paired = state.inputs[output.index()];
        let waits = !self.is_local(output)
            && state.occupied.get() >> output.0 & 1 == 1
            && paired.ready <= now
            && (!SPECIAL || !self.full_at(state, now));
        if !waits {
            return None;
        }
        if SPECIAL {
            self.make_place(state, now);
        }
        state.occupied = M::of(state.occupied.get() & !(1 << output.0));
        let wants = state.input_wants[output.index()];
        self.enqueue(state, paired.packet, wants);
        Some(Moving {
            packet: paired.packet,
            from: Place::Input(output),
            to: Place::Queue,
            deroute: false,
        })
    }

    /// Reports that a decision moves a packet; to a link, that is a hop.
    #[inline(always)]
    pub(super) fn report_move<Pr: Probe>(
        &self,
        site: &mut Site<'_, Pr>,
        now: Cycle,
        moving: Moving,
    ) {
        let Moving {
            packet,
            from,
            to,
            deroute,
        } = moving;
        if let Place::Output(port) = to
            && !self.is_local(port)
        {
            site.hops(now, packet, port, deroute);
        }
        site.moved(now, packet, (from, to), deroute);
    }
}
