//! What patterns with one fixed destination per source share.

use super::{Pattern, PatternError, PatternParameters};
use crate::Draws;
use flitwork_topology::{Grid, Spread, Topology};
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

    fn spread(&self, source: TerminalId) -> Option<Spread> {
        let image = (self.0)(source);
        Some(Spread::to((image != source).then_some(image)))
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

/// A network whose nodes have coordinates, and its grid.
pub(super) struct WithCoordinates<'a> {
    topology: &'a dyn Topology,
    pub(super) grid: &'a Grid,
}

/// The network, for a pattern that uses coordinates.
pub(super) fn with_coordinates<P: PatternParameters>(
    topology: &dyn Topology,
) -> Result<WithCoordinates<'_>, PatternError> {
    let needs = "a mesh or a torus, whose nodes have coordinates";
    let grid = topology.grid();
    let grid = grid.ok_or_else(|| P::unsuited(needs, topology))?;
    Ok(WithCoordinates { topology, grid })
}

/// The pattern that adds `by` to every terminal's number, modulo their number.
pub(super) fn on_by(topology: &dyn Topology, by: u32) -> Box<dyn Pattern> {
    let terminals = u64::from(topology.terminals());
    mapped(move |source| TerminalId(((u64::from(source.0) + u64::from(by)) % terminals) as u32))
}

/// The pattern in which each terminal sends to the one at the same port of the image of its node.
pub(super) fn by_node(
    WithCoordinates { topology, grid }: WithCoordinates<'_>,
    image: impl Fn(NodeId) -> NodeId + Send + Sync + 'static,
) -> Box<dyn Pattern> {
    let of = move |source: TerminalId, topology: &dyn Topology| {
        let (node, port) = (image(topology.home(source)), topology.local_of(source));
        topology.terminal_at(node, port).unwrap_or(source)
    };
    if topology.locals() > 1 {
        let sources = (0..topology.terminals()).map(TerminalId);
        return listed_images(sources.map(|source| of(source, topology)).collect());
    }
    let grid = grid.clone();
    mapped(move |source| of(source, &grid))
}

/// The pattern that maps every coordinate without the others: `image` of a coordinate and its side.
pub(super) fn by_coordinate(
    network: WithCoordinates<'_>,
    image: impl Fn(u32, u32) -> u32 + Send + Sync + 'static,
) -> Box<dyn Pattern> {
    let sides = network.grid.sides();
    by_node(network, move |source| {
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
    network: WithCoordinates<'_>,
    by: impl Fn(u32) -> u32 + Send + Sync + 'static,
) -> Box<dyn Pattern> {
    by_coordinate(network, move |at, side| (at + by(side)) % side)
}
