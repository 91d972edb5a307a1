use super::*;
use crate::Window;
use flitwork_types::Cycle;
use proptest::prelude::*;

const START: u32 = 1000;
const CYCLES: u32 = 10_000;

/// A pseudo-random number from 0 to 1 that depends on `seed` and `cycle` (SplitMix64's finalizer).
fn noise(seed: u64, cycle: u32) -> f64 {
    let mut x = (u64::from(cycle) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed << 32;
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (x ^ x >> 31) as f64 / u64::MAX as f64
}

/// One latency per cycle: `course`(cycle since the window began), in thousandths of a cycle.
fn latency(course: impl Fn(u32) -> f64) -> BatchMeans {
    let window = Window::new(Cycle(START), Cycle(START + CYCLES)).unwrap();
    let mut means = BatchMeans::new(window);
    for cycle in 0..CYCLES {
        means.record(Cycle(START + cycle), (1000.0 * course(cycle)) as u64);
    }
    means
}

fn load(mean: f64, half_width: f64) -> Estimate {
    let half_width = Some(half_width);
    Estimate {
        mean,
        half_width,
        level: 0.95,
        batches: 20,
        observations: 10_000,
    }
}

fn judge(latency: &BatchMeans) -> SteadyState {
    SteadyState::of(&at_rest(latency))
}

fn at_rest(latency: &BatchMeans) -> Observed<'_> {
    Observed {
        latency,
        offered: load(0.30, 0.005),
        accepted: load(0.30, 0.005),
        backlog_at_start_packets: 12,
        backlog_at_end_packets: 15,
    }
}

#[test]
fn noise_around_a_constant_is_steady() {
    // The trend's t test errs once in a hundred times, and only if the drift is material: here a slope's
    // standard error makes 10 / √12 · √12 / √10000 = 0.1 over the window, a thousandth of the mean.
    for seed in 0..200 {
        let means = latency(|cycle| 95.0 + 10.0 * noise(seed, cycle));
        assert_eq!(judge(&means), SteadyState::Steady, "seed {seed}");
    }
}

#[test]
fn wild_noise_is_seldom_called_unsteady() {
    // Latencies from 0 to 200: a slope of a hundredth of the mean is one standard error, so only the t test
    // decides, at 1 %; of 400 seeds 4 are expected, and 13 or more have probability 2e-4.
    let unsteady = (0..400).filter(|&seed| {
        let means = latency(|cycle| 200.0 * noise(seed, cycle));
        !judge(&means).is_steady()
    });
    assert!(unsteady.count() < 13);
}

#[test]
fn constants_are_steady() {
    assert_eq!(judge(&latency(|_| 100.0)), SteadyState::Steady);
    assert_eq!(judge(&latency(|_| 0.0)), SteadyState::Steady);
    assert_eq!(judge(&latency(|_| 33.333)), SteadyState::Steady);
}

#[test]
fn a_warm_up_within_the_window_is_found() {
    // Latency rises from 50 to 100 with time constant 400: after five time constants, at cycle 2000 of the
    // window, less than a hundredth of the difference is left.
    let means =
        latency(|cycle| 98.0 + 4.0 * noise(1, cycle) - 50.0 * (-f64::from(cycle) / 400.0).exp());
    let SteadyState::NotSteady {
        reason:
            Reason::WarmUpTooShort {
                suggested_cycles,
                is_whole_window: false,
            },
    } = judge(&means)
    else {
        panic!("{}", judge(&means));
    };
    assert!(
        (START + 800..START + 3000).contains(&(suggested_cycles as u32)),
        "{suggested_cycles}"
    );
    // Measured from there on, it is steady.
    let later = latency(|cycle| {
        98.0 + 4.0 * noise(2, cycle) - 50.0 * (-f64::from(cycle + 2800) / 400.0).exp()
    });
    assert_eq!(judge(&later), SteadyState::Steady);
}

#[test]
fn a_window_that_is_mostly_warm_up_is_suspect_as_a_whole() {
    let means =
        latency(|cycle| 100.0 + 4.0 * noise(3, cycle) - 80.0 * (-f64::from(cycle) / 6000.0).exp());
    let reason = Reason::WarmUpTooShort {
        suggested_cycles: u64::from(START + CYCLES),
        is_whole_window: true,
    };
    assert_eq!(judge(&means), SteadyState::NotSteady { reason });
    // The advice isn't a cycle of this window.
    let advice = format!("warm up for {} cycles or more", START + CYCLES);
    assert!(reason.to_string().contains(&advice), "{reason}");
    assert!(
        !reason.to_string().contains("measure from cycle"),
        "{reason}"
    );
    let found = findings(&at_rest(&means));
    assert!(matches!(found[1], Reason::Trend { significance, .. } if significance < 1e-3));
}

#[test]
fn a_slow_drift_is_a_trend() {
    // 5 cycles in 10,000 under noise of ± 50: 0.5 in 1000. The slope's standard error is 100 / √12 · √12 /
    // √10000 = 1 over the window.
    let means = latency(|cycle| 50.0 + 100.0 * noise(4, cycle) + 5.0 * f64::from(cycle) / 10_000.0);
    let found = findings(&at_rest(&means));
    let [
        ..,
        Reason::Trend {
            slope_per_1000_cycles,
            significance,
        },
    ] = found[..]
    else {
        panic!("{found:?}");
    };
    // The observations are in thousandths.
    assert!(
        (slope_per_1000_cycles / 1000.0 - 0.5).abs() < 0.3,
        "{slope_per_1000_cycles}"
    );
    assert!(significance < 0.01);
}

/// Batch means A + b i + d s(i) for i = 0 to 19, where s repeats + - - + five times: it sums to 0 and is
/// orthogonal to i, so the fitted slope is b, the residual sum of squares 20 d², and with Σ (i - 9.5)² = (20³
/// - 20) / 12 = 665 the slope's t is b / √(20 d² / 18 / 665) = 24.464 b / d.
fn trended(d: u32) -> BatchMeans {
    latency(|cycle| {
        let batch = cycle / (CYCLES / 20);
        let residual = if matches!(batch % 4, 0 | 3) { d } else { 0 };
        f64::from(100_000 - d / 2 + 1000 * batch + residual) / 1000.0
    })
}

/// With 18 degrees of freedom chance gives t = 2.878 once in a hundred times (NIST/SEMATECH e-Handbook,
/// section 1.3.6.7.2); with 19 it would be 2.861, and the t of the same line 1.027 times as great.
#[test]
fn a_trend_of_twenty_batches_has_eighteen_degrees_of_freedom() {
    // d is half of the argument: b / d = 1000 / 8524 gives t = 2.870, 1000 / 8465 gives 2.890.
    assert_eq!(trend(&trended(2 * 8524)), None);
    let found = trend(&trended(2 * 8465));
    assert!(matches!(found, Some(Reason::Trend { .. })), "{found:?}");
    // t = 2.8816, a little more than the table's 2.878.
    let Some(Reason::Trend {
        slope_per_1000_cycles,
        significance,
    }) = trend(&trended(2 * 8490))
    else {
        panic!("2.8816 is more than 2.878");
    };
    assert!((significance - 0.01).abs() < 1e-4, "{significance}");
    // 1000 per batch of 500 cycles.
    assert!((slope_per_1000_cycles - 2000.0).abs() < 1e-6);
}

/// A slope counts if it exceeds a hundredth of the mean over the window: 20 batches at 500 ± 10 thousandths
/// per batch gain 10,000 of about 1,000,000.
#[test]
fn a_trend_of_less_than_a_hundredth_does_not_matter() {
    let rising = |level: u32| {
        trend(&latency(|cycle| {
            f64::from(level + 500 * (cycle / (CYCLES / 20))) / 1000.0
        }))
    };
    // The mean is the level plus 9.5 steps: 10,000 / (level + 4,750).
    assert!(rising(995_000).is_some());
    assert_eq!(rising(995_500), None);
}

#[test]
fn overload_is_never_steady() {
    let rising = latency(|cycle| 100.0 + f64::from(cycle));
    let observed = Observed {
        offered: load(0.60, 0.004),
        accepted: load(0.45, 0.003),
        backlog_at_end_packets: 15_000,
        ..at_rest(&rising)
    };
    let reason = Reason::Overload {
        offered: 0.60,
        accepted: 0.45,
    };
    let verdict = SteadyState::of(&observed);
    assert_eq!(verdict, SteadyState::NotSteady { reason });
    assert_eq!(
        verdict.to_string(),
        "not steady: overload: 0.4500 accepted of 0.6000 offered"
    );
    let found = findings(&observed);
    assert!(matches!(
        found[1],
        Reason::BacklogGrows {
            from_packets: 12,
            to_packets: 15_000
        }
    ));
    assert!(found.len() >= 4, "{found:?}");
}

#[test]
fn loads_apart_by_less_than_their_error_or_a_hundredth_are_equal() {
    let means = latency(|_| 100.0);
    let with = |accepted| {
        SteadyState::of(&Observed {
            accepted,
            ..at_rest(&means)
        })
    };
    // √(0.005² + 0.005²) = 0.00707.
    assert!(with(load(0.294, 0.005)).is_steady());
    assert!(!with(load(0.292, 0.005)).is_steady());
    let sharp = Observed {
        offered: Estimate::exact(0.30),
        accepted: load(0.2975, 0.0001),
        ..at_rest(&means)
    };
    assert!(SteadyState::of(&sharp).is_steady());
    assert!(
        !SteadyState::of(&Observed {
            accepted: load(0.296, 0.0001),
            ..sharp
        })
        .is_steady()
    );
    let unknown = Estimate {
        half_width: None,
        ..load(0.296, 0.0)
    };
    assert!(
        !SteadyState::of(&Observed {
            accepted: unknown,
            ..sharp
        })
        .is_steady()
    );
}

#[test]
fn a_growing_backlog_is_not_steady() {
    // 10,000 deliveries: more than 100 packets, and more than 3 √(12 + 130) = 36.
    let means = latency(|_| 100.0);
    let with = |to| {
        SteadyState::of(&Observed {
            backlog_at_end_packets: to,
            ..at_rest(&means)
        })
    };
    assert!(with(112).is_steady());
    let reason = Reason::BacklogGrows {
        from_packets: 12,
        to_packets: 130,
    };
    assert_eq!(with(130), SteadyState::NotSteady { reason });
    assert!(with(0).is_steady());
}

/// 10,000 deliveries make 100 packets material. From 1,000 packets on, three times the square root of both
/// counts together is 3 √2138 = 138.7 and 3 √2139 = 138.7: 138 more may be chance, 139 can't.
#[test]
fn a_backlog_within_three_standard_errors_may_be_chance() {
    let means = latency(|_| 100.0);
    let with = |from, to| {
        SteadyState::of(&Observed {
            backlog_at_start_packets: from,
            backlog_at_end_packets: to,
            ..at_rest(&means)
        })
    };
    assert!(with(1000, 1138).is_steady());
    assert!(!with(1000, 1139).is_steady());
    // If chance would give less, a hundredth of the deliveries decides: 100 isn't more than 100.
    assert!(with(0, 100).is_steady());
    assert!(!with(0, 101).is_steady());
    // A shrinking backlog is no finding.
    assert!(with(5000, 0).is_steady());
}

#[test]
fn too_little_to_judge_by() {
    let window = Window::new(Cycle(0), Cycle(1000)).unwrap();
    let mut means = BatchMeans::new(window);
    let reason = Reason::TooFewObservations {
        observations: 0,
        needed: 10,
    };
    assert_eq!(judge(&means), SteadyState::NotSteady { reason });
    (0..199).for_each(|_| assert!(means.record(Cycle(3), 7)));
    assert_eq!(judge(&means), SteadyState::NotSteady { reason });
    let one = BatchMeans::with_batches(window, std::num::NonZeroUsize::MIN);
    assert!(!judge(&one).is_steady());
}

#[test]
fn mser_cuts_where_the_step_is() {
    // 10, 10, then alternately 0 and 1: without the first two, Σ (x - 1/2)² = 4.5 over 18² is less than with
    // one of them or with fewer of the rest.
    let mut means = vec![10.0, 10.0];
    means.extend((0..18).map(|i| f64::from(i % 2)));
    assert_eq!(mser(&means), Some(2));
    assert_eq!(mser(&[1.0; 8]), Some(0));
    assert_eq!(mser(&[1.0]), None);
    assert_eq!(mser(&[]), None);
}

proptest! {
    #[test]
    fn any_observations_get_a_verdict(
        observations in prop::collection::vec((0u32..50, any::<u64>()), 0..2000),
        loads in (any::<f64>(), any::<f64>()),
        backlogs in (any::<u64>(), any::<u64>()),
    ) {
        let mut means = BatchMeans::new(Window::new(Cycle(0), Cycle(40)).unwrap());
        for (cycle, value) in observations {
            means.record(Cycle(cycle), value);
        }
        let verdict = SteadyState::of(&Observed {
            latency: &means,
            offered: Estimate::exact(loads.0),
            accepted: Estimate::exact(loads.1),
            backlog_at_start_packets: backlogs.0,
            backlog_at_end_packets: backlogs.1,
        });
        prop_assert!(!verdict.to_string().is_empty());
    }
}
