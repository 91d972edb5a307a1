//! Which lengths no schedule goes below.

use super::method::Ask;
use crate::exit::Exit;
use crate::problem::Net;
use flitwork_schedule::bounds::{BoundError, Limits, Model, fractional};
use flitwork_schedule::multistage::Paths;

/// Which schedules are compared: as the method's keys say.
pub(super) fn model(ask: &Ask) -> Model {
    Model {
        waiting: ask.settings.number("waiting").unwrap_or(0) as usize,
        paths: match ask.settings.is_true("detours") {
            true => Paths::Any,
            false => Paths::Shortest,
        },
    }
}

/// The fewest steps for packets that may be divided among paths.
pub(super) fn fractional_steps(ask: &Ask) -> Result<u32, Exit> {
    let (model, limits) = (model(ask), Limits::default());
    let bound = match &ask.net {
        Net::Grid(grid) => fractional(&**grid, &ask.requests, model, &limits),
        Net::Graph(graph) => fractional(&**graph, &ask.requests, model, &limits),
    };
    bound
        .map(|bound| bound.steps)
        .map_err(|error| refused(ask, error))
}

/// What has no bound.
pub(super) fn refused(ask: &Ask, error: BoundError) -> Exit {
    match error {
        BoundError::Node { packet, .. } | BoundError::Apart { packet } => {
            ask.wrong_packet(packet, error, "nodes with links from one to the other")
        }
        BoundError::Shared {
            packets: [_, packet],
            ..
        } => ask.wrong_packet(packet, error, "a permutation, or a part of one"),
        BoundError::Words { .. } | BoundError::Long { .. } => {
            ask.wrong_words(error, "fewer words: 1 by the product method")
        }
        BoundError::Size { limit, .. } => ask.refused(
            "problem",
            error,
            format!(
                "nodes times packets times steps up to {limit}; other methods have no such limit"
            ),
        ),
    }
}
