//! The signals of a node, and what they have when it holds something.

use flitwork_debug::rows::{Nodes, place_kind, place_parts};
use flitwork_node::{Buffer, Part, Place, Value, View};
use flitwork_types::{NodeId, PacketId};

/// What a signal is about, by name.
pub(super) const KINDS: [&str; 6] = ["packets", "words", "packet", "register", "credit", "link"];

/// What a signal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// How many packets are in a buffer.
    Packets,
    /// How many words are in a buffer.
    Words,
    /// A packet in a buffer: the first to leave is 0.
    Packet(u16),
    /// A register; where a place has several of one name, they are numbered.
    Register(&'static str, u16),
    /// The room at the far end of a link.
    Credit,
    /// The word that leaves over a link.
    Link,
}

impl Subject {
    /// Its kind, by its place among [`KINDS`].
    pub(super) fn kind(self) -> i64 {
        match self {
            Subject::Packets => 0,
            Subject::Words => 1,
            Subject::Packet(_) => 2,
            Subject::Register(..) => 3,
            Subject::Credit => 4,
            Subject::Link => 5,
        }
    }
}

/// A part of what a signal is about: each is a signal of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Piece {
    /// All of it.
    Whole,
    /// A packet's source.
    Source,
    /// A packet's serial number.
    Serial,
    /// The first word.
    First,
    /// How many words.
    Words,
    /// Which word.
    Index,
    /// A place's kind: its place among the names of places.
    Kind,
    /// A place's or a word's port.
    Port,
    /// A place's or a word's virtual channel.
    Channel,
}

/// How a signal's values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// As a whole number, in decimals.
    Number,
    /// As so many bits, a port each.
    Bits(u8),
    /// As yes or no.
    Flag,
}

/// Which signal of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) at: Option<Place>,
    pub(super) subject: Subject,
    pub(super) piece: Piece,
}

/// A signal.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    /// Its node.
    pub(crate) node: NodeId,
    /// The scope in the node, if it is in one.
    pub(crate) scope: Option<String>,
    /// Its name in the scope.
    pub(crate) name: String,
    /// How it is shown.
    pub(crate) shape: Shape,
    /// The greatest value that it takes.
    pub(crate) greatest: u64,
}

impl Signal {
    /// How many bits it has. Numbers have a sign, so that programs show them as such.
    pub(crate) fn width(&self) -> u32 {
        match self.shape {
            Shape::Flag => 1,
            Shape::Bits(bits) => bits.into(),
            Shape::Number if self.greatest < 1 << 31 => 32,
            Shape::Number => 64,
        }
    }
}

/// A signal, how it is shown, and what it has.
pub(super) type Held = (Key, Shape, Option<u64>);

/// What each of a node's signals has but those of the links.
pub(super) fn of_view(view: &View, ports: u8) -> Vec<Held> {
    let mut all = Vec::new();
    let mut put = |key, shape, value| all.push((key, shape, value));
    for buffer in &view.buffers {
        each_of_buffer(buffer, &mut put);
    }
    for credit in &view.credits {
        let key = Key {
            at: Some(Place::OutputChannel(credit.port, credit.channel)),
            subject: Subject::Credit,
            piece: Piece::Whole,
        };
        put(key, Shape::Number, Some(credit.room.into()));
    }
    for (number, register) in view.registers.iter().enumerate() {
        let is_like =
            |it: &&flitwork_node::Register| (it.name, it.at) == (register.name, register.at);
        let before = view.registers[..number].iter().filter(is_like).count();
        let subject = Subject::Register(register.name, before as u16);
        let mut piece = |piece, shape, value| {
            let at = register.at;
            put(Key { at, subject, piece }, shape, value);
        };
        each_of_value(register.value, ports, &mut piece);
    }
    all
}

fn each_of_buffer(buffer: &Buffer, put: &mut impl FnMut(Key, Shape, Option<u64>)) {
    let at = Some(buffer.place);
    let mut whole = |subject, value: u64| {
        let piece = Piece::Whole;
        put(Key { at, subject, piece }, Shape::Number, Some(value));
    };
    whole(Subject::Packets, buffer.held.len() as u64);
    let words = buffer.held.iter().map(|part| u64::from(part.words)).sum();
    whole(Subject::Words, words);
    for (number, part) in buffer.held.iter().enumerate() {
        let Part {
            packet,
            first,
            words,
        } = *part;
        let subject = Subject::Packet(number as u16);
        for (piece, value) in [
            (Piece::Source, packet.source.0),
            (Piece::Serial, packet.serial),
            (Piece::First, first.into()),
            (Piece::Words, words.into()),
        ] {
            put(
                Key { at, subject, piece },
                Shape::Number,
                Some(value.into()),
            );
        }
    }
}

fn each_of_value(value: Value, ports: u8, put: &mut impl FnMut(Piece, Shape, Option<u64>)) {
    match value {
        Value::Number(number) => put(Piece::Whole, Shape::Number, Some(number)),
        Value::Cycles(cycles) => put(Piece::Whole, Shape::Number, Some(cycles.into())),
        Value::Port(port) => put(Piece::Whole, Shape::Number, Some(port.0.into())),
        Value::Ports(set) => put(Piece::Whole, Shape::Bits(ports), Some(set.0)),
        Value::Flag(flag) => put(Piece::Whole, Shape::Flag, Some(flag.into())),
        Value::Packet(PacketId { source, serial }) => {
            put(Piece::Source, Shape::Number, Some(source.0.into()));
            put(Piece::Serial, Shape::Number, Some(serial.into()));
        }
        Value::Place(place) => {
            let (port, channel) = place_parts(place);
            let kind = place_kind(place);
            put(Piece::Kind, Shape::Number, u64::try_from(kind).ok());
            put(Piece::Port, Shape::Number, port.map(|port| port.0.into()));
            put(Piece::Channel, Shape::Number, channel.map(u64::from));
        }
    }
}

/// A signal's scope in its node, and its name there.
pub(super) fn called(key: &Key, nodes: &Nodes) -> (Option<String>, String) {
    let piece = match key.piece {
        Piece::Whole => "",
        Piece::Source => "_source",
        Piece::Serial => "_serial",
        Piece::First => "_first",
        Piece::Words => "_words",
        Piece::Index => "_index",
        Piece::Kind => "_kind",
        Piece::Port => "_port",
        Piece::Channel => "_channel",
    };
    let (scope, subject) = match (key.subject, key.at) {
        // A link is no place of the node, and has one name whether it has channels or not.
        (Subject::Link, Some(Place::Output(port))) => (
            Some(format!("link_{}", plain(nodes.port(port)))),
            "word".to_owned(),
        ),
        (Subject::Credit, Some(Place::OutputChannel(port, channel))) => {
            let name = format!("{}_channel_{channel}", plain(nodes.port(port)));
            (Some("room_behind".to_owned()), name)
        }
        (subject, at) => {
            let scope = at.map(|place| plain(&nodes.place(place)));
            (scope, named(subject))
        }
    };
    (scope, format!("{subject}{piece}"))
}

fn named(subject: Subject) -> String {
    match subject {
        Subject::Packets => "packets".to_owned(),
        Subject::Words => "words".to_owned(),
        Subject::Packet(number) => format!("packet{number}"),
        Subject::Register(name, 0) => plain(name),
        Subject::Register(name, number) => format!("{}_{number}", plain(name)),
        Subject::Credit => "room".to_owned(),
        Subject::Link => "word".to_owned(),
    }
}

/// A name as waveforms allow it: letters, digits and underscores, and no digit first.
pub(crate) fn plain(name: &str) -> String {
    // The ports of an axis differ in their signs.
    let name = match name.split_at_checked(1) {
        Some(("+", rest)) => format!("p{rest}"),
        Some(("-", rest)) => format!("m{rest}"),
        _ => name.replace(" +", "_p").replace(" -", "_m"),
    };
    let plain = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter,
        false => '_',
    };
    let name: String = name.chars().filter(|it| *it != '\'').map(plain).collect();
    match name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => name,
        false => format!("_{name}"),
    }
}
