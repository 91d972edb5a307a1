//! How long it takes until something happens, where some observations end before it does.

use crate::counts::Interval;
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

/// How long something was observed, in a unit of the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Until when.
    pub time: u64,
    /// Whether it happened then; otherwise the observation ended, and it is known only that it takes longer.
    pub ended: bool,
}

/// A time at which something happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurvivalStep {
    /// When.
    pub time: u64,
    /// How many were observed up to then.
    pub at_risk: u64,
    /// To how many of them it happened.
    pub ended: u64,
    /// The part to which it hasn't happened after this time.
    pub survival: f64,
    /// The interval of that part; none once it is 0.
    pub interval: Option<Interval>,
}

/// The part of all to which it hasn't happened, over time.
///
/// Kaplan and Meier, "Nonparametric estimation from incomplete observations", Journal of the American Statistical Association 53,
/// 1958. Intervals are those of the logarithm of the cumulative hazard, with Greenwood's variance: they lie between 0 and 1
/// (Kalbfleisch and Prentice, The Statistical Analysis of Failure Time Data, 1980).
#[derive(Clone, Debug, PartialEq)]
pub struct Survival {
    steps: Vec<SurvivalStep>,
}

impl Survival {
    /// That of independent observations. Those that end when it happens to others were observed up to then.
    pub fn of(lifetimes: &[Lifetime], level: f64) -> Survival {
        let normal = Normal::standard();
        let z = normal.inverse_cdf(0.5 + level / 2.0);
        let (mut survival, mut greenwood) = (1.0, 0.0);
        let steps = times(lifetimes).into_iter().map(|time| {
            let (at_risk, ended) = at(lifetimes, time);
            let (risk, end) = (at_risk as f64, ended as f64);
            survival *= 1.0 - end / risk;
            greenwood += end / (risk * (risk - end));
            let interval = (at_risk > ended).then(|| {
                let spread = z * greenwood.sqrt() / survival.ln();
                let end = |by: f64| survival.powf(by.exp());
                let (low, high) = (end(-spread), end(spread));
                Interval { low, high }
            });
            SurvivalStep {
                time,
                at_risk,
                ended,
                survival,
                interval,
            }
        });
        Survival {
            steps: steps.collect(),
        }
    }

    /// The times at which it happened to any, in their order.
    pub fn steps(&self) -> &[SurvivalStep] {
        &self.steps
    }

    /// The part to which it hasn't happened after a time.
    pub fn after(&self, time: u64) -> f64 {
        let before = self.steps.partition_point(|it| it.time <= time);
        self.steps[..before].last().map_or(1.0, |it| it.survival)
    }

    /// The first time after which half or fewer are left; none if more are to the end.
    pub fn median(&self) -> Option<u64> {
        // A product of parts that is 1/2 may come out a little above.
        let half = self.steps.iter().find(|it| it.survival <= 0.5 + 1e-9);
        half.map(|it| it.time)
    }
}

/// Each time at which it happened, once, in their order.
fn times(lifetimes: &[Lifetime]) -> Vec<u64> {
    let ended = lifetimes.iter().filter(|it| it.ended);
    let mut times: Vec<u64> = ended.map(|it| it.time).collect();
    times.sort_unstable();
    times.dedup();
    times
}

/// How many were observed up to a time, and to how many it happened then.
fn at(lifetimes: &[Lifetime], time: u64) -> (u64, u64) {
    let at_risk = lifetimes.iter().filter(|it| it.time >= time).count();
    let ended = lifetimes.iter().filter(|it| it.ended && it.time == time);
    (at_risk as u64, ended.count() as u64)
}

/// Whether it takes as long in one group as in another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogRank {
    /// The test's value: a chi-square of one degree of freedom, if it does.
    pub chi_square: f64,
    /// How likely such a value is, or a greater one, if it does.
    pub probability: f64,
    /// Of the first group, to how many it happened more than would have if it took as long: negative if it takes longer.
    pub excess: f64,
}

impl LogRank {
    /// That of two groups; `None` if it happened to nobody, or to all at once.
    ///
    /// Mantel, "Evaluation of survival data and two new rank order statistics arising in its consideration", Cancer Chemotherapy
    /// Reports 50, 1966.
    pub fn of(one: &[Lifetime], other: &[Lifetime]) -> Option<LogRank> {
        let both = [one, other].concat();
        let (mut excess, mut variance) = (0.0, 0.0);
        for time in times(&both) {
            let ((risk, ended), (risk_of_one, ended_of_one)) = (at(&both, time), at(one, time));
            let (n, d) = (risk as f64, ended as f64);
            let part = risk_of_one as f64 / n;
            excess += ended_of_one as f64 - d * part;
            if risk > 1 {
                variance += d * part * (1.0 - part) * (n - d) / (n - 1.0);
            }
        }
        (variance > 0.0).then(|| {
            let chi_square = excess * excess / variance;
            let distribution = ChiSquared::new(1.0).expect("a degree of freedom");
            LogRank {
                chi_square,
                probability: distribution.sf(chi_square),
                excess,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Weeks in remission; negative where the observation ended. Freireich et al., "The effect of 6-mercaptopurine on the duration of
    /// steroid-induced remissions in acute leukemia", Blood 21, 1963.
    const TREATED: [i64; 21] = [
        6, 6, 6, -6, 7, -9, 10, -10, -11, 13, 16, -17, -19, -20, 22, 23, -25, -32, -32, -34, -35,
    ];
    const PLACEBO: [i64; 21] = [
        1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23,
    ];

    fn weeks(all: &[i64]) -> Vec<Lifetime> {
        let lifetime = |it: &i64| Lifetime {
            time: it.unsigned_abs(),
            ended: *it > 0,
        };
        all.iter().map(lifetime).collect()
    }

    #[test]
    fn remissions_last_as_long_as_is_printed() {
        // By hand, as in Kleinbaum and Klein, Survival Analysis, section 2.2: 18/21, and so on.
        let treated = Survival::of(&weeks(&TREATED), 0.95);
        let steps = treated.steps().iter();
        let found: Vec<_> = steps.map(|it| (it.time, it.at_risk, it.ended)).collect();
        let printed = [
            (6, 21, 3),
            (7, 17, 1),
            (10, 15, 1),
            (13, 12, 1),
            (16, 11, 1),
            (22, 7, 1),
            (23, 6, 1),
        ];
        assert_eq!(found, printed);
        let survival = [0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482];
        for (step, survival) in treated.steps().iter().zip(survival) {
            assert!((step.survival - survival).abs() < 6e-5, "{step:?}");
        }
        assert_eq!(
            (treated.median(), treated.after(5), treated.after(9)),
            (Some(23), 1.0, treated.steps()[1].survival)
        );
        // After week 6: S = 6/7, Greenwood's sum 3/(21 * 18), √ = 0.089087; spread 1.959964 * 0.089087 / ln(6/7) = -1.132704.
        let interval = treated.steps()[0].interval.unwrap();
        let end = |by: f64| (6.0_f64 / 7.0).powf(by.exp());
        assert!(
            (interval.low - end(1.132704)).abs() < 1e-5
                && (interval.high - end(-1.132704)).abs() < 1e-5,
            "{interval:?}"
        );
        // After week 7, where one of 17 relapses: S = 6/7 * 16/17, and 1/(17 * 16) more.
        let second = treated.steps()[1];
        let sum = 3.0 / (21.0 * 18.0) + 1.0 / (17.0 * 16.0);
        let survival = 6.0_f64 / 7.0 * 16.0 / 17.0;
        let spread = 1.959964 * f64::sqrt(sum) / survival.ln();
        let interval = second.interval.unwrap();
        assert!(
            (interval.low - survival.powf((-spread).exp())).abs() < 1e-6
                && (interval.high - survival.powf(spread.exp())).abs() < 1e-6,
            "{interval:?}"
        );
        // All have relapsed in week 23.
        let placebo = Survival::of(&weeks(&PLACEBO), 0.95);
        let last = placebo.steps().last().unwrap();
        assert_eq!(
            (last.survival, last.interval, placebo.median()),
            (0.0, None, Some(8))
        );
    }

    #[test]
    fn the_treatment_makes_a_difference() {
        // Kleinbaum and Klein, section 2.3: 16.79, with 9 relapses of the treated where 19.25 are expected.
        let found = LogRank::of(&weeks(&TREATED), &weeks(&PLACEBO)).unwrap();
        assert!((found.chi_square - 16.79).abs() < 0.005, "{found:?}");
        assert!((found.excess + 10.25).abs() < 0.005, "{found:?}");
        assert!((found.probability - 4.17e-5).abs() < 2e-7, "{found:?}");
        let turned = LogRank::of(&weeks(&PLACEBO), &weeks(&TREATED)).unwrap();
        assert!((turned.chi_square - found.chi_square).abs() < 1e-9 && turned.excess > 0.0);
        assert_eq!(LogRank::of(&weeks(&[-3, -4]), &weeks(&[-9])), None);
        assert_eq!(LogRank::of(&weeks(&[3]), &weeks(&[3])), None);
    }

    /// Of n that end at 1, 2 and so on, half are left after n/2, and the same where those beyond it never end.
    #[test]
    fn half_are_left_where_half_have_ended() {
        for n in (2..=400).step_by(2) {
            let end = |time| Lifetime { time, ended: true };
            let all: Vec<Lifetime> = (1..=n).map(end).collect();
            assert_eq!(Survival::of(&all, 0.95).median(), Some(n / 2));
            let lasts = |it: &Lifetime| Lifetime {
                time: it.time.min(n),
                ended: it.time <= n / 2,
            };
            let half: Vec<Lifetime> = all.iter().map(lasts).collect();
            assert_eq!(Survival::of(&half, 0.95).median(), Some(n / 2));
        }
    }

    #[test]
    fn nothing_ends_without_observations() {
        let none = Survival::of(&[], 0.95);
        assert_eq!(
            (none.steps(), none.median(), none.after(7)),
            (&[][..], None, 1.0)
        );
    }

    proptest! {
        /// Without censoring the part is counted, and intervals lie around it.
        #[test]
        fn the_part_is_counted_where_all_end(times in prop::collection::vec(0u64..20, 1..60), at in 0u64..25) {
            let all: Vec<Lifetime> = times.iter().map(|time| Lifetime { time: *time, ended: true }).collect();
            let survival = Survival::of(&all, 0.95);
            let left = times.iter().filter(|it| **it > at).count() as f64 / times.len() as f64;
            prop_assert!((survival.after(at) - left).abs() < 1e-9);
            for step in survival.steps() {
                if let Some(it) = step.interval {
                    prop_assert!(0.0 <= it.low && it.low <= step.survival && step.survival <= it.high && it.high <= 1.0);
                }
            }
        }
    }
}
