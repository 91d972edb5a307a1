//! Tables of a search or a comparison.

use crate::args::Tables;
use crate::asking::Asking;
use crate::exit::{Exit, print_found};
use flitwork_report::{Found, Provenance};

impl Tables {
    /// Prints the results and writes their tables, in place of those of an earlier run.
    ///
    /// # Errors
    /// If they can't be printed, or a table can't be written; then they have been printed.
    pub(crate) fn put(
        &self,
        asking: &Asking<'_>,
        stem: &str,
        found: &Found,
        provenance: &Provenance,
        text: impl FnOnce() -> String,
    ) -> Result<(), Exit> {
        print_found(&provenance.with(found), self.json, text)?;
        let Some(path) = &self.out else {
            return Ok(());
        };
        let formats = &asking.places.formats;
        let written = flitwork_files::clear(path, |name| Found::owns(formats, stem, name))
            .and_then(|()| found.write(formats, path, stem, provenance));
        let files = written.map_err(|error| Exit::unwritable("--out", &error))?;
        for file in files {
            tracing::info!("written: {}", file.display());
        }
        Ok(())
    }
}
