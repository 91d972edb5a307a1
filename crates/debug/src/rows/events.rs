//! Events as rows.

use super::Nodes;
use super::column::{ColumnOf, column};
use crate::gather::{Happening, What};
use crate::language::{Column, Columns, Kind, Row, packet_value};
use flitwork_engine::TimeUnit;
use flitwork_node::{Event, PassingWord, Place};
use flitwork_types::Port;

/// What happens, by name.
const KINDS: [&str; 9] = [
    "injected",
    "moved",
    "head",
    "tail",
    "freed",
    "delivered",
    "word",
    "arrived",
    "lost",
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

/// The columns behind those of the node.
#[rustfmt::skip]
const COLUMNS: &[ColumnOf<Happening>] = &[
    column("kind", |_| Kind::names(&KINDS), "what happened", |it| Some(kind(it))),
    column("packet", |_| Kind::Packet, "to which packet: source and serial number", |it| it.packet().map(packet_value)),
    column("port", Nodes::port_names, "at which port", |it| port(it).map(|port| port.0.into())),
    column("channel", |_| Kind::Number(""), "at which virtual channel; of a move, to which, or else from which", |it| channel(it).map(i64::from)),
    column("from", |_| place_names(), "from where a packet moves", |it| moved(it).map(|(from, _, _)| place_kind(from))),
    column("from.port", Nodes::port_names, "at which port that is", |it| moved(it).and_then(|(from, _, _)| place_port(from))),
    column("to", |_| place_names(), "to where it moves", |it| moved(it).map(|(_, to, _)| place_kind(to))),
    column("to.port", Nodes::port_names, "at which port that is", |it| moved(it).and_then(|(_, to, _)| place_port(to))),
    column("deroute", |_| Kind::Flag, "whether that leads away from its destination", |it| moved(it).map(|(.., deroute)| deroute.into())),
    column("index", |_| Kind::Number(""), "which word of its packet", index),
    column("words", |_| Kind::Number("words"), "how many words: of the packet, or of the worm that has left", words),
    column("latency", |_| Kind::Number("cycles"), "from its creation to its delivery", |it| it.latency().map(|it| it as i64)),
    column("hops", |_| Kind::Number("links"), "links that it has crossed", |it| it.delivered().map(|it| it.hops.into())),
    column("deroutes", |_| Kind::Number("links"), "those of them that led away", |it| it.delivered().map(|it| it.deroutes.into())),
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
    let when = "when: cycles, ps where nodes have clocks, steps in a record";
    let mut columns = vec![
        Column::new("time", Kind::Number(unit_name(unit)), when),
        Column::new("cycle", Kind::Number("cycles"), "the node's own cycle"),
    ];
    columns.extend(nodes.columns("node", "where"));
    columns.extend(COLUMNS.iter().map(|column| column.of(nodes)));
    Columns(columns)
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
        let Happening {
            time, cycle, node, ..
        } = self.happening;
        let own = self.nodes.axes() + 1;
        match column {
            0 => Some(*time as i64),
            1 => Some(cycle.get().into()),
            place if place < 2 + own => self.nodes.value(*node, place - 2),
            place => COLUMNS.get(place - 2 - own)?.value(self.happening),
        }
    }
}

fn port(it: &Happening) -> Option<Port> {
    match it.what {
        What::Event(
            Event::Head { port, .. }
            | Event::Tail { port, .. }
            | Event::Freed { port }
            | Event::Lost { port, .. },
        )
        | What::Word(PassingWord { port, .. })
        | What::Arrived(PassingWord { port, .. }) => Some(port),
        What::Event(_) => None,
    }
}

fn channel(it: &Happening) -> Option<u8> {
    match it.what {
        What::Word(word) | What::Arrived(word) => Some(word.channel),
        What::Event(Event::Moved { from, to, .. }) => {
            place_parts(to).1.or_else(|| place_parts(from).1)
        }
        What::Event(_) => None,
    }
}

fn moved(it: &Happening) -> Option<(Place, Place, bool)> {
    match it.what {
        What::Event(Event::Moved {
            from, to, deroute, ..
        }) => Some((from, to, deroute)),
        _ => None,
    }
}

fn index(it: &Happening) -> Option<i64> {
    match it.what {
        What::Word(word) | What::Arrived(word) => Some(word.index.into()),
        What::Event(_) => None,
    }
}

fn words(it: &Happening) -> Option<i64> {
    match it.what {
        What::Event(Event::Tail { words, .. }) => Some(words.into()),
        What::Event(
            Event::Injected { packet } | Event::Delivered { packet } | Event::Lost { packet, .. },
        ) => Some(packet.words.into()),
        _ => None,
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
        What::Word(_) => 6,
        What::Arrived(_) => 7,
        What::Event(Event::Lost { .. }) => 8,
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
