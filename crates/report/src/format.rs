//! The formats of tables: a format is one file and one line in the table below.

use crate::cell::Cell;
use crate::column::Header;
use crate::provenance::Provenance;
use flitwork_files::{NewFile, WriteError};
use std::io;
use std::path::Path;

/// A table under way.
pub trait TableFile: Send {
    /// Writes a row: a cell a column.
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
type Begin = fn(NewFile, &[Header], &Provenance) -> Result<Box<dyn TableFile>, WriteError>;

/// A format of tables.
#[derive(Debug)]
pub struct Format {
    /// How its files end, `csv`.
    pub ending: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    /// Begins a table in a file; it fails as the system does.
    pub begin: Begin,
    /// What a table of so many columns holds in memory until it is written, in bytes.
    pub held_bytes: fn(columns: usize) -> u64,
}

/// Declares the files of formats, and puts what each says of itself into the table. A format with a feature of its own
/// is part of a program that is built with it.
macro_rules! formats {
    ($($file:ident $(if $feature:literal)?),+ $(,)?) => {
        $($(#[cfg(feature = $feature)])? pub(crate) mod $file;)+

        /// All formats that the program was built with, sorted by their endings.
        pub static FORMATS: &[&Format] = &[$($(#[cfg(feature = $feature)])? &$file::FORMAT),+];

        /// The endings of all formats, built or not.
        pub static ENDINGS: &[&str] = &[$(stringify!($file)),+];
    };
}

formats! {
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

impl Format {
    /// The format that a file's name asks for by its ending, where the program was built with it.
    pub fn of(path: &Path) -> Option<&'static Format> {
        let ending = path.extension()?.to_str()?;
        FORMATS
            .iter()
            .copied()
            .find(|format| format.ending == ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_by_their_endings_and_sorted() {
        assert!(ENDINGS.is_sorted());
        for format in FORMATS {
            assert!(ENDINGS.contains(&format.ending), "{}", format.ending);
            let path = format!("a.b.{}", format.ending);
            assert_eq!(Format::of(Path::new(&path)), Some(*format));
        }
    }
}
