//! The finished points as a table: one row a point, one column a figure.

use crate::axis::Value;
use crate::error::Error;
use crate::figures::kept;
use crate::folder::Finished;
use crate::plan::Plan;
use crate::row::Row;
use flitwork_files::clear;
use flitwork_report::{
    Cell, Column, ENDINGS, FORMATS, Header, Held, Kind, Provenance, TableFiles, column,
};
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
fn cells(plan: &Plan, columns: &[Header], row: Row) -> Vec<Cell> {
    let values = plan.values(row.point);
    let axes = values.iter().zip(&columns[1..]);
    let mut cells = vec![row.point.cell()];
    cells.extend(axes.map(|(value, column)| axis_cell(value, column.kind)));
    let [before, behind] = of_row().map(|own| own.map(|column| column.cell(&row)));
    cells.extend(before);
    let missing = || vec![Cell::Missing; kept().count()];
    cells.extend(row.figures.map_or_else(missing, |figures| figures.cells()));
    cells.extend(behind);
    cells
}

/// Writes all rows that there are, in every format; returns the files.
pub(crate) fn write(
    folder: &Path,
    plan: &Plan,
    finished: &Finished,
    provenance: &Provenance,
) -> Result<Vec<PathBuf>, Error> {
    let columns = columns(plan);
    let mut files = TableFiles::begin(folder, "sweep", &columns, provenance)?;
    finished.each(|row| Ok(files.put(&cells(plan, &columns, row))?))?;
    let files = files.finish()?;
    // A table that another build left there would no longer agree with these.
    let is_stale = |name: &str| {
        let ending = name.strip_prefix("sweep.");
        ending.is_some_and(|ending| {
            ENDINGS.contains(&ending) && FORMATS.iter().all(|format| format.ending != ending)
        })
    };
    clear(folder, is_stale)?;
    Ok(files)
}
