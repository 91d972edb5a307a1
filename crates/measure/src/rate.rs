//! How often something happens in so much time, where each observation ends when it does.

use crate::counts::Interval;
use crate::survival::Lifetime;
use statrs::distribution::{ContinuousCDF, Normal};

/// How often something happened in how much time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// How often.
    pub count: u64,
    /// In how much time, or of whatever else it is counted in.
    pub exposure: f64,
}

impl Rate {
    /// That of all observations together.
    pub fn of(lifetimes: &[Lifetime]) -> Rate {
        Rate {
            count: lifetimes.iter().filter(|it| it.ended).count() as u64,
            exposure: lifetimes.iter().map(|it| it.time as f64).sum(),
        }
    }

    /// How often in a unit of time; `None` of no time.
    pub fn mean(&self) -> Option<f64> {
        (self.exposure > 0.0).then(|| self.count as f64 / self.exposure)
    }

    /// Its interval, exact if the rate is constant: [`Interval::of_count`].
    pub fn interval(&self, level: f64) -> Option<Interval> {
        let unit = (self.exposure > 0.0).then(|| 1.0 / self.exposure)?;
        Some(Interval::of_count(self.count, level).scaled(unit))
    }

    /// How many times as often it happens as elsewhere: of both counts together, one is binomial. The upper end is infinite where it
    /// happens nowhere else; `None` where it happens in neither.
    ///
    /// Przyborowski and Wilenski, "Homogeneity of results in testing samples from Poisson series", Biometrika 31, 1940.
    ///
    /// ```
    /// use flitwork_measure::Rate;
    ///
    /// // 5 in 10 against 5 in 20: twice as often. Of 10, 5 are 0.1871 to 0.8129, odds of 0.2302 to 4.345, each times 20/10.
    /// let of = |exposure| Rate { count: 5, exposure };
    /// let ratio = of(10.0).ratio(&of(20.0), 0.95).unwrap();
    /// assert!((ratio.low - 0.4603).abs() < 1e-4 && (ratio.high - 8.690).abs() < 1e-3);
    /// ```
    pub fn ratio(&self, other: &Rate, level: f64) -> Option<Interval> {
        let both = self.count + other.count;
        if both == 0 || self.exposure <= 0.0 || other.exposure <= 0.0 {
            return None;
        }
        let longer = other.exposure / self.exposure;
        let part = Interval::of_part(self.count, both, level)?;
        let odds = |part: f64| part / (1.0 - part) * longer;
        Some(Interval {
            low: odds(part.low),
            high: odds(part.high),
        })
    }
}

/// Whether something happens as often in old observations as in young ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constancy {
    /// Up to which part of the total time it happens, in the mean: 1/2 if the rate is constant, more if it rises with age.
    pub mean_part: f64,
    /// How likely it is to be as far from 1/2 if the rate is constant; by the normal approximation, which is good from four events on.
    pub probability: f64,
}

impl Constancy {
    /// That of independent observations; `None` with fewer than four events.
    ///
    /// Epstein, "Tests for the validity of the assumption that the underlying distribution of life is exponential", Technometrics 2,
    /// 1960, test 3: under a constant rate the total time of all observations up to each event is uniform in the total of all.
    pub fn of(lifetimes: &[Lifetime]) -> Option<Constancy> {
        let total_up_to = |time: u64| -> f64 {
            let times = lifetimes.iter().map(|it| it.time.min(time) as f64);
            times.sum()
        };
        let total = total_up_to(u64::MAX);
        let ended = lifetimes.iter().filter(|it| it.ended);
        let mut ended: Vec<u64> = ended.map(|it| it.time).collect();
        ended.sort_unstable();
        // The last event is the end of all time if nothing lasts longer.
        if ended.len() == lifetimes.len() {
            ended.pop();
        }
        let count = ended.len() as f64;
        let parts: f64 = ended.iter().map(|time| total_up_to(*time) / total).sum();
        (ended.len() >= 4).then(|| {
            let mean_part = parts / count;
            let deviations = (mean_part - 0.5) * (12.0 * count).sqrt();
            Constancy {
                mean_part,
                probability: 2.0 * Normal::standard().sf(deviations.abs()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifetimes(all: &[i64]) -> Vec<Lifetime> {
        let lifetime = |it: &i64| Lifetime {
            time: it.unsigned_abs(),
            ended: *it > 0,
        };
        all.iter().map(lifetime).collect()
    }

    /// Three happened in 2 + 3 + 5 + 10 + 10 = 30.
    #[test]
    fn rates_by_hand() {
        let rate = Rate::of(&lifetimes(&[2, 3, 5, -10, -10]));
        assert_eq!((rate.count, rate.exposure), (3, 30.0));
        assert_eq!(rate.mean(), Some(0.1));
        // Garwood: 3 are 0.6187 to 8.7673.
        let interval = rate.interval(0.95).unwrap();
        assert!(
            (interval.low - 0.6187 / 30.0).abs() < 1e-5
                && (interval.high - 8.7673 / 30.0).abs() < 1e-5
        );
        let none = Rate::of(&[]);
        assert_eq!((none.mean(), none.interval(0.95)), (None, None));
        assert_eq!(
            (rate.ratio(&none, 0.95), none.ratio(&rate, 0.95)),
            (None, None)
        );
        // Against none in 60: the lower end is 0.025^(1/3) = 0.2924 of all three, odds of 0.4132, times 60/30.
        let nowhere = Rate {
            count: 0,
            exposure: 60.0,
        };
        let ratio = rate.ratio(&nowhere, 0.95).unwrap();
        assert!((ratio.low - 0.8265).abs() < 1e-3 && ratio.high == f64::INFINITY);
        let turned = nowhere.ratio(&rate, 0.95).unwrap();
        assert!(turned.low == 0.0 && (turned.high - 1.0 / ratio.low).abs() < 1e-9);
        assert_eq!(nowhere.ratio(&nowhere, 0.95), None);
    }

    /// Events at 1, 2, 3, 4 of six, two of which last to 10: totals of 6, 11, 15, 18 of 30, in the mean 12.5/30; -1/12 * √48 = -0.5774.
    #[test]
    fn constancy_by_hand() {
        let found = Constancy::of(&lifetimes(&[1, 2, 3, 4, -10, -10])).unwrap();
        assert!((found.mean_part - 12.5 / 30.0).abs() < 1e-12);
        assert!((found.probability - 0.5637).abs() < 1e-4, "{found:?}");
        // All of five end: the last, at 5, is left out. Totals of 5, 9, 12, 14 of 15, in the mean 2/3; 1/6 * √48 = 1.1547.
        let found = Constancy::of(&lifetimes(&[5, 1, 4, 2, 3])).unwrap();
        assert!((found.mean_part - 2.0 / 3.0).abs() < 1e-12);
        assert!((found.probability - 0.2482).abs() < 1e-4, "{found:?}");
        assert_eq!(Constancy::of(&lifetimes(&[1, 2, 3, 4])), None);
        // What happens to old ones alone.
        let old: Vec<Lifetime> = lifetimes(&[90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
        assert!(Constancy::of(&old).unwrap().probability < 0.001);
    }
}
