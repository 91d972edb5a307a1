//! The finished points as a table: one row a point, one column a figure.

mod csv;
#[cfg(feature = "parquet")]
mod parquet;

pub(crate) use self::csv::write_csv;
#[cfg(feature = "parquet")]
pub(crate) use self::parquet::write_parquet;

use crate::axis::Value;
use crate::plan::Plan;
use crate::row::{Figures, Mean, Row};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whole numbers, with a sign.
    Whole,
    /// Whole numbers, without one.
    Count,
    Number,
    Truth,
    Text,
}

/// A column's name and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// A value in a column of its kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Empty,
    Whole(i64),
    Count(u64),
    Number(f64),
    Truth(bool),
    Text(String),
}

/// A figure of every point: its column, and how it is taken from a row.
struct Figure {
    name: &'static str,
    kind: Kind,
    of: fn(&Row, Option<&Figures>) -> Cell,
}

const fn figure(name: &'static str, kind: Kind, of: fn(&Row, Option<&Figures>) -> Cell) -> Figure {
    Figure { name, kind, of }
}

fn number(value: Option<f64>) -> Cell {
    value.map_or(Cell::Empty, Cell::Number)
}

fn count(value: Option<u64>) -> Cell {
    value.map_or(Cell::Empty, Cell::Count)
}

fn mean(value: Option<Mean>) -> Cell {
    number(value.map(|value| value.mean))
}

fn lower(value: Option<Mean>) -> Cell {
    number(value.and_then(|value| value.ends()).map(|ends| ends.0))
}

fn upper(value: Option<Mean>) -> Cell {
    number(value.and_then(|value| value.ends()).map(|ends| ends.1))
}

/// The columns after those of the axes, in their order.
#[rustfmt::skip]
const FIGURES: &[Figure] = &[
    figure("seed", Kind::Count, |_, it| count(it.map(|it| it.seed))),
    figure("status", Kind::Text, |row, _| Cell::Text(row.status.name().into())),
    figure("steady", Kind::Truth, |_, it| it.and_then(|it| it.steady).map_or(Cell::Empty, Cell::Truth)),
    figure("state", Kind::Text, |_, it| it.and_then(|it| it.state.clone()).map_or(Cell::Empty, Cell::Text)),
    figure("saturated", Kind::Truth, |_, it| it.and_then(|it| it.saturated).map_or(Cell::Empty, Cell::Truth)),
    figure("reason", Kind::Text, |row, _| row.reason.clone().map_or(Cell::Empty, Cell::Text)),
    figure("offered_load_words_per_node_cycle", Kind::Number, |_, it| mean(it.and_then(|it| it.offered))),
    figure("offered_load_lower_words_per_node_cycle", Kind::Number, |_, it| lower(it.and_then(|it| it.offered))),
    figure("offered_load_upper_words_per_node_cycle", Kind::Number, |_, it| upper(it.and_then(|it| it.offered))),
    figure("accepted_load_words_per_node_cycle", Kind::Number, |_, it| mean(it.and_then(|it| it.accepted))),
    figure("accepted_load_lower_words_per_node_cycle", Kind::Number, |_, it| lower(it.and_then(|it| it.accepted))),
    figure("accepted_load_upper_words_per_node_cycle", Kind::Number, |_, it| upper(it.and_then(|it| it.accepted))),
    figure("latency_mean_cycles", Kind::Number, |_, it| mean(it.and_then(|it| it.latency))),
    figure("latency_lower_cycles", Kind::Number, |_, it| lower(it.and_then(|it| it.latency))),
    figure("latency_upper_cycles", Kind::Number, |_, it| upper(it.and_then(|it| it.latency))),
    figure("latency_p50_cycles", Kind::Count, |_, it| count(it.and_then(|it| it.latency_p50))),
    figure("latency_p90_cycles", Kind::Count, |_, it| count(it.and_then(|it| it.latency_p90))),
    figure("latency_p99_cycles", Kind::Count, |_, it| count(it.and_then(|it| it.latency_p99))),
    figure("latency_p999_cycles", Kind::Count, |_, it| count(it.and_then(|it| it.latency_p999))),
    figure("latency_max_cycles", Kind::Count, |_, it| count(it.and_then(|it| it.latency_max))),
    figure("network_latency_mean_cycles", Kind::Number, |_, it| number(it.and_then(|it| it.network_latency))),
    figure("hops_per_packet", Kind::Number, |_, it| number(it.and_then(|it| it.hops_per_packet))),
    figure("deroutes_per_packet", Kind::Number, |_, it| number(it.and_then(|it| it.deroutes_per_packet))),
    figure("link_utilisation_mean", Kind::Number, |_, it| number(it.and_then(|it| it.link_utilisation_mean))),
    figure("link_utilisation_max", Kind::Number, |_, it| number(it.and_then(|it| it.link_utilisation_max))),
    figure("packets_created", Kind::Count, |_, it| count(it.map(|it| it.packets_created))),
    figure("packets_delivered", Kind::Count, |_, it| count(it.map(|it| it.packets_delivered))),
    figure("times_the_cycles", Kind::Count, |row, _| Cell::Count(row.times_the_cycles.into())),
    figure("cycles", Kind::Count, |_, it| count(it.map(|it| it.cycles.into()))),
    figure("digest", Kind::Text, |_, it| it.map_or(Cell::Empty, |it| Cell::Text(it.digest.clone()))),
    figure("seconds", Kind::Number, |row, _| Cell::Number(row.seconds)),
];

/// The columns of a sweep's table.
pub(crate) fn columns(plan: &Plan) -> Vec<Column> {
    let point = Column {
        name: "point".into(),
        kind: Kind::Count,
    };
    let axes = plan.axes.iter().map(|axis| Column {
        name: axis.key.clone(),
        kind: kind(&axis.values),
    });
    let figures = FIGURES.iter().map(|figure| Column {
        name: figure.name.into(),
        kind: figure.kind,
    });
    std::iter::once(point).chain(axes).chain(figures).collect()
}

/// The kind that holds all of some values.
fn kind(values: &[String]) -> Kind {
    let all = |good: fn(&Value) -> bool| values.iter().all(|value| good(&Value::of(value)));
    match () {
        () if all(
            |value| matches!(value, Value::Whole(number) if i64::try_from(*number).is_ok()),
        ) =>
        {
            Kind::Whole
        }
        () if all(
            |value| matches!(value, Value::Whole(number) if u64::try_from(*number).is_ok()),
        ) =>
        {
            Kind::Count
        }
        () if all(|value| value.number().is_some()) => Kind::Number,
        () if all(|value| matches!(value, Value::Truth(_))) => Kind::Truth,
        () => Kind::Text,
    }
}

/// A value of an axis, in a column of that kind.
fn axis_cell(text: &str, kind: Kind) -> Cell {
    let as_text = || {
        Cell::Text(match Value::of(text) {
            Value::Text(text) => text,
            _ => text.to_owned(),
        })
    };
    match (kind, Value::of(text)) {
        (Kind::Whole, Value::Whole(number)) => {
            i64::try_from(number).map_or_else(|_| as_text(), Cell::Whole)
        }
        (Kind::Count, Value::Whole(number)) => {
            u64::try_from(number).map_or_else(|_| as_text(), Cell::Count)
        }
        (Kind::Number, value) => value.number().map_or_else(as_text, Cell::Number),
        (Kind::Truth, Value::Truth(truth)) => Cell::Truth(truth),
        _ => as_text(),
    }
}

/// A row's cells, one a column.
pub(crate) fn cells(plan: &Plan, columns: &[Column], row: &Row) -> Vec<Cell> {
    let values = plan.values(row.point);
    let axes = values
        .iter()
        .zip(&columns[1..])
        .map(|(value, column)| axis_cell(value, column.kind));
    let figures = FIGURES
        .iter()
        .map(|figure| (figure.of)(row, row.figures.as_ref()));
    std::iter::once(Cell::Count(row.point.into()))
        .chain(axes)
        .chain(figures)
        .collect()
}
