//! A study as the command line sees it: a line of a table, open to crates outside.

use super::output::{Given, Options};
use super::unread::refuse_in_vain;
use super::{ROWS, Ran, Study};
use crate::context::{Context, End, Failed};
use crate::options::{SET, each_once};
use crate::paths::OwnFolder;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use flitwork_report::{Configuration, Formats, Found, Provenance, Sourced, Table};
use std::path::PathBuf;
use std::rc::Rc;

/// A line of the table of studies.
#[derive(Clone, Copy, Debug)]
pub struct StudyEntry {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    /// Adds its options to a command.
    pub options: fn(Command) -> Command,
    run: fn(&'static str, &ArgMatches, &mut dyn Context) -> Result<End, Failed>,
    folders: fn(&'static str, &ArgMatches, &Formats) -> Vec<OwnFolder>,
    inputs: fn(&'static str, &ArgMatches) -> Vec<(&'static str, PathBuf)>,
    tables: fn(&'static str, &ArgMatches) -> Vec<Table>,
}

impl StudyEntry {
    /// A study under a name, with a line of help.
    pub const fn of<S: Study + 'static>(name: &'static str, help: &'static str) -> StudyEntry {
        StudyEntry {
            name,
            help,
            options: |command| {
                // Some studies' options have help of their own.
                let help = command.get_about().cloned().unwrap_or_default();
                options::<S>(command).about(help).long_about(None)
            },
            run: |name, matches, context| {
                let study = read::<S>(name, matches)?;
                study.refuse_unread(&given::<S>(matches))?;
                refuse_in_vain(name, &study, matches)?;
                run(name, &Rc::new(study), &Given::of::<S>(matches), context)
            },
            // Options that a study refuses name neither folders nor files.
            folders: |name, matches, formats| {
                let study = read::<S>(name, matches).map(Rc::new);
                study.map_or(Vec::new(), |study| {
                    Given::of::<S>(matches).folders(name, &study, formats)
                })
            },
            inputs: |name, matches| {
                read::<S>(name, matches).map_or(Vec::new(), |study| study.inputs())
            },
            tables: |name, matches| {
                read::<S>(name, matches).map_or(Vec::new(), |study| tables(&study, &[]))
            },
        }
    }

    /// The command with its options.
    pub fn command(&self) -> Command {
        (self.options)(Command::new(self.name).about(self.help))
    }

    /// The same, with the options added only when they are needed: most commands aren't studies.
    pub fn deferred(&self) -> Command {
        Command::new(self.name).about(self.help).defer(self.options)
    }

    /// The folders that it writes files into, as the command line asks.
    pub fn folders(&self, matches: &ArgMatches, formats: &Formats) -> Vec<OwnFolder> {
        (self.folders)(self.name, matches, formats)
    }

    /// The files that it reads besides those whose options have the type of inputs, each with its option.
    pub fn inputs(&self, matches: &ArgMatches) -> Vec<(&'static str, PathBuf)> {
        (self.inputs)(self.name, matches)
    }

    /// The tables that it makes unless options say otherwise, without rows: none if it can't do without options.
    pub fn tables(&self) -> Vec<Table> {
        let matches = self.command().try_get_matches_from([self.name]);
        matches.map_or(Vec::new(), |matches| (self.tables)(self.name, &matches))
    }

    /// Runs it as the command line asks.
    ///
    /// # Errors
    /// What can't be run, and files that can't be written.
    pub fn run(&self, matches: &ArgMatches, context: &mut dyn Context) -> Result<End, Failed> {
        each_once(&self.command(), matches)?;
        (self.run)(self.name, matches, context)
    }
}

/// A study of that name with its options.
pub(super) fn read<S: Study>(name: &'static str, matches: &ArgMatches) -> Result<S, Failed> {
    let mut study = S::from_arg_matches(matches).map_err(Failed::bad_input)?;
    study.set_name(name);
    Ok(study)
}

/// A study's options, with those that all studies take.
pub(super) fn options<S: Study>(command: Command) -> Command {
    let command = S::augment_args(command);
    let names = command.get_arguments().filter_map(Arg::get_long);
    let names: Vec<String> = names.map(str::to_owned).collect();
    Options::add_to(command.mut_args(|it| usual(it, &names)), S::PLOT)
}

/// The long names of the options that the command line has.
fn given<S: Study>(matches: &ArgMatches) -> Vec<String> {
    let all = options::<S>(Command::default());
    let given = all.get_arguments().filter(|it| {
        matches
            .try_contains_id(it.get_id().as_str())
            .unwrap_or(false)
            && matches.value_source(it.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    given
        .filter_map(|it| it.get_long().map(str::to_owned))
        .collect()
}

/// Options that take several values take them separated by commas. Numbers may be negative, so that an option's own parser
/// refuses them.
fn usual(option: Arg, names: &[String]) -> Arg {
    let option = match option.get_action() {
        ArgAction::Append if option.get_id() != SET => option.value_delimiter(','),
        _ => option,
    };
    let other = match (option.get_value_delimiter(), option.get_long()) {
        (Some(_), Some(name)) => in_other_number(name),
        _ => None,
    };
    let option = match other.filter(|other| !names.iter().any(|it| it == other)) {
        Some(other) => option.alias(other),
        None => option,
    };
    let takes_values = option.get_action().takes_values();
    option.allow_negative_numbers(takes_values)
}

/// Lists that some studies name in the singular and others in the plural: each is known by both names, unless another option has one.
const NAMES: [[&str; 2]; 30] = [
    ["topology", "topologies"],
    ["axis", "axes"],
    ["pattern", "patterns"],
    ["load", "loads"],
    ["side", "sides"],
    ["router", "routers"],
    ["spread", "spreads"],
    ["threshold", "thresholds"],
    ["frame", "frames"],
    ["reading", "readings"],
    ["packet", "packets"],
    ["packet-word", "packet-words"],
    ["buffer-word", "buffer-words"],
    ["word", "words"],
    ["edge", "edges"],
    ["kind", "kinds"],
    ["channel", "channels"],
    ["factor", "factors"],
    ["position", "positions"],
    ["design", "designs"],
    ["corner", "corners"],
    ["length", "lengths"],
    ["turnaround", "turnarounds"],
    ["timing", "timings"],
    ["drift", "drifts"],
    ["jitter", "jitters"],
    ["wander", "wanders"],
    ["tau", "taus"],
    ["shift", "shifts"],
    ["synchronizer", "synchronizers"],
];

fn in_other_number(name: &str) -> Option<&'static str> {
    let pair = NAMES.iter().find(|pair| pair.contains(&name))?;
    pair.iter().copied().find(|other| *other != name)
}

/// Runs any study: checks the paths, runs it, writes its files and prints its results.
fn run<S: Study + 'static>(
    name: &'static str,
    study: &Rc<S>,
    given: &Given,
    context: &mut dyn Context,
) -> Result<End, Failed> {
    let formats = Formats::of(context.catalogue().parts());
    given.check_plot::<S>()?;
    given.check_seeds()?;
    let folders = given.folders(name, study, &formats);
    context.prepare()?;
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
    let (seed, seeds) = given.seeds;
    let configurations = Configuration::Several(study.configurations(context.catalogue()));
    let mut provenance = context.program().made(configurations, seed, seeds);
    provenance.partial = !is_whole && context.is_interrupted();
    let found = Found::rows(tables(&**study, &rows));
    // The rows are shown even where files can't be written.
    let written = given.write(
        (name, &**study),
        &folders,
        (&rows, &found),
        &provenance,
        context,
    );
    let printed = match given.options.json {
        true => json(&provenance, &found)?,
        false => study.text(&rows),
    };
    context.print(&printed)?;
    written?;
    if is_whole || !context.is_interrupted() {
        return Ok(End::Fine);
    }
    context.complain("interrupted: only the rows that were done are shown");
    Ok(End::Interrupted)
}

/// A study's rows, and what they are computed from.
fn tables<S: Study>(study: &S, rows: &[S::Row]) -> Vec<Table> {
    let main = Table::new(ROWS, &study.columns(), rows);
    std::iter::once(main).chain(study.details(rows)).collect()
}

/// What was found, with its provenance, as a JSON object.
fn json(provenance: &Provenance, found: &Found) -> Result<String, Failed> {
    let json = serde_json::to_string_pretty(&Sourced { provenance, found });
    let json = json.map_err(Failed::failure)?;
    Ok(json + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_schema::Part;

    /// Duplex has a side and a list of sides.
    #[test]
    fn lists_are_known_in_the_singular_and_in_the_plural() {
        let command = |name: &str| {
            let all = StudyEntry::built_in();
            all.iter().find(|it| it.name == name).unwrap().command()
        };
        let list = |name: &str, id: &str, line: &[&str]| -> Vec<String> {
            let matches = command(name)
                .try_get_matches_from([&[name], line].concat())
                .unwrap();
            let values = matches.get_raw(id).unwrap();
            values.map(|it| it.to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(
            list("livelock", "topology", &["--topologies", "mesh,torus"]),
            ["mesh", "torus"]
        );
        assert_eq!(
            list("crossing", "topologies", &["--topology", "mesh"]),
            ["mesh"]
        );
        assert_eq!(list("async-load", "loads", &["--load", "0.1"]), ["0.1"]);
        assert_eq!(list("duplex", "side", &["--side", "4"]), ["4"]);
        assert_eq!(list("duplex", "sides", &["--sides", "4,8"]), ["4", "8"]);
        // What is no list has one name.
        let matches = command("slow-router").try_get_matches_from(["x", "--loads", "0.1"]);
        assert!(matches.is_err());
    }

    /// Of two options of one name clap reads the first, and only a build with its assertions says so.
    #[test]
    fn no_option_has_the_name_of_another() {
        for entry in StudyEntry::built_in() {
            let command = entry.command();
            let names = command.get_arguments().flat_map(|it| {
                let aliases = it.get_all_aliases().unwrap_or_default();
                it.get_long().into_iter().chain(aliases)
            });
            let mut names: Vec<&str> = names.collect();
            names.sort_unstable();
            let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
            assert_eq!(twice, None, "{}", entry.name);
        }
    }

    /// But for `--n`, which is a letter, and duplex' sides, which have one beside them.
    #[test]
    fn every_list_has_both_names() {
        for entry in StudyEntry::built_in() {
            let command = entry.command();
            let lists = command.get_arguments();
            let lists = lists.filter(|it| it.get_value_delimiter().is_some());
            let lacking = lists.filter(|it| it.get_all_aliases().unwrap_or_default().is_empty());
            let lacking: Vec<&str> = lacking.filter_map(|it| it.get_long()).collect();
            let allowed = lacking.iter().all(|name| match entry.name {
                "duplex" => *name == "sides",
                "self-timed" => *name == "step",
                _ => *name == "n",
            });
            assert!(allowed, "{}: {lacking:?}", entry.name);
        }
    }
}
