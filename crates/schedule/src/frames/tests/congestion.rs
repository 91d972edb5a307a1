//! How often links are crossed in a frame.

use crate::{Plan, Request};
use flitwork_topology::Topology;

/// The frame congestion: the most packets that cross any link in any so many consecutive steps. Of plans that lead along links;
/// they need not be a schedule, so that many packets may cross a link in one step.
///
/// # Panics
/// If a hop leads through a port without a link.
pub(super) fn frame_congestion(
    topology: &impl Topology,
    requests: &[Request],
    plans: &[Plan],
    steps: u32,
) -> u32 {
    let mut crossings = Vec::new();
    for (request, plan) in requests.iter().zip(plans) {
        let mut at = request.source;
        for hop in &plan.hops {
            crossings.push((at, hop.port, hop.step));
            at = topology.neighbour(at, hop.port).expect("a hop has a link");
        }
    }
    crossings.sort_unstable();
    let mut most = 0;
    for link in crossings.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        let mut first = 0;
        for (last, (_, _, step)) in link.iter().enumerate() {
            while step - link[first].2 >= steps {
                first += 1;
            }
            most = most.max(last + 1 - first);
        }
    }
    most as u32
}
