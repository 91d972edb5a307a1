//! How much each node holds, over time.

use flitwork_types::NodeId;

/// Something that goes up and down in each node, and its sum over the window's cycles.
///
/// A change counts for all cycles of the window from its own cycle on. So changes may be reported in any
/// order, and what remains at the end is subtracted again for the cycles that were not simulated.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    now: Vec<i64>,
    sums: Vec<i64>,
}

impl Levels {
    pub(super) fn new(nodes: usize) -> Levels {
        Levels {
            now: vec![0; nodes],
            sums: vec![0; nodes],
        }
    }

    /// Changes the node's level; `left` is the number of the window's cycles from the change on. Returns the new
    /// level, as far as this observer knows it.
    #[inline]
    pub(super) fn change(&mut self, node: NodeId, by: i64, left: i64) -> i64 {
        self.sums[node.index()] += by * left;
        let now = &mut self.now[node.index()];
        *now += by;
        *now
    }

    /// Sets the node's level.
    #[inline]
    pub(super) fn set(&mut self, node: NodeId, to: i64, left: i64) {
        let by = to - self.now[node.index()];
        self.change(node, by, left);
    }

    pub(super) fn merge(&mut self, other: &Levels) {
        crate::merge::add(&mut self.now, &other.now);
        crate::merge::add(&mut self.sums, &other.sums);
    }

    /// Each node's sum over the window except its last `missing` cycles.
    pub(super) fn finish(self, missing: i64) -> Vec<i64> {
        let nodes = self.sums.into_iter().zip(self.now);
        nodes.map(|(sum, left)| sum - missing * left).collect()
    }
}
