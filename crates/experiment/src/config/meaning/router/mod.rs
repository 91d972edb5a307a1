//! `[router]`: one file a router.

mod chaos;
mod deflection;
mod schedule;
mod wormhole;

use crate::config::error::{ConfigError, Fault};
use crate::config::resolved::{RouterParameters, RunParameters, TrafficWords};
use crate::config::source::Source;
use crate::config::written::{Field, WrittenRouter};
use flitwork_topology::Grid;
use std::path::Path;
use toml::Spanned;

const EXACTLY_ONE: &str = "exactly one of [router.chaos], [router.greedy-hp], [router.wormhole], [router.deflection] and [router.scheduled]";

/// The router, on a grid and in a run.
pub(super) fn mean(
    source: &Source<'_>,
    base_dir: &Path,
    grid: &Grid,
    (run, link_latency_cycles): (&RunParameters, u32),
    written: &Spanned<WrittenRouter>,
) -> Result<RouterParameters, ConfigError> {
    let router = written.get_ref();
    let tables = [
        router.chaos.as_ref().map(Spanned::span),
        router.greedy_hp.as_ref().map(Spanned::span),
        router.wormhole.as_ref().map(Spanned::span),
        router.deflection.as_ref().map(Spanned::span),
        router.scheduled.as_ref().map(Spanned::span),
    ];
    let mut given: Vec<_> = tables.into_iter().flatten().collect();
    given.sort_by_key(|span| span.start);
    if let Some(second) = given.get(1) {
        let error = source.error(Fault::Conflict, second, "a second router");
        return Err(error.about("router").allowed_is(EXACTLY_ONE));
    }
    if let Some(chaos) = &router.chaos {
        Ok(RouterParameters::Chaos(chaos::mean(source, grid, chaos)?))
    } else if let Some(wormhole) = &router.wormhole {
        let wormhole = wormhole::mean(source, grid, run.seed, wormhole)?;
        Ok(RouterParameters::Wormhole(Box::new(wormhole)))
    } else if let Some(deflection) = &router.deflection {
        let deflection = deflection::mean(source, grid, link_latency_cycles, deflection)?;
        Ok(RouterParameters::Deflection(deflection))
    } else if let Some(scheduled) = &router.scheduled {
        let network = (grid, link_latency_cycles);
        let schedule = schedule::mean(source, base_dir, network, run.engine, scheduled)?;
        Ok(RouterParameters::Scheduled(schedule))
    } else if router.greedy_hp.is_some() {
        Ok(RouterParameters::GreedyHp)
    } else {
        let error = source.error(Fault::Missing, &written.span(), "no router is named");
        Err(error.about("router").allowed_is(EXACTLY_ONE))
    }
}

/// Refuses packets that a router can't take.
pub(super) fn hold_words(
    source: &Source<'_>,
    router: &RouterParameters,
    written: &Spanned<WrittenRouter>,
    words: &TrafficWords,
) -> Result<(), ConfigError> {
    match (router, &written.get_ref().wormhole) {
        (RouterParameters::Wormhole(wormhole), Some(table)) => {
            wormhole::hold_words(source, wormhole, table, words)
        }
        _ => Ok(()),
    }
}

/// Puts a value that is given in the place of the preset's.
fn set<T: Copy + Into<U>, U>(value: &mut U, field: &Field<T>) {
    if let Some(given) = field {
        *value = (*given.get_ref()).into();
    }
}
