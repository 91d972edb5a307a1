//! The table as CSV.

use super::{Cell, cells, columns};
use crate::error::Error;
use crate::folder::Finished;
use crate::plan::Plan;
use flitwork_experiment::provenance::Provenance;
use flitwork_files::{WriteError, replace};
use std::io::Write;
use std::path::Path;

/// Writes all rows that there are.
pub(crate) fn write_csv(
    path: &Path,
    plan: &Plan,
    finished: &Finished,
    provenance: &Provenance,
) -> Result<(), Error> {
    let columns = columns(plan);
    let failed = |error: csv::Error| Error::from(WriteError::writing(path)(error.into()));
    replace(path, |file| {
        file.write_all(provenance.comment().as_bytes())
            .map_err(WriteError::writing(path))?;
        let mut rows = csv::Writer::from_writer(file);
        rows.write_record(columns.iter().map(|column| &column.name))
            .map_err(failed)?;
        finished.each(|row| {
            let texts = cells(plan, &columns, &row).into_iter().map(text);
            rows.write_record(texts).map_err(failed)
        })?;
        Ok(rows.flush().map_err(WriteError::writing(path))?)
    })
}

fn text(cell: Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Whole(number) => number.to_string(),
        Cell::Count(number) => number.to_string(),
        Cell::Number(number) => number.to_string(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Text(text) => text,
    }
}
