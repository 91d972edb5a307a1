//! Ejection: the room that the processor has for words that are delivered.
//!
//! ```text
//!   local output lane ──▶ switch ──▶ a link of one cycle ──▶ processor, which takes a word at once
//!          ▲                                                     │
//!          └── credit_cycles ◀── a link of one cycle ◀── credit ◀┘
//! ```
//!
//! With credits a local output lane may have as many words on this round trip as a buffer holds (BookSim 2: a router's
//! `BufferState` of an ejection channel, whose credits the traffic manager returns in the cycle in which it reads a word).
//! At most one word a cycle leaves for the processor, so a buffer of as many words as the trip has cycles never lacks
//! credits, and nothing is counted unless a worm waits for all of them ([`Reallocation::BufferEmpty`]).

use super::{Node, Reallocation, Wormhole, WormholeParameters};
use crate::bits::Bits;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Due};
use std::collections::VecDeque;

/// Cycles of the links to the processor and back.
const LINKS_CYCLES: u32 = 2;

/// The credits of a node's local output lanes, which are counted from 0.
#[derive(Clone, Debug)]
pub(super) struct Ejection {
    /// Words that each lane may send before a credit comes back.
    room_words: Vec<u16>,
    /// The credits under way: when each can be used, and its lane, the next first.
    returning: VecDeque<(Cycle, u16)>,
}

impl Ejection {
    /// Its bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self)
            + size_of_val(&*self.room_words)
            + self.returning.len() * size_of::<(Cycle, u16)>()
    }
}

impl WormholeParameters {
    /// Cycles from a delivered word's bid for the switch until its credit can be used again; `None` if that makes no
    /// difference.
    pub(super) fn ejection_trip_cycles(&self) -> Option<u32> {
        let trip = self.crossing_cycles() + LINKS_CYCLES + self.credit_cycles;
        let matters =
            trip > self.buffer_words.into() || self.reallocation == Reallocation::BufferEmpty;
        (self.ejection_credits && matters).then_some(trip)
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// Whether words to the processor need credits that have to be counted.
    #[inline(always)]
    pub(super) fn counts_ejection(&self) -> bool {
        Node::<B, N, P, L>::COUNTS_EJECTION && self.ejection_cycles.is_some()
    }

    /// The credits of all local lanes before the first cycle, if they make a difference.
    pub(super) fn ejection(&self) -> Option<Box<Ejection>> {
        self.ejection_cycles?;
        Some(Box::new(Ejection {
            room_words: vec![self.parameters.buffer_words; self.lanes().count - self.link_lanes],
            returning: VecDeque::new(),
        }))
    }

    /// The words that a local output lane may send, as far as its credits have been taken, if they are counted.
    pub(super) fn ejection_room(&self, state: &Node<B, N, P, L>, output: usize) -> Option<u16> {
        let ejection = state.ejection.as_ref();
        ejection.map(|it| it.room_words[output - self.link_lanes])
    }

    /// Takes the credits that have come back from the processor. They may be taken late, as long as they are before a
    /// lane's room matters.
    #[inline(never)]
    pub(super) fn take_ejection_credits(&self, state: &mut Node<B, N, P, L>, now: Cycle) {
        let (mut back, mut empty) = (B::NONE, B::NONE);
        if let Some(ejection) = &mut state.ejection {
            while let Some((_, local)) = ejection.returning.pop_front_if(|(at, _)| *at <= now) {
                let room = &mut ejection.room_words[usize::from(local)];
                *room += 1;
                let lane = self.link_lanes + usize::from(local);
                back.put(lane);
                if *room == self.parameters.buffer_words {
                    empty.put(lane);
                }
            }
        }
        self.reopen(state, back);
        let drained = empty & state.draining;
        state.draining &= !drained;
        state.free |= drained;
    }

    /// Whether a local output lane must wait until the processor has returned all of its credits before another worm takes
    /// it.
    #[inline(never)]
    pub(super) fn must_drain(&self, state: &Node<B, N, P, L>, output: usize) -> bool {
        let ejection = state.ejection.as_ref();
        ejection.is_some_and(|it| {
            it.room_words[output - self.link_lanes] < self.parameters.buffer_words
        })
    }

    /// Takes the room for the words of those of `lanes` that go to the processor. Returns the local output lanes that have
    /// none left, and the input lanes that send to them.
    #[inline(never)]
    pub(super) fn eject(&self, state: &mut Node<B, N, P, L>, now: Cycle, lanes: B) -> (B, B) {
        let (mut closed, mut stopped) = (B::NONE, B::NONE);
        let (Some(ejection), Some(trip)) = (&mut state.ejection, self.ejection_cycles) else {
            return (closed, stopped);
        };
        for lane in lanes.numbers() {
            let output = usize::from(state.output[lane]);
            let Some(local) = output.checked_sub(self.link_lanes) else {
                continue;
            };
            let room = &mut ejection.room_words[local];
            *room = room.checked_sub(1).expect("a word needs a credit");
            ejection.returning.push_back((now + trip, local as u16));
            if *room == 0 {
                closed.put(output);
                stopped.put(lane);
            }
        }
        (closed, stopped)
    }

    /// The cycle in which the first credit comes back from the processor that a worm may wait for: one for a channel
    /// without room, or the last for one that must drain.
    #[inline(never)]
    pub(super) fn next_ejection_credit(&self, state: &Node<B, N, P, L>) -> Due {
        let Some(ejection) = &state.ejection else {
            return Due::NEVER;
        };
        Due::soonest((self.link_lanes..self.lanes().count).map(|lane| {
            let mut back = ejection.returning.iter();
            let is_its = |(_, of): &&(Cycle, u16)| self.link_lanes + usize::from(*of) == lane;
            let at = if state.draining.has(lane) {
                back.rfind(is_its)
            } else if state.no_credit.has(lane) && !state.free.has(lane) {
                back.find(is_its)
            } else {
                None
            };
            at.map(|(at, _)| *at)
        }))
    }

    /// Whether a worm may wait for a credit from the processor.
    #[inline(never)]
    pub(super) fn awaits_ejection(&self, state: &Node<B, N, P, L>) -> bool {
        let local: B = self.local_lanes();
        !(local & (state.no_credit & !state.free | state.draining)).is_empty()
    }
}
