//! When a node acts next.
//!
//! Between two arrivals a node's registers change only where a word leaves an output frame, a word moves from frame to
//! frame, a credit leaves or something is decided, and each of these is due in a cycle that the registers tell.

use super::passage::Passage;
use super::{UNKNOWN, WordFlow, WordNode};
use crate::chaos::{Chaos, Mask};
use flitwork_node::Place;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due, PortSet};

impl WordFlow {
    /// The first cycle from `now` on in which a credit leaves.
    #[inline]
    fn next_credit(&self, now: Cycle) -> Due {
        Due::soonest(self.credits.iter().map(|(_, leaves)| *leaves)).not_before(now)
    }
}

impl Passage {
    /// The first cycle in which a word may move from one of its frames to the next.
    #[inline]
    fn next_move(&self) -> Due {
        let pairs = self.stages().windows(2);
        Due::soonest(pairs.map(|pair| Due::when(pair[1].words < pair[0].words, pair[1].starts)))
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
    ) -> Due {
        if state.flow.streams && sendable == self.links {
            return now.into();
        }
        let sendable = PortSet(sendable | self.locals);
        let mut next = state.flow.next_credit(now);
        for passage in &state.flow.passages {
            if next <= now {
                return now.into();
            }
            next = next.min(passage.next_move());
            next = next.min(self.next_word(state, passage, sendable));
        }
        next.min(state.flow.decides_from).not_before(now)
    }

    /// Notes when something is decided next, from cycle `from` on, unless that is known.
    #[inline]
    pub(in crate::chaos) fn look_ahead(&self, state: &mut WordNode<M, P, Q>, from: Cycle) {
        if state.flow.decides_from != UNKNOWN {
            return;
        }
        state.flow.decides_from = if state.queued == 0 && state.occupied.get() == 0 {
            Due::NEVER
        } else if self.special_rules {
            self.next_specially(state, from)
        } else {
            self.next_decision(state, from)
        };
    }

    /// The first cycle in which a word of a passage may leave the node through one of these ports.
    #[inline]
    fn next_word(&self, state: &WordNode<M, P, Q>, passage: &Passage, sendable: PortSet) -> Due {
        let last = passage.last();
        match last.place {
            Place::Output(port) if passage.sent < last.words && sendable.contains(port) => {
                let has_credit = passage.sent > 0 || !state.lacks_credit(port);
                // The register of a blocked frame.
                Due::when(has_credit, state.outputs[port.index()].ready())
            }
            _ => Due::NEVER,
        }
    }
}
