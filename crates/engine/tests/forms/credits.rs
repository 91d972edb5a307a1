//! Credits alone wake a self-timed node, and clocks are counted to the end of a run's last cycle.

use super::passes::{IN, OUT, Times, chain, clocks, passed, run, self_timed, steady};
use flitwork_engine::{Clocked, Engine};
use flitwork_network::{Demand, LinkTiming, Network};
use flitwork_node::{ClockTicks, Event, Inputs, Outputs, Probe, Router, Site, Wait, WordRouter};
use flitwork_traffic::Once;
use flitwork_types::{Cycle, Due, NodeId, Packets, Word};
use std::ops::ControlFlow;

/// Node 0 sends its words and reports credits; node 1 answers each word with a credit, and reports it.
struct Credited {
    words: u32,
    /// Whether nodes without words are idle; if not, a run ends with its time.
    is_idle: bool,
}

impl Router for Credited {
    /// The words that it has.
    type Node = u32;

    fn nodes(&self) -> Vec<u32> {
        vec![self.words, 0]
    }

    fn waits(&self, _: NodeId, _: &u32, _: &Packets, _: Cycle) -> Vec<Wait> {
        Vec::new()
    }

    fn packet_words(&self) -> Option<u16> {
        Some(1)
    }
}

impl WordRouter for Credited {
    fn is_idle(&self, words: &u32) -> bool {
        self.is_idle && *words == 0
    }

    fn next_step(&self, words: &u32, now: Cycle) -> Due {
        Due::when(*words > 0, now)
    }

    fn step<P: Probe>(
        &self,
        words: &mut u32,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        if inputs.arrived.contains(IN) {
            outputs.credit(IN, 0);
            passed(site, now);
        }
        if inputs.credits.contains(OUT) {
            passed(site, now);
        }
        if *words > 0 {
            *words -= 1;
            outputs.send(OUT, Word::BLANK);
        }
    }
}

/// Words leave at 200, 400 and 600 ps, stand at node 1 at 1200, 1400 and 1600, and are taken then, each in 100 ps. So credits
/// leave at 1300, 1500 and 1700, and stand at node 0 1,000 ps later, where nothing else is left to do.
#[test]
fn each_credit_wakes_a_node_that_sleeps() {
    let nodes = vec![self_timed(200), self_timed(100)];
    let router = Credited {
        words: 3,
        is_idle: false,
    };
    let clocks = clocks(nodes, LinkTiming::wires(1000, 5, 0));
    let Times { of, steps, .. } = run(&chain(2, false), router, &clocks, 5000);
    assert_eq!(of, [[2300, 2500, 2700], [1200, 1400, 1600]]);
    assert_eq!(steps[0], [0, 200, 400, 2300, 2500, 2700]);
}

/// The count of ticks before each nominal cycle that was reported.
#[derive(Default)]
struct Counted(Vec<(Cycle, ClockTicks)>);

impl Probe for Counted {
    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}

    fn clocks(&mut self, reference: Cycle, before: ClockTicks) {
        self.0.push((reference, before));
    }
}

/// Node 0 holds a word in cycle 0 and sends it, is stepped in cycle 1 for its credit and never again; node 1 answers in the
/// cycle in which the word comes. So node 0 works once and node 1 once: a credit that comes is no work.
#[test]
fn ticks_at_work_are_those_in_which_something_is_done() {
    let router = Credited {
        words: 1,
        is_idle: true,
    };
    let network = Network::new(chain(2, false), router, 1);
    let clocks = clocks(vec![steady(1000, 0); 2], LinkTiming::wires(1000, 5, 0));
    let demand = Demand::until(Box::new(Once::new(&[])), Cycle(6));
    let mut engine = Clocked::new(network, clocks, demand, Counted::default(), 1);
    engine.run(&mut |_| ControlFlow::Continue(()));
    let counted = Box::new(engine).into_probe().0;
    let (_, last) = counted.last().expect("cycles are reported");
    // Steps: node 0 with its word, node 1 with the word, node 0 with the credit.
    assert_eq!((last.ticks - last.idle, last.working), (3, 2));
}

/// Nothing is ever to be done, so the run is over with the first tick, in nominal cycle 0, which takes 1,000 ps. In it a clock of
/// 500 ps ticks at 0 and 500, and one of 300 ps at 0, 300, 600 and 900; the ticks at 1,000 and 1,200 are in the next.
#[test]
fn clocks_tick_on_to_the_end_of_the_last_cycle() {
    let router = Credited {
        words: 0,
        is_idle: true,
    };
    let network = Network::new(chain(2, false), router, 1);
    let nodes = vec![steady(500, 0), steady(300, 0)];
    let clocks = clocks(nodes, LinkTiming::wires(1000, 5, 0));
    let demand = Demand::until(Box::new(Once::new(&[])), Cycle(100));
    let mut engine = Clocked::new(network, clocks, demand, Counted::default(), 1);
    engine.run(&mut |_| ControlFlow::Continue(()));
    let ticks = ClockTicks {
        ticks: 6,
        idle: 6,
        working: 0,
    };
    assert_eq!(Box::new(engine).into_probe().0, [(Cycle(1), ticks)]);
}
