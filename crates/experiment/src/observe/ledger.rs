//! Whether a network is overloaded, known while its run is under way.
//!
//! The verdict on a window rests on what happens in it: what the sources made, which of that had entered the
//! network when it began and when it ended, what was delivered in it. All of that is known in the cycle after
//! it, and what comes later changes nothing. So this isn't an estimate: it is the verdict of the whole run.

use crate::config::Resolved;
use crate::report::{LEVEL, per_node};
use crate::simulate::{load, window};
use flitwork_measure::{BatchMeans, Observed, SteadyState};
use flitwork_network::Review;
use flitwork_types::{Cycle, Packet};
use std::sync::{Arc, Mutex, PoisonError};

/// Cycles between the look and the end of the injection, beyond those by which a packet may be let in ahead.
const MARGIN_CYCLES: u32 = 64;

/// What an observer writes down of the packets, for a look before the run's end.
#[derive(Clone, Debug)]
pub(crate) struct Ledger(Arc<Mutex<Account>>);

/// Packets by what happened to them in or before the window.
#[derive(Clone, Debug)]
struct Account {
    /// Packets that entered the network before the window began, and before it ended.
    injected: [u64; 2],
    words_delivered: BatchMeans,
    latency: BatchMeans,
}

impl Ledger {
    fn write(&self, what: impl FnOnce(&mut Account)) {
        // Nothing that holds it can panic half way.
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn injected(&self, cycle: Cycle) {
        self.write(|account| {
            let window = account.latency.window();
            account.injected[0] += u64::from(cycle < window.start());
            account.injected[1] += u64::from(cycle < window.end());
        });
    }

    pub(super) fn delivered(&self, cycle: Cycle, packet: &Packet) {
        self.write(|account| {
            account.words_delivered.record(cycle, packet.words.into());
            account.latency.record(cycle, packet.latency(cycle));
        });
    }
}

/// What an observer is to write down, and the look that ends the injection of a network that is overloaded.
pub(crate) fn review(resolved: &Resolved) -> (Ledger, Review) {
    let window = window(resolved);
    let ledger = Ledger(Arc::new(Mutex::new(Account {
        injected: [0; 2],
        words_delivered: BatchMeans::new(window),
        latency: BatchMeans::new(window),
    })));
    let ahead = resolved.router.facts().injects_ahead_cycles + resolved.network.link_latency_cycles;
    let (account, of) = (ledger.clone(), resolved.clone());
    let review = Review {
        at: window.end(),
        shut: window.end() + (ahead + MARGIN_CYCLES),
        is_enough: Box::new(move || {
            let mut overloaded = false;
            account.write(|account| overloaded = account.is_overloaded(&of));
            overloaded
        }),
    };
    (ledger, review)
}

impl Account {
    /// The rules of the steady state, on what is known at the window's end.
    fn is_overloaded(&self, resolved: &Resolved) -> bool {
        let (words_created, created) = created(resolved);
        let per_node = per_node(resolved);
        let verdict = SteadyState::of(&Observed {
            latency: &self.latency,
            offered: words_created.rate(LEVEL).scaled(per_node),
            accepted: self.words_delivered.rate(LEVEL).scaled(per_node),
            backlog_at_start_packets: created[0] - self.injected[0],
            backlog_at_end_packets: created[1] - self.injected[1],
        });
        verdict.reason().is_some_and(|reason| reason.is_overload())
    }
}

/// The words that the sources make in the window, and the packets before it begins and before it ends: made
/// once more, since no source's queue is ever built.
fn created(resolved: &Resolved) -> (BatchMeans, [u64; 2]) {
    let window = window(resolved);
    let mut workload = load(resolved).workload;
    let (mut words, mut packets) = (BatchMeans::new(window), [0; 2]);
    for node in workload.sources() {
        let births = std::iter::from_fn(|| workload.next(node, Cycle::ZERO).packet());
        for birth in births.take_while(|birth| birth.created < window.end()) {
            words.record(birth.created, birth.words.into());
            packets[0] += u64::from(birth.created < window.start());
            packets[1] += 1;
        }
    }
    (words, packets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::resolve;
    use crate::simulate::{execute, observer};
    use std::ops::ControlFlow;
    use std::path::Path;

    fn resolved(more: &str) -> Resolved {
        let text = format!(
            "[network]\ntopology = \"torus\"\nsides = [4, 4]\n[router.chaos]\n{more}\n\
            [run]\nwarmup_cycles = 200\nmeasure_cycles = 1500\n"
        );
        resolve(&text, "text", Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What is known by a run's window is what the observer of the whole run knows in the end: that counts each
    /// packet when it enters, or when it is left over.
    #[test]
    fn the_account_is_what_the_whole_run_comes_to() {
        for (traffic, overloaded) in [
            ("load = 0.3", false),
            ("load = 1.0", true),
            ("load = 1.0\npattern = \"transpose\"", true),
            (
                "process = \"on-off\"\npattern = \"transpose\"\nload = 0.9\n[traffic.on-off]\nburst_cycles = 40\npeak_load = 1.0",
                true,
            ),
        ] {
            let resolved = resolved(&format!("[traffic]\n{traffic}"));
            let (ledger, review) = review(&resolved);
            let observer = observer(&resolved).with_ledger(ledger.clone());
            let go_on = &mut |_| ControlFlow::Continue(());
            let finished = execute(&resolved, load(&resolved), observer, go_on);
            let whole = finished.probe.finish(finished.outcome.cycle);
            let (words, packets) = created(&resolved);
            assert_eq!(words, whole.words_created, "{traffic}");
            assert_eq!(packets[1] - packets[0], whole.created_in_window);
            let account = ledger.0.lock().unwrap();
            let waiting = [0, 1].map(|edge| packets[edge] - account.injected[edge]);
            assert_eq!(waiting, whole.backlog, "{traffic}");
            assert_eq!(account.words_delivered, whole.words_delivered, "{traffic}");
            assert_eq!(account.latency, whole.latency_by_delivery, "{traffic}");
            drop(account);
            assert_eq!(review.at, Cycle(1700));
            assert!(review.shut > review.at + MARGIN_CYCLES);
            assert_eq!((review.is_enough)(), overloaded, "{traffic}");
        }
    }

    #[test]
    fn a_packet_that_enters_in_a_windows_first_cycle_entered_after_it_began() {
        let resolved = resolved("[traffic]\nload = 0.5");
        let (ledger, _) = review(&resolved);
        let entered = |cycle| {
            ledger.injected(Cycle(cycle));
            ledger.0.lock().unwrap().injected
        };
        assert_eq!(entered(199), [1, 1]);
        assert_eq!(entered(200), [1, 2]);
        assert_eq!(entered(1699), [1, 3]);
        assert_eq!(entered(1700), [1, 3]);
    }
}
