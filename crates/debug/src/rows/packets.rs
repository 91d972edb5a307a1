//! Packets as rows.

use super::Nodes;
use super::column::{ColumnOf, column};
use crate::language::{Column, Columns, Kind, Row, packet_value};
use flitwork_trace::index::PacketRow;
use flitwork_types::{Cycle, Loss};

/// What became of a packet, by name.
const STATES: [&str; 4] = ["delivered", "in network", "waiting", "lost"];

/// Why packets are lost, by name.
const LOSSES: [&str; Loss::ALL.len()] = {
    let mut names = [""; Loss::ALL.len()];
    let mut number = 0;
    while number < names.len() {
        names[number] = Loss::ALL[number].name();
        number += 1;
    }
    names
};

/// The columns behind those of the source and the destination.
#[rustfmt::skip]
const COLUMNS: &[ColumnOf<PacketRow>] = &[
    column("class", |_| Kind::Number(""), "its class", |it| it.class.map(i64::from)),
    column("words", |_| Kind::Number("words"), "its length", |it| Some(it.words.into())),
    column("trace_id", |_| Kind::Number(""), "what its trace calls it", |it| it.trace_id.map(|id| id as i64)),
    column("created", |_| Kind::Number("cycle"), "in which it was made", |it| cycle(Some(it.created))),
    column("injected", |_| Kind::Number("cycle"), "in which its head entered the injection frame", |it| cycle(it.injected)),
    column("delivered", |_| Kind::Number("cycle"), "in which it was delivered", |it| cycle(it.delivered)),
    column("latency", |_| Kind::Number("cycles"), "from its creation to its delivery", |it| it.latency.map(|it| it as i64)),
    column("hops", |_| Kind::Number("links"), "that it crossed", |it| it.hops.map(i64::from)),
    column("deroutes", |_| Kind::Number("links"), "those of them that led away from its destination", |it| it.deroutes.map(i64::from)),
    column("state", |_| Kind::names(&STATES), "what became of it", |it| Some(state(it))),
    column("created_ps", |_| Kind::Number("ps"), "when it was made, on the engine clocked", |it| time(it.created_ps)),
    column("injected_ps", |_| Kind::Number("ps"), "when its head entered the injection frame, on the engine clocked", |it| time(it.injected_ps)),
    column("delivered_ps", |_| Kind::Number("ps"), "when it was delivered, on the engine clocked", |it| time(it.delivered_ps)),
    column("latency_ps", |_| Kind::Number("ps"), "from its creation to its delivery, on the engine clocked", |it| time(it.latency_ps())),
    column("lost", |_| Kind::Number("cycle"), "in which it was lost", |it| cycle(it.lost.map(|(lost, _)| lost))),
    column("loss", |_| Kind::names(&LOSSES), "why it was lost", |it| it.lost.map(|(_, loss)| loss as i64)),
];

fn cycle(cycle: Option<Cycle>) -> Option<i64> {
    cycle.map(|it| it.get().into())
}

fn time(ps: Option<u64>) -> Option<i64> {
    ps.and_then(|it| it.try_into().ok())
}

/// What became of a packet, by its place among the names.
fn state(row: &PacketRow) -> i64 {
    match (row.delivered, row.injected) {
        _ if row.lost.is_some() => 3,
        (Some(_), _) => 0,
        (None, Some(_)) => 1,
        (None, None) => 2,
    }
}

/// The columns of packets.
pub fn packet_columns(nodes: &Nodes) -> Columns {
    let packet = Column::new("packet", Kind::Packet, "its source and serial number");
    let mut columns = vec![packet];
    columns.extend(nodes.columns("source", "the node that made it"));
    columns.extend(nodes.columns("destination", "the node that it goes to"));
    columns.extend(COLUMNS.iter().map(|column| column.of(nodes)));
    Columns(columns)
}

impl Row for (&PacketRow, &Nodes) {
    fn value(&self, column: usize) -> Option<i64> {
        let (row, nodes) = self;
        let each = nodes.axes() + 1;
        match column {
            0 => row.packet().map(packet_value),
            own if own <= each => nodes.terminal_value(row.source, own - 1),
            own if own <= 2 * each => nodes.terminal_value(row.destination?, own - 1 - each),
            own => COLUMNS.get(own - 1 - 2 * each)?.value(row),
        }
    }
}
