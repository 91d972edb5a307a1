//! Tables as comma-separated values.

use crate::cell::Cell;
use crate::column::{Column, Header};
use crate::format::{Format, TableFile};
use crate::provenance::Provenance;
use flitwork_files::{NewFile, WriteError};
use std::borrow::Borrow;
use std::io::{self, Write};

/// Comma-separated values.
pub static FORMAT: Format = Format {
    ending: "csv",
    help: "comma-separated values",
    begin,
    held_bytes: |_| 0,
};

/// A table under way, wherever it goes.
struct Csv<W: Write> {
    to: csv::Writer<W>,
    digits: itoa::Buffer,
    text: String,
}

impl<W: Write> Csv<W> {
    fn new(to: W, names: impl Iterator<Item = impl AsRef<[u8]>>) -> csv::Result<Csv<W>> {
        let mut to = csv::Writer::from_writer(to);
        to.write_record(names)?;
        Ok(Csv {
            to,
            digits: itoa::Buffer::new(),
            text: String::new(),
        })
    }

    fn write(&mut self, row: &[Cell]) -> csv::Result<()> {
        use std::fmt::Write as _;
        for cell in row {
            match cell {
                Cell::Count(number) => self.to.write_field(self.digits.format(*number))?,
                Cell::Text(text) => self.to.write_field(text)?,
                other => {
                    self.text.clear();
                    let _ = write!(self.text, "{other}");
                    self.to.write_field(&self.text)?;
                }
            }
        }
        self.to.write_record(None::<&[u8]>)
    }
}

/// Columns of rows in memory, without a provenance.
pub fn csv_table<'c, R: 'c>(
    columns: impl IntoIterator<Item = &'c Column<R>>,
    rows: impl IntoIterator<Item = impl Borrow<R>>,
) -> Vec<u8> {
    let columns: Vec<&Column<R>> = columns.into_iter().collect();
    let written = || {
        let names = columns.iter().map(|column| column.header.name.as_bytes());
        let mut table = Csv::new(Vec::new(), names)?;
        let mut cells = Vec::new();
        for row in rows {
            cells.clear();
            cells.extend(columns.iter().map(|column| column.cell(row.borrow())));
            table.write(&cells)?;
        }
        Ok::<_, csv::Error>(table.to.into_inner())
    };
    let written = written().expect("rows of equal length in memory");
    written.expect("rows in memory")
}

fn begin(
    mut file: NewFile,
    headers: &[Header],
    provenance: &Provenance,
) -> Result<Box<dyn TableFile>, WriteError> {
    let path = file.path().to_owned();
    let names = headers.iter().map(|header| header.name.as_bytes());
    let begun = file
        .write_all(provenance.comment().as_bytes())
        .and_then(|()| Csv::new(file, names).map_err(io::Error::from));
    begun
        .map(|table| Box::new(table) as Box<dyn TableFile>)
        .map_err(WriteError::writing(&path))
}

impl TableFile for Csv<NewFile> {
    fn put(&mut self, row: &[Cell]) -> io::Result<()> {
        Ok(self.write(row)?)
    }

    fn finish(self: Box<Self>, marks: &[(&str, Cell)]) -> Result<(), WriteError> {
        let path = self.to.get_ref().path().to_owned();
        let failed = WriteError::writing(&path);
        let mut file = match self.to.into_inner() {
            Ok(file) => file,
            Err(error) => return Err(failed(error.into_error())),
        };
        let mut mark = |(name, value): &(&str, Cell)| match value {
            Cell::Text(text) => writeln!(file, "# {name} = \"{text}\""),
            value => writeln!(file, "# {name} = {value}"),
        };
        marks.iter().try_for_each(&mut mark).map_err(failed)?;
        file.finish()
    }
}
