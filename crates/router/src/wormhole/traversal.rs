//! Switch allocation, and traversal: words that were granted the switch leave their buffers.

use super::switch::SwitchBids;
use super::{Node, Wormhole};
use crate::bits::Bits;
use flitwork_node::{MailWord, Post, Probe, Reported, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PortSet};

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// Switch allocation and traversal.
    #[inline(always)]
    pub(super) fn cross<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        bids: SwitchBids<B>,
        post: &mut impl Post,
        site: &mut Site<'_, Pr>,
    ) {
        let before = state.noted(site);
        if bids.words.is_empty() {
            self.tell(before, site, |stage| stage.switch(bids, B::NONE));
        } else {
            let grants = self.allocate_switch(state, bids.words, site.packets);
            self.tell(before, site, |stage| stage.switch(bids, grants));
            self.traverse(state, now, grants, post, site);
        }
    }

    /// Switch allocation, speculation and traversal.
    #[inline(never)]
    pub(super) fn cross_speculatively<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        (bids, sendable): (SwitchBids<B>, PortSet),
        post: &mut impl Post,
        site: &mut Site<'_, Pr>,
    ) {
        let before = state.noted(site);
        let (grants, speculative_grants) =
            self.allocate_speculatively(state, (bids, sendable), site.packets);
        let crossing = grants | speculative_grants;
        self.tell(before, site, |stage| stage.switch(bids, crossing));
        if !grants.is_empty() {
            self.traverse(state, now, grants, post, site);
        }
        self.traverse(state, now, speculative_grants, post, site);
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// Sends the next words of the worms of `lanes` through the switch.
    #[inline(always)]
    pub(super) fn traverse<W: Post, Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        lanes: B,
        post: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        if W::EVERY_WORD && site.probe.wants(Reported::Details) {
            self.report_words(state, now, lanes, site);
        }
        // When a buffer runs empty or full is unpredictable, so there is no branch.
        let (mut emptied, mut closed, mut stopped) = (B::NONE, B::NONE, B::NONE);
        let mut words = 0;
        for lane in lanes.numbers() {
            words += 1;
            let output = usize::from(state.output[lane]);
            let is_last = B::from(state.words.take_one(lane).into());
            emptied |= is_last << lane as u32;
            post.credit(self.lanes().numbered(lane));
            if output < self.link_lanes {
                let is_full = B::from(state.room_words.take_one(output).into());
                closed |= is_full << output as u32;
                stopped |= is_full << lane as u32;
                post.body(self.lanes().numbered(output));
            }
        }
        if self.counts_ejection() {
            let full = self.eject(state, now, lanes);
            (closed, stopped) = (closed | full.0, stopped | full.1);
        }
        if site.probe.wants(Reported::Buffered) {
            state.buffered -= words;
        }
        state.has_word &= !emptied;
        state.no_credit |= closed;
        state.has_credit &= !stopped;
        let ends = state.at_head | state.has_tail & emptied;
        let each = W::EVERY_WORD
            || site.probe.wants(Reported::Words)
            || self.parameters.switch_allocation_cycles > 1;
        for lane in (if each { lanes } else { lanes & ends }).numbers() {
            self.traverse_word(state, now, lane, post, site);
        }
    }

    /// Sends a head, a tail, or a word that is reported individually through the switch.
    #[inline(never)]
    fn traverse_word<W: Post, Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        lane: usize,
        post: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let output = usize::from(state.output[lane]);
        let word = MailWord {
            packet: state.inputs[lane].worm,
            index: state.sent_words[lane],
            is_head: state.at_head.has(lane),
            is_tail: state.has_tail.has(lane) && !state.has_word.has(lane),
        };
        if W::EVERY_WORD || site.probe.wants(Reported::Words) {
            state.sent_words[lane] = if word.is_tail { 0 } else { word.index + 1 };
        }
        state.at_head.take(lane);
        if word.is_tail {
            self.end_worm(state, now, lane, output, site);
        } else if self.parameters.switch_allocation_cycles > 1 {
            let wait = self.parameters.switch_allocation_cycles;
            state.wait(now, lane, (wait, self.waits_are_short));
        }
        let leaves = now + self.parameters.crossing_cycles();
        post.word(leaves, self.lanes().numbered(output), word, site);
    }

    /// The next words of the worms of `lanes` leave, and are under way through the switch.
    #[cold]
    #[inline(never)]
    fn report_words<Pr: Probe>(
        &self,
        state: &Node<B, N, P, L>,
        now: Cycle,
        lanes: B,
        site: &mut Site<'_, Pr>,
    ) {
        for lane in lanes.numbers() {
            let to = self.output_place(state.output[lane].into());
            let (worm, index) = (state.inputs[lane].worm, state.sent_words[lane]);
            site.shifted(now, worm, index, (self.input_place(lane), to));
        }
    }

    /// A worm's tail has left an input lane; the next worm moves to the front.
    #[inline]
    fn end_worm<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        lane: usize,
        output: usize,
        site: &mut Site<'_, Pr>,
    ) {
        self.leave_lane(state, output);
        state.switch.disconnect(lane, self.lanes().row_of(output));
        state.active.take(lane);
        state.has_credit.take(lane);
        state.in_stage.take(lane);
        state.occupied.take(lane);
        self.follow(state, lane, now, site);
    }
}
