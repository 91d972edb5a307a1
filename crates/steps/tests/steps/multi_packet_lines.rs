//! Lines and rings of Kaufmann and Sibeyn 1991, section 5: the lemmas against the machine.
//!
//! Problems have packets both ways at once, which don't meet on any link. Those that go half of a ring go to the right: of two
//! ways around, dimension order takes the lower port.

mod adversary;

use flitwork_steps::multi_packet::{
    line_any_order_steps, line_farthest_first_steps, ring_any_order_steps,
    ring_farthest_first_steps,
};
use flitwork_steps::rules::{
    DimensionOrder, FarthestFirst, Fifo, Fixed, Lifo, Link, NearestFirst, Order, Random,
};
use flitwork_steps::{Distances, Machine, Nobody, Seen, Store};
use flitwork_topology::Grid;
use flitwork_types::draws::{below, split_mix};
use flitwork_types::{NodeId, Port};

/// Packets, by the nodes where they begin and end.
pub(super) type Packets = Vec<(u32, u32)>;

/// A line or ring.
#[derive(Clone, Copy, Debug)]
struct Row {
    nodes: u32,
    wraps: bool,
}

impl Row {
    fn line(nodes: u32) -> Row {
        Row {
            nodes,
            wraps: false,
        }
    }

    fn ring(nodes: u32) -> Row {
        Row { nodes, wraps: true }
    }

    fn grid(self) -> Grid {
        let sides = [self.nodes];
        let grid = if self.wraps {
            Grid::torus(&sides)
        } else {
            Grid::mesh(&sides)
        };
        grid.unwrap()
    }

    /// Whether a packet goes to the right: on a ring, if that way isn't longer.
    fn is_right(self, (from, to): (u32, u32)) -> bool {
        if self.wraps {
            let right = (to + self.nodes - from) % self.nodes;
            0 < right && right <= self.nodes / 2
        } else {
            from < to
        }
    }

    /// Packets that go to the right, and the mirror image of those that go to the left.
    fn directions(self, packets: &[(u32, u32)]) -> [Packets; 2] {
        let moving = packets.iter().copied().filter(|(from, to)| from != to);
        let (right, left): (Packets, Packets) = moving.partition(|it| self.is_right(*it));
        let last = self.nodes - 1;
        let mirrored = left.iter().map(|(from, to)| (last - from, last - to));
        [right, mirrored.collect()]
    }

    /// Packets to the right as functions of rings take them: where each begins, and how far it goes.
    fn ways(self, right: &[(u32, u32)]) -> impl Iterator<Item = (u32, u32)> {
        let links = move |(from, to)| (to + self.nodes - from) % self.nodes;
        right.iter().map(move |it| (it.0, links(*it)))
    }

    /// By Lemma 2 or 7.
    fn farthest_first(self, right: &[(u32, u32)]) -> u64 {
        if self.wraps {
            ring_farthest_first_steps(self.nodes, self.ways(right))
        } else {
            line_farthest_first_steps(self.nodes, right.iter().copied())
        }
    }

    /// By Lemma 4 or 10.
    fn any_order(self, right: &[(u32, u32)]) -> u64 {
        if self.wraps {
            ring_any_order_steps(self.nodes, self.ways(right))
        } else {
            line_any_order_steps(self.nodes, right.iter().copied())
        }
    }

    /// The steps of packets to the right and of those to the left, by the machine.
    fn steps<O: Order>(self, grid: &Grid, order: O, packets: &[(u32, u32)]) -> [u64; 2] {
        let rule = DimensionOrder {
            order,
            inqueue: Fixed,
        };
        let node = |(from, to): &(u32, u32)| (NodeId(*from), NodeId(*to));
        let problem: Vec<_> = packets.iter().map(node).collect();
        let mut machine = Machine::new(grid, &rule, Store::Unbounded, &problem).unwrap();
        while !machine.is_done() {
            machine.step(&mut Nobody);
        }
        let mut last = [0, 0];
        for (packet, way) in machine.packets().iter().zip(packets) {
            let last = &mut last[usize::from(!self.is_right(*way))];
            *last = (*last).max(packet.arrived.into());
        }
        last
    }
}

/// Numbers that look random, of a seed.
pub(super) struct Draws(pub(super) u64);

impl Draws {
    /// A number from `least` to `most`.
    fn between(&mut self, least: u32, most: u32) -> u32 {
        self.0 = self.0.wrapping_add(1);
        let bits = split_mix(split_mix(self.0));
        least + below(bits, u64::from(most - least) + 1) as u32
    }

    /// One of `size` nodes from the node `least` on, around the end.
    fn near(&mut self, nodes: u32, (least, size): (u32, u32)) -> u32 {
        (least + self.between(0, size - 1)) % nodes
    }

    /// Packets on a row: they begin close together, or end so, or neither or both.
    pub(super) fn packets(&mut self, nodes: u32, most: u32) -> Packets {
        let [from, to] = [(); 2].map(|()| (self.between(0, nodes - 1), self.between(1, nodes)));
        let count = self.between(0, most);
        let pair = |_| (self.near(nodes, from), self.near(nodes, to));
        (0..count).map(pair).collect()
    }
}

/// Rows of 2 to 16 nodes with up to 24 packets, by their seeds.
fn each_random(wraps: bool, count: u64, mut each: impl FnMut(u64, Row, &Grid, &Packets)) {
    let rows: Vec<_> = (2..=16)
        .map(|nodes| Row { nodes, wraps })
        .map(|row| (row, row.grid()))
        .collect();
    for seed in 0..count {
        let mut draws = Draws(seed << 16);
        let (row, grid) = &rows[draws.between(0, rows.len() as u32 - 1) as usize];
        each(seed, *row, grid, &draws.packets(row.nodes, 24));
    }
}

/// Holds the machine to Lemmas 2 and 7.
fn hold_exactly(row: Row, grid: &Grid, packets: &[(u32, u32)], seed: Option<u64>) {
    let expected = row.directions(packets).map(|it| row.farthest_first(&it));
    let steps = row.steps(grid, FarthestFirst, packets);
    assert_eq!(steps, expected, "seed {seed:?}: {row:?}, {packets:?}");
}

#[test]
fn a_line_takes_the_steps_of_lemma_2() {
    each_random(false, 20_000, |seed, row, grid, packets| {
        hold_exactly(row, grid, packets, Some(seed));
    });
}

#[test]
fn a_ring_takes_the_steps_of_lemma_7() {
    each_random(true, 20_000, |seed, row, grid, packets| {
        hold_exactly(row, grid, packets, Some(seed));
    });
}

/// Packets of every node to every node, each list of up to four in each order.
#[test]
fn four_nodes_with_up_to_four_packets_take_the_steps_of_lemmas_2_and_7() {
    for row in [Row::line(4), Row::ring(4)] {
        let grid = row.grid();
        let mut lists = 0;
        for count in 0..=4 {
            for number in 0..16_u32.pow(count) {
                let pair = |place| number >> (4 * place) & 15;
                let pairs = (0..count).map(|place| (pair(place) / 4, pair(place) % 4));
                hold_exactly(row, &grid, &pairs.collect::<Packets>(), None);
                lists += 1;
            }
        }
        assert_eq!(lists, 1 + 16 + 256 + 4096 + 65536);
    }
}

#[test]
fn long_rows_with_thousands_of_packets_take_the_steps_of_lemmas_2_and_7() {
    for row in [Row::line(128), Row::ring(128), Row::ring(127)] {
        let grid = row.grid();
        for seed in 0..4 {
            let mut draws = Draws(seed << 16);
            let packets: Packets = (0..2000)
                .map(|_| [(); 2].map(|()| draws.between(0, row.nodes - 1)).into())
                .collect();
            hold_exactly(row, &grid, &packets, Some(seed));
        }
    }
}

/// By an order of all packets that a table gives: packets with the same beginning and end are alike.
#[derive(Clone, Debug, Default, PartialEq)]
struct Table {
    nodes: u32,
    ranks: Vec<u32>,
}

impl Table {
    fn new(nodes: u32, draws: &mut Draws) -> Table {
        let ranks = (0..nodes * nodes).map(|_| draws.between(0, u32::MAX));
        Table {
            nodes,
            ranks: ranks.collect(),
        }
    }
}

impl Order for Table {
    const NAME: &'static str = "table";
    const HELP: &'static str = "dimension order by a table of packets";

    type Sight = Distances;

    fn rank<P>(&self, link: &Link, packet: &Seen<'_, Distances, P>) -> u64 {
        let (nodes, links) = (self.nodes, packet.to_go.links());
        // To the right by the lower port.
        let is_right = packet.productive.contains(Port(0));
        let links = if is_right { links } else { nodes - links };
        let to = (link.node.0 + links) % nodes;
        self.ranks[(packet.source.0 * nodes + to) as usize].into()
    }
}

/// Holds the machine to Lemmas 4 and 10, and to Lemmas 2 and 7, which no order beats. Returns in how many directions it takes
/// as many steps as Lemma 4 or 10 says, and farthest-first doesn't.
fn hold<O: Order>(row: Row, grid: &Grid, order: O, packets: &[(u32, u32)], seed: u64) -> usize {
    let directions = row.directions(packets);
    let name = O::NAME;
    let steps = row.steps(grid, order, packets);
    let mut reached = 0;
    for (steps, direction) in steps.into_iter().zip(&directions) {
        let (least, most) = (row.farthest_first(direction), row.any_order(direction));
        assert!(
            least <= steps && steps <= most,
            "{steps} steps, {name}, seed {seed}: {row:?}, {direction:?}"
        );
        reached += usize::from(steps == most && least < most);
    }
    reached
}

#[test]
fn no_order_takes_more_steps_than_lemmas_4_and_10() {
    for wraps in [false, true] {
        let mut reached = [0; 6];
        each_random(wraps, 4_000, |seed, row, grid, packets| {
            let table = Table::new(row.nodes, &mut Draws(seed << 16 | 1 << 15));
            let add = [
                hold(row, grid, FarthestFirst, packets, seed),
                hold(row, grid, NearestFirst, packets, seed),
                hold(row, grid, Fifo, packets, seed),
                hold(row, grid, Lifo, packets, seed),
                hold(row, grid, Random { seed }, packets, seed),
                hold(row, grid, table, packets, seed),
            ];
            (reached.iter_mut().zip(add)).for_each(|(sum, add)| *sum += add);
        });
        let [farthest_first, others @ ..] = reached;
        assert!(farthest_first == 0 && others.iter().all(|it| *it > 0));
    }
}

/// Three packets for node 3 of a line of six cross the link from node 2 one after the other, without a gap: the packet from
/// there to node 5, which nearest-first sends last, begins in step 4 and ends in step 6. h(2) is 3, and three nodes are to the
/// right of node 2. By farthest-first it would begin at once, and the last packet would reach node 3 in step 4.
#[test]
fn nearest_first_takes_all_steps_of_lemma_4() {
    let row = Row::line(6);
    let packets = [(2, 5), (0, 3), (1, 3), (2, 3)];
    assert_eq!(row.steps(&row.grid(), NearestFirst, &packets), [6, 0]);
    assert_eq!(row.any_order(&packets), 3 + 3);
    assert_eq!(row.steps(&row.grid(), FarthestFirst, &packets), [4, 0]);
    assert_eq!(row.farthest_first(&packets), 4);
}

/// The same across the ends of a ring of eight: three packets for node 2 cross the link from node 1, from where one goes half
/// around the ring, in steps 4 to 7.
#[test]
fn nearest_first_takes_all_steps_of_lemma_10() {
    let row = Row::ring(8);
    let packets = [(1, 5), (7, 2), (0, 2), (1, 2)];
    assert_eq!(row.steps(&row.grid(), NearestFirst, &packets), [7, 0]);
    assert_eq!(row.any_order(&packets), 3 + 4);
    assert_eq!(row.steps(&row.grid(), FarthestFirst, &packets), [4, 0]);
    assert_eq!(row.farthest_first(&packets), 4);
}

#[test]
fn who_is_home_or_goes_to_the_left_takes_no_steps_to_the_right() {
    assert_eq!(line_farthest_first_steps(4, []), 0);
    assert_eq!(line_farthest_first_steps(4, [(2, 2), (3, 0), (2, 1)]), 0);
    assert_eq!(line_any_order_steps(4, [(2, 2), (3, 0), (2, 1)]), 0);
    assert_eq!(ring_farthest_first_steps(5, [(4, 0)]), 0);
    assert_eq!(ring_any_order_steps(5, [(4, 0)]), 0);
    // A ring of two nodes, and of one.
    assert_eq!(ring_farthest_first_steps(2, [(1, 1), (1, 1)]), 2);
    assert_eq!(ring_any_order_steps(1, [(0, 0)]), 0);
    // A packet to the next node takes one step, whatever the length of the line.
    assert_eq!(line_farthest_first_steps(10, [(0, 1)]), 1);
}

#[test]
#[should_panic(expected = "a packet from node 1 over 3 links, on a ring of 5 nodes")]
fn packets_go_no_farther_than_half_of_a_ring() {
    ring_farthest_first_steps(5, [(1, 3)]);
}

#[test]
#[should_panic(expected = "a packet from node 5 to node 1, on a line of 5 nodes")]
fn packets_are_of_the_line() {
    line_any_order_steps(5, [(5, 1)]);
}
