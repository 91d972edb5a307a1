//! What flip-flops of synchronizers sampled in the window.

use flitwork_node::Sampled;
use std::collections::BTreeMap;

/// What flip-flops that may become metastable sampled in the window, over all crossings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Synchronizers {
    /// Words, credits and reports that came.
    pub arrivals: u64,
    /// Those that left a flip-flop undecided.
    pub undecided: u64,
    /// Those that it was still undecided about after the synchronizer's last edge.
    pub failures: u64,
    /// How many failures to expect of as many arrivals, by the formula for the mean time between failures.
    pub failures_expected: Chances,
}

/// A sum of probabilities that doesn't depend on their order: nothing is rounded before all of them are added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chances {
    /// By the exponents of the numbers, the sums of their significands.
    by_exponent: BTreeMap<u16, u128>,
}

/// Bits of a significand after its leading one.
const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;

impl Chances {
    /// Adds a probability. What isn't a number from 0 on counts for nothing.
    pub fn add(&mut self, chance: f64) {
        if !chance.is_finite() || chance <= 0.0 {
            return;
        }
        let bits = chance.to_bits();
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        // The sign is 0, so 11 bits are left.
        let (exponent, significand) = match (bits >> FRACTION_BITS) as u16 {
            0 => (1, fraction),
            exponent => (exponent, fraction | 1 << FRACTION_BITS),
        };
        *self.by_exponent.entry(exponent).or_default() += u128::from(significand);
    }

    /// The sum.
    pub fn sum(&self) -> f64 {
        // The smallest ones first.
        let parts = self.by_exponent.iter().map(|(exponent, significands)| {
            let one = f64::from_bits(u64::from(*exponent) << FRACTION_BITS);
            *significands as f64 * f64::EPSILON * one
        });
        parts.sum()
    }
}

impl Synchronizers {
    pub(super) fn count(&mut self, sampled: Sampled) {
        self.arrivals += 1;
        self.undecided += u64::from(sampled.is_undecided);
        self.failures += u64::from(sampled.has_failed);
        self.failures_expected.add(sampled.failure_chance);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(all: impl IntoIterator<Item = f64>) -> f64 {
        let mut chances = Chances::default();
        all.into_iter().for_each(|chance| chances.add(chance));
        chances.sum()
    }

    /// Powers of two and sums of a few of them are exact, down to the smallest number that there is.
    #[test]
    fn a_chance_is_itself() {
        for chance in [1.0, 0.5, 0.1, 3.7e-44, f64::MIN_POSITIVE, 1e-300] {
            assert_eq!(sum([chance]), chance);
        }
        assert_eq!(sum([0.5; 7]), 3.5);
        assert_eq!(sum([]), 0.0);
        assert_eq!(sum([0.0, -1.0, f64::NAN, f64::INFINITY]), 0.0);
    }

    /// Added one by one, forth and back, these differ in the last digits.
    #[test]
    fn the_order_does_not_matter() {
        let all: Vec<f64> = (1..=1000)
            .map(|number| f64::from(number).powi(-3))
            .collect();
        let forth: f64 = all.iter().sum();
        let back: f64 = all.iter().rev().sum();
        assert_ne!(forth, back);
        let exact = sum(all.iter().copied());
        assert_eq!(exact, sum(all.iter().rev().copied()));
        assert!((exact - back).abs() < 1e-14);
    }
}
