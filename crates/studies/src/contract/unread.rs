//! Options that change nothing of what a study runs, found by leaving them out.

use super::Study;
use super::entry::{options, read};
use crate::context::Failed;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// What says how often a study runs, and where its results go: not what it runs.
const BESIDE: [&str; 8] = [
    "first-seed",
    "seeds",
    "jobs",
    "set",
    "out",
    "force",
    "json",
    "plot",
];

/// Refuses an option without which the study would run the same, and a list of which it reads only the first value.
///
/// # Errors
/// The first such option.
pub(super) fn refuse_in_vain<S: Study>(
    name: &'static str,
    study: &S,
    matches: &ArgMatches,
) -> Result<(), Failed> {
    let Some(plan) = study.plan() else {
        return Ok(());
    };
    let command = options::<S>(Command::new(name));
    let usual = command.clone().try_get_matches_from([name]);
    let usual = usual.map_err(Failed::bad_input)?;
    let all: Vec<&Arg> = command.get_arguments().collect();
    let own = all.iter().filter(|it| is_own(it, matches));
    for option in own {
        let Some(long) = option.get_long() else {
            continue;
        };
        let values = raw(option, matches);
        let defaults = raw(option, &usual);
        if values == defaults {
            continue;
        }
        let is_same_with = |values: Option<&[String]>| {
            let line = line(name, &all, matches, (long, values));
            let matches = command.clone().try_get_matches_from(line).ok();
            let other = matches.and_then(|matches| read::<S>(name, &matches).ok()?.plan());
            other.as_ref() == Some(&plan)
        };
        let refused = |why: String| Err(Failed::option(&format!("--{long}"), why));
        // What is given may be what is usual where it is read.
        let mut others = defaults.chunks(1).map(Some).chain([None]);
        if others.all(is_same_with) {
            return refused(
                "nothing that is run reads it; allowed: with other options, such as other --axes"
                    .into(),
            );
        }
        if let [first, _, ..] = &values[..]
            && is_same_with(Some(&values[..1]))
        {
            return refused(format!(
                "only {first} is read, the first of its values; allowed: that alone, or with other --axes"
            ));
        }
    }
    Ok(())
}

/// Whether an option is one of the study's own, and the command line has it.
fn is_own(option: &Arg, matches: &ArgMatches) -> bool {
    let is_beside = option.get_long().is_none_or(|it| BESIDE.contains(&it));
    !is_beside && is_given(option, matches)
}

fn is_given(option: &Arg, matches: &ArgMatches) -> bool {
    let id = option.get_id().as_str();
    matches.try_contains_id(id).unwrap_or(false)
        && matches.value_source(id) == Some(ValueSource::CommandLine)
}

fn raw(option: &Arg, matches: &ArgMatches) -> Vec<String> {
    let values = matches.try_get_raw(option.get_id().as_str()).ok().flatten();
    let values = values.into_iter().flatten();
    values.map(|it| it.to_string_lossy().into_owned()).collect()
}

/// The command line again, but with other values of one option, or without it.
fn line(
    name: &str,
    all: &[&Arg],
    matches: &ArgMatches,
    (but, values): (&str, Option<&[String]>),
) -> Vec<String> {
    let mut line = vec![name.to_owned()];
    for option in all.iter().filter(|it| is_given(it, matches)) {
        let Some(long) = option.get_long() else {
            continue;
        };
        let own = raw(option, matches);
        let values = match (long == but, values) {
            (true, None) => continue,
            (true, Some(values)) => values,
            (false, _) => &own,
        };
        match option.get_action().takes_values() {
            true if option.get_value_delimiter().is_some() => {
                line.push(format!("--{long}={}", values.join(",")));
            }
            true => line.extend(values.iter().map(|it| format!("--{long}={it}"))),
            false => line.push(format!("--{long}")),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use crate::context::Failed;
    use crate::context::tests::Silent;
    use crate::contract::StudyEntry;
    use flitwork_schema::Part;

    /// What a study says of a line that it refuses; none of a line that it would run, as far as this goes.
    fn refused(line: &str) -> Option<String> {
        let words: Vec<&str> = line.split(' ').collect();
        let all = StudyEntry::built_in();
        let entry = all.iter().find(|it| it.name == words[0]).unwrap();
        let matches = entry.command().try_get_matches_from(words).unwrap();
        match entry.run(&matches, &mut Silent::new(0)) {
            Err(Failed::BadInput(why)) => Some(why),
            _ => None,
        }
    }

    /// Of each kind: an option that no axis reads, a list of which only the first value is read, one whose first value is the usual one, and one
    /// that an axis reads.
    #[test]
    fn what_nobody_reads_is_refused() {
        let unread = ": nothing that is run reads it";
        let is_refused = |line: &str, option: &str, why: &str| {
            let said = refused(line).unwrap_or_else(|| panic!("{line} is run"));
            assert!(said.contains(&format!("{option}{why}")), "{line}: {said}");
        };
        is_refused(
            "duplex --axes load --packet-words 7",
            "--packet-words",
            unread,
        );
        is_refused("duplex --axes load --low-load 0.02", "--low-load", unread);
        is_refused("duplex --axes pattern --sides 4,8", "--sides", unread);
        is_refused(
            "slow-router --axes factor --thresholds 20,3",
            "--thresholds",
            ": only 20 is read",
        );
        is_refused(
            "crossing --axes packet --edges 2,1",
            "--edges",
            ": only 2 is read",
        );
        is_refused(
            "deadlock-frequency --axes frames --patterns transpose,uniform",
            "--patterns",
            ": only transpose",
        );
        for line in [
            "crossing --axes packet --edges 2",
            "crossing --axes packet --edges 1",
            "crossing --axes edges --edges 1,2",
            "crossing --axes packet,edges --edges 2,1 --seeds 2 --first-seed 7 --jobs 1",
            "duplex --axes load --loads 0.1,0.2 --vcs 8",
            "duplex --axes pattern --low-load 0.02 --cycles 300",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
    }
}
