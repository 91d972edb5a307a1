//! For how long runs are repeated.

use super::*;
use crate::Error;
use crate::plan::tests::base;
use flitwork_config::Override;
use std::cell::RefCell;

/// The cycles of warm-up and measurement of all runs that a configuration takes, and how many times the configured ones
/// the last of them took; more than `most_cycles` measured cycles are refused.
fn lengths(may_wait: bool, most_cycles: u32) -> (Vec<(u32, u32)>, u32) {
    let mut base = base();
    base.set = vec![
        Override::new("traffic.load", "0.02"),
        Override::new("run.warmup_cycles", "30"),
        Override::new("run.measure_cycles", "100"),
    ];
    let asked = RefCell::new(Vec::new());
    let resolve = |over: &[Override]| {
        let resolved = base.repeatable("a point", over)?;
        let run = resolved.run;
        if run.measure_cycles > most_cycles {
            return Err(Error::BadValue("no longer run fits".into()));
        }
        asked
            .borrow_mut()
            .push((run.warmup_cycles, run.measure_cycles));
        Ok(resolved)
    };
    let flow = || ControlFlow::Continue(());
    let decided = run_patiently(resolve, may_wait, flow).unwrap().unwrap();
    (asked.into_inner(), decided.times_the_cycles)
}

/// 16 nodes offer 0.32 words, or 0.032 packets of 10 words, a cycle: about 3 packets in 100 cycles and 26 in 800. That is never
/// enough to judge by. So a run is repeated with two, four and eight times the cycles, and then counts as it is.
#[test]
fn what_stays_undecided_is_repeated_up_to_eight_times_the_cycles() {
    let all = [(30, 100), (60, 200), (120, 400), (240, 800)];
    assert_eq!(lengths(true, u32::MAX), (all.to_vec(), 8));
    assert_eq!(lengths(false, u32::MAX), (all[..1].to_vec(), 1));
}

/// If a run can't be that long, the one before it counts.
#[test]
fn the_longest_run_that_there_can_be_counts() {
    assert_eq!(lengths(true, 799).1, 4);
    assert_eq!(lengths(true, 800).1, 8);
    assert_eq!(lengths(true, 100).1, 1);
}
