//! What a node holds, for people and programs that look into a run.
//!
//! A view is of the beginning of a local cycle, before anything that arrives in it: every engine that stands there
//! shows the same. It holds what the node itself stores; words on links and in delays of a fixed length between a
//! decision and a link are under way, not held. Words from the source stand at the local port's input until they are in
//! one of its lanes, however long that takes.

use crate::{Place, Wait};
use flitwork_types::{PacketId, Port, PortSet};

/// All that a node holds at the beginning of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Its buffers, in the order of the datapath: inputs, what lies between, outputs. Empty ones are there, too.
    pub buffers: Vec<Buffer>,
    /// The room at the far ends of its links, as its credits tell.
    pub credits: Vec<Credit>,
    /// Its other registers, each with its name: a pointer, a lane's holder, a wait.
    pub registers: Vec<Register>,
}

/// A buffer: a frame, a lane, the central queue, a side buffer, an assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Where in the node it is.
    pub place: Place,
    /// How much it takes.
    pub capacity: Capacity,
    /// What is in it, the first to leave first. A packet stands in several buffers while it moves from one to the next.
    pub held: Vec<Part>,
    /// What may change about it next, if anything beyond what it holds decides that.
    pub state: BufferState,
}

/// How much a buffer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// Words of any packets.
    Words(u32),
    /// Whole packets.
    Packets(u32),
    /// Whatever comes: it stands for a processor's memory.
    Unbounded,
}

/// The words of a packet that are in one buffer, which follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The packet.
    pub packet: PacketId,
    /// The place in the packet of the first of these words. In an [assembly](Place::Assembly), whose words come in any
    /// order, it is 0 and says nothing.
    pub first: u16,
    /// How many words there are; 0 for a packet whose words are still to come, or of whose words nothing is said.
    pub words: u16,
}

/// What holds for a buffer beyond its contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferState {
    /// Nothing more.
    #[default]
    Usual,
    /// It is empty but takes no packet yet: its last one has just left.
    Reopening,
    /// No link leads there.
    Missing,
}

/// The room at the far end of a link's virtual channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// The link's port.
    pub port: Port,
    /// Its virtual channel; 0 if it has only one.
    pub channel: u8,
    /// Packets or words that may be sent, in the unit of the input buffers' capacity.
    pub room: u32,
}

/// A register that is no buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// What the router's page calls it.
    pub name: &'static str,
    /// The port that it belongs to, and the virtual channel, if it belongs to one.
    pub at: Option<Place>,
    /// What is in it.
    pub value: Value,
}

/// What is in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A plain number.
    Number(u64),
    /// Cycles, left or gone by as the register's name says.
    Cycles(u32),
    /// A port.
    Port(Port),
    /// Ports.
    Ports(PortSet),
    /// A place in the node.
    Place(Place),
    /// A packet.
    Packet(PacketId),
    /// Yes or no.
    Flag(bool),
}

impl View {
    /// What is known of a node's contents if its router says only where its packets wait.
    pub fn of_waits(waits: &[Wait]) -> View {
        let mut view = View::default();
        for wait in waits {
            let part = Part {
                packet: wait.packet,
                first: 0,
                words: 0,
            };
            let known = view.buffers.iter_mut().find(|it| it.place == wait.place);
            match known {
                Some(buffer) => buffer.held.push(part),
                None => view.buffers.push(Buffer {
                    place: wait.place,
                    capacity: Capacity::Unbounded,
                    held: vec![part],
                    state: BufferState::Usual,
                }),
            }
        }
        view
    }

    /// The buffer at a place.
    pub fn buffer(&self, place: Place) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.place == place)
    }

    /// Where a packet's words are in the node, and how many in each place.
    pub fn places(&self, packet: PacketId) -> impl Iterator<Item = (Place, Part)> + '_ {
        let parts = self.buffers.iter();
        let parts = parts.flat_map(|buffer| buffer.held.iter().map(|part| (buffer.place, *part)));
        parts.filter(move |(_, part)| part.packet == packet)
    }

    /// All words in the node's buffers.
    pub fn words(&self) -> u32 {
        let parts = self.buffers.iter().flat_map(|buffer| &buffer.held);
        parts.map(|part| u32::from(part.words)).sum()
    }
}
