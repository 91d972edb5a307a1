//! From values to positions: ranges and ticks.

use crate::label::label;
use std::ops::RangeInclusive;

/// How an axis maps values to positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    #[default]
    Linear,
    /// Equal ratios have equal lengths. Values that aren't positive can't be shown.
    Logarithmic,
}

/// A value farther from 0 than this isn't shown, and one nearer than its inverse is taken as 0, so that ranges and steps
/// stay finite.
pub(crate) const GREATEST: f64 = 1e150;

impl Scale {
    /// Whether a value can be shown on such an axis.
    pub(crate) fn shows(self, value: f64) -> bool {
        match self {
            Scale::Linear => value.abs() <= GREATEST,
            Scale::Logarithmic => (1.0 / GREATEST..=GREATEST).contains(&value),
        }
    }
}

/// A labelled position on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// The least and the greatest of the values that such an axis can show; infinity and minus infinity if there is none.
pub(crate) fn span(scale: Scale, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let shown = values.filter(|value| scale.shows(*value));
    shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// An axis from `low` to `high`, `low` less than `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) scale: Scale,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Axis {
    /// The axis from exactly `low` to `high`, or of a range around them if they are equal.
    pub(crate) fn exact(low: f64, high: f64) -> Axis {
        let (low, high) = widened(low, high);
        Axis {
            scale: Scale::Linear,
            low,
            high,
        }
    }

    /// An axis that shows all of `values`, with ends at round numbers. 0 is an end if that takes less than half of the
    /// length.
    pub(crate) fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Axis {
        Axis::with_ends(scale, values, 1.0)
    }

    /// A tighter axis around the values: a linear one may end between two ticks.
    pub(crate) fn close_around(scale: Scale, values: impl Iterator<Item = f64>) -> Axis {
        Axis::with_ends(scale, values, 0.25)
    }

    /// An axis whose ends are multiples of `part` of the distance between ticks.
    fn with_ends(scale: Scale, values: impl Iterator<Item = f64>, part: f64) -> Axis {
        let (low, high) = span(scale, values);
        let (low, high) = match scale {
            Scale::Linear if low > high => (0.0, 1.0),
            Scale::Logarithmic if low > high => (1.0, 10.0),
            Scale::Linear => rounded(low, high, part),
            Scale::Logarithmic => match (round_down(low), round_up(high)) {
                (low, high) if high > low => (low, high),
                (low, high) => (low, round_up(1.5 * high)),
            },
        };
        Axis { scale, low, high }
    }

    /// The position of `value`, from 0 at the low end to 1 at the high one.
    pub(crate) fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// About `count` ticks.
    pub(crate) fn ticks(&self, count: f64) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(step(self.high - self.low, count)),
            Scale::Logarithmic => self.logarithmic_ticks(count),
        }
    }

    /// As [`Axis::ticks`], at whole numbers only.
    pub(crate) fn whole_ticks(&self, count: f64) -> Vec<Tick> {
        self.linear_ticks(step(self.high - self.low, count).max(1.0))
    }

    fn linear_ticks(&self, step: f64) -> Vec<Tick> {
        let first = (self.low / step - 1e-9).ceil();
        let count = (self.high / step + 1e-9).floor() - first;
        let greatest = self.low.abs().max(self.high.abs());
        (0..=count.clamp(0.0, 100.0) as u32)
            .map(|tick| (first + f64::from(tick)) * step)
            .map(|value| Tick {
                value,
                label: label(value, step, greatest),
            })
            .collect()
    }

    /// The powers of ten that span it.
    fn decades(&self) -> RangeInclusive<i32> {
        self.low.log10().floor() as i32..=self.high.log10().ceil() as i32
    }

    fn logarithmic_ticks(&self, count: f64) -> Vec<Tick> {
        let decades = self.decades().end() - self.decades().start();
        let mantissas: &[f64] = match 3 * decades <= count as i32 + 3 {
            true => &[1.0, 2.0, 5.0],
            false => &[1.0],
        };
        let every = (f64::from(decades) / count).ceil().max(1.0) as usize;
        let decades = self.decades().step_by(every).map(|it| 10f64.powi(it));
        let values = decades.flat_map(|decade| mantissas.iter().map(move |it| it * decade));
        values
            .filter(|value| (self.low * 0.999..=self.high * 1.001).contains(value))
            .map(|value| Tick {
                value,
                label: label(value, value, value),
            })
            .collect()
    }

    /// The positions of minor ticks, without labels: 2 to 9 in each decade.
    pub(crate) fn minor_ticks(&self) -> Vec<f64> {
        if self.scale == Scale::Linear || self.high / self.low > 1e7 {
            return Vec::new();
        }
        let digits = (2..10).map(f64::from);
        let decades = self.decades().map(|it| 10f64.powi(it));
        decades
            .flat_map(|decade| digits.clone().map(move |digit| digit * decade))
            .filter(|value| (self.low..=self.high).contains(value))
            .collect()
    }
}

/// A range around another, whose ends are multiples of `part` of the distance between ticks.
fn rounded(low: f64, high: f64, part: f64) -> (f64, f64) {
    let (low, high) = match () {
        () if low > 0.0 && 2.0 * low < high => (0.0, high),
        () if high < 0.0 && 2.0 * high > low => (low, 0.0),
        () => (low, high),
    };
    let (low, high) = widened(low, high);
    let step = step(high - low, 6.0) * part;
    let low = (low / step + 1e-9).floor() * step;
    (low, (high / step - 1e-9).ceil() * step)
}

/// Widens a range around a single value, or around two that are too close for floats to distinguish.
fn widened(low: f64, high: f64) -> (f64, f64) {
    let greatest = low.abs().max(high.abs());
    if high - low > greatest * 1e-9 && greatest > 1.0 / GREATEST {
        return (low, high);
    }
    if greatest <= 1.0 / GREATEST {
        return (0.0, 1.0);
    }
    (low - 0.1 * greatest, high + 0.1 * greatest)
}

/// 1, 2 or 5 times a power of ten, so that `range` holds at most about `count` steps.
fn step(range: f64, count: f64) -> f64 {
    round_up(range / count)
}

fn decade(value: f64) -> f64 {
    10f64.powi(value.log10().floor() as i32)
}

fn round_up(value: f64) -> f64 {
    let decade = decade(value);
    let mut round = [1.0, 2.0, 5.0]
        .map(|mantissa| mantissa * decade)
        .into_iter();
    let fits = |round: &f64| *round >= value * (1.0 - 1e-9);
    round.find(fits).unwrap_or(10.0 * decade)
}

fn round_down(value: f64) -> f64 {
    let decade = decade(value);
    let mut round = [5.0, 2.0].map(|mantissa| mantissa * decade).into_iter();
    let fits = |round: &f64| *round <= value * (1.0 + 1e-9);
    round.find(fits).unwrap_or(decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis, count: f64) -> Vec<String> {
        axis.ticks(count)
            .into_iter()
            .map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn ticks_are_round() {
        let axis = |values: &[f64]| Axis::around(Scale::Linear, values.iter().copied());
        assert_eq!(labels(axis(&[3.0, 59_000.0]), 6.0)[..2], ["0", "10,000"]);
        assert_eq!(
            labels(axis(&[0.0, 1.0]), 6.0),
            ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(labels(axis(&[-2.0, 2.0]), 4.0), ["−2", "−1", "0", "1", "2"]);
        assert_eq!(
            labels(axis(&[0.0, 3e8]), 3.0),
            ["0", "10⁸", "2×10⁸", "3×10⁸"]
        );
        assert_eq!(labels(axis(&[95.0, 105.0]), 6.0).first().unwrap(), "94");
        assert_eq!(
            labels(axis(&[]), 2.0),
            ["0.0", "0.5", "1.0"].map(|l| l.replace("0.0", "0"))
        );
    }

    /// A value just beyond a tick doesn't extend the axis to the next tick.
    #[test]
    fn a_close_axis_ends_between_labelled_places() {
        let values = [0.02, 1.002].into_iter();
        let axis = Axis::close_around(Scale::Linear, values.clone());
        assert_eq!((axis.low, axis.high), (0.0, 1.05));
        assert_eq!(labels(axis, 6.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert!((Axis::around(Scale::Linear, values).high - 1.2).abs() < 1e-9);
    }

    #[test]
    fn logarithmic_ticks_stand_at_1_2_5() {
        let axis = Axis::around(Scale::Logarithmic, [600.0, 2520.0, -1.0, 0.0].into_iter());
        assert_eq!(labels(axis, 6.0), ["500", "1000", "2000", "5000"]);
        assert!((axis.share(500.0), axis.share(5000.0)) == (0.0, 1.0));
        let wide = Axis::around(Scale::Logarithmic, [1e-30, 1e30].into_iter());
        assert!(wide.ticks(6.0).len() <= 8);
        assert!(wide.minor_ticks().is_empty());
    }

    #[test]
    fn every_range_has_a_place_for_its_values() {
        let awkward = [
            0.0,
            -0.0,
            1.0,
            1.0 + f64::EPSILON,
            -7.5,
            1e-320,
            1e-160,
            1e-140,
            1e149,
            -1e149,
            1e300,
            f64::MAX,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            33.3,
        ];
        for scale in [Scale::Linear, Scale::Logarithmic] {
            for (a, b) in awkward
                .iter()
                .flat_map(|a| awkward.iter().map(move |b| (*a, *b)))
            {
                let both = [a, b].into_iter();
                for axis in [
                    Axis::around(scale, both.clone()),
                    Axis::close_around(scale, both),
                ] {
                    let ticks = axis.ticks(6.0);
                    assert!(ticks.len() <= 20, "{a} {b}: {ticks:?}");
                    for value in [a, b].into_iter().filter(|value| scale.shows(*value)) {
                        let share = axis.share(value);
                        assert!(
                            (-1e-6..=1.000_001).contains(&share),
                            "{a} {b}: {value} at {share}, {axis:?}"
                        );
                    }
                }
            }
        }
    }
}
