//! A paper's experiment as the command line sees it: a study in a table of its own, open to crates outside.

use crate::contract::{Study, StudyEntry};
use flitwork_schema::Part;

/// A line of the table of papers' experiments: a study of what a paper published. Each experiment reads its own options,
/// also where another's have the same name; these take a value in all experiments, or in none.
#[derive(Clone, Copy, Debug)]
pub struct PaperEntry(pub StudyEntry);

impl PaperEntry {
    /// An experiment under a name, with a line of help.
    pub const fn of<S: Study + 'static>(name: &'static str, help: &'static str) -> PaperEntry {
        PaperEntry(StudyEntry::of::<S>(name, help))
    }
}

impl Part for PaperEntry {
    const KIND: &'static str = "paper";

    fn name(&self) -> &'static str {
        self.0.name
    }

    fn help(&self) -> &'static str {
        self.0.help
    }

    fn built_in() -> Vec<PaperEntry> {
        let mut all = super::BUILT_IN.concat();
        all.sort_by_key(|entry| entry.0.name);
        all
    }
}
