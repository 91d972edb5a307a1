//! What an engine asks of the traffic.

use flitwork_types::{Cycle, NodeId, Packet};
use std::ops::ControlFlow;

/// A packet that a source makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Birth {
    /// The cycle in which the source makes it.
    pub created: Cycle,
    /// Where it goes; never the source itself.
    pub destination: NodeId,
    /// Words that it is made of, at least 1.
    pub words: u16,
    /// What kind of packet it is: an index into what the workload calls its classes.
    pub class: u8,
}

/// What a source has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A packet.
    Packet(Birth),
    /// No packet before this cycle, as far as is known: it is to be asked again then, or when a delivery
    /// has woken it. [`Cycle::NEVER`]: only a delivery can.
    Later(Cycle),
    /// No packet, now or later.
    Never,
}

/// Packets of a source that are alike: made, and never taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The cycle in which the source made them.
    pub created: Cycle,
    /// Words that each is made of.
    pub words: u16,
    /// How many.
    pub packets: u64,
}

/// Packets that the sources would still make, had the run no end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owed {
    /// How many.
    pub packets: u64,
    /// How many of them answer other packets.
    pub replies: u64,
    /// Whether there may be more: nobody has counted them to the end.
    pub at_least: bool,
}

/// What all sources make, each in the order of its creation.
///
/// Deterministic: what a node makes depends on (seed, node), on the cycles in which it is asked and on what
/// was delivered to it, but not on the order of calls for different nodes. A packet to its own source never
/// enters the network, so no workload makes one. A node that is no source, on the network or off it, may
/// be asked and makes nothing.
pub trait Workload: Send {
    /// Takes the next packet of `node`, which asks in its cycle `now`; created no earlier than the one
    /// before.
    fn next(&mut self, node: NodeId, now: Cycle) -> Next;

    /// The nodes that make any packet at all, ascending, however many of their packets have been taken.
    fn sources(&self) -> Vec<NodeId>;

    /// Whether each node's packets are known however far ahead they lie: [`Workload::next`] never answers
    /// [`Next::Later`], and nothing depends on deliveries. Where it is false, no packet is given before
    /// its cycle.
    fn foresees(&self) -> bool {
        true
    }

    /// `packet` has been delivered to `node` in its cycle `now`; sources that may have a packet now, in a
    /// later cycle, are put into `woken`.
    fn delivered(
        &mut self,
        _node: NodeId,
        _packet: &Packet,
        _now: Cycle,
        _woken: &mut Vec<NodeId>,
    ) {
    }

    /// Takes the packets of `node` that are made before `end` and haven't been taken, and tells `left` of
    /// them: those that are alike together, so that it may take less time than there are packets. `end` is
    /// no earlier than any cycle in which anything was asked or told before. Goes no further where `left`
    /// breaks it off.
    fn leave_over(
        &mut self,
        node: NodeId,
        end: Cycle,
        left: &mut dyn FnMut(Left) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let last = end - 1;
        while let Next::Packet(birth) = self.next(node, last)
            && birth.created < end
        {
            left(Left::one(&birth))?;
        }
        ControlFlow::Continue(())
    }

    /// What the sources would still make after everything that has been taken. A process that makes packets
    /// at a rate, for as long as it is measured, owes none.
    fn owed(&mut self) -> Owed {
        Owed::default()
    }

    /// Whether a delivery wakes only the source of the node that it was made to, so that it depends on
    /// no other node's clock.
    fn is_local(&self) -> bool {
        true
    }
}

impl Left {
    /// One packet.
    pub fn one(birth: &Birth) -> Left {
        Left {
            created: birth.created,
            words: birth.words,
            packets: 1,
        }
    }
}

impl Next {
    /// The packet, where there is one.
    pub fn packet(self) -> Option<Birth> {
        match self {
            Next::Packet(birth) => Some(birth),
            Next::Later(_) | Next::Never => None,
        }
    }
}
