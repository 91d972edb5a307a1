//! A packet's row.

use super::Times;
use flitwork_debug::rows::PacketRow;
use flitwork_report::{Cell, Column, Header, column};
use flitwork_traffic::TraceId;
use flitwork_types::{Cycle, NodeId, Packet};
use std::sync::LazyLock;

/// How many columns a row has.
pub(super) const COLUMNS: usize = 16;

/// What is known of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(super) source: NodeId,
    pub(super) created: Cycle,
    pub(super) words: u16,
    pub(super) id: Option<TraceId>,
    /// Where it entered the network.
    pub(super) injected: Option<Packet>,
    /// Where it was delivered: by the network's nominal clock, and its latency.
    pub(super) delivered: Option<(Cycle, u64)>,
    /// When it was made, injected and delivered, where nodes have clocks of their own.
    pub(super) created_ps: Option<u64>,
    pub(super) injected_ps: Option<u64>,
    pub(super) delivered_ps: Option<u64>,
}

/// What the columns of the table are.
pub fn headers() -> Vec<Header> {
    flitwork_report::headers(&columns())
}

/// The columns, in their order.
#[rustfmt::skip]
fn columns() -> [Column<Row>; COLUMNS] {
    [
        column("source", "", "the node that made it", |it: &Row| it.source.0),
        column("serial", "", "its number among its source's packets, in the order in which they entered the network", |it: &Row| Some(it.injected?.id.serial)),
        column("destination", "", "the node that it goes to", |it: &Row| Some(it.injected?.destination.0)),
        column("class", "", "its class, of [workloads](workloads.md) and [traces](traces.md) with several; otherwise 0", |it: &Row| Some(it.injected?.class)),
        column("words", "words", "its length", |it: &Row| it.words),
        column("trace_id", "", "what its [trace](traces.md) calls it", |it: &Row| Some(it.id?.0)),
        column("created_cycle", "cycle", "in which its source made it", |it: &Row| it.created.get()),
        column("injected_cycle", "cycle", "in which its head entered the injection frame", |it: &Row| Some(it.injected?.injected.get())),
        column("delivered_cycle", "cycle", "in which its last word was delivered", |it: &Row| Some(it.delivered?.0.get())),
        column("latency_cycles", "cycles", "from creation to delivery, by the counts of the nodes on its way: under one clock the difference of the two cycles. In a live run nodes may lead each other, and that lead is taken out", |it: &Row| Some(it.delivered?.1)),
        column("hops", "links", "links that it crossed", |it: &Row| it.delivered.and(it.injected).map(|packet| packet.hops)),
        column("deroutes", "links", "those of them through an unproductive port", |it: &Row| it.delivered.and(it.injected).map(|packet| packet.deroutes)),
        column("created_ps", "ps", "when its cycle of the nominal clock began, on the engine `clocked`", |it: &Row| it.created_ps),
        column("injected_ps", "ps", "when its head entered the injection frame, on the engine `clocked`", |it: &Row| it.injected_ps),
        column("delivered_ps", "ps", "when its last word was delivered, on the engine `clocked`", |it: &Row| it.delivered_ps),
        column("latency_ps", "ps", "from creation to delivery, on the engine `clocked`", |it: &Row| Some(it.delivered_ps? - it.created_ps?)),
    ]
}

impl Row {
    /// The same, which was injected then.
    pub(super) fn injected_at(self, times: Option<Times>) -> Row {
        Row {
            injected_ps: times.map(|it| it.now_ps),
            ..self
        }
    }

    /// What is known of the packet, in numbers.
    pub(crate) fn facts(&self) -> PacketRow {
        let Row {
            injected,
            delivered,
            ..
        } = self;
        let arrived = injected.filter(|_| delivered.is_some());
        PacketRow {
            source: self.source,
            serial: injected.map(|packet| packet.id.serial),
            destination: injected.map(|packet| packet.destination),
            class: injected.map(|packet| packet.class),
            words: self.words,
            trace_id: self.id.map(|id| id.0),
            created: self.created,
            injected: injected.map(|packet| packet.injected),
            delivered: delivered.map(|(cycle, _)| cycle),
            latency: delivered.map(|(_, latency)| latency),
            hops: arrived.map(|packet| packet.hops),
            deroutes: arrived.map(|packet| packet.deroutes),
            created_ps: self.created_ps,
            injected_ps: self.injected_ps,
            delivered_ps: self.delivered_ps,
        }
    }

    /// Its cells, one per column.
    pub(super) fn cells(&self) -> [Cell; COLUMNS] {
        static COLUMNS_OF: LazyLock<[Column<Row>; COLUMNS]> = LazyLock::new(columns);
        COLUMNS_OF.each_ref().map(|column| column.cell(self))
    }
}
