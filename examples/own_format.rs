//! A table format from another crate: it registers itself, and every command that writes tables can write it.
//!
//! ```sh
//! cargo run --release --example own_format -- run configs/chaos-mesh.toml --packets /tmp/packets.tsv
//! ```

use flitwork_files::{NewFile, WriteError};
use flitwork_report::{Cell, Format, Header, Provenance, TableFile};
use flitwork_schema::Parts;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    flitwork::main_with(parts())
}

/// The program's parts, and this one.
pub(crate) fn parts() -> Parts {
    Parts::new().with(TSV)
}

/// Values between tabulators, below the provenance and the names of the columns.
const TSV: Format = Format {
    ending: "tsv",
    help: "tab-separated values",
    begin,
    held_bytes: |_| 0,
};

struct Tabs(NewFile);

fn begin(
    mut file: NewFile,
    headers: &[Header],
    provenance: &Provenance,
) -> Result<Box<dyn TableFile>, WriteError> {
    let path = file.path().to_owned();
    let names: Vec<&str> = headers.iter().map(|header| &*header.name).collect();
    let begun = file
        .write_all(provenance.comment().as_bytes())
        .and_then(|()| writeln!(file, "{}", names.join("\t")));
    begun.map_err(WriteError::writing(&path))?;
    Ok(Box::new(Tabs(file)))
}

impl TableFile for Tabs {
    fn put(&mut self, row: &[Cell]) -> io::Result<()> {
        // No text of a table has a tabulator.
        let cells: Vec<String> = row.iter().map(Cell::to_string).collect();
        writeln!(self.0, "{}", cells.join("\t"))
    }

    fn finish(mut self: Box<Self>, marks: &[(&str, Cell)]) -> Result<(), WriteError> {
        let path = self.0.path().to_owned();
        let mut marks = marks.iter();
        let written = marks.try_for_each(|(name, value)| writeln!(self.0, "# {name} = {value}"));
        written.map_err(WriteError::writing(&path))?;
        self.0.finish()
    }
}
