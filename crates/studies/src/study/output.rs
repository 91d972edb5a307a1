//! Where a study's results go beside the terminal, and what the command line says of it.

use super::entry::{Study, found};
use crate::context::{Context, Failed};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use flitwork_report::{Found, Provenance};
use std::fmt;
use std::path::{Path, PathBuf};

/// What every study takes.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Options {
    /// Write the rows as CSV and the figures as SVG into this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace existing rows and figures, as a whole.
    #[arg(long)]
    force: bool,
    /// Print the rows as JSON.
    #[arg(long)]
    pub(super) json: bool,
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
pub struct Picture {
    /// The name of its file in a folder.
    pub name: String,
    /// An SVG document.
    pub svg: String,
}

/// A folder that an option of a study names, for files that only this study has.
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

/// Makes files of rows, which carry where they come from.
type Files<'a, R> = Box<dyn Fn(&[R], &Provenance) -> Vec<(String, Vec<u8>)> + 'a>;

impl<R> fmt::Debug for Folder<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Folder")
            .field("option", &self.option)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

const PLOT: &str = "plot";

impl Options {
    /// Adds them to a study's own.
    pub(super) fn add_to(command: Command, plot: Option<Plot>) -> Command {
        let command = match plot {
            None => command,
            Some(plot) => {
                let (value_name, help) = match plot {
                    Plot::File(help) => ("FILE.svg", help),
                    Plot::Folder(help) => ("DIR", help),
                };
                let option = Arg::new(PLOT).long(PLOT).value_name(value_name).help(help);
                command.arg(option.value_parser(clap::value_parser!(PathBuf)))
            }
        };
        Options::augment_args(command)
    }
}

/// What of it was given.
pub(super) struct Given {
    pub(super) options: Options,
    plot: Option<PathBuf>,
}

impl Given {
    pub(super) fn of(matches: &ArgMatches) -> Given {
        let plot = matches.try_get_one::<PathBuf>(PLOT).ok().flatten();
        Given {
            options: Options::from_arg_matches(matches).unwrap_or_default(),
            plot: plot.cloned(),
        }
    }

    /// Makes sure, before any work, that all files can be written.
    pub(super) fn prepare<S: Study>(
        &self,
        name: &str,
        study: &S,
        context: &dyn Context,
    ) -> Result<(), Failed> {
        let force = self.options.force;
        match (&self.plot, S::PLOT) {
            (Some(path), Some(Plot::File(_))) => context.prepare_file("--plot", path, force)?,
            (Some(path), _) => {
                context.prepare_folder("--plot", path, force, &|name| study.owns(name))?;
            }
            (None, _) => {}
        }
        for folder in study.folders() {
            context.prepare_folder(folder.option, folder.path, force, &folder.owns)?;
        }
        match &self.options.out {
            Some(path) => context.prepare_folder("--out", path, force, &owner(name, study)),
            None => Ok(()),
        }
    }

    /// Writes all files, and removes what an earlier run left there.
    pub(super) fn write<S: Study>(
        &self,
        name: &str,
        study: &S,
        rows: &[S::Row],
        provenance: &Provenance,
        context: &dyn Context,
    ) -> Result<(), Failed> {
        let pictures = || {
            let own = study.figure(rows).map(|svg| Picture {
                name: figure(name),
                svg,
            });
            let all = own.into_iter().chain(study.figures(rows));
            let bytes = |it: Picture| (it.name, provenance.in_svg(&it.svg).into_bytes());
            all.map(bytes).collect()
        };
        match (&self.plot, S::PLOT) {
            (Some(path), Some(Plot::File(_))) => {
                let first: Vec<(String, Vec<u8>)> = pictures();
                for (_, bytes) in first.iter().take(1) {
                    flitwork_files::write(path, bytes)
                        .map_err(|error| Failed::unwritable("--plot", &error))?;
                    context.wrote(path);
                }
            }
            (Some(path), _) => {
                write(
                    context,
                    ("--plot", path),
                    &|name| study.owns(name),
                    pictures(),
                )?;
            }
            (None, _) => {}
        }
        for Folder {
            option,
            path,
            owns,
            files,
        } in study.folders()
        {
            write(context, (option, path), &owns, files(rows, provenance))?;
        }
        let Some(path) = &self.options.out else {
            return Ok(());
        };
        let owns = owner(name, study);
        write(context, ("--out", path), &|name| owns(name), pictures())?;
        let files = found(study, rows).write(path, name, provenance);
        let files = files.map_err(|error| Failed::unwritable("--out", &error))?;
        files.iter().for_each(|file| context.wrote(file));
        Ok(())
    }
}

/// The file of a study's own figure.
fn figure(study: &str) -> String {
    format!("{study}.svg")
}

/// Whether a file in `--out` is one of a study.
fn owner<'a, S: Study>(name: &'a str, study: &'a S) -> impl Fn(&str) -> bool + 'a {
    move |file| Found::owns(name, file) || file == figure(name) || study.owns(file)
}

/// Writes files into a folder, and removes those that an earlier run left there.
fn write(
    context: &dyn Context,
    (option, folder): (&str, &Path),
    owns: &dyn Fn(&str) -> bool,
    files: Vec<(String, Vec<u8>)>,
) -> Result<(), Failed> {
    let unwritable = |error| Failed::unwritable(option, &error);
    let is_stale = |name: &str| owns(name) && files.iter().all(|file| file.0 != name);
    flitwork_files::clear(folder, is_stale).map_err(unwritable)?;
    for (name, bytes) in &files {
        let path = folder.join(name);
        flitwork_files::write(&path, bytes).map_err(unwritable)?;
        context.wrote(&path);
    }
    Ok(())
}
