//! Tables as comma-separated values.

use crate::cell::Cell;
use crate::column::Header;
use crate::format::{Format, TableFile};
use crate::provenance::Provenance;
use flitwork_files::{NewFile, WriteError};
use std::io::{self, Write};

/// Comma-separated values.
pub static FORMAT: Format = Format {
    ending: "csv",
    help: "comma-separated values",
    begin,
    held_bytes: |_| 0,
};

/// A table under way.
struct Csv {
    to: csv::Writer<NewFile>,
    digits: itoa::Buffer,
    text: String,
}

fn begin(
    mut file: NewFile,
    headers: &[Header],
    provenance: &Provenance,
) -> Result<Box<dyn TableFile>, WriteError> {
    let path = file.path().to_owned();
    let names = headers.iter().map(|header| header.name.as_bytes());
    let begun = file.write_all(provenance.comment().as_bytes());
    let mut to = csv::Writer::from_writer(file);
    let begun = begun.and_then(|()| Ok(to.write_record(names)?));
    begun.map_err(WriteError::writing(&path))?;
    Ok(Box::new(Csv {
        to,
        digits: itoa::Buffer::new(),
        text: String::new(),
    }))
}

impl TableFile for Csv {
    fn put(&mut self, row: &[Cell]) -> io::Result<()> {
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
        Ok(self.to.write_record(None::<&[u8]>)?)
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
