//! A packet's row.

use flitwork_debug::rows::PacketRow;
use flitwork_report::{Cell, Column, Header, column};
use std::sync::LazyLock;

/// How many columns a row has.
pub(super) const COLUMNS: usize = 18;

/// What the columns of the table are.
pub fn headers() -> Vec<Header> {
    flitwork_report::headers(&columns())
}

/// The columns, in their order.
#[rustfmt::skip]
fn columns() -> [Column<PacketRow>; COLUMNS] {
    [
        column("source", "", "the node that made it", |it: &PacketRow| it.source.0),
        column("serial", "", "its number among its source's packets, in the order in which they entered the network", |it: &PacketRow| it.serial),
        column("destination", "", "the node that it goes to", |it: &PacketRow| Some(it.destination?.0)),
        column("class", "", "its class, of [workloads](workloads.md) and [traces](traces.md) with several; otherwise 0", |it: &PacketRow| it.class),
        column("words", "words", "its length", |it: &PacketRow| it.words),
        column("trace_id", "", "what its [trace](traces.md) calls it", |it: &PacketRow| it.trace_id),
        column("created_cycle", "cycle", "in which its source made it", |it: &PacketRow| it.created.get()),
        column("injected_cycle", "cycle", "in which its head entered the injection frame", |it: &PacketRow| Some(it.injected?.get())),
        column("delivered_cycle", "cycle", "in which its last word was delivered", |it: &PacketRow| Some(it.delivered?.get())),
        column("latency_cycles", "cycles", "from creation to delivery, by the counts of the nodes on its way: under one clock the difference of the two cycles. In a live run nodes may lead each other, and that lead is taken out", |it: &PacketRow| it.latency),
        column("hops", "links", "links that it crossed", |it: &PacketRow| it.hops),
        column("deroutes", "links", "those of them through an unproductive port", |it: &PacketRow| it.deroutes),
        column("created_ps", "ps", "when its cycle of the nominal clock began, on the engine `clocked`", |it: &PacketRow| it.created_ps),
        column("injected_ps", "ps", "when its head entered the injection frame, on the engine `clocked`", |it: &PacketRow| it.injected_ps),
        column("delivered_ps", "ps", "when its last word was delivered, on the engine `clocked`", |it: &PacketRow| it.delivered_ps),
        column("latency_ps", "ps", "from creation to delivery, on the engine `clocked`", PacketRow::latency_ps),
        column("lost_cycle", "cycle", "in which it was [lost](faults.md)", |it: &PacketRow| Some(it.lost?.0.get())),
        column("loss", "", "why it was lost: `failed-link`, `cut`, `no-path` or `failed-router`", |it: &PacketRow| Some(it.lost?.1.name())),
    ]
}

/// A row's cells, one per column.
pub(super) fn cells(row: &PacketRow) -> [Cell; COLUMNS] {
    static COLUMNS_OF: LazyLock<[Column<PacketRow>; COLUMNS]> = LazyLock::new(columns);
    COLUMNS_OF.each_ref().map(|column| column.cell(row))
}
