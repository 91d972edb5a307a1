//! Packets as comma-separated values.

use super::{COLUMNS, Row, Rows};
use crate::provenance::Provenance;
use flitwork_files::{NewFile, WriteError};
use std::io::{self, Write};

/// A table under way. All its cells are whole numbers or empty, so that nothing needs quotes.
pub(super) struct Csv {
    file: NewFile,
    line: Vec<u8>,
    digits: itoa::Buffer,
}

impl Csv {
    pub(super) fn begin(mut file: NewFile, provenance: &Provenance) -> Result<Csv, WriteError> {
        let head = format!("{}{}\n", provenance.comment(), COLUMNS.join(","));
        let written = file.write_all(head.as_bytes());
        written.map_err(WriteError::writing(file.path()))?;
        Ok(Csv {
            file,
            line: Vec::new(),
            digits: itoa::Buffer::new(),
        })
    }
}

impl Rows for Csv {
    fn put(&mut self, row: &Row) -> io::Result<()> {
        self.line.clear();
        for cell in row {
            if let Some(number) = cell {
                let digits = self.digits.format(*number);
                self.line.extend_from_slice(digits.as_bytes());
            }
            self.line.push(b',');
        }
        if let Some(last) = self.line.last_mut() {
            *last = b'\n';
        }
        self.file.write_all(&self.line)
    }

    fn finish(mut self: Box<Self>, status: &str, unlisted: u64) -> Result<(), WriteError> {
        let counted = match unlisted {
            0 => Ok(()),
            _ => writeln!(self.file, "# unlisted_packets = {unlisted}"),
        };
        let written = counted.and_then(|()| writeln!(self.file, "# status = \"{status}\""));
        written.map_err(WriteError::writing(self.file.path()))?;
        self.file.finish()
    }
}
