//! A problem's network and figures, as the algorithms see them.

use super::algorithm::Algorithm;
use crate::leg::Leg;
use crate::unfit::{Misfit, Unfit};
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::draws::{below, split_mix};
use flitwork_types::{NodeId, Port};

/// What an algorithm is to route: n, d, k and L of the paper, and what random draws come from.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The side of the mesh or torus, n.
    pub n: u32,
    /// Its dimensions, d.
    pub d: usize,
    /// Whether it is a torus.
    pub wraps: bool,
    /// The packets that a node sends at most, k.
    pub k: u32,
    /// The farthest that a packet has to go in one dimension, L.
    pub locality: u32,
    /// The flits of a packet.
    pub flits: u32,
    /// What all random draws come from.
    pub seed: u64,
    /// By axis: the ports to the next greater and the next lesser coordinate.
    ports: Vec<[Port; 2]>,
    /// By axis: how far apart the numbers of neighbours are.
    strides: Vec<u32>,
}

/// Which of several independent draws of a packet it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Its colour.
    Colour,
    /// Its level.
    Level,
    /// The place that its leg of this number leads to.
    Place(u32),
    /// Which way around a ring that leg leads, where both are as long.
    Tie(u32),
}

impl Draw {
    fn number(self) -> u64 {
        match self {
            Draw::Colour => 0,
            Draw::Level => 1,
            Draw::Place(leg) => 2 + 2 * u64::from(leg),
            Draw::Tie(leg) => 3 + 2 * u64::from(leg),
        }
    }
}

impl Setting {
    /// Refuses a network on which an algorithm doesn't route.
    ///
    /// # Errors
    /// An [`Unfit`].
    pub fn check_network<A: Algorithm>(shape: &Shape) -> Result<&Grid, Unfit> {
        let Some(grid) = shape.grid() else {
            return Err(Unfit::problem(
                Misfit::Topology,
                "a graph",
                "a mesh or a torus",
            ));
        };
        let sides = grid.sides();
        let is_square = sides.iter().all(|side| *side == sides[0]);
        if !is_square || !(A::ANY_DIMENSIONS || sides.len() == 2) {
            let allowed = match A::ANY_DIMENSIONS {
                true => "equal sides",
                false => "two equal sides",
            };
            return Err(Unfit::problem(
                Misfit::Sides,
                format!("sides {sides:?}"),
                allowed,
            ));
        }
        Ok(grid)
    }

    /// That of a problem.
    ///
    /// # Errors
    /// Those of [`Setting::check_network`].
    pub fn new<A: Algorithm>(
        shape: &Shape,
        problem: &[(NodeId, NodeId)],
        flits: u32,
        seed: u64,
    ) -> Result<Setting, Unfit> {
        let grid = Setting::check_network::<A>(shape)?;
        if flits > 1 && !A::HAS_WORMS {
            let allowed = "1, but for nowrap and wrap: the paper has no worms for others";
            return Err(Unfit::key("flits", flits, allowed));
        }
        let sides = grid.sides();
        let (n, d) = (sides[0], sides.len());
        let strides: Vec<u32> = (0..d as u32).map(|axis| n.pow(axis)).collect();
        let ports = strides.iter().enumerate().map(|(axis, stride)| {
            let mut ports = (0..grid.ports()).map(|port| Port(port as u8));
            let up = ports.find(|port| {
                let next = grid.neighbour(NodeId(0), *port);
                grid.dimension(*port) == axis && next == Some(NodeId(*stride))
            });
            let up = up.unwrap_or(Port(0));
            [up, grid.opposite(up)]
        });
        let mut sent = vec![0u32; grid.nodes() as usize];
        let mut locality = 0;
        for (from, to) in problem {
            sent[from.index()] += 1;
            let along = (0..d).map(|axis| grid.distance_in(axis, *from, *to));
            locality = along.fold(locality, u32::max);
        }
        Ok(Setting {
            n,
            d,
            wraps: grid.wraps(),
            k: sent.into_iter().max().unwrap_or(0),
            locality,
            flits,
            seed,
            ports: ports.collect(),
            strides,
        })
    }

    /// A draw of a packet, by its number: from 0 to `bound` - 1.
    pub fn draw(&self, packet: u32, draw: Draw, bound: u32) -> u32 {
        let of_packet = split_mix(self.seed ^ u64::from(packet) << 32);
        below(split_mix(of_packet ^ draw.number()), bound.into()) as u32
    }

    /// The coordinate of a node along an axis.
    #[inline]
    pub fn coordinate(&self, node: NodeId, axis: usize) -> u32 {
        node.0 / self.strides[axis] % self.n
    }

    /// The node at another coordinate of the same line.
    #[inline]
    pub(super) fn along(&self, node: NodeId, axis: usize, to: u32) -> NodeId {
        let from = self.coordinate(node, axis);
        NodeId(node.0 + to * self.strides[axis] - from * self.strides[axis])
    }

    /// The axis along which a port leads, and whether coordinates grow there.
    pub(super) fn direction(&self, port: Port) -> (usize, bool) {
        let axis = self.ports.iter().position(|both| both.contains(&port));
        let axis = axis.unwrap_or(0);
        (axis, self.ports[axis][0] == port)
    }

    /// How far two coordinates of an axis are apart.
    #[inline]
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        let apart = from.abs_diff(to);
        match self.wraps {
            true => apart.min(self.n - apart),
            false => apart,
        }
    }

    /// The leg from a node to a coordinate of an axis, by a shortest way; `tie` says whether coordinates grow where both ways
    /// around a ring are as long.
    pub(super) fn leg(
        &self,
        node: NodeId,
        (axis, to): (usize, u32),
        tie: impl FnOnce() -> bool,
    ) -> Leg {
        let from = self.coordinate(node, axis);
        let links = self.distance(from, to);
        let up = (to + self.n - from) % self.n;
        let grows = match self.wraps {
            true if 2 * links == self.n => tie(),
            true => up == links,
            false => to > from,
        };
        Leg {
            goal: self.along(node, axis, to),
            port: self.ports[axis][usize::from(!grows)],
            links,
            crossed: 0,
            beyond: 0,
            stage: 0,
        }
    }

    /// k n, the packets of a line.
    pub fn of_line(&self) -> f64 {
        f64::from(self.k) * f64::from(self.n)
    }

    /// ln n.
    pub fn ln_n(&self) -> f64 {
        f64::from(self.n).ln()
    }
}
