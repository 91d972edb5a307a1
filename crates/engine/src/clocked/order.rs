//! The order in which what happens at one instant is visited.

use flitwork_node::draw;
use flitwork_types::{Cycle, NodeId};

/// All numbers below `count`, in an order drawn by a key: in steps of a random number that has no divisor
/// in common with `count`, from a random one on.
#[inline]
pub(super) fn scattered(count: usize, seed: u64, key: u64) -> impl Iterator<Item = usize> {
    let (mut place, stride) = match count {
        0 | 1 => (0, 0),
        2 => (
            (draw(seed, NodeId(0), Cycle(key as u32), 0) >> 63) as usize,
            1,
        ),
        _ => start_and_stride(count, seed, key),
    };
    (0..count).map(move |_| {
        let current = place;
        place += stride;
        if place >= count {
            place -= count;
        }
        current
    })
}

fn start_and_stride(count: usize, seed: u64, key: u64) -> (usize, usize) {
    let random = |index| {
        let drawn = draw(seed ^ key >> 32, NodeId(0), Cycle(key as u32), index);
        drawn as usize % count
    };
    let stride = (0..).map(random).find(|stride| gcd(*stride, count) == 1);
    let stride = stride.expect("1 has no divisor in common with any number");
    (random(u32::MAX), stride)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
