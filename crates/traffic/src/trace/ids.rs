//! The ids that a trace has used, as runs without gaps: a trace that numbers its packets consecutively takes one run,
//! regardless of its length.

use super::TraceId;
use std::collections::BTreeMap;

/// A set of ids.
#[derive(Clone, Debug, Default)]
pub(super) struct IdSet {
    /// The last id of each run, by its first.
    runs: BTreeMap<u64, u64>,
}

impl IdSet {
    /// Whether an id is in the set.
    pub(super) fn contains(&self, id: TraceId) -> bool {
        let run = self.runs.range(..=id.0).next_back();
        run.is_some_and(|(_, last)| id.0 <= *last)
    }

    /// Inserts an id. Returns whether it is new.
    pub(super) fn insert(&mut self, id: TraceId) -> bool {
        if self.contains(id) {
            return false;
        }
        let next = id.0.checked_add(1);
        let last = next
            .and_then(|next| self.runs.remove(&next))
            .unwrap_or(id.0);
        match self.runs.range_mut(..id.0).next_back() {
            Some((_, end)) if *end + 1 == id.0 => *end = last,
            _ => {
                self.runs.insert(id.0, last);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn it_is_a_set(ids in prop::collection::vec(prop_oneof![0u64..40, u64::MAX - 20..=u64::MAX], 0..80)) {
            let (mut set, mut law) = (IdSet::default(), HashSet::new());
            for id in ids {
                prop_assert_eq!(set.insert(TraceId(id)), law.insert(id));
                for id in (0..41).chain(u64::MAX - 21..=u64::MAX) {
                    prop_assert_eq!(set.contains(TraceId(id)), law.contains(&id));
                }
            }
            // As few runs as there are gaps.
            let runs = law.iter().filter(|id| **id == 0 || !law.contains(&(**id - 1)));
            prop_assert_eq!(set.runs.len(), runs.count());
        }
    }
}
