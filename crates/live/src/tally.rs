//! Whether a worker has anything to do.

use crate::run::Run;

/// How many of a worker's nodes have not settled.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    busy: usize,
    /// Words that its nodes have sent over links.
    pub(crate) words: u64,
    /// Words that they have taken from links.
    pub(crate) taken: u64,
}

impl Tally {
    pub(crate) fn become_busy(&mut self, run: &Run) {
        self.busy += 1;
        if self.busy == 1 {
            run.become_busy();
        }
    }

    pub(crate) fn become_quiet(&mut self, run: &Run) {
        self.busy -= 1;
        if self.busy == 0 {
            run.become_quiet();
        }
    }
}
