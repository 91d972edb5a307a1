//! A figure with its interval.

use flitwork_measure::Estimate;
use std::fmt;

/// A figure with half of its 95 % interval, 0 if it is exact or has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The figure.
    pub mean: f64,
    /// Half of its interval.
    pub half_width: f64,
}

impl Figure {
    /// A figure without an interval.
    pub fn exact(mean: f64) -> Figure {
        let half_width = 0.0;
        Figure { mean, half_width }
    }

    /// The mean of independent figures with Student's interval.
    pub(crate) fn of(values: &[f64]) -> Figure {
        let estimate = Estimate::of_independent(values, 0.95);
        Figure {
            mean: estimate.mean,
            half_width: estimate.half_width.unwrap_or(0.0),
        }
    }

    /// By how much it is more than an independent figure. Half widths are added in quadrature: each has the factor of Student's t for its own
    /// number of seeds, so that the sum is no narrower than Cochran's interval (1964), and wider than Welch's where seeds are few.
    pub(crate) fn minus(self, other: Figure) -> Figure {
        Figure {
            mean: self.mean - other.mean,
            half_width: self.half_width.hypot(other.half_width),
        }
    }

    /// By how much it is more than an independent figure, as a part of that: the parts of both half widths are added in quadrature.
    /// `None` of nothing.
    pub(crate) fn over(self, other: Figure) -> Option<Figure> {
        let ratio = self.mean / other.mean;
        let half_width = self.half_width.hypot(ratio * other.half_width) / other.mean.abs();
        let part = Figure {
            mean: ratio - 1.0,
            half_width,
        };
        (part.mean.is_finite() && half_width.is_finite()).then_some(part)
    }
}

/// `0.2883 ± 0.0048`: two digits of the interval; without one, six of the figure.
impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = |of: f64, more: f64| (more - of.log10().floor()).clamp(0.0, 12.0) as usize;
        let Figure { mean, half_width } = *self;
        if half_width > 0.0 {
            let digits = digits(half_width, 1.0);
            return write!(f, "{mean:.digits$} ± {half_width:.digits$}");
        }
        let digits = if mean == 0.0 {
            0
        } else {
            digits(mean.abs(), 5.0)
        };
        let text = format!("{mean:.digits$}");
        match text.contains('.') {
            true => f.write_str(text.trim_end_matches('0').trim_end_matches('.')),
            false => f.write_str(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_two_digits_of_their_interval() {
        let text = |mean, half_width| Figure { mean, half_width }.to_string();
        assert_eq!(text(0.28831, 0.00483), "0.2883 ± 0.0048");
        assert_eq!(text(1291.2, 329.4), "1291 ± 329");
        assert_eq!(text(-0.2, 0.0), "-0.2");
        assert_eq!(text(56691.0, 0.0), "56691");
        assert_eq!(text(1500.0, 0.0), "1500");
        assert_eq!(text(0.0, 0.0), "0");
        assert_eq!(text(2.0 / 3.0, 0.0), "0.666667");
    }

    /// 12 ± 3 % over 10 ± 4 %: 0.2, and 5 % of 1.2.
    #[test]
    fn parts_are_added_in_quadrature() {
        let figure = |mean, half_width| Figure { mean, half_width };
        let part = figure(12.0, 0.36).over(figure(10.0, 0.4)).unwrap();
        assert!(
            (part.mean - 0.2).abs() < 1e-12 && (part.half_width - 0.06).abs() < 1e-12,
            "{part}"
        );
        // 0 ± 0.01 of 0.4: nothing is left of it, give or take a fortieth; and there is no part of nothing.
        let part = figure(0.0, 0.01).over(figure(0.4, 0.02)).unwrap();
        assert!(part.mean == -1.0 && (part.half_width - 0.025).abs() < 1e-12);
        assert_eq!(figure(0.2, 0.01).over(figure(0.0, 0.01)), None);
    }

    /// 1, 2, 3, 4, 5: the deviation is the root of 2.5, and 2.776 of it over the root of 5 is 1.963.
    #[test]
    fn a_mean_has_students_interval() {
        let figure = Figure::of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(figure.mean, 3.0);
        assert!((figure.half_width - 1.963).abs() < 1e-3);
    }
}
