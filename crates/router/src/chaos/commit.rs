//! Carrying out a decision.

use super::{Chaos, Choice, Decision, Flow, Mask, Node};
use flitwork_node::{Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Port};

/// A packet that a decision has set in motion, for the flow to move its words.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moving {
    /// Into an output frame; `deroute` if that isn't productive for it.
    ToOutput {
        packet: PacketRef,
        from: Place,
        output: Port,
        deroute: bool,
    },
    /// From an input frame into the multiqueue, where it is now the youngest packet.
    ToQueue { packet: PacketRef, from: Port },
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
        let output = decision.output;
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
        Some(Moving::ToOutput {
            packet,
            from,
            output,
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
        let waits = output != self.local
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
        self.enqueue(state, paired.packet, Cycle::NEVER, wants);
        Some(Moving::ToQueue {
            packet: paired.packet,
            from: output,
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
        let (packet, deroute) = (moving.packet(), moving.is_deroute());
        let (from, to) = moving.way();
        if let Place::Output(port) = to
            && port != self.local
        {
            site.hops(now, packet, port, deroute);
        }
        site.moved(now, packet, (from, to), deroute);
    }
}

impl Moving {
    /// The packet.
    #[inline]
    pub(super) fn packet(self) -> PacketRef {
        let (Moving::ToOutput { packet, .. } | Moving::ToQueue { packet, .. }) = self;
        packet
    }

    /// Where the packet was, and where it goes.
    #[inline]
    pub(super) fn way(self) -> (Place, Place) {
        match self {
            Moving::ToOutput { from, output, .. } => (from, Place::Output(output)),
            Moving::ToQueue { from, .. } => (Place::Input(from), Place::Queue),
        }
    }

    /// Whether it leaves through a port that isn't productive for it.
    #[inline]
    pub(super) fn is_deroute(self) -> bool {
        matches!(self, Moving::ToOutput { deroute: true, .. })
    }
}
