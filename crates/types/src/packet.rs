//! Packets and the words they are made of.

use crate::{Board, Cycle, TerminalId};

/// A packet's identity, the same on every engine: its source and its number among that source's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketId {
    /// The terminal that created the packet.
    pub source: TerminalId,
    /// 0 for the first packet of its source.
    pub serial: u32,
}

impl PacketId {
    /// Source and serial number in one number.
    #[inline]
    pub const fn as_u64(self) -> u64 {
        (self.source.0 as u64) << 32 | self.serial as u64
    }
}

/// A packet's place in its engine's [`Packets`]. Reused after delivery and different from engine to engine, so never part
/// of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct PacketRef(pub u32);

/// A packet as the network sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Its identity.
    pub id: PacketId,
    /// Its destination.
    pub destination: TerminalId,
    /// The cycle in which its source made it.
    pub created: Cycle,
    /// The cycle in which its head entered the injection frame.
    pub injected: Cycle,
    /// Links crossed or about to be crossed.
    pub hops: u16,
    /// How many of those hops went through an unproductive port.
    pub deroutes: u16,
    /// Its length in words, at least 1.
    pub words: u16,
    /// Its class, for traffic and statistics; routers ignore it.
    pub class: u8,
    /// Why it won't arrive, once that is known: what is left of it still moves on. Routers ignore it.
    pub loss: Option<Loss>,
    /// The sum, over the links that it crossed, of how far the receiver's cycle count led the sender's: the head's arrival
    /// by the receiver's count, minus its departure by the sender's count, minus the link's latency. 0 with one clock.
    /// Wraps: it is used for times shorter than 2^32 cycles.
    pub skew: i32,
}

/// Why a packet doesn't arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Loss {
    /// It was sent over a failed link.
    FailedLink,
    /// A link failed while the packet crossed it.
    Cut,
    /// No path was left from where it was to its destination.
    NoPath,
    /// It came to its destination, whose router had failed.
    FailedRouter,
}

impl Loss {
    /// All of them, in their order.
    pub const ALL: [Loss; 4] = [
        Loss::FailedLink,
        Loss::Cut,
        Loss::NoPath,
        Loss::FailedRouter,
    ];

    /// What files call it.
    pub const fn name(self) -> &'static str {
        match self {
            Loss::FailedLink => "failed-link",
            Loss::Cut => "cut",
            Loss::NoPath => "no-path",
            Loss::FailedRouter => "failed-router",
        }
    }
}

impl Packet {
    /// Cycles from its creation to `now`, a cycle of the node where it is: the time in each node by that node's count, and
    /// the latencies of the links between them.
    #[inline]
    pub fn latency(&self, now: Cycle) -> u64 {
        self.age(self.created, now)
    }

    /// Cycles from its injection to `now`, counted like [`Packet::latency`].
    #[inline]
    pub fn network_latency(&self, now: Cycle) -> u64 {
        self.age(self.injected, now)
    }

    #[inline]
    fn age(&self, from: Cycle, now: Cycle) -> u64 {
        let age = now.get().wrapping_sub(from.get());
        let age = age.wrapping_sub(self.skew as u32);
        // If a node's count lags behind, the difference may be negative.
        if age > Cycle::LAST.get() {
            0
        } else {
            age.into()
        }
    }
}

/// The packets inside a network, by [`PacketRef`].
#[derive(Clone, Debug, Default)]
pub struct Packets {
    /// What nodes show each other beside packets, where all are in the same cycle.
    pub board: Board,
    slots: Vec<Packet>,
    free: Vec<PacketRef>,
}

impl Packets {
    /// An empty store.
    pub fn new() -> Packets {
        Packets::default()
    }

    /// Inserts a packet.
    pub fn insert(&mut self, packet: Packet) -> PacketRef {
        if let Some(slot) = self.free.pop() {
            self.slots[slot.0 as usize] = packet;
            return slot;
        }
        let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 packets in a network");
        self.slots.push(packet);
        PacketRef(slot)
    }

    /// Removes a packet; its place may be reused.
    #[inline]
    pub fn remove(&mut self, packet: PacketRef) -> Packet {
        self.free.push(packet);
        self.slots[packet.0 as usize]
    }

    /// All packets in the store, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = &Packet> {
        let mut is_in = vec![true; self.slots.len()];
        for free in &self.free {
            is_in[free.0 as usize] = false;
        }
        let slots = self.slots.iter().zip(is_in);
        slots.filter(|(_, is_in)| *is_in).map(|(packet, _)| packet)
    }

    /// All places used so far with their contents, including places whose packets have been removed and not replaced.
    pub fn iter(&self) -> impl Iterator<Item = (PacketRef, &Packet)> {
        self.slots
            .iter()
            .enumerate()
            .map(|(slot, packet)| (PacketRef(slot as u32), packet))
    }

    /// The number of packets in the store.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether no packet is in the store.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::ops::Index<PacketRef> for Packets {
    type Output = Packet;
    #[inline]
    fn index(&self, packet: PacketRef) -> &Packet {
        &self.slots[packet.0 as usize]
    }
}

impl std::ops::IndexMut<PacketRef> for Packets {
    #[inline]
    fn index_mut(&mut self, packet: PacketRef) -> &mut Packet {
        &mut self.slots[packet.0 as usize]
    }
}

/// What a link carries in one cycle: one flit of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The packet it belongs to.
    pub packet: PacketRef,
    /// Its index in the packet: 0 for the first.
    pub index: u16,
    /// Its virtual channel; 0 if a link has only one.
    pub channel: u8,
    /// Its position in the worm.
    pub flit: Flit,
}

/// A word's position in a worm: a sequence of words that follow each other from node to node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Flit {
    /// The first, which carries the destination.
    Head,
    /// One in between.
    Body,
    /// The last.
    Tail,
    /// The first and the last.
    Only,
}

impl Flit {
    /// The flit at place `index` of a worm of `words` words.
    #[inline]
    pub const fn at(index: u16, words: u16) -> Flit {
        match (index == 0, index + 1 == words) {
            (true, false) => Flit::Head,
            (false, false) => Flit::Body,
            (false, true) => Flit::Tail,
            (true, true) => Flit::Only,
        }
    }

    /// Whether it is the first of its worm.
    #[inline]
    pub const fn is_head(self) -> bool {
        matches!(self, Flit::Head | Flit::Only)
    }

    /// Whether it is the last of its worm.
    #[inline]
    pub const fn is_tail(self) -> bool {
        matches!(self, Flit::Tail | Flit::Only)
    }
}

impl Word {
    /// A placeholder where there is no word.
    pub const BLANK: Word = Word::of(PacketRef(0), 0, 1);

    /// Word `index` of a packet that is one worm of `words` words, on channel 0.
    #[inline]
    pub const fn of(packet: PacketRef, index: u16, words: u16) -> Word {
        Word {
            packet,
            index,
            channel: 0,
            flit: Flit::at(index, words),
        }
    }
}

// Every wire and every buffer of every node holds words.
const _: () = assert!(size_of::<Option<Word>>() == 8 && size_of::<Packet>() == 32);
