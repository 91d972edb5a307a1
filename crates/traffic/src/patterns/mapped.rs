//! What patterns with one fixed destination per source share.

use super::{Pattern, PatternError, PatternParameters};
use crate::Draws;
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, TerminalId};

/// Every source sends to its image; a source that is its own image is silent.
struct Mapped<Image>(Image);

impl<Image: Fn(TerminalId) -> TerminalId + Send + Sync> Pattern for Mapped<Image> {
    #[inline]
    fn destination(&self, source: TerminalId, _: &mut Draws) -> Option<TerminalId> {
        let image = (self.0)(source);
        (image != source).then_some(image)
    }

    #[inline]
    fn silent(&self, source: TerminalId) -> bool {
        (self.0)(source) == source
    }

    fn packets(&self, terminals: u32) -> Option<Vec<(TerminalId, TerminalId)>> {
        let sources = (0..terminals).map(TerminalId);
        Some(sources.map(|source| (source, (self.0)(source))).collect())
    }
}

/// The pattern in which every source sends to its image.
pub(super) fn mapped(
    image: impl Fn(TerminalId) -> TerminalId + Send + Sync + 'static,
) -> Box<dyn Pattern> {
    Box::new(Mapped(image))
}

/// The pattern in which sources send to the nodes listed, by source.
pub(super) fn listed_images(images: Vec<TerminalId>) -> Box<dyn Pattern> {
    mapped(move |source| images.get(source.index()).copied().unwrap_or(source))
}

/// The number of bits in a terminal's number, if the number of terminals is a power of two; at least 1.
pub(super) fn node_bits<P: PatternParameters>(
    topology: &dyn Topology,
) -> Result<u32, PatternError> {
    match topology.terminals() {
        terminals if terminals.is_power_of_two() => Ok(terminals.trailing_zeros()),
        _ => Err(P::unsuited("a power-of-two number of nodes", topology)),
    }
}

/// The grid, for a pattern that uses coordinates.
pub(super) fn with_coordinates<P: PatternParameters>(
    topology: &dyn Topology,
) -> Result<&Grid, PatternError> {
    let needs = "a mesh or a torus, whose nodes have coordinates";
    topology.grid().ok_or_else(|| P::unsuited(needs, topology))
}

/// The pattern in which each terminal sends to the one at the same port of the image of its node.
pub(super) fn by_node(
    grid: &Grid,
    image: impl Fn(NodeId) -> NodeId + Send + Sync + 'static,
) -> Box<dyn Pattern> {
    let grid = grid.clone();
    mapped(move |source| {
        let (node, port) = (image(grid.home(source)), grid.local_of(source));
        grid.terminal_at(node, port).unwrap_or(source)
    })
}

/// The pattern that maps every coordinate without the others: `image` of a coordinate and its side.
pub(super) fn by_coordinate(
    grid: &Grid,
    image: impl Fn(u32, u32) -> u32 + Send + Sync + 'static,
) -> Box<dyn Pattern> {
    let sides = grid.sides();
    by_node(grid, move |source| {
        let (mut rest, mut stride, mut destination) = (source.0, 1, 0);
        for side in &sides {
            destination += image(rest % side, *side) * stride;
            rest /= side;
            stride *= side;
        }
        NodeId(destination)
    })
}

/// The pattern that adds `by(side)` to every coordinate, modulo its side.
pub(super) fn shifted(
    grid: &Grid,
    by: impl Fn(u32) -> u32 + Send + Sync + 'static,
) -> Box<dyn Pattern> {
    by_coordinate(grid, move |at, side| (at + by(side)) % side)
}
