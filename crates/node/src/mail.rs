//! Routers whose messages can be posted ahead.

mod lines;
mod stepped;

pub use lines::{Delayed, Lines};

use crate::{Probe, Router, Site, View};
use flitwork_types::{Cycle, Due, Flit, NodeId, PacketRef, Packets, Port, PortSet, Word};
use std::ops::BitOrAssign;

/// How long it takes until a node's decisions have effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delays {
    /// Cycles from the decision that a word leaves until it is on the link.
    pub word_cycles: u32,
    /// Cycles from a credit's arrival over a link to its use.
    pub credit_cycles: u32,
    /// Cycles that a word takes from the source to a lane of the local port, and that its room takes back; returned
    /// room is never used before the next cycle.
    pub injection_cycles: u32,
}

/// A virtual channel of a port: at an input a buffer, at an output a count of the room at the far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// `port * channels + channel`: those of links come before those of local ports.
    pub number: usize,
    /// Its port.
    pub port: Port,
    /// Its virtual channel.
    pub channel: u8,
}

/// A set of lanes, one bit each, as wide as a router's nodes need.
pub trait LaneSet: Copy + Default + Eq + Send + BitOrAssign + std::fmt::Debug {
    /// The set of one lane.
    fn only(number: usize) -> Self;

    /// The set of some of the first 32 lanes.
    fn of(bits: u32) -> Self;
}

macro_rules! lane_sets {
    ($($set:ty),+) => {$(
        impl LaneSet for $set {
            #[inline(always)]
            fn only(number: usize) -> $set {
                1 << number
            }

            #[inline(always)]
            fn of(bits: u32) -> $set {
                bits as $set
            }
        }
    )+};
}
lane_sets!(u16, u32, u64, u128);

/// What arrives at a node's lanes in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mail<L> {
    /// The input lanes at which a word arrives, over a link or from a source of the node's own.
    pub words: L,
    /// Those whose word is the first of its worm.
    pub heads: L,
    /// Those whose word is the last of its worm.
    pub tails: L,
    /// The output lanes that receive a credit; at the local port the input lanes in which, as the source knows by
    /// now, there is room for one more word.
    pub credits: L,
}

impl Mail<u32> {
    /// The same mail in sets of another width.
    #[inline(always)]
    pub fn resized<L: LaneSet>(self) -> Mail<L> {
        Mail {
            words: L::of(self.words),
            heads: L::of(self.heads),
            tails: L::of(self.tails),
            credits: L::of(self.credits),
        }
    }
}

impl<L: LaneSet> Mail<L> {
    /// A word arrives at an input lane.
    #[inline]
    pub fn put(&mut self, lane: usize, is_head: bool, is_tail: bool) {
        let lane = L::only(lane);
        self.words |= lane;
        self.heads |= if is_head { lane } else { L::default() };
        self.tails |= if is_tail { lane } else { L::default() };
    }
}

/// Everything that a node sees in one cycle.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<L> {
    /// What arrives at its lanes.
    pub mail: Mail<L>,
    /// The local ports at which a source begins a packet ([`Post::begun`]).
    pub begun: PortSet,
    /// Those at which a word arrives from a source, if words arrive one by one ([`Post::EVERY_WORD`]); otherwise a
    /// packet's words arrive one per cycle from its first cycle on.
    pub fed: PortSet,
    /// The link ports that can take a word in this cycle: all, if links are never full.
    pub sendable: PortSet,
}

/// A word that a node sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailWord {
    /// Its packet.
    pub packet: PacketRef,
    /// Its place in the packet, if every word is posted or reported; otherwise 0 in all but heads.
    pub index: u16,
    /// Whether it is the first of its worm.
    pub is_head: bool,
    /// Whether it is the last.
    pub is_tail: bool,
}

/// Indexed by whether a word is the first of its worm, plus 2 if it is the last.
const FLITS: [Flit; 4] = [Flit::Body, Flit::Head, Flit::Tail, Flit::Only];

impl MailWord {
    /// The same information as a word on a link carries.
    #[inline]
    pub fn of(word: Word) -> MailWord {
        MailWord {
            packet: word.packet,
            index: word.index,
            is_head: word.flit.is_head(),
            is_tail: word.flit.is_tail(),
        }
    }

    /// The word on a virtual channel.
    #[inline]
    pub fn on(self, channel: u8) -> Word {
        Word {
            packet: self.packet,
            index: self.index,
            channel,
            flit: FLITS[usize::from(self.is_head) + 2 * usize::from(self.is_tail)],
        }
    }

    /// The word leaves its node in cycle `leaves` by a port's virtual channel; reports the word and, where it is
    /// one, the head and the tail of its worm. When a tail leaves for the processor, the packet is taken out of
    /// the network, and is delivered in the next cycle.
    #[inline(always)]
    pub fn leave<P: Probe>(
        self,
        leaves: Cycle,
        (port, channel): (Port, u8),
        is_delivered: bool,
        site: &mut Site<'_, P>,
    ) {
        let words = site.packets[self.packet].words;
        site.departs(leaves, port, self.on(channel), words);
        if self.is_tail && is_delivered {
            site.delivered(leaves + 1, self.packet);
        }
    }
}

/// Where a node posts its decisions: each arrives after the node's own delay ([`MailRouter::delays`]) and the link's
/// latency, whatever else happens.
pub trait Post {
    /// Whether words are handled one by one: each is posted by [`Post::word`], not only the first and the last of
    /// each worm, and sources' words arrive as [`Incoming::fed`] says.
    const EVERY_WORD: bool;

    /// The packet whose head has arrived at a port in this cycle.
    fn head(&self, port: Port) -> PacketRef;

    /// The packet that the source at a local port begins in this cycle.
    fn begun(&self, port: Port) -> PacketRef;

    /// Sends a word through an output lane, over a link or to the processor, to leave in cycle `leaves`, and
    /// reports it ([`MailWord::leave`]); at most one per port and cycle. Over a link, [`Post::body`] has come first.
    fn word<P: Probe>(&mut self, leaves: Cycle, to: Lane, word: MailWord, site: &mut Site<'_, P>);

    /// A word of any kind goes to an output lane of a link: each word, in the cycle in which it is decided. If more has
    /// to be reported, as it has of heads and tails, [`Post::word`] follows.
    fn body(&mut self, to: Lane);

    /// A word has left an input lane: its credit goes out over the link, or at the local port to the node's own
    /// source; at most one per port and cycle.
    fn credit(&mut self, from: Lane);

    /// A word goes from the source at a local port to a lane there; at most one per port and cycle.
    fn inject(&mut self, to: Lane, word: MailWord);

    /// The source at a local port may begin another packet from the next cycle on.
    fn free(&mut self, port: Port);
}

/// A router in which every word is on the link a fixed number of cycles after the decision that it leaves, and
/// every credit likewise: its messages can be posted to the far end ahead of time.
///
/// Its cycle is [`MailRouter::post`], which leaves out pure delays: an engine keeps those in rings, as long as
/// [`Delays`] says; if the router is stepped word by word, the [`Lines`] beside the node's registers keep them. So
/// each such router is [`WordRouter`](crate::WordRouter) as well. In one run a node is either stepped or posted to.
pub trait MailRouter:
    Router<Node = Delayed<<Self as MailRouter>::Registers, <Self as MailRouter>::Lanes>>
{
    /// What a node keeps from one cycle to the next, except for what is in transit.
    type Registers: Clone + Send + 'static;
    /// A set of a node's lanes.
    type Lanes: LaneSet + 'static;

    /// How long it takes until a node's decisions have effect.
    fn delays(&self) -> Delays;

    /// The lane of a port's virtual channel.
    fn lane(&self, port: Port, channel: u8) -> Lane;

    /// The first of the ports of sources and processors: they come after those of links.
    fn local(&self) -> Port;

    /// Whether a node's step depends on what other nodes showed in the cycle before
    /// ([`Packets::board`]), so that no node may run ahead of others.
    fn sees_other_nodes(&self) -> bool {
        false
    }

    /// Whether the node holds no word.
    fn is_empty(&self, registers: &Self::Registers) -> bool;

    /// Whether the node holds no packet and every credit that it is owed has come back.
    fn has_all_credits(&self, registers: &Self::Registers) -> bool;

    /// The longest pure delay of a word in the node, in cycles, in addition to its [`Delays`].
    fn stage_cycles(&self) -> u32;

    /// The first cycle from `now` on in which [`MailRouter::post`] could do anything if nothing arrived, where the last
    /// has returned that the next could.
    fn next_post(&self, _registers: &Self::Registers, now: Cycle) -> Due {
        now.into()
    }

    /// What the node's registers hold at the beginning of cycle `now`: the same whether it is stepped or posted to, except
    /// for what only a node keeps whose words are handled one by one ([`Post::EVERY_WORD`]); the router says what that is.
    ///
    /// Delay lines are no part of it. [`WordRouter::look`](crate::WordRouter::look) adds the words that are under way from
    /// the source to a lane.
    fn look_at(
        &self,
        node: NodeId,
        registers: &Self::Registers,
        packets: &Packets,
        now: Cycle,
    ) -> View;

    /// [`WordRouter::reroute`](crate::WordRouter::reroute), of the node's registers.
    ///
    /// # Panics
    /// If the router doesn't take faults.
    fn reroute_registers<P: Probe>(
        &self,
        _registers: &mut Self::Registers,
        _now: Cycle,
        _site: &mut Site<'_, P>,
    ) {
        panic!("the router takes no faults");
    }

    /// One local cycle of one node. Returns whether the next cycle could do anything even if nothing arrived; if
    /// so, it must not be skipped.
    ///
    /// Events are reported with the cycles in which they happen: decisions in this one, words by [`Post::word`] when
    /// they leave. If words are handled one by one, a word that begins its way to an output lane is reported as
    /// [`Detail::Shifted`](crate::Detail::Shifted) there, and one that goes from the source to a lane in no time as
    /// `Shifted` from [`Place::Input`](crate::Place::Input); one that takes time is reported when it arrives.
    fn post<P: Probe>(
        &self,
        registers: &mut Self::Registers,
        now: Cycle,
        incoming: Incoming<Self::Lanes>,
        post: &mut impl Post,
        site: &mut Site<'_, P>,
    ) -> bool;
}
