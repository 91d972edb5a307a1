//! A node's own random stream, keyed by (seed, node).
//!
//! Draws are counter-based: a node's draw in a local cycle is a function of the seed, the node and the
//! cycle, so it needs no state, doesn't depend on how often a node was stepped, and replays. The mixer is
//! SplitMix64's finalizer (Steele, Lea and Flood 2014).

use flitwork_types::draws::{GOLDEN, split_mix};
use flitwork_types::{Cycle, NodeId};

pub use flitwork_types::draws::mix;

/// The number under which what is fixed before a run is drawn: that of no cycle and no tick.
pub const BEFORE_RUN: Cycle = Cycle(u32::MAX);

/// The `index`-th draw of `node` in its local cycle `cycle`.
#[inline]
pub const fn draw(seed: u64, node: NodeId, cycle: Cycle, index: u32) -> u64 {
    let place = (node.0 as u64) << 32 | cycle.0 as u64;
    let key = mix(place.wrapping_add(split_mix(seed)));
    mix(key.wrapping_add((index as u64 + 1).wrapping_mul(GOLDEN)))
}

/// A draw from 0 to `bound` - 1 (`bound` at least 1); its deviation from uniform is below 2^-32.
#[inline]
pub const fn draw_below(bound: u32, seed: u64, node: NodeId, cycle: Cycle, index: u32) -> u32 {
    (((draw(seed, node, cycle, index) >> 32) * bound as u64) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_spread_over_nodes_cycles_and_indices() {
        let mut counts = [0u32; 5];
        for node in 0..50 {
            for cycle in 0..50 {
                for index in 0..4 {
                    counts[draw_below(5, 7, NodeId(node), Cycle(cycle), index) as usize] += 1;
                }
            }
        }
        // 10,000 draws, 2,000 expected each; the standard deviation is 40.
        assert!(
            counts.iter().all(|count| count.abs_diff(2000) < 200),
            "{counts:?}"
        );
    }
}
