//! Steps over the side, beside the leading term and the bounds; and the excess.

use super::row::{Routed, Row};
use crate::contract::StudyFigure;
use crate::seeds::{distinct, mean_of, over_seeds, with_whiskers};
use flitwork_plot::{Curves, Drawable, Series, Style};

/// What figures are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    /// The side, n.
    Side,
    /// Packets a node, k: of runs of one side.
    Packets,
}

impl Over {
    fn of(runs: &[&Routed]) -> Over {
        let sides = distinct(runs.iter().map(|run| run.case.n)).len();
        let packets = distinct(runs.iter().map(|run| run.case.k)).len();
        match sides == 1 && packets > 1 {
            true => Over::Packets,
            false => Over::Side,
        }
    }

    fn at(self, run: &Routed) -> u32 {
        match self {
            Over::Side => run.case.n,
            Over::Packets => run.case.k,
        }
    }

    /// What is the same of all runs of a figure, by its name and its value.
    fn other(self, run: &Routed) -> (&'static str, u32) {
        match self {
            Over::Side => ("k", run.case.k),
            Over::Packets => ("n", run.case.n),
        }
    }

    fn label(self) -> &'static str {
        match self {
            Over::Side => "side, n (nodes)",
            Over::Packets => "packets a node, k",
        }
    }
}

/// What a figure of steps shows.
type Kind<'a> = (&'a str, u32, (&'a str, u32), &'a str, Vec<&'a str>);

fn kind(over: Over, run: &Routed) -> Kind<'_> {
    let case = &run.case;
    (
        case.topology,
        case.d,
        over.other(run),
        case.workload.name(),
        case.kind(),
    )
}

/// A line: an algorithm, and how its packets go.
fn line(run: &Routed) -> (String, &'static str, &'static str) {
    let manner = run.case.manner;
    (
        run.case.name(),
        manner.priority.name(),
        manner.phases.name(),
    )
}

/// A line for each algorithm of means over seeds.
fn lines(over: Over, runs: &[&Routed], of: fn(&Routed) -> Option<f64>) -> Vec<Series> {
    let all = distinct(runs.iter().map(|run| line(run)));
    let several = distinct(all.iter().map(|it| it.1)).len() > 1;
    let series = all.into_iter().map(|one| {
        let own = || runs.iter().filter(|run| line(run) == one).copied();
        let places = distinct(own().map(|run| over.at(run)));
        let means = places.into_iter().map(|place| {
            let there = own().filter(|run| over.at(run) == place);
            (place, mean_of(there.filter_map(of)))
        });
        let (algorithm, priority, phases) = &one;
        let name = match several {
            true => format!("{algorithm}, {priority}, {phases}"),
            false => format!("{algorithm}, {phases}"),
        };
        with_whiskers(name, Style::Curve, means)
    });
    series.collect()
}

/// What is the same of all lines that have it at a place.
fn limits(
    over: Over,
    runs: &[&Routed],
    name: impl Fn(&Routed) -> String,
    of: fn(&Routed) -> Option<f64>,
) -> Vec<Series> {
    let names = distinct(runs.iter().map(|run| name(run)));
    let series = names.into_iter().filter_map(|one| {
        let own: Vec<&&Routed> = runs.iter().filter(|run| name(run) == one).collect();
        let places = distinct(own.iter().map(|run| over.at(run)));
        let points = places.into_iter().filter_map(|place| {
            let there = own.iter().filter(|run| over.at(run) == place);
            let mean = over_seeds(there.filter_map(|run| of(run)))?;
            Some((place.into(), mean.mean))
        });
        let points: Vec<(f64, f64)> = points.collect();
        // A line of one point would be none.
        let style = if points.len() > 1 {
            Style::Dashed
        } else {
            Style::OpenCircles
        };
        (!points.is_empty()).then(|| Series::new(one, style, points))
    });
    series.collect()
}

/// All figures of runs.
pub(super) fn figures(rows: &[Row]) -> Vec<StudyFigure> {
    let runs: Vec<&Routed> = rows.iter().filter_map(Row::run).collect();
    let over = Over::of(&runs);
    let kinds = distinct(runs.iter().map(|run| kind(over, run)));
    let of_kind = kinds.into_iter().flat_map(|of| {
        let own = runs.iter().copied().filter(|run| kind(over, run) == of);
        let own: Vec<&Routed> = own.collect();
        let (topology, d, (which, value), workload, variants) = of;
        let mut about = vec![
            workload.to_owned(),
            format!("{which} = {value}"),
            topology.into(),
            format!("d = {d}"),
        ];
        about.extend(variants.iter().map(|it| (*it).to_owned()));
        let seeds = distinct(own.iter().map(|run| run.case.seed)).len();
        if seeds > 1 {
            about.push(format!("mean and 95 % interval of {seeds} seeds"));
        }
        let about = about.join(", ");
        let name = |what: &str| {
            let which = if over == Over::Side { "" } else { which };
            let variants: String = variants.iter().map(|it| format!("-{it}")).collect();
            format!("kaufmann-sibeyn-{what}-{topology}-{d}-{which}{value}-{workload}{variants}.svg")
        };
        let mut steps = lines(over, &own, |run| Some(run.travelled.steps.into()));
        steps.extend(limits(
            over,
            &own,
            |run| format!("{}: leading term", run.case.name()),
            |run| run.promises.leading,
        ));
        steps.extend(limits(
            over,
            &own,
            |_| "lower bound of section 2".into(),
            |run| Some(run.bounds.most() as f64),
        ));
        let curves = |title: &str, y_label: &str, series| {
            let curves = Curves {
                title,
                x_label: over.label(),
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
            lines(over, &own, Routed::excess),
        );
        [(name("steps"), steps), (name("excess"), excess)]
    });
    of_kind.collect()
}
