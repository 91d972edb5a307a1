//! Intervals as a table.

use super::{Interval, OverTime};
use flitwork_report::{Column, Header, column, csv_table};

/// An interval, with what is computed from it and the run.
pub(crate) struct Row {
    interval: Interval,
    phase: &'static str,
    offered: f64,
    accepted: f64,
    link_utilisation: f64,
}

/// What the columns of the table are.
pub fn headers() -> Vec<Header> {
    flitwork_report::headers(&columns())
}

/// The columns; names, units and types are those of the whole run's figures.
#[rustfmt::skip]
fn columns() -> [Column<Row>; 17] {
    const LOAD: &str = "words/node/cycle";
    [
        column("from_cycle", "cycle", "the first cycle", |it: &Row| it.interval.from.get()),
        column("to_cycle", "cycle", "the first behind it; the end of the run cuts the last interval, to which all counts that comes later: words behind a head that counted as delivered, and what an engine had reported ahead", |it: &Row| it.interval.to.get()),
        column("phase", "", "`warm-up`, `measured`, `drain`, or `mixed` where the window begins or ends within", |it: &Row| it.phase),
        column("packets_created", "packets", "made by the sources", |it: &Row| it.interval.created_packets),
        column("words_created", "words", "of these packets", |it: &Row| it.interval.created_words),
        column("offered_load_words_per_node_cycle", LOAD, "the same words by nodes and cycles", |it: &Row| it.offered),
        column("packets_injected", "packets", "entered the network", |it: &Row| it.interval.injected_packets),
        column("packets_delivered", "packets", "were delivered", |it: &Row| it.interval.delivered_packets),
        column("words_delivered", "words", "of these packets", |it: &Row| it.interval.delivered_words),
        column("accepted_load_words_per_node_cycle", LOAD, "the same words by nodes and cycles", |it: &Row| it.accepted),
        column("latency_mean_cycles", "cycles", "from creation to delivery, of the packets delivered in the interval", |it: &Row| it.interval.latency_mean_cycles()),
        column("latency_max_cycles", "cycles", "the greatest of them", |it: &Row| Some(it.interval.latency_max_cycles).filter(|_| it.interval.delivered_packets > 0)),
        column("network_latency_mean_cycles", "cycles", "the same from the injection frame", |it: &Row| it.interval.network_latency_mean_cycles()),
        column("packets_in_sources", "packets", "in the sources' queues at the interval's end", |it: &Row| it.interval.backlog_packets),
        column("packets_in_network", "packets", "in the network at its end", |it: &Row| it.interval.in_network_packets),
        column("link_words", "words", "over links", |it: &Row| it.interval.link_words),
        column("link_utilisation_mean", "words/cycle", "the same a link and cycle", |it: &Row| it.link_utilisation),
    ]
}

/// The intervals as comma-separated values, a row each.
pub fn csv(over_time: &OverTime) -> Vec<u8> {
    let rows = over_time.intervals.iter().map(|interval| Row {
        interval: *interval,
        phase: over_time.phase(interval),
        offered: over_time.offered(interval),
        accepted: over_time.accepted(interval),
        link_utilisation: over_time.link_utilisation(interval),
    });
    csv_table(&columns(), rows)
}
