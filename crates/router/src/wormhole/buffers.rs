//! Input buffers: the worms in each lane, and the room at the far end of each output lane.
//!
//! ```text
//!   words ──▶ [ third … ] [ second ] [ front ] ──▶ switch         the front alone is routed, and goes on;
//!                 has_third has_second occupied                  one behind it waits for its tail to leave
//! ```

use super::registers::Behind;
use super::{Node, Wormhole};
use crate::bits::Bits;
use flitwork_node::{Probe, Reported, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef};
use std::collections::VecDeque;

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// Takes the credit for one more word at the far end of each of some output lanes.
    #[inline(always)]
    pub(super) fn take_credits(&self, state: &mut Node<B, N, P, L>, lanes: B) {
        lanes.count_in(&mut state.room_words, self.lanes().places);
        if !(lanes & (state.no_credit | state.draining)).is_empty() {
            // A credit for a local lane is the source's, for the input buffer.
            self.open(state, lanes & B::below(self.link_lanes));
        }
    }

    /// There is room again at the far ends of some output lanes: a credit more than none, or all of them.
    #[inline(never)]
    fn open(&self, state: &mut Node<B, N, P, L>, lanes: B) {
        self.reopen(state, lanes);
        for lane in (lanes & state.draining).numbers() {
            if state.room_words.get(lane) == self.parameters.buffer_words {
                state.draining.take(lane);
                state.free.put(lane);
            }
        }
    }

    /// There is room for a word again at the far ends of some output lanes.
    #[inline]
    pub(super) fn reopen(&self, state: &mut Node<B, N, P, L>, lanes: B) {
        for lane in (lanes & state.no_credit & state.held()).numbers() {
            state.has_credit.put(state.holder[lane].into());
        }
        state.no_credit &= !lanes;
    }

    /// Another word of the last worm enters the buffer of each of some input lanes; at `tails` its last word.
    #[inline(always)]
    pub(super) fn take_bodies(&self, state: &mut Node<B, N, P, L>, lanes: B, tails: B) {
        let behind = lanes & state.has_second;
        let front = lanes & !behind;
        front.count_in(&mut state.words, self.lanes().places);
        state.has_word |= front;
        state.has_tail |= front & tails;
        if !behind.is_empty() {
            Self::take_behind(state, behind, tails);
        }
    }

    /// The same for lanes in which the last worm isn't the first.
    #[inline(never)]
    fn take_behind(state: &mut Node<B, N, P, L>, lanes: B, tails: B) {
        for lane in lanes.numbers() {
            let more = state.more.as_mut().and_then(|more| more[lane].back_mut());
            let last = more.unwrap_or(&mut state.inputs[lane].second);
            last.words += 1;
            last.whole = tails.has(lane);
        }
    }

    /// A worm's first word enters the buffer of an input lane.
    #[inline(never)]
    pub(super) fn take_head(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        lane: usize,
        (worm, whole): (PacketRef, bool),
        site: &Site<'_, impl Probe>,
    ) {
        let worm = Behind {
            worm,
            words: 1,
            whole,
        };
        if !state.occupied.has(lane) {
            self.begin(state, lane, worm, (now, self.parameters.route_cycles), site);
        } else if !state.has_second.has(lane) {
            state.has_second.put(lane);
            state.inputs[lane].second = worm;
        } else {
            state.has_third.put(lane);
            let none = || vec![VecDeque::new(); self.lanes().count].into();
            state.more.get_or_insert_with(none)[lane].push_back(worm);
        }
    }

    /// A word enters the buffer of an input lane.
    #[inline]
    pub(super) fn take_word<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        lane: usize,
        (word, is_head, is_tail): (PacketRef, bool, bool),
        site: &Site<'_, Pr>,
    ) {
        if site.probe.wants(Reported::Buffered) {
            state.buffered += 1;
        }
        if is_head {
            self.take_head(state, now, lane, (word, is_tail), site);
        } else {
            let tails = if is_tail { B::only(lane) } else { B::NONE };
            self.take_bodies(state, B::only(lane), tails);
        }
    }

    /// The worm behind the front of an input lane moves to the front, if there is one.
    #[inline]
    pub(super) fn follow(
        &self,
        state: &mut Node<B, N, P, L>,
        lane: usize,
        now: Cycle,
        site: &Site<'_, impl Probe>,
    ) {
        if !state.has_second.has(lane) {
            return;
        }
        let worm = state.inputs[lane].second;
        if !state.has_third.has(lane) {
            state.has_second.take(lane);
        } else if let Some(more) = &mut state.more {
            let more = &mut more[lane];
            if let Some(next) = more.pop_front() {
                state.inputs[lane].second = next;
            }
            if more.is_empty() {
                state.has_third.take(lane);
            }
        }
        let wait = 1 + self.parameters.route_cycles;
        self.begin(state, lane, worm, (now, wait), site);
    }
}
