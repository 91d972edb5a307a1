//! `[router]`: one file a router.

mod chaos;
mod wormhole;

use crate::config::error::{ConfigError, Fault};
use crate::config::resolved::{RouterParameters, TrafficWords};
use crate::config::source::Source;
use crate::config::written::{Field, WrittenRouter, WrittenTraffic};
use flitwork_topology::Grid;
use toml::Spanned;

const EXACTLY_ONE: &str = "exactly one of [router.chaos], [router.greedy-hp] and [router.wormhole]";

/// The router, on a grid whose draws come from `seed`.
pub(super) fn mean(
    source: &Source<'_>,
    grid: &Grid,
    seed: u64,
    written: &Spanned<WrittenRouter>,
) -> Result<RouterParameters, ConfigError> {
    let router = written.get_ref();
    let tables = [
        router.chaos.as_ref().map(Spanned::span),
        router.greedy_hp.as_ref().map(Spanned::span),
        router.wormhole.as_ref().map(Spanned::span),
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
        let wormhole = wormhole::mean(source, grid, seed, wormhole)?;
        Ok(RouterParameters::Wormhole(Box::new(wormhole)))
    } else if router.greedy_hp.is_some() {
        Ok(RouterParameters::GreedyHp)
    } else {
        let error = source.error(Fault::Missing, &written.span(), "no router is named");
        Err(error.about("router").allowed_is(EXACTLY_ONE))
    }
}

/// Words a packet: those of the router, where it has but one length, or those of the traffic.
pub(super) fn packet_words(
    source: &Source<'_>,
    router: &RouterParameters,
    traffic: &WrittenTraffic,
) -> Result<u16, ConfigError> {
    const USUAL_WORDS: u16 = 4;
    const KEY: &str = "traffic.packet_words";
    let (Some(fixed), Some(given)) = (router.fixed_words(), &traffic.packet_words) else {
        let usual = router.fixed_words().unwrap_or(USUAL_WORDS);
        return Ok(super::or(&traffic.packet_words, usual));
    };
    if *given.get_ref() == fixed {
        return Ok(fixed);
    }
    let allowed = match router {
        RouterParameters::Chaos(_) => {
            format!("{fixed}, the router's packet_words: its packets have one length")
        }
        _ => format!("{fixed}: the router's packets have one length"),
    };
    Err(super::conflict(source, &given.span(), KEY, allowed))
}

/// Refuses packets that a router can't take.
pub(super) fn hold_words(
    source: &Source<'_>,
    router: &RouterParameters,
    written: &Spanned<WrittenRouter>,
    words: TrafficWords<'_>,
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
