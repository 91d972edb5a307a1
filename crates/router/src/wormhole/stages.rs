//! What words and credits go through that takes time alone: registers between the switch and the links,
//! and between the source and the local lanes.
//!
//! ```text
//!   switch ──▶ pipeline ──▶ link        credit from a link ──▶ wait ──▶ room at the far end
//!   source ──▶ delay ──▶ local lane     word that left a local lane ──▶ delay ──▶ room, for the source
//! ```

use super::{Node, Spot, Wormhole};
use crate::bits::Bits;
use flitwork_node::{Event, Inputs, Outputs, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, Flit, PacketRef, Port, PortSet, Word};
use std::collections::VecDeque;

/// A word on its way through the switch.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    leaves: Cycle,
    port: Port,
    word: Word,
}

/// The registers.
#[derive(Clone, Debug)]
pub(super) struct Stages<B, const P: usize> {
    /// Words in the switch, by the cycle in which they leave, where that takes one cycle or two; then
    /// their ports.
    pipeline: [[Word; P]; 2],
    pipelined: [PortSet; 2],
    /// Words that take longer, or whose link was full.
    crossing: VecDeque<Crossing>,
    /// Output lanes whose credits came in the latest cycle, where they wait for one.
    credited: B,
    /// Credits that wait longer, and the output lanes that they are for.
    credits: VecDeque<(Cycle, u8)>,
    /// Words on their way from the source, and the room on its way back, by its channel.
    injected: VecDeque<(Cycle, Word)>,
    room: VecDeque<(Cycle, u8)>,
}

impl<B: Bits, const P: usize> Stages<B, P> {
    pub(super) fn new() -> Stages<B, P> {
        Stages {
            pipeline: [[Word::BLANK; P]; 2],
            pipelined: [PortSet::EMPTY; 2],
            crossing: VecDeque::new(),
            credited: B::NONE,
            credits: VecDeque::new(),
            injected: VecDeque::new(),
            room: VecDeque::new(),
        }
    }

    /// Whether anything is here.
    #[inline]
    pub(super) fn flow(&self) -> bool {
        let [one, other] = self.pipelined;
        one.0 | other.0 != 0
            || !self.credited.is_empty()
            || !self.crossing.is_empty()
            || !self.credits.is_empty()
            || !self.injected.is_empty()
            || !self.room.is_empty()
    }
}

/// A word that is let go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub(super) packet: PacketRef,
    pub(super) index: u16,
    pub(super) is_head: bool,
    pub(super) is_tail: bool,
}

impl Leaving {
    #[inline]
    pub(super) fn of(word: Word) -> Leaving {
        Leaving {
            packet: word.packet,
            index: word.index,
            is_head: word.flit.is_head(),
            is_tail: word.flit.is_tail(),
        }
    }

    /// The word on a virtual channel.
    #[inline]
    pub(super) fn on(self, channel: u8) -> Word {
        Word {
            packet: self.packet,
            index: self.index,
            channel,
            flit: match (self.is_head, self.is_tail) {
                (true, true) => Flit::Only,
                (true, false) => Flit::Head,
                (false, true) => Flit::Tail,
                (false, false) => Flit::Body,
            },
        }
    }
}

/// Where what has been decided goes on its way.
pub(super) trait Way {
    /// Whether every word is told of that crosses, not heads and tails alone.
    const TELLS_ALL: bool;

    /// A word crosses the switch from the first cycle on, to leave in the second by an output lane, and to
    /// be delivered by that or not.
    fn cross<Pr: Probe>(
        &mut self,
        cycles: (Cycle, Cycle),
        to: (usize, &Spot, bool),
        word: Leaving,
        site: &mut Site<'_, Pr>,
    );

    /// A word crosses the switch to a link's output lane. Where it is a head or a tail, or is told of, more is
    /// said of it by [`Way::cross`].
    fn send(&mut self, lane: usize);

    /// A word has left an input lane: a credit leaves over its link, or is on its way to the source.
    fn credit(&mut self, now: Cycle, lane: usize, from: &Spot);

    /// A word goes on from the source to a lane of the local port, where that takes any time.
    fn inject(&mut self, now: Cycle, to: (usize, &Spot), word: Leaving);

    /// The source may begin another packet.
    fn free(&mut self);
}

/// The way of a node that is stepped word by word: through its registers to its wires.
pub(super) struct Stepping<'a, 'o, B, const P: usize> {
    stages: &'a mut Stages<B, P>,
    outputs: &'a mut Outputs<'o>,
    local: Port,
    crossing_cycles: u32,
    injection_cycles: u32,
}

impl<'a, 'o, B: Bits, const P: usize> Stepping<'a, 'o, B, P> {
    #[inline]
    pub(super) fn new<T, const N: usize>(
        router: &Wormhole<T, Node<B, N, P>>,
        stages: &'a mut Stages<B, P>,
        outputs: &'a mut Outputs<'o>,
    ) -> Stepping<'a, 'o, B, P> {
        Stepping {
            stages,
            outputs,
            local: router.local,
            crossing_cycles: router.parameters.crossing_cycles(),
            injection_cycles: router.parameters.injection_cycles,
        }
    }
}

impl<B: Bits, const P: usize> Way for Stepping<'_, '_, B, P> {
    const TELLS_ALL: bool = true;

    #[inline]
    fn cross<Pr: Probe>(
        &mut self,
        (now, leaves): (Cycle, Cycle),
        (_, to, is_delivered): (usize, &Spot, bool),
        word: Leaving,
        site: &mut Site<'_, Pr>,
    ) {
        let (port, word) = (Port(to.port), word.on(to.channel));
        match self.crossing_cycles {
            0 if !self.outputs.sent.contains(port) => {
                leave(now, (port, word), is_delivered, self.outputs, site);
            }
            cycles @ (1 | 2) => {
                let slot = slot(now, cycles);
                self.stages.pipeline[slot][port.index()] = word;
                self.stages.pipelined[slot].insert(port);
            }
            _ => {
                let crossing = Crossing { leaves, port, word };
                self.stages.crossing.push_back(crossing);
            }
        }
    }

    /// Every word is told of.
    #[inline(always)]
    fn send(&mut self, _: usize) {}

    #[inline]
    fn credit(&mut self, now: Cycle, _: usize, from: &Spot) {
        if Port(from.port) == self.local {
            let known = now + self.injection_cycles;
            self.stages.room.push_back((known, from.channel));
        } else {
            self.outputs.credit(Port(from.port), from.channel);
        }
    }

    #[inline]
    fn inject(&mut self, now: Cycle, (_, to): (usize, &Spot), word: Leaving) {
        let arrives = now + self.injection_cycles;
        self.stages
            .injected
            .push_back((arrives, word.on(to.channel)));
    }

    #[inline]
    fn free(&mut self) {
        self.outputs.credit(self.local, 0);
    }
}

/// Where words that are let through in this cycle stand in the pipeline, and before them those that leave
/// in it.
#[inline]
fn slot(now: Cycle, crossing_cycles: u32) -> usize {
    match crossing_cycles {
        2 => now.0 as usize & 1,
        _ => 0,
    }
}

/// A word leaves a node that is stepped word by word.
#[inline(never)]
fn leave<Pr: Probe>(
    now: Cycle,
    (port, word): (Port, Word),
    is_delivered: bool,
    outputs: &mut Outputs<'_>,
    site: &mut Site<'_, Pr>,
) {
    outputs.send(port, word);
    let to = (port, word.channel);
    tell(now, to, Leaving::of(word), is_delivered, site);
}

/// Tells that a word leaves to an output lane in cycle `leaves`. One that leaves to a lane of the local port
/// is delivered; a packet that has left whole is taken out of the network.
#[inline(always)]
pub(super) fn tell<Pr: Probe>(
    leaves: Cycle,
    (port, channel): (Port, u8),
    word: Leaving,
    is_delivered: bool,
    site: &mut Site<'_, Pr>,
) {
    let node = site.node;
    if Pr::HEARS_WORDS {
        let packet = site.packets[word.packet].id;
        let word = word.on(channel);
        site.probe.word(node, leaves, port, packet, word);
    }
    if word.is_head {
        let packet = site.packets[word.packet].id;
        site.probe.event(node, leaves, Event::Head { packet, port });
    }
    if word.is_tail {
        let packet = site.packets[word.packet];
        let tail = Event::Tail {
            packet: packet.id,
            port,
            words: packet.words,
        };
        site.probe.event(node, leaves, tail);
        if is_delivered {
            site.packets.remove(word.packet);
            site.probe
                .event(node, leaves + 1, Event::Delivered { packet });
        }
    }
}

impl<T: Topology, B: Bits, const N: usize, const P: usize> Wormhole<T, Node<B, N, P>> {
    /// Words that have crossed the switch leave, where their links take them.
    #[inline]
    pub(super) fn send_words<Pr: Probe>(
        &self,
        stages: &mut Stages<B, P>,
        now: Cycle,
        sendable: PortSet,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        if !stages.crossing.is_empty() {
            self.send_crossing(stages, now, sendable, outputs, site);
        }
        let slot = slot(now, self.parameters.crossing_cycles());
        let ports = std::mem::take(&mut stages.pipelined[slot]);
        for port in ports.iter() {
            let word = stages.pipeline[slot][port.index()];
            let takes = sendable.contains(port) || port == self.local;
            if takes && !outputs.sent.contains(port) {
                let is_delivered = port == self.local;
                leave(now, (port, word), is_delivered, outputs, site);
            } else {
                let leaves = now;
                stages.crossing.push_back(Crossing { leaves, port, word });
            }
        }
    }

    /// The same for words that take long, or that were held up.
    fn send_crossing<Pr: Probe>(
        &self,
        stages: &mut Stages<B, P>,
        now: Cycle,
        sendable: PortSet,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let mut held = 0;
        while let Some(crossing) = stages.crossing.get(held).copied()
            && crossing.leaves <= now
        {
            let Crossing { port, word, .. } = crossing;
            let takes = sendable.contains(port) || port == self.local;
            if !takes || outputs.sent.contains(port) {
                held += 1;
                continue;
            }
            stages.crossing.remove(held);
            let is_delivered = port == self.local;
            leave(now, (port, word), is_delivered, outputs, site);
        }
    }

    /// Credits come in, and those that have waited long enough are used.
    #[inline]
    pub(super) fn take_credits(&self, state: &mut Node<B, N, P>, now: Cycle, inputs: &Inputs<'_>) {
        let Node { core, stages } = state;
        let came = inputs.credits.iter();
        let came = came.map(|port| self.lane(port, inputs.credit_channels[port.index()]));
        let wait = self.parameters.credit_cycles;
        if wait > 1 {
            came.for_each(|lane| stages.credits.push_back((now + wait, lane as u8)));
            while let Some((_, lane)) = stages.credits.pop_front_if(|(from, _)| *from <= now) {
                self.use_credits(core, B::only(lane.into()));
            }
            return;
        }
        let mut lanes = B::NONE;
        came.for_each(|lane| lanes.put(lane));
        if wait == 1 {
            lanes = std::mem::replace(&mut stages.credited, lanes);
        }
        self.use_credits(core, lanes);
    }

    /// Words from the links come into their lanes, one from the source to those that wait to go on, and
    /// one that has gone on into its lane.
    #[inline]
    pub(super) fn take_words<Pr: Probe>(
        &self,
        state: &mut Node<B, N, P>,
        now: Cycle,
        inputs: &Inputs<'_>,
        site: &mut Site<'_, Pr>,
    ) {
        let Node { core, stages } = state;
        for (port, word) in inputs.arrivals() {
            if port == self.local {
                core.injection.take(now, word, site);
            } else {
                self.take_word(core, now, self.lane(port, word.channel), word, site);
            }
        }
        while let Some((_, channel)) = stages.room.pop_front_if(|(known, _)| *known <= now) {
            self.use_credits(core, B::only(self.lane(self.local, channel)));
        }
        while let Some((_, word)) = stages.injected.pop_front_if(|(at, _)| *at <= now) {
            let lane = self.lane(self.local, word.channel);
            self.take_word(core, now, lane, word, site);
        }
    }
}
