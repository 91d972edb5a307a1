//! From the source into the local input buffers.
//!
//! ```text
//!   source ──▶ words of one packet ──▶ delay ──▶ local input lane
//!                     ▲   room in each lane  ◀── delay ◀── words that left it
//! ```
//!
//! The source sends a packet's words one a cycle. They go on as fast as a local lane has room, all of a
//! packet into one lane; packets take lanes in turn. Once the last has gone on the source may send the next
//! packet.

use super::stages::{Leaving, Way};
use super::{Core, Node, Reallocation, Wormhole};
use crate::bits::Bits;
use flitwork_node::{Event, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Word};

/// What is between a source and the local lanes: a packet whose words come from the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Injection {
    packet: PacketRef,
    /// Its words, those that have come, and those of them that have gone on: all of them where there is no
    /// packet.
    words: u16,
    come: u16,
    gone: u16,
    /// The local channel that they go on to, once the first has gone on.
    channel: u8,
    /// The channel whose turn it is.
    turn: u8,
}

impl Injection {
    pub(super) fn new() -> Injection {
        Injection {
            packet: PacketRef(0),
            words: 0,
            come: 0,
            gone: 0,
            channel: 0,
            turn: 0,
        }
    }

    /// Whether a packet is here.
    #[inline]
    pub(super) fn is_sending(&self) -> bool {
        self.gone != self.words
    }

    /// The packet that waits for room here.
    pub(super) fn waiting(&self) -> Option<PacketRef> {
        self.is_sending().then_some(self.packet)
    }

    /// A word comes from the source.
    #[inline]
    pub(super) fn take<Pr: Probe>(&mut self, now: Cycle, word: Word, site: &mut Site<'_, Pr>) {
        if word.flit.is_head() {
            self.begin(now, word.packet, site);
            self.come = 1;
        } else {
            self.come += 1;
        }
    }

    /// The source begins a packet, whose words come one a cycle. One goes on in a cycle at most, so that
    /// the source's words are never waited for, and it doesn't matter that they are all taken as come.
    #[inline]
    pub(super) fn take_whole<Pr: Probe>(
        &mut self,
        now: Cycle,
        packet: PacketRef,
        site: &mut Site<'_, Pr>,
    ) {
        self.begin(now, packet, site);
        self.come = self.words;
    }

    fn begin<Pr: Probe>(&mut self, now: Cycle, packet: PacketRef, site: &mut Site<'_, Pr>) {
        self.packet = packet;
        let packet = site.packets[packet];
        self.words = packet.words;
        self.gone = 0;
        site.probe.event(site.node, now, Event::Injected { packet });
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// The channel that a packet's next word goes on to, if there is one with room.
    #[inline]
    fn goal(&self, core: &Core<B, N, P>) -> Option<u8> {
        let Injection { gone, channel, .. } = core.injection;
        if gone == 0 {
            self.free_channel(core)
        } else {
            let lane = self.lane(self.local, channel);
            (core.room_words.get(lane) != 0).then_some(channel)
        }
    }

    /// The channel that a packet may begin to go on to, if there is one.
    #[inline(never)]
    fn free_channel(&self, core: &Core<B, N, P>) -> Option<u8> {
        let first = self.lane(self.local, 0);
        let room = |channel: u8| core.room_words.get(first + usize::from(channel));
        let least_room = match self.parameters.reallocation {
            Reallocation::TailSent => 1,
            Reallocation::BufferEmpty => self.parameters.buffer_words,
        };
        let turn = core.injection.turn;
        let mut channels = (turn..self.parameters.vcs).chain(0..turn);
        channels.find(|channel| room(*channel) >= least_room)
    }

    /// Whether a word could go on.
    #[inline]
    pub(super) fn sends_on(&self, core: &Core<B, N, P>) -> bool {
        core.injection.gone < core.injection.come && self.goal(core).is_some()
    }

    /// A word goes on to a local lane, if there is one with room.
    #[inline]
    pub(super) fn send_on<W: Way, Pr: Probe>(
        &self,
        core: &mut Core<B, N, P>,
        now: Cycle,
        way: &mut W,
        site: &mut Site<'_, Pr>,
    ) {
        let Injection {
            packet,
            words,
            come,
            gone,
            ..
        } = core.injection;
        if gone == come {
            return;
        }
        let Some(channel) = self.goal(core) else {
            return;
        };
        let lane = self.lane(self.local, channel);
        core.room_words.take_one(lane);
        let to = self.spot(lane);
        let word = Leaving {
            packet,
            index: gone,
            is_head: gone == 0,
            is_tail: gone + 1 == words,
        };
        core.injection.gone = gone + 1;
        if word.is_head {
            core.injection.channel = channel;
            core.injection.turn = to.next_channel;
        }
        if word.is_tail {
            way.free();
        }
        if self.parameters.injection_cycles == 0 {
            self.take_word(core, now, lane, word.on(to.channel), site);
        } else {
            way.inject(now, (lane, to), word);
        }
    }
}
