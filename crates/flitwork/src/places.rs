//! All files and folders that a command reads and writes: none is lost by what another becomes.
//!
//! ```text
//!  arguments ──▶ every path that is named ──┐
//!  configuration ──▶ files that it names ───┼──▶ compared, by file and not by spelling ──▶ what is written is opened
//!  command ──▶ names of files in a folder ──┘
//! ```
//!
//! One rule for all commands. Two outputs are never one file. An input is never written to, with `--force` either. What
//! exists is replaced with `--force` only. A path's type says what is done with it ([`flitwork_studies::paths`]): an argument
//! can't be forgotten here.

mod clashes;
mod named;

use crate::args::{Arguments, Command, Compare, Saturate};
use crate::exit::Exit;
use clap::ArgMatches;
use flitwork_config::Catalogue;
use flitwork_files::{Inputs, Place, WriteError, own_files, prepare_file, prepare_folder};
use flitwork_report::{Formats, Found};
use flitwork_studies::paper::PaperEntry;
use flitwork_studies::paths::OwnFolder;
use flitwork_studies::study::StudyEntry;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How many files a message names before "and N more".
const NAMED: usize = 3;

/// A path, and how the command line names it.
struct Named {
    /// `--out`, or `CONFIG`.
    label: String,
    path: PathBuf,
    role: Role,
}

/// What is done with it.
enum Role {
    Read,
    ReadFolder,
    Written,
    /// A folder with files that the command may write.
    Folder(Filled, Box<dyn Fn(&str) -> bool>),
}

/// What may be in a folder already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    /// With `--force`, files of an earlier run, which are replaced.
    Forced,
    /// A sweep's, which is resumed.
    Resumed,
    /// Nothing.
    Never,
}

/// The label of the log, which is opened when the work begins.
const LOG: &str = "--log";

/// The files and folders of a command.
pub(crate) struct Places {
    named: Vec<Named>,
    /// What configurations name.
    inputs: Inputs,
    /// What tables are written in.
    pub(crate) formats: Formats,
    /// Whether `--force` is given, if the command has it.
    force: Option<bool>,
}

impl Places {
    /// Those of a command line.
    pub(crate) fn of(
        arguments: &Arguments,
        (command, matches): (&clap::Command, &ArgMatches),
        catalogue: &Catalogue,
    ) -> Places {
        let formats = Formats::of(catalogue.parts());
        let levels = named::levels((command, matches), catalogue);
        let study = study(&arguments.command, catalogue);
        let folders = folders(&arguments.command, study, &levels, &formats);
        let mut named = named::all(&levels, folders);
        if let (Some(entry), Some(level)) = (study, levels.last()) {
            named.extend(
                entry
                    .inputs(&level.matches)
                    .into_iter()
                    .map(|(label, path)| Named {
                        label: label.to_owned(),
                        path,
                        role: Role::Read,
                    }),
            );
        }
        Places {
            named,
            inputs: catalogue.inputs().clone(),
            force: named::force(&levels),
            formats,
        }
    }

    /// The log.
    pub(crate) fn log(&self) -> Option<&Path> {
        let log = self.named.iter().find(|it| it.label == LOG)?;
        Some(&log.path)
    }

    /// Compares all files and folders that are known so far, and refuses what exists. Nothing is changed.
    ///
    /// # Errors
    /// Two paths that clash, named with their options, or one that exists.
    pub(crate) fn check(&self) -> Result<(), Exit> {
        self.refuse_idle_force()?;
        self.compare()?;
        self.named
            .iter()
            .try_for_each(|it| self.refuse_existing(it))
    }

    /// Refuses `--force` where no output is named.
    fn refuse_idle_force(&self) -> Result<(), Exit> {
        let mut roles = self.named.iter().map(|it| &it.role);
        let writes = roles.any(|role| matches!(role, Role::Written | Role::Folder(..)));
        match self.force {
            Some(true) if !writes => Err(Exit::bad_input(
                "--force: no output is named, so there is nothing to overwrite\n  allowed: only with an option that names an output",
            )),
            _ => Ok(()),
        }
    }

    /// Compares all files and folders, those that configurations name too.
    pub(crate) fn compare(&self) -> Result<(), Exit> {
        clashes::first(&self.named, &self.inputs)
            .map_or(Ok(()), |clash| Err(Exit::bad_input(clash)))
    }

    /// Checks all outputs once the command has read its inputs, and before it does any work: nothing is lost by them, and they
    /// can be written. The log is opened when the work begins.
    ///
    /// # Errors
    /// As [`Places::check`], and paths that can't be written.
    pub(crate) fn prepare(&self) -> Result<(), Exit> {
        self.compare()?;
        // Whether the log exists was asked first of all.
        let outputs = || self.named.iter().filter(|it| it.label != LOG);
        outputs().try_for_each(|it| self.refuse_existing(it))?;
        outputs().try_for_each(Named::prepare)?;
        crate::log::prepare()
    }

    fn refuse_existing(&self, named: &Named) -> Result<(), Exit> {
        let Named { label, path, role } = named;
        let force = self.force == Some(true);
        let shown = path.display();
        let unwritable = |error: WriteError| Exit::unwritable(label, &error);
        let refused = match role {
            Role::Read | Role::ReadFolder => None,
            Role::Written => {
                let or_force = match self.force {
                    Some(_) => ", or --force, which overwrites it",
                    None => "",
                };
                let exists = !force && Place::of(path).is_file();
                exists
                    .then(|| format!("{label}: {shown} exists\n  allowed: another file{or_force}"))
            }
            Role::Folder(Filled::Never, _) => return refuse_full(label, path),
            Role::Folder(Filled::Resumed, _) => {
                let found =
                    flitwork_sweep::foreign_tables(&self.formats, path).map_err(unwritable)?;
                some(&found).map(|found| {
                    format!(
                        "{label}: {shown} has {found}, and no sweep.toml\n  allowed: the folder of a sweep, or one without such files"
                    )
                })
            }
            Role::Folder(Filled::Forced, owns) => {
                let found = own_files(path, owns).map_err(unwritable)?;
                some(&found).filter(|_| !force).map(|found| {
                    format!(
                        "{label}: {shown} has {found} of an earlier run\n  allowed: another folder, or --force, which replaces them"
                    )
                })
            }
        };
        refused.map_or(Ok(()), |refused| Err(Exit::bad_input(refused)))
    }
}

impl Named {
    /// Checks that it can be written.
    fn prepare(&self) -> Result<(), Exit> {
        let prepared = match self.role {
            Role::Written => prepare_file(&self.path),
            // That of a sweep is made by the sweep, once it isn't refused.
            Role::Read | Role::ReadFolder | Role::Folder(Filled::Resumed, _) => Ok(()),
            Role::Folder(Filled::Forced | Filled::Never, _) => prepare_folder(&self.path),
        };
        prepared.map_err(|error| Exit::unwritable(&self.label, &error))
    }
}

/// The names of some files, and how many more there are.
fn some(found: &[String]) -> Option<String> {
    let more = match found.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = found[..found.len().min(NAMED)].join(", ");
    (!found.is_empty()).then_some(names + &more)
}

/// Refuses a folder in which something is.
fn refuse_full(label: &str, folder: &Path) -> Result<(), Exit> {
    let path = folder.display();
    let refused = |what: &str| {
        Exit::bad_input(format!(
            "{label}: {path} {what}\n  allowed: a new folder, or an empty one"
        ))
    };
    match std::fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(refused("isn't empty")),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(_) if folder.exists() => Err(refused("isn't a folder")),
        Err(error) => Err(refused(&error.to_string())),
    }
}

/// The study or the experiment that a command runs.
fn study(command: &Command, catalogue: &Catalogue) -> Option<StudyEntry> {
    let parts = catalogue.parts();
    match command {
        Command::Study(args) => parts.find::<StudyEntry>(&args.name),
        // What the experiment refuses names nothing.
        Command::Paper(args) => {
            let entry = parts.find::<PaperEntry>(&args.experiment);
            entry.filter(|it| args.own(it).is_ok()).map(|it| it.0)
        }
        _ => None,
    }
}

/// The folders that a command writes files into, each with the names of its files.
fn folders(
    command: &Command,
    study: Option<StudyEntry>,
    levels: &[named::Level],
    formats: &Formats,
) -> Vec<(Filled, OwnFolder)> {
    type Owns = fn(&Formats, &str) -> bool;
    let own = |filled, option, path: Option<&Path>, owns: Owns| {
        let formats = formats.clone();
        let folder = |path: &Path| OwnFolder {
            option,
            path: path.to_owned(),
            owns: Box::new(move |name| owns(&formats, name)),
        };
        path.map(|path| (filled, folder(path)))
            .into_iter()
            .collect()
    };
    let of_study = || {
        let of = study.zip(levels.last());
        let all = of.map(|(entry, level)| entry.folders(&level.matches, formats));
        let all = all.into_iter().flatten();
        all.map(|folder| (Filled::Forced, folder)).collect()
    };
    let sweep: Owns = flitwork_sweep::is_sweep_file;
    let result: Owns = flitwork_results::is_result;
    let saturation: Owns = |formats, name| Found::owns(formats, Saturate::STEM, name);
    let comparison: Owns = |formats, name| Found::owns(formats, Compare::STEM, name);
    let forced = |path, owns| own(Filled::Forced, "--out", path, owns);
    match command {
        Command::Run(args) => forced(args.out.as_deref(), result),
        Command::Saturate(args) => forced(args.tables.out.as_deref(), saturation),
        Command::Compare(args) => forced(args.tables.out.as_deref(), comparison),
        Command::Sweep(args) => own(Filled::Resumed, "--out", Some(&args.folder()), sweep),
        Command::Merge(args) => {
            let label = args.out.as_ref().map_or("DIR", |_| "--out");
            own(Filled::Resumed, label, args.folder(), sweep)
        }
        Command::View(args) => own(Filled::Never, "--export", args.export.as_deref(), |_, _| {
            true
        }),
        Command::Study(_) | Command::Paper(_) => of_study(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;
    use clap::FromArgMatches;
    use flitwork_schema::{Part, Parts};

    fn places(line: &str) -> Places {
        let catalogue = Catalogue::default();
        let mut command = args::command(catalogue.parts());
        let matches = command.try_get_matches_from_mut(line.split(' '));
        let matches = matches.unwrap_or_else(|error| panic!("{error}"));
        let arguments = Arguments::from_arg_matches(&matches).unwrap();
        Places::of(&arguments, (&command, &matches), &catalogue)
    }

    /// Of every folder that an option names the command knows which files it writes there, so that any other may be there; but
    /// for a folder that must be empty.
    #[test]
    fn every_command_knows_its_files_in_a_folder() {
        let of_studies = |option: &str| {
            let studies = Parts::new().all::<StudyEntry>().into_iter();
            let papers = Parts::new().all::<PaperEntry>().into_iter();
            let studies = studies.map(|it| format!("study {} {option}", it.name()));
            let papers = papers.map(|it| format!("paper {} {option}", it.name()));
            studies.chain(papers).collect::<Vec<String>>()
        };
        let mut lines: Vec<String> = of_studies("--out d");
        lines.extend(
            [
                "run c.toml --out d",
                "sweep c.toml --out d",
                "sweep c.toml",
                "merge e --out d",
                "merge d",
                "saturate c.toml --out d",
                "compare a.toml b.toml --out d",
                "study async-load --plot d",
                "paper chinn-exp1 --snapshot 5 --snapshot-dir d",
                "paper chinn-exp1 --snapshot 5",
            ]
            .map(str::to_owned),
        );
        for line in lines {
            let places = places(&format!("flitwork {line}"));
            let folders = places.named.iter().filter_map(|it| match &it.role {
                Role::Folder(filled, owns) => Some((*filled, owns)),
                _ => None,
            });
            let folders: Vec<_> = folders.collect();
            assert_eq!(folders.len(), 1, "{line}");
            assert!(
                folders
                    .iter()
                    .all(|(filled, owns)| *filled != Filled::Never && !owns("notes")),
                "{line}"
            );
        }
        let view = places("flitwork view c.toml --export d");
        let is_whole =
            |it: &Named| matches!(&it.role, Role::Folder(Filled::Never, owns) if owns("notes"));
        assert!(view.named.iter().any(is_whole));
    }

    /// Each path with its option, whether it is read or written, in commands below others too.
    #[test]
    fn all_paths_of_a_command_line_are_known() {
        let known = |line: &str| {
            let places = places(line);
            let named = places.named.iter().map(|it| {
                let role = match it.role {
                    Role::Read => "reads",
                    Role::ReadFolder => "reads all of",
                    Role::Written => "writes",
                    Role::Folder(..) => "fills",
                };
                format!("{} {role} {}", it.label, it.path.display())
            });
            let mut named: Vec<String> = named.collect();
            named.sort();
            (named, places.force)
        };
        let run = "flitwork run c --log l --out o --packets p --trace t --record r --force";
        let expected = [
            "--log writes l",
            "--out fills o",
            "--packets writes p",
            "--record writes r",
            "--trace writes t",
            "CONFIG reads c",
        ];
        assert_eq!(
            known(run),
            (expected.map(str::to_owned).to_vec(), Some(true))
        );
        let export = "flitwork --log l trace export r --vcd v";
        let expected = ["--log writes l", "--vcd writes v", "RUN reads r"];
        assert_eq!(
            known(export),
            (expected.map(str::to_owned).to_vec(), Some(false))
        );
        let merge = "flitwork merge a b --out o";
        let expected = ["--out fills o", "DIR reads all of a", "DIR reads all of b"];
        assert_eq!(known(merge), (expected.map(str::to_owned).to_vec(), None));
        let paper = "flitwork paper chinn-exp2 --plot p --out o --log l";
        let expected = ["--log writes l", "--out fills o", "--plot writes p"];
        assert_eq!(
            known(paper),
            (expected.map(str::to_owned).to_vec(), Some(false))
        );
        let adversary = "flitwork paper chinn-linear --permutation random,p --permutation-out q";
        let expected = ["--permutation reads p", "--permutation-out writes q"];
        assert_eq!(
            known(adversary),
            (expected.map(str::to_owned).to_vec(), Some(false))
        );
        let replay = "flitwork replay r --config c";
        let expected = ["--config reads c", "RECORD reads r"];
        assert_eq!(known(replay), (expected.map(str::to_owned).to_vec(), None));
    }
}
