//! The walk of the ticks of clocks that wander.
//!
//! A step is a whole number of ps, uniform on -w..w: 2w + 1 numbers, whose variance is ((2w + 1)^2 - 1) / 12 =
//! w(w + 1)/3. Steps are independent, so the walk's variance after k ticks is k times that, until it comes to its bound.

use super::tests::ticks;
use crate::clocked::tick::Ticker;
use flitwork_network::{Periodic, Wander};

const PERIOD_PS: u64 = 1000;
const W: u64 = 20;
const BOUND: u64 = 70;
const DOMAINS: u32 = 4000;

/// The variance of a step.
fn step_variance() -> f64 {
    (W * (W + 1)) as f64 / 3.0
}

fn clock(bound_ps: Option<u64>) -> Periodic {
    let most_ps = W;
    Periodic::new(PERIOD_PS, 0).with_wander(Wander { most_ps, bound_ps })
}

/// How far each domain's walk has come by each tick, in ps, up to a number of ticks.
fn walks(clock: &Periodic, count: u32) -> Vec<Vec<f64>> {
    let of = |domain| {
        let mut ticker = Ticker::new(clock, domain, 11, 0);
        let mut now_ps = ticker.first_ps().unwrap();
        let each = (0..count).map(|number| {
            let walked = now_ps as f64 - (u64::from(number) * PERIOD_PS) as f64;
            now_ps = ticker.next(now_ps).tick_ps.unwrap();
            walked
        });
        each.collect()
    };
    (0..DOMAINS).map(of).collect()
}

/// Mean and variance around 0 at a tick.
fn moments(walks: &[Vec<f64>], tick: usize) -> (f64, f64) {
    let count = walks.len() as f64;
    let sum: f64 = walks.iter().map(|walk| walk[tick]).sum();
    let squares: f64 = walks.iter().map(|walk| walk[tick] * walk[tick]).sum();
    (sum / count, squares / count)
}

/// With variance v at a tick, the mean of n walks has a standard error of sqrt(v / n). The sum of k steps has a kurtosis
/// of 3 - 1.2 / k or so, so the mean square has one of at most v sqrt(2 / n): 2.2 % of 4,000. Four of them are exceeded in
/// one of 16,000 cases; five ticks are examined.
#[test]
fn the_variance_grows_with_time() {
    let walks = walks(&clock(None), 1001);
    assert!(walks.iter().all(|walk| walk[0] == 0.0));
    for tick in [1, 3, 10, 100, 1000] {
        let (mean, squares) = moments(&walks, tick);
        let variance = tick as f64 * step_variance();
        let error = (variance / f64::from(DOMAINS)).sqrt();
        assert!(mean.abs() < 4.0 * error, "tick {tick}: mean {mean}");
        let error = variance * (2.0 / f64::from(DOMAINS)).sqrt();
        let off = (squares - variance).abs();
        assert!(off < 4.0 * error, "tick {tick}: {squares} of {variance}");
    }
}

/// Of n steps each of the 2w + 1 lengths occurs n / (2w + 1) times, with the standard deviation of a binomial count.
/// Steps of neighbouring ticks and of neighbouring domains have no covariance: the mean of n products of variance v^2 has
/// a standard error of v / sqrt(n).
#[test]
fn steps_are_uniform_and_independent() {
    let walks = walks(&clock(None), 101);
    let steps: Vec<Vec<f64>> = walks
        .iter()
        .map(|walk| walk.windows(2).map(|two| two[1] - two[0]).collect())
        .collect();
    let all: Vec<f64> = steps.concat();
    let count = all.len() as f64;
    let part = 1.0 / (2 * W + 1) as f64;
    let error = (count * part * (1.0 - part)).sqrt();
    let w = W as i64;
    for length in -w..=w {
        let times = all.iter().filter(|step| **step == length as f64).count();
        let off = (times as f64 - count * part).abs();
        assert!(off < 4.5 * error, "{length}: {times} times");
    }
    assert!(all.iter().all(|step| step.abs() <= W as f64));
    let covariance = |pairs: &[(f64, f64)]| {
        let sum: f64 = pairs.iter().map(|(one, other)| one * other).sum();
        let error = step_variance() / (pairs.len() as f64).sqrt();
        let mean = sum / pairs.len() as f64;
        assert!(mean.abs() < 4.0 * error, "{mean}");
    };
    let of_ticks = steps.iter().flat_map(|walk| walk.windows(2));
    covariance(&of_ticks.map(|two| (two[0], two[1])).collect::<Vec<_>>());
    let of_domains = steps.windows(2).flat_map(|two| two[0].iter().zip(&two[1]));
    covariance(
        &of_domains
            .map(|(one, other)| (*one, *other))
            .collect::<Vec<_>>(),
    );
}

/// Reflected at b and at -b, a place x and its mirror image 2b - x are one; the walk unfolded goes round a circle of 4b
/// places uniformly. The two ends are their own images, each inner place has one: so it is at an end in 1 of 4b cases, and
/// at each inner place in 1 of 2b. The variance is then (2 * sum of x^2 for x < b) / 2b + 2 b^2 / 4b = (2 b^2 + 1) / 6, and
/// with b = 70 the walk forgets where it began as exp(-0.035 k): by tick 400 for good. The square of a uniform draw has a
/// standard deviation of sqrt(0.8) times its mean.
#[test]
fn a_bounded_walk_fills_its_bounds() {
    let walks = walks(&clock(Some(BOUND)), 801);
    let bound = BOUND as f64;
    assert!(walks.iter().flatten().all(|walked| walked.abs() <= bound));
    for end in [-bound, bound] {
        assert!(walks.iter().flatten().any(|walked| *walked == end));
    }
    // Three steps don't come to the bound.
    let (_, squares) = moments(&walks, 3);
    let variance = 3.0 * step_variance();
    assert!(
        (squares / variance - 1.0).abs() < 4.0 * 0.022,
        "{squares} of {variance}"
    );
    let filled = (2.0 * bound * bound + 1.0) / 6.0;
    for tick in [400, 600, 800] {
        let (mean, squares) = moments(&walks, tick);
        let error = (filled / f64::from(DOMAINS)).sqrt();
        assert!(mean.abs() < 4.0 * error, "tick {tick}: mean {mean}");
        let error = filled * (0.8 / f64::from(DOMAINS)).sqrt();
        assert!(
            (squares - filled).abs() < 4.0 * error,
            "tick {tick}: {squares} of {filled}"
        );
    }
    // Ticks far enough apart, so that the places are independent: 4,000 domains at 5 ticks.
    let places = walks
        .iter()
        .flat_map(|walk| [400, 500, 600, 700, 800].map(|tick| walk[tick]));
    let places: Vec<f64> = places.collect();
    let held = |place: f64, part: f64| {
        let expected = places.len() as f64 * part;
        let times = places.iter().filter(|walked| **walked == place).count() as f64;
        assert!(
            (times - expected).abs() < 4.5 * expected.sqrt(),
            "{place}: {times} of {expected}"
        );
    };
    for end in [-bound, bound] {
        held(end, 0.25 / bound);
    }
    for inner in [1.0 - bound, -30.0, 0.0, 30.0, bound - 1.0] {
        held(inner, 0.5 / bound);
    }
}

/// From the bound itself a step outward by d ps ends d ps within it, as does one inward: each d above 0 is twice as
/// likely as 0. A step that were cut, or drawn again, would end elsewhere.
#[test]
fn a_step_beyond_the_bound_ends_as_far_within() {
    let walks = walks(&clock(Some(BOUND)), 801);
    let mut within = [0u32; W as usize + 1];
    for two in walks.iter().flat_map(|walk| walk.windows(2)) {
        if two[0] == BOUND as f64 {
            within[(two[0] - two[1]) as usize] += 1;
        }
    }
    let all = f64::from(within.iter().sum::<u32>());
    for (distance, times) in within.iter().enumerate() {
        let part = (1.0 + f64::from(u8::from(distance > 0))) / (2 * W + 1) as f64;
        let error = (all * part).sqrt();
        let off = (f64::from(*times) - all * part).abs();
        assert!(off < 4.0 * error, "{distance}: {times} of {all}");
    }
}

/// A bound as narrow as a step: from 20 ps a step of 20 leads to 40, and so to 0.
#[test]
fn a_bound_may_be_as_narrow_as_a_step() {
    let walks = walks(&clock(Some(W)), 200);
    let all = || walks.iter().flatten();
    assert!(all().all(|walked| walked.abs() <= W as f64));
    assert!(all().any(|walked| *walked == W as f64) && all().any(|walked| *walked == -(W as f64)));
}

/// The same clock with jitter is late by draws of its own, which don't carry over; the walk is the same.
#[test]
fn jitter_and_drift_come_on_top() {
    let walking = clock(Some(BOUND)).with_drift(500_000);
    let late = walking.clone().with_jitter(300);
    let both = ticks(&walking, 1000).into_iter().zip(ticks(&late, 1000));
    let jitter: Vec<u64> = both
        .map(|(steady_ps, late_ps)| late_ps - steady_ps)
        .collect();
    assert!(jitter.iter().all(|jitter| *jitter <= 300));
    assert!(jitter.iter().any(|jitter| *jitter > 280) && jitter.iter().any(|jitter| *jitter < 20));
    // Every 2,000 ticks of 1,000.5 ps are 2,001,000 ps; the walk is the same as without a drift.
    let even = ticks(&clock(Some(BOUND)), 2001);
    assert_eq!(ticks(&walking, 2001)[2000], even[2000] + 1000);
}

/// A walk of the same domain and seed is the same; others differ.
#[test]
fn draws_are_those_of_the_seed_the_domain_and_the_tick() {
    let first = |seed, domain| {
        let mut ticker = Ticker::new(&clock(None), domain, seed, 0);
        let mut now_ps = ticker.first_ps().unwrap();
        let ticks = (0..20).map(|_| {
            now_ps = ticker.next(now_ps).tick_ps.unwrap();
            now_ps
        });
        ticks.collect::<Vec<u64>>()
    };
    assert_eq!(first(1, 3), first(1, 3));
    assert_ne!(first(1, 3), first(2, 3));
    assert_ne!(first(1, 3), first(1, 4));
}
