//! From the sources into the local input buffers.
//!
//! ```text
//!   source ──▶ words of one packet ──▶ delay ──▶ local input lane
//!                     ▲   room in each lane  ◀── delay ◀── words that left it
//! ```
//!
//! The source sends a packet's words one per cycle. They move on as fast as a local lane has room, all words
//! of a packet into the same lane; packets take lanes in turn. Once the last word has moved on, the source
//! may send the next packet.

use super::{Node, Reallocation, Wormhole};
use crate::bits::Bits;
use flitwork_node::{MailWord, Post, Probe, Reported, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Port, PortSet};

/// What lies between a source and the local lanes: a packet whose words come from the source.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Injection {
    pub(super) packet: PacketRef,
    /// Its length in words, the words that have come, and those of them that have moved on; all three are
    /// equal if there is no packet.
    words: u16,
    pub(super) come: u16,
    pub(super) gone: u16,
    /// The local channel that they move to, once the first has moved.
    pub(super) channel: u8,
    /// The channel whose turn it is.
    pub(super) turn: u8,
}

impl Injection {
    /// Whether it holds a packet.
    #[inline]
    pub(super) fn is_sending(&self) -> bool {
        self.gone != self.words
    }

    /// The packet that waits here for room.
    pub(super) fn waiting(&self) -> Option<PacketRef> {
        self.is_sending().then_some(self.packet)
    }

    fn begin<Pr: Probe>(&mut self, now: Cycle, packet: PacketRef, site: &mut Site<'_, Pr>) {
        self.packet = packet;
        self.words = site.packets[packet].words;
        self.gone = 0;
        site.injected(now, packet);
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize, const L: usize>
    Wormhole<T, Node<B, N, P, L>>
{
    /// How many local ports nodes have.
    #[inline(always)]
    pub(super) fn locals(&self) -> usize {
        match L {
            1 => 1,
            _ => self.topology.locals(),
        }
    }

    /// Whether a local port is one of some local ports.
    #[inline(always)]
    fn is_at(port: Port, ports: PortSet) -> bool {
        match L {
            1 => !ports.is_empty(),
            _ => ports.contains(port),
        }
    }

    /// The channel that a packet's next word moves to, if one has room.
    #[inline]
    fn goal(&self, state: &Node<B, N, P, L>, local: usize) -> Option<u8> {
        let Injection { gone, channel, .. } = state.injections[local];
        if gone == 0 {
            self.free_channel(state, local)
        } else {
            let lane = self.local_lane(local, channel);
            (state.room_words.get(lane) != 0).then_some(channel)
        }
    }

    /// The channel that a packet may begin to move to, if there is one.
    #[inline(never)]
    fn free_channel(&self, state: &Node<B, N, P, L>, local: usize) -> Option<u8> {
        let room = |channel: u8| state.room_words.get(self.local_lane(local, channel));
        let least_room = match self.parameters.reallocation {
            Reallocation::TailSent => 1,
            Reallocation::BufferEmpty => self.parameters.buffer_words,
        };
        let turn = state.injections[local].turn;
        let mut channels = (turn..self.parameters.vcs).chain(0..turn);
        channels.find(|channel| room(*channel) >= least_room)
    }

    /// Whether a word of any source could move on.
    #[inline]
    pub(super) fn sends_on(&self, state: &Node<B, N, P, L>) -> bool {
        let sends_on = |local: usize| {
            let it = &state.injections[local];
            it.gone < it.come && self.goal(state, local).is_some()
        };
        match L {
            1 => sends_on(0),
            _ => (0..self.locals()).any(sends_on),
        }
    }

    /// Injection: takes what comes from each source, and moves a word of it to a local lane if one has room.
    #[inline]
    pub(super) fn inject<W: Post, Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        now: Cycle,
        (begun, fed): (PortSet, PortSet),
        post: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        // Apart from the others, the first is no turn of a loop where nodes have only one.
        self.inject_at(state, (now, 0), (begun, fed), post, site);
        for local in 1..self.locals() {
            self.inject_at(state, (now, local), (begun, fed), post, site);
        }
    }

    /// The same of the source at one local port.
    #[inline]
    fn inject_at<W: Post, Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        (now, local): (Cycle, usize),
        (begun, fed): (PortSet, PortSet),
        post: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let port = Port(self.local.0 + local as u8);
        let injection = &mut state.injections[local];
        if Self::is_at(port, begun) {
            injection.begin(now, post.begun(port), site);
            state.begun[local] = now;
            // At most one word moves on per cycle, so words that come one per cycle are never waited for.
            injection.come = if W::EVERY_WORD { 0 } else { injection.words };
        }
        if W::EVERY_WORD && Self::is_at(port, fed) {
            injection.come += 1;
        }
        if injection.is_sending() {
            self.send_on(state, (now, local), post, site);
        }
    }

    /// Moves a word to a local lane, if one has room.
    #[inline]
    fn send_on<W: Post, Pr: Probe>(
        &self,
        state: &mut Node<B, N, P, L>,
        (now, local): (Cycle, usize),
        post: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let Injection {
            packet,
            words,
            come,
            gone,
            ..
        } = state.injections[local];
        if gone == come {
            return;
        }
        let goal = self.goal(state, local);
        site.witness(|witness, packets| {
            if gone == 0 {
                let place = self.source_place(local);
                self.tell_entry((packet, place), goal.is_some(), (witness, packets));
            }
        });
        let Some(channel) = goal else {
            return;
        };
        let lane = self.local_lane(local, channel);
        state.room_words.take_one(lane);
        let to = self.lanes().spot(lane);
        let word = MailWord {
            packet,
            index: gone,
            is_head: gone == 0,
            is_tail: gone + 1 == words,
        };
        let injection = &mut state.injections[local];
        injection.gone = gone + 1;
        site.witness(|witness, packets| {
            let (from, to) = (self.source_place(local), self.input_place(lane));
            witness.sends(packets[packet].id, from, to);
        });
        if word.is_head {
            injection.channel = channel;
            injection.turn = to.next_channel;
        }
        if word.is_tail {
            post.free(Port(to.port));
        }
        if self.parameters.injection_cycles == 0 {
            if W::EVERY_WORD && site.probe.wants(Reported::Details) {
                self.report_entry((now, local), lane, word, site);
            }
            let word = (word.packet, word.is_head, word.is_tail);
            self.take_word(state, now, lane, word, site);
        } else {
            post.inject(self.lanes().numbered(lane), word);
        }
    }

    /// A word is in a local lane in the cycle in which it has come from the source, or has found room.
    #[cold]
    #[inline(never)]
    fn report_entry<Pr: Probe>(
        &self,
        (now, local): (Cycle, usize),
        lane: usize,
        word: MailWord,
        site: &mut Site<'_, Pr>,
    ) {
        let places = (self.source_place(local), self.input_place(lane));
        site.shifted(now, word.packet, word.index, places);
    }
}
