//! `[network]`.

use super::{conflict, missing, or};
use crate::config::drawn::Pace;
use crate::config::error::{ConfigError, Fault};
use crate::config::keys::MAX_LINK_WORDS;
use crate::config::resolved::{NetworkParameters, SYNCHRONIZER_EDGES, usual_capacity_words};
use crate::config::source::Source;
use crate::config::written::{Shape, WrittenNetwork};
use crate::machine::AnyRouter;
use flitwork_network::LinkTiming;
use flitwork_topology::{Grid, GridError, MAX_NODES};
use std::ops::Range;
use toml::Spanned;

/// What the links' timing depends on.
pub(super) struct Timing<'a> {
    /// What sends over them.
    pub(super) router: &'a AnyRouter,
    /// The nominal period, in ps.
    pub(super) period_ps: u64,
    /// How fast and how slowly nodes step.
    pub(super) pace: Pace,
    /// Where the clocks are described.
    pub(super) clocks: Option<Range<usize>>,
}

/// The network's shape.
pub(super) fn grid(
    source: &Source<'_>,
    written: &Spanned<WrittenNetwork>,
) -> Result<Grid, ConfigError> {
    let (span, written) = (written.span(), written.get_ref());
    let shape = written.topology.as_ref();
    let shape = shape.ok_or_else(|| missing(source, &span, "network.topology"))?;
    let given = written.sides.as_ref();
    let given = given.ok_or_else(|| missing(source, &span, "network.sides"))?;
    let sides: Vec<u32> = given.get_ref().iter().map(|side| *side.get_ref()).collect();
    let grid = match shape.get_ref() {
        Shape::Mesh => Grid::mesh(&sides),
        Shape::Torus => Grid::torus(&sides),
    };
    grid.map_err(|error| match error {
        GridError::Side {
            dimension, least, ..
        } => {
            let span = given
                .get_ref()
                .get(dimension)
                .map_or(given.span(), Spanned::span);
            let key = format!("network.sides[{dimension}]");
            let allowed = format!(
                "{least} or more nodes (on a torus a side of 1 would link a node to itself)"
            );
            conflict(source, &span, &key, allowed)
        }
        GridError::Nodes(found) => {
            let found = if found == u128::MAX {
                "far more".into()
            } else {
                found.to_string()
            };
            let allowed = format!("2 to {MAX_NODES} nodes; these sides have {found}");
            conflict(source, &given.span(), "network.sides", allowed)
        }
        GridError::Dimensions(_) => {
            conflict(source, &given.span(), "network.sides", error.to_string())
        }
    })
}

/// The network with its links.
pub(super) fn mean(
    source: &Source<'_>,
    grid: Grid,
    written: &WrittenNetwork,
    timing: &Timing<'_>,
) -> Result<NetworkParameters, ConfigError> {
    let link_latency_cycles = or(&written.link_latency_cycles, 1);
    let usual_ps = u64::from(link_latency_cycles) * timing.period_ps;
    let latency_ps = or(&written.link_latency_ps, usual_ps);
    let synchronizer_edges = or(&written.synchronizer_edges, SYNCHRONIZER_EDGES);
    let least = timing.pace.round_trip_words(latency_ps, synchronizer_edges);
    let bufferless = timing.router.facts().is_bufferless;
    let words = timing.router.words_ahead();
    let usual = usual_capacity_words(words, least);
    let capacity_words = or(&written.link_capacity_words, usual);
    if bufferless && u64::from(capacity_words) < least {
        return Err(stalls(source, written, timing, least));
    }
    Ok(NetworkParameters {
        grid,
        link_latency_cycles,
        links: LinkTiming {
            latency_ps,
            capacity_words,
            synchronizer_edges,
        },
    })
}

/// The mistake of links that can't carry what a router without buffers puts on them in each cycle.
fn stalls(
    source: &Source<'_>,
    written: &WrittenNetwork,
    timing: &Timing<'_>,
    least: u64,
) -> ConfigError {
    const KEY: &str = "network.link_capacity_words";
    let reason = "a link must hold the words of a round trip, or a router without buffers stands still for good";
    if let Some(given) = &written.link_capacity_words
        && least <= MAX_LINK_WORDS
    {
        let allowed = format!("{least} to {MAX_LINK_WORDS}: {reason}");
        return conflict(source, &given.span(), KEY, allowed);
    }
    let latency = written.link_latency_ps.as_ref().map(Spanned::span);
    let capacity = written.link_capacity_words.as_ref().map(Spanned::span);
    let found = format!("{KEY} would be at least {least}");
    let error = match latency.or(timing.clocks.clone()).or(capacity) {
        Some(span) => source.error(Fault::Conflict, &span, found),
        None => source.error_in_file(Fault::Conflict, found),
    };
    error
        .about(KEY)
        .allowed_is(format!("at most {MAX_LINK_WORDS}: {reason}"))
}
