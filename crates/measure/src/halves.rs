//! Whether a figure that has no steady state to reach, such as what an overloaded network accepts, stays where it is.

use crate::Estimate;
use crate::estimate::two_sided_t;

/// Changes by less than this share aren't worth a verdict, however significant.
const MATERIAL: f64 = 0.01;

/// The first half of a window beside the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halves {
    /// The mean in the first half.
    pub first: f64,
    /// The mean in the second.
    pub second: f64,
    /// By how much the second is more, as a part of the first, with the interval of Student's t for two samples of one scatter.
    pub change: Estimate,
}

impl Halves {
    /// From equally many values in each half, at least two; they count as independent. `level` is between 0 and 1, exclusive.
    pub fn of(first: &[f64], second: &[f64], level: f64) -> Option<Halves> {
        let count = first.len();
        if count < 2 || second.len() != count {
            return None;
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / count as f64;
        let squares = |values: &[f64]| {
            let mean = mean(values);
            values.iter().map(|it| (it - mean).powi(2)).sum::<f64>()
        };
        let freedom = 2 * (count - 1);
        let variance = (squares(first) + squares(second)) / freedom as f64;
        let half_width = two_sided_t(freedom, level) * (2.0 * variance / count as f64).sqrt();
        let change = Estimate {
            mean: mean(second) - mean(first),
            half_width: Some(half_width),
            level,
            batches: 2 * count,
            observations: 2 * count as u64,
        };
        Some(Halves {
            first: mean(first),
            second: mean(second),
            change: change.scaled(1.0 / mean(first)),
        })
    }

    /// The same in another unit, `factor` of which equal one of the present unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Halves {
        Halves {
            first: self.first * factor,
            second: self.second * factor,
            ..self
        }
    }

    /// Whether the halves differ by more than a hundredth and by more than chance.
    pub fn has_changed(&self) -> bool {
        let Estimate {
            mean, half_width, ..
        } = self.change;
        let chance = half_width.unwrap_or(f64::INFINITY);
        mean.abs() > MATERIAL.max(chance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Halves 9, 10, 11 and 12, 13, 14: the pooled variance is (2 + 2) / 4 = 1, the difference's standard error √(2/3), and Student's t
    /// with 4 degrees of freedom 2.776 (NIST/SEMATECH e-Handbook, section 1.3.6.7.2).
    #[test]
    fn two_samples_of_three_by_hand() {
        let halves = Halves::of(&[9.0, 10.0, 11.0], &[12.0, 13.0, 14.0], 0.95).unwrap();
        assert_eq!((halves.first, halves.second), (10.0, 13.0));
        assert!((halves.change.mean - 0.3).abs() < 1e-12);
        let half_width = 2.776 * (2.0_f64 / 3.0).sqrt() / 10.0;
        assert!((halves.change.half_width.unwrap() - half_width).abs() < 1e-4);
        assert!(halves.has_changed());
        // In halves of the unit both are twice as many, and the part is the same.
        let scaled = halves.scaled(2.0);
        assert_eq!((scaled.first, scaled.second), (20.0, 26.0));
        assert_eq!(scaled.change, halves.change);
    }

    #[test]
    fn a_change_matters_beyond_chance_and_a_hundredth() {
        let changed = |first: [f64; 2], second: [f64; 2]| {
            Halves::of(&first, &second, 0.95).unwrap().has_changed()
        };
        assert!(!changed([100.0, 100.0], [100.9, 100.9]), "no hundredth");
        assert!(changed([100.0, 100.0], [101.1, 101.1]));
        assert!(changed([100.0, 100.0], [98.9, 98.9]));
        assert!(!changed([90.0, 110.0], [95.0, 115.0]), "chance");
    }

    #[test]
    fn a_half_of_one_value_shows_no_scatter() {
        assert_eq!(Halves::of(&[1.0], &[2.0], 0.95), None);
        assert_eq!(Halves::of(&[1.0, 1.0], &[2.0, 2.0, 2.0], 0.95), None);
    }

    proptest! {
        /// Exchanged halves change by as much the other way, as parts of their own first halves.
        #[test]
        fn halves_can_be_exchanged(first in prop::collection::vec(1.0f64..9.0, 2..12), more in 0.0f64..3.0) {
            let second: Vec<f64> = first.iter().map(|it| it + more).collect();
            let [one, other]: [Halves; 2] = [Halves::of(&first, &second, 0.9), Halves::of(&second, &first, 0.9)].map(Option::unwrap);
            let sizes: [f64; 2] = [one.change.mean * one.first, -other.change.mean * other.first];
            prop_assert!((sizes[0] - sizes[1]).abs() < 1e-9 && (sizes[0] - more).abs() < 1e-9);
        }
    }
}
