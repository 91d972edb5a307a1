//! When a node acts next.
//!
//! Between two arrivals a node's registers change only where a word leaves an output frame, a word moves from frame to
//! frame, a credit leaves or something is decided, and each of these is due in a cycle that the registers tell.

use super::passage::Passage;
use super::{UNKNOWN, WordFlow, WordNode};
use crate::chaos::{Chaos, Mask};
use flitwork_node::Place;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PortSet};

impl WordFlow {
    /// The first cycle from `now` on in which a credit leaves.
    #[inline]
    fn next_credit(&self, now: Cycle) -> Cycle {
        let leaves = self.credits.iter().map(|(_, leaves)| *leaves);
        leaves.min().map_or(Cycle::NEVER, |leaves| leaves.max(now))
    }
}

impl Passage {
    /// The first cycle in which a word may move from one of its frames to the next.
    #[inline]
    fn next_move(&self) -> Cycle {
        let mut next = Cycle::NEVER;
        for pair in self.stages().windows(2) {
            if pair[1].words < pair[0].words {
                next = next.min(pair[1].starts);
            }
        }
        next
    }
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, WordNode<M, P, Q>> {
    /// The first cycle from `now` on in which a step would do anything if nothing arrived and the links at these ports,
    /// only, took words.
    #[inline]
    pub(in crate::chaos) fn next_counted(
        &self,
        state: &WordNode<M, P, Q>,
        now: Cycle,
        sendable: u64,
    ) -> Cycle {
        if state.flow.streams && sendable == self.links {
            return now;
        }
        let sendable = PortSet(sendable | PortSet::only(self.local).0);
        let mut next = state.flow.next_credit(now);
        for passage in &state.flow.passages {
            if next <= now {
                return now;
            }
            next = next.min(passage.next_move());
            next = next.min(self.next_word(state, passage, sendable));
        }
        next.min(state.flow.decides_from).max(now)
    }

    /// Notes when something is decided next, from cycle `from` on, unless that is known.
    #[inline]
    pub(in crate::chaos) fn look_ahead(&self, state: &mut WordNode<M, P, Q>, from: Cycle) {
        if state.flow.decides_from != UNKNOWN {
            return;
        }
        state.flow.decides_from = if state.queued == 0 && state.occupied.get() == 0 {
            Cycle::NEVER
        } else if self.special_rules {
            self.next_specially(state, from)
        } else {
            self.next_decision(state, from)
        };
    }

    /// The first cycle in which a word of a passage may leave the node through one of these ports.
    #[inline]
    fn next_word(&self, state: &WordNode<M, P, Q>, passage: &Passage, sendable: PortSet) -> Cycle {
        let last = passage.last();
        match last.place {
            Place::Output(port) if passage.sent < last.words && sendable.contains(port) => {
                match passage.sent == 0 && state.lacks_credit(port) {
                    true => Cycle::NEVER,
                    // The register of a blocked frame.
                    false => state.outputs[port.index()].ready(),
                }
            }
            _ => Cycle::NEVER,
        }
    }
}
