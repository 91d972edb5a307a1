//! What an observer records about packets for a review before the run ends.

use flitwork_measure::{BatchMeans, Window};
use flitwork_types::{Cycle, Packet};
use std::sync::{Arc, Mutex, PoisonError};

/// An [`Account`] that an observer keeps while others read it.
#[derive(Clone, Debug)]
pub struct Ledger(Arc<Mutex<Account>>);

/// Packets by what happened to them in or before the window.
#[derive(Clone, Debug)]
pub struct Account {
    /// Packets that entered the network before the window began, and before it ended.
    pub injected: [u64; 2],
    /// Words delivered in the window, by cycle.
    pub words_delivered: BatchMeans,
    /// Latency of the packets delivered in the window, by the cycle of delivery.
    pub latency: BatchMeans,
}

impl Ledger {
    /// A ledger in which nothing has happened.
    pub fn new(window: Window) -> Ledger {
        Ledger(Arc::new(Mutex::new(Account {
            injected: [0; 2],
            words_delivered: BatchMeans::new(window),
            latency: BatchMeans::new(window),
        })))
    }

    /// Shows what has been noted so far.
    pub fn show<O>(&self, to: impl FnOnce(&Account) -> O) -> O {
        to(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write(&self, what: impl FnOnce(&mut Account)) {
        // Nothing panics while holding the lock.
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn injected(&self, cycle: Cycle) {
        self.write(|account| {
            let window = account.latency.window();
            account.injected[0] += u64::from(cycle < window.start());
            account.injected[1] += u64::from(cycle < window.end());
        });
    }

    pub(crate) fn delivered(&self, cycle: Cycle, packet: &Packet) {
        self.write(|account| {
            account.words_delivered.record(cycle, packet.words.into());
            account.latency.record(cycle, packet.latency(cycle));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_that_enters_in_a_windows_first_cycle_entered_after_it_began() {
        let ledger = Ledger::new(Window::new(Cycle(200), Cycle(1700)).unwrap());
        let entered = |cycle| {
            ledger.injected(Cycle(cycle));
            ledger.show(|account| account.injected)
        };
        assert_eq!(entered(199), [1, 1]);
        assert_eq!(entered(200), [1, 2]);
        assert_eq!(entered(1699), [1, 3]);
        assert_eq!(entered(1700), [1, 3]);
    }
}
