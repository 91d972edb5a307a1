//! Lanes of nodes: in each, one stay is over before the next begins.

use std::collections::BTreeMap;

/// The lanes of one node: the stays in each, from when to when.
#[derive(Default)]
pub(super) struct Lanes(Vec<BTreeMap<u64, u64>>);

impl Lanes {
    /// The first lane that is free from one time to another; it isn't any more.
    pub(super) fn take(&mut self, from: u64, to: u64) -> usize {
        let is_free = |lane: &BTreeMap<u64, u64>| {
            let before = lane.range(..=to).next_back();
            before.is_none_or(|(_, end)| *end < from)
        };
        let found = self.0.iter().position(is_free);
        let lane = found.unwrap_or_else(|| {
            self.0.push(BTreeMap::new());
            self.0.len() - 1
        });
        self.0[lane].insert(from, to);
        lane
    }
}

#[cfg(test)]
mod tests {
    use super::Lanes;

    #[test]
    fn stays_in_a_lane_dont_touch() {
        let mut lanes = Lanes::default();
        assert_eq!(lanes.take(10, 20), 0);
        assert_eq!(lanes.take(20, 30), 1);
        assert_eq!(lanes.take(21, 25), 0);
        assert_eq!(lanes.take(5, 9), 0);
        assert_eq!(lanes.take(0, 40), 2);
        assert_eq!(lanes.take(31, 31), 0);
        assert_eq!(lanes.take(31, 31), 1);
    }
}
