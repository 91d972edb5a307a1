//! Valid and invalid configurations.

mod arbiters;
mod changing_clocks;
mod clock_draws;
mod clocks;
mod delays;
mod energy;
mod fuzz;
mod independent;
mod judge;
mod keys;
mod messages;
mod network_files;
mod permutation;
mod problems;
mod refusals;
mod refused_clocks;
mod refused_delays;
mod refused_links;
mod round_trip;
mod several;
mod topologies;
mod workloads;

use super::{ConfigError, Override, Resolved, resolve};
use std::path::Path;

/// A configuration that leaves whatever it can to the defaults.
const SHORT: &str = "\
[network]
topology = \"mesh\"
sides = [4, 4]
[router.chaos]
[traffic]
load = 0.2
";

fn read(text: &str) -> Result<Resolved, ConfigError> {
    resolve(text, "x.toml", Path::new("no/such/directory"), &[])
}

fn right(text: &str) -> Resolved {
    read(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The same by the clocked engine, which the command line chooses.
fn by_clocked(text: &str) -> Result<Resolved, ConfigError> {
    let engine = [Override::by_option("--engine", "run.engine", "clocked")];
    resolve(text, "x.toml", Path::new("no/such/directory"), &engine)
}

fn right_by_clocked(text: &str) -> Resolved {
    by_clocked(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The whole message about an invalid configuration.
fn message(text: &str) -> String {
    message_of(text, read(text))
}

/// The same of the clocked engine.
fn message_by_clocked(text: &str) -> String {
    message_of(text, by_clocked(text))
}

fn message_of(text: &str, read: Result<Resolved, ConfigError>) -> String {
    match read {
        Ok(resolved) => panic!("not refused: {text}\n{resolved:?}"),
        Err(error) => error.to_string(),
    }
}

/// [`SHORT`] with `from` replaced.
fn short_with(from: &str, to: &str) -> String {
    assert!(
        SHORT.contains(from),
        "{from:?} is in the short configuration"
    );
    SHORT.replace(from, to)
}

/// [`SHORT`] with overrides from the command line.
fn overridden(overrides: &[&str]) -> Result<Resolved, ConfigError> {
    let overrides: Result<Vec<Override>, _> = overrides.iter().map(|over| over.parse()).collect();
    resolve(SHORT, "x.toml", Path::new(""), &overrides?)
}
