//! The files that a study writes, and the options that name them.

use super::{FileIn, OwnFile, Plot, Study};
use crate::context::{Context, Failed};
use crate::paths::{Output, OutputFolder, OwnFolder};
use clap::parser::MatchesError;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use flitwork_files::Staged;
use flitwork_report::{Formats, Found, Provenance};
use std::path::PathBuf;
use std::rc::Rc;

/// What every study takes.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Options {
    /// Write the rows as CSV and the figures as SVG into this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<OutputFolder>,
    /// Replace existing rows and figures, all at once.
    #[arg(long)]
    force: bool,
    /// Print the rows as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

const PLOT: &str = "plot";
const PLOT_OPTION: &str = "--plot";
const OUT_OPTION: &str = "--out";

impl Options {
    /// Adds them to a study's own.
    pub(super) fn add_to(command: Command, plot: Plot) -> Command {
        let option = Arg::new(PLOT).long(PLOT);
        let file = value_parser!(Output);
        let folder = value_parser!(OutputFolder);
        Options::augment_args(match plot {
            Plot::None => command,
            Plot::File(help) => {
                command.arg(option.value_name("FILE.svg").value_parser(file).help(help))
            }
            Plot::Folder(help) => {
                command.arg(option.value_name("DIR").value_parser(folder).help(help))
            }
        })
    }
}

/// The options as given.
pub(super) struct Given {
    pub(super) options: Options,
    plot: Option<PathBuf>,
    /// The first seed, and how many there are.
    pub(super) seeds: (u64, u32),
}

/// A number among the options, if the study has it.
///
/// # Panics
/// If the study has an option of this name that is no such number: its results would name a wrong seed.
fn number<N: Copy + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<N> {
    match matches.try_get_one(name) {
        Ok(value) => value.copied(),
        Err(MatchesError::UnknownArgument { .. }) => None,
        Err(error) => panic!("the option --{name} of a study: {error}"),
    }
}

impl Given {
    pub(super) fn of<S: Study>(matches: &ArgMatches) -> Given {
        let file = matches.try_get_one::<Output>(PLOT).ok().flatten();
        let folder = matches.try_get_one::<OutputFolder>(PLOT).ok().flatten();
        let plot = file.map(|path| path.to_path_buf());
        let seed = number(matches, S::SEED).or_else(|| number(matches, "first_seed"));
        let seeds = number::<u32>(matches, "seeds");
        Given {
            options: Options::from_arg_matches(matches).unwrap_or_default(),
            plot: plot.or_else(|| folder.map(|path| path.to_path_buf())),
            seeds: (seed.unwrap_or(1), seeds.unwrap_or(1)),
        }
    }

    /// Refuses more seeds than there are from the first one on.
    pub(super) fn check_seeds(&self) -> Result<(), Failed> {
        let (first, count) = self.seeds;
        match first.checked_add(u64::from(count.saturating_sub(1))) {
            Some(_) => Ok(()),
            None => {
                let why = format!(
                    "{first} begins fewer than {count} seeds; the last one is {}",
                    u64::MAX
                );
                Err(Failed::option("--first-seed", why))
            }
        }
    }

    /// Refuses a folder with the name of a figure's file.
    pub(super) fn check_plot<S: Study>(&self) -> Result<(), Failed> {
        let plot = self.plot.as_ref().filter(|_| !is_file::<S>());
        let named =
            plot.filter(|path| path.extension().is_some_and(|it| it == "svg") && !path.is_dir());
        match named {
            None => Ok(()),
            Some(path) => {
                let why = format!(
                    "{} looks like a file; allowed: a folder, for several figures",
                    path.display()
                );
                Err(Failed::option(PLOT_OPTION, why))
            }
        }
    }

    /// The folders that files go to.
    pub(super) fn folders<S: Study + 'static>(
        &self,
        name: &'static str,
        study: &Rc<S>,
        formats: &Formats,
    ) -> Vec<OwnFolder> {
        let figures = Rc::clone(study);
        let plot = self.plot.as_ref().filter(|_| !is_file::<S>());
        let plot = plot.map(|path| OwnFolder {
            option: PLOT_OPTION,
            path: path.clone(),
            owns: Box::new(move |file| figures.owns(file)),
        });
        let (figures, formats) = (Rc::clone(study), formats.clone());
        let out = self.options.out.as_deref().map(|path| OwnFolder {
            option: OUT_OPTION,
            path: path.to_owned(),
            owns: Box::new(move |file| {
                figures.owns(file) || file == figure(name) || Found::owns(&formats, name, file)
            }),
        });
        plot.into_iter().chain(study.folder()).chain(out).collect()
    }

    /// Writes all files, and removes what an earlier run left there.
    pub(super) fn write<S: Study>(
        &self,
        (name, study): (&str, &S),
        folders: &[OwnFolder],
        (rows, found): (&[S::Row], &Found),
        provenance: &Provenance,
        context: &dyn Context,
    ) -> Result<(), Failed> {
        if self.plot.is_some() && pictures(name, study, rows, provenance).is_empty() {
            context.complain("--plot: no figure is drawn, since no row has anything to draw");
        }
        let plot = self.plot.as_ref().filter(|_| is_file::<S>());
        let plot = plot.and_then(|path| {
            Some(OwnFile {
                option: PLOT_OPTION,
                path,
                bytes: provenance.in_svg(&study.figure(rows)?).into_bytes(),
            })
        });
        for file in plot.into_iter().chain(study.file(rows, provenance)) {
            flitwork_files::write(file.path, &file.bytes)
                .map_err(|error| Failed::unwritable(file.option, &error))?;
            context.wrote(file.path);
        }
        let formats = Formats::of(context.catalogue().parts());
        // Nothing is replaced before everything is written.
        let stage = |folder: &OwnFolder| {
            let unwritable = |error| Failed::unwritable(folder.option, &error);
            let staged = Staged::in_folder(&folder.path).map_err(unwritable)?;
            let files = match folder.option {
                PLOT_OPTION | OUT_OPTION => pictures(name, study, rows, provenance),
                _ => study.folder_files(rows, provenance),
            };
            let written = staged.fill(|inside| {
                for (name, bytes) in &files {
                    flitwork_files::write(&inside.join(name), bytes)?;
                }
                match folder.option {
                    OUT_OPTION => found.write(&formats, inside, name, provenance).map(drop),
                    _ => Ok(()),
                }
            });
            written.map_err(unwritable)?;
            Ok(staged)
        };
        let staged: Result<Vec<Staged>, Failed> = folders.iter().map(stage).collect();
        for (folder, staged) in folders.iter().zip(staged?) {
            let placed = staged.place(&folder.owns);
            let placed = placed.map_err(|error| Failed::unwritable(folder.option, &error))?;
            placed.iter().for_each(|file| context.wrote(file));
        }
        Ok(())
    }
}

/// Whether `--plot` names the file of a study's one figure.
fn is_file<S: Study>() -> bool {
    matches!(S::PLOT, Plot::File(_))
}

/// A study's figures, with their files' names.
fn pictures<S: Study>(
    name: &str,
    study: &S,
    rows: &[S::Row],
    provenance: &Provenance,
) -> Vec<FileIn> {
    let own = study.figure(rows).map(|svg| (figure(name), svg));
    let all = own.into_iter().chain(study.figures(rows));
    all.map(|(name, svg)| (name, provenance.in_svg(&svg).into_bytes()))
        .collect()
}

/// The name of the file of a study's own figure.
fn figure(study: &str) -> String {
    format!("{study}.svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches() -> ArgMatches {
        let seed = Arg::new("seed")
            .long("seed")
            .value_parser(value_parser!(u64));
        Command::new("study")
            .arg(seed)
            .get_matches_from(["study", "--seed", "5"])
    }

    #[test]
    fn a_number_is_read_if_the_study_has_it() {
        assert_eq!(number(&matches(), "seed"), Some(5u64));
        assert_eq!(number::<u32>(&matches(), "seeds"), None);
    }

    #[test]
    fn seeds_end_with_the_last_number() {
        let given = |first, count| Given {
            options: Options::default(),
            plot: None,
            seeds: (first, count),
        };
        assert!(given(u64::MAX, 1).check_seeds().is_ok());
        assert!(given(u64::MAX - 1, 2).check_seeds().is_ok());
        assert!(given(u64::MAX, 2).check_seeds().is_err());
    }

    #[test]
    #[should_panic(expected = "the option --seed of a study")]
    fn a_seed_of_another_kind_is_not_passed_over() {
        number::<u32>(&matches(), "seed");
    }
}
