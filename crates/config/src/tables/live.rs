//! How nodes run concurrently: `[live]`.

use flitwork_live::{Options, Runtime, Slack};
use flitwork_schema::{
    self as schema, Allowed, Datum, Entry, Key, RawTable, Refusal, entries, key,
};
use flitwork_topology::{Shape, Topology};

/// The most messages that a channel between two nodes may hold.
const MAX_CHANNEL_MESSAGES: u64 = 65_536;

#[rustfmt::skip]
const KEYS: &[Key<Options>] = &[
    key("runtime", |it| &mut it.runtime, Allowed::Choice(Runtime::NAMES), "\"threads\"", "what runs the nodes: the program's own threads, or Tokio's tasks"),
    key("slack", |it| &mut it.slack, Allowed::WholeOr(0, 1_000_000, Slack::ANY), "4", "cycles by which a node may lead a neighbour; \"none\": any number"),
    key("workers", |it| &mut it.workers, Allowed::Whole(1, 1024), "2", "worker threads; with as many as nodes, each node has its own"),
    key("channel_capacity", |it| &mut it.channel_capacity, Allowed::Whole(1, MAX_CHANNEL_MESSAGES), "64, or 2 * (link_latency_cycles + 1) where that is more", "messages that a link holds each way; at least link_latency_cycles + 1"),
    key("burst_cycles", |it| &mut it.burst_cycles, Allowed::Whole(1, 4096), "1; tokio: 8", "cycles that a node may run in a row when its turn comes"),
    key("pinning", |it| &mut it.pinning, Allowed::Truth, "false", "whether each worker stays on a core of its own"),
];

/// The table.
pub(crate) fn table() -> Entry {
    let meaning = "how nodes run concurrently";
    let table = Entry::table("live", "all defaults", meaning, entries(KEYS));
    table.only_with("run.engine = \"live\"")
}

/// The given values, for a network's links.
///
/// # Errors
/// A conflict for channels that can't hold what is under way.
pub(crate) fn read(
    given: &RawTable<'_>,
    shape: &Shape,
    link_latency_cycles: u32,
) -> Result<Options, Refusal> {
    let longest_link_cycles = *shape.latencies(link_latency_cycles).end();
    let mut live = Options::new(longest_link_cycles);
    given.set(KEYS, &mut live);
    if !given.has("burst_cycles") {
        live.burst_cycles = live.runtime.usual_burst_cycles();
    }
    // A node may send a message in each cycle, and the far end takes the first one a latency later.
    let least = longest_link_cycles as usize + 1;
    if live.channel_capacity < least {
        let latency = match longest_link_cycles == link_latency_cycles {
            true => "link_latency_cycles",
            false => "the longest link's cycles",
        };
        let allowed = format!("{least} to {MAX_CHANNEL_MESSAGES}: {latency} + 1 or more");
        return Err(given.conflict("channel_capacity", allowed));
    }
    Ok(live)
}

pub(crate) fn settings(live: &Options) -> Vec<(&'static str, Datum)> {
    schema::settings(KEYS, live)
}
