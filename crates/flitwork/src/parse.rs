//! Parses the command line, with suggestions for options that don't exist.

use crate::args::{self, Arguments};
use crate::exit::{BAD_INPUT, FINE, failed, printed};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, Error, FromArgMatches};
use flitwork_config::Catalogue;
use flitwork_studies::paper::PaperEntry;
use std::io::{self, Write};
use std::process::ExitCode;

/// A command line: its arguments, and what they were read from.
pub(crate) struct Parsed {
    pub(crate) arguments: Arguments,
    pub(crate) command: Command,
    pub(crate) matches: ArgMatches,
}

/// Parses the arguments. The error is the exit code after a help text or a mistake.
pub(crate) fn parse(catalogue: &Catalogue) -> Result<Parsed, ExitCode> {
    let mut command = args::command(catalogue.parts());
    let read = command.try_get_matches_from_mut(std::env::args_os());
    let read = read.and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches);
        let arguments = arguments.map_err(|error| error.format(&mut command))?;
        Ok((arguments, matches))
    });
    let read: Result<_, ExitCode> = read.map_err(|mut error| {
        suggest_key(catalogue, &command, &mut error, std::env::args().skip(1));
        let own = own_help(catalogue, &error, std::env::args().skip(1));
        let said = own.map_or_else(|| error.print(), |mut own| own.print_long_help());
        let said = said.and_then(|()| io::stdout().flush());
        if error.use_stderr() {
            return BAD_INPUT.into();
        }
        printed(said).map_or_else(|exit| failed(&exit).into(), |()| FINE.into())
    });
    let (arguments, matches) = read?;
    Ok(Parsed {
        arguments,
        command,
        matches,
    })
}

/// If help for an experiment is asked for: the experiment with its own options alone.
fn own_help(
    catalogue: &Catalogue,
    error: &Error,
    mut args: impl Iterator<Item = String>,
) -> Option<Command> {
    if error.kind() != ErrorKind::DisplayHelp || !args.any(|arg| arg == "paper") {
        return None;
    }
    let entry: PaperEntry = args.find_map(|arg| catalogue.parts().find(&arg))?;
    Some(args::alone(&entry))
}

/// If an unknown option has the name of a configuration key, suggests `--set`. Otherwise clap's own suggestion stays,
/// which knows only the names of options.
fn suggest_key(
    catalogue: &Catalogue,
    command: &Command,
    error: &mut Error,
    args: impl Iterator<Item = String>,
) {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let args: Vec<String> = args.collect();
    let sets = |name: &str| {
        let found = command.find_subcommand(name);
        found.is_some_and(|found| found.get_arguments().any(|arg| arg.get_id() == "set"))
    };
    if !args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .is_some_and(|name| sets(name))
    {
        return;
    }
    let keys = catalogue.keys_called(option.trim_start_matches('-'));
    if keys.is_empty() {
        return;
    }
    let value = value_of(option, &args).unwrap_or("VALUE");
    let tips = keys.iter().map(|key| {
        let tip = format!("to change a key of the configuration, use '--set {key}={value}'");
        tip.into()
    });
    let tips = ContextValue::StyledStrs(tips.collect());
    error.remove(ContextKind::SuggestedArg);
    // The usage would be that of clap's suggestion.
    error.remove(ContextKind::Usage);
    error.insert(ContextKind::Suggested, tips);
}

/// The value given with the option.
fn value_of<'a>(option: &str, args: &'a [String]) -> Option<&'a str> {
    let with = format!("{option}=");
    let index = args
        .iter()
        .position(|arg| arg == option || arg.starts_with(&with))?;
    match args[index].strip_prefix(&with) {
        Some(value) => Some(value),
        None => Some(args.get(index + 1)?.as_str()).filter(|value| !value.starts_with("--")),
    }
}
