//! Rules one after the other, two at once, and notes.

use crate::together::Together;
use flitwork_steps::rules::{
    Alternating, DimensionOrder, Fifo, Fixed, GreedyAdaptive, Random, RoundRobin,
};
use flitwork_steps::{
    Adversary, Beginning, Blind, Choice, Here, Machine, Meddling, NoNotes, Nobody, Offers,
    PacketId, Part, Program, Quiet, Rule, Store, Until, Watcher, accept_in_order,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{NodeId, Port, PortSet};
use proptest::prelude::*;

/// Sends nothing and accepts nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Idle;

impl Rule for Idle {
    type Sight = Blind;
    type Node = ();
    type Packet = ();
    type Note = NoNotes;

    fn begin(&self, _: NodeId, _: &[PortSet]) {}
    fn begin_packet(&self, (): &(), _: &Beginning<'_, Blind>) {}
    fn choose(&self, _: &Here<'_, Self>, _: &mut Choice) {}
    fn accept(&self, _: &Here<'_, Self>, _: &Offers<'_, Self>, _: &mut Vec<usize>) {}
}

/// Whether two rules make the same moves.
fn agree<A: Rule, B: Rule>(
    one: &A,
    other: &B,
    store: Store,
    problem: &[(NodeId, NodeId)],
) -> Result<(), TestCaseError> {
    let mesh = Grid::mesh(&[6, 6]).unwrap();
    let mut first = Machine::new(&mesh, one, store, problem).unwrap();
    let mut second = Machine::new(&mesh, other, store, problem).unwrap();
    for _ in 0..60 {
        first.step(&mut Nobody);
        second.step(&mut Nobody);
        prop_assert_eq!(first.moves(), second.moves());
    }
    Ok(())
}

fn permutation() -> impl Strategy<Value = Vec<(NodeId, NodeId)>> {
    let order = Just((0..36).collect::<Vec<u32>>()).prop_shuffle();
    order.prop_map(|order| {
        let pairs = order.iter().zip(0..);
        pairs
            .map(|(to, from)| (NodeId(from), NodeId(*to)))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// A rule that leaves nothing for itself, and one that does nothing, change nothing.
    #[test]
    fn a_rule_together_with_itself_is_itself(
        problem in permutation(),
        store in prop_oneof![(1usize..4).prop_map(Store::Central), (1usize..3).prop_map(Store::Incoming), (1usize..3).prop_map(Store::Outgoing)],
    ) {
        macro_rules! with { ($rule:expr) => {{
            let rule = $rule;
            agree(&rule, &Together { first: rule, second: rule }, store, &problem)?;
            agree(&rule, &Together { first: Idle, second: rule }, store, &problem)?;
            agree(&rule, &Together { first: rule, second: Idle }, store, &problem)?;
        }}; }
        with!(GreedyAdaptive::<Fixed>::default());
        with!(DimensionOrder::<Fifo, Fixed>::default());
        if !matches!(store, Store::Outgoing(_)) {
            with!(GreedyAdaptive::<RoundRobin>::default());
            with!(Alternating::<Fixed>::default());
        }
    }

    /// What is first moves as if the other weren't there, where nothing is ever refused.
    #[test]
    fn the_first_rule_is_not_delayed(problem in permutation()) {
        let rule = Together { first: Of(0), second: Of(1) };
        let is_first = |pair: &(NodeId, NodeId)| pair.0.0.is_multiple_of(2);
        let firsts: Vec<_> = problem.iter().copied().filter(is_first).collect();
        let mesh = Grid::mesh(&[6, 6]).unwrap();
        let mut all = Machine::new(&mesh, &rule, Store::Unbounded, &problem).unwrap();
        let mut some = Machine::new(&mesh, &Of(0), Store::Unbounded, &firsts).unwrap();
        while !all.is_done() {
            prop_assert!(all.step(&mut Nobody), "{} left", all.undelivered());
            some.step(&mut Nobody);
            let places = all.packets().iter().filter(|it| it.source.0.is_multiple_of(2));
            prop_assert!(places.eq(some.packets()));
        }
    }

    /// Each part of a program is as long as it says, and does what its rule would do alone on what it finds.
    #[test]
    fn parts_follow_each_other(problem in permutation(), (steps, at_least) in (0u32..9, 0u32..20)) {
        let rule = |seed| DimensionOrder { order: Random { seed }, inqueue: RoundRobin };
        let parts = vec![
            Part { rule: rule(1), until: Until::Steps(steps) },
            Part { rule: rule(2), until: Until::Steps(3) },
            Part { rule: rule(3), until: Until::Quiet(Quiet::at_least(at_least)) },
            Part { rule: rule(4), until: Until::StepsOnceQuiet(7, Quiet::at_least(2)) },
        ];
        let program = Program { parts };
        let mesh = Grid::mesh(&[6, 6]).unwrap();
        let mut seen = Seen::default();
        let outcome = program.run(&mesh, Store::Central(2), &problem, &mut seen).unwrap();
        prop_assert_eq!(&seen.begun[..2], &[0, steps]);
        let by_hand = [rule(1), rule(2), rule(3)];
        let mut machine = Machine::new(&mesh, &by_hand[0], Store::Central(2), &problem).unwrap();
        (0..steps).for_each(|_| { machine.step(&mut Nobody); });
        machine.go_on(&by_hand[1]);
        (0..3).for_each(|_| { machine.step(&mut Nobody); });
        machine.go_on(&by_hand[2]);
        prop_assert_eq!(seen.begun[2], machine.steps());
        let begun = machine.steps();
        while machine.step(&mut Nobody) || machine.steps() - begun < at_least {}
        prop_assert_eq!(seen.begun[3], machine.steps());
        prop_assert_eq!(outcome.steps, machine.steps() + 7);
        prop_assert_eq!(outcome.undelivered, machine.undelivered());
        prop_assert_eq!(outcome.queue_max, machine.queue_max());
    }
}

/// Where parts begin.
#[derive(Default)]
struct Seen {
    begun: Vec<u32>,
}

impl Watcher for Seen {
    fn begins<T: Topology, R: Rule>(&mut self, part: usize, machine: &Machine<'_, T, R>) {
        assert_eq!(part, self.begun.len());
        self.begun.push(machine.steps());
    }
}

/// Dimension order of the packets whose source is even or odd, the lowest source first.
#[derive(Clone, Copy, Debug)]
struct Of(u32);

impl Rule for Of {
    type Sight = Blind;
    type Node = ();
    type Packet = ();
    type Note = NoNotes;

    fn begin(&self, _: NodeId, _: &[PortSet]) {}
    fn begin_packet(&self, (): &(), _: &Beginning<'_, Blind>) {}

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        for port in here.links.iter() {
            let is_of = |(place, packet): (usize, &flitwork_steps::Seen<'_, Blind, ()>)| {
                let wants = here.first_dimension(packet.productive) == Some(port);
                (wants && packet.source.0 % 2 == self.0).then_some((packet.source, place))
            };
            let first = here.packets.iter().enumerate().filter_map(is_of).min();
            if let Some((_, place)) = first {
                choice.send(port, place);
            }
        }
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        accept_in_order(here.store, offers, 0..offers.len(), accepted);
    }
}

/// A wave of notes from node 0; a node's packet sets out after the wave, and a node that sends a packet sends no note over that
/// link.
#[derive(Clone, Copy, Debug)]
struct Wave {
    /// Whether a note goes even over a link that a packet takes.
    is_rude: bool,
}

impl Rule for Wave {
    type Sight = Blind;
    /// The step at whose end the wave came, and the count that it carried.
    type Node = Option<(u32, u32)>;
    type Packet = ();
    type Note = u32;
    const HAS_NOTES: bool = true;

    fn begin(&self, node: NodeId, _: &[PortSet]) -> Self::Node {
        (node == NodeId(0)).then_some((0, 0))
    }

    fn begin_packet(&self, _: &Self::Node, _: &Beginning<'_, Blind>) {}

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice<u32>) {
        let Some((came, count)) = *here.state else {
            return;
        };
        for (place, packet) in here.packets.iter().enumerate() {
            let port = packet.productive.iter().next();
            if let Some(port) = port.filter(|it| !choice.takes(*it)) {
                choice.send(port, place);
            }
        }
        for port in here.links.iter().filter(|_| here.step == came + 1) {
            if self.is_rude || !choice.takes(port) {
                choice.note(port, count + 1);
            }
        }
    }

    fn accept(&self, _: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        accepted.extend(0..offers.len());
    }

    fn has_state(&self) -> bool {
        true
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut Self::Node, _: &mut [()]) {
        let mut ports = here.notes.iter().map(|(port, _)| *port);
        assert!(ports.all(|port: Port| here.links.contains(port)));
        if let (None, Some((_, count))) = (&node, here.notes.first()) {
            *node = Some((here.step, *count));
        }
    }
}

/// On an empty 5 x 3 mesh the nodes d links away send a note over each of their links in step d + 1. By hand: of 0, 1, 2 … links
/// away there are nodes of 2; 3 + 3; 3 + 4 + 2; 3 + 4 + 3; 2 + 4 + 3; 3 + 3; 2 links. The 22 links carry 44 notes, then all is
/// quiet.
#[test]
fn notes_reach_nodes_that_hold_nothing() {
    let mesh = Grid::mesh(&[5, 3]).unwrap();
    let rule = Wave { is_rude: false };
    let mut machine = Machine::new(&mesh, &rule, Store::Unbounded, &[]).unwrap();
    let mut notes = Vec::new();
    while machine.step(&mut Nobody) {
        notes.push(machine.notes());
    }
    assert_eq!(notes, [2, 6, 9, 10, 9, 6, 2]);
    assert_eq!(notes.iter().sum::<usize>(), 44);
}

/// A packet waits for the wave: from node 4, 4 links away, to node 14, it sets out in step 5.
#[test]
fn packets_wait_for_notes() {
    let mesh = Grid::mesh(&[5, 3]).unwrap();
    let rule = Wave { is_rude: false };
    let problem = [(NodeId(4), NodeId(14))];
    let mut machine = Machine::new(&mesh, &rule, Store::Unbounded, &problem).unwrap();
    while !machine.is_done() && machine.steps() < 20 {
        machine.step(&mut Nobody);
    }
    assert_eq!(machine.packets()[0].arrived, 6);
}

#[test]
#[should_panic(expected = "can't send")]
fn a_link_carries_no_note_beside_a_packet() {
    let mesh = Grid::mesh(&[5, 3]).unwrap();
    let rule = Wave { is_rude: true };
    let problem = [(NodeId(4), NodeId(14))];
    let mut machine = Machine::new(&mesh, &rule, Store::Unbounded, &problem).unwrap();
    (0..9).for_each(|_| {
        machine.step(&mut Nobody);
    });
}

/// Sends what goes east or south from a node; one that sends nothing rests.
#[derive(Clone, Copy, Debug)]
struct Eastward;

impl Rule for Eastward {
    type Sight = Blind;
    type Node = ();
    type Packet = ();
    type Note = NoNotes;

    fn begin(&self, _: NodeId, _: &[PortSet]) {}
    fn begin_packet(&self, (): &(), _: &Beginning<'_, Blind>) {}

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        for port in [Port(1), Port(2)] {
            let goes = |it: &flitwork_steps::Seen<'_, Blind, ()>| {
                it.productive.iter().find(|it| [1, 2].contains(&it.0)) == Some(port)
            };
            if let Some(place) = here.packets.iter().position(goes) {
                choice.send(port, place);
            }
        }
    }

    fn rests(&self, _: &Here<'_, Self>) -> bool {
        true
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        accept_in_order(here.store, offers, 0..offers.len(), accepted);
    }
}

/// Exchanges the destinations of packets 0 and 1 in a step.
struct Exchange(u32);

impl Adversary for Exchange {
    fn meddle(&mut self, meddling: &mut Meddling<'_>) {
        if meddling.step() == self.0 {
            meddling.exchange(PacketId(0), PacketId(1));
        }
    }
}

/// On a 3 x 3 mesh node 7 rests with packet 0, which goes north; packet 2 passes through it. Packet 1 goes east to node 5, and
/// rests there. With the destination of packet 1, node 2, packet 0 goes east to node 8 in the step after the exchange.
#[test]
fn nodes_that_rest_wake() {
    let mesh = Grid::mesh(&[3, 3]).unwrap();
    let node = |pair: (u32, u32)| (NodeId(pair.0), NodeId(pair.1));
    let problem = [(7, 1), (4, 2), (6, 8)].map(node);
    let mut machine = Machine::new(&mesh, &Eastward, Store::Unbounded, &problem).unwrap();
    let mut exchange = Exchange(6);
    let moved: Vec<Vec<u32>> = (0..9)
        .map(|_| {
            machine.step(&mut exchange);
            machine.moves().iter().map(|it| it.packet.0).collect()
        })
        .collect();
    let none = Vec::new;
    assert_eq!(
        moved,
        [
            vec![1, 2],
            vec![2],
            none(),
            none(),
            none(),
            none(),
            vec![0],
            none(),
            none()
        ]
    );
}
