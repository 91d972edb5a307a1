//! What a run is called that ends with packets in the network, where clocks are gated.

use super::FailureKind;
use crate::tests::run;
use crate::{Results, Status};
use flitwork_config::Resolved;
use flitwork_engine::Ended;
use flitwork_experiment::simulate::Simulated;

/// Packets of all nodes of a 4 x 4 mesh to all others, made in the first 100 cycles, where clocks change; a run ends
/// after 40,100 cycles of 1,000 ps.
fn changing(router: &str, clocks: &str) -> (Resolved, Simulated, Results) {
    run(&format!(
        "[network]\ntopology = \"mesh\"\nsides = [4, 4]\n[router.{router}]\n[traffic]\nload = 0.3\n\
        [run]\nengine = \"clocked\"\nwarmup_cycles = 0\nmeasure_cycles = 100\ndrain_cycles = 20_000\n{clocks}"
    ))
}

fn kind(router: &str, clocks: &str) -> Option<FailureKind> {
    let (_, _, results) = changing(router, clocks);
    let kind = results.failure.as_ref().map(|failure| failure.kind);
    assert_eq!(kind.is_some(), results.status == Status::Failed);
    kind
}

fn gated(from_ps: u64, until_ps: Option<u64>, which: &str) -> String {
    let gate = format!("[[clocks.changes]]\nat_ps = {from_ps}\ngated = true\n{which}\n");
    let end = until_ps.map(|until_ps| {
        format!("[[clocks.changes]]\nat_ps = {until_ps}\nperiod_ps = 1000\n{which}\n")
    });
    gate + &end.unwrap_or_default()
}

/// Whatever the router: with all clocks gated for good, what is in the network never moves again. It ends at once, as a
/// deadlock, even if the run would have been over soon.
#[test]
fn clocks_that_are_gated_for_good_are_a_deadlock() {
    for router in ["chaos", "wormhole", "greedy-hp", "deflection"] {
        for at_ps in [50_000, 100_000] {
            let (_, run, results) = changing(router, &gated(at_ps, None, ""));
            let failure = results.failure.unwrap();
            assert_eq!(failure.kind, FailureKind::Deadlock, "{router}");
            assert!(failure.packets > 0 && run.outcome.ended == Ended::Stuck);
            assert!(
                failure
                    .last_head
                    .is_none_or(|last| last <= (at_ps / 1000) as u32)
            );
            // Nothing is simulated after the gate.
            assert!(run.outcome.steps < 16 * at_ps / 1000);
        }
        assert_eq!(kind(router, &gated(5_000_000, None, "")), None, "{router}");
    }
}

/// Gated for most of the run, which is much longer than nodes can wait: no deadlock, whether all clocks are gated or one
/// node's, and whether or not the run is over before the gate's end.
#[test]
fn a_long_gate_is_no_deadlock() {
    for router in ["chaos", "wormhole"] {
        for which in ["", "nodes = [5]"] {
            let of = |until_ps| kind(router, &gated(50_000, Some(until_ps), which));
            assert_eq!(of(15_000_000), None, "{router} {which}");
            assert_eq!(
                of(40_090_000),
                Some(FailureKind::Deadline),
                "{router} {which}"
            );
            assert_eq!(
                of(60_000_000),
                Some(FailureKind::Deadline),
                "{router} {which}"
            );
        }
    }
}

/// One node is gated for good and nothing can move any more: a deadlock, although other clocks still tick, and although
/// another node's is gated and comes back again and again.
#[test]
fn what_waits_for_a_stopped_clock_is_deadlocked() {
    for router in ["chaos", "wormhole"] {
        let stopped = gated(50_000, None, "nodes = [5]");
        assert_eq!(
            kind(router, &stopped),
            Some(FailureKind::Deadlock),
            "{router}"
        );
        let others = (0..19).map(|time| {
            let from_ps = 1_000_000 + 2_000_000 * time;
            gated(from_ps, Some(from_ps + 1_000_000), "nodes = [6]")
        });
        let both = stopped.clone() + &others.collect::<String>();
        assert_eq!(kind(router, &both), Some(FailureKind::Deadlock), "{router}");
        // Not if the clocks of others are gated for all of the time since.
        let rest = gated(60_000, Some(60_000_000), "nodes = [6]");
        assert_eq!(
            kind(router, &(stopped + &rest)),
            Some(FailureKind::Deadline),
            "{router}"
        );
    }
}
