//! Error rates, over hundreds of series of known correlation.

use super::*;

const PARTS: usize = 100;
const SERIES: u64 = 300;

/// At most one series in a hundred may be called moving: three, and three standard deviations (√3 each) more.
const MOST_MOVING: u64 = 8;

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        random.uniform();
        random
    }

    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ x >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }

    /// Box and Muller, "A note on the generation of random normal deviates" (1958).
    fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// The means of parts of an autoregressive process of variance 1, with a correlation of neighbours.
fn autoregressive(seed: u64, length: usize, correlation: f64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let innovation = (1.0 - correlation * correlation).sqrt();
    let mut value = random.normal();
    let mut next = || {
        value = correlation * value + innovation * random.normal();
        value
    };
    let part = length / PARTS;
    (0..PARTS)
        .map(|_| (0..part).map(|_| next()).sum::<f64>() / part as f64)
        .collect()
}

/// The means over parts of the times that customers spend at a server with this load, in service times on top of a
/// route of three (Lindley's recurrence, "The theory of queues with a single server", 1952). A load below 1 begins in
/// its steady state: waiting times are 0 with probability 1 - load, and else exponential with mean 1 / (1 - load).
fn queue(seed: u64, customers: usize, load: f64, is_empty: bool) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut wait = match !is_empty && random.uniform() < load {
        true => random.exponential() / (1.0 - load),
        false => 0.0,
    };
    let mut next = || {
        let service = random.exponential();
        let time = 3.0 + wait + service;
        wait = (wait + service - random.exponential() / load).max(0.0);
        time
    };
    let part = customers / PARTS;
    (0..PARTS)
        .map(|_| (0..part).map(|_| next()).sum::<f64>() / part as f64)
        .collect()
}

/// How many of the series move, and of how many it isn't known.
fn judged(series: impl Fn(u64) -> Vec<f64>) -> (u64, u64) {
    let (mut moving, mut unknown) = (0, 0);
    for seed in 1..=SERIES {
        let course = Course::of(&series(seed)).unwrap();
        moving += u64::from(course.change.is_some());
        unknown += u64::from(course.change.is_none() && course.pieces < MIN_PIECES);
    }
    (moving, unknown)
}

/// 20,000 values: a correlation of 0.999 forgets in 1,000 values, so the window has 20 relaxation times; one of 0.9999
/// forgets in 10,000. Where the window is long it is also known that nothing moves, and where it is short that too
/// little is known.
#[test]
fn correlated_noise_is_no_change() {
    for (correlation, short) in [
        (0.0, Some(false)),
        (0.9, Some(false)),
        (0.99, Some(false)),
        (0.998, None),
        (0.999, None),
        (0.9995, None),
        (0.9998, Some(true)),
        (0.9999, Some(true)),
        (0.999_99, Some(true)),
    ] {
        let noise = |seed| {
            let values = autoregressive(seed, 20_000, correlation).into_iter();
            values.map(|value| 100.0 * (0.1 * value).exp()).collect()
        };
        let (moving, unknown) = judged(noise);
        assert!(moving <= MOST_MOVING, "{correlation}: {moving}");
        match short {
            Some(true) => assert!(10 * unknown >= 9 * SERIES, "{correlation}: {unknown}"),
            Some(false) => assert!(20 * unknown <= SERIES, "{correlation}: {unknown}"),
            None => {}
        }
    }
}

/// Queues near saturation forget in about 4 / (1 - load)² services (Cohen, "The single server queue", 1982): at a load of
/// 0.98 in 10,000, half of the window's length of the shorter runs.
#[test]
fn a_queue_near_saturation_is_no_change() {
    for load in [0.5, 0.8, 0.9, 0.95, 0.98] {
        for customers in [20_000, 100_000] {
            let (moving, unknown) = judged(|seed| queue(seed, customers, load, false));
            assert!(moving <= MOST_MOVING, "{load}, {customers}: {moving}");
            if load < 0.93 {
                assert!(20 * unknown <= SERIES, "{load}, {customers}: {unknown}");
            }
        }
    }
}

/// The noise is correlated over a hundredth of the window, so that its mean has a standard error of 0.14 of its
/// deviation. What is planted moves the window's mean by that several times over.
#[test]
fn planted_changes_are_found() {
    let noise = |seed| autoregressive(seed, 20_000, 0.995);
    let with = |course: &dyn Fn(f64) -> f64| {
        judged(|seed| {
            let values = noise(seed).into_iter().enumerate();
            values
                .map(|(part, value)| {
                    let time = (part as f64 + 0.5) / PARTS as f64;
                    100.0 + 5.0 * value + course(time)
                })
                .collect()
        })
    };
    // A warm-up that ends in a twentieth of the window, one that ends in a third, and a drift; all of them of the kind
    // that a reader would see.
    for (name, course) in [
        (
            "short warm-up",
            &(|time: f64| -40.0 * (-time / 0.03).exp()) as &dyn Fn(f64) -> f64,
        ),
        ("high start", &|time: f64| 60.0 * (-time / 0.03).exp()),
        ("long warm-up", &|time: f64| -45.0 * (-time / 0.1).exp()),
    ] {
        let (moving, _) = with(course);
        assert!(20 * moving >= 19 * SERIES, "{name}: {moving}");
    }
    let (moving, unknown) = with(&|time: f64| 30.0 * time);
    assert!(20 * (moving + unknown) >= 19 * SERIES, "{moving} {unknown}");
    assert!(10 * moving >= 7 * SERIES, "{moving}");
    // Twice as steep, none is missed.
    let (moving, _) = with(&|time: f64| 60.0 * time);
    assert!(20 * moving >= 19 * SERIES, "{moving}");
}

/// A queue at a hundredth over its capacity grows by a hundredth of its customers. A chance walk of as many steps goes √2n
/// far: the growth is twice that with 100,000 customers, and nothing like a level is left. Some courses are taken for very
/// slow noise, and none for a level.
#[test]
fn a_queue_over_its_capacity_has_no_level() {
    for (load, customers, most_found) in [
        (1.01, 100_000, 0.65),
        (1.02, 100_000, 0.9),
        (1.1, 20_000, 0.95),
    ] {
        let (moving, unknown) = judged(|seed| queue(seed, customers, load, true));
        assert!(
            20 * (moving + unknown) >= 19 * SERIES,
            "{load}: {moving}, {unknown}"
        );
        assert!(
            moving as f64 >= most_found * SERIES as f64,
            "{load}: {moving}"
        );
    }
}

/// With φ = e^-a for a relaxation time of 1 / a parts, the means of neighbouring parts have covariances 2 (a - 1 + φ) / a²
/// at lag 0 and (1 - φ)² φ^(lag - 1) / a² beyond. The spectrum is their sum with cos(lag ω), over that at frequency 0,
/// which is 2 / a: here it is added up.
#[test]
fn the_spectrum_is_the_sum_of_the_covariances() {
    let waves = Waves::new(10);
    for (relaxations, white) in [(3.0, 0.0), (40.0, 0.3), (0.3, 0.01)] {
        let a: f64 = relaxations / 10.0;
        let kept = (-a).exp();
        let at = |wave: f64| {
            let lags = (1..20_000).map(|lag| {
                let covariance = (1.0 - kept).powi(2) * kept.powi(lag - 1) / (a * a);
                2.0 * covariance * (f64::from(lag) * PI * wave / 10.0).cos()
            });
            2.0 * (a - 1.0 + kept) / (a * a) + lags.sum::<f64>()
        };
        let found = waves.of_noise(relaxations, white);
        assert!((at(0.0) - 2.0 / a).abs() < 1e-6);
        for (wave, found) in (1..10).zip(found) {
            let expected = white + at(f64::from(wave)) / at(0.0);
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}

/// cos(π k (j + 1/2) / n) are orthogonal, and √(2 / n) normalises them.
#[test]
fn waves_are_orthonormal() {
    let waves = Waves::new(12);
    for one in 1..12 {
        let seen = waves.of(|part| (PI * f64::from(one) * (part as f64 + 0.5) / 12.0).cos());
        for (wave, amplitude) in (1..12).zip(seen) {
            let expected = if wave == one { 6.0_f64.sqrt() } else { 0.0 };
            assert!((amplitude - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn what_is_exact_is_found_exactly() {
    assert_eq!(Course::of(&[1.0; 3]), None);
    for level in [0.0, 33.0, 1e9] {
        let course = Course::of(&[level; 100]).unwrap();
        assert_eq!(course.change, None, "{level}");
        assert!(course.pieces > MIN_PIECES);
    }
    // The logarithm of 1 + mean falls by 2 from the first moment to the last.
    let straight: Vec<f64> = (0..100)
        .map(|part| (5.0 - 2.0 * (f64::from(part) + 0.5) / 100.0).exp_m1())
        .collect();
    let change = Course::of(&straight).unwrap().change.unwrap();
    assert_eq!(change.shape, Shape::Straight);
    assert!((change.size + 2.0).abs() < 1e-6, "{change:?}");
    let decaying: Vec<f64> = (0..100)
        .map(|part| (5.0 - 2.0 * (-(f64::from(part) + 0.5) / 100.0 / 0.1).exp()).exp_m1())
        .collect();
    let change = Course::of(&decaying).unwrap().change.unwrap();
    assert_eq!(change.shape, Shape::Decaying(0.1));
    assert!((change.size + 2.0).abs() < 1e-6, "{change:?}");
}

/// Noise with 35 relaxation times in the window, each wave as large as its standard deviation and its sign by turns, and a
/// decay on top. The likeliest noise without a change has 9 relaxation times, or 4 with the larger decay: 4.3 pieces, or
/// 2.4. What the decay leaves has 15.2. So the limit is 20, although that of a window of so many pieces would be 12. The
/// ratios are 15.7 and 22.2 by a program of its own that follows "The course of latency" in docs/src/measurement.md.
#[test]
fn the_limit_is_that_of_the_window_and_not_of_what_a_change_leaves() {
    let waves = Waves::new(PARTS);
    let with = |size: f64| {
        let noise = waves.of_noise(35.0, 0.0);
        let mean = |part: usize| {
            let middle = (part as f64 + 0.5) / PARTS as f64;
            let wave = |(halves, variance): (usize, &f64)| {
                let sign = if halves % 2 == 0 { 1.0 } else { -1.0 };
                let phase = PI * halves as f64 * middle;
                sign * (variance * 2.0 / PARTS as f64).sqrt() * phase.cos()
            };
            let noise: f64 = (1..PARTS).zip(&noise).map(wave).sum();
            (5.0 + 0.02 * noise + size * (-middle / 0.1).exp()).exp_m1()
        };
        let means: Vec<f64> = (0..PARTS).map(mean).collect();
        Course::of(&means).unwrap()
    };
    let small = with(0.07);
    assert_eq!(small.change, None);
    assert!((small.pieces - 4.34).abs() < 0.01, "{small:?}");
    let large = with(0.1);
    let change = large.change.unwrap();
    assert_eq!(change.shape, Shape::Decaying(0.1));
    assert!((change.ratio - 22.17).abs() < 0.01, "{change:?}");
    assert!((large.pieces - 15.24).abs() < 0.01, "{large:?}");
}
