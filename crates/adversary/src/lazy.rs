//! The permutation that GreedyHP is led to construct against itself (Chinn 1995, section 4.3).
//!
//! ```text
//!      1 … cn │ cn + 1, cn + 2, …     the first n - cn packets that enter one of these columns
//!     ────────┼──────────────────     (rows) are sent down it (along it) to its end
//!      cn + 1 │
//!      …      │        undecided ─▶ ■ the south-east corner
//! ```
//!
//! All packets start with the south-east corner of the box as their destination. When one of the first n - cn packets
//! enters column cn + i (row cn + i), its destination becomes the last node of that column (row). Of packets that enter it
//! in the same cycle, those count first that are reported first: word by word, those at nodes with smaller numbers.

use crate::nodes;
use flitwork_engine::Outcome;
use flitwork_network::Demand;
use flitwork_node::{Event, Instant, Reported};
use flitwork_topology::{Grid, Topology};
use flitwork_trace::Digest;
use flitwork_traffic::Once;
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port};
use std::collections::HashSet;

/// The destination of a committed packet in its column or row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The last node, as in the thesis's box.
    Shared,
    /// A node of its own: the last node for the first packet to arrive, the one before it for the second, and so on. A
    /// packet that enters no column or row with room goes to an otherwise unused node.
    Unique,
}

/// The result of a construction.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Source and destination of each packet.
    pub pairs: Vec<(NodeId, NodeId)>,
    /// The digest of the run.
    pub digest: Digest,
    /// How the run ended.
    pub outcome: Outcome,
}

/// The probe of a construction, which `run` returns as the run leaves it.
pub type Probe = (Digest, Committer);

/// A probe that commits destinations.
#[derive(Debug)]
pub struct Committer {
    grid: Grid,
    corner: u32,
    undecided: NodeId,
    ends: Ends,
    /// The number of packets that a column or row accepts.
    room: u32,
    /// The number of packets that each column, and each row, has accepted, by its index from 0.
    taken: [Vec<u32>; 2],
    destinations: Vec<NodeId>,
}

impl flitwork_node::Probe for Committer {
    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}

    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Interventions)
    }

    fn intervene(
        &mut self,
        packets: &mut Packets,
        node: NodeId,
        _: Cycle,
        (packet, port): (PacketRef, Port),
        when: Instant,
    ) {
        let packet = &mut packets[packet];
        if when != Instant::Decision || self.grid.home(packet.destination) != self.undecided {
            return;
        }
        let next = self
            .grid
            .neighbour(node, port)
            .expect("decisions are for links that exist");
        let (here, next) = (self.grid.coordinates(node), self.grid.coordinates(next));
        let axis = usize::from(next[1] != here[1]);
        let line = next[axis];
        if line < self.corner || self.taken[axis][line as usize] == self.room {
            return;
        }
        let taken = self.taken[axis][line as usize];
        self.taken[axis][line as usize] += 1;
        let sides = self.grid.sides();
        let mut destination = vec![0; sides.len()];
        destination[axis] = line;
        let way = if self.ends == Ends::Unique { taken } else { 0 };
        destination[1 - axis] = sides[1 - axis] - 1 - way;
        let destination = self.grid.node_at(&destination);
        packet.destination = nodes::terminal(&self.grid, destination);
        let source = self.grid.home(packet.id.source);
        let number = nodes::number(&self.grid, self.corner, source);
        self.destinations[number] = destination;
    }
}

/// Has `run` run the router on one packet per node of the corner of `grid`, a mesh, and commits destinations during the
/// run; `n` is the side of the mesh that contains the box.
pub fn construct(
    grid: &Grid,
    n: u32,
    corner: u32,
    ends: Ends,
    end: Cycle,
    run: impl FnOnce(Demand, Probe) -> (Outcome, Probe),
) -> Committed {
    let sides = grid.sides();
    let undecided = nodes::at(grid, [sides[0] - 1, sides[1] - 1]);
    let sources = (0..corner * corner).map(|number| nodes::of_corner(grid, corner, number));
    let sources: Vec<NodeId> = sources.collect();
    let pairs: Vec<_> = sources.iter().map(|source| (*source, undecided)).collect();
    let committer = Committer {
        grid: grid.clone(),
        corner,
        undecided,
        ends,
        room: n - corner,
        taken: [vec![0; sides[0] as usize], vec![0; sides[1] as usize]],
        destinations: vec![undecided; sources.len()],
    };
    let packets = Once::new(&nodes::packets(grid, &pairs));
    let demand = Demand::until(Box::new(packets), end);
    let (outcome, (digest, committer)) = run(demand, (Digest::default(), committer));
    let mut destinations = committer.destinations;
    if ends == Ends::Unique {
        make_unique(&mut destinations, undecided);
    }
    let pairs = sources.into_iter().zip(destinations).collect();
    Committed {
        pairs,
        digest,
        outcome,
    }
}

/// Gives each undecided packet, and each that shares its destination with an earlier one, a destination that no other
/// packet has, the last nodes first.
fn make_unique(destinations: &mut [NodeId], undecided: NodeId) {
    let mut taken: HashSet<NodeId> = HashSet::new();
    let shared: Vec<usize> = (0..destinations.len())
        .filter(|number| destinations[*number] == undecided || !taken.insert(destinations[*number]))
        .collect();
    let mut free = (0..=undecided.0)
        .rev()
        .map(NodeId)
        .filter(|node| !taken.contains(node));
    for number in shared {
        destinations[number] = free.next().expect("a mesh has more nodes than its corner");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_engine::Ended;
    use flitwork_node::Probe as _;
    use flitwork_traffic::{Owed, Tally};
    use flitwork_types::{Packet, PacketId};

    /// Packets of a corner of 3 x 3 nodes of a mesh of 6 x 6 that go from one node to the next.
    struct Moves {
        grid: Grid,
        packets: Packets,
        probe: Probe,
    }

    impl Moves {
        /// The packet of the corner's node with this number goes on.
        fn go(&mut self, number: u32, from: [u32; 2], to: [u32; 2]) {
            let at = |place: [u32; 2]| self.grid.node_at(&place);
            let (here, next) = (at(from), at(to));
            let links = self.grid.links(here);
            let mut ports = links.iter();
            let port = ports.find(|port| self.grid.neighbour(here, *port) == Some(next));
            let terminal = |place| nodes::terminal(&self.grid, at(place));
            let (source, destination) = (terminal([number % 3, number / 3]), terminal([5, 5]));
            let packet = self.packets.insert(Packet {
                id: PacketId { source, serial: 0 },
                destination,
                words: 1,
                ..Packet::default()
            });
            let port = port.expect("neighbours");
            let committer = &mut self.probe.1;
            let leaves = (packet, port);
            committer.intervene(
                &mut self.packets,
                here,
                Cycle::ZERO,
                leaves,
                Instant::Decision,
            );
        }
    }

    /// n - cn = 6 - 3 = 3 of the four packets that enter column 3 are sent to its end, and as many of those that enter row 3.
    /// The fourth of the row keeps its destination; that of the column enters column 4, which has room of its own. Within the
    /// corner nothing is committed.
    #[test]
    fn a_line_takes_the_first_packets_that_enter_it() {
        let grid = Grid::mesh(&[6, 6]).unwrap();
        let run = |_: Demand, probe: Probe| {
            let mut moves = Moves {
                grid: grid.clone(),
                packets: Packets::new(),
                probe,
            };
            moves.go(8, [1, 1], [2, 1]);
            for number in 0..4 {
                moves.go(number, [2, 0], [3, 0]);
                moves.go(number + 4, [0, 2], [0, 3]);
            }
            moves.go(3, [3, 0], [4, 0]);
            let outcome = Outcome {
                ended: Ended::Empty,
                cycle: Cycle::ZERO,
                steps: 0,
                backlog: 0,
                owed: Owed::default(),
                tally: Tally::default(),
                counted_until: None,
            };
            (outcome, moves.probe)
        };
        let committed = construct(&grid, 6, 3, Ends::Shared, Cycle::LAST, run);
        let pairs = committed.pairs.iter();
        let ends: Vec<_> = pairs.map(|(_, end)| grid.coordinates(*end)).collect();
        let (column, row, open) = ([3, 5], [5, 3], [5, 5]);
        let expected = [column, column, column, [4, 5], row, row, row, open, open];
        assert_eq!(ends, expected);
    }
}
