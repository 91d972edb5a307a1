//! What the program prints about itself and about every configuration: the resolved text, the report, the checks. A line
//! that several of these texts have is recorded once, and a checksum of each text.

use crate::digests::{configurations, options, short};
use crate::program::{Done, each, flitwork, root, said, typed};
use crate::record::{Fact, compare};
use crate::sample::{Shown, checksum};
use crate::schema;
use std::sync::LazyLock;

/// Lists, help and the schemas; the reference is a page of the book, and `tests/docs.rs` compares it. Lines of help that
/// several commands share are recorded with the first of them, the names of options with each.
#[test]
fn what_the_program_prints_about_itself() {
    let commands: &[&[&str]] = &[
        &["list"],
        &["list", "routers"],
        &["list", "rout"],
        &["list", "patterns"],
        &["list", "topologies"],
        &["list", "rules"],
        &["list", "methods"],
        schema::CONFIGURATIONS,
        schema::RESULTS,
        &["--help"],
        &["run", "--help"],
        &["sweep", "--help"],
        &["merge", "--help"],
        &["saturate", "--help"],
        &["compare", "--help"],
        &["replay", "--help"],
        &["paper", "--help"],
        &["route", "--help"],
        &["schedule", "--help"],
        &["adversary", "--help"],
        &["study", "--help"],
        &["check", "--help"],
        &["topology", "--help"],
        &["list", "--help"],
        &["reference", "--help"],
        &["study", "async-exp2", "--help"],
        &["study", "async-load", "--help"],
        &["study", "chaos-readings", "--help"],
        &["study", "cut-through", "--help"],
        &["study", "deflection", "--help"],
        &["study", "duplex", "--help"],
        &["study", "greedy-steps", "--help"],
        &["study", "multiqueue", "--help"],
        &["study", "routers", "--help"],
    ];
    let facts = each(commands, |args| {
        let came = whatever_the_build(&flitwork(root(), args).came());
        Fact::new(typed(args), came)
    });
    let mut shown = Shown::default();
    let recorded = |fact: Fact| {
        if fact.done.contains("--schema") {
            schema::recorded(fact)
        } else if fact.done.contains("--help") {
            let names = names_of_options(&fact.came);
            let mut fact = shown.rest(fact);
            let first = fact.came.find('\n').unwrap_or(fact.came.len());
            fact.came.insert_str(first, &format!("\noptions: {names}"));
            fact
        } else {
            shown.rest(fact)
        }
    };
    let facts: Vec<Fact> = facts.into_iter().map(recorded).collect();
    compare("program.txt", &facts);
}

/// The options that a command's help lists; what it says of each is further to the right.
fn names_of_options(help: &str) -> String {
    let name = |line: &str| {
        let option = line.trim_start();
        let is_name = option.starts_with('-') && line.len() - option.len() <= 6;
        let mut words = option.split_whitespace().filter(|_| is_name);
        Some(words.find(|word| word.starts_with("--"))?.to_owned())
    };
    let names: Vec<String> = help.lines().filter_map(name).collect();
    names.join(", ")
}

/// Masks what is printed about the format that depends on the build's features.
fn whatever_the_build(said: &str) -> String {
    let line = |line: &str| match line.split_once("parquet  ") {
        Some((before, _)) => format!("{before}parquet  (by the build)\n"),
        None => format!("{line}\n"),
    };
    said.lines().map(line).collect()
}

#[test]
fn the_report_of_check_on_every_configuration() {
    let check = |config: &String| said(&["check", config]);
    let facts = each(&configurations(), check);
    let mut shown = Shown::default();
    let facts: Vec<Fact> = facts.into_iter().map(|fact| shown.rest(fact)).collect();
    compare("checks.txt", &facts);
}

#[test]
fn what_is_said_of_every_network() {
    let describe = |config: &String| said(&["topology", config]);
    let facts = each(&configurations(), describe);
    let mut shown = Shown::default();
    let facts: Vec<Fact> = facts.into_iter().map(|fact| shown.rest(fact)).collect();
    compare("topologies.txt", &facts);
}

/// The engine of the configuration, and the two that have their own tables.
const ENGINES: [&[&str]; 3] = [
    &[],
    &["--engine", "clocked"],
    &["--engine", "live", "--slack", "0"],
];

/// A configuration's short run on each of [`ENGINES`], and the first one's command.
struct Runs {
    typed: String,
    done: [Done; 3],
}

static RUNS: LazyLock<Vec<Runs>> = LazyLock::new(|| {
    each(&configurations(), |config| {
        let short = short(config);
        let args: Vec<&str> = short.iter().map(String::as_str).collect();
        // Only in lockstep are two live runs the same.
        let lockstep: &[&str] = match config.contains("live") {
            true => &["--slack", "0"],
            false => &[],
        };
        let args_of = |engine: &&[&'static str]| match engine.is_empty() {
            true => [&args[..], lockstep].concat(),
            false => [&args[..], engine].concat(),
        };
        Runs {
            typed: typed(&args_of(&ENGINES[0])),
            done: ENGINES.map(|engine| flitwork(root(), &args_of(&engine))),
        }
    })
});

/// A report, and the resolved configuration below it.
fn halves(done: &Done) -> (&str, &str) {
    done.out
        .split_once("resolved configuration")
        .unwrap_or((done.out.as_str(), ""))
}

/// The report of a short run as text: each figure of each router is recorded once.
#[test]
fn reports_of_every_configuration() {
    let mut shown = Shown::default();
    let report = |runs: &Runs| {
        let done = &runs.done[0];
        let (report, resolved) = halves(done);
        let router = resolved
            .split(['[', ']'])
            .find(|it| it.starts_with("router."));
        let label = |line: &str| {
            let label: String = line.chars().take(24).collect();
            let is_further = label.starts_with("   ");
            let label = Some(label).filter(|_| !is_further);
            label.map_or(String::new(), |label| {
                format!("{router:?} {}", label.trim())
            })
        };
        let came = format!("{}\n{report}{}", done.exit(), done.complaint());
        shown.rest_by(Fact::new(&runs.typed, came), label)
    };
    let facts: Vec<Fact> = RUNS.iter().map(report).collect();
    compare("reports.txt", &facts);
}

/// The resolved text of every configuration: each key with each of its values is recorded once.
#[test]
fn resolved_configurations() {
    let mut shown = Shown::default();
    let resolved = |runs: &Runs| {
        let (mut came, mut whole) = (String::new(), String::new());
        for (engine, done) in ENGINES.iter().zip(&runs.done) {
            let engine = match engine {
                [] => "as configured".to_owned(),
                engine => options(engine),
            };
            let (exit, text) = (done.exit(), halves(done).1.trim_end());
            came += &format!("{engine}: {exit}; {}\n", checksum(text));
            came += &shown.new_lines(&keys(text), str::to_owned);
            whole += &format!("{engine}: {exit}{text}\n");
        }
        Fact::part(&runs.typed, came, whole)
    };
    let facts: Vec<Fact> = RUNS.iter().map(resolved).collect();
    compare("resolved.txt", &facts);
}

/// The keys in a resolved text, each with its tables.
fn keys(text: &str) -> String {
    let mut table = "";
    let mut keys = String::new();
    for line in text.lines().map(str::trim) {
        match line.strip_prefix('[') {
            Some(name) if !line.contains(' ') => table = name.trim_matches(['[', ']']),
            _ if line.is_empty() => {}
            _ => keys += &format!("{table}.{line}\n"),
        }
    }
    keys
}
