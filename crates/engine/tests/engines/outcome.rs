//! What engines report about a run at its end.

use flitwork_engine::{Clocked, Ended, Engine, EventDriven, Outcome, Plain, Stopped};
use flitwork_network::{Aim, Clock, Clocks, Demand, LinkTiming, Network, Periodic, Remains};
use flitwork_node::{Event, Probe};
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_topology::Grid;
use flitwork_traffic::{Once, Owed, Tally};
use flitwork_types::{Cycle, Moment, NodeId, TerminalId};
use std::ops::ControlFlow;
use std::sync::Arc;

const END: Cycle = Cycle(1000);

/// How a run ends and in which cycle, by why its engine stopped in cycle 70 of 1,000, the packets in the
/// network, those that wait, those owed, and whether it had a task.
fn of(ended: Ended, in_network: u64, backlog: u64, owed: u64, is_task: bool) -> (Ended, Cycle) {
    let stopped = Stopped {
        ended,
        cycle: Cycle(70),
        in_network,
        steps: 123,
    };
    let owed = Owed {
        packets: owed,
        ..Owed::default()
    };
    let remains = Remains {
        tally: Tally::default(),
        backlog,
        owed,
        counted_until: None,
    };
    let outcome = Outcome::of(Aim { end: END, is_task }, stopped, remains);
    let left = (outcome.steps, outcome.backlog, outcome.owed);
    assert_eq!(left, (123, backlog, owed));
    (outcome.ended, outcome.cycle)
}

#[test]
fn packets_in_the_network_are_a_failure_and_so_are_those_of_a_task_that_never_entered() {
    let empty = (Ended::Empty, Cycle(70));
    let deadline = (Ended::Deadline, END);
    for ended in [Ended::Empty, Ended::Deadline, Ended::Stuck] {
        // Nothing is left, or only the excess of a process at a rate.
        assert_eq!(of(ended, 0, 0, 0, true), empty);
        assert_eq!(of(ended, 0, 0, 0, false), empty);
        assert_eq!(of(ended, 0, 5, 0, false), empty);
        // Packets of a task that wait or haven't been made: nothing is stuck if nothing is in the network.
        assert_eq!(of(ended, 0, 1, 0, true), deadline);
        assert_eq!(of(ended, 0, 0, 1, true), deadline);
    }
    for is_task in [false, true] {
        assert_eq!(of(Ended::Stuck, 1, 0, 0, is_task), (Ended::Stuck, END));
        assert_eq!(of(Ended::Deadline, 1, 0, 0, is_task), deadline);
        assert_eq!(of(Ended::Empty, 1, 0, 0, is_task), deadline);
        let interrupted = (Ended::Interrupted, Cycle(70));
        assert_eq!(of(Ended::Interrupted, 0, 0, 0, is_task), interrupted);
        assert_eq!(of(Ended::Interrupted, 3, 3, 3, is_task), interrupted);
    }
}

/// When the last packet arrived, and how many steps nodes with clocks of their own reported.
#[derive(Debug, Default)]
struct Observed {
    last: Option<Cycle>,
    ticks: u64,
}

impl Probe for Observed {
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        if let Event::Delivered { .. } = event {
            self.last = self.last.max(Some(cycle));
        }
    }

    fn tick(&mut self, _: NodeId, _: Cycle, _: Moment) {
        self.ticks += 1;
    }
}

fn grid() -> Grid {
    Grid::mesh(&[4, 3]).unwrap()
}

/// Two packets of one word across the mesh, on paths that don't touch.
fn demand() -> Demand {
    let pairs = [(0, 3), (8, 10)].map(|(from, to)| (TerminalId(from), TerminalId(to)));
    Demand::until(Box::new(Once::new(&pairs)), END)
}

fn run<E: Engine<Probe = Observed>>(mut engine: E) -> (Outcome, Observed) {
    let outcome = engine.run(&mut |_| ControlFlow::Continue(()));
    (outcome, Box::new(engine).into_probe())
}

/// GreedyHP has no credits: once the last packet is delivered nothing is left, and the next cycle isn't
/// simulated.
#[test]
fn a_run_ends_after_the_last_delivery() {
    let machine = Arc::new(Network::new(grid(), GreedyHp::new(grid(), 1), 1));
    let probe = Observed::default;
    let clock = Periodic::new(1000, 0);
    let clocks = Clocks {
        nominal_ps: 1000,
        domains: vec![Clock::Periodic(clock)],
        domain_of: vec![0; 12],
        links: LinkTiming::wires(1000, 100, 2),
        seed: 1,
    };
    let (plain, observed) = run(Plain::new(machine.clone(), demand(), probe(), 1));
    let last = observed.last.unwrap();
    let after = (Ended::Empty, last + 1);
    assert_eq!((plain.ended, plain.cycle), after);
    // It steps each of the 12 nodes in each cycle.
    assert_eq!(plain.steps, 12 * u64::from(plain.cycle.get()));
    let (clocked, observed) = run(Clocked::new(machine.clone(), clocks, demand(), probe(), 1));
    assert_eq!((clocked.ended, clocked.cycle), after);
    assert_eq!(observed.last, Some(last));
    // Each step reports both of its cycles. A packet passes 4 nodes on its way, or 3.
    assert_eq!(clocked.steps, observed.ticks);
    assert!(observed.ticks >= 4 + 3, "{observed:?}");
    let (awake, observed) = run(EventDriven::new(machine, demand(), probe()));
    assert_eq!((awake.ended, awake.cycle), after);
    assert_eq!(observed.last, Some(last));
    // Fewer than all nodes in all cycles, but at least each node that a packet visits.
    assert!((4 + 3..plain.steps).contains(&awake.steps), "{awake:?}");
}
