//! A mean and how well it is known.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::erf::erfc;
use std::fmt;

/// A mean with its confidence interval, `mean` ± `half_width`, in the unit of the observations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean; NaN if there is no observation.
    pub mean: f64,
    /// Half the width of the confidence interval; `None` if no interval can be trusted.
    pub half_width: Option<f64>,
    /// The confidence level, such as 0.95.
    pub level: f64,
    /// The number of batch means from which the interval was computed.
    pub batches: usize,
    /// The number of observations behind the mean.
    pub observations: u64,
}

impl Estimate {
    /// A number that is known rather than measured: an interval of width 0.
    pub fn exact(mean: f64) -> Estimate {
        Estimate {
            mean,
            half_width: Some(0.0),
            level: 1.0,
            batches: 0,
            observations: 0,
        }
    }

    /// The mean of independent observations, such as one figure of runs with different seeds, with the
    /// interval of Student's t. A single observation has no interval, and without observations there is no
    /// mean.
    ///
    /// `level` is between 0 and 1, exclusive.
    pub fn of_independent(values: &[f64], level: f64) -> Estimate {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let half_width = (values.len() > 1).then(|| {
            let freedom = values.len() - 1;
            two_sided_t(freedom, level) * (squares / freedom as f64 / count).sqrt()
        });
        Estimate {
            mean,
            half_width,
            level,
            batches: values.len(),
            observations: values.len() as u64,
        }
    }

    /// The same in another unit, `factor` of which equal one of the present unit: mean and interval are
    /// multiplied by `factor`.
    pub fn scaled(self, factor: f64) -> Estimate {
        let half_width = self.half_width.map(|half_width| half_width * factor.abs());
        Estimate {
            mean: self.mean * factor,
            half_width,
            ..self
        }
    }

    /// The number of decimal places that shows two significant digits of the interval; without an interval,
    /// hundredths.
    fn decimals(&self) -> usize {
        match self.half_width {
            Some(half_width) if half_width > 0.0 && half_width.is_finite() => {
                (1.0 - half_width.log10().floor()).clamp(0.0, 9.0) as usize
            }
            _ => 2,
        }
    }
}

/// `12.34 ± 0.05`, to two significant digits of the interval or to the requested precision; `12.34 ± ?` if no
/// interval can be trusted. The caller adds the unit.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or_else(|| self.decimals());
        match self.half_width {
            Some(half_width) => write!(f, "{:.decimals$} ± {half_width:.decimals$}", self.mean),
            None => write!(f, "{:.decimals$} ± ?", self.mean),
        }
    }
}

/// The value that Student's t with `freedom` degrees of freedom stays within, on both sides, with
/// probability `level`.
///
/// `freedom` must be at least 1 and `level` lie between 0 and 1.
pub(crate) fn two_sided_t(freedom: usize, level: f64) -> f64 {
    assert!(freedom >= 1, "Student's t needs a degree of freedom");
    let students_t = StudentsT::new(0.0, 1.0, freedom as f64).expect("standard Student's t");
    students_t.inverse_cdf(0.5 + level / 2.0)
}

/// The probability that a standard normal number is farther from 0 than `z`.
pub(crate) fn two_sided_normal(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_the_printed_table() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2, upper critical values.
        for (freedom, level, t) in [
            (1, 0.95, 12.706),
            (4, 0.95, 2.776),
            (19, 0.95, 2.093),
            (19, 0.99, 2.861),
            (100, 0.9, 1.660),
        ] {
            assert!(
                (two_sided_t(freedom, level) - t).abs() < 6e-4,
                "{freedom} {level}"
            );
        }
        // The same, section 1.3.6.7.1: 1.96 and 2.576 leave 5 % and 1 % outside.
        assert!((two_sided_normal(1.96) - 0.05).abs() < 1e-4);
        assert!((two_sided_normal(-2.576) - 0.01).abs() < 1e-4);
    }

    #[test]
    fn independent_observations_have_the_interval_of_students_t() {
        // Mean 5, variance (9 + 1 + 1 + 9) / 3 = 20 / 3; t with 3 degrees of freedom is 3.182 (the same
        // handbook): 3.182 * sqrt(20 / 3 / 4) = 4.108.
        let estimate = Estimate::of_independent(&[2.0, 4.0, 6.0, 8.0], 0.95);
        assert_eq!(estimate.mean, 5.0);
        assert!((estimate.half_width.unwrap() - 4.108).abs() < 1e-3);
        let same = Estimate::of_independent(&[3.0, 3.0], 0.95);
        assert_eq!((same.mean, same.half_width), (3.0, Some(0.0)));
        assert_eq!(Estimate::of_independent(&[3.0], 0.95).half_width, None);
        let none = Estimate::of_independent(&[], 0.95);
        assert!(none.mean.is_nan() && none.half_width.is_none());
    }

    #[test]
    fn shows_two_digits_of_the_interval() {
        let estimate = |mean, half_width| Estimate {
            mean,
            half_width,
            level: 0.95,
            batches: 20,
            observations: 1000,
        };
        assert_eq!(
            estimate(12.3401, Some(0.0512)).to_string(),
            "12.340 ± 0.051"
        );
        assert_eq!(
            format!("{:.2} cycles", estimate(12.3401, Some(0.0512))),
            "12.34 ± 0.05 cycles"
        );
        assert_eq!(estimate(1234.5, Some(73.2)).to_string(), "1234 ± 73");
        assert_eq!(estimate(1234.5, None).to_string(), "1234.50 ± ?");
        assert_eq!(estimate(f64::NAN, None).to_string(), "NaN ± ?");
        assert_eq!(Estimate::exact(7.0).to_string(), "7.00 ± 0.00");
        assert_eq!(
            estimate(2.0, Some(0.5)).scaled(-10.0).to_string(),
            "-20.0 ± 5.0"
        );
    }
}
