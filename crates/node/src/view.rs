//! What a node holds, for people and programs that look into a run.
//!
//! A view is of the beginning of a local cycle, before anything that arrives in it: every engine that stands there
//! shows the same. It holds what the node itself stores; words on links and in delays of a fixed length between a
//! decision and a link are under way, not held. Words from the source stand at the local port's input until they are in
//! one of its lanes, however long that takes.
//!
//! A router declares what it holds to a [`ViewBuilder`], register by register.

use crate::{Place, Wait};
use flitwork_types::{PacketId, Port, PortSet};
use std::ops::Range;

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

impl Part {
    /// These words of a packet, by their places in it.
    pub fn new(packet: PacketId, words: Range<u16>) -> Part {
        Part {
            packet,
            first: words.start,
            words: words.end - words.start,
        }
    }
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
            let part = Part::new(wait.packet, 0..0);
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

/// Builds a view from a router's registers, in the order in which they are declared.
///
/// ```
/// use flitwork_node::{Capacity, Part, Place, Value, ViewBuilder};
/// use flitwork_types::{PacketId, Port, PortSet};
///
/// let packet = PacketId::default();
/// // Links at ports 0 and 1; the processor at port 4.
/// let mut view = ViewBuilder::of_ports([0, 1, 4].map(Port).into_iter().collect());
/// for port in (0..4).map(Port) {
///     // Its words 3, 4 and 5 are in the queue of port 0.
///     let held = (port == Port(0)).then_some(Part::new(packet, 3..6));
///     view.buffer(Place::Input(port), Capacity::Words(8), held);
///     view.credit(port, 0, 5u32);
/// }
/// view.register("worm", Place::Output(Port(1)), packet);
/// view.register("next in turn", None, Value::Number(2));
/// let view = view.build();
/// assert_eq!((view.buffers.len(), view.credits.len(), view.words()), (4, 2, 3));
/// ```
#[derive(Clone, Debug)]
pub struct ViewBuilder {
    view: View,
    /// The ports that are there: those of links and of terminals.
    ports: PortSet,
}

impl Default for ViewBuilder {
    /// A node all of whose buffers are there.
    fn default() -> ViewBuilder {
        ViewBuilder {
            view: View::default(),
            ports: PortSet(u64::MAX),
        }
    }
}

impl ViewBuilder {
    /// A node with links at these ports, and its processor's port. At other ports buffers are shown as missing, and credits
    /// aren't shown.
    pub fn of_ports(ports: PortSet) -> ViewBuilder {
        ViewBuilder {
            ports,
            ..ViewBuilder::default()
        }
    }

    /// A buffer, and what is in it: the first to leave first.
    pub fn buffer(
        &mut self,
        place: Place,
        capacity: Capacity,
        held: impl IntoIterator<Item = Part>,
    ) {
        let is_there = place.port().is_none_or(|port| self.ports.contains(port));
        self.view.buffers.push(Buffer {
            place,
            capacity,
            held: held.into_iter().collect(),
            state: match is_there {
                true => BufferState::Usual,
                false => BufferState::Missing,
            },
        });
    }

    /// A frame of a whole packet, and what is in it. If it is empty, it may be about to open.
    pub fn frame(
        &mut self,
        place: Place,
        held: impl IntoIterator<Item = Part>,
        is_reopening: bool,
    ) {
        self.buffer(place, Capacity::Packets(1), held);
        let frame = self.view.buffers.last_mut().expect("the frame");
        if is_reopening && frame.held.is_empty() && frame.state == BufferState::Usual {
            frame.state = BufferState::Reopening;
        }
    }

    /// The room at the far end of a link's virtual channel.
    pub fn credit(&mut self, port: Port, channel: u8, room: impl Into<u32>) {
        if self.ports.contains(port) {
            self.view.credits.push(Credit {
                port,
                channel,
                room: room.into(),
            });
        }
    }

    /// A register that is no buffer: its name, the place to which it belongs, if it does, and what is in it.
    pub fn register(
        &mut self,
        name: &'static str,
        at: impl Into<Option<Place>>,
        value: impl Into<Value>,
    ) {
        self.view.registers.push(Register {
            name,
            at: at.into(),
            value: value.into(),
        });
    }

    /// The view.
    #[must_use]
    pub fn build(self) -> View {
        self.view
    }
}

/// `From` for what a value's variant holds, where only one does.
macro_rules! values {
    ($($of:ty: $variant:ident),+) => {
        $(impl From<$of> for Value {
            fn from(value: $of) -> Value {
                Value::$variant(value)
            }
        })+
    };
}

values!(Port: Port, PortSet: Ports, Place: Place, PacketId: Packet, bool: Flag);

#[cfg(test)]
mod tests {
    use super::*;

    /// Links at ports 0 and 2, the processor at port 3. At port 1 is no link: its buffer is missing, full or not, and its
    /// credit isn't shown. A frame that is about to open is so only while it is empty; a queue is at no port.
    #[test]
    fn what_has_no_link_is_missing() {
        let links = PortSet(0b101);
        let packet = PacketId::default();
        let mut view = ViewBuilder::of_ports(PortSet(links.0 | PortSet::only(Port(3)).0));
        for port in (0..4).map(Port) {
            let held = (port == Port(2)).then_some(Part::new(packet, 1..4));
            view.frame(Place::Input(port), held, true);
            view.credit(port, 0, port.0);
        }
        view.buffer(Place::OutputChannel(Port(1), 0), Capacity::Words(2), None);
        view.buffer(Place::Queue, Capacity::Unbounded, []);
        view.register("turn", None, Port(2));
        let view = view.build();
        use BufferState::{Missing, Reopening, Usual};
        let states: Vec<_> = view.buffers.iter().map(|buffer| buffer.state).collect();
        assert_eq!(
            states,
            [Reopening, Missing, Usual, Reopening, Missing, Usual]
        );
        let part = view.buffers[2].held[0];
        assert_eq!((part.first, part.words, view.words()), (1, 3, 3));
        let rooms: Vec<_> = view.credits.iter().map(|it| (it.port.0, it.room)).collect();
        assert_eq!(rooms, [(0, 0), (2, 2), (3, 3)]);
        assert_eq!(view.registers[0].value, Value::Port(Port(2)));
    }
}
