//! Rows as people and programs read them.

use crate::language::{Columns, Kind, Row};
use flitwork_types::{PacketId, TerminalId};
use std::fmt;

/// What a row has in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Missing,
    /// A number.
    Number(i64),
    /// True or false.
    Flag(bool),
    /// A name.
    Name(String),
    /// A packet.
    Packet(PacketId),
}

/// What a row has in each column.
pub fn cells(row: &impl Row, columns: &Columns) -> Vec<Cell> {
    let all = columns.0.iter().enumerate();
    let cell = |(place, column): (usize, &crate::language::Column)| {
        let Some(value) = row.value(place) else {
            return Cell::Missing;
        };
        match &column.kind {
            Kind::Number(_) => Cell::Number(value),
            Kind::Flag => Cell::Flag(value == 1),
            Kind::Name(names) => {
                let name = usize::try_from(value)
                    .ok()
                    .and_then(|place| names.get(place));
                name.map_or(Cell::Missing, |name| Cell::Name(name.clone()))
            }
            Kind::Packet => Cell::Packet(PacketId {
                source: TerminalId((value >> 32) as u32),
                serial: value as u32,
            }),
        }
    };
    all.map(cell).collect()
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Missing => f.pad("-"),
            Cell::Number(number) => f.pad(&number.to_string()),
            Cell::Flag(true) => f.pad("yes"),
            Cell::Flag(false) => f.pad("no"),
            Cell::Name(name) => f.pad(name),
            Cell::Packet(packet) => f.pad(&format!("{}.{}", packet.source, packet.serial)),
        }
    }
}
