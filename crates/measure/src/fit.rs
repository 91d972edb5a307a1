//! Curves through points, by least squares.
//!
//! [`PowerLaw::fit`] uses the method of Chinn, "Packet routing in multiprocessor networks" (1995), section
//! 4.2.2: "linear regression on the logarithms of the mesh sizes and the estimated congestion components".

use crate::counts::Interval;
use crate::estimate::two_sided_t;

/// Why there is no curve through some points.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A curve with two parameters needs two points.
    #[error("a curve needs at least 2 points, not {points}")]
    TooFewPoints {
        /// How many there are.
        points: usize,
    },
    /// A coordinate isn't a finite number or, where its logarithm is taken, isn't positive.
    #[error("no curve can be fitted through point {index}, ({}, {})", point.0, point.1)]
    BadPoint {
        /// Which point, from 0.
        index: usize,
        /// The point.
        point: (f64, f64),
    },
    /// All points have the same x.
    #[error("no curve can be fitted: every point has x = {x}")]
    OneX {
        /// That x.
        x: f64,
    },
}

/// y = intercept + slope · x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// y at x = 0.
    pub intercept: f64,
    /// The increase of y per unit of x.
    pub slope: f64,
}

impl Line {
    /// The line with the least mean squared error through points (x, y).
    ///
    /// # Errors
    /// Fewer than two points, a coordinate that isn't finite, or a single x.
    pub fn fit(points: &[(f64, f64)]) -> Result<Line, FitError> {
        check(points, |value| value.is_finite())?;
        let count = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
        let scatter: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        if scatter == 0.0 || points.iter().all(|point| point.0 == points[0].0) {
            return Err(FitError::OneX { x: points[0].0 });
        }
        let together: f64 = points
            .iter()
            .map(|(x, y)| (x - mean_x) * (y - mean_y))
            .sum();
        let slope = together / scatter;
        Ok(Line {
            intercept: mean_y - slope * mean_x,
            slope,
        })
    }

    /// The interval of the slope of that line, if what is added to each y is independent of the others and of one normal
    /// distribution: that of Student with two degrees of freedom fewer than points. `None` if there is no line, or no degree of freedom.
    ///
    /// Draper and Smith, Applied Regression Analysis, section 1.4.
    pub fn slope_interval(points: &[(f64, f64)], level: f64) -> Option<Interval> {
        let line = Line::fit(points).ok()?;
        let freedom = points.len().checked_sub(2).filter(|it| *it > 0)?;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / points.len() as f64;
        let scatter: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let errors = points
            .iter()
            .map(|(x, y)| y - line.intercept - line.slope * x);
        let squares: f64 = errors.map(|error| error * error).sum();
        let deviation = (squares / freedom as f64 / scatter).sqrt();
        let half = two_sided_t(freedom, level) * deviation;
        let (low, high) = (line.slope - half, line.slope + half);
        Some(Interval { low, high })
    }
}

/// y = coefficient · x^exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// y at x = 1.
    pub coefficient: f64,
    /// The power of x.
    pub exponent: f64,
}

impl PowerLaw {
    /// The power law whose logarithm is the least-squares line through the points' logarithms.
    ///
    /// # Errors
    /// Fewer than two points, a coordinate that isn't finite and positive, or a single x.
    pub fn fit(points: &[(f64, f64)]) -> Result<PowerLaw, FitError> {
        check(points, |value| value.is_finite() && value > 0.0)?;
        let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
        let line = Line::fit(&logarithms).map_err(|error| match error {
            FitError::OneX { .. } => FitError::OneX { x: points[0].0 },
            other => other,
        })?;
        Ok(PowerLaw {
            coefficient: line.intercept.exp(),
            exponent: line.slope,
        })
    }

    /// The interval of its exponent: that of the [slope](Line::slope_interval) of the line through the points' logarithms.
    pub fn exponent_interval(points: &[(f64, f64)], level: f64) -> Option<Interval> {
        let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
        Line::slope_interval(&logarithms, level)
    }
}

fn check(points: &[(f64, f64)], good: impl Fn(f64) -> bool) -> Result<(), FitError> {
    if points.len() < 2 {
        return Err(FitError::TooFewPoints {
            points: points.len(),
        });
    }
    match points.iter().position(|&(x, y)| !(good(x) && good(y))) {
        Some(index) => Err(FitError::BadPoint {
            index,
            point: points[index],
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
