//! The order in which nodes are visited that step at the same time.

use flitwork_node::draw;
use flitwork_types::{Cycle, NodeId};

/// All numbers below `count`, in an order that a key determines: in strides of a random length that shares no
/// divisor with `count`, from a random number on.
#[inline]
pub(crate) fn scattered(count: usize, seed: u64, key: u64) -> impl Iterator<Item = usize> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The orders of this many at 4,000 instants.
    fn orders(count: usize) -> BTreeMap<Vec<usize>, u32> {
        let mut orders = BTreeMap::new();
        for key in 0..4000 {
            let order = scattered(count, 7, key * 1000).collect();
            *orders.entry(order).or_default() += 1;
        }
        orders
    }

    #[test]
    fn every_one_is_visited_once() {
        for count in 0..20 {
            let all: Vec<usize> = (0..count).collect();
            for mut order in orders(count).into_keys() {
                order.sort_unstable();
                assert_eq!(order, all);
            }
        }
    }

    /// Of two, each comes first as often as the other: 2,000 times, with a standard deviation of 32.
    #[test]
    fn neither_of_two_is_favoured() {
        let orders = orders(2);
        assert_eq!(orders.len(), 2);
        for (order, times) in orders {
            assert!(times.abs_diff(2000) < 160, "{order:?}: {times}");
        }
    }

    /// Each is first as often as every other, and all strides occur: of 10 these are 1, 3, 7 and 9.
    #[test]
    fn every_first_one_is_followed_in_all_strides() {
        let orders = orders(10);
        let of = |order: &[usize]| (order[0], (order[1] + 10 - order[0]) % 10);
        let found: BTreeSet<_> = orders.keys().map(|order| of(order)).collect();
        let law = (0..10).flat_map(|first| [1, 3, 7, 9].map(|stride| (first, stride)));
        assert_eq!(found, law.collect());
        // 4,000 in 40 equal parts: 100, with a standard deviation of 10.
        assert!(
            orders.values().all(|times| times.abs_diff(100) < 50),
            "{orders:?}"
        );
    }

    /// Instants that differ only beyond 32 bits have different orders.
    #[test]
    fn late_instants_and_domains_count_too() {
        let order = |key: u64| scattered(30, 7, key).collect::<Vec<_>>();
        let far = (1..20).map(|high| order(5 + (high << 32)));
        assert!(far.collect::<BTreeSet<_>>().len() > 10);
    }
}
