//! Orders and inqueues, by hand on small networks.

use flitwork_schema::{Datum, Part, Parts};
use flitwork_steps::named::RuleEntry;
use flitwork_steps::rules::{
    Alternating, Derouting, DimensionOrder, FarthestFirst, FarthestOrigin, FarthestTotal, Fifo,
    Fixed, GreedyAdaptive, Incoming, Inqueue, InqueueEntry, Lifo, NearestFirst, Random, RoundRobin,
    StraightFirst, StraightThrough,
};
use flitwork_steps::{
    Beginning, Blind, Choice, Corner, Here, Machine, NoNotes, Nobody, Offers, Rule, Store, route,
};
use flitwork_topology::{Grid, Shape};
use flitwork_types::{NodeId, Port, PortSet};
use std::sync::Mutex;

/// The steps in which the packets of a problem reach their destinations.
fn arrivals(sides: &[u32], store: Store, problem: &[(u32, u32)], rule: &impl Rule) -> Vec<u32> {
    let mesh = Grid::mesh(sides).unwrap();
    let node = |pair: &(u32, u32)| (NodeId(pair.0), NodeId(pair.1));
    let problem: Vec<_> = problem.iter().map(node).collect();
    let mut machine = Machine::new(&mesh, rule, store, &problem).unwrap();
    while !machine.is_done() && machine.steps() < 100 {
        machine.step(&mut Nobody);
    }
    assert!(machine.is_done());
    machine.packets().iter().map(|it| it.arrived).collect()
}

/// Three packets begin in node 0 of a line of five, for nodes 2, 4 and 3. One leaves in each step, and then nothing delays it.
#[test]
fn orders_differ() {
    const LINE: &[u32] = &[5];
    let problem = [(0, 2), (0, 4), (0, 3)];
    let unbounded = Store::Unbounded;
    let fifo = DimensionOrder::<Fifo, Fixed>::default();
    assert_eq!(arrivals(LINE, unbounded, &problem, &fifo), [2, 5, 5]);
    let farthest = DimensionOrder::<FarthestFirst, Fixed>::default();
    assert_eq!(arrivals(LINE, unbounded, &problem, &farthest), [4, 4, 4]);
    let nearest = DimensionOrder::<NearestFirst, Fixed>::default();
    assert_eq!(arrivals(LINE, unbounded, &problem, &nearest), [2, 6, 4]);
}

/// Node 4 is between nodes 3 and 5, and node 1 is north of it. After step 1 a packet from each side is in node 4, and the
/// second from node 3 comes in step 2, in which the one from the east leaves by the lower port. In step 3 the first to come
/// goes by FIFO, and the last by LIFO.
#[test]
fn the_last_to_come_overtakes() {
    let problem = [(4, 1), (3, 1), (5, 1), (3, 1)];
    let sides = [3, 2];
    let fifo = DimensionOrder::<Fifo, Fixed>::default();
    assert_eq!(
        arrivals(&sides, Store::Unbounded, &problem, &fifo),
        [1, 3, 2, 4]
    );
    let lifo = DimensionOrder::<Lifo, Fixed>::default();
    assert_eq!(
        arrivals(&sides, Store::Unbounded, &problem, &lifo),
        [1, 4, 2, 3]
    );
}

/// Nodes 1, 4 and 7 are a column. After step 1 a packet that goes straight down and one that turns are in node 4. The straight
/// one is first; by FIFO it isn't before one that has waited there for longer.
#[test]
fn who_goes_straight_is_first() {
    let problem = [(3, 7), (1, 7)];
    let sides = [3, 3];
    let straight = DimensionOrder::<StraightFirst, Fixed>::default();
    assert_eq!(
        arrivals(&sides, Store::Unbounded, &problem, &straight),
        [3, 2]
    );
    let problem = [(4, 7), (3, 7), (0, 7), (1, 7)];
    let fifo = DimensionOrder::<Fifo, Fixed>::default();
    let by_fifo = arrivals(&sides, Store::Unbounded, &problem, &fifo);
    let straight = arrivals(&sides, Store::Unbounded, &problem, &straight);
    assert!(straight[3] <= by_fifo[3] && straight[1] >= by_fifo[1]);
}

/// Node 4 of a 3 x 3 mesh takes one packet at a time, and its neighbours in the west and the east have five each for the node
/// south of it. By the port the east is always let in first; in turn both are.
#[test]
fn neighbours_take_turns() {
    let problem: Vec<(u32, u32)> = [(3, 7), (5, 7)].repeat(5);
    let last = |arrivals: &[u32], side: usize| {
        let of_side = arrivals.iter().skip(side).step_by(2);
        of_side.copied().max().unwrap()
    };
    let sides = [3, 3];
    let store = Store::Central(1);
    let fixed = DimensionOrder::<Fifo, Fixed>::default();
    let fixed = arrivals(&sides, store, &problem, &fixed);
    let robin = DimensionOrder::<Fifo, RoundRobin>::default();
    let robin = arrivals(&sides, store, &problem, &robin);
    // A packet enters in every other step.
    assert_eq!((last(&fixed, 1), last(&fixed, 0)), (10, 20));
    assert_eq!(last(&robin, 0).abs_diff(last(&robin, 1)), 2);
}

/// The same by every other rule with an order of its own, where those of the west go straight on to the east, and those of the
/// north to the south: a packet has one way to go.
#[test]
fn neighbours_take_turns_by_every_rule() {
    fn lasts(rule: &impl Rule) -> [u32; 2] {
        let problem: Vec<(u32, u32)> = [(1, 7), (3, 5)].repeat(5);
        let arrivals = arrivals(&[3, 3], Store::Central(1), &problem, rule);
        [0, 1].map(|side| *arrivals.iter().skip(side).step_by(2).max().unwrap())
    }
    macro_rules! take_turns {
        ($($rule:ident),+) => {$(
            let name = stringify!($rule);
            // A packet enters in every other step.
            assert_eq!(lasts(&$rule::<Fixed>::default()), [10, 20], "{name}");
            let [north, west] = lasts(&$rule::<RoundRobin>::default());
            assert_eq!((north.max(west), north.abs_diff(west)), (20, 2), "{name}");
        )+};
    }
    take_turns!(Alternating, GreedyAdaptive);
}

/// Round robin as a crate outside would have it: the program doesn't know its type.
#[derive(Clone, Debug, Default)]
struct Outside(RoundRobin);

impl Inqueue for Outside {
    fn rank(&self, state: u64, offer: &Incoming) -> u64 {
        self.0.rank(state, offer)
    }

    fn has_state(&self) -> bool {
        true
    }

    fn came(&self, state: u64, through: &mut dyn Iterator<Item = Port>) -> u64 {
        self.0.came(state, through)
    }
}

/// Each name of the table leads to the rule and the order of that name, and to the inqueue that is chosen: what it routes is
/// routed as by the rule itself.
#[test]
fn names_lead_to_their_rules() {
    let grid = Grid::mesh(&[9, 9]).unwrap();
    let problem: Vec<_> = (0..81)
        .map(|node| (NodeId(node), NodeId(node * 50 % 81)))
        .collect();
    let (shape, store) = (Shape::from(&grid), Store::Central(2));
    let outside = InqueueEntry::of::<Outside>("outside", "round robin");
    let inqueues = Parts::new().with(outside).all::<InqueueEntry>();
    let mut names = Vec::new();
    macro_rules! holds {
        ($name:literal, $inqueue:ident => $rule:expr) => {{
            names.push($name);
            let entry: RuleEntry = Parts::new().find($name).unwrap();
            let values = [
                ("seed", Datum::Whole(7)),
                ("box_side", Datum::Whole(5)),
                ("corner", Datum::text("north-east")),
            ];
            let routed = |inqueue: &str| {
                let inqueue = inqueues.iter().find(|it| it.name() == inqueue).unwrap();
                let rule = entry.with(&values, inqueue, store);
                rule.route(&shape, &problem, &mut |_| true).unwrap()
            };
            let $inqueue = Fixed;
            let fixed = route(&grid, &$rule, (store, &problem), &mut |_| true).unwrap();
            assert_eq!(routed("fixed"), fixed, $name);
            let $inqueue = RoundRobin;
            let robin = route(&grid, &$rule, (store, &problem), &mut |_| true).unwrap();
            assert_eq!(routed("round-robin"), robin, $name);
            assert_eq!(routed("outside"), robin, $name);
        }};
    }
    holds!("alternating", inqueue => Alternating { inqueue });
    holds!("derouting", inqueue => Derouting {
        side: 9,
        corner: Corner::NorthEast,
        box_side: 5,
        inqueue,
    });
    holds!("farthest-first", inqueue => DimensionOrder { order: FarthestFirst, inqueue });
    holds!("farthest-origin", inqueue => DimensionOrder { order: FarthestOrigin, inqueue });
    holds!("farthest-total", inqueue => DimensionOrder { order: FarthestTotal, inqueue });
    holds!("fifo", inqueue => DimensionOrder { order: Fifo, inqueue });
    holds!("greedy-adaptive", inqueue => GreedyAdaptive { inqueue });
    holds!("lifo", inqueue => DimensionOrder { order: Lifo, inqueue });
    holds!("nearest-first", inqueue => DimensionOrder { order: NearestFirst, inqueue });
    holds!("random", inqueue => DimensionOrder { order: Random { seed: 7 }, inqueue });
    holds!("straight-first", inqueue => DimensionOrder { order: StraightFirst, inqueue });
    holds!("straight-through", _inqueue => StraightThrough);
    // Those that go by legs are held to more in `multi_packet_runs`.
    let others = Parts::new().all::<RuleEntry>().into_iter();
    let others = others.filter(|it| !it.facts().goes_by_legs);
    let others: Vec<&str> = others.map(|it| it.name()).collect();
    assert_eq!(names, others);
}

/// Where the packets of a problem are after each of so many steps.
fn places<R: Rule>(
    mesh: &Grid,
    store: Store,
    problem: &[(u32, u32)],
    rule: &R,
    steps: usize,
) -> Vec<Vec<u32>> {
    let problem: Vec<_> = problem
        .iter()
        .map(|(from, to)| (NodeId(*from), NodeId(*to)))
        .collect();
    let mut machine = Machine::new(mesh, rule, store, &problem).unwrap();
    let mut after = |_| {
        machine.step(&mut Nobody);
        machine.packets().iter().map(|it| it.at.0).collect()
    };
    (0..steps).map(&mut after).collect()
}

/// Node 0 of a 2 x 2 mesh has links to nodes 1 and 2, which both lead to node 3. Its packet for node 3 wants into node 1, of
/// the lower port, where there is no room as the first step begins: in the second it goes the other way, though node 1 is empty.
#[test]
fn a_blocked_packet_turns() {
    let mesh = Grid::mesh(&[2, 2]).unwrap();
    let alternating = Alternating::<Fixed>::default();
    let problem = [(0, 3), (1, 3)];
    let found = places(&mesh, Store::Central(1), &problem, &alternating, 3);
    assert_eq!(found, [[0, 3], [2, 3], [3, 3]]);
    // Where there is room it goes on as it began, and where the other way isn't productive it waits.
    let found = places(&mesh, Store::Central(2), &problem, &alternating, 2);
    assert_eq!(found, [[1, 3], [3, 3]]);
    let line = Grid::mesh(&[4, 1]).unwrap();
    let problem = [(0, 3), (1, 3)];
    let found = places(&line, Store::Central(1), &problem, &alternating, 4);
    assert_eq!(found, [[0, 2], [1, 3], [2, 3], [3, 3]]);
}

/// Both of its ways are full by turns: a packet that is blocked for the second time wants its first way again.
#[test]
fn a_packet_turns_back() {
    // Node 4 is the middle of 3 x 3, with node 1 in the north and node 3 in the west; its packet goes to node 0, between them.
    // Node 0 has room for one in each step: first for that from node 1, which comes by the lower port.
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    let alternating = Alternating::<Fixed>::default();
    let problem = [(4, 0), (1, 0), (3, 0)];
    let found = places(&mesh, Store::Central(1), &problem, &alternating, 4);
    assert_eq!(found[0], [4, 0, 3]);
    // In step 2 it wants into node 3, where a packet was as the step began.
    assert_eq!(found[1], [4, 0, 0]);
    assert_eq!(found[2], [1, 0, 0]);
    assert_eq!(found[3], [0, 0, 0]);
}

/// Node 0 is in a corner of 3 x 3, with node 1 in the east and node 3 in the south; its packet goes to the far corner. It wants
/// east, where node 1 is full as the first step begins, and so it turns. From node 3 both ways lead closer: it goes on south,
/// down to the edge, and then east.
#[test]
fn a_packet_that_has_turned_goes_on_in_its_new_direction() {
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    let alternating = Alternating::<Fixed>::default();
    let problem = [(0, 8), (1, 2)];
    let found = places(&mesh, Store::Central(1), &problem, &alternating, 5);
    assert_eq!(found, [[0, 2], [3, 2], [6, 2], [7, 2], [8, 2]]);
}

/// A box of three columns and rows in the south-west of a 6 x 6 mesh. Of four packets for the north in its last column, one goes
/// north, one west and none east out of the box; in the row above nobody leaves its way. The same in its last row.
#[test]
fn the_box_ends_with_its_last_column_and_row() {
    let mesh = Grid::mesh(&[6, 6]).unwrap();
    let corner = Corner::SouthWest;
    let rule = Derouting {
        side: 6,
        corner,
        box_side: 3,
        inqueue: Fixed,
    };
    let at = |column, row| corner.node(6, column, row).0;
    let after = |from: (u32, u32), to: (u32, u32)| {
        let from = at(from.0, from.1);
        let problem = [(from, at(to.0, to.1)); 4];
        let found = places(&mesh, Store::Central(4), &problem, &rule, 1);
        let mut found = found[0].clone();
        found.sort_unstable();
        found
    };
    let sorted = |mut nodes: [u32; 4]| {
        nodes.sort_unstable();
        nodes
    };
    // South and west of the node belong to the box, north and east don't.
    let expected = sorted([at(3, 4), at(2, 3), at(3, 2), at(3, 3)]);
    assert_eq!(after((3, 3), (3, 6)), expected);
    let expected = sorted([at(3, 2), at(2, 1), at(3, 1), at(3, 1)]);
    assert_eq!(after((3, 1), (3, 6)), expected);
    let expected = sorted([at(2, 3), at(1, 2), at(1, 3), at(1, 3)]);
    assert_eq!(after((1, 3), (6, 3)), expected);
    // Outside, all that don't go stay.
    for (column, row) in [(4, 1), (4, 3), (4, 4), (3, 4)] {
        let expected = sorted([
            at(column, row + 1),
            at(column, row),
            at(column, row),
            at(column, row),
        ]);
        assert_eq!(after((column, row), (column, 6)), expected);
    }
}

/// Sends its packets over one link, lets none in, and notes in which queues they might come to lie. A packet waits for the
/// lowest of its productive ports.
#[derive(Debug)]
struct Watch {
    port: Port,
    seen: Mutex<Vec<PortSet>>,
}

impl Rule for Watch {
    type Sight = Blind;
    type Node = ();
    type Packet = ();
    type Note = NoNotes;
    const WAITS_FOR_LINKS: bool = true;

    fn begin(&self, _: NodeId, _: &[PortSet]) {}

    fn begin_packet(&self, (): &(), _: &Beginning<'_, Blind>) {}

    fn waits_for(
        &self,
        _: NodeId,
        _: NodeId,
        productive: PortSet,
        _: Option<&Grid>,
    ) -> Option<Port> {
        productive.iter().next()
    }

    fn choose(&self, _: &Here<'_, Self>, choice: &mut Choice) {
        choice.send(self.port, 0);
    }

    fn accept(&self, _: &Here<'_, Self>, offers: &Offers<'_, Self>, _: &mut Vec<usize>) {
        let mut seen = self.seen.lock().unwrap();
        seen.extend(offers.iter().map(|offer| offer.queues));
    }
}

/// Which links a packet may wait for at the end of a link, as far as its productive links tell. Ports are north, east, south and
/// west, 0 to 3. A packet that goes closer is in its line then, or before it; beyond a link that leads away it may be anywhere in
/// that line.
#[test]
fn a_blind_node_reckons_with_all_queues_that_a_packet_may_wait_in() {
    let mesh = Grid::mesh(&[5, 5]).unwrap();
    let (north, east, south, west) = (Port(0), Port(1), Port(2), Port(3));
    let queues = |from: u32, to: u32, port| {
        let (rule, problem) = (
            Watch {
                port,
                seen: Mutex::default(),
            },
            [(NodeId(from), NodeId(to))],
        );
        let mut machine = Machine::new(&mesh, &rule, Store::Outgoing(1), &problem).unwrap();
        machine.step(&mut Nobody);
        let seen = rule.seen.lock().unwrap();
        assert_eq!(seen.len(), 1);
        seen[0].iter().collect::<Vec<_>>()
    };
    // Node 12 is the middle. South-east of it: by the east, it may be in its column then.
    assert_eq!(queues(12, 24, east), [east, south]);
    assert_eq!(
        queues(12, 18, east),
        [east, south],
        "18 is in the next column"
    );
    assert_eq!(queues(12, 24, south), [east]);
    assert_eq!(queues(12, 0, north), [north, west]);
    // In its line: it goes on, or it is home, where it waits for nothing.
    assert_eq!(queues(12, 14, east), [east]);
    assert_eq!(queues(12, 13, east), [east]);
    // At the east edge nobody waits for the east.
    assert_eq!(queues(13, 24, east), [south]);
    // Away from it: of the west, the east and what is across.
    assert_eq!(queues(12, 14, west), [east, west]);
    assert_eq!(queues(12, 22, west), [east, south]);
    assert_eq!(queues(12, 2, south), [north, south]);
}
