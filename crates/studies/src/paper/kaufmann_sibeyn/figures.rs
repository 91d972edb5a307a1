//! Steps over the side, beside the leading term and the bounds; and the excess.

use super::row::{Routed, Row};
use crate::contract::StudyFigure;
use crate::seeds::{distinct, mean_of, with_whiskers};
use flitwork_plot::{Curves, Drawable, Series, Style};

/// What a figure of steps shows.
type Kind<'a> = (&'a str, u32, u32, &'a str);

fn kind(run: &Routed) -> Kind<'_> {
    let case = &run.case;
    (case.topology, case.d, case.k, case.workload.name())
}

/// A line: an algorithm, and how its packets go.
fn line(run: &Routed) -> (&'static str, &'static str, &'static str) {
    let manner = run.case.manner;
    (
        run.case.algorithm.name(),
        manner.priority.name(),
        manner.phases.name(),
    )
}

/// A line for each algorithm, over n, of means over seeds.
fn lines(runs: &[&Routed], of: fn(&Routed) -> f64) -> Vec<Series> {
    let all = distinct(runs.iter().map(|run| line(run)));
    let several = distinct(all.iter().map(|it| it.1)).len() > 1;
    let series = all.into_iter().map(|(algorithm, priority, phases)| {
        let own = || {
            let own = runs
                .iter()
                .filter(|run| line(run) == (algorithm, priority, phases));
            own.copied()
        };
        let sides = distinct(own().map(|run| run.case.n));
        let means = sides.into_iter().map(|n| {
            let of_side = own().filter(|run| run.case.n == n);
            (n, mean_of(of_side.map(of)))
        });
        let name = match several {
            true => format!("{algorithm}, {priority}, {phases}"),
            false => format!("{algorithm}, {phases}"),
        };
        with_whiskers(name, Style::Curve, means)
    });
    series.collect()
}

/// What is the same of all lines that have it at a side.
fn limits(
    runs: &[&Routed],
    name: impl Fn(&Routed) -> String,
    of: fn(&Routed) -> f64,
) -> Vec<Series> {
    let names = distinct(runs.iter().map(|run| name(run)));
    let series = names.into_iter().map(|one| {
        let own: Vec<&&Routed> = runs.iter().filter(|run| name(run) == one).collect();
        let sides = distinct(own.iter().map(|run| run.case.n));
        let points = sides.into_iter().map(|n| {
            let of_side = own.iter().filter(|run| run.case.n == n);
            (n.into(), mean_of(of_side.map(|run| of(run))).mean)
        });
        Series::new(one, Style::Dashed, points.collect())
    });
    series.collect()
}

/// All figures of runs.
pub(super) fn figures(rows: &[Row]) -> Vec<StudyFigure> {
    let runs: Vec<&Routed> = rows.iter().filter_map(Row::run).collect();
    let kinds = distinct(runs.iter().map(|run| kind(run)));
    let of_kind = kinds.into_iter().flat_map(|of| {
        let own: Vec<&Routed> = runs.iter().copied().filter(|run| kind(run) == of).collect();
        let (topology, d, k, workload) = of;
        let about = format!("{workload}, k = {k}, {topology}, d = {d}");
        let name = |what: &str| format!("kaufmann-sibeyn-{what}-{topology}-{d}-{k}-{workload}.svg");
        let mut steps = lines(&own, |run| run.travelled.steps.into());
        steps.extend(limits(
            &own,
            |run| format!("{}: leading term", run.case.algorithm.name()),
            |run| run.promises.leading,
        ));
        steps.extend(limits(
            &own,
            |_| "lower bound of section 2".into(),
            |run| run.bounds.most() as f64,
        ));
        let curves = |title: &str, y_label: &str, series| {
            let curves = Curves {
                title,
                x_label: "side, n (nodes)",
                y_label,
                series,
                ..Curves::default()
            };
            curves.svg()
        };
        let title = format!("Steps: {about}");
        let steps = curves(&title, "steps", steps);
        let title = format!("Steps above the leading term: {about}");
        let excess = curves(
            &title,
            "excess, over the paper's term of lower order",
            lines(&own, Routed::excess),
        );
        [(name("steps"), steps), (name("excess"), excess)]
    });
    of_kind.collect()
}
