//! Routers whose messages can be posted ahead.

use crate::{Probe, Site, Stepped};
use flitwork_types::{Cycle, PacketRef, Port};

/// How long what a node has decided takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delays {
    /// Cycles from a word's being let go to its being on the link.
    pub word_cycles: u32,
    /// Cycles from a credit's arrival over a link to its use.
    pub credit_cycles: u32,
    /// Cycles of a word from the source to a lane of the local port, and of the room back; room that is
    /// given back is never used before the next cycle.
    pub injection_cycles: u32,
}

/// What comes in at a node in one cycle, a bit a lane: bit `port * channels + channel` stands for a virtual
/// channel of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mail {
    /// The input lanes at which a word comes in: over a link, or from the node's own source.
    pub words: u32,
    /// Those whose word is the first of its worm.
    pub heads: u32,
    /// Those whose word is the last of its worm.
    pub tails: u32,
    /// The output lanes that get a credit; at the local port the input lanes that the source knows to have
    /// got room for one more word.
    pub credits: u32,
}

/// A word, as it is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Its packet.
    pub packet: PacketRef,
    /// Whether it is the first of its worm.
    pub is_head: bool,
    /// Whether it is the last.
    pub is_tail: bool,
}

/// Where a node posts what it has decided: it gets to its addressee after the node's own delay
/// ([`Posting::delays`]) and the link's latency, whatever else happens. Lanes are numbered as in [`Mail`].
pub trait Post {
    /// Whose head has come in at a port in this cycle.
    fn head(&self, port: Port) -> PacketRef;

    /// A word goes out over a link by an output lane; at most one a port and cycle.
    fn word(&mut self, lane: usize, word: Letter);

    /// The same of a word that is neither the first nor the last of its worm.
    fn body(&mut self, lane: usize);

    /// A credit for an input lane goes out over its link, at the local port to the node's own source; at
    /// most one a port and cycle.
    fn credit(&mut self, lane: usize);

    /// A word goes from the source to a lane of the local port; at most one a cycle.
    fn inject(&mut self, lane: usize, word: Letter);

    /// The source may begin another packet from the next cycle on.
    fn free(&mut self);
}

/// A router in which every word that is let go is on the link a fixed number of cycles later, and every
/// credit likewise: its messages can be posted to the far end ahead of time.
///
/// Its links must never be full. A node may be stepped word by word or by mail, but not both in one run.
pub trait Posting: Stepped {
    /// How long what a node has decided takes.
    fn delays(&self) -> Delays;

    /// One local cycle of one node: what came in, and the packet that the source begins in this cycle,
    /// whose words come from it one a cycle. Gives whether the next cycle could do anything even if
    /// nothing came in.
    ///
    /// Events are told with the cycles in which they happen, as far ahead as [`Delays::word_cycles`]; a
    /// packet that is all let go to the local port is taken out at once.
    fn post<P: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        mail: (Mail, Option<PacketRef>),
        post: &mut impl Post,
        site: &mut Site<'_, P>,
    ) -> bool;
}
