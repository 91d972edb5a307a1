//! An interrupted run counts as a run up to that point: events that engines report early are not in its figures.

use super::*;
use flitwork_config::Override;
use flitwork_traffic::Offer;
use std::ops::ControlFlow;
use std::path::Path;

fn configured(load: &str, engine: &str) -> Resolved {
    let text = "[network]\ntopology = \"torus\"\nsides = [5, 4]\n[router.chaos]\n[traffic]\n\
        [run]\nwarmup_cycles = 100\nmeasure_cycles = 400000000\n";
    let set = [
        Override::new("traffic.load", load),
        Override::new("run.engine", engine),
    ];
    flitwork_config::resolve(text, "test", Path::new(""), &set).unwrap()
}

/// Interrupted when control is asked for the `calls`-th time.
fn broken_off(resolved: &Resolved, calls: u32) -> Simulated {
    let mut asked = 0;
    simulate(resolved, &mut |progress| {
        asked += u32::from(!progress.is_counting);
        match asked >= calls && !progress.is_counting {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })
}

/// The packets that the sources make before `end`, counted from the traffic, without a network.
fn made_before(resolved: &Resolved, end: Cycle) -> u64 {
    let mut workload = prepare(resolved).demand.workload;
    let mut made = 0;
    for node in workload.sources() {
        while let Offer::Packet(birth) = workload.next(node, Cycle::ZERO) {
            if birth.created >= end {
                break;
            }
            made += 1;
        }
    }
    made
}

/// Sources that make a packet every 20,000 cycles: each announces its next packet long before making it.
#[test]
fn nothing_after_the_interruption_is_counted() {
    for load in ["0.001", "0.02", "0.3"] {
        for engine in ["sync", "sync-stepped", "sync-plain", "clocked"] {
            let resolved = configured(load, engine);
            for calls in [1, 2, 3] {
                let seen = broken_off(&resolved, calls);
                let case = format!("{engine}, load {load}, call {calls}, {:?}", seen.cycles);
                assert_eq!(seen.outcome.ended, Ended::Interrupted, "{case}");
                let sums = &seen.observation;
                assert_eq!(sums.created, made_before(&resolved, seen.cycles), "{case}");
                let waits = sums.created - sums.injected;
                assert_eq!(seen.outcome.backlog, waits, "{case}");
            }
        }
    }
}
