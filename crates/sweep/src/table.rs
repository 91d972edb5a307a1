//! The finished points as a table: one row per point, one column per figure.

use crate::axis::Value;
use crate::error::Error;
use crate::figures;
use crate::folder::Finished;
use crate::plan::Plan;
use crate::row::Row;
use flitwork_files::clear;
use flitwork_report::{
    Cell, Column, Formats, Header, Kind, Provenance, TableFiles, column, headers,
};
use std::path::{Path, PathBuf};

/// The columns of every sweep's table, except those of its axes, which follow the first.
#[rustfmt::skip]
fn own() -> Vec<Column<Row>> {
    let mut all = vec![
        column("point", "", "its number; a column for each axis follows, named after its key", |row: &Row| row.point),
        column("status", "", "how the point fared: `complete`, `failed`, or `refused` where its configuration was", |row: &Row| row.status.name()),
        column("reason", "", "why it was refused, why its network failed, or which rule of the steady state it violated", |row: &Row| row.reason.clone()),
    ];
    all.extend(figures::columns(|_| true, |row: &Row| row.figures.as_ref()));
    all.extend([
        column("times_the_cycles", "", "how many times the configured warm-up and measurement the run behind the figures took", |row: &Row| row.times_the_cycles),
        column("seconds", "s", "host time", |row: &Row| row.seconds),
    ]);
    all
}

/// The columns of every sweep's table, except those of its axes, which follow the first.
pub fn sweep_columns() -> Vec<Header> {
    headers(&own())
}

/// The columns of a sweep's axes.
fn axes(plan: &Plan) -> Vec<Header> {
    let axes = plan.axes.iter().map(|axis| Header {
        name: axis.key.clone().into(),
        unit: "",
        kind: kind(&axis.values),
        description: "".into(),
    });
    axes.collect()
}

/// The kind that holds all of some values.
fn kind(values: &[String]) -> Kind {
    let fits = |kind: &Kind| {
        let mut values = values.iter();
        values.all(|value| cell_of(value, *kind).is_some())
    };
    let kinds = [Kind::Whole, Kind::Count, Kind::Number, Kind::Truth];
    kinds.into_iter().find(fits).unwrap_or(Kind::Text)
}

/// A value of an axis in a column of that kind, where it holds the value.
fn cell_of(text: &str, kind: Kind) -> Option<Cell> {
    match (kind, Value::of(text)) {
        (Kind::Whole, Value::Whole(number)) => i64::try_from(number).ok().map(Cell::Whole),
        (Kind::Count, Value::Whole(number)) => u64::try_from(number).ok().map(Cell::Count),
        (Kind::Number, value) => value.number().map(Cell::Number),
        (Kind::Truth, Value::Truth(truth)) => Some(Cell::Truth(truth)),
        (Kind::Text, Value::Text(text)) => Some(Cell::Text(text)),
        (Kind::Text, _) => Some(Cell::Text(text.to_owned())),
        _ => None,
    }
}

/// A row's cells in the columns of the axes.
fn on_axes(plan: &Plan, axes: &[Header], row: &Row) -> Vec<Cell> {
    let values = plan.values(row.point).into_iter().zip(axes);
    let cells = values.map(|(value, column)| cell_of(value, column.kind));
    let cells: Option<Vec<Cell>> = cells.collect();
    cells.expect("a column's kind holds all of its axis")
}

/// Writes all rows that there are, in every format; returns the files.
pub(crate) fn write(
    formats: &Formats,
    folder: &Path,
    plan: &Plan,
    finished: &Finished,
    provenance: &Provenance,
) -> Result<Vec<PathBuf>, Error> {
    let (own, axes) = (own(), axes(plan));
    let mut columns = headers(&own);
    columns.splice(1..1, axes.iter().cloned());
    let mut files = TableFiles::begin(formats, (folder, "sweep"), &columns, provenance)?;
    finished.each(|row| {
        let mut cells: Vec<Cell> = own.iter().map(|column| column.cell(&row)).collect();
        cells.splice(1..1, on_axes(plan, &axes, &row));
        Ok(files.put(&cells)?)
    })?;
    let files = files.finish()?;
    // A table that another build left there would no longer agree with these.
    let is_stale = |name: &str| {
        let ending = name.strip_prefix("sweep.");
        ending.is_some_and(|ending| formats.may_write(ending) && formats.find(ending).is_none())
    };
    clear(folder, is_stale)?;
    Ok(files)
}
