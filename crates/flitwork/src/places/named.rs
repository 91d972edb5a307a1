//! The paths that a command line names.

use super::{Filled, Named, Role};
use crate::args::own_options;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use flitwork_config::Catalogue;
use flitwork_studies::paths::{Input, InputFolder, Output, OutputFolder, OwnFolder};
use std::any::TypeId;
use std::path::{Path, PathBuf};

/// The program, a command, a command below it: its arguments, and what was given for them.
pub(super) struct Level {
    arguments: Vec<Arg>,
    pub(super) matches: ArgMatches,
}

/// The levels of a command line, the program's own first. An experiment has its own options, not those of all experiments.
pub(super) fn levels(
    (command, matches): (&Command, &ArgMatches),
    catalogue: &Catalogue,
) -> Vec<Level> {
    let mut levels = Vec::new();
    let mut at = Some((command, matches));
    while let Some((command, matches)) = at {
        let own = own_options(catalogue.parts(), command.get_name(), matches);
        let (command_of, matches_of) = match &own {
            Some((command, matches)) => (command, matches),
            None => (command, matches),
        };
        levels.push(Level {
            arguments: command_of.get_arguments().cloned().collect(),
            matches: matches_of.clone(),
        });
        at = matches.subcommand().and_then(|(name, matches)| {
            let below = command.find_subcommand(name);
            below.map(|below| (below, matches))
        });
    }
    levels
}

/// Whether `--force` is given; none if the command doesn't have it.
pub(super) fn force(levels: &[Level]) -> Option<bool> {
    let mut of_levels = levels.iter().filter_map(|level| {
        let has = level.arguments.iter().any(|arg| arg.get_id() == "force");
        has.then(|| level.matches.get_flag("force"))
    });
    of_levels.next()
}

/// All paths that are given, each once, and the folders that the command writes into.
pub(super) fn all(levels: &[Level], folders: Vec<(Filled, OwnFolder)>) -> Vec<Named> {
    let folders = folders.into_iter().map(|(filled, folder)| Named {
        label: folder.option.to_owned(),
        path: folder.path,
        role: Role::Folder(filled, folder.owns),
    });
    let mut all: Vec<Named> = folders.collect();
    for level in levels {
        for argument in &level.arguments {
            for named in of_argument(argument, &level.matches) {
                let is_known = |it: &Named| it.label == named.label && it.path == named.path;
                if !all.iter().any(is_known) {
                    all.push(named);
                }
            }
        }
    }
    all
}

/// The paths that an argument names.
fn of_argument(argument: &Arg, matches: &ArgMatches) -> Vec<Named> {
    let id = argument.get_id().as_str();
    let kind = argument.get_value_parser().type_id();
    let named = |paths: Vec<PathBuf>, role: fn() -> Role| {
        let named = |path| Named {
            label: label(argument),
            path,
            role: role(),
        };
        paths.into_iter().map(named).collect()
    };
    if kind == TypeId::of::<Input>() {
        named(given::<Input>(matches, id), || Role::Read)
    } else if kind == TypeId::of::<InputFolder>() {
        named(given::<InputFolder>(matches, id), || Role::ReadFolder)
    } else if kind == TypeId::of::<Output>() {
        named(given::<Output>(matches, id), || Role::Written)
    } else if kind == TypeId::of::<OutputFolder>()
        && matches.value_source(id) == Some(ValueSource::CommandLine)
    {
        // A command that doesn't say which files it writes there might write any.
        named(given::<OutputFolder>(matches, id), || {
            Role::Folder(Filled::Forced, Box::new(|_| true))
        })
    } else {
        Vec::new()
    }
}

/// The paths that were given for an argument.
fn given<P>(matches: &ArgMatches, id: &str) -> Vec<PathBuf>
where
    P: std::ops::Deref<Target = Path> + Clone + Send + Sync + 'static,
{
    let paths = matches.try_get_many::<P>(id).ok().flatten();
    let paths = paths.into_iter().flatten();
    paths.map(|path| path.to_path_buf()).collect()
}

/// What users call an argument.
fn label(argument: &Arg) -> String {
    match (argument.get_long(), argument.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => argument.get_id().as_str().to_uppercase(),
    }
}
