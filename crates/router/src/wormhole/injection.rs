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
use crate::bits::{Bits, Count};
use flitwork_node::{Event, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Word};

/// What is between a source and the local lanes.
#[derive(Clone, Debug)]
pub(super) struct Injection {
    sending: Option<Sending>,
    /// The channel whose turn it is.
    turn: u8,
}

/// A packet whose words come from the source.
#[derive(Clone, Copy, Debug)]
struct Sending {
    packet: PacketRef,
    words: u16,
    /// Words that have come, and those of them that have gone on.
    come: u16,
    gone: u16,
    channel: Option<u8>,
}

impl Injection {
    pub(super) fn new() -> Injection {
        Injection {
            sending: None,
            turn: 0,
        }
    }

    /// Whether a packet is here.
    #[inline]
    pub(super) fn is_sending(&self) -> bool {
        self.sending.is_some()
    }

    /// The packet that waits for room here.
    pub(super) fn waiting(&self) -> Option<PacketRef> {
        self.sending.map(|sending| sending.packet)
    }

    /// A word comes from the source.
    #[inline]
    pub(super) fn take<Pr: Probe>(&mut self, now: Cycle, word: Word, site: &mut Site<'_, Pr>) {
        if word.flit.is_head() {
            self.begin(now, word.packet, 1, site);
        } else if let Some(sending) = &mut self.sending {
            sending.come += 1;
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
        let words = site.packets[packet].words;
        self.begin(now, packet, words, site);
    }

    fn begin<Pr: Probe>(
        &mut self,
        now: Cycle,
        packet: PacketRef,
        come: u16,
        site: &mut Site<'_, Pr>,
    ) {
        self.sending = Some(Sending {
            packet,
            words: site.packets[packet].words,
            come,
            gone: 0,
            channel: None,
        });
        let packet = site.packets[packet];
        site.probe.event(site.node, now, Event::Injected { packet });
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// The local lane that a packet's next word goes on to, if there is one with room.
    #[inline]
    fn goal(&self, core: &Core<B, N, P>, sending: &Sending) -> Option<u8> {
        let first = self.lane(self.local, 0);
        let room = |channel: u8| -> u16 { core.room_words[first + usize::from(channel)].into() };
        if let Some(channel) = sending.channel {
            return (room(channel) > 0).then_some(channel);
        }
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
        let sending = core.injection.sending.as_ref();
        sending.is_some_and(|sending| {
            sending.gone < sending.come && self.goal(core, sending).is_some()
        })
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
        let Some(mut sending) = core.injection.sending else {
            return;
        };
        if sending.gone == sending.come {
            return;
        }
        let Some(channel) = self.goal(core, &sending) else {
            return;
        };
        let lane = self.lane(self.local, channel);
        core.room_words[lane].take_one();
        let to = self.spot(lane);
        let word = Leaving {
            packet: sending.packet,
            index: sending.gone,
            is_head: sending.gone == 0,
            is_tail: sending.gone + 1 == sending.words,
        };
        sending.channel = Some(channel);
        sending.gone += 1;
        core.injection = Injection {
            sending: (!word.is_tail).then_some(sending),
            turn: to.next_channel,
        };
        if word.is_tail {
            way.free();
        }
        if self.parameters.injection_cycles == 0 {
            self.take_word(core, now, lane, word.word(to), site);
        } else {
            way.inject(now, (lane, to), word);
        }
    }
}
