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

use super::{Node, Reallocation, Wormhole};
use crate::bits::Bits;
use flitwork_node::{Event, Inputs, Outputs, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Word};
use std::collections::VecDeque;

/// What is between a source and its node's buffers.
#[derive(Clone, Debug)]
pub(super) struct Injection {
    sending: Option<Sending>,
    /// The room in each local lane's buffer, as far as is known here.
    room_words: Box<[u16]>,
    /// The channel that the latest packet took.
    last: u8,
    /// Words on their way to the buffers, and the room on its way back.
    words: VecDeque<(Cycle, Word)>,
    room: VecDeque<(Cycle, u8)>,
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
    pub(super) fn new(channels: usize, buffer_words: u16) -> Injection {
        Injection {
            sending: None,
            room_words: vec![buffer_words; channels].into(),
            last: (channels - 1) as u8,
            words: VecDeque::new(),
            room: VecDeque::new(),
        }
    }

    /// Whether nothing is here.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.sending.is_none() && self.words.is_empty() && self.room.is_empty()
    }

    /// Whether time alone moves something here.
    #[inline]
    pub(super) fn moves(&self) -> bool {
        !self.words.is_empty() || !self.room.is_empty()
    }

    /// The packet that waits for room here.
    pub(super) fn waiting(&self) -> Option<PacketRef> {
        self.sending.map(|sending| sending.packet)
    }

    /// A word has left the buffer of a local lane.
    #[inline]
    pub(super) fn give_room(&mut self, known: Cycle, channel: u8) {
        self.room.push_back((known, channel));
    }

    /// The next channel in turn that a packet may take.
    fn choose(&self, least_room: u16) -> Option<u8> {
        let channels = self.room_words.len();
        let turns = 1..=channels;
        let mut channels = turns.map(|turn| (usize::from(self.last) + turn) % channels);
        let found = channels.find(|channel| self.room_words[*channel] >= least_room);
        found.map(|channel| channel as u8)
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// The source's word comes in, one goes on, and one comes into its buffer.
    #[inline]
    pub(super) fn inject<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let word = inputs.word(self.local);
        if word.is_none() && state.injection.is_idle() {
            return;
        }
        if let Some(word) = word {
            self.take_from_source(state, now, word, site);
        }
        let injection = &mut state.injection;
        while let Some((_, channel)) = injection.room.pop_front_if(|(known, _)| *known <= now) {
            injection.room_words[usize::from(channel)] += 1;
            state.stirred = true;
        }
        self.send_on(state, now, outputs);
        while let Some((_, word)) = state.injection.words.pop_front_if(|(at, _)| *at <= now) {
            let lane = self.lane(self.local, word.channel);
            self.take_word(state, now, lane, word, site);
            state.stirred = true;
        }
    }

    fn take_from_source<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        word: Word,
        site: &mut Site<'_, Pr>,
    ) {
        state.stirred = true;
        if !word.flit.is_head() {
            let sending = state.injection.sending.as_mut();
            sending.expect("a packet's words follow its head").come += 1;
            return;
        }
        let packet = site.packets[word.packet];
        site.probe.event(site.node, now, Event::Injected { packet });
        state.injection.sending = Some(Sending {
            packet: word.packet,
            words: packet.words,
            come: 1,
            gone: 0,
            channel: None,
        });
    }

    /// A word goes on to a local lane, if there is one with room.
    fn send_on(&self, state: &mut Node<B, N, P>, now: Cycle, outputs: &mut Outputs<'_>) {
        let Some(mut sending) = state.injection.sending else {
            return;
        };
        if sending.gone == sending.come {
            return;
        }
        let channel = sending.channel.or_else(|| {
            let least_room = match self.parameters.reallocation {
                Reallocation::TailSent => 1,
                Reallocation::BufferEmpty => self.parameters.buffer_words,
            };
            state.injection.choose(least_room)
        });
        let Some(channel) = channel else { return };
        let room = &mut state.injection.room_words[usize::from(channel)];
        if *room == 0 {
            return;
        }
        *room -= 1;
        let mut word = Word::of(sending.packet, sending.gone, sending.words);
        word.channel = channel;
        sending.channel = Some(channel);
        sending.gone += 1;
        let arrives = now + self.parameters.injection_cycles;
        state.injection.last = channel;
        state.injection.words.push_back((arrives, word));
        state.stirred = true;
        let is_all = sending.gone == sending.words;
        state.injection.sending = (!is_all).then_some(sending);
        if is_all {
            outputs.credit(self.local, 0);
        }
    }
}
