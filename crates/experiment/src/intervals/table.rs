//! Intervals as a table.

use super::{Interval, OverTime};
use crate::report::tables::Table;

const COLUMNS: [&str; 17] = [
    "from_cycle",
    "to_cycle",
    "phase",
    "packets_created",
    "words_created",
    "offered_load_words_per_node_cycle",
    "packets_injected",
    "packets_delivered",
    "words_delivered",
    "accepted_load_words_per_node_cycle",
    "latency_mean_cycles",
    "latency_max_cycles",
    "network_latency_mean_cycles",
    "backlog_packets",
    "in_network_packets",
    "link_words",
    "link_utilisation_mean",
];

/// The intervals as comma-separated values, a row each; a latency's cell is empty where no packet was
/// delivered.
pub fn csv(over_time: &OverTime) -> Vec<u8> {
    let mut table = Table::new(COLUMNS);
    for interval in &over_time.intervals {
        table.put(row(over_time, interval));
    }
    table.bytes()
}

fn row(over_time: &OverTime, interval: &Interval) -> [String; 17] {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let max = interval.latency_max_cycles;
    let max = (interval.delivered_packets > 0).then(|| max.to_string());
    [
        interval.from.to_string(),
        interval.to.to_string(),
        over_time.phase(interval).to_owned(),
        interval.created_packets.to_string(),
        interval.created_words.to_string(),
        over_time.offered(interval).to_string(),
        interval.injected_packets.to_string(),
        interval.delivered_packets.to_string(),
        interval.delivered_words.to_string(),
        over_time.accepted(interval).to_string(),
        number(interval.latency_mean_cycles()),
        max.unwrap_or_default(),
        number(interval.network_latency_mean_cycles()),
        interval.backlog_packets.to_string(),
        interval.in_network_packets.to_string(),
        interval.link_words.to_string(),
        over_time.link_utilisation(interval).to_string(),
    ]
}
