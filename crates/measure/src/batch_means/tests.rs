use super::*;
use proptest::prelude::*;

fn window(start: u32, end: u32) -> Window {
    Window::new(Cycle(start), Cycle(end)).unwrap()
}

fn batches(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

#[test]
fn cycles_outside_the_window_do_not_count() {
    let mut means = BatchMeans::new(window(100, 200));
    assert_eq!(
        [99, 100, 199, 200].map(|cycle| means.record(Cycle(cycle), 1)),
        [false, true, true, false]
    );
    assert_eq!(means.observations(), 2);
    let counts: Vec<u64> = means.batch_observations().collect();
    assert_eq!((counts[0], counts[19], counts.len()), (1, 1, 20));
}

#[test]
fn the_interval_of_five_batches() {
    // Batch means 8, 9, 10, 11, 12, ten observations each: mean 10, variance 10 / 4 = 2.5,
    // t(4, 95 %) = 2.776, half-width 2.776 · √(2.5 / 5) = 1.963. But they rise: lag-1 correlation
    // (2 + 0 + 0 + 2) / 10 = 0.4, below the limit 1.645 / √5 = 0.74.
    let mut means = BatchMeans::with_batches(window(0, 50), batches(5));
    for cycle in 0..50 {
        means.record(Cycle(cycle), u64::from(8 + cycle / 10));
    }
    let estimate = means.estimate(0.95);
    assert_eq!(
        (estimate.mean, estimate.batches, estimate.observations),
        (10.0, 5, 50)
    );
    assert!((estimate.half_width.unwrap() - 1.963).abs() < 1e-3);
    assert!((means.lag_1_correlation().unwrap() - 0.4).abs() < 1e-12);
    // 8, 9, …, 12 a cycle: the rate has the same mean and interval.
    let rate = means.rate(0.95);
    assert_eq!(rate.mean, 10.0);
    assert!((rate.half_width.unwrap() - 1.963).abs() < 1e-3);
}

#[test]
fn batches_count_by_their_observations() {
    // Batch 0: 30 observations of 1; batch 1: 10 of 5. Mean 80 / 40 = 2, not 3. Deviations
    // (30 - 60) / 20 = -1.5 and (50 - 20) / 20 = 1.5, variance 4.5, t(1, 95 %) = 12.706:
    // 12.706 · √(4.5 / 2) = 19.06.
    let mut means = BatchMeans::with_batches(window(0, 20), batches(2));
    (0..30).for_each(|_| assert!(means.record(Cycle(0), 1)));
    (0..10).for_each(|_| assert!(means.record(Cycle(19), 5)));
    assert_eq!(means.mean(), Some(2.0));
    assert!((means.raw_half_width(0.95).unwrap() - 19.06).abs() < 1e-2);
}

/// Batches of 20 cycles with 20, 60 and 400 words. Cut at the very end of the second, both count: 1 and 3
/// words per cycle, mean 2, variance 2, half-width t(1, 95 %) · √(2 / 2) = 12.706. A cycle earlier only the
/// first counts, and one batch has no interval; before the end of the first, whatever there is.
#[test]
fn a_batch_that_ends_at_the_cut_is_whole() {
    let mut means = BatchMeans::with_batches(window(10, 110), batches(5));
    for (cycle, words) in [(10, 20), (49, 60), (50, 400)] {
        assert!(means.record(Cycle(cycle), words));
    }
    let cut = |at| means.rate_before(Cycle(at), 0.95);
    for at in [50, 51, 69] {
        assert_eq!((cut(at).mean, cut(at).batches), (2.0, 2), "cut at {at}");
        assert!((cut(at).half_width.unwrap() - 12.706).abs() < 1e-3);
    }
    for at in [30, 31, 49] {
        assert_eq!((cut(at).mean, cut(at).batches), (1.0, 1), "cut at {at}");
        assert_eq!(cut(at).half_width, None);
    }
    // Three batches: 480 words in 60 cycles; deviations -7, -5 and 12, variance 218 / 2, and
    // t(2, 95 %) = 4.303 (the NIST handbook): 4.303 · √(109 / 3) = 25.94.
    assert_eq!((cut(70).mean, cut(70).batches), (8.0, 3));
    assert!((cut(70).half_width.unwrap() - 25.94).abs() < 1e-2);
    // No batch is complete: all words so far, in 19 cycles and in the one that can't be left out.
    assert_eq!((cut(29).mean, cut(29).batches), (480.0 / 19.0, 0));
    assert_eq!((cut(10).mean, cut(10).half_width), (480.0, None));
    // At the window's end and after it nothing is cut.
    for at in [110, 111, 500] {
        assert_eq!(cut(at), means.rate(0.95));
    }
    assert_eq!((cut(109).mean, cut(109).batches), (6.0, 4));
}

/// A batch without any cycle has no rate; it doesn't count as a rate of 0. Two words in each of the three
/// cycles are exactly two per cycle.
#[test]
fn a_window_shorter_than_its_batches_has_a_rate() {
    let mut means = BatchMeans::with_batches(window(0, 3), batches(5));
    (0..3).for_each(|cycle| assert!(means.record(Cycle(cycle), 2)));
    let rate = means.rate(0.95);
    assert_eq!((rate.mean, rate.half_width), (2.0, Some(0.0)));
}

#[test]
fn says_why_an_interval_cannot_be_trusted() {
    let mut one = BatchMeans::with_batches(window(0, 100), batches(1));
    (0..100).for_each(|cycle| assert!(one.record(Cycle(cycle), 1)));
    assert_eq!(one.distrust(), Some(Distrust::OneBatch));
    assert_eq!(one.estimate(0.95).half_width, None);

    let mut few = BatchMeans::new(window(0, 200));
    (0..200)
        .filter(|cycle| *cycle != 37)
        .for_each(|cycle| assert!(few.record(Cycle(cycle), 1)));
    let needed = MIN_OBSERVATIONS_PER_BATCH;
    assert_eq!(
        few.distrust(),
        Some(Distrust::TooFewObservations {
            batch: 3,
            observations: 9,
            needed
        })
    );
    few.record(Cycle(37), 1);
    assert_eq!(few.distrust(), None);
    assert_eq!(few.estimate(0.95).half_width, Some(0.0));

    // A ramp over 20 batches: 1 - lag_1 = O(1 / batches).
    let mut ramp = BatchMeans::new(window(0, 2000));
    (0..2000).for_each(|cycle| assert!(ramp.record(Cycle(cycle), cycle.into())));
    let Some(Distrust::Correlated { lag_1, limit }) = ramp.distrust() else {
        panic!(
            "a ramp's batch means are correlated, not {:?}",
            ramp.distrust()
        );
    };
    assert!(lag_1 > 0.8 && (limit - 0.3678).abs() < 1e-3);
    assert_eq!(ramp.estimate(0.95).half_width, None);
    assert!(ramp.raw_half_width(0.95).is_some());
}

#[test]
fn an_empty_window_has_no_figures() {
    let empty = BatchMeans::new(window(0, 10));
    let estimate = empty.estimate(0.95);
    assert!(estimate.mean.is_nan());
    assert_eq!(
        (estimate.half_width, empty.mean(), empty.lag_1_correlation()),
        (None, None, None)
    );
    assert_eq!(empty.rate(0.95).mean, 0.0);
}

proptest! {
    #[test]
    fn order_and_merging_change_nothing(
        mut observations in prop::collection::vec((0u32..1200, any::<u64>()), 0..300),
        cut in 0usize..300,
    ) {
        let of = |observations: &[(u32, u64)]| {
            let mut means = BatchMeans::new(window(100, 1077));
            for &(cycle, value) in observations {
                means.record(Cycle(cycle), value);
            }
            means
        };
        let whole = of(&observations);
        let (left, right) = observations.split_at(cut.min(observations.len()));
        let mut merged = of(left);
        merged.merge(&of(right));
        prop_assert_eq!(&merged, &whole);
        observations.sort_by_key(|(_, value)| *value);
        prop_assert_eq!(&of(&observations), &whole);
        let counts = whole.batch_observations().sum::<u64>();
        prop_assert_eq!(counts, whole.observations());
    }
}

#[test]
fn a_part_of_the_window_serves_all_means_of_it() {
    let (mut one, mut other) = (
        BatchMeans::new(window(100, 333)),
        BatchMeans::new(window(100, 333)),
    );
    for cycle in 90..340 {
        one.record(Cycle(cycle), u64::from(cycle));
        let part = one.part(Cycle(cycle));
        assert_eq!(part.is_some(), (100..333).contains(&cycle));
        if let Some(part) = part {
            other.record_in(part, u64::from(cycle));
        }
    }
    assert_eq!(one, other);
}

/// 20 batches of 10 cycles from cycle 100 on, one observation per cycle: three have ended before cycle 137.
#[test]
fn batches_that_ended_before_a_cycle_are_a_window_of_their_own() {
    let window = Window::new(Cycle(100), Cycle(300)).unwrap();
    let mut means = BatchMeans::new(window);
    for cycle in 100..150 {
        means.record(Cycle(cycle), u64::from(cycle));
    }
    for (end, batches) in [(137, 3), (130, 3), (129, 2), (100, 1), (0, 1), (400, 20)] {
        let before = means.before(Cycle(end));
        assert_eq!(before.batches(), batches, "{end}");
        assert_eq!(before.window().cycles(), 10 * batches as u32, "{end}");
    }
    let before = means.before(Cycle(137));
    let found: Vec<_> = before.batch_means().map(Option::unwrap).collect();
    assert_eq!(found, [104.5, 114.5, 124.5]);
    assert_eq!(means.before(Cycle(300)), means);
}

/// Five batches of 20 cycles: the halves are the first two and the last two, at 1, 2 and 4, 5 words a cycle. The batch in the middle,
/// and what a run cut short at cycle 90 didn't finish, count for neither.
#[test]
fn halves_of_the_batches_that_are_whole() {
    let mut means = BatchMeans::with_batches(window(0, 100), batches(5));
    for (cycle, words) in [(0, 20), (39, 40), (40, 999), (60, 80), (99, 100)] {
        assert!(means.record(Cycle(cycle), words));
    }
    let halves = means.halves(Cycle(100), 0.95).unwrap();
    assert_eq!((halves.first, halves.second), (1.5, 4.5));
    let halves = means.halves(Cycle(99), 0.95).unwrap();
    assert_eq!(
        (halves.first, halves.second),
        (1.5, (999.0 / 20.0 + 4.0) / 2.0)
    );
    assert_eq!(means.halves(Cycle(60), 0.95), None);
}
