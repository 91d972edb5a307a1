//! Packets as rows.

use super::Nodes;
use crate::language::{Column, Columns, Kind, Row, packet_value};
use flitwork_trace::index::PacketRow;
use flitwork_types::Cycle;

/// What became of a packet, by name.
const STATES: [&str; 3] = ["delivered", "in network", "waiting"];

/// The columns of packets.
pub fn packet_columns(nodes: &Nodes) -> Columns {
    let number = |name: &str, unit, help: &str| Column::new(name, Kind::Number(unit), help);
    let mut columns = vec![Column::new(
        "packet",
        Kind::Packet,
        "its source and serial number",
    )];
    columns.extend(nodes.columns("source", "the node that made it"));
    columns.extend(nodes.columns("destination", "the node that it goes to"));
    columns.extend([
        number("class", "", "its class"),
        number("words", "words", "its length"),
        number("trace_id", "", "what its trace calls it"),
        number("created", "cycle", "in which it was made"),
        number(
            "injected",
            "cycle",
            "in which its head entered the injection frame",
        ),
        number("delivered", "cycle", "in which it was delivered"),
        number("latency", "cycles", "from its creation to its delivery"),
        number("hops", "links", "that it crossed"),
        number(
            "deroutes",
            "links",
            "those of them that led away from its destination",
        ),
        Column::new("state", Kind::names(&STATES), "what became of it"),
        number(
            "created_ps",
            "ps",
            "when it was made, on the engine clocked",
        ),
        number(
            "injected_ps",
            "ps",
            "when its head entered the injection frame, on the engine clocked",
        ),
        number(
            "delivered_ps",
            "ps",
            "when it was delivered, on the engine clocked",
        ),
        number(
            "latency_ps",
            "ps",
            "from its creation to its delivery, on the engine clocked",
        ),
    ]);
    Columns(columns)
}

impl Row for (&PacketRow, &Nodes) {
    fn value(&self, column: usize) -> Option<i64> {
        let (row, nodes) = self;
        let each = nodes.axes() + 1;
        if column == 0 {
            return row.packet().map(packet_value);
        }
        if column <= each {
            return nodes.value(row.source, column - 1);
        }
        if column <= 2 * each {
            return nodes.value(row.destination?, column - 1 - each);
        }
        let cycle = |cycle: Option<Cycle>| cycle.map(|it| i64::from(it.get()));
        let time = |ps: Option<u64>| ps.and_then(|it| i64::try_from(it).ok());
        match column - 1 - 2 * each {
            0 => row.class.map(i64::from),
            1 => Some(row.words.into()),
            2 => row.trace_id.map(|id| id as i64),
            3 => cycle(Some(row.created)),
            4 => cycle(row.injected),
            5 => cycle(row.delivered),
            6 => row.latency.map(|it| it as i64),
            7 => row.hops.map(i64::from),
            8 => row.deroutes.map(i64::from),
            9 => Some(match (row.delivered, row.injected) {
                (Some(_), _) => 0,
                (None, Some(_)) => 1,
                (None, None) => 2,
            }),
            10 => time(row.created_ps),
            11 => time(row.injected_ps),
            12 => time(row.delivered_ps),
            13 => time(row.latency_ps()),
            _ => None,
        }
    }
}
