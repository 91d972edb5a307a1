//! Who waits for whom: a packet that stays, what it waits for, and what has to happen before it goes on.
//!
//! ```text
//!   wait ── until ──▶ any of ┬─ room for a word at the far end of the east link ──▶ the packets in that buffer
//!                            └─ all of ┬─ the packet in the south output frame goes on
//!                                      └─ room in the central queue ──▶ the packets in it
//! ```
//!
//! Waits of all nodes together are a graph: what one waits for is held by the packets of other waits. Packets that wait
//! for each other alone never move again.

use crate::Place;
use flitwork_types::{NodeId, Packet, PacketId, Port, PortSet, TerminalId};
use std::fmt;

/// What a packet waits for, in a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// The neighbour behind a port, to free the input frame at the far end of the link.
    Neighbour(Port),
    /// The right to send over the half-duplex link behind a port.
    Turn(Port),
    /// An output frame of this node, at one of these ports.
    Outputs(PortSet),
    /// Room in this node's central queue.
    QueueRoom,
    /// One of these virtual channels of this node's outputs, which other worms hold.
    Channels(Box<[(Port, u8)]>),
    /// Room in the buffer of a virtual channel at the far end of a link.
    Room(Port, u8),
    /// The worm before it in the same buffer.
    Front,
    /// Room in the input buffers of its node.
    InputRoom,
    /// Nothing: it can go on.
    Nothing,
}

/// A packet in a place of a node, and what it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The node that it is in.
    pub node: NodeId,
    /// The packet.
    pub packet: PacketId,
    /// Its destination.
    pub destination: TerminalId,
    /// Its place in the node.
    pub place: Place,
    /// How much of that place it takes, in the unit in which [`Until::Room`] counts there: words or frames.
    pub takes: u32,
    /// The channel of a link through which its next words leave the node, if it has one: what follows it in the next node
    /// gets them from here.
    pub leaves_by: Option<(Port, u8)>,
    /// What it waits for.
    pub waits_for: WaitsFor,
    /// What has to happen before it goes on: all ways in which it can, so that it stays for as long as none of them
    /// opens.
    pub until: Until,
}

/// What has to happen before a packet goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Until {
    /// Nothing but what always comes: a stage's end, a turn, words or credits that are under way.
    Time,
    /// The packet at the front of a buffer goes on.
    Moves(At),
    /// No more than this much of a buffer is taken.
    Room(At, u32),
    /// The packet's next words come over the link behind a port, from its part in the neighbour that leaves by it. Where
    /// there is none any more, they are under way.
    Comes(Port),
    /// All of these ([`Until::all`]).
    All(Box<[Until]>),
    /// One of these; never, if there is none ([`Until::any`]).
    Any(Box<[Until]>),
}

/// A buffer of a node, or of a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// In the packet's own node.
    Here(Place),
    /// At the far end of the link behind a port: the input frame there, or the buffer of a virtual channel.
    Far(Port, Option<u8>),
}

impl Wait {
    /// A packet that takes one frame, or one word, and goes on when what it waits for does ([`Until::from`]).
    pub fn new(
        node: NodeId,
        (packet, destination): (PacketId, TerminalId),
        place: Place,
        waits_for: WaitsFor,
    ) -> Wait {
        Wait {
            node,
            packet,
            destination,
            place,
            takes: 1,
            leaves_by: None,
            until: Until::from((place, &waits_for)),
            waits_for,
        }
    }

    /// The same, of a packet in the network.
    pub fn of(node: NodeId, packet: &Packet, place: Place, waits_for: WaitsFor) -> Wait {
        Wait::new(node, (packet.id, packet.destination), place, waits_for)
    }

    /// The same, until something else happens.
    #[must_use]
    pub fn until(self, until: Until) -> Wait {
        Wait { until, ..self }
    }

    /// The same, with its words on their way out through a channel of a link.
    #[must_use]
    pub fn leaving_by(self, port: Port, channel: u8) -> Wait {
        Wait {
            leaves_by: Some((port, channel)),
            ..self
        }
    }

    /// The same, with so much of the place taken.
    #[must_use]
    pub fn taking(self, takes: u32) -> Wait {
        Wait { takes, ..self }
    }
}

impl Until {
    /// The packet in an output frame of the same node leaves it.
    pub fn leaves(output: Port) -> Until {
        Until::Moves(At::Here(Place::Output(output)))
    }

    /// All of some parts, of which only those count that may never happen.
    pub fn all(parts: impl IntoIterator<Item = Until>) -> Until {
        let mut doubtful = parts.into_iter().filter(|part| *part != Until::Time);
        let Some(first) = doubtful.next() else {
            return Until::Time;
        };
        match doubtful.next() {
            None => first,
            Some(second) => Until::All([first, second].into_iter().chain(doubtful).collect()),
        }
    }

    /// One of some ways; never, if there is none. A way that always comes makes the others irrelevant.
    pub fn any(ways: impl IntoIterator<Item = Until>) -> Until {
        let ways: Vec<Until> = ways.into_iter().collect();
        match <[Until; 1]>::try_from(ways) {
            Ok([only]) => only,
            Err(ways) if ways.contains(&Until::Time) => Until::Time,
            Err(ways) => Until::Any(ways.into()),
        }
    }
}

/// As far as what it waits for says it: the packet at the front of each buffer that it names has to go on.
impl From<(Place, &WaitsFor)> for Until {
    fn from((place, waits_for): (Place, &WaitsFor)) -> Until {
        match waits_for {
            WaitsFor::Neighbour(port) => Until::Room(At::Far(*port, None), 0),
            WaitsFor::Room(port, channel) => Until::Moves(At::Far(*port, Some(*channel))),
            WaitsFor::Outputs(ports) => Until::any(ports.iter().map(Until::leaves)),
            WaitsFor::QueueRoom => Until::Moves(At::Here(Place::Queue)),
            WaitsFor::Channels(wanted) => {
                let wanted = wanted.iter();
                let far = wanted.map(|(port, channel)| At::Far(*port, Some(*channel)));
                Until::any(far.map(Until::Moves))
            }
            WaitsFor::Front => Until::Moves(At::Here(place)),
            WaitsFor::Turn(_) | WaitsFor::InputRoom | WaitsFor::Nothing => Until::Time,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Input(port) => write!(f, "input frame {}", port.0),
            Place::Queue => write!(f, "central queue"),
            Place::Output(port) => write!(f, "output frame {}", port.0),
            Place::InputChannel(port, channel) => write!(f, "input {} channel {channel}", port.0),
            Place::OutputChannel(port, channel) => {
                write!(f, "output {} channel {channel}", port.0)
            }
            Place::SideBuffer => write!(f, "side buffer"),
            Place::Assembly => write!(f, "assembly"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What always comes is left out of what all is needed, and one way that always comes is enough. No way at all never opens.
    #[test]
    fn what_always_comes_is_no_condition() {
        let time = || Until::Time;
        let queue = || Until::Moves(At::Here(Place::Queue));
        let east = || Until::leaves(Port(1));
        assert_eq!(Until::all([]), Until::Time);
        assert_eq!(Until::all([time(), time()]), Until::Time);
        assert_eq!(Until::all([time(), queue()]), queue());
        let both = Until::All(Box::new([queue(), east()]));
        assert_eq!(Until::all([queue(), time(), east()]), both);
        assert_eq!(Until::any([]), Until::Any(Box::new([])));
        assert_eq!(Until::any([queue()]), queue());
        assert_eq!(Until::any([queue(), time(), east()]), Until::Time);
        let either = Until::Any(Box::new([queue(), east()]));
        assert_eq!(Until::any([queue(), east()]), either);
    }
}
