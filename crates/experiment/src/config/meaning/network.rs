//! `[network]`.

use super::{conflict, missing, or};
use crate::config::error::ConfigError;
use crate::config::resolved::NetworkParameters;
use crate::config::source::Source;
use crate::config::written::{Shape, WrittenNetwork};
use flitwork_topology::{Grid, GridError, MAX_NODES};
use toml::Spanned;

pub(super) fn mean(
    source: &Source<'_>,
    written: &Spanned<WrittenNetwork>,
) -> Result<NetworkParameters, ConfigError> {
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
    let grid = grid.map_err(|error| match error {
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
    })?;
    let link_latency_cycles = or(&written.link_latency_cycles, 1);
    Ok(NetworkParameters {
        grid,
        link_latency_cycles,
    })
}
