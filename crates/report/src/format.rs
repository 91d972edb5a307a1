//! The formats of tables: a format is one file and one line in the table below, or in
//! [`Parts::with`](flitwork_schema::Parts::with) outside this crate.

use crate::cell::Cell;
use crate::column::Header;
use crate::provenance::Provenance;
use flitwork_files::{NewFile, WriteError};
use flitwork_schema::{Part, Parts, with_unbuilt};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// A table under way.
pub trait TableFile: Send {
    /// Writes a row: a cell per column.
    ///
    /// # Errors
    /// What the system said.
    fn put(&mut self, row: &[Cell]) -> io::Result<()>;

    /// Ends the table, with marks that are known only now, and puts the file into its place.
    ///
    /// # Errors
    /// The first write that failed; then there is no file.
    fn finish(self: Box<Self>, marks: &[(&str, Cell)]) -> Result<(), WriteError>;
}

/// Begins a table in a new file, with its headers and where it comes from.
pub type Begin = fn(NewFile, &[Header], &Provenance) -> Result<Box<dyn TableFile>, WriteError>;

/// A format of tables.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// How its files end, `csv`.
    pub ending: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    /// Begins a table in a file; it fails as the system does.
    pub begin: Begin,
    /// What a table of this many columns holds in memory until it is written, in bytes.
    pub held_bytes: fn(columns: usize) -> u64,
}

// Those that the program was built with.
flitwork_schema::part!(Format { ending, help }: "format", BUILT_IN.iter().map(|format| **format).collect());

flitwork_schema::formats! {
    Format, ENDINGS:
    csv,
    parquet if "parquet",
}

/// There is one of each.
impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.ending == other.ending
    }
}

impl Eq for Format {}

/// The formats in which a program writes tables: its own, and those of crates outside.
#[derive(Clone, Debug)]
pub struct Formats(Vec<Format>);

impl Default for Formats {
    /// The program's own.
    fn default() -> Formats {
        Formats(Format::built_in())
    }
}

impl Formats {
    /// Those among some parts.
    pub fn of(parts: &Parts) -> Formats {
        Formats(parts.all())
    }

    /// All, sorted by their endings.
    pub fn iter(&self) -> impl Iterator<Item = &Format> {
        self.0.iter()
    }

    /// The format of that ending, if the program has it.
    pub fn find(&self, ending: &str) -> Option<&Format> {
        self.iter().find(|format| format.ending == ending)
    }

    /// The format that a file's name asks for by its ending, if the program has it.
    pub fn of_file(&self, path: &Path) -> Option<&Format> {
        self.find(path.extension()?.to_str()?)
    }

    /// The help of all formats by their endings, and none for those that the program could have been built with.
    pub fn endings(&self) -> BTreeMap<&'static str, Option<&'static str>> {
        with_unbuilt(&self.0, ENDINGS)
    }

    /// Whether files of that ending are tables, of this program or of one that was built with other formats.
    pub fn may_write(&self, ending: &str) -> bool {
        self.find(ending).is_some() || ENDINGS.contains(&ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_by_their_endings_and_sorted() {
        let formats = Formats::default();
        assert!(ENDINGS.is_sorted());
        assert!(formats.endings().keys().eq(ENDINGS));
        for format in formats.iter() {
            assert!(ENDINGS.contains(&format.ending), "{}", format.ending);
            let path = format!("a.b.{}", format.ending);
            assert_eq!(formats.of_file(Path::new(&path)), Some(format));
        }
    }
}
