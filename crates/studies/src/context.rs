//! What studies and papers need from the program that runs them, and how they end.

use flitwork_config::Catalogue;
use flitwork_files::WriteError;
use flitwork_report::Program;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::Path;

/// Why a study or a paper has no results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// What the user gave can't be used.
    BadInput(String),
    /// The program or the host failed.
    Failure(String),
}

impl Failed {
    /// Bad input, with a message.
    pub fn bad_input(error: impl Display) -> Failed {
        Failed::BadInput(error.to_string())
    }

    /// A failure, with a message.
    pub fn failure(error: impl Display) -> Failed {
        Failed::Failure(error.to_string())
    }

    /// A value of an option that can't be used: what was found, and what is allowed.
    pub fn option(option: &str, why: impl Display) -> Failed {
        Failed::BadInput(format!("{option}: {why}"))
    }

    /// A file of an option that can't be written.
    pub fn unwritable(option: &str, error: &WriteError) -> Failed {
        let message = format!("{option}: {error}");
        match error.is_failure() {
            true => Failed::Failure(message),
            false => Failed::BadInput(message),
        }
    }
}

impl From<String> for Failed {
    fn from(message: String) -> Failed {
        Failed::BadInput(message)
    }
}

impl From<flitwork_sweep::Error> for Failed {
    fn from(error: flitwork_sweep::Error) -> Failed {
        match error.is_failure() {
            true => Failed::failure(error),
            false => Failed::bad_input(error),
        }
    }
}

/// How a study or a paper with results ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With all of its results.
    Fine,
    /// Because the user asked to stop.
    Interrupted,
}

/// The progress of a study or a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StudyProgress<'a> {
    /// The run, in a few words.
    pub name: &'a str,
    /// Runs that are done; in a run of unknown length the cycle that is under way.
    pub position: u64,
    /// Runs in all, if runs are counted.
    pub of: Option<u32>,
}

/// The program that runs a study or a paper: the command line, or a test.
pub trait Context {
    /// Which program it is, for the provenance of its results.
    fn program(&self) -> Program;

    /// The parts that configurations can name, those from outside among them.
    fn catalogue(&self) -> &Catalogue;

    /// Checks, before any work, all files and folders that the command line names: that none of them is lost by what the study
    /// writes, and that it can be written.
    ///
    /// # Errors
    /// A path that can't be used, named with its option.
    fn prepare(&self) -> Result<(), Failed>;

    /// Shows the progress.
    fn show(&mut self, at: StudyProgress<'_>);

    /// Prints a line above the progress.
    fn remark(&mut self, line: &str);

    /// Removes the progress from the display.
    fn done(&mut self);

    /// Whether to continue.
    fn flow(&self) -> ControlFlow<()>;

    /// Whether the user has asked to stop.
    fn is_interrupted(&self) -> bool;

    /// Prints results.
    ///
    /// # Errors
    /// They can't be written.
    fn print(&self, text: &str) -> Result<(), Failed>;

    /// Prints what isn't a result.
    fn complain(&self, text: &str);

    /// Notes that a file was written.
    fn wrote(&self, path: &Path);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::contract::{Ran, Study, StudyEntry};
    use clap::FromArgMatches;
    use std::cell::RefCell;

    /// A program that shows nothing, and stops once this many runs are done.
    pub(crate) struct Silent {
        stops_at: u32,
        done: u32,
        printed: RefCell<String>,
    }

    impl Silent {
        pub(crate) fn new(stops_at: u32) -> Silent {
            Silent {
                stops_at,
                done: 0,
                printed: RefCell::default(),
            }
        }

        pub(crate) fn printed(&self) -> String {
            self.printed.borrow().clone()
        }
    }

    /// A study with the options of a command line.
    pub(crate) fn asked<S: FromArgMatches>(entry: &StudyEntry, line: &str) -> S {
        let words = std::iter::once(entry.name).chain(line.split_whitespace());
        let matches = entry.command().try_get_matches_from(words);
        let matches = matches.unwrap_or_else(|error| panic!("{error}"));
        S::from_arg_matches(&matches).unwrap()
    }

    /// The rows of a study that runs to its end.
    pub(crate) fn whole_rows<S: Study>(study: &S) -> Vec<S::Row> {
        match study.run(&mut Silent::new(u32::MAX)) {
            Ok(Ran::Whole(rows)) => rows,
            Ok(_) => panic!("rows are missing"),
            Err(why) => panic!("{why:?}"),
        }
    }

    impl Context for Silent {
        fn program(&self) -> Program {
            let (version, revision, command) = Default::default();
            Program {
                version,
                revision,
                command,
            }
        }

        fn catalogue(&self) -> &Catalogue {
            static CATALOGUE: std::sync::LazyLock<Catalogue> =
                std::sync::LazyLock::new(Catalogue::default);
            &CATALOGUE
        }

        fn prepare(&self) -> Result<(), Failed> {
            Ok(())
        }

        fn show(&mut self, at: StudyProgress<'_>) {
            if at.of.is_some() {
                self.done = at.position as u32;
            }
        }

        fn remark(&mut self, _: &str) {}

        fn done(&mut self) {}

        fn flow(&self) -> ControlFlow<()> {
            match self.is_interrupted() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        }

        fn is_interrupted(&self) -> bool {
            self.done >= self.stops_at
        }

        fn print(&self, text: &str) -> Result<(), Failed> {
            self.printed.borrow_mut().push_str(text);
            Ok(())
        }

        fn complain(&self, _: &str) {}

        fn wrote(&self, _: &Path) {}
    }
}
