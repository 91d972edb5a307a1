//! Whether a network is overloaded, known while its run is under way.
//!
//! The verdict on a window rests on what happens in it: what the sources made, which of that had entered the
//! network when it began and when it ended, what was delivered in it. All of that is known in the cycle after
//! it, and nothing later changes it. So this is not an estimate: it is the verdict of the whole run.

use crate::size::per_node;
use crate::window::window;
use crate::workload::demand;
use flitwork_config::Resolved;
use flitwork_measure::{BatchMeans, Observed, SteadyState};
use flitwork_network::Review;
use flitwork_observe::{Account, Ledger};
use flitwork_types::Cycle;
use std::sync::Arc;

/// The confidence of every interval.
pub const LEVEL: f64 = 0.95;

/// Cycles from the review to the end of injection, on top of those by which a packet may be admitted early.
const MARGIN_CYCLES: u32 = 64;

/// The ledger for the observer to fill, and the review that ends the injection of an overloaded network.
pub(crate) fn review(resolved: &Resolved) -> (Ledger, Review) {
    let window = window(resolved);
    let ledger = Ledger::new(window);
    let ahead =
        resolved.router.facts().injects_ahead_cycles + resolved.network.longest_link_cycles();
    let (account, of) = (ledger.clone(), resolved.clone());
    let review = Review {
        at: window.end(),
        shut: window.end() + (ahead + MARGIN_CYCLES),
        is_enough: Arc::new(move || account.show(|account| is_overloaded(account, &of))),
    };
    (ledger, review)
}

/// Applies the steady-state rules to what is known at the end of the window.
fn is_overloaded(account: &Account, resolved: &Resolved) -> bool {
    let (words_created, created) = created(resolved);
    let per_node = per_node(resolved);
    let verdict = SteadyState::of(&Observed {
        latency: &account.latency,
        offered: words_created.rate(LEVEL).scaled(per_node),
        accepted: account.words_delivered.rate(LEVEL).scaled(per_node),
        backlog_at_start_packets: created[0] - account.injected[0],
        backlog_at_end_packets: created[1] - account.injected[1],
        interrupted_at: None,
    });
    verdict.reason().is_some_and(|reason| reason.is_overload())
}

/// The words that the sources make in the window, and the packets that they make before it begins and before it
/// ends: generated again, since no source's queue is ever built.
fn created(resolved: &Resolved) -> (BatchMeans, [u64; 2]) {
    let window = window(resolved);
    let mut workload = demand(resolved).workload;
    let (mut words, mut packets) = (BatchMeans::new(window), [0; 2]);
    for source in workload.sources() {
        let births = std::iter::from_fn(|| workload.next(source, Cycle::ZERO).packet());
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
    use crate::simulate::{execute, observer};
    use flitwork_config::resolve;
    use std::ops::ControlFlow;
    use std::path::Path;

    fn resolved(more: &str) -> Resolved {
        let text = format!(
            "[network]\ntopology = \"torus\"\nsides = [4, 4]\n[router.chaos]\n{more}\n\
            [run]\nwarmup_cycles = 200\nmeasure_cycles = 1500\n"
        );
        resolve(&text, "text", Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The account at the end of the window equals that of the observer of the whole run, which counts each packet when
    /// it enters, or when it is left over.
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
            let finished = execute(&resolved, demand(&resolved), observer, go_on);
            let whole = finished.probe.finish(finished.outcome.cycle);
            let (words, packets) = created(&resolved);
            assert_eq!(words, whole.words_created, "{traffic}");
            assert_eq!(packets[1] - packets[0], whole.words_created.observations());
            let account = ledger.show(Account::clone);
            let waiting = [0, 1].map(|edge| packets[edge] - account.injected[edge]);
            assert_eq!(waiting, whole.backlog, "{traffic}");
            assert_eq!(account.words_delivered, whole.words_delivered, "{traffic}");
            assert_eq!(account.latency, whole.latency_by_delivery, "{traffic}");
            assert_eq!(review.at, Cycle(1700));
            assert!(review.shut > review.at + MARGIN_CYCLES);
            assert_eq!((review.is_enough)(), overloaded, "{traffic}");
        }
    }
}
