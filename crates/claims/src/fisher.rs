//! Fisher's exact test of two counts.

/// The probability, if both parts are one, of two counts that are at least as unlikely as these (R. A. Fisher, *The logic of inductive
/// inference*, 1935): the sum over all tables with the same margins whose probability is no more than this one's.
///
/// # Panics
/// If a count is more than what it is of.
pub fn two_sided(first: (u64, u64), second: (u64, u64)) -> f64 {
    let ((a, of_a), (b, of_b)) = (first, second);
    assert!(a <= of_a && b <= of_b, "{a} of {of_a}, {b} of {of_b}");
    let hits = a + b;
    // Logarithms of C(of_a, k) C(of_b, hits - k), up to a common factor.
    let weight = |k: u64| ln_choose(of_a, k) + ln_choose(of_b, hits - k);
    let all: Vec<f64> = (hits.saturating_sub(of_b)..=hits.min(of_a))
        .map(weight)
        .collect();
    let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let part = |weight: f64| (weight - most).exp();
    let seen = weight(a);
    // As unlikely, but for rounding.
    let unlikely = all.iter().filter(|it| **it <= seen + 1e-7);
    let sum: f64 = unlikely.map(|it| part(*it)).sum();
    (sum / all.iter().map(|it| part(*it)).sum::<f64>()).min(1.0)
}

/// The logarithm of the number of choices of `k` from `n`.
fn ln_choose(n: u64, k: u64) -> f64 {
    (0..k.min(n - k))
        .map(|i| ((n - i) as f64).ln() - ((i + 1) as f64).ln())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(p: f64, printed: f64) {
        assert!((p - printed).abs() < 5e-5, "{p} {printed}");
    }

    /// The lady who tastes tea: 3 of 4 and 1 of 4. Of C(8, 4) = 70 tables 1, 16, 36, 16 and 1 have 0 to 4 hits among the first four; all but
    /// the 36 are as unlikely as the 16.
    #[test]
    fn tea_is_tasted() {
        near(two_sided((3, 4), (1, 4)), 34.0 / 70.0);
        near(two_sided((4, 4), (0, 4)), 2.0 / 70.0);
        near(two_sided((2, 4), (2, 4)), 1.0);
    }

    /// 20 of 20 and 15 of 20: C(20, 15) of C(40, 35) tables, 15,504 of 658,008, and as many the other way.
    #[test]
    fn all_of_twenty_are_more_than_fifteen_and_not_more_than_sixteen() {
        near(two_sided((20, 20), (15, 20)), 2.0 * 15_504.0 / 658_008.0);
        near(two_sided((20, 20), (16, 20)), 2.0 * 4_845.0 / 91_390.0);
        assert!(two_sided((20, 20), (15, 20)) < 0.05 && two_sided((20, 20), (16, 20)) > 0.05);
    }

    /// Where all or none are hits there is one table.
    #[test]
    fn nothing_is_told_apart_without_a_difference() {
        near(two_sided((0, 40), (0, 7)), 1.0);
        near(two_sided((40, 40), (1_000_000, 1_000_000)), 1.0);
        near(two_sided((0, 0), (3, 9)), 1.0);
    }
}
