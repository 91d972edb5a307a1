//! What the program prints about itself and about every configuration: the resolved text, the report, the checks.

use crate::digests::{configurations, short};
use crate::program::{each, flitwork, root, said, typed};
use crate::record::{Fact, compare};

/// Lists, help and the schemas; the reference is a page of the book, and `tests/docs.rs` compares it.
#[test]
fn what_the_program_prints_about_itself() {
    let commands: &[&[&str]] = &[
        &["list"],
        &["list", "routers"],
        &["list", "rout"],
        &["list", "patterns"],
        &["check", "--schema"],
        &["check", "--schema=results"],
        &["--help"],
        &["run", "--help"],
        &["sweep", "--help"],
        &["merge", "--help"],
        &["saturate", "--help"],
        &["compare", "--help"],
        &["replay", "--help"],
        &["paper", "--help"],
        &["adversary", "--help"],
        &["study", "--help"],
        &["check", "--help"],
        &["list", "--help"],
        &["reference", "--help"],
        &["study", "async-exp2", "--help"],
        &["study", "async-load", "--help"],
        &["study", "cut-through", "--help"],
        &["study", "deflection", "--help"],
        &["study", "greedy-steps", "--help"],
        &["study", "multiqueue", "--help"],
        &["study", "routers", "--help"],
    ];
    compare("program.txt", &each(commands, |args| said(args)));
}

#[test]
fn the_report_of_check_on_every_configuration() {
    let check = |config: &String| said(&["check", config]);
    compare("checks.txt", &each(&configurations(), check));
}

/// The report of a short run as text: figures and the resolved configuration.
#[test]
fn reports_of_every_configuration() {
    let report = |config: &String| {
        let args = short(config);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        // A live run isn't the same twice but in lockstep.
        let lockstep = if config.contains("live") {
            &["--slack", "0"][..]
        } else {
            &[]
        };
        said(&[&args[..], lockstep].concat())
    };
    compare("reports.txt", &each(&configurations(), report));
}

/// The resolved text of every configuration on the two engines that have tables of their own.
#[test]
fn resolved_configurations() {
    let resolved = |config: &String| {
        let short = short(config);
        let short: Vec<&str> = short.iter().map(String::as_str).collect();
        [
            &["--engine", "clocked"][..],
            &["--engine", "live", "--slack", "0"],
        ]
        .map(|engine| {
            let args = [&short[..], engine].concat();
            let done = flitwork(root(), &args);
            let text = done
                .out
                .split_once("resolved configuration")
                .map_or("", |halves| halves.1);
            Fact::new(typed(&args), format!("{}{text}", done.exit()))
        })
    };
    let facts: Vec<Fact> = each(&configurations(), resolved)
        .into_iter()
        .flatten()
        .collect();
    compare("resolved.txt", &facts);
}
