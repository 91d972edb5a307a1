//! Packets that wait by rank: the same steps as by a rule that is asked for all packets in each step.

use flitwork_steps::rules::{
    DimensionOrder, FarthestFirst, FarthestOrigin, FarthestTotal, Fifo, Fixed, Lifo, NearestFirst,
    Order, StraightFirst,
};
use flitwork_steps::{
    Adversary, Beginning, Choice, Distances, Here, Leg, Link, Machine, Meddling, Move, NoNotes,
    Nobody, Offers, PacketId, Rule, Seen, Store,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, PortSet};
use proptest::prelude::*;
use proptest::sample::Index;

/// An order whose ranks are asked for anew in each step.
#[derive(Clone, Debug, Default, PartialEq)]
struct Anew<O>(O);

impl<O: Order> Order for Anew<O> {
    const NAME: &'static str = O::NAME;
    const HELP: &'static str = O::HELP;

    type Sight = O::Sight;

    fn rank<P>(&self, link: &Link<'_>, packet: &Seen<'_, O::Sight, P>) -> u64 {
        self.0.rank(link, packet)
    }
}

/// Exchanges the destinations of two packets in some steps, as long as both are under way.
struct Swaps<'a>(&'a [(u32, Index, Index)]);

impl Adversary for Swaps<'_> {
    fn meddle(&mut self, meddling: &mut Meddling<'_>) {
        let step = meddling.step();
        for (_, one, other) in self.0.iter().filter(|it| it.0 == step) {
            let count = meddling.packets().len();
            let [one, other] = [one, other].map(|it| it.index(count));
            let [a, b] = [one, other].map(|it| meddling.packets()[it]);
            let stay = [(a, b.destination), (b, a.destination)];
            let is_under_way =
                |(it, to): (flitwork_steps::PacketState, NodeId)| !it.is_delivered() && it.at != to;
            if one != other && stay.into_iter().all(is_under_way) {
                meddling.exchange(PacketId(one as u32), PacketId(other as u32));
            }
        }
    }
}

/// The same steps by both rules; what a machine of worms takes too.
fn alike<A: Rule, B: Rule>(
    grid: &Grid,
    (one, other): (&A, &B),
    (problem, flits): (&[(NodeId, NodeId)], u32),
    swaps: &[(u32, Index, Index)],
) -> Result<(), TestCaseError> {
    let one = Machine::new(grid, one, Store::Unbounded, problem).unwrap();
    let other = Machine::new(grid, other, Store::Unbounded, problem).unwrap();
    let (mut one, mut other) = (one.of_flits(flits), other.of_flits(flits));
    let mut still = 0;
    while !one.is_done() && still < flits + 2 {
        let moves = one.step(&mut Swaps(swaps));
        still = if moves { 0 } else { still + 1 };
        other.step(&mut Swaps(swaps));
        prop_assert_eq!(one.moves(), other.moves(), "step {}", one.steps());
        prop_assert_eq!(one.packets(), other.packets());
        for node in (0..grid.nodes()).map(NodeId) {
            prop_assert_eq!(one.held(node), other.held(node));
        }
    }
    prop_assert!(one.is_done() && other.is_done());
    prop_assert_eq!(one.queue_max(), other.queue_max());
    Ok(())
}

/// An order and the same asked anew.
fn both<O: Order>(
    grid: &Grid,
    problem: (&[(NodeId, NodeId)], u32),
    swaps: &[(u32, Index, Index)],
) -> Result<(), TestCaseError> {
    const { assert!(DimensionOrder::<O, Fixed>::KEEPS_RANKS) };
    const { assert!(!DimensionOrder::<Anew<O>, Fixed>::KEEPS_RANKS) };
    let one = DimensionOrder::<O, Fixed>::default();
    let other = DimensionOrder::<Anew<O>, Fixed>::default();
    alike(grid, (&one, &other), problem, swaps)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn ranks_that_stay_are_asked_for_once(
        (grid, pairs) in grid_and_pairs(),
        flits in 1u32..4,
        swaps in prop::collection::vec((1u32..12, any::<Index>(), any::<Index>()), 0..6),
    ) {
        let pairs: Vec<_> = pairs.iter().map(|(from, to)| {
            let node = |it: &Index| NodeId(it.index(grid.nodes() as usize) as u32);
            (node(from), node(to))
        }).collect();
        let problem = (&pairs[..], flits);
        both::<Fifo>(&grid, problem, &swaps)?;
        both::<Lifo>(&grid, problem, &swaps)?;
        both::<FarthestFirst>(&grid, problem, &swaps)?;
        both::<NearestFirst>(&grid, problem, &swaps)?;
        both::<FarthestOrigin>(&grid, problem, &swaps)?;
        both::<FarthestTotal>(&grid, problem, &swaps)?;
        both::<StraightFirst>(&grid, problem, &swaps)?;
    }
}

/// Lines, meshes and tori, and packets by places of their ends.
fn grid_and_pairs() -> impl Strategy<Value = (Grid, Vec<(Index, Index)>)> {
    let sides = prop::collection::vec(2u32..6, 1..4);
    let pairs = prop::collection::vec((any::<Index>(), any::<Index>()), 1..80);
    let grid = (sides, any::<bool>()).prop_map(|(sides, wraps)| match wraps {
        true => Grid::torus(&sides).unwrap(),
        false => Grid::mesh(&sides).unwrap(),
    });
    (grid, pairs)
}

/// A packet that stands sets out on the next of its legs that leads anywhere, or leaves.
fn next<R: Rule>(
    machine: &mut Machine<'_, Grid, R>,
    packet: PacketId,
    legs: &mut Vec<(NodeId, u16)>,
) {
    let grid = machine.topology();
    let at = machine.packets()[packet.index()].at;
    while let Some((to, stage)) = legs.pop() {
        // Along the first dimension in which the two differ.
        let (mut goal, to) = (grid.coordinates(at), grid.coordinates(to));
        let Some(axis) = (0..goal.len()).find(|axis| goal[*axis] != to[*axis]) else {
            continue;
        };
        goal[axis] = to[axis];
        let goal = grid.node_at(&goal);
        let leg = Leg {
            goal,
            port: grid.productive(at, goal).iter().next().unwrap(),
            links: grid.distance(at, goal),
            crossed: 0,
            beyond: 0,
            stage,
        };
        return machine.set_out(packet, leg);
    }
    machine.take_out(packet);
}

/// The same steps by an order and by the same asked anew, of packets that go from goal to goal.
fn alike_on_legs<O: Order>(
    grid: &Grid,
    flits: u32,
    legs: &[Vec<(NodeId, u16)>],
    swaps: &[(u32, Index, Index)],
) -> Result<(), TestCaseError> {
    let (once, anew) = (
        DimensionOrder::<O, Fixed>::default(),
        DimensionOrder::<Anew<O>, Fixed>::default(),
    );
    let from = || legs.iter().map(|it| it[0].0);
    let one = Machine::on_legs(grid, &once, Store::Unbounded, from()).unwrap();
    let other = Machine::on_legs(grid, &anew, Store::Unbounded, from()).unwrap();
    let (mut one, mut other) = (one.of_flits(flits), other.of_flits(flits));
    let mut left = [legs.to_vec(), legs.to_vec()];
    for packet in (0..legs.len()).map(|it| PacketId(it as u32)) {
        next(&mut one, packet, &mut left[0][packet.index()]);
        next(&mut other, packet, &mut left[1][packet.index()]);
    }
    while !one.is_done() {
        prop_assert!(one.steps() < 10_000);
        one.step(&mut Swaps(swaps));
        other.step(&mut Swaps(swaps));
        prop_assert_eq!(one.moves(), other.moves(), "step {}", one.steps());
        prop_assert_eq!(one.packets(), other.packets());
        prop_assert_eq!(one.reached(), other.reached());
        for packet in one.reached().to_vec() {
            next(&mut one, packet, &mut left[0][packet.index()]);
            next(&mut other, packet, &mut left[1][packet.index()]);
        }
        one.note_queues();
        other.note_queues();
        prop_assert_eq!(one.queue_max(), other.queue_max());
        for node in (0..grid.nodes()).map(NodeId) {
            prop_assert_eq!(one.held(node), other.held(node));
        }
    }
    prop_assert!(other.is_done());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn packets_on_legs_are_asked_for_once(
        (grid, pairs) in grid_and_pairs(),
        flits in 1u32..4,
        stages in prop::collection::vec(0u16..3, 4),
        swaps in prop::collection::vec((1u32..12, any::<Index>(), any::<Index>()), 0..6),
    ) {
        // The ends of four pairs are the places of a packet, and the last of them where it begins.
        let node = |it: &Index| NodeId(it.index(grid.nodes() as usize) as u32);
        let legs: Vec<Vec<_>> = pairs
            .windows(4)
            .map(|four| four.iter().map(|it| node(&it.0)).zip(stages.iter().copied()).collect())
            .collect();
        alike_on_legs::<Fifo>(&grid, flits, &legs, &swaps)?;
        alike_on_legs::<FarthestFirst>(&grid, flits, &legs, &swaps)?;
        alike_on_legs::<FarthestOrigin>(&grid, flits, &legs, &swaps)?;
        alike_on_legs::<FarthestTotal>(&grid, flits, &legs, &swaps)?;
        alike_on_legs::<NearestFirst>(&grid, flits, &legs, &swaps)?;
        alike_on_legs::<Lifo>(&grid, flits, &legs, &swaps)?;
        alike_on_legs::<StraightFirst>(&grid, flits, &legs, &swaps)?;
    }
}

/// Everybody goes to node 0, in lanes or asked each step, and the rule checks what it is told as it begins.
#[derive(Debug)]
struct Homeward<const IN_LANES: bool>;

impl<const IN_LANES: bool> Rule for Homeward<IN_LANES> {
    type Sight = Distances;
    type Node = ();
    type Packet = ();
    type Note = NoNotes;

    const KEEPS_RANKS: bool = IN_LANES;

    fn begin(&self, node: NodeId, productive: &[PortSet]) {
        let grid = Grid::mesh(&[5, 4]).unwrap();
        let home = grid.productive(node, NodeId(0));
        assert!(productive.iter().all(|it| *it == home), "{node}");
    }

    fn begin_packet(&self, (): &(), packet: &Beginning<'_, Distances>) {
        let grid = packet.grid.unwrap();
        assert_eq!(packet.productive, grid.productive(packet.node, NodeId(0)));
        assert_eq!(
            packet.to_go.links(),
            grid.distance(packet.node, NodeId(0)),
            "from {} in {}",
            packet.source,
            packet.node
        );
    }

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice<NoNotes>) {
        let Seen {
            source, productive, ..
        } = here.packets[0];
        let wanted = self.waits_for(here.node, source, productive, here.grid);
        choice.send(wanted.unwrap(), 0);
    }

    fn accept(&self, _: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        accepted.extend(0..offers.len());
    }
}

#[test]
fn who_goes_straight_on_is_known_when_a_rule_goes_on() {
    // On 3 x 3 one comes to the middle from the left and one from above, and both go down: the one from above goes straight on.
    let grid = Grid::mesh(&[3, 3]).unwrap();
    let problem = [(NodeId(3), NodeId(7)), (NodeId(1), NodeId(7))];
    let rule = DimensionOrder::<StraightFirst, Fixed>::default();
    let mut machine = Machine::new(&grid, &rule, Store::Unbounded, &problem).unwrap();
    machine.step(&mut Nobody);
    machine.go_on(&rule);
    while !machine.is_done() {
        machine.step(&mut Nobody);
    }
    let arrived: Vec<u32> = machine.packets().iter().map(|it| it.arrived).collect();
    assert_eq!(arrived, [3, 2]);
}

#[test]
fn a_rule_that_goes_on_is_told_where_packets_are() {
    fn moves<const IN_LANES: bool>() -> Vec<Vec<Move>> {
        let grid = Grid::mesh(&[5, 4]).unwrap();
        let problem: Vec<_> = (0..20).map(|it| (NodeId(it), NodeId(0))).collect();
        let rule = Homeward::<IN_LANES>;
        let mut machine = Machine::new(&grid, &rule, Store::Unbounded, &problem).unwrap();
        let mut moves = Vec::new();
        while !machine.is_done() {
            machine.step(&mut Nobody);
            moves.push(machine.moves().to_vec());
            machine.go_on(&rule);
        }
        moves
    }
    // Two links lead into node 0, and 19 packets come: 4 through the one, 15 through the other.
    assert_eq!(moves::<true>().len(), 15);
    assert_eq!(moves::<false>().len(), 15);
}
