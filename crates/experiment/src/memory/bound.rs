//! An upper bound on what a node needs, from the configuration's figures alone.
//!
//! It is generous, since it only decides whether to measure at all: small networks never are.

use flitwork_config::{EngineChoice, Resolved};
use flitwork_topology::Topology;

/// Bytes of registers, sources, statistics and whatever else has a fixed size per node.
const FIXED_BYTES: u64 = 16 << 10;
/// Bytes of a word, a message or a packet wherever it is, with what is kept about it.
const WORD_BYTES: u64 = 64;

/// Bytes per node.
pub(super) fn bytes_a_node(resolved: &Resolved) -> u64 {
    let shape = &resolved.network.shape;
    let ports = (shape.ports() + shape.locals()) as u64;
    let buffered = resolved.router.held_words(ports);
    let network = &resolved.network;
    let under_way = match resolved.run.engine {
        EngineChoice::Clocked => 2 * u64::from(network.links.capacity_words) + 16,
        EngineChoice::Live => 2 * resolved.live.channel_capacity as u64 + 64,
        _ => 2 * (u64::from(network.longest_link_cycles()) + 1),
    };
    // Packets that a source has made wait in it.
    let made = resolved.run.deadline_cycles.min(1 << 10);
    let queued = resolved.traffic.packets_waiting();
    let queued = u64::from(queued.unwrap_or(made));
    let words = buffered
        .saturating_add(under_way.saturating_mul(ports))
        .saturating_add(queued);
    words.saturating_mul(WORD_BYTES).saturating_add(FIXED_BYTES)
}
