//! Studies that vary one thing at a time, from a point from which all start.

use crate::context::{Context, Failed};
use crate::many::{OfPoint, measure};
use crate::options::Repeats;
use crate::seeds::distinct;
use flitwork_config::{Override, Resolved};
use flitwork_results::Results;
use flitwork_sweep::Error;
use std::fmt::Display;

/// A place on an axis: the name of the axis, the value there, and where figures have it.
#[derive(Clone, Debug)]
pub(crate) struct Place<P> {
    pub(crate) axis: &'static str,
    pub(crate) value: String,
    pub(crate) x: f64,
    pub(crate) point: P,
}

/// A point on an axis: its value, where figures have it, and the point.
pub(crate) type At<P> = (String, f64, P);

/// An axis: its name, and how the point from which all start changes along it.
pub(crate) type Axis<S, P> = (&'static str, fn(&S, &P) -> Vec<At<P>>);

/// A point at a number.
pub(crate) fn at<T: ToString + Into<f64> + Copy, P>(value: T, point: P) -> At<P> {
    (value.to_string(), value.into(), point)
}

/// All points at numbers.
pub(crate) fn along<T: ToString + Into<f64> + Copy, P>(
    values: &[T],
    with: impl Fn(T) -> P,
) -> Vec<At<P>> {
    values
        .iter()
        .map(|value| at(*value, with(*value)))
        .collect()
}

/// The places on the axes that are asked for: axis by axis, value by value, and at each value from each of the starts.
pub(crate) fn places<S, P>(
    axes: &[Axis<S, P>],
    (study, asked): (&S, &[String]),
    starts: &[P],
) -> Result<Vec<Place<P>>, Failed> {
    let mut all = Vec::new();
    for name in asked {
        let Some((axis, points)) = axes.iter().find(|(axis, _)| axis == name) else {
            let names: Vec<&str> = axes.iter().map(|(axis, _)| *axis).collect();
            let why = format!("found {name:?}; allowed: {}", names.join(", "));
            return Err(Failed::option("--axes", why));
        };
        let found = starts.iter().flat_map(|start| points(study, start));
        let found = found.map(|(value, x, point)| Place {
            axis,
            value,
            x,
            point,
        });
        let mut found: Vec<Place<P>> = found.collect();
        let values = distinct(found.iter().map(|place| place.value.clone()));
        found.sort_by_key(|place| values.iter().position(|value| *value == place.value));
        all.extend(found);
    }
    Ok(all)
}

/// Refuses an axis that is asked for and has no place: what it varies is none of the routers'.
pub(crate) fn refuse_empty<P>(
    all: &[Place<P>],
    asked: &[String],
    given: &[String],
) -> Result<(), Failed> {
    let is_empty = |axis: &&String| !all.iter().any(|place| place.axis == **axis);
    match asked.iter().find(is_empty) {
        Some(axis) if given.iter().any(|it| it == "axes") => {
            let why = format!(
                "{axis} varies nothing of the routers that are asked for; allowed: other axes, or other --routers"
            );
            Err(Failed::option("--axes", why))
        }
        _ => Ok(()),
    }
}

/// The first place of each router.
pub(crate) fn firsts<P>(all: &[Place<P>], router: fn(&P) -> &'static str) -> Vec<&Place<P>> {
    let routers = distinct(all.iter().map(|place| router(&place.point))).into_iter();
    let first = |name| all.iter().find(|place| router(&place.point) == name);
    routers.filter_map(first).collect()
}

/// What a table says below its head: from where the axes of each router start, and what is set besides.
pub(crate) fn base_text(
    starts: impl IntoIterator<Item = impl Display>,
    set: &[Override],
) -> String {
    let starts = starts.into_iter().map(|start| format!("start: {start}\n"));
    let set = set.iter().map(|it| format!("{it}\n"));
    starts.chain(set).collect()
}

/// What runs came to, each with all seeds. A run that several places have takes place once.
pub(crate) struct Measured<R, T> {
    runs: Vec<R>,
    found: Vec<OfPoint<T>>,
}

impl<R: Clone + PartialEq + Sync, T: Clone + Send> Measured<R, T> {
    /// Measures each of the runs. Those that may wait are repeated for longer where they may be unsteady only by chance.
    pub(crate) fn of<const SEEDS: u32>(
        context: &mut dyn Context,
        runs: impl IntoIterator<Item = R>,
        repeats: &Repeats<SEEDS>,
        resolve: impl Fn(&R, u64, &[Override]) -> Result<Resolved, Error> + Sync,
        may_wait: impl Fn(&R) -> bool + Sync,
        figures: impl Fn(&R, &Results) -> Option<T> + Sync,
    ) -> Result<Measured<R, T>, Failed> {
        let runs = distinct(runs);
        let found = measure(context, &runs, repeats, resolve, may_wait, figures)?;
        Ok(Measured { runs, found })
    }

    /// What a run came to.
    pub(crate) fn get(&self, run: &R) -> OfPoint<T> {
        let number = self.runs.iter().position(|it| it == run)?;
        self.found[number].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_from_where_its_axes_start() {
        let set = "router.chaos.derouting=false".parse().unwrap();
        let text = base_text([7, 9], &[set]);
        assert_eq!(
            text,
            "start: 7\nstart: 9\n--set router.chaos.derouting=false\n"
        );
        assert_eq!(base_text([""; 0], &[]), "");
    }

    /// Two starts on two axes: at each value one after the other, and an axis that one start doesn't have leaves it out.
    #[test]
    fn places_go_by_axis_by_value_and_by_start() {
        const AXES: &[Axis<u32, i32>] = &[
            ("more", |study, start| {
                along(&[1, *study], |by| start + by as i32)
            }),
            ("even", |_, start| {
                let values: &[u32] = if start % 2 == 0 { &[0] } else { &[] };
                along(values, |_| *start)
            }),
        ];
        let asked = ["even", "more"].map(String::from);
        let all = places(AXES, (&5, &asked), &[10, 21]).unwrap();
        let all: Vec<_> = all
            .iter()
            .map(|it| (it.axis, &*it.value, it.x, it.point))
            .collect();
        let expected = [
            ("even", "0", 0.0, 10),
            ("more", "1", 1.0, 11),
            ("more", "1", 1.0, 22),
            ("more", "5", 5.0, 15),
            ("more", "5", 5.0, 26),
        ];
        assert_eq!(all, expected);
        // An axis without a place is left out where it is usual, and refused where it is asked for.
        let both = ["even", "more"].map(String::from);
        let all = places(AXES, (&5, &both), &[21]).unwrap();
        assert_eq!(refuse_empty(&all, &both, &[]), Ok(()));
        let Err(Failed::BadInput(why)) = refuse_empty(&all, &both, &["axes".into()]) else {
            panic!("an odd start has no such axis")
        };
        assert!(why.starts_with("--axes: even varies nothing"), "{why}");
        let Err(Failed::BadInput(why)) = places(AXES, (&5, &["x".into()]), &[1]) else {
            panic!("there is no such axis")
        };
        assert_eq!(why, "--axes: found \"x\"; allowed: more, even");
    }
}
