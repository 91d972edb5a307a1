//! The finished points as a table: one row a point, one column a figure.

use crate::axis::Value;
use crate::error::Error;
use crate::figures::kept;
use crate::folder::Finished;
use crate::plan::Plan;
use crate::row::Row;
use flitwork_files::clear;
use flitwork_report::{Cell, Column, Formats, Header, Held, Kind, Provenance, TableFiles, column};
use std::path::{Path, PathBuf};

/// Columns of a row itself: those before its figures, and those after them.
fn of_row() -> [[Column<Row>; 2]; 2] {
    [
        [
            column(
                "status",
                "",
                "how the point fared: `complete`, `failed`, or `refused` where its configuration was",
                |row: &Row| row.status.name(),
            ),
            column(
                "reason",
                "",
                "why it was refused, why its network failed, or which rule speaks against a steady state",
                |row: &Row| row.reason.clone(),
            ),
        ],
        [
            column(
                "times_the_cycles",
                "",
                "how many times the configured warm-up and measurement the run took that the figures are of",
                |row: &Row| row.times_the_cycles,
            ),
            column("seconds", "s", "host time", |row: &Row| row.seconds),
        ],
    ]
}

/// The columns of every sweep's table, except those of its axes, which follow the first.
pub fn sweep_columns() -> Vec<Header> {
    let point = Header {
        name: "point".into(),
        unit: "",
        kind: Kind::Count,
        description: "its number; the axes follow, a column each that has the key's name".into(),
    };
    let [before, behind] = of_row();
    let figures = kept().map(|figure| figure.column.header.clone());
    let own = |columns: [Column<Row>; 2]| columns.map(|column| column.header);
    let all = std::iter::once(point).chain(own(before)).chain(figures);
    all.chain(own(behind)).collect()
}

/// The columns of a sweep's table.
fn columns(plan: &Plan) -> Vec<Header> {
    let axes = plan.axes.iter().map(|axis| Header {
        name: axis.key.clone().into(),
        unit: "",
        kind: kind(&axis.values),
        description: "".into(),
    });
    let mut all = sweep_columns();
    all.splice(1..1, axes);
    all
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

/// A row's cells, one a column.
fn cells(plan: &Plan, columns: &[Header], row: Row) -> Vec<Cell> {
    let values = plan.values(row.point);
    let axes = values.iter().zip(&columns[1..]);
    let mut cells = vec![row.point.cell()];
    cells.extend(axes.map(|(value, column)| {
        cell_of(value, column.kind).expect("a column's kind holds all of its axis")
    }));
    let [before, behind] = of_row().map(|own| own.map(|column| column.cell(&row)));
    cells.extend(before);
    let missing = || vec![Cell::Missing; kept().count()];
    cells.extend(row.figures.map_or_else(missing, |figures| figures.cells()));
    cells.extend(behind);
    cells
}

/// Writes all rows that there are, in every format; returns the files.
pub(crate) fn write(
    formats: &Formats,
    folder: &Path,
    plan: &Plan,
    finished: &Finished,
    provenance: &Provenance,
) -> Result<Vec<PathBuf>, Error> {
    let columns = columns(plan);
    let mut files = TableFiles::begin(formats, (folder, "sweep"), &columns, provenance)?;
    finished.each(|row| Ok(files.put(&cells(plan, &columns, row))?))?;
    let files = files.finish()?;
    // A table that another build left there would no longer agree with these.
    let is_stale = |name: &str| {
        let ending = name.strip_prefix("sweep.");
        ending.is_some_and(|ending| formats.may_write(ending) && formats.find(ending).is_none())
    };
    clear(folder, is_stale)?;
    Ok(files)
}
