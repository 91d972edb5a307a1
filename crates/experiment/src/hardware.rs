//! What is known about a configuration's hardware.

use crate::around::around;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_node::Datapath;
use flitwork_router::parameters::Takes;

/// The datapath of a configuration's router, if the router describes it.
pub fn datapath(resolved: &Resolved) -> Option<Datapath> {
    // It does not depend on the packets that a router may be built for.
    around(resolved).without_packets().words().datapath()
}

/// Cycles without a head leaving a node and without a packet entering or arriving, after which a configuration's
/// network will never move again; `None` where packets wait for nothing but their time, or never wait.
pub fn patience_cycles(resolved: &Resolved) -> Option<u32> {
    if !resolved.router.facts().waits {
        return None;
    }
    let words = around(resolved).words();
    let patience = words.patience_cycles(resolved.packet_words().into());
    Some(match (resolved.run.engine, resolved.live.slack.0) {
        // Runs are counted in nominal cycles, and those of a slow clock are longer.
        (EngineChoice::Clocked, _) => {
            let clocks = resolved.clocks();
            let crosses = (1..clocks.domains.len()).any(|domain| !clocks.share(0, domain as u32));
            let edges = if crosses {
                clocks.links.synchronizer_edges
            } else {
                0
            };
            let patience = patience.saturating_add(edges);
            patience.saturating_mul(clocks.longest_cycle())
        }
        // The host adds its own delays.
        (EngineChoice::Live, slack) if slack != Some(0) => {
            patience.saturating_mul(4).saturating_add(STILL_CYCLES)
        }
        _ => patience,
    })
}

/// Idle cycles before a free-running network counts as stuck, on top of its nodes' patience.
const STILL_CYCLES: u32 = 1000;

/// Whether a configuration's router must know its packets before the run.
pub(crate) fn needs_packets(resolved: &Resolved) -> bool {
    resolved.router.facts().takes == Takes::AtOnce
}

/// Bytes of a node that the engine leaves untouched until a packet comes to it.
pub(crate) fn untouched_bytes_a_node(resolved: &Resolved) -> u64 {
    if resolved.run.engine != EngineChoice::Sync || !resolved.router.facts().begins_zeroed {
        return 0;
    }
    let stamps = around(resolved).stamps();
    stamps.map_or(0, |stamps| stamps.node_bytes() as u64)
}
