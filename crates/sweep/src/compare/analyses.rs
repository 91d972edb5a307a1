//! When the differences so far are analysed, and what an analysis may claim.
//!
//! Whoever analyses growing data again and again and stops at the first interval without 0 claims a sign far more
//! often than a single interval's level says (Armitage, McPherson and Rowe, "Repeated significance tests on
//! accumulating data", Journal of the Royal Statistical Society A 132, 1969). Here the analyses are
//! planned before the first run, at numbers of pairs that grow geometrically, and each of the K analyses has the
//! confidence 1 - (1 - C) / K: by Bonferroni's inequality all K intervals hold together with confidence C
//! (Dunn, "Multiple comparisons among means", Journal of the American Statistical Association 56, 1961),
//! whichever of them ends the comparison.

use flitwork_measure::Estimate;

/// Pairs at the first analysis.
const FIRST: u32 = 4;

/// After how many pairs to analyse them; the last time after all.
pub(super) fn planned(most_pairs: u32) -> Vec<u32> {
    let mut planned = Vec::new();
    let mut next = FIRST;
    while next < most_pairs {
        planned.push(next);
        next += next.div_ceil(2);
    }
    planned.push(most_pairs);
    planned
}

/// The confidence of each analysis' own interval.
pub(super) fn level(confidence: f64, analyses: usize) -> f64 {
    1.0 - (1.0 - confidence) / analyses as f64
}

/// The sign of the mean difference, where its interval leaves no doubt.
pub(super) fn sign(difference: &Estimate) -> Option<bool> {
    let half_width = difference.half_width?;
    (difference.mean.abs() > half_width).then_some(difference.mean > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    #[test]
    fn they_grow_and_end_with_the_budget() {
        assert_eq!(planned(64), [4, 6, 9, 14, 21, 32, 48, 64]);
        assert_eq!(planned(4), [4]);
        assert_eq!(planned(2), [2]);
        assert_eq!(planned(5), [4, 5]);
    }

    /// The fraction of comparisons of equals that claim a sign at some analysis.
    fn false_claims(draw: impl Fn(&mut Pcg64Mcg) -> f64, each_level: f64, trials: u32) -> f64 {
        let planned = planned(64);
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let claims = (0..trials).filter(|_| {
            let differences: Vec<f64> = (0..64).map(|_| draw(&mut random)).collect();
            let claim = |pairs: &u32| {
                sign(&Estimate::of_independent(
                    &differences[..*pairs as usize],
                    each_level,
                ))
            };
            planned.iter().any(|pairs| claim(pairs).is_some())
        });
        f64::from(claims.count() as u32) / f64::from(trials)
    }

    fn uniform(random: &mut Pcg64Mcg) -> f64 {
        (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Box and Muller, "A note on the generation of random normal deviates" (1958).
    fn normal(random: &mut Pcg64Mcg) -> f64 {
        let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
        radius * (std::f64::consts::TAU * uniform(random)).cos()
    }

    /// At confidence 0.95 at most a twentieth of comparisons of equals may claim a sign. With 4000 trials the
    /// count's standard deviation is 0.0034: three of them are allowed. Analysing as often with intervals
    /// of 0.95 claims one in more than an eighth of them, which is why each must pay.
    #[test]
    fn equals_are_told_apart_no_more_often_than_the_level_says() {
        let paid = level(0.95, planned(64).len());
        let claims = false_claims(normal, paid, 4000);
        assert!(claims <= 0.05 + 3.0 * 0.0034, "{claims}");
        assert!(claims > 0.0, "the test would see claims");
        // Differences of latencies aren't normal: a sum of a few uniforms, and one of two values.
        let flat = |random: &mut Pcg64Mcg| uniform(random) - 0.5;
        assert!(false_claims(flat, paid, 4000) <= 0.05 + 3.0 * 0.0034);
        assert!(false_claims(normal, 0.95, 4000) > 0.125);
    }

    /// A difference of two standard deviations is found long before the budget's end.
    #[test]
    fn a_large_difference_is_found_early() {
        let paid = level(0.95, planned(64).len());
        let mut random = Pcg64Mcg::seed_from_u64(3);
        let differences: Vec<f64> = (0..14).map(|_| 2.0 + normal(&mut random)).collect();
        assert_eq!(
            sign(&Estimate::of_independent(&differences, paid)),
            Some(true)
        );
    }
}
