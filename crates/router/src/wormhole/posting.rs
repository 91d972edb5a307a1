//! Nodes whose messages are posted ahead: a word that gets through the switch is on the link a fixed time
//! later, so nothing needs to stand in registers meanwhile.

use super::stages::{Way, tell};
use super::{Node, Wormhole};
use flitwork_node::{Delays, Mail, Post, Posting, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Port, PortSet, Word};

/// The way of a node whose messages are posted.
struct Posted<'a, M> {
    post: &'a mut M,
    local: Port,
    crossing_cycles: u32,
}

impl<M: Post> Way for Posted<'_, M> {
    #[inline]
    fn cross<Pr: Probe>(&mut self, now: Cycle, port: Port, word: Word, site: &mut Site<'_, Pr>) {
        let is_delivered = port == self.local;
        tell(now + self.crossing_cycles, port, word, is_delivered, site);
        if !is_delivered {
            self.post.word(port, word);
        }
    }

    #[inline]
    fn credit(&mut self, port: Port, channel: u8) {
        self.post.credit(port, channel);
    }

    #[inline]
    fn inject(&mut self, _: Cycle, word: Word) {
        self.post.inject(word);
    }

    #[inline]
    fn room(&mut self, _: Cycle, channel: u8) {
        self.post.room(channel);
    }

    #[inline]
    fn free(&mut self) {
        self.post.free();
    }
}

/// Numbers in a set of lanes, least first.
#[inline]
fn lanes(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let lane = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(lane)
    })
}

impl<T: Topology, const N: usize, const P: usize> Posting for Wormhole<T, Node<u32, N, P>> {
    fn delays(&self) -> Delays {
        Delays {
            word_cycles: self.parameters.crossing_cycles(),
            credit_cycles: self.parameters.credit_cycles,
            injection_cycles: self.parameters.injection_cycles,
        }
    }

    #[inline]
    fn post<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        (mail, begun): (Mail, Option<PacketRef>),
        post: &mut impl Post,
        site: &mut Site<'_, Pr>,
    ) -> bool {
        let core = &mut state.core;
        for lane in lanes(mail.credits) {
            self.use_credit(core, lane);
        }
        for lane in lanes(mail.words & !mail.heads) {
            self.take_body(core, lane, mail.tails >> lane & 1 == 1);
        }
        for lane in lanes(mail.heads) {
            let head = post.head(Port(self.spots[lane].port));
            let head = (head, mail.tails >> lane & 1 == 1);
            self.take_head(core, now, lane, head, site);
        }
        if let Some(packet) = begun {
            core.injection.take_whole(now, packet, site);
        }
        let mut way = Posted {
            post,
            local: self.local,
            crossing_cycles: self.parameters.crossing_cycles(),
        };
        self.send_on(core, now, &mut way, site);
        self.pass_time(core, now);
        let bids = self.allocate_channels(core, now, site);
        let all = PortSet(u64::MAX);
        self.allocate_switch(core, now, (bids, all), &mut way, site);
        self.acts(core)
    }
}
