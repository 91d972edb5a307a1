//! What counts as saturated.

use super::*;
use crate::plan::tests::base;

/// A run at a load, with a drain of so many cycles.
fn tried(criterion: Criterion, (load, drain_cycles): (&str, &str), zero_load: f64) -> Tried {
    let mut base = base();
    base.set = vec![
        Override::new("traffic.load", load),
        Override::new("run.measure_cycles", "3000"),
        Override::new("run.drain_cycles", drain_cycles),
    ];
    let resolve = |over: &[Override]| base.repeatable("a load", over);
    let flow = || ControlFlow::Continue(());
    let load = load.parse().unwrap();
    try_load(criterion, (load, Some(zero_load)), resolve, flow)
        .unwrap()
        .unwrap()
}

/// A packet of 10 words takes more than 10 cycles, so that without draining some are still under way: the run failed,
/// which counts as saturated by each criterion, however low the load and the latency.
#[test]
fn a_run_that_fails_counts_as_saturated() {
    for criterion in [Criterion::Steady, Criterion::Latency(1e9)] {
        let failed = tried(criterion, ("0.1", "0"), 100.0);
        assert!(failed.failed && failed.saturated, "{failed:?}");
        let reason = failed.reason.as_deref().unwrap();
        assert!(reason.starts_with("deadline: "), "{reason}");
        let drained = tried(criterion, ("0.1", "10000"), 100.0);
        assert!(!drained.failed && !drained.saturated, "{drained:?}");
    }
}

/// By the criterion of latency a load is saturated whose latency is more than the factor times that at zero load; a latency of
/// exactly the factor isn't. At overload it is saturated whatever the factor.
#[test]
fn latency_is_held_against_the_factor() {
    let by = |factor: f64, load: &str, zero_load: f64| {
        tried(Criterion::Latency(factor), (load, "10000"), zero_load)
    };
    let latency = by(2.0, "0.1", 1e9).judged_latency.unwrap();
    // Halves and doubles are exact.
    assert!(!by(2.0, "0.1", latency / 2.0).saturated);
    assert!(by(2.0, "0.1", latency / 2.001).saturated);
    assert!(by(1.999, "0.1", latency / 2.0).saturated);
    assert!(by(1e9, "1", latency).saturated);
}
