//! What options of the command line can hold, with messages that say what is allowed.

use crate::context::Failed;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, Command, ValueEnum};
use flitwork_adversary::Instant;
use flitwork_config::Override;
use flitwork_schema::{Part, Parts};
use std::ops::RangeInclusive;

/// A whole number in a range.
///
/// # Errors
/// What is allowed instead.
pub fn whole(text: &str, range: RangeInclusive<u32>) -> Result<u32, String> {
    let number = text.trim().parse().ok();
    let number = number.filter(|number| range.contains(number));
    let (least, most) = range.into_inner();
    number.ok_or_else(|| format!("allowed: a whole number from {least} to {most}"))
}

/// What is asked for, or else what is usual.
pub(crate) fn or<'a, T>(asked: &'a [T], usual: &'a [T]) -> &'a [T] {
    if asked.is_empty() { usual } else { asked }
}

/// A parser of names, each with what it stands for, a line of help and other names that will do.
pub(crate) fn named<T: Clone + Send + Sync + 'static>(
    all: impl Iterator<Item = (PossibleValue, T)>,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<_> = all.collect();
    let names = PossibleValuesParser::new(all.iter().map(|it| it.0.clone()));
    names.try_map(move |name| {
        let found = all.iter().find(|it| it.0.matches(&name, false));
        found.map(|it| it.1.clone()).ok_or("no such name")
    })
}

/// Values by name, each with a line of help.
pub type Names<T> = &'static [(&'static str, T, &'static str)];

/// A parser of the names in a list.
pub fn listed<T: Clone + Send + Sync + 'static>(all: Names<T>) -> impl TypedValueParser<Value = T> {
    let possible = |name, help| PossibleValue::new(name).help(help);
    named(
        all.iter()
            .map(move |(name, it, help)| (possible(*name, *help), it.clone())),
    )
}

/// What a list calls a value.
pub(crate) fn name_in<T: PartialEq + 'static>(all: Names<T>, value: &T) -> &'static str {
    let named = all.iter().find(|it| it.1 == *value);
    named.map_or("", |it| it.0)
}

/// The part that an option names, one of the program's own or from outside.
///
/// # Errors
/// The names of those that there are.
pub fn part<E: Part>(parts: &Parts, option: &str, name: &str) -> Result<E, Failed> {
    let unknown = || {
        let names = parts.names::<E>().join(", ");
        let why = format!(
            "none of the {} is called `{name}`; allowed: {names}",
            E::KIND
        );
        Failed::option(option, why)
    };
    parts.find(name).ok_or_else(unknown)
}

/// The parts that an option names.
///
/// # Errors
/// The same, of the first name that isn't one's.
pub fn parts_of<E: Part>(parts: &Parts, option: &str, all: &[String]) -> Result<Vec<E>, Failed> {
    all.iter().map(|name| part(parts, option, name)).collect()
}

/// What the command line calls a value.
pub(crate) fn name_of(value: impl ValueEnum) -> String {
    let named = value.to_possible_value();
    named.map_or(String::new(), |value| value.get_name().to_owned())
}

/// When a construction exchanges destinations.
#[rustfmt::skip]
pub const EXCHANGES: Names<Instant> = &[
    ("decision", Instant::Decision, "At the decision that puts a packet into an output frame"),
    ("link", Instant::Link, "When the link starts to send the packet"),
];

/// A number for which `is_allowed` holds.
///
/// # Errors
/// What is allowed instead.
pub fn number(text: &str, is_allowed: fn(f64) -> bool, allowed: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok();
    let number = number.filter(|number| is_allowed(*number));
    number.ok_or_else(|| format!("allowed: {allowed}"))
}

/// An offered load, in words per node and cycle.
pub(crate) fn load(text: &str) -> Result<f64, String> {
    let allowed = "above 0, up to 1 word per node and cycle";
    number(text, |load| load > 0.0 && load <= 1.0, allowed)
}

/// The most by which periods of clocks differ from the nominal one, in percent: at 50 % the fastest node steps three
/// times as often as the slowest.
pub(crate) fn spread(text: &str) -> Result<f64, String> {
    number(text, |percent| (0.0..=50.0).contains(&percent), "0 to 50 %")
}

/// Edges of a synchronizer, as in a configuration.
pub(crate) fn edges(text: &str) -> Result<u32, String> {
    whole(text, 0..=16)
}

/// The side of a network: none is longer than the largest network.
///
/// # Errors
/// What is allowed instead.
pub fn side(text: &str) -> Result<u32, String> {
    whole(text, 1..=1 << 24)
}

/// A number of seeds.
///
/// # Errors
/// What is allowed instead.
pub fn seeds(text: &str) -> Result<u32, String> {
    whole(text, 1..=1_000_000)
}

/// No run reaches a later cycle.
pub(crate) fn cycle(text: &str) -> Result<u32, String> {
    whole(text, 0..=4_000_000_000)
}

/// Runs at the same time.
///
/// # Errors
/// What is allowed instead.
pub fn jobs(text: &str) -> Result<usize, String> {
    whole(text, 1..=1024).map(|jobs| jobs as usize)
}

/// Concurrent runs: as many as are asked for, or one per core.
pub fn jobs_or_cores(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Refuses a list of loads that doesn't ascend.
pub(crate) fn ascending(option: &str, loads: &[f64]) -> Result<(), Failed> {
    let Some(pair) = loads.windows(2).find(|pair| pair[0] >= pair[1]) else {
        return Ok(());
    };
    let why = format!("{} follows {}; allowed: ascending loads", pair[1], pair[0]);
    Err(Failed::option(option, why))
}

/// Refuses a list with a repeated value, which would run twice and fill two rows.
///
/// # Errors
/// The first repeated value.
pub(crate) fn each_once(command: &Command, matches: &ArgMatches) -> Result<(), Failed> {
    let lists = command.get_arguments();
    let lists = lists.filter(|option| option.get_value_delimiter().is_some());
    for option in lists {
        let id = option.get_id().as_str();
        let values = matches.get_raw(id).into_iter().flatten();
        let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
        for (place, value) in values.iter().enumerate() {
            let is_same = |other: &str| match (other.parse::<f64>(), value.parse::<f64>()) {
                (Ok(one), Ok(other)) => one == other,
                _ => other == value,
            };
            if values[..place].iter().any(|other| is_same(other)) {
                let name = option.get_long().unwrap_or(id);
                let why = format!("{value} is given twice; allowed: each value once");
                return Err(Failed::option(&format!("--{name}"), why));
            }
        }
    }
    Ok(())
}

/// Which seeds everything runs with: so many unless the command line says otherwise.
#[derive(Clone, Debug, Default, Args)]
pub struct Seeds<const SEEDS: u32> {
    /// The first seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub first_seed: u64,
    /// The number of seeds. Means and intervals are over them.
    #[arg(long, default_value = Decimal::<SEEDS>::TEXT, value_name = "COUNT", value_parser = seeds)]
    pub seeds: u32,
}

/// A number as text. A default that is computed is kept in a static, which all numbers of seeds would share: the first study of a process
/// would set the seeds of all others.
struct Decimal<const N: u32>;

impl<const N: u32> Decimal<N> {
    /// With leading zeros.
    const DIGITS: [u8; 10] = {
        let (mut digits, mut rest, mut place) = ([0; 10], N, 10);
        while place > 0 {
            place -= 1;
            digits[place] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        digits
    };
    const ZEROS: usize = {
        let mut zeros = 0;
        while zeros < 9 && Self::DIGITS[zeros] == b'0' {
            zeros += 1;
        }
        zeros
    };
    const TEXT: &'static str = match std::str::from_utf8(Self::DIGITS.split_at(Self::ZEROS).1) {
        Ok(text) => text,
        Err(_) => panic!("digits are text"),
    };
}

impl<const SEEDS: u32> Seeds<SEEDS> {
    /// One of them, from 0 on.
    pub(crate) fn seed(&self, place: u32) -> u64 {
        self.first_seed.wrapping_add(place.into())
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = u64> + Clone + '_ {
        (0..self.seeds).map(|place| self.seed(place))
    }
}

/// How often everything runs, and what every run's configuration gets besides.
#[derive(Clone, Debug, Default, Args)]
pub struct Repeats<const SEEDS: u32> {
    /// Which seeds.
    #[command(flatten)]
    pub over: Seeds<SEEDS>,
    /// Set a key of the configurations, as with `flitwork run`; keys of a router apply where it runs.
    #[arg(long = SET, value_name = "KEY=VALUE", value_parser = |text: &str| text.parse::<Override>())]
    pub set: Vec<Override>,
    /// Concurrent runs; by default one per core.
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
}

impl<const SEEDS: u32> std::ops::Deref for Repeats<SEEDS> {
    type Target = Seeds<SEEDS>;

    fn deref(&self) -> &Seeds<SEEDS> {
        &self.over
    }
}

/// The option whose values are no list.
pub(crate) const SET: &str = "set";

/// The options of studies that compare routers.
#[derive(Clone, Debug, Default, Args)]
pub struct RunOptions {
    /// Measured cycles; half as many precede them.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=100_000_000))]
    pub cycles: u32,
    /// How often.
    #[command(flatten)]
    pub repeats: Repeats<5>,
}

/// The options of those that draw latency over load.
#[derive(Clone, Debug, Default, Args)]
pub struct Curves {
    /// Offered loads, ascending, in words per node and cycle; the last one is the overload.
    #[arg(long, value_name = "LOAD,…", default_value = "0.02,0.05,0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.45,0.5,0.6,1", value_parser = load)]
    pub loads: Vec<f64>,
    /// The common options.
    #[command(flatten)]
    pub many: RunOptions,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert_eq!([load("1"), load(" 0.5")], [Ok(1.0), Ok(0.5)]);
        for text in ["0", "-0.1", "1.1", "NaN", "inf", "", "x"] {
            assert!(load(text).is_err(), "{text}");
        }
        assert_eq!([spread("0"), spread("50")], [Ok(0.0), Ok(50.0)]);
        for text in ["-0.1", "50.1", "NaN", ""] {
            assert!(spread(text).is_err(), "{text}");
        }
        assert_eq!([edges("0"), edges("16")], [Ok(0), Ok(16)]);
        assert!(edges("17").is_err() && edges("-1").is_err());
        assert!(ascending("--loads", &[0.1, 0.2]).is_ok());
        for loads in [[0.2, 0.1], [0.1, 0.1]] {
            assert!(ascending("--loads", &loads).is_err());
        }
    }

    /// In one process, whichever comes first.
    #[test]
    fn each_study_has_its_own_number_of_seeds() {
        fn usual<A: Args>() -> String {
            let command = A::augment_args(Command::new("x"));
            let mut options = command.get_arguments();
            let seeds = options.find(|it| it.get_id() == "seeds").unwrap();
            seeds.get_default_values()[0].to_str().unwrap().to_owned()
        }
        assert_eq!(usual::<Repeats<20>>(), "20");
        assert_eq!(usual::<Repeats<5>>(), "5");
        assert_eq!(usual::<Seeds<3>>(), "3");
        assert_eq!(
            [Decimal::<0>::TEXT, Decimal::<{ u32::MAX }>::TEXT],
            ["0", "4294967295"]
        );
    }

    #[test]
    fn no_list_has_a_value_twice() {
        let command = || {
            let list = |name: &'static str| Arg::new(name).long(name).value_delimiter(',');
            let single = Arg::new("seed").long("seed");
            Command::new("x").args([list("loads"), list("names"), single])
        };
        let checked = |args: &[&str]| {
            let matches = command().get_matches_from([&["x"], args].concat());
            each_once(&command(), &matches)
        };
        assert_eq!(
            checked(&["--loads", "0.1,0.2", "--names", "a,b", "--seed", "1,1"]),
            Ok(())
        );
        for (option, values) in [("--loads", "0.1,0.2,0.10"), ("--names", "a,b,a")] {
            let Err(Failed::BadInput(why)) = checked(&[option, values]) else {
                panic!("{values} is accepted")
            };
            assert!(why.starts_with(option), "{why}");
        }
    }
}
