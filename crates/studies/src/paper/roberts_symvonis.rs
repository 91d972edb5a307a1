//! Roberts and Symvonis 1994 on the command line: schedules of worms that never stop (section 2).
//!
//! The options of each of the paper's algorithms have a file, with its rows; this one has what the command line sees.

mod offline;
mod problems;
#[cfg(test)]
mod tests;

use super::entry::PaperEntry;
use crate::context::{Context, Failed};
use crate::contract::{Plot, Ran, Study};
use clap::Args;
use flitwork_config::Catalogue;
use flitwork_report::Column;
use offline::{Offline, Row};
use std::collections::BTreeMap;

/// Its experiments, sorted by name.
pub(super) const EXPERIMENTS: &[PaperEntry] = &[PaperEntry::of::<RobertsSymvonis>(
    "roberts-symvonis",
    "schedules of worms that never stop, against the bound of Theorem 1 (section 2)",
)];

/// Its options.
#[derive(Clone, Debug, Args)]
struct RobertsSymvonis {
    #[command(flatten)]
    offline: Offline,
}

impl Study for RobertsSymvonis {
    type Row = Row;

    const PLOT: Option<Plot> = Some(Plot::File(
        "Draw the schedules' lengths over kn into this SVG file",
    ));

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        self.offline.run(context).map(Ran::AsFar)
    }

    fn columns(&self) -> Vec<Column<Row>> {
        offline::columns()
    }

    /// The meshes, the rules and the problems, as a row has them.
    fn configurations(&self, _: &Catalogue) -> BTreeMap<String, String> {
        let cases = self.offline.cases().unwrap_or_default();
        let all = cases.iter().map(|case| (case.to_string(), case.to_toml()));
        all.collect()
    }

    fn seeds(&self) -> (u64, u32) {
        (1, self.offline.seeds())
    }

    fn figure(&self, rows: &[Row]) -> Option<String> {
        Some(offline::figure(rows))
    }
}
