//! Options of papers' experiments that have the same name.
//!
//! `flitwork paper` takes the options of all experiments, each once. Where experiments differ in what an option takes, the
//! command line keeps its text, and the experiment that runs reads it.

use clap::builder::OsStringValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, Error};
use flitwork_schema::Part;
use flitwork_studies::paper::PaperEntry;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;

/// An option of some experiments, which agree on it.
struct Variant {
    option: Arg,
    experiments: Vec<&'static str>,
}

impl Variant {
    /// What it is and takes.
    fn summary(&self) -> String {
        let help = self.option.get_help().map(ToString::to_string);
        let mut text = help.unwrap_or_default();
        let default = self.option.get_default_values();
        let default: Vec<_> = default.iter().map(|it| it.to_string_lossy()).collect();
        if !default.is_empty() && takes_values(&self.option) {
            let _ = write!(text, " [default: {}]", default.join(","));
        }
        let values = self.option.get_possible_values();
        let values: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
        if !values.is_empty() && takes_values(&self.option) {
            let _ = write!(text, " [possible values: {}]", values.join(", "));
        }
        text
    }

    fn agrees(&self, other: &Variant) -> bool {
        self.summary() == other.summary()
            && self.option.get_value_names() == other.option.get_value_names()
    }
}

fn takes_values(option: &Arg) -> bool {
    option.get_action().takes_values()
}

/// The options of all experiments, in the order of their first.
pub(super) fn union(papers: &[PaperEntry]) -> Vec<Arg> {
    let mut all: Vec<Vec<Variant>> = Vec::new();
    for entry in papers {
        for option in options_of(entry) {
            let name = option.get_id().clone();
            let experiments = vec![entry.name()];
            let variant = Variant {
                option,
                experiments,
            };
            match all.iter_mut().find(|of| of[0].option.get_id() == &name) {
                None => all.push(vec![variant]),
                Some(of) => match of.iter_mut().find(|it| it.agrees(&variant)) {
                    Some(it) => it.experiments.extend(variant.experiments),
                    None => of.push(variant),
                },
            }
        }
    }
    all.iter().map(|variants| shared(variants)).collect()
}

/// An option as the command line takes it for all experiments.
fn shared(variants: &[Variant]) -> Arg {
    let option = variants[0].option.clone();
    if variants.len() == 1 || !takes_values(&option) {
        return option;
    }
    let help = variants.iter().map(|it| {
        let (of, summary) = (it.experiments.join(", "), it.summary());
        format!("{of}: {summary}")
    });
    let help: Vec<String> = help.collect();
    option
        .help(help.join("\n"))
        .action(ArgAction::Append)
        .value_parser(OsStringValueParser::new())
        .value_delimiter(None::<char>)
        .default_value(None::<&'static str>)
}

/// An experiment's own options.
pub(super) fn options_of(entry: &PaperEntry) -> Vec<Arg> {
    let own = entry.0.command();
    own.get_arguments().cloned().collect()
}

/// What was given for an experiment, as its own options read it.
pub(super) fn read(entry: &PaperEntry, all: &ArgMatches) -> Result<ArgMatches, Error> {
    let mut line: Vec<OsString> = Vec::new();
    for option in options_of(entry) {
        let name = option.get_id().as_str();
        let (Some(long), Some(ValueSource::CommandLine)) =
            (option.get_long(), all.value_source(name))
        else {
            continue;
        };
        if !takes_values(&option) {
            line.push(format!("--{long}").into());
            continue;
        }
        for values in all.get_raw_occurrences(name).into_iter().flatten() {
            let values: Vec<OsString> = values.map(OsString::from).collect();
            let mut text = OsString::from(format!("--{long}="));
            text.push(values.join(OsStr::new(",")));
            line.push(text);
        }
    }
    alone(entry).no_binary_name(true).try_get_matches_from(line)
}

/// An experiment as a command with its own options.
pub(crate) fn alone(entry: &PaperEntry) -> Command {
    let own = entry.0.command();
    own.bin_name(format!("flitwork paper {}", entry.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_schema::Parts;

    fn matches(line: &str) -> ArgMatches {
        let papers = Parts::new().all::<PaperEntry>();
        let command = Command::new("paper").args(union(&papers));
        command
            .no_binary_name(true)
            .get_matches_from(line.split(' '))
    }

    fn own(name: &str, line: &str) -> Result<ArgMatches, String> {
        let entry: PaperEntry = Parts::new().find(name).unwrap();
        read(&entry, &matches(line)).map_err(|error| error.to_string())
    }

    /// `--k` is a queue's size to one experiment and a worm's length to another, each with its own default.
    #[test]
    fn each_experiment_reads_its_own_options() {
        let words = |name: &str, line: &str| {
            let matches = own(name, line).unwrap();
            let words = matches.get_many::<u32>("k");
            words.map_or(Vec::new(), |words| words.copied().collect())
        };
        for name in ["chinn-bounds", "roberts-symvonis"] {
            assert_eq!(words(name, "--k 3,5"), [3, 5], "{name}");
            assert_eq!(words(name, "--k 3 --k=5,7"), [3, 5, 7], "{name}");
        }
        assert_eq!(words("chinn-bounds", "--json"), [1]);
        assert_eq!(words("roberts-symvonis", "--json"), [0; 0]);
        let why = own("roberts-symvonis", "--order longest-total").unwrap_err();
        assert!(
            why.contains("longest-first") && why.contains("--order"),
            "{why}"
        );
        assert!(own("symvonis-tidswell", "--order longest-total").is_ok());
        let why = own("roberts-symvonis", "--k 0").unwrap_err();
        assert!(why.contains("--k") && why.contains("1 to 65536"), "{why}");
        let json = own("chinn-upper", "--json").unwrap();
        assert!(json.get_flag("json"));
    }

    /// An option that is a flag to one experiment can't take a value for another.
    #[test]
    fn options_of_a_name_all_take_values_or_none() {
        let papers = Parts::new().all::<PaperEntry>();
        let options: Vec<Arg> = papers.iter().flat_map(options_of).collect();
        for one in &options {
            let same = options.iter().filter(|it| it.get_id() == one.get_id());
            for other in same {
                assert_eq!(takes_values(one), takes_values(other), "{}", one.get_id());
                assert_eq!(one.get_long(), other.get_long());
            }
        }
        let ids = union(&papers);
        let mut ids: Vec<&str> = ids.iter().map(|option| option.get_id().as_str()).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    }

    /// Where experiments differ the help says what the option is to each.
    #[test]
    fn help_says_what_an_option_is_to_each() {
        let papers = Parts::new().all::<PaperEntry>();
        let all = union(&papers);
        let help = |name: &str| {
            let option = all.iter().find(|option| option.get_id() == name).unwrap();
            option.get_help().unwrap().to_string()
        };
        let k = help("k");
        assert!(k.contains("chinn-bounds, chinn-upper: The packets"), "{k}");
        assert!(k.contains("roberts-symvonis: Words"), "{k}");
        assert!(help("permutation").contains("random, reversal, transpose"));
        assert!(!help("n").contains("roberts-symvonis"), "all agree");
        let seeds = all
            .iter()
            .find(|option| option.get_id() == "seeds")
            .unwrap();
        assert!(!seeds.get_default_values().is_empty());
    }
}
