//! The formats: each is one file and one line in the table below, or in [`Parts::with`](flitwork_schema::Parts::with)
//! outside this crate.

use crate::error::ExportError;
use crate::job::{Done, Job};
use flitwork_debug::TimeUnit;
use flitwork_debug::language::Columns;
use flitwork_debug::rows::Nodes;
use flitwork_files::NewFile;
use flitwork_schema::with_unbuilt;
use std::collections::BTreeMap;

/// A format in which a run is exported.
#[derive(Clone, Copy, Debug)]
pub struct ExportFormat {
    /// What the option is called that asks for it, and how its files usually end.
    pub name: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    /// What a condition chooses: signals, stays, events; in the plural.
    pub rows: &'static str,
    /// What a limit counts: changes, stays, events; in the plural.
    pub counted: &'static str,
    /// The columns on which a condition is.
    pub columns: fn(&Nodes, TimeUnit) -> Columns,
    /// Whether words are looked at in any case: the run must then move them one by one.
    pub needs_words: bool,
    /// Whether the file is written to in several places, which a pipe doesn't allow.
    pub goes_back: bool,
    /// Writes the file and puts it into its place.
    pub write: fn(&mut Job<'_>, NewFile) -> Result<Done, ExportError>,
}

// Those that the program was built with.
flitwork_schema::part!(ExportFormat { name, help }: "export", BUILT_IN.iter().map(|format| **format).collect());

flitwork_schema::formats! {
    ExportFormat, NAMES:
    fst,
    parquet if "parquet",
    perfetto,
    vcd,
}

/// The help of these formats by their names, and none for those that the program could have been built with.
pub fn names(formats: &[ExportFormat]) -> BTreeMap<&'static str, Option<&'static str>> {
    with_unbuilt(formats, NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_schema::Part;

    #[test]
    fn formats_are_sorted_and_called_by_their_files() {
        assert!(NAMES.is_sorted());
        let built = ExportFormat::built_in();
        assert!(names(&built).keys().eq(NAMES));
        assert!(built.iter().all(|format| NAMES.contains(&format.name)));
    }
}
