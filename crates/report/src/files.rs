//! Tables on their way into a folder.

use crate::cell::Cell;
use crate::column::{Column, Header};
use crate::format::{Formats, TableFile};
use crate::provenance::Provenance;
use flitwork_files::{NewFile, WriteError};
use std::borrow::Borrow;
use std::path::{Path, PathBuf};

/// A table under way in every format: a file each, called by the table and the format's
/// ending. No row stays in memory longer than its format needs it.
pub struct TableFiles(Vec<(PathBuf, Box<dyn TableFile>)>);

impl TableFiles {
    /// Begins the files in a folder.
    ///
    /// # Errors
    /// The first file that can't be created.
    pub fn begin(
        formats: &Formats,
        (folder, name): (&Path, &str),
        headers: &[Header],
        provenance: &Provenance,
    ) -> Result<TableFiles, WriteError> {
        let files = formats.iter().map(|format| {
            let path = folder.join(format!("{name}.{}", format.ending));
            let file = NewFile::create(&path);
            // The folder was checked before any work: a path that has disappeared since is no mistake of the input.
            let file = file.map_err(|error| WriteError::writing(&path)(error.into()))?;
            let table = (format.begin)(file, headers, provenance)?;
            Ok((path, table))
        });
        files.collect::<Result<_, _>>().map(TableFiles)
    }

    /// Writes a row: a cell per column.
    ///
    /// # Errors
    /// The first file that can't be written.
    pub fn put(&mut self, row: &[Cell]) -> Result<(), WriteError> {
        let mut files = self.0.iter_mut();
        files.try_for_each(|(path, table)| table.put(row).map_err(WriteError::writing(path)))
    }

    /// Puts the files into their places; returns them.
    ///
    /// # Errors
    /// The first file that can't be written.
    pub fn finish(self) -> Result<Vec<PathBuf>, WriteError> {
        let files = self.0.into_iter();
        files
            .map(|(path, table)| table.finish(&[]).map(|()| path))
            .collect()
    }
}

/// Writes rows under some columns as a table of that name; returns its files.
///
/// # Errors
/// The first file that can't be written.
pub fn write_rows<'c, R: 'c>(
    formats: &Formats,
    place: (&Path, &str),
    columns: impl IntoIterator<Item = &'c Column<R>>,
    rows: impl IntoIterator<Item = impl Borrow<R>>,
    provenance: &Provenance,
) -> Result<Vec<PathBuf>, WriteError> {
    let columns: Vec<&Column<R>> = columns.into_iter().collect();
    let headers: Vec<Header> = columns.iter().map(|it| it.header.clone()).collect();
    let mut files = TableFiles::begin(formats, place, &headers, provenance)?;
    let mut cells = Vec::new();
    for row in rows {
        cells.clear();
        cells.extend(columns.iter().map(|column| column.cell(row.borrow())));
        files.put(&cells)?;
    }
    files.finish()
}
