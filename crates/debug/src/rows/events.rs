//! Events as rows.

use super::Nodes;
use crate::gather::{Happening, What};
use crate::language::{Column, Columns, Kind, Row};
use flitwork_engine::TimeUnit;
use flitwork_node::{Event, Place};
use flitwork_types::{Packet, Port};

/// What happens, by name.
const KINDS: [&str; 8] = [
    "injected",
    "moved",
    "head",
    "tail",
    "freed",
    "delivered",
    "word",
    "arrived",
];

/// The kinds of what happens to single words, which is gathered only if it is wanted.
pub const KINDS_OF_WORDS: [&str; 2] = ["word", "arrived"];

/// Where a packet is in a node, by name.
const PLACES: [&str; 7] = [
    "input",
    "multiqueue",
    "output",
    "input channel",
    "output channel",
    "side buffer",
    "assembly",
];

/// The columns that do not belong to the node, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Time,
    Cycle,
    Kind,
    Packet,
    Port,
    Channel,
    From,
    FromPort,
    To,
    ToPort,
    Deroute,
    Index,
    Words,
    Latency,
    Hops,
    Deroutes,
}

const BEFORE: [Of; 2] = [Of::Time, Of::Cycle];
const AFTER: [Of; 14] = [
    Of::Kind,
    Of::Packet,
    Of::Port,
    Of::Channel,
    Of::From,
    Of::FromPort,
    Of::To,
    Of::ToPort,
    Of::Deroute,
    Of::Index,
    Of::Words,
    Of::Latency,
    Of::Hops,
    Of::Deroutes,
];

/// What a time counts.
pub fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Cycles => "cycles",
        TimeUnit::Picoseconds => "ps",
        TimeUnit::Steps => "steps",
    }
}

/// The columns of events.
pub fn event_columns(nodes: &Nodes, unit: TimeUnit) -> Columns {
    let column = |of: &Of| {
        let (name, kind, help) = match of {
            Of::Time => (
                "time",
                Kind::Number(unit_name(unit)),
                "when: cycles, ps where nodes have clocks, steps in a record",
            ),
            Of::Cycle => ("cycle", Kind::Number("cycles"), "the node's own cycle"),
            Of::Kind => ("kind", Kind::names(&KINDS), "what happened"),
            Of::Packet => (
                "packet",
                Kind::Packet,
                "to which packet: source and serial number",
            ),
            Of::Port => ("port", nodes.port_names(), "at which port"),
            Of::Channel => (
                "channel",
                Kind::Number(""),
                "at which virtual channel; of a move, to which, or else from which",
            ),
            Of::From => ("from", place_names(), "from where a packet moves"),
            Of::FromPort => ("from.port", nodes.port_names(), "at which port that is"),
            Of::To => ("to", place_names(), "to where it moves"),
            Of::ToPort => ("to.port", nodes.port_names(), "at which port that is"),
            Of::Deroute => (
                "deroute",
                Kind::Flag,
                "whether that leads away from its destination",
            ),
            Of::Index => ("index", Kind::Number(""), "which word of its packet"),
            Of::Words => (
                "words",
                Kind::Number("words"),
                "how many words: of the packet, or of the worm that has left",
            ),
            Of::Latency => (
                "latency",
                Kind::Number("cycles"),
                "from its creation to its delivery",
            ),
            Of::Hops => ("hops", Kind::Number("links"), "links that it has crossed"),
            Of::Deroutes => (
                "deroutes",
                Kind::Number("links"),
                "those of them that led away",
            ),
        };
        Column::new(name, kind, help)
    };
    let node = nodes.columns("node", "where");
    let before = BEFORE.iter().map(column);
    Columns(before.chain(node).chain(AFTER.iter().map(column)).collect())
}

/// An event as a row.
#[derive(Clone, Copy, Debug)]
pub struct EventRow<'a> {
    /// The event.
    pub happening: &'a Happening,
    /// The network's nodes.
    pub nodes: &'a Nodes,
}

impl Row for EventRow<'_> {
    #[inline]
    fn value(&self, column: usize) -> Option<i64> {
        let own = self.nodes.axes() + 1;
        if column < BEFORE.len() {
            return self.of(BEFORE[column]);
        }
        match column - BEFORE.len() {
            place if place < own => self.nodes.value(self.happening.node, place),
            place => self.of(*AFTER.get(place - own)?),
        }
    }
}

impl EventRow<'_> {
    #[inline]
    fn of(&self, of: Of) -> Option<i64> {
        let Happening { time, cycle, .. } = self.happening;
        match of {
            Of::Time => Some(*time as i64),
            Of::Cycle => Some(cycle.get().into()),
            Of::Kind => Some(kind(self.happening)),
            Of::Packet => self.happening.packet().map(crate::language::packet_value),
            Of::Port => self.port().map(|port| port.0.into()),
            Of::Channel => self.channel().map(i64::from),
            Of::From => self.moved().map(|(from, _, _)| place_kind(from)),
            Of::FromPort => self.moved().and_then(|(from, _, _)| place_port(from)),
            Of::To => self.moved().map(|(_, to, _)| place_kind(to)),
            Of::ToPort => self.moved().and_then(|(_, to, _)| place_port(to)),
            Of::Deroute => self.moved().map(|(.., deroute)| deroute.into()),
            Of::Index => match self.happening.what {
                What::Word { index, .. } | What::Arrived { index, .. } => Some(index.into()),
                What::Event(_) => None,
            },
            Of::Words => match self.happening.what {
                What::Event(Event::Tail { words, .. }) => Some(words.into()),
                _ => self.whole().map(|packet| packet.words.into()),
            },
            Of::Latency => self.happening.latency().map(|it| it as i64),
            Of::Hops => self.happening.delivered().map(|it| it.hops.into()),
            Of::Deroutes => self.happening.delivered().map(|it| it.deroutes.into()),
        }
    }

    fn port(&self) -> Option<Port> {
        match self.happening.what {
            What::Event(
                Event::Head { port, .. } | Event::Tail { port, .. } | Event::Freed { port },
            )
            | What::Word { port, .. }
            | What::Arrived { port, .. } => Some(port),
            What::Event(_) => None,
        }
    }

    fn channel(&self) -> Option<u8> {
        match self.happening.what {
            What::Word { channel, .. } | What::Arrived { channel, .. } => Some(channel),
            What::Event(Event::Moved { from, to, .. }) => {
                place_parts(to).1.or_else(|| place_parts(from).1)
            }
            What::Event(_) => None,
        }
    }

    fn moved(&self) -> Option<(Place, Place, bool)> {
        match self.happening.what {
            What::Event(Event::Moved {
                from, to, deroute, ..
            }) => Some((from, to, deroute)),
            _ => None,
        }
    }

    /// The packet, where everything about it is known.
    fn whole(&self) -> Option<&Packet> {
        match &self.happening.what {
            What::Event(Event::Injected { packet } | Event::Delivered { packet }) => Some(packet),
            _ => None,
        }
    }
}

/// What happens, by its place among the names.
pub(crate) fn kind(it: &Happening) -> i64 {
    match it.what {
        What::Event(Event::Injected { .. }) => 0,
        What::Event(Event::Moved { .. }) => 1,
        What::Event(Event::Head { .. }) => 2,
        What::Event(Event::Tail { .. }) => 3,
        What::Event(Event::Freed { .. }) => 4,
        What::Event(Event::Delivered { .. }) => 5,
        What::Word { .. } => 6,
        What::Arrived { .. } => 7,
    }
}

/// The kinds of places in a node, by name.
pub fn place_names() -> Kind {
    Kind::names(&PLACES)
}

/// A place's kind, by its place among the [names](place_names).
pub fn place_kind(place: Place) -> i64 {
    match place {
        Place::Input(_) => 0,
        Place::Queue => 1,
        Place::Output(_) => 2,
        Place::InputChannel(..) => 3,
        Place::OutputChannel(..) => 4,
        Place::SideBuffer => 5,
        Place::Assembly => 6,
    }
}

/// The port that a place belongs to.
pub fn place_port(place: Place) -> Option<i64> {
    place_parts(place).0.map(|port| port.0.into())
}

/// The port and the virtual channel of a place.
pub fn place_parts(place: Place) -> (Option<Port>, Option<u8>) {
    match place {
        Place::Input(port) | Place::Output(port) => (Some(port), None),
        Place::InputChannel(port, channel) | Place::OutputChannel(port, channel) => {
            (Some(port), Some(channel))
        }
        Place::Queue | Place::SideBuffer | Place::Assembly => (None, None),
    }
}
