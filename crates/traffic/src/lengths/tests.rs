//! Lengths against their laws.

use super::*;
use flitwork_types::TerminalId;

fn samples(law: &LengthLaw, packets: usize) -> Vec<u16> {
    let lengths = Lengths::new(law).unwrap();
    let mut draws = Draws::new(17, TerminalId(3));
    (0..packets).map(|_| lengths.draw(&mut draws)).collect()
}

/// The mean of 100,000 lengths is within five standard errors of the law's, and so is each share.
fn follows(law: &LengthLaw, share: impl Fn(u16) -> f64) {
    let packets = 100_000;
    let found = samples(law, packets);
    let lengths = Lengths::new(law).unwrap();
    let all = lengths.least_words..=lengths.most_words();
    let mean: f64 = all.clone().map(|k| f64::from(k) * share(k)).sum();
    assert!((mean - lengths.mean_words()).abs() < 1e-9 * mean, "{law:?}");
    let square: f64 = all.clone().map(|k| f64::from(k).powi(2) * share(k)).sum();
    let n = packets as f64;
    let found_mean = found.iter().map(|k| f64::from(*k)).sum::<f64>() / n;
    let error = ((square - mean * mean) / n).sqrt();
    assert!(
        (found_mean - mean).abs() < 5.0 * error,
        "{law:?}: {found_mean}"
    );
    for k in all {
        let count = found.iter().filter(|words| **words == k).count() as f64;
        // A share's count is binomial; one extra packet for shares that round to nothing.
        let error = (n * share(k) * (1.0 - share(k))).sqrt();
        assert!(
            (count - n * share(k)).abs() < 5.0 * error + 1.0,
            "{law:?}: {k}"
        );
    }
}

#[test]
fn every_law_has_its_shares_and_its_mean() {
    let uniform = LengthLaw::Uniform {
        least_words: 3,
        most_words: 12,
    };
    follows(&uniform, |_| 0.1);
    let weighted = LengthLaw::Weighted {
        lengths: vec![(1, 6.0), (5, 1.5), (9, 0.0), (2, 2.5)],
    };
    follows(&weighted, |k| match k {
        1 => 0.6,
        2 => 0.25,
        5 => 0.15,
        _ => 0.0,
    });
    for (q, most_words) in [(0.5f64, 3u16), (0.9, 20), (0.999, 40), (0.01, 500)] {
        // By the sums' closed forms, independently of the code.
        let share =
            move |k: u16| q.powi(i32::from(k) - 1) * (1.0 - q) / (1.0 - q.powi(most_words.into()));
        let mean_words = (1..=most_words).map(|k| f64::from(k) * share(k)).sum();
        let law = LengthLaw::Geometric {
            mean_words,
            most_words,
        };
        follows(&law, share);
    }
}

#[test]
fn a_fixed_length_takes_no_draw() {
    let one_length = [
        LengthLaw::Fixed { words: 7 },
        LengthLaw::Uniform {
            least_words: 7,
            most_words: 7,
        },
        LengthLaw::Weighted {
            lengths: vec![(7, 2.0), (8, 0.0), (7, 1.0)],
        },
    ];
    for law in one_length {
        let lengths = Lengths::new(&law).unwrap();
        assert_eq!(lengths, Lengths::fixed(7));
        let mut draws = Draws::new(1, TerminalId(1));
        assert_eq!(lengths.draw(&mut draws), 7);
        assert_eq!(draws, Draws::new(1, TerminalId(1)));
    }
}

#[test]
fn other_laws_take_one_draw() {
    let laws = [
        LengthLaw::Uniform {
            least_words: 1,
            most_words: u16::MAX,
        },
        LengthLaw::Weighted {
            lengths: vec![(1, 1e-300), (65_535, 1e300)],
        },
        LengthLaw::Geometric {
            mean_words: 32_767.999,
            most_words: u16::MAX,
        },
        LengthLaw::Geometric {
            mean_words: 1.000_000_1,
            most_words: 2,
        },
    ];
    for law in laws {
        let lengths = Lengths::new(&law).unwrap();
        let (mut draws, mut once) = (Draws::new(1, TerminalId(1)), Draws::new(1, TerminalId(1)));
        for _ in 0..1000 {
            let words = lengths.draw(&mut draws);
            assert!((lengths.least_words..=lengths.most_words()).contains(&words));
            once.below(1);
            assert_eq!(draws, once, "{law:?}");
        }
    }
}

#[test]
fn the_ends_of_the_geometric_law() {
    let law = |mean_words, most_words| LengthLaw::Geometric {
        mean_words,
        most_words,
    };
    assert_eq!(Lengths::new(&law(1.0, 9)), Ok(Lengths::fixed(1)));
    assert_eq!(Lengths::new(&law(1.0, 1)), Ok(Lengths::fixed(1)));
    assert_eq!(Lengths::new(&law(5.0, 9)), uniform(1, 9));
    let tiny = Lengths::new(&law(1.0 + f64::EPSILON, 9)).unwrap();
    assert!((tiny.mean_words() - 1.0).abs() < 1e-15);
    for (mean_words, most_words) in [
        (4.999_999, 9),
        (2000.0, 65_535),
        (1.5, 3),
        (32_000.5, 65_535),
    ] {
        let mean = Lengths::new(&law(mean_words, most_words))
            .unwrap()
            .mean_words();
        assert!((mean - mean_words).abs() < 1e-9 * mean_words, "{mean}");
    }
}

#[test]
fn nonsense_is_refused() {
    let refused = |law| Lengths::new(&law).unwrap_err().key;
    assert_eq!(refused(LengthLaw::Fixed { words: 0 }), "words");
    let uniform = |least_words, most_words| LengthLaw::Uniform {
        least_words,
        most_words,
    };
    assert_eq!(refused(uniform(0, 3)), "least_words");
    assert_eq!(refused(uniform(4, 3)), "most_words");
    let weighted = |lengths: &[(u16, f64)]| LengthLaw::Weighted {
        lengths: lengths.to_vec(),
    };
    assert_eq!(refused(weighted(&[])), "lengths");
    assert_eq!(refused(weighted(&[(1, 0.0)])), "lengths");
    assert_eq!(
        refused(weighted(&[(9, f64::MAX), (9, f64::MAX)])),
        "lengths"
    );
    assert_eq!(refused(weighted(&[(0, 1.0)])), "lengths.words");
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(weighted(&[(1, weight)])), "lengths.weight");
    }
    for mean_words in [0.0, 0.999, 5.001, f64::NAN, f64::INFINITY, -3.0] {
        let law = LengthLaw::Geometric {
            mean_words,
            most_words: 9,
        };
        assert_eq!(refused(law), "mean_words");
    }
    let law = LengthLaw::Geometric {
        mean_words: 1.0,
        most_words: 0,
    };
    assert_eq!(refused(law), "most_words");
    let message = Lengths::new(&uniform(4, 3)).unwrap_err().to_string();
    assert_eq!(
        message,
        "most_words is 3; allowed: 4 (least_words) to 65535 words"
    );
}
