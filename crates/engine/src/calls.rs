//! When a run asks whether to continue.

/// About how many steps of nodes lie between two calls of the control: some milliseconds, far more work than a
/// call.
const STEPS_BETWEEN_CALLS: u64 = 1 << 14;

/// The calls of a run's control.
#[derive(Default)]
pub(crate) struct Calls {
    /// Steps after which the next is due: the first is before the first cycle.
    next: u64,
}

impl Calls {
    /// Whether one is due after this many steps.
    #[inline]
    pub(crate) fn are_due(&mut self, steps: u64) -> bool {
        if steps < self.next {
            return false;
        }
        self.next = steps + STEPS_BETWEEN_CALLS;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_due_at_once_and_the_next_after_some_steps() {
        let mut calls = Calls::default();
        let due = (0..3 * STEPS_BETWEEN_CALLS).filter(|steps| calls.are_due(*steps));
        let between = [0, STEPS_BETWEEN_CALLS, 2 * STEPS_BETWEEN_CALLS];
        assert_eq!(due.collect::<Vec<_>>(), between);
        // A cycle of many nodes.
        assert!(calls.are_due(100 * STEPS_BETWEEN_CALLS));
        assert!(!calls.are_due(100 * STEPS_BETWEEN_CALLS + 1));
    }
}
