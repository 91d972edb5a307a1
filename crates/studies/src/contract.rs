//! What a study is: its options, its rows, and how they are shown and written.

mod entry;
mod output;
mod steps;
mod unread;

pub use entry::StudyEntry;
pub use steps::Steps;
pub(crate) use steps::{as_done, over_threads};

use crate::context::{Context, Failed};
use crate::paths::OwnFolder;
use clap::Args;
use flitwork_config::Catalogue;
use flitwork_report::{Column, Provenance, Table};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What JSON calls the rows of a study.
const ROWS: &str = "rows";

/// A study: its fields are its options. What all studies take (`--out`, `--force`, `--json`) is added to them.
pub trait Study: Args {
    /// A row of its table.
    type Row: 'static;

    /// What `--plot` names.
    const PLOT: Plot = Plot::None;
    /// How the names of its further figures' files begin, if they have names of one kind.
    const FIGURES: Option<&'static str> = None;
    /// The option with its seed, a `u64`. A study with `--seeds`, a `u32`, runs that many seeds, from `--first-seed` or from 1 on.
    const SEED: &'static str = "seed";

    /// Its name in the table: a type may be there under several.
    fn set_name(&mut self, _name: &'static str) {}

    /// Refuses what was given but isn't read beside the other options: `given` are the long names of all that the command line has.
    ///
    /// # Errors
    /// An option that nothing reads.
    fn refuse_unread(&self, _given: &[String]) -> Result<(), Failed> {
        Ok(())
    }

    /// What it runs: a text for each place, which has all that the study sets there. If there is one, an option without which it would be the
    /// same is refused.
    fn plan(&self) -> Option<Vec<String>> {
        None
    }

    /// Runs it.
    ///
    /// # Errors
    /// Options that make no sense, or that the host has no room for.
    fn run(&self, context: &mut dyn Context) -> Result<Ran<Self::Row>, Failed>;

    /// The columns of its table, in JSON, CSV and Parquet.
    fn columns(&self) -> Vec<Column<Self::Row>>;

    /// Further tables with what the rows are computed from, such as the runs of every seed.
    fn details(&self, _rows: &[Self::Row]) -> Vec<Table> {
        Vec::new()
    }

    /// The configurations that it runs, each under a name, from the parts of a catalogue.
    fn configurations(&self, catalogue: &Catalogue) -> BTreeMap<String, String>;

    /// The rows as text.
    fn text(&self, rows: &[Self::Row]) -> String {
        Table::new(ROWS, &self.columns(), rows).text()
    }

    /// Its figure, an SVG document, whose file has the study's name.
    fn figure(&self, _rows: &[Self::Row]) -> Option<String> {
        None
    }

    /// Further figures, whose files have names of their own.
    fn figures(&self, _rows: &[Self::Row]) -> Vec<StudyFigure> {
        Vec::new()
    }

    /// Whether a file of that name in a folder is one of the further figures.
    fn owns(&self, name: &str) -> bool {
        Self::FIGURES.is_some_and(|begin| name.starts_with(begin)) && name.ends_with(".svg")
    }

    /// A folder that an option of its own names, for files of another kind.
    fn folder(&self) -> Option<OwnFolder> {
        None
    }

    /// The files in that folder: their names, and what is in them.
    fn folder_files(&self, _rows: &[Self::Row], _provenance: &Provenance) -> Vec<FileIn> {
        Vec::new()
    }

    /// Files that are read because an option names one in place of something else: those of type [`Input`] are known anyway.
    ///
    /// [`Input`]: crate::paths::Input
    fn inputs(&self) -> Vec<(&'static str, PathBuf)> {
        Vec::new()
    }

    /// A file that an option of its own names, unless the rows don't tell yet what is in it.
    fn file(&self, _rows: &[Self::Row], _provenance: &Provenance) -> Option<OwnFile<'_>> {
        None
    }
}

/// The outcome of a study.
#[derive(Clone, Debug)]
pub enum Ran<R> {
    /// All rows.
    Whole(Vec<R>),
    /// All rows, or those that were done when the user asked to stop.
    AsFar(Vec<R>),
    /// The user asked to stop, and there is nothing to show.
    Nothing,
}

impl<R> Ran<Vec<R>> {
    /// The rows of all groups.
    pub(crate) fn concat(self) -> Ran<R> {
        match self {
            Ran::Whole(rows) => Ran::Whole(rows.into_iter().flatten().collect()),
            Ran::AsFar(rows) => Ran::AsFar(rows.into_iter().flatten().collect()),
            Ran::Nothing => Ran::Nothing,
        }
    }
}

/// What `--plot` names.
#[derive(Clone, Copy, Debug)]
pub enum Plot {
    /// Nothing: the study has no such option.
    None,
    /// A file for the study's one figure, with a line of help.
    File(&'static str),
    /// A folder for its figures, with a line of help.
    Folder(&'static str),
}

/// A figure of a study: the name of its file in a folder, and an SVG document.
pub type StudyFigure = (String, String);

/// A file in a folder: its name, and what is in it.
pub type FileIn = (String, Vec<u8>);

/// A file that an option of a study names.
#[derive(Clone, Debug)]
pub struct OwnFile<'a> {
    /// The option, as `--permutation-out`.
    pub option: &'static str,
    /// Where.
    pub path: &'a Path,
    /// What is in it.
    pub bytes: Vec<u8>,
}
