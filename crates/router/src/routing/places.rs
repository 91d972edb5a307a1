//! The positions of a grid's nodes, and the direction from one to another along a dimension.

use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::{NodeId, Port};

/// Which way a coordinate has to change on a shortest path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bearing {
    /// Not at all.
    Here,
    /// Towards 0, or on a torus past it.
    Towards,
    /// Away from 0, or on a torus past the end.
    Away,
    /// Both ways are equally long: half of a ring of even side.
    Either,
}

/// One dimension.
#[derive(Clone, Copy, Debug)]
struct Axis {
    side: u32,
    stride: u32,
    /// Towards 0, and away from it.
    ports: [Port; 2],
}

/// A grid with a table of all coordinates.
#[derive(Clone, Debug)]
pub(super) struct Places {
    wraps: bool,
    axes: Box<[Axis]>,
    /// Node by node, one for each dimension.
    coordinates: Box<[u32]>,
    /// For each port, its dimension.
    axis_of: Box<[u8]>,
}

/// The ports of a dimension, towards 0 and away from it.
pub(crate) fn ports_of(axis: usize, dimensions: usize) -> (Port, Port) {
    // The numbers of ports depend only on the number of dimensions, so they can be read from a grid that is a
    // line of three nodes along this one.
    let mut sides = vec![1; dimensions];
    sides[axis] = 3;
    let line = Grid::mesh(&sides).expect("a line of three nodes is a grid");
    let towards = |port: &Port| line.neighbour(NodeId(1), *port) == Some(NodeId(0));
    let ports = line.links(NodeId(1));
    let towards = ports.iter().find(towards);
    let towards = towards.expect("the node in the middle has two neighbours");
    (towards, line.opposite(towards))
}

impl Places {
    /// Those of a network that a routing function is built for which needs coordinates.
    ///
    /// # Panics
    /// If its nodes have none: such a function isn't defined there.
    pub(super) fn of(shape: &Shape) -> Places {
        Places::new(shape.grid().expect("it is defined on grids alone"))
    }

    pub(super) fn new(grid: &Grid) -> Places {
        let sides = grid.sides();
        let mut axes = Vec::new();
        let mut axis_of = vec![0; grid.ports()].into_boxed_slice();
        let mut stride = 1;
        for (axis, side) in sides.iter().enumerate() {
            let (towards, away) = ports_of(axis, sides.len());
            axes.push(Axis {
                side: *side,
                stride,
                ports: [towards, away],
            });
            axis_of[towards.index()] = axis as u8;
            axis_of[away.index()] = axis as u8;
            stride *= side;
        }
        let nodes = (0..grid.nodes()).map(NodeId);
        Places {
            wraps: grid.wraps(),
            axes: axes.into(),
            coordinates: nodes.flat_map(|node| grid.coordinates(node)).collect(),
            axis_of,
        }
    }

    /// Whether the grid is a torus.
    #[inline]
    pub(super) fn wraps(&self) -> bool {
        self.wraps
    }

    #[inline]
    pub(super) fn dimensions(&self) -> usize {
        self.axes.len()
    }

    #[inline]
    pub(super) fn nodes(&self) -> u32 {
        (self.coordinates.len() / self.axes.len()) as u32
    }

    /// The coordinates of a node.
    #[inline(always)]
    pub(super) fn place(&self, node: NodeId) -> &[u32] {
        let dimensions = self.axes.len();
        &self.coordinates[node.index() * dimensions..][..dimensions]
    }

    #[inline]
    pub(super) fn coordinate(&self, node: NodeId, axis: usize) -> u32 {
        self.coordinates[node.index() * self.axes.len() + axis]
    }

    /// The port of a dimension, away from 0 or towards it.
    #[inline]
    pub(super) fn port(&self, axis: usize, away: bool) -> Port {
        self.axes[axis].ports[usize::from(away)]
    }

    /// The dimension of a link port.
    #[inline]
    pub(super) fn axis_of(&self, port: Port) -> usize {
        usize::from(self.axis_of[port.index()])
    }

    /// The direction from `here` to `target` along a dimension.
    #[inline]
    pub(super) fn bearing(&self, axis: usize, here: NodeId, target: NodeId) -> Bearing {
        self.way(
            axis,
            self.coordinate(here, axis),
            self.coordinate(target, axis),
        )
    }

    /// The same from one coordinate to another.
    #[inline(always)]
    pub(super) fn way(&self, axis: usize, from: u32, to: u32) -> Bearing {
        if from == to {
            return Bearing::Here;
        }
        if !self.wraps {
            return if to > from {
                Bearing::Away
            } else {
                Bearing::Towards
            };
        }
        let side = self.axes[axis].side;
        let away = if to > from {
            to - from
        } else {
            to + side - from
        };
        match away.cmp(&(side - away)) {
            std::cmp::Ordering::Less => Bearing::Away,
            std::cmp::Ordering::Equal => Bearing::Either,
            std::cmp::Ordering::Greater => Bearing::Towards,
        }
    }

    /// The node `steps` away from `node` along a dimension; `steps` is less than its side.
    #[inline]
    pub(super) fn moved(&self, node: NodeId, axis: usize, away: bool, steps: u32) -> NodeId {
        let from = self.coordinate(node, axis);
        let Axis { side, stride, .. } = self.axes[axis];
        let ahead = if away { steps } else { side - steps };
        let to = if from + ahead >= side {
            from + ahead - side
        } else {
            from + ahead
        };
        NodeId(node.0 - from * stride + to * stride)
    }

    /// Steps from `here` to `target` along a dimension in one direction.
    #[inline]
    pub(super) fn steps(&self, axis: usize, away: bool, here: NodeId, target: NodeId) -> u32 {
        let (from, to) = (self.coordinate(here, axis), self.coordinate(target, axis));
        let (low, high) = if away { (from, to) } else { (to, from) };
        if high >= low {
            high - low
        } else {
            high + self.axes[axis].side - low
        }
    }

    /// Whether the path from `here` to `target` in one direction crosses the link between the ends.
    #[inline]
    pub(super) fn wraps_between(
        &self,
        axis: usize,
        away: bool,
        here: NodeId,
        target: NodeId,
    ) -> bool {
        let (from, to) = (self.coordinate(here, axis), self.coordinate(target, axis));
        if away { to < from } else { to > from }
    }

    /// Whether a packet that arrived at `here` in one direction crossed the link between the ends.
    #[inline]
    pub(super) fn has_just_wrapped(&self, axis: usize, away: bool, here: NodeId) -> bool {
        let last = if away { 0 } else { self.axes[axis].side - 1 };
        self.wraps && self.coordinate(here, axis) == last
    }

    /// The ports that bring a packet closer to `target`, by dimension.
    #[inline]
    pub(super) fn for_each_productive(
        &self,
        here: NodeId,
        target: NodeId,
        mut each: impl FnMut(Port),
    ) {
        for axis in 0..self.dimensions() {
            match self.bearing(axis, here, target) {
                Bearing::Here => {}
                Bearing::Towards => each(self.port(axis, false)),
                Bearing::Away => each(self.port(axis, true)),
                Bearing::Either => {
                    each(self.port(axis, false));
                    each(self.port(axis, true));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_types::PortSet;

    fn grids() -> Vec<Grid> {
        let sides: [&[u32]; 8] = [
            &[2],
            &[7],
            &[2, 2],
            &[5, 3],
            &[4, 1],
            &[3, 4, 2],
            &[1, 2, 1, 3],
            &[2, 3, 2, 3],
        ];
        let meshes = sides.iter().map(|sides| Grid::mesh(sides).unwrap());
        let tori = sides.iter().filter_map(|sides| Grid::torus(sides).ok());
        meshes.chain(tori).collect()
    }

    #[test]
    fn ports_lead_along_their_dimension() {
        for grid in grids() {
            let places = Places::new(&grid);
            for node in (0..grid.nodes()).map(NodeId) {
                for axis in 0..places.dimensions() {
                    for away in [false, true] {
                        let port = places.port(axis, away);
                        assert_eq!(places.axis_of(port), axis);
                        let Some(next) = grid.neighbour(node, port) else {
                            continue;
                        };
                        assert_eq!(places.moved(node, axis, away, 1), next, "{grid:?} {node}");
                        let (from, to) =
                            (places.coordinate(node, axis), places.coordinate(next, axis));
                        let wrapped = if away { to < from } else { to > from };
                        assert_eq!(places.has_just_wrapped(axis, away, next), wrapped);
                    }
                }
            }
        }
    }

    #[test]
    fn bearings_agree_with_the_grid() {
        for grid in grids() {
            let places = Places::new(&grid);
            for here in (0..grid.nodes()).map(NodeId) {
                for target in (0..grid.nodes()).map(NodeId) {
                    let mut ports = PortSet::EMPTY;
                    places.for_each_productive(here, target, |port| ports.insert(port));
                    assert_eq!(ports, grid.productive(here, target), "{grid:?}");
                    let mut at = here;
                    for axis in 0..places.dimensions() {
                        let away = places.bearing(axis, here, target) != Bearing::Towards;
                        let steps = places.steps(axis, away, here, target);
                        let mut wrapped = false;
                        for _ in 0..steps {
                            at = grid.neighbour(at, places.port(axis, away)).unwrap();
                            wrapped |= places.has_just_wrapped(axis, away, at);
                        }
                        let expected = places.wraps_between(axis, away, here, target);
                        assert_eq!(wrapped, expected, "{grid:?} {here} {target}");
                    }
                    assert_eq!(at, target);
                }
            }
        }
    }
}
