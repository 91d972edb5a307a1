//! How many steps an instance takes at least, by any algorithm (Kaufmann and Sibeyn 1991, section 2).

use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;
use std::num::NonZeroU32;
use std::ops::Range;

/// Lower bounds of an instance, in steps: whatever an algorithm knows, and whichever ways its packets take.
///
/// A packet is a worm of some flits, of which a link carries one a step; all follow the first over the same links. Packets that
/// are where they go take no steps.
///
/// ```
/// use flitwork_steps::multi_packet::LowerBounds;
/// use flitwork_topology::Grid;
/// use flitwork_types::NodeId;
/// use std::num::NonZeroU32;
///
/// // All five packets of node 0 go to the other end of a line of four nodes: the last leaves in the fifth step at best.
/// let line = Grid::mesh(&[4]).unwrap();
/// let packets = [(NodeId(0), NodeId(3)); 5];
/// let bounds = LowerBounds::of(&line, packets, NonZeroU32::MIN);
/// // 5 · 3 crossings of 6 links, rounded up.
/// assert_eq!((bounds.distance, bounds.bisection, bounds.availability), (3, 5, 3));
/// assert_eq!(bounds.most(), 5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LowerBounds {
    /// How long the packet with the longest way takes if nothing delays it: its first flit as many steps as its distance has
    /// links, each other flit one more.
    pub distance: u64,
    /// How long the busiest link of any cut is busy, if the packets that have to go through the cut are shared out among its
    /// links as evenly as whole packets can be. On a mesh a cut is between two neighbouring coordinates of an axis. On a torus
    /// that doesn't part a ring: a cut is around ⌊n/2⌋ or ⌈n/2⌉ neighbouring coordinates of an axis of n, so that packets may
    /// leave them on either side. The links each way are cuts of their own.
    pub bisection: u64,
    /// How long all links are busy, if the links that all flits have to cross are shared out among them evenly. There are two
    /// between neighbours, one each way; four in a ring of two nodes, as [`Grid`] has them.
    pub availability: u64,
}

impl LowerBounds {
    /// The bounds for packets from some nodes to others, each of so many flits.
    ///
    /// # Panics
    /// If a packet is of a node that there isn't.
    pub fn of(
        grid: &Grid,
        packets: impl IntoIterator<Item = (NodeId, NodeId)>,
        flits: NonZeroU32,
    ) -> LowerBounds {
        let sides = grid.sides().into_iter();
        let mut axes: Vec<AxisCuts> = sides
            .map(|side| AxisCuts::new(side, grid.wraps()))
            .collect();
        let (mut farthest, mut sum) = (0, 0);
        for (from, to) in packets {
            let nodes = grid.nodes();
            assert!(
                from.0 < nodes && to.0 < nodes,
                "a packet from node {from} to node {to}, on a grid of {nodes} nodes"
            );
            let distance = u64::from(grid.distance(from, to));
            farthest = farthest.max(distance);
            sum += distance;
            let places = grid.coordinates(from).into_iter().zip(grid.coordinates(to));
            for (cuts, (from, to)) in axes.iter_mut().zip(places) {
                cuts.add(from, to);
            }
        }
        let flits = u64::from(flits.get());
        let nodes = (0..grid.nodes()).map(NodeId);
        let links: u64 = nodes.map(|node| grid.links(node).len() as u64).sum();
        let on_a_link = axes.iter().map(|cuts| {
            let lines = u64::from(grid.nodes() / cuts.side);
            cuts.most_packets().div_ceil(lines * cuts.links_a_line())
        });
        LowerBounds {
            distance: if farthest > 0 {
                farthest + flits - 1
            } else {
                0
            },
            bisection: on_a_link.max().unwrap_or(0) * flits,
            availability: (sum * flits).div_ceil(links),
        }
    }

    /// The greatest of the three: no run takes fewer steps.
    pub fn most(&self) -> u64 {
        self.distance.max(self.bisection).max(self.availability)
    }
}

/// The packets that have to go through each cut of an axis.
///
/// A cut parts the places of the axis. On a mesh it is numbered by the last place of its lower part; on a torus, by the last of
/// the arc of ⌊side/2⌋ places that it parts from the others.
struct AxisCuts {
    side: u32,
    wraps: bool,
    /// By cut: how many more packets go out of the lower part, or the arc, than at the cut before.
    out: Vec<i64>,
    /// The same of those that go in.
    into: Vec<i64>,
}

impl AxisCuts {
    fn new(side: u32, wraps: bool) -> AxisCuts {
        // Ranges of cuts that go around end in a second round.
        let cuts = if wraps { 2 * side } else { side } as usize;
        AxisCuts {
            side,
            wraps,
            out: vec![0; cuts],
            into: vec![0; cuts],
        }
    }

    /// The links each way through a cut, in each line of the axis.
    fn links_a_line(&self) -> u64 {
        if self.wraps { 2 } else { 1 }
    }

    /// A packet that goes from a place to another.
    fn add(&mut self, from: u32, to: u32) {
        let (out, into) = (self.parting(from, to), self.parting(to, from));
        for (more, cuts) in [(&mut self.out, out), (&mut self.into, into)] {
            more[cuts.start as usize] += 1;
            more[cuts.end as usize] -= 1;
        }
    }

    /// The cuts with one place in their lower part, or arc, and another beyond it.
    fn parting(&self, inside: u32, outside: u32) -> Range<u32> {
        if !self.wraps {
            return inside..outside.max(inside);
        }
        // An arc is no longer than half of the ring: one of its ends is on the shorter way from the inside to the outside.
        let upwards = (outside + self.side - inside) % self.side;
        let downwards = self.side - upwards;
        if upwards <= downwards {
            inside..inside + upwards
        } else {
            // These are the first places of such arcs: the last is ⌊side/2⌋ - 1 on.
            let last = (outside + 1) % self.side + self.side / 2 - 1;
            last..last + downwards
        }
    }

    /// The most packets that have to go through a cut in one direction.
    fn most_packets(&self) -> u64 {
        let most = [&self.out, &self.into].into_iter().flat_map(|more| {
            let mut packets = vec![0; self.side as usize];
            let mut sum = 0;
            for (cut, more) in more.iter().enumerate() {
                sum += more;
                packets[cut % self.side as usize] += sum;
            }
            packets
        });
        most.max().map_or(0, i64::unsigned_abs)
    }
}
