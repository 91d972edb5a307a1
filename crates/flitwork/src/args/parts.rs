//! Commands whose subcommands and options come from the tables of parts.

use super::{Arguments, shared};
use clap::{
    Arg, ArgGroup, ArgMatches, Args, Command, CommandFactory, Error, FromArgMatches, Id,
    value_parser,
};
use flitwork_export::ExportFormat;
use flitwork_report::Formats;
use flitwork_schema::{Part, Parts, one_of};
use flitwork_studies::paper::PaperEntry;
use flitwork_studies::paths::Output;
use flitwork_studies::study::StudyEntry;

/// The command line of a program with these parts.
pub(crate) fn command(parts: &Parts) -> Command {
    let studies = parts.all::<StudyEntry>();
    let papers = parts.all::<PaperEntry>();
    let mut command = Arguments::command();
    // In place: `mut_subcommand` would move them behind all others.
    for subcommand in command.get_subcommands_mut() {
        let of = std::mem::take(subcommand);
        *subcommand = match of.get_name() {
            "run" => of.mut_arg("packets", |option| {
                let endings = Vec::from_iter(Formats::of(parts).endings().into_keys()).join("|");
                // Made once, and as long as the program.
                option.value_name(&*format!("FILE.{endings}").leak())
            }),
            "study" => of.subcommands(studies.iter().map(StudyEntry::deferred)),
            "trace" => with_exports(of, parts),
            "paper" => with_options(of, &papers),
            _ => of,
        };
    }
    command
}

/// Adds the experiment's name and the options of all experiments, each once.
fn with_options(paper: Command, papers: &[PaperEntry]) -> Command {
    let help = one_of(papers.iter().map(|paper| paper.name().to_owned()));
    let experiment = Arg::new(EXPERIMENT).help(help).value_name("EXPERIMENT");
    let paper = paper.arg(experiment.required(true));
    paper.args(shared::union(papers))
}

/// Adds an option for each format to `trace export`, of which one must be given.
fn with_exports(mut trace: Command, parts: &Parts) -> Command {
    let formats = parts.all::<ExportFormat>();
    let option = |(name, help): (&&'static str, &Option<&'static str>)| {
        let help = help.unwrap_or("Only in builds with the feature of this name");
        Arg::new(*name)
            .long(*name)
            .value_name("FILE")
            .value_parser(value_parser!(Output))
            .help(help)
    };
    let names = flitwork_export::names(&formats);
    for subcommand in trace.get_subcommands_mut() {
        if subcommand.get_name() == "export" {
            let of = std::mem::take(subcommand);
            let one = ArgGroup::new(EXPORT_FILE).args(names.keys()).required(true);
            *subcommand = of.args(names.iter().map(option)).group(one);
        }
    }
    trace
}

/// The group of options of which each is a format.
const EXPORT_FILE: &str = "export_file";

/// The file to which a run is exported.
#[derive(Debug)]
pub(crate) struct ExportFile {
    /// The name of its format, and of the option.
    pub(crate) format: String,
    pub(crate) path: Output,
}

const EXPERIMENT: &str = "experiment";

/// A study and its arguments.
#[derive(Debug)]
pub(crate) struct Study {
    pub(crate) name: String,
    pub(crate) matches: ArgMatches,
}

/// A paper's experiment and its arguments.
#[derive(Debug)]
pub(crate) struct Paper {
    pub(crate) experiment: String,
    pub(crate) matches: ArgMatches,
}

impl Paper {
    /// An option that was given but that the experiment doesn't read.
    pub(crate) fn foreign(&self, entry: &PaperEntry) -> Option<String> {
        use clap::parser::ValueSource::CommandLine;
        let own = shared::options_of(entry);
        let mut given =
            self.matches.ids().map(clap::Id::as_str).filter(|id| {
                *id != EXPERIMENT && self.matches.value_source(id) == Some(CommandLine)
            });
        let foreign = given.find(|id| own.iter().all(|option| option.get_id() != *id));
        // Global options belong to the program. Options have the names of their fields, with hyphens.
        let foreign = foreign.filter(|id| !GLOBAL.contains(id));
        foreign.map(|id| id.replace('_', "-"))
    }

    /// What was given, as the experiment reads it.
    pub(crate) fn own(&self, entry: &PaperEntry) -> Result<ArgMatches, String> {
        let own = shared::read(entry, &self.matches);
        own.map_err(|error| {
            let said = error.render().to_string();
            said.strip_prefix("error: ").unwrap_or(&said).to_owned()
        })
    }
}

/// What is given to an experiment, as its own options read it: those of all experiments say other things. None for other
/// commands, and where the experiment refuses it.
pub(crate) fn own_options(
    parts: &Parts,
    command: &str,
    matches: &ArgMatches,
) -> Option<(Command, ArgMatches)> {
    if command != "paper" {
        return None;
    }
    let name = matches.try_get_one::<String>(EXPERIMENT).ok()??;
    let entry: PaperEntry = parts.find(name)?;
    let own = shared::read(&entry, matches).ok()?;
    Some((entry.0.command(), own))
}

const GLOBAL: [&str; 3] = ["verbose", "log", "memory"];

/// Implements clap's traits for arguments that come from a table: [`command`] adds them.
macro_rules! from_table {
    ($name:ident, $read:expr) => {
        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<$name, Error> {
                let read: fn(&ArgMatches) -> Option<$name> = $read;
                read(matches).ok_or_else(|| Error::new(clap::error::ErrorKind::MissingSubcommand))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
                *self = $name::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl Args for $name {
            fn augment_args(command: Command) -> Command {
                command
            }

            fn augment_args_for_update(command: Command) -> Command {
                command
            }
        }
    };
}

from_table!(Study, |matches| {
    let (name, matches) = matches.subcommand()?;
    let (name, matches) = (name.to_owned(), matches.clone());
    Some(Study { name, matches })
});

from_table!(ExportFile, |matches| {
    let format = matches.get_one::<Id>(EXPORT_FILE)?.to_string();
    let path = matches.get_one::<Output>(&format)?.clone();
    Some(ExportFile { format, path })
});

from_table!(Paper, |matches| {
    let experiment = matches.get_one::<String>(EXPERIMENT)?.clone();
    let matches = matches.clone();
    Some(Paper {
        experiment,
        matches,
    })
});

#[cfg(test)]
mod tests {
    use super::command;
    use clap::{Arg, Command};
    use flitwork_schema::{Part, Parts};
    use flitwork_studies::paper::PaperEntry;
    use flitwork_studies::paths::{Input, InputFolder, Output, OutputFolder};
    use std::any::TypeId;
    use std::ffi::OsString;
    use std::path::PathBuf;

    /// The arguments of a command and of those below it, each with the command. Those of an experiment are its own.
    fn arguments(of: &Command, name: &str, all: &mut Vec<(String, Arg)>) {
        if name != "flitwork paper" {
            let own = of.get_arguments().cloned();
            all.extend(own.map(|argument| (name.to_owned(), argument)));
        }
        for below in of.get_subcommands().filter(|it| it.get_name() != "help") {
            arguments(below, &format!("{name} {}", below.get_name()), all);
        }
    }

    /// A path's type says what is done with it, so that files are compared before one is written to. A plain path, and a text
    /// that names a file, would be compared with nothing.
    #[test]
    fn every_path_says_what_is_done_with_it() {
        let parts = Parts::new();
        let mut program = command(&parts);
        program.build();
        let mut all = Vec::new();
        arguments(&program, "flitwork", &mut all);
        for entry in parts.all::<PaperEntry>() {
            arguments(&entry.0.command(), entry.name(), &mut all);
        }
        let declared = [
            TypeId::of::<Input>(),
            TypeId::of::<InputFolder>(),
            TypeId::of::<Output>(),
            TypeId::of::<OutputFolder>(),
        ];
        let paths = [
            "FILE", "DIR", "RUN", "CONFIG", "RECORD", "A.toml", "B.toml", "A", "B",
        ];
        let mut found = 0;
        for (command, argument) in all {
            let kind = argument.get_value_parser().type_id();
            let names = argument.get_value_names().unwrap_or_default();
            let mut names: Vec<String> = names.iter().map(ToString::to_string).collect();
            names.push(argument.get_id().as_str().to_uppercase());
            let is_path =
                |name: &String| paths.contains(&name.as_str()) || name.starts_with("FILE.");
            let is_plain = kind == TypeId::of::<PathBuf>() || kind == TypeId::of::<OsString>();
            let takes = argument.get_action().takes_values();
            if takes && (is_plain || names.iter().any(is_path)) {
                let is_declared = declared.iter().any(|it| kind == *it);
                assert!(is_declared, "{command} {names:?} takes a {kind:?}");
                found += 1;
            }
        }
        assert!(found > 80, "{found} paths");
    }

    /// Examples, tables of exit codes and lines of code aren't wrapped: they must be short enough themselves. A usage
    /// is one line to copy: the parser of arguments never wraps it.
    #[test]
    fn help_fits_a_terminal_of_60_columns() {
        let mut program = command(&Parts::new()).term_width(60);
        program.build();
        let mut helps = vec![program.render_long_help()];
        for subcommand in program.get_subcommands_mut() {
            helps.extend([subcommand.render_help(), subcommand.render_long_help()]);
        }
        for help in helps {
            let help = help.to_string();
            let lines = help.lines().filter(|line| !line.starts_with("Usage:"));
            let widest = lines.max_by_key(|line| line.chars().count());
            let widest = widest.unwrap_or_default();
            assert!(widest.chars().count() <= 60, "{widest:?} in {help}");
        }
    }
}
