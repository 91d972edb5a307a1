//! What an observer observes in addition to what all do.

use crate::clocking::Counter;
use crate::exact::Stopwatch;
use crate::{Ledger, Observer};

impl Observer {
    /// The same, with a ledger for a review before the run ends.
    pub fn with_ledger(self, ledger: Ledger) -> Observer {
        Observer {
            ledger: Some(ledger),
            ..self
        }
    }

    /// An observer of a network in which each word of a packet finds its own way: a packet has as many heads as
    /// words, and the contents of nodes are counted in words.
    pub fn of_lone_words(self) -> Observer {
        Observer {
            lone_words: true,
            ..self
        }
    }

    /// An observer of nodes that have clocks of their own or none, and sources on a nominal clock of period `nominal_ps`:
    /// it takes latencies in picoseconds, and counts ticks and steps. Ticks must be reported to it.
    pub fn of_clocks(self, nominal_ps: u64) -> Observer {
        let window = self.observation.window;
        Observer {
            stopwatch: Some(Box::new(Stopwatch::new(window, nominal_ps))),
            clocking: Some(Box::new(Counter::new(window))),
            ..self
        }
    }
}
