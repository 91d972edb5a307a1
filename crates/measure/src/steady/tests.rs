use super::*;
use crate::Window;
use crate::course::Change;
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

fn is_moving(reason: Reason) -> bool {
    matches!(reason, Reason::WarmUpTooShort { .. } | Reason::Trend { .. })
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
        interrupted_at: None,
    }
}

#[test]
fn noise_around_a_constant_is_steady() {
    // A drift must be material, too: here a slope's standard error makes 10 / √12 · √12 / √10000 = 0.1 over the window, a
    // thousandth of the mean.
    for seed in 0..200 {
        let means = latency(|cycle| 95.0 + 10.0 * noise(seed, cycle));
        assert_eq!(judge(&means), SteadyState::Steady, "seed {seed}");
    }
}

#[test]
fn wild_noise_is_seldom_called_unsteady() {
    // Latencies from 0 to 200: a slope of a hundredth of the mean is one standard error, so only its significance
    // decides, at 1 %; of 400 seeds at most 4 are expected, and 13 or more have probability 2e-4.
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
    // It is named once.
    assert_eq!(findings(&at_rest(&means)), [reason]);
}

/// A decay of relative size s over a tenth of the window moves the mean by about s / 10 + s² / 40: by 0.0051 and by 0.021. One
/// of both is enough, a hundredth or the error. A thousandth, or the error, is left after ln(s / error) tenths.
#[test]
fn a_warm_up_matters_by_a_hundredth_or_by_the_error() {
    let means = latency(|_| 100.0);
    let with = |size, error| {
        let change = Some(Change {
            shape: Shape::Decaying(0.1),
            size,
            ratio: 30.0,
        });
        let course = Course {
            change,
            pieces: 100.0,
            error,
        };
        warm_up(&means, &course)
    };
    let from = |cycle: u32| {
        Some(Reason::WarmUpTooShort {
            suggested_cycles: u64::from(START + cycle),
            is_whole_window: false,
        })
    };
    // ln 12.5 = 2.52573, and ln 6.66667 = 1.89712.
    assert_eq!(with(0.05, 0.004), from(2526));
    assert_eq!(with(0.2, 0.03), from(1898));
    // ln 200 = 5.29832 tenths are more than half of the window.
    let whole = Reason::WarmUpTooShort {
        suggested_cycles: u64::from(START + CYCLES),
        is_whole_window: true,
    };
    assert_eq!(with(0.2, 0.0005), Some(whole));
    assert_eq!(with(0.05, 0.006), None);
}

#[test]
fn a_slow_drift_is_a_trend() {
    // 20 cycles in 10,000 under noise of ± 50. The slope's standard error is 100 / √12 · √12 / √10000 = 1 over the window.
    let means = latency(|cycle| 50.0 + 100.0 * noise(4, cycle) + f64::from(cycle) / 500.0);
    let found = findings(&at_rest(&means));
    let [
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
        (slope_per_1000_cycles / 1000.0 - 2.0).abs() < 0.3,
        "{slope_per_1000_cycles}"
    );
    assert!(significance < 0.01);
}

/// Batch means A + b i + d s(i) for i = 0 to 19, where s repeats + - - + five times: it is orthogonal to i, so that the
/// slope of least squares is b for each batch of 500 cycles.
#[test]
fn the_slope_is_that_of_least_squares() {
    let means = latency(|cycle| {
        let batch = cycle / (CYCLES / 20);
        let residual = if matches!(batch % 4, 0 | 3) { 500 } else { 0 };
        f64::from(100_000 + 1000 * batch + residual) / 1000.0
    });
    let found = findings(&at_rest(&means));
    let [
        Reason::Trend {
            slope_per_1000_cycles,
            ..
        },
    ] = found[..]
    else {
        panic!("{found:?}");
    };
    assert!((slope_per_1000_cycles - 2000.0).abs() < 1e-6);
}

/// A slope counts if it exceeds a hundredth of the mean over the window: 20 batches at 500 thousandths per batch gain
/// 10,000 of about 1,000,000.
#[test]
fn a_trend_of_less_than_a_hundredth_does_not_matter() {
    let rising = |level: u32| {
        let means = latency(|cycle| f64::from(level + 500 * (cycle / (CYCLES / 20))) / 1000.0);
        findings(&at_rest(&means))
    };
    // The mean is the level plus 9.5 steps: 10,000 / (level + 4,750).
    assert!(matches!(rising(995_000)[..], [Reason::Trend { .. }]));
    assert_eq!(rising(995_500), []);
}

/// Noise that is the same for half of the window says neither that it moves nor that it doesn't, and that is the verdict:
/// neither steady nor not.
#[test]
fn a_window_that_noise_fills_is_too_short() {
    // A course like that of a random walk: each 100 cycles add a step.
    let walk: Vec<f64> = (0..100)
        .scan(100.0, |level, step| {
            *level += noise(11, step) - 0.5;
            Some(*level)
        })
        .collect();
    let means = latency(|cycle| walk[cycle as usize / 100]);
    let verdict = judge(&means);
    let SteadyState::Unknown { reason } = verdict else {
        panic!("{verdict}");
    };
    assert_eq!((verdict.known(), verdict.is_steady()), (None, false));
    assert_eq!(reason.name(), "window too short");
    assert!(!reason.is_overload() && !is_moving(reason));
    let Reason::WindowTooShort {
        relaxation_cycles,
        needed_cycles,
    } = reason
    else {
        panic!("{reason}");
    };
    // Ten pieces of twice the relaxation time each, and more than there is.
    assert!(needed_cycles > u64::from(CYCLES));
    assert!(needed_cycles.abs_diff(20 * relaxation_cycles) <= 20);
    let text = format!(
        "not known: the window is too short to tell: latency is correlated over about {relaxation_cycles} cycles"
    );
    assert!(verdict.to_string().starts_with(&text), "{verdict}");
    assert_eq!(SteadyState::Steady.known(), Some(true));
    assert_eq!(judge(&latency(f64::from)).known(), Some(false));
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
    assert!(matches!(
        found[2],
        Reason::Trend { .. } | Reason::WarmUpTooShort { .. }
    ));
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
    // √(0.005² + 0.005²) = 0.00707 at 95 %. With 19 degrees of freedom Student's t is 2.093 at 95 % and 2.861 at 99 %
    // (NIST/SEMATECH e-Handbook, section 1.3.6.7.2): 0.00967.
    assert!(with(load(0.2904, 0.005)).is_steady());
    assert!(!with(load(0.2902, 0.005)).is_steady());
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

/// 100 packets are delivered in 1,000 cycles. If latency ranges over 2,000 cycles, as many as 200 of the 300 packets by
/// which the backlog grows may be there because latency is high; over 4,000 cycles all of them. The course of latency then
/// decides, which is the same wave five times over.
#[test]
fn a_backlog_that_latency_explains_is_judged_by_latency() {
    let with = |range: u32| {
        let window = Window::new(Cycle(0), Cycle(10_000)).unwrap();
        let mut means = BatchMeans::new(window);
        for packet in 0..1000 {
            let is_high = packet / 10 % 2 == 1;
            means.record(
                Cycle(10 * packet),
                u64::from(5000 + range * u32::from(is_high)),
            );
        }
        SteadyState::of(&Observed {
            backlog_at_start_packets: 20,
            backlog_at_end_packets: 320,
            ..at_rest(&means)
        })
    };
    let reason = Reason::BacklogGrows {
        from_packets: 20,
        to_packets: 320,
    };
    assert_eq!(with(2000), SteadyState::NotSteady { reason });
    assert_eq!(with(2999), SteadyState::NotSteady { reason });
    assert_eq!(with(3001), SteadyState::Steady);
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
            interrupted_at: None,
        });
        prop_assert!(!verdict.to_string().is_empty());
    }
}

/// Of 20 batches of 500 cycles ten must be complete: with as many, the run is judged like any other.
#[test]
fn an_interrupted_run_is_judged_once_ten_batches_are_complete() {
    for seed in 0..50 {
        let means = latency(|cycle| 95.0 + 10.0 * noise(seed, cycle));
        let at = |cycles| {
            SteadyState::of(&Observed {
                interrupted_at: Some(Cycle(START + cycles)),
                ..at_rest(&means)
            })
        };
        for whole in [5_000, 7_777, CYCLES] {
            assert_eq!(at(whole), SteadyState::Steady, "seed {seed}, {whole}");
        }
        for part in [0, 1, 499, 500, 1_000, 4_999] {
            let reason = Reason::WindowCutShort {
                measured_cycles: part.into(),
                window_cycles: 10_000,
                needed_cycles: 5_000,
            };
            let verdict = at(part);
            assert_eq!(verdict, SteadyState::Unknown { reason }, "seed {seed}");
            assert_eq!(verdict.known(), None);
        }
    }
    let rising = latency(|cycle| 100.0 + f64::from(cycle) / 10.0);
    let moves = SteadyState::of(&Observed {
        interrupted_at: Some(Cycle(START + 6_000)),
        ..at_rest(&rising)
    });
    assert!(is_moving(moves.reason().unwrap()), "{moves}");
}

/// However short the part is, a backlog that grows with half of the packets is overload. Loads tell with their intervals only.
#[test]
fn an_interrupted_overload_is_overload() {
    let means = latency(|_| 100.0);
    let known = load(0.45, 0.003);
    let unknown = Estimate {
        half_width: None,
        ..known
    };
    // The first batch, of 500 deliveries, is complete, and the second not.
    let with = |accepted, backlog| {
        SteadyState::of(&Observed {
            offered: load(0.60, 0.004),
            accepted,
            backlog_at_end_packets: backlog,
            interrupted_at: Some(Cycle(START + 900)),
            ..at_rest(&means)
        })
    };
    let of = |verdict: SteadyState| verdict.reason().unwrap().name();
    assert_eq!(of(with(known, 15)), "overload");
    assert_eq!(of(with(unknown, 15)), "window cut short");
    assert_eq!(of(with(unknown, 12 + 250)), "window cut short");
    assert_eq!(of(with(unknown, 12 + 251)), "growing backlog");
}
