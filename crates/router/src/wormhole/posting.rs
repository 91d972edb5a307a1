//! Nodes whose messages are posted ahead: a word that gets through the switch is on the link a fixed time
//! later, so nothing needs to stand in registers meanwhile.

use super::stages::{Leaving, Way, tell};
use super::{Node, Spot, Wormhole};
use crate::bits::Bits;
use flitwork_node::{Delays, Letter, Mail, Post, Posting, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Port, PortSet};

/// The way of a node whose messages are posted.
struct Posted<'a, M>(&'a mut M);

impl<M: Post> Way for Posted<'_, M> {
    const TELLS_ALL: bool = false;

    #[inline(always)]
    fn cross<Pr: Probe>(
        &mut self,
        (_, leaves): (Cycle, Cycle),
        (lane, to, is_delivered): (usize, &Spot, bool),
        word: Leaving,
        site: &mut Site<'_, Pr>,
    ) {
        if word.is_head || word.is_tail || Pr::HEARS_WORDS {
            let to = (Port(to.port), to.channel);
            tell(leaves, to, word, is_delivered, site);
        }
        if !is_delivered && (word.is_head || word.is_tail) {
            self.0.word(lane, word.letter());
        }
    }

    #[inline(always)]
    fn send(&mut self, lane: usize) {
        self.0.body(lane);
    }

    #[inline(always)]
    fn credit(&mut self, _: Cycle, lane: usize, _: &Spot) {
        self.0.credit(lane);
    }

    #[inline]
    fn inject(&mut self, _: Cycle, (lane, _): (usize, &Spot), word: Leaving) {
        self.0.inject(lane, word.letter());
    }

    #[inline]
    fn free(&mut self) {
        self.0.free();
    }
}

impl Leaving {
    #[inline(always)]
    fn letter(self) -> Letter {
        Letter {
            packet: self.packet,
            is_head: self.is_head,
            is_tail: self.is_tail,
        }
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Posting for Wormhole<T, Node<B, N, P>> {
    fn delays(&self) -> Delays {
        Delays {
            word_cycles: self.parameters.crossing_cycles(),
            credit_cycles: self.parameters.credit_cycles,
            injection_cycles: self.parameters.injection_cycles,
        }
    }

    #[inline(always)]
    fn post<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        (mail, begun): (Mail, Option<PacketRef>),
        post: &mut impl Post,
        site: &mut Site<'_, Pr>,
    ) -> bool {
        let core = &mut state.core;
        self.use_credits(core, B::of(mail.credits));
        let worms = core.occupied | B::of(mail.words);
        if worms.is_empty() && begun.is_none() && !core.injection.is_sending() {
            return false;
        }
        let buffered = core.buffered;
        if Pr::HEARS_BUFFERED {
            core.buffered += mail.words.count_ones();
        }
        self.take_bodies(core, B::of(mail.words & !mail.heads), B::of(mail.tails));
        let mut way = Posted(post);
        // Where no lane waits for time to pass, nothing is ripe.
        if !core.timed.is_empty() {
            core.pass_cycle();
        }
        if let Some(packet) = begun {
            core.injection.take_whole(now, packet, site);
        }
        if core.injection.is_sending() {
            self.send_on(core, now, &mut way, site);
        }
        let mut bids = B::NONE;
        let heads = B::of(mail.heads) | core.waiting | core.timed;
        if !heads.is_empty() {
            for lane in mail.heads.numbers() {
                let head = way.0.head(Port(self.spots[lane].port));
                let head = (head, mail.tails >> lane & 1 == 1);
                self.take_head(core, now, lane, head, site);
            }
            if !self.waits_are_short {
                self.pass_time(core, now);
            }
            bids = self.allocate_channels(core, now, site);
        }
        let all = PortSet(u64::MAX);
        self.allocate_switch(core, now, (bids, all), &mut way, site);
        if Pr::HEARS_BUFFERED && core.buffered != buffered {
            site.probe.buffered(site.node, now, core.buffered);
        }
        self.acts(core)
    }
}
