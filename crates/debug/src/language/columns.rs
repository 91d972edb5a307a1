//! What questions can be asked about.

use flitwork_types::PacketId;

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number; in this unit, unless it is empty.
    Number(&'static str),
    /// True or false.
    Flag,
    /// One of these names; a row gives the place of one.
    Name(Vec<String>),
    /// A packet; a row gives its source and serial number as one number.
    Packet,
}

impl Kind {
    /// One of these names.
    pub fn names(names: &[&str]) -> Kind {
        Kind::Name(names.iter().map(|name| (*name).to_owned()).collect())
    }
}

/// A column that rows have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What a question calls it.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// What it says, in a line.
    pub help: String,
}

impl Column {
    /// A column.
    pub fn new(name: &str, kind: Kind, help: &str) -> Column {
        Column {
            name: name.to_owned(),
            kind,
            help: help.to_owned(),
        }
    }
}

/// The columns of a kind of rows, in the order in which they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns(pub Vec<Column>);

impl Columns {
    /// The place of a column.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|column| column.name == name)
    }

    /// All names, separated by commas.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|column| &*column.name).collect();
        names.join(", ")
    }
}

/// A row.
pub trait Row {
    /// What it has in the column at a place: a number, 0 or 1 for a flag, the place of a name, a packet's
    /// [number](PacketId::as_u64).
    fn value(&self, column: usize) -> Option<i64>;
}

/// A packet's number as a row gives it.
pub fn packet_value(packet: PacketId) -> i64 {
    // A source's number has at most 24 bits.
    packet.as_u64() as i64
}
