//! A study as the command line sees it: a line of a table, open to crates outside.

use super::Step;
use crate::context::{At, Context, End, Failed, end, print_rows};
use clap::{ArgMatches, Args, Command};
use flitwork_report::{Configuration, Provenance};
use flitwork_schema::Part;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A study: its fields are its options.
pub trait Study: Args {
    /// A line of its table, as JSON has it.
    type Row: Serialize;

    /// Runs it.
    ///
    /// # Errors
    /// Options that make no sense, or that the host has no room for.
    fn run(&self, context: &mut dyn Context) -> Result<Ran<Self::Row>, Failed>;

    /// What runs, by what it is called.
    fn configurations(&self) -> BTreeMap<String, String>;

    /// The first seed, and how many there are.
    fn seeds(&self) -> (u64, u32);

    /// Whether rows are put out as JSON.
    fn json(&self) -> bool;

    /// The rows as text.
    fn text(&self, rows: &[Self::Row]) -> String;

    /// Where files go, if anywhere.
    fn output(&self) -> Option<Output<'_>> {
        None
    }

    /// Whether a file of that name in the folder is of this study.
    fn owns(&self, _name: &str) -> bool {
        false
    }

    /// What goes there.
    fn files(&self, _rows: &[Self::Row]) -> Vec<Made> {
        Vec::new()
    }
}

/// What a study gives.
#[derive(Clone, Debug)]
pub enum Ran<R> {
    /// All rows.
    Whole(Vec<R>),
    /// All rows, or those that were done when the user asked to stop.
    AsFar(Vec<R>),
    /// The user asked to stop, and there is nothing to show.
    Nothing,
}

/// Where an option says that files go.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// The option, as `--out`.
    pub option: &'static str,
    /// The file or the folder.
    pub path: &'a Path,
    /// Whether what is there is replaced.
    pub force: bool,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// A file that a study makes.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its name in the folder; where the option names a file, that is its name.
    pub name: String,
    /// What is in it.
    pub content: Content,
}

impl Made {
    /// A table of comma-separated values.
    pub fn csv(name: impl Into<String>, table: String) -> Made {
        let (name, content) = (name.into(), Content::Csv(table));
        Made { name, content }
    }

    /// A picture.
    pub fn svg(name: impl Into<String>, picture: String) -> Made {
        let (name, content) = (name.into(), Content::Svg(picture));
        Made { name, content }
    }
}

/// What is in a file.
#[derive(Clone, Debug)]
pub enum Content {
    /// A table of comma-separated values.
    Csv(String),
    /// A picture.
    Svg(String),
}

/// A line of the table of studies.
#[derive(Clone, Copy, Debug)]
pub struct StudyEntry {
    name: &'static str,
    help: &'static str,
    /// The command with its options.
    pub command: fn(&StudyEntry) -> Command,
    /// Runs it as the command line asks.
    pub run: fn(&ArgMatches, &mut dyn Context) -> Result<End, Failed>,
}

impl StudyEntry {
    /// A study under a name, with a line of help.
    pub const fn of<S: Study>(name: &'static str, help: &'static str) -> StudyEntry {
        StudyEntry {
            name,
            help,
            command: |entry| {
                let command = S::augment_args(Command::new(entry.name));
                command.about(entry.help).long_about(None)
            },
            run: |matches, context| {
                let study = S::from_arg_matches(matches);
                run(&study.map_err(Failed::bad_input)?, context)
            },
        }
    }
}

impl Part for StudyEntry {
    const KIND: &'static str = "study";

    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn built_in() -> Vec<StudyEntry> {
        super::BUILT_IN.to_vec()
    }
}

impl dyn Context + '_ {
    /// Does what counts its runs, and shows where it is.
    pub fn over_runs<T>(&mut self, work: impl FnOnce(super::Watcher<'_>) -> T) -> T {
        work(&mut |step: Step<'_>| {
            self.show(At::Run(step));
            self.flow()
        })
    }
}

/// What all studies have in common.
fn run<S: Study>(study: &S, context: &mut dyn Context) -> Result<End, Failed> {
    if let Some(output) = study.output() {
        output.prepare(study, context)?;
    }
    let ran = study.run(context);
    context.done();
    let (rows, is_whole) = match ran? {
        Ran::Whole(rows) => (rows, true),
        Ran::AsFar(rows) => (rows, false),
        Ran::Nothing => {
            context.complain("interrupted: the study has no results yet");
            return Ok(End::Interrupted);
        }
    };
    let (seed, seeds) = study.seeds();
    let configurations = Configuration::Several(study.configurations());
    let provenance = context.program().made(configurations, seed, seeds);
    // The rows are shown even where files can't be written.
    let written = match study.output() {
        Some(output) => output.write(&provenance, study, &rows, context),
        None => Ok(()),
    };
    let text = || study.text(&rows);
    print_rows(context, &provenance, &rows, study.json(), text)?;
    written?;
    Ok(match is_whole {
        true => End::Fine,
        false => end(context),
    })
}

impl<'a> Output<'a> {
    /// The file of `--plot`.
    pub fn plot(path: Option<&'a Path>, force: bool) -> Option<Output<'a>> {
        let path = path?;
        Some(Output {
            option: "--plot",
            path,
            force,
            is_folder: false,
        })
    }

    fn prepare<S: Study>(&self, study: &S, context: &dyn Context) -> Result<(), Failed> {
        match self.is_folder {
            true => {
                let owns = |name: &str| study.owns(name);
                context.prepare_folder(self.option, self.path, self.force, &owns)
            }
            false => context.prepare_file(self.option, self.path, self.force),
        }
    }

    /// Writes what a study makes, and takes away what an earlier one left there.
    fn write<S: Study>(
        &self,
        provenance: &Provenance,
        study: &S,
        rows: &[S::Row],
        context: &dyn Context,
    ) -> Result<(), Failed> {
        let unwritable = |error| Failed::unwritable(self.option, &error);
        let files = study.files(rows);
        if self.is_folder {
            let is_new = |name: &str| files.iter().any(|file| file.name == name);
            flitwork_files::clear(self.path, |name| study.owns(name) && !is_new(name))
                .map_err(unwritable)?;
        }
        for file in &files {
            let path = match self.is_folder {
                true => self.path.join(&file.name),
                false => self.path.to_owned(),
            };
            let bytes = match &file.content {
                Content::Csv(table) => provenance.on_csv(table.as_bytes()),
                Content::Svg(picture) => provenance.in_svg(picture).into_bytes(),
            };
            flitwork_files::write(&path, &bytes).map_err(unwritable)?;
            context.wrote(&path);
        }
        Ok(())
    }
}
