//! From what was written to what it means: defaults, and values beside each other.

mod router;
mod traffic;

use super::clocks::ClockParameters;
use super::error::{ConfigError, Fault};
use super::file::Folder;
use super::resolved::{
    EnergyParameters, EngineChoice, LiveParameters, NetworkParameters, Resolved, RunParameters,
    TrafficParameters, network,
};
use super::source::Source;
use flitwork_router::parameters::{Longest, Reading};
use flitwork_schema::Given;
use flitwork_topology::Terminals;
use std::ops::Range;
use std::path::Path;

/// What a configuration can't do without.
fn needs(source: &Source<'_>) -> String {
    let routers = router::tables(&source.catalogue.parts().all());
    format!("a configuration needs [network], one of {routers}, and [traffic]")
}

/// A text that has none of the tables that a configuration needs.
fn no_network(source: &Source<'_>) -> ConfigError {
    let found = match source.text.trim().is_empty() {
        true => "is empty",
        false => "has no network",
    };
    let error = source.error_in_file(Fault::Missing, found);
    error.allowed_is(needs(source))
}

/// What the written configuration means.
pub(super) fn mean(
    source: &Source<'_>,
    base_dir: &Path,
    all: &Given<'_>,
) -> Result<Resolved, ConfigError> {
    if !all.has("network") && !all.has("router") && !all.has("traffic") {
        return Err(no_network(source));
    }
    let refused = |refusal| source.refused(refusal);
    let given_network = all.table("network");
    let given_network = given_network.ok_or_else(|| absent(source, "network"))?;
    let built = network::build(&given_network, source.catalogue.parts()).map_err(refused)?;
    let given_router = all.table("router");
    let given_router = given_router.ok_or_else(|| absent(source, "router"))?;
    let given = all.table("traffic");
    let given = given.ok_or_else(|| absent(source, "traffic"))?;
    let process = TrafficParameters::process_of(&given, source.catalogue.parts());
    let process = process.map_err(refused)?;
    let given_run = table(all, "run");
    let run = RunParameters::read(&given_run, &process, source.catalogue.parts());
    let mut run = run.map_err(refused)?;
    let link_latency_cycles = network::link_latency_cycles(&given_network);
    let reading = Reading {
        parts: source.catalogue.parts(),
        files: &Folder(base_dir),
        shape: &built.shape,
        link_latency_cycles,
        seed: run.seed,
        is_one_clock: !matches!(run.engine, EngineChoice::Clocked | EngineChoice::Live),
    };
    let (router, given_router) = router::mean(source, &reading, &given_router)?;
    let terminals = Terminals::of(&built.shape);
    let in_run = traffic::Run {
        base_dir,
        topology: &built.shape,
        terminals: terminals.as_ref(),
        router: &router,
        run: &run,
        link_latency_cycles,
    };
    let traffic = traffic::mean(source, &in_run, (&process, &given))?;
    run.hold_last_cycle(&given_run, &traffic.process);
    let longest = Longest {
        words: traffic.longest_words(),
        span: TrafficParameters::span_of_lengths(&given, &process, source.catalogue.parts()),
    };
    let taken = router.take_packets(&given_router, &longest);
    taken.map_err(refused)?;
    let clocks = ClockParameters::read(&table(all, "clocks"), &built.shape, &run);
    let (clocks, pace) = clocks.map_err(refused)?;
    let timing = network::Timing {
        credit_words: router.credit_words(),
        period_ps: clocks.period_ps,
        pace,
        clocks: all.span_of("clocks"),
    };
    let network = NetworkParameters::read(&given_network, built, &timing);
    let network = network.map_err(refused)?;
    let live = LiveParameters::read(&table(all, "live"), &network);
    let live = live.map_err(refused)?;
    let energy = EnergyParameters::read(&table(all, "energy"));
    Ok(Resolved {
        network,
        router,
        traffic,
        run,
        clocks,
        live,
        energy,
    })
}

/// A table that may be absent.
fn table<'a>(all: &Given<'a>, name: &str) -> Given<'a> {
    let given = all.table(name);
    given.unwrap_or_else(|| Given::nothing(name))
}

/// A table that must be there and isn't.
fn absent(source: &Source<'_>, name: &str) -> ConfigError {
    let found = format!("has no table [{name}]");
    source
        .error_in_file(Fault::Missing, found)
        .about(name)
        .allowed_is(needs(source))
}

/// A value that is wrong beside others.
fn conflict(
    source: &Source<'_>,
    span: &Range<usize>,
    key: &str,
    allowed: impl Into<String>,
) -> ConfigError {
    let found = format!("{key} is {}", source.snippet(span));
    source
        .error(Fault::Conflict, span, found)
        .about(key)
        .allowed_is(allowed)
}
