//! The permutation that GreedyHP is made to build against itself (Chinn 1995, section 4.3).
//!
//! All packets set out for the south-east corner of the box. As a packet enters column cn + i (row cn + i)
//! its destination becomes the last node of that column (row), for the first n - cn packets that do.

use flitwork_engine::{Control, Fast, Outcome};
use flitwork_network::{Load, Network};
use flitwork_node::{Event, Probe, Streamed};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::Once;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port};

/// What a construction leaves.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Source and destination of each packet.
    pub pairs: Vec<(NodeId, NodeId)>,
    /// The digest of the run.
    pub digest: Digest,
    /// How the run ended.
    pub outcome: Outcome,
}

/// A probe that commits destinations.
struct Committer<'a> {
    grid: &'a Grid,
    corner: u32,
    undecided: NodeId,
    /// How many packets each column, and each row, can still take, by its number counted from 1.
    room: [Vec<u32>; 2],
    destinations: Vec<NodeId>,
}

impl Probe for Committer<'_> {
    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}

    fn scheduled(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        _: Cycle,
        packet: PacketRef,
        port: Port,
    ) {
        let packet = &mut packets[packet];
        if packet.destination != self.undecided {
            return;
        }
        let next = self.grid.neighbour(node, port).expect("decisions are for links that exist");
        let (here, next) = (self.grid.coordinates(node), self.grid.coordinates(next));
        let axis = usize::from(next[1] != here[1]);
        let line = next[axis];
        if line < self.corner || self.room[axis][line as usize] == 0 {
            return;
        }
        self.room[axis][line as usize] -= 1;
        let sides = self.grid.sides();
        let mut destination = [sides[0] - 1, sides[1] - 1];
        destination[axis] = line;
        packet.destination = self.grid.node_at(&destination);
        let number = source_number(self.grid, self.corner, packet.id.source);
        self.destinations[number] = packet.destination;
    }
}

fn source_number(grid: &Grid, corner: u32, source: NodeId) -> usize {
    let at = grid.coordinates(source);
    (at[1] * corner + at[0]) as usize
}

/// Runs the router on one packet a node of the corner of `network`, a mesh, and commits destinations as
/// it goes; `n` is the side of the mesh that the box is cut from.
pub fn construct<R: Streamed>(
    network: &Network<Grid, R>,
    n: u32,
    corner: u32,
    end: Cycle,
    control: Control<'_>,
) -> Committed {
    let grid = &network.topology;
    let sides = grid.sides();
    let undecided = grid.node_at(&[sides[0] - 1, sides[1] - 1]);
    let sources: Vec<NodeId> = (0..corner * corner)
        .map(|number| grid.node_at(&[number % corner, number / corner]))
        .collect();
    let pairs: Vec<_> = sources.iter().map(|source| (*source, undecided)).collect();
    let room = sides[..2].iter().map(|side| vec![n - corner; *side as usize]);
    let room: Vec<Vec<u32>> = room.collect();
    let committer = Committer {
        grid,
        corner,
        undecided,
        room: room.try_into().expect("a plane has two axes"),
        destinations: vec![undecided; sources.len()],
    };
    let load = Load::until(Box::new(Once::new(&pairs)), end);
    let mut run = Fast::new(network, load, (Digest::default(), committer));
    let outcome = run.run(control);
    let (digest, committer) = run.into_probe();
    let pairs = sources.into_iter().zip(committer.destinations).collect();
    Committed { pairs, digest, outcome }
}
