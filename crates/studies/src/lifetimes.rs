//! Settings that are each watched with several seeds until something happens, or until a deadline: an escape, a deadlock.

use crate::context::{Context, Failed};
use crate::many::repeat;
use crate::options::Seeds;
use flitwork_measure::{Interval, Lifetime, Survival, SurvivalStep};
use flitwork_plot::{Curves, Drawable, Scale, Series, Style};
use flitwork_report::{Column, Table, column};
use flitwork_sweep::pool::Stop;

/// The confidence of intervals.
pub(crate) const LEVEL: f64 = 0.95;

/// What is watched for, in the words of columns.
pub(crate) struct Event {
    /// The column with the time of a run, and what is in it.
    pub(crate) time: (&'static str, &'static str),
    /// What is in the column with the times of a curve.
    pub(crate) some: &'static str,
    /// What is in the column with the number that is left up to then.
    pub(crate) at_risk: &'static str,
    /// The column with the number to which it happened then, and what is in it.
    pub(crate) ended: (&'static str, &'static str),
    /// What the part that is left is.
    pub(crate) left: &'static str,
}

/// A seed's run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Watched<T> {
    pub(crate) seed: u64,
    /// When it happened, in cycles of the nominal clock; none if it hadn't by the deadline.
    pub(crate) ended: Option<u32>,
    /// What else was seen.
    pub(crate) seen: T,
}

/// All runs of a setting.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lifetimes<T> {
    pub(crate) runs: Vec<Watched<T>>,
    pub(crate) survival: Survival,
    /// Until when they were watched, in cycles of the nominal clock.
    deadline: u32,
}

impl<T> Lifetimes<T> {
    pub(crate) fn new(runs: Vec<Watched<T>>, deadline: u32) -> Lifetimes<T> {
        let survival = Survival::of(&lifetimes(&runs, deadline), LEVEL);
        Lifetimes {
            runs,
            survival,
            deadline,
        }
    }

    /// The corners of the survival curve, from 1 on: a logarithmic axis has no 0.
    fn staircase(&self) -> Vec<(f64, f64)> {
        let mut points = vec![(1.0, 1.0)];
        let mut left = 1.0;
        for step in self.survival.steps() {
            let time = step.time as f64;
            points.extend([(time, left), (time, step.survival)]);
            left = step.survival;
        }
        points.push((self.deadline.into(), left));
        points
    }

    /// To how many of the seeds it hadn't happened by the deadline.
    pub(crate) fn left(&self) -> u64 {
        let left = self.runs.iter().filter(|run| run.ended.is_none());
        left.count() as u64
    }

    /// The part of the seeds to which it hadn't, with its exact interval.
    pub(crate) fn part_left(&self) -> Option<Interval> {
        Interval::of_part(self.left(), self.runs.len() as u64, LEVEL)
    }
}

/// How long each run was watched.
pub(crate) fn lifetimes<T>(runs: &[Watched<T>], deadline: u32) -> Vec<Lifetime> {
    let lifetime = |run: &Watched<T>| Lifetime {
        time: run.ended.unwrap_or(deadline).into(),
        ended: run.ended.is_some(),
    };
    runs.iter().map(lifetime).collect()
}

/// A setting with all of its runs.
pub(crate) type RunsOf<S, T> = (S, Vec<Watched<T>>);

/// Watches each setting with each seed. If the user asks to stop, the settings of which all seeds have run are left.
pub(crate) fn watch_all<S: Clone + Sync, T: Copy + Send, const SEEDS: u32>(
    context: &mut dyn Context,
    settings: &[S],
    (over, jobs): (&Seeds<SEEDS>, Option<usize>),
    watch: impl Fn(&S, u64, &Stop) -> Option<Watched<T>> + Sync,
) -> Result<Vec<RunsOf<S, T>>, Failed> {
    let found = repeat(context, settings, (over, jobs), watch)?;
    let whole = settings.iter().zip(found);
    let whole = whole.filter_map(|(setting, runs)| Some((setting.clone(), runs?)));
    Ok(whole.collect())
}

/// A setting with one of its runs.
pub(crate) type RunOf<S, T> = (S, Watched<T>);

/// The runs of all settings, under the columns of settings and those of what else was seen.
pub(crate) fn runs_table<S: Clone + 'static, T: Copy + 'static>(
    event: &Event,
    mut columns: Vec<Column<RunOf<S, T>>>,
    seen: Vec<Column<RunOf<S, T>>>,
    rows: impl Iterator<Item = RunsOf<S, T>>,
) -> Table {
    columns.extend([
        column(
            "seed",
            "",
            "the seed of all random draws",
            |it: &RunOf<S, T>| it.1.seed,
        ),
        column(event.time.0, "cycles", event.time.1, |it: &RunOf<S, T>| {
            it.1.ended
        }),
    ]);
    columns.extend(seen);
    let runs = rows.flat_map(|(setting, runs)| {
        let of = move |run| (setting.clone(), run);
        runs.into_iter().map(of)
    });
    Table::new("runs", &columns, runs)
}

/// A setting with a step of its curve.
pub(crate) type StepOf<S> = (S, SurvivalStep);

/// The survival curves of all settings, under the columns of settings.
#[rustfmt::skip]
pub(crate) fn survival_table<'a, S: Clone + 'static>(
    event: &Event,
    mut columns: Vec<Column<StepOf<S>>>,
    rows: impl Iterator<Item = (S, &'a Survival)>,
) -> Table {
    columns.extend([
        column("time_cycles", "cycles", event.some, |it: &StepOf<S>| it.1.time),
        column("at_risk", "", event.at_risk, |it: &StepOf<S>| it.1.at_risk),
        column(event.ended.0, "", event.ended.1, |it: &StepOf<S>| it.1.ended),
        column("left", "", event.left, |it: &StepOf<S>| it.1.survival),
        column("left_low", "", "the lower end of its 95 % interval", |it: &StepOf<S>| it.1.interval.map(|it| it.low)),
        column("left_high", "", "its upper end", |it: &StepOf<S>| it.1.interval.map(|it| it.high)),
    ]);
    let steps = rows.flat_map(|(setting, survival)| {
        let steps = survival.steps().iter();
        steps.map(move |step| (setting.clone(), *step))
    });
    Table::new("survival", &columns, steps)
}

/// The parts that are left over time until the deadline, a curve for each name; none if it never happened to any.
pub(crate) fn survival_figure<'a, T: 'a>(
    title: &str,
    y_label: &str,
    curves: impl Iterator<Item = (String, &'a Lifetimes<T>)> + Clone,
) -> Option<String> {
    let happened = curves
        .clone()
        .any(|(_, of)| !of.survival.steps().is_empty());
    let series = curves.map(|(name, of)| Series::new(name, Style::Line, of.staircase()));
    let curves = Curves {
        title,
        x_label: "time (cycles)",
        y_label,
        x_scale: Scale::Logarithmic,
        series: series.collect(),
        ..Curves::default()
    };
    happened.then(|| curves.svg())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::Silent;
    use crate::contract::Ran;
    use crate::many::as_far;

    fn run(seed: u64, ended: Option<u32>) -> Watched<()> {
        let seen = ();
        Watched { seed, ended, seen }
    }

    /// Of four, one ended at 10, one at 30, and two hadn't by 100: 3/4 are left after 10, 1/2 after 30.
    #[test]
    fn what_is_left_is_counted() {
        let runs = [Some(30), None, Some(10), None];
        let runs = (1..).zip(runs).map(|(seed, ended)| run(seed, ended));
        let all = Lifetimes::new(runs.collect(), 100);
        assert_eq!((all.left(), all.survival.median()), (2, Some(30)));
        let corners = [
            (1.0, 1.0),
            (10.0, 1.0),
            (10.0, 0.75),
            (30.0, 0.75),
            (30.0, 0.5),
            (100.0, 0.5),
        ];
        assert_eq!(all.staircase(), corners);
        // Two of four: of the binomial distribution.
        let part = all.part_left().unwrap();
        assert!((part.low - 0.0676).abs() < 1e-4 && (part.high - 0.9324).abs() < 1e-4);
        let none = Lifetimes::new(vec![run(1, None)], 100);
        assert_eq!(none.staircase(), [(1.0, 1.0), (100.0, 1.0)]);
        let figure = |all: &[(&str, &Lifetimes<()>)]| {
            survival_figure(
                "",
                "",
                all.iter().map(|(name, of)| ((*name).to_owned(), *of)),
            )
        };
        assert!(figure(&[("none", &none)]).is_none());
        // Who never ended is drawn beside who did.
        for curves in [
            [("some ended", &all), ("all are left", &none)],
            [("all are left", &none), ("some ended", &all)],
        ] {
            let both = figure(&curves).unwrap();
            assert!(both.contains("some ended") && both.contains("all are left"));
        }
    }

    /// Of four, one ended at 10 and one at 30. Greenwood's sums are 1/12 and 1/4, so that the intervals of the logarithm of the hazard spread by
    /// 1.96 * 0.28868 / ln 0.75 = -1.96673 and 1.96 * 0.5 / ln 0.5 = -1.41382: 0.75 and 0.5 to the powers of e to either side of that.
    #[test]
    fn steps_have_their_intervals() {
        let event = Event {
            time: ("", ""),
            some: "",
            at_risk: "",
            ended: ("escaped", ""),
            left: "",
        };
        let runs = [Some(30), None, Some(10), None];
        let runs = (1..).zip(runs).map(|(seed, ended)| run(seed, ended));
        let all = Lifetimes::new(runs.collect(), 100);
        let setting = column("setting", "", "", |it: &StepOf<u32>| it.0);
        let table = survival_table(&event, vec![setting], [(7, &all.survival)].into_iter());
        let found = serde_json::to_value(table).unwrap();
        let names = ["setting", "time_cycles", "at_risk", "escaped", "left"];
        let names = names.into_iter().chain(["left_low", "left_high"]);
        for (row, expected) in [
            [7.0, 10.0, 4.0, 1.0, 0.75, 0.12795, 0.96055],
            [7.0, 30.0, 3.0, 1.0, 0.5, 0.05785, 0.84486],
        ]
        .iter()
        .enumerate()
        {
            for (name, expected) in names.clone().zip(expected) {
                let found = found[row][name].as_f64().unwrap();
                assert!((found - expected).abs() < 1e-4, "{row} {name}: {found}");
            }
        }
        assert_eq!(found.as_array().unwrap().len(), 2);
    }

    /// Whoever stops after some runs is left with the settings that are whole.
    #[test]
    fn whole_settings_are_left_of_an_interrupted_study() {
        let over = Seeds::<1> {
            first_seed: 7,
            seeds: 2,
        };
        let of = |stopped_at: u64| {
            let watch = |_: &char, seed: u64, stop: &Stop| {
                stop.flow().is_continue().then(|| run(seed, None))
            };
            let last = std::sync::atomic::AtomicU64::new(0);
            let counted = |setting: &char, seed: u64, stop: &Stop| {
                let before = last.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                watch(setting, seed, stop).filter(|_| before < stopped_at)
            };
            watch_all(
                &mut Silent::new(u32::MAX),
                &['a', 'b'],
                (&over, Some(1)),
                counted,
            )
            .unwrap()
        };
        let seeds_of = |of: Vec<(char, Vec<Watched<()>>)>| -> Vec<(char, Vec<u64>)> {
            let of = of.into_iter();
            of.map(|(setting, runs)| (setting, runs.iter().map(|run| run.seed).collect()))
                .collect()
        };
        assert_eq!(seeds_of(of(4)), [('a', vec![7, 8]), ('b', vec![7, 8])]);
        assert_eq!(seeds_of(of(3)), [('a', vec![7, 8])]);
        assert_eq!(seeds_of(of(1)), []);
        assert!(matches!(as_far(of(4), 2), Ran::Whole(_)));
        assert!(matches!(as_far(of(3), 2), Ran::AsFar(_)));
        assert!(matches!(as_far(of(1), 2), Ran::Nothing));
    }
}
