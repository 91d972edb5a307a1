//! Orders and inqueues, by hand on small networks.

use flitwork_steps::rules::{
    Chosen, DimensionOrder, FarthestFirst, Fifo, Fixed, Inqueue, InqueueName, Lifo, NearestFirst,
    Order, RoundRobin, RuleName, StraightFirst, Visit,
};
use flitwork_steps::{Corner, Machine, Nobody, Store};
use flitwork_topology::Grid;
use flitwork_types::NodeId;

/// The steps in which the packets of a problem reach their destinations.
fn arrivals<O: Order, I: Inqueue>(
    sides: &[u32],
    store: Store,
    problem: &[(u32, u32)],
    rule: &DimensionOrder<O, I>,
) -> Vec<u32> {
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

/// Says what a rule is made of.
struct Named;

impl Visit for Named {
    type Out = String;

    fn rule<R: flitwork_steps::Rule>(self, rule: &R) -> String {
        format!("{rule:?}")
    }
}

/// Each name of the table leads to the rule and the order of that name, and to the inqueue that is chosen.
#[test]
fn names_lead_to_their_rules() {
    let parts = [
        ("greedy-adaptive", "GreedyAdaptive", ""),
        ("alternating", "Alternating", ""),
        ("derouting", "Derouting", "box_side: 5"),
        ("straight-through", "StraightThrough", ""),
        ("fifo", "DimensionOrder", "order: Fifo"),
        ("lifo", "DimensionOrder", "order: Lifo"),
        ("random", "DimensionOrder", "order: Random { seed: 7 }"),
        ("straight-first", "DimensionOrder", "order: StraightFirst"),
        ("farthest-first", "DimensionOrder", "order: FarthestFirst"),
        ("nearest-first", "DimensionOrder", "order: NearestFirst"),
    ];
    assert_eq!(
        parts.map(|it| it.0).to_vec(),
        RuleName::ALL.iter().map(|it| it.name).collect::<Vec<_>>()
    );
    for (name, rule, order) in parts {
        for (inqueue, shown) in [
            (InqueueName::Fixed, "inqueue: Fixed"),
            (InqueueName::RoundRobin, "inqueue: RoundRobin"),
        ] {
            let chosen = Chosen {
                inqueue,
                seed: 7,
                within: (9, Corner::NorthEast, 5),
                ..Chosen::of(RuleName::find(name).unwrap())
            };
            let made = chosen.visit(Named);
            assert!(
                made.starts_with(rule) && made.contains(order),
                "{name}: {made}"
            );
            assert!(
                name == "straight-through" || made.contains(shown),
                "{name}: {made}"
            );
        }
    }
}
