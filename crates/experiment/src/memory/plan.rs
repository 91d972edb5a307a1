//! Memory for what a router makes of its packets' paths before the run.
//!
//! Paths are longer in a large network than in a small one, so a small one doesn't show it.

use crate::around::requests;
use crate::hardware::needs_packets;
use flitwork_config::Resolved;
use flitwork_router::parameters::PlanBytes;
use flitwork_topology::Topology;

/// The most packets whose paths are counted one by one.
const MOST_COUNTED: u64 = 1 << 22;

/// Bytes of what the configuration's router makes.
pub(super) fn bytes(resolved: &Resolved) -> PlanBytes {
    resolved.router.plan_bytes(hops(resolved))
}

/// The hops of all packets that are known before the run.
fn hops(resolved: &Resolved) -> u64 {
    if let Some(routes) = resolved.router.packets() {
        return routes.iter().map(|route| route.path.len() as u64).sum();
    }
    if !needs_packets(resolved) {
        return 0;
    }
    let shape = &resolved.network.shape;
    let a_node = resolved.traffic.packets_waiting().unwrap_or(1);
    let packets = u64::from(resolved.network.nodes()) * u64::from(a_node);
    if packets > MOST_COUNTED {
        // On a mesh a third of the diameter is the mean of random destinations, a half that of a reversal.
        return packets.saturating_mul(u64::from(shape.diameter_hops())) / 5 * 2;
    }
    let all = requests(resolved);
    let hops = all
        .iter()
        .map(|it| shape.distance(it.source, it.destination));
    hops.map(u64::from).sum()
}
