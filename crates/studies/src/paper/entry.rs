//! A paper's experiment as the command line sees it: a line of a table, open to crates outside.

use super::chinn_1995::EXPERIMENTS;
use crate::context::{Context, End, Failed};
use clap::{ArgMatches, Command};
use flitwork_schema::Part;

/// A line of the table of papers' experiments.
#[derive(Clone, Copy, Debug)]
pub struct PaperEntry {
    /// What the command line calls it.
    pub name: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    /// Adds its options to a command. Experiments share those that have the same name, and must agree on them.
    pub options: fn(Command) -> Command,
    /// Runs it as the command line asks.
    pub run: fn(&PaperEntry, &ArgMatches, &mut dyn Context) -> Result<End, Failed>,
}

impl Part for PaperEntry {
    const KIND: &'static str = "paper";

    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn built_in() -> Vec<PaperEntry> {
        EXPERIMENTS.to_vec()
    }
}
