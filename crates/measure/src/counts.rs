//! Exact intervals of counts: how often something happens in so many trials, or in so much time.

use statrs::distribution::{Beta, ChiSquared, ContinuousCDF};

/// An interval in which the true value lies with some confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// The part of trials that succeed, of which `successes` of `trials` did: exact, so that the confidence is at least `level`. `None`
    /// without trials.
    ///
    /// Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934.
    ///
    /// ```
    /// use flitwork_measure::Interval;
    ///
    /// // None of 20: the upper end is 1 - 0.025^(1/20).
    /// let none = Interval::of_part(0, 20, 0.95).unwrap();
    /// assert_eq!(none.low, 0.0);
    /// assert!((none.high - 0.16843).abs() < 1e-5);
    /// ```
    pub fn of_part(successes: u64, trials: u64, level: f64) -> Option<Interval> {
        if trials == 0 {
            return None;
        }
        let successes = successes.min(trials);
        let outside = (1.0 - level) / 2.0;
        let quantile = |successes: u64, failures: u64, part: f64| {
            let beta = Beta::new(successes as f64, failures as f64);
            beta.expect("positive shapes").inverse_cdf(part)
        };
        let failures = trials - successes;
        Some(Interval {
            low: match successes {
                0 => 0.0,
                _ => quantile(successes, failures + 1, outside),
            },
            high: match failures {
                0 => 1.0,
                _ => quantile(successes + 1, failures, 1.0 - outside),
            },
        })
    }

    /// The mean count of events that are independent of each other, of which `count` were observed. The confidence is at least `level`.
    ///
    /// Garwood, "Fiducial limits for the Poisson distribution", Biometrika 28, 1936.
    ///
    /// ```
    /// use flitwork_measure::Interval;
    ///
    /// // None observed: the upper end is -ln 0.025.
    /// let none = Interval::of_count(0, 0.95);
    /// assert_eq!(none.low, 0.0);
    /// assert!((none.high - 3.6889).abs() < 1e-4);
    /// ```
    pub fn of_count(count: u64, level: f64) -> Interval {
        let outside = (1.0 - level) / 2.0;
        let quantile = |count: u64, part: f64| {
            let twice = ChiSquared::new(2.0 * count as f64);
            twice.expect("a degree of freedom").inverse_cdf(part) / 2.0
        };
        Interval {
            low: match count {
                0 => 0.0,
                _ => quantile(count, outside),
            },
            high: quantile(count + 1, 1.0 - outside),
        }
    }

    /// The same in another unit, `factor` of which equal one of the present unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Interval {
        Interval {
            low: self.low * factor,
            high: self.high * factor,
        }
    }
}

/// Probabilities of several tests, corrected so that the least of them may be taken for what it says: of true hypotheses no more than
/// one family in 1/p has any below p.
///
/// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
///
/// ```
/// // Four tests: 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 that isn't less than the one before.
/// let corrected = flitwork_measure::holm(&[0.01, 0.04, 0.03, 0.005]);
/// assert_eq!(corrected, [0.03, 0.06, 0.06, 0.02]);
/// ```
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|one, other| probabilities[*one].total_cmp(&probabilities[*other]));
    let mut corrected = vec![0.0; probabilities.len()];
    let mut least: f64 = 0.0;
    for (rank, place) in order.into_iter().enumerate() {
        let tests = (probabilities.len() - rank) as f64;
        least = least.max((tests * probabilities[place]).min(1.0));
        corrected[place] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Binomial, DiscreteCDF, Poisson};

    fn is(found: Interval, (low, high): (f64, f64)) {
        let near = (found.low - low).abs() < 6e-5 && (found.high - high).abs() < 6e-5;
        assert!(near, "{found:?} for {low} to {high}");
    }

    #[test]
    fn ends_are_those_of_the_definition() {
        // All of n: 0.025^(1/n).
        is(Interval::of_part(20, 20, 0.95).unwrap(), (0.83157, 1.0));
        is(Interval::of_part(0, 1, 0.9).unwrap(), (0.0, 0.95));
        assert_eq!(Interval::of_part(0, 0, 0.95), None);
        // A mean of one, with 1 - e^-m = 0.025 below: m = 0.025318.
        let one = Interval::of_count(1, 0.95);
        assert!((one.low - 0.025318).abs() < 1e-6, "{one:?}");
        is(one.scaled(10.0), (0.25318, 10.0 * one.high));
    }

    proptest! {
        /// At either end what was observed, or what is farther from the middle, is as likely as the level leaves outside.
        #[test]
        fn ends_leave_as_much_outside(trials in 1u64..300, part in 0.0..1.0f64, level in 0.5..0.999f64) {
            let successes = (part * trials as f64) as u64;
            let outside = (1.0 - level) / 2.0;
            let found = Interval::of_part(successes, trials, level).unwrap();
            if successes > 0 {
                let at_low = Binomial::new(found.low, trials).unwrap();
                prop_assert!((at_low.sf(successes - 1) - outside).abs() < 1e-6);
            }
            if successes < trials {
                let at_high = Binomial::new(found.high, trials).unwrap();
                prop_assert!((at_high.cdf(successes) - outside).abs() < 1e-6);
            }
            let found = Interval::of_count(successes, level);
            if successes > 0 {
                let at_low = Poisson::new(found.low).unwrap();
                prop_assert!((at_low.sf(successes - 1) - outside).abs() < 1e-6);
            }
            let at_high = Poisson::new(found.high).unwrap();
            prop_assert!((at_high.cdf(successes) - outside).abs() < 1e-6);
        }

        #[test]
        fn corrected_probabilities_keep_their_order(all in prop::collection::vec(0.0..1.0f64, 0..20)) {
            let corrected = holm(&all);
            for (one, of_one) in all.iter().zip(&corrected) {
                prop_assert!(of_one >= one && *of_one <= 1.0);
                prop_assert!(*of_one <= one * all.len() as f64 + 1e-12 || all.len() > 1);
                for (other, of_other) in all.iter().zip(&corrected) {
                    prop_assert!(one > other || of_one <= of_other);
                }
            }
        }
    }
}
