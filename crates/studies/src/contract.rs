//! What a study is: its options, its rows, and how they are shown and written.

mod entry;
mod output;
mod steps;

pub use entry::StudyEntry;
pub use steps::Steps;
pub(crate) use steps::over_threads;

use crate::context::{Context, Failed};
use clap::Args;
use flitwork_config::Catalogue;
use flitwork_report::{Column, Provenance, Table};
use std::collections::BTreeMap;
use std::path::Path;

/// What JSON calls the rows of a study.
const ROWS: &str = "rows";

/// A study: its fields are its options. What all studies take (`--out`, `--force`, `--json`) is added to them.
pub trait Study: Args {
    /// A row of its table.
    type Row: 'static;

    /// What `--plot` names, if the study has that option.
    const PLOT: Option<Plot> = None;

    /// Its name in the table: a type may be there under several.
    fn set_name(&mut self, _name: &'static str) {}

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

    /// The first seed, and how many there are.
    fn seeds(&self) -> (u64, u32);

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
    fn owns(&self, _name: &str) -> bool {
        false
    }

    /// Folders that options of its own name, for files of other kinds.
    fn folders(&self) -> Vec<Folder<'_, Self::Row>> {
        Vec::new()
    }

    /// Files that are read because an option names one in place of something else: those of type [`Input`] are known anyway.
    ///
    /// [`Input`]: crate::paths::Input
    fn inputs(&self) -> Vec<(&'static str, &Path)> {
        Vec::new()
    }

    /// Files that options of its own name.
    fn files(&self) -> Vec<OwnFile<'_, Self::Row>> {
        Vec::new()
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

/// What `--plot` names.
#[derive(Clone, Copy, Debug)]
pub enum Plot {
    /// A file for the study's one figure, with a line of help.
    File(&'static str),
    /// A folder for its figures, with a line of help.
    Folder(&'static str),
}

/// A figure of a study.
#[derive(Clone, Debug)]
pub struct StudyFigure {
    /// The name of its file in a folder.
    pub name: String,
    /// An SVG document.
    pub svg: String,
}

/// A folder that an option of a study names, for files that only this study has.
#[expect(
    missing_debug_implementations,
    reason = "closures have nothing to show"
)]
pub struct Folder<'a, R> {
    /// The option, as `--snapshot-dir`.
    pub option: &'static str,
    /// Where.
    pub path: &'a Path,
    /// Whether a file of that name there is one that the study may write.
    pub owns: Box<dyn Fn(&str) -> bool + 'a>,
    /// The files' names, and what is in them.
    pub files: Files<'a, R>,
}

/// A file that an option of a study names.
#[expect(
    missing_debug_implementations,
    reason = "closures have nothing to show"
)]
pub struct OwnFile<'a, R> {
    /// The option, as `--permutation-out`.
    pub option: &'static str,
    /// Where.
    pub path: &'a Path,
    /// What is in it; nothing if the rows don't tell yet.
    pub content: Content<'a, R>,
}

/// Makes a file of rows, which carries where it comes from.
type Content<'a, R> = Box<dyn Fn(&[R], &Provenance) -> Option<Vec<u8>> + 'a>;

/// Makes files of rows, which carry where they come from.
type Files<'a, R> = Box<dyn Fn(&[R], &Provenance) -> Vec<(String, Vec<u8>)> + 'a>;
