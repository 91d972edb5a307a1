//! Roberts and Symvonis 1994 on the command line: schedules of worms that never stop (section 2), and worms routed as packets
//! (section 3).
//!
//! The options of each of the paper's algorithms have a file, with its rows; this one has what the command line sees.

mod offline;
mod rounds;
mod simulated;
mod supernode;
#[cfg(test)]
mod tests;

use super::entry::PaperEntry;
use crate::context::{Context, Failed};
use crate::contract::{Plot, Ran, Steps, Study};
use crate::options::or;
use clap::Args;
use flitwork_config::Catalogue;
use flitwork_engine::Control;
use flitwork_report::{Column, Table};
use offline::Offline;
use simulated::Simulated;
use std::collections::BTreeMap;

/// Its experiments, sorted by name.
pub(super) const EXPERIMENTS: &[PaperEntry] = &[PaperEntry::of::<RobertsSymvonis>(
    "roberts-symvonis",
    "schedules of worms that never stop, against the bound of Theorem 1 (section 2); worms routed as packets (section 3)",
)];

/// Its options.
#[derive(Clone, Debug, Args)]
struct RobertsSymvonis {
    #[command(flatten)]
    offline: Offline,
    #[command(flatten)]
    simulated: Simulated,
}

/// A row of either.
enum Row {
    Offline(offline::Row),
    Simulated(simulated::Row),
}

impl Row {
    fn offline(&self) -> &offline::Row {
        match self {
            Row::Offline(row) => row,
            Row::Simulated(_) => unreachable!("rows are of one algorithm"),
        }
    }

    fn simulated(&self) -> &simulated::Row {
        match self {
            Row::Simulated(row) => row,
            Row::Offline(_) => unreachable!("rows are of one algorithm"),
        }
    }
}

impl RobertsSymvonis {
    fn simulations(&self) -> Result<Vec<rounds::Case>, Failed> {
        let k = or(&self.offline.k, &[4]);
        let (patterns, seeds) = (&self.offline.pattern, self.offline.seeds);
        self.simulated.cases(k, patterns, seeds)
    }
}

impl Study for RobertsSymvonis {
    type Row = Row;

    const PLOT: Plot = Plot::File(
        "Plot the schedules' lengths divided by kn, or with --simulate draw a supernode, in this SVG file",
    );

    fn run(&self, context: &mut dyn Context) -> Result<Ran<Row>, Failed> {
        if self.simulated.simulate {
            let cases = self.simulations()?;
            self.simulated.admit(&cases)?;
            return Steps::new(context, Some(cases.len())).rows(cases, |case, steps| {
                let row = |control: Control<'_>| case.row(self.simulated.play, control);
                let row = steps.run(&case.to_string(), row).transpose()?;
                Ok(row.flatten().map(Row::Simulated))
            });
        }
        let cases = self.offline.cases()?;
        Steps::new(context, Some(cases.len())).rows(cases, |case, steps| {
            let row = |control: Control<'_>| case.row(control);
            let row = steps.run(&case.to_string(), row).transpose()?;
            Ok(row.flatten().map(Row::Offline))
        })
    }

    fn columns(&self) -> Vec<Column<Row>> {
        match self.simulated.simulate {
            true => simulated::columns(Row::simulated),
            false => offline::columns(Row::offline),
        }
    }

    /// The meshes, the rules and the problems, as a row has them.
    fn configurations(&self, _: &Catalogue) -> BTreeMap<String, String> {
        if self.simulated.simulate {
            let cases = self.simulations().unwrap_or_default();
            let all = cases.iter().map(|case| (case.to_string(), case.to_toml()));
            return all.collect();
        }
        let cases = self.offline.cases().unwrap_or_default();
        let all = cases.iter().map(|case| (case.to_string(), case.to_toml()));
        all.collect()
    }

    /// The rows as text: those of the simulation below each other, since there are more columns than fit beside each other.
    fn text(&self, rows: &[Row]) -> String {
        match self.simulated.simulate {
            true => rows.iter().map(|row| row.simulated().text()).collect(),
            false => Table::new("rows", &self.columns(), rows).text(),
        }
    }

    fn figure(&self, rows: &[Row]) -> Option<String> {
        match self.simulated.simulate {
            true => rows.first().map(|row| row.simulated().figure()),
            false => {
                let rows: Vec<&offline::Row> = rows.iter().map(Row::offline).collect();
                Some(offline::figure(&rows))
            }
        }
    }
}
