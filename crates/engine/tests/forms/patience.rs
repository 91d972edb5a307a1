//! Self-timed nodes that look in vain: for how many steps they do so before they sleep, and what wakes them.

use super::passes::{ENDLESS, OUT, Passes, Role, Times, chain, clocks, passed, run, self_timed};
use flitwork_engine::{Clocked, Engine};
use flitwork_network::{Demand, LinkTiming, Network};
use flitwork_node::{Inputs, Outputs, Probe, Router, Site, Wait, WordRouter};
use flitwork_traffic::{Birth, Offer, Workload};
use flitwork_types::{Cycle, Due, NodeId, Packets, PortSet, TerminalId, Word};
use std::ops::ControlFlow;

/// Node 0 always has a word, and sends it after as many steps in which its link takes words and it does nothing. Other nodes
/// take what comes.
struct Hesitant {
    vain_steps: u32,
    /// What it says about itself.
    patience_cycles: u32,
}

/// A node, and for how many steps it has hesitated.
#[derive(Clone)]
struct Own {
    has_words: bool,
    hesitated: u32,
}

impl Router for Hesitant {
    type Node = Own;

    fn nodes(&self) -> Vec<Own> {
        [true, false]
            .map(|has_words| Own {
                has_words,
                hesitated: 0,
            })
            .to_vec()
    }

    fn waits(&self, _: NodeId, _: &Own, _: &Packets, _: Cycle) -> Vec<Wait> {
        Vec::new()
    }

    fn packet_words(&self) -> Option<u16> {
        Some(1)
    }

    /// More than its links hold.
    fn credit_words(&self) -> Option<u32> {
        Some(10)
    }
}

impl WordRouter for Hesitant {
    fn is_idle(&self, _: &Own) -> bool {
        false
    }

    fn next_step(&self, state: &Own, now: Cycle) -> Due {
        Due::when(state.has_words, now)
    }

    fn patience_cycles(&self) -> u32 {
        self.patience_cycles
    }

    fn step<P: Probe>(
        &self,
        state: &mut Own,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        if !state.has_words {
            if inputs.arrivals().next().is_some() {
                passed(site, now);
            }
        } else if !inputs.sendable.contains(OUT) {
            state.hesitated = 0;
        } else if state.hesitated < self.vain_steps {
            state.hesitated += 1;
        } else {
            state.hesitated = 0;
            outputs.send(OUT, Word::BLANK);
            passed(site, now);
        }
    }
}

/// A sender that takes 200 ps for a word, a link of 50 ps that holds one word, and a receiver that takes 100 ps, until 2,000
/// ps.
fn times(router: Hesitant) -> Times {
    let nodes = vec![self_timed(200), self_timed(100)];
    let clocks = clocks(nodes, LinkTiming::wires(50, 1, 0));
    run(&chain(2, false), router, &clocks, 2000)
}

/// Each word leaves 200 ps after the step that sends it and is taken at 250; at 300 the sender learns that the link takes words
/// again, and looks for as many steps as it hesitates, in no time. So every 300 ps.
///
/// While the link is full it looks at 200, in vain: `patience_cycles` times, and once more. Then it sleeps, and what it learns
/// at 300 makes it as patient again as it was.
#[test]
fn a_node_sleeps_when_its_patience_is_over_and_a_link_that_takes_words_wakes_it() {
    for patience in [1, 2, 5, 40] {
        let times = times(Hesitant {
            vain_steps: patience,
            patience_cycles: patience,
        });
        assert_eq!(times.of[0], [0, 300, 600, 900, 1200, 1500, 1800]);
        assert_eq!(times.of[1], [250, 550, 850, 1150, 1450, 1750]);
        let at = |at_ps: u64| times.steps[0].iter().filter(|it| **it == at_ps).count() as u32;
        for word_ps in [0, 300, 600, 900, 1200, 1500] {
            assert_eq!(at(word_ps), patience + 1, "until the word is sent");
            assert_eq!(at(word_ps + 200), patience + 1, "while the link is full");
        }
        let other = |at_ps: &&u64| !matches!(**at_ps % 300, 0 | 200);
        assert_eq!(times.steps[0].iter().find(other), None);
    }
}

/// A node that hesitates for longer than it says sleeps before it sends anything.
#[test]
fn a_node_with_too_little_patience_sleeps() {
    let times = times(Hesitant {
        vain_steps: 4,
        patience_cycles: 3,
    });
    assert_eq!(times.steps[0], [0; 4]);
    assert!(times.of[0].is_empty());
}

/// One packet of node 0, made in cycle 10.
struct Late(Option<Birth>);

impl Workload for Late {
    fn next(&mut self, source: TerminalId, _: Cycle) -> Offer {
        let birth = self.0.take_if(|_| source == TerminalId(0));
        birth.map_or(Offer::Never, Offer::Packet)
    }

    fn sources(&self) -> Vec<TerminalId> {
        vec![TerminalId(0)]
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(Late(self.0))
    }
}

/// A node steps once for a packet that may enter until cycle 20. Where none may enter from cycle 5 on, its source has nothing for
/// it in cycle 10, and it doesn't look without end.
#[test]
fn a_packet_that_comes_too_late_is_not_looked_for() {
    for (inject_until, steps) in [(20, &[10_000][..]), (5, &[])] {
        let birth = Birth {
            created: Cycle(10),
            destination: TerminalId(1),
            words: 1,
            class: 0,
        };
        let demand = Demand {
            workload: Box::new(Late(Some(birth))),
            inject_until: Cycle(inject_until),
            end: Cycle(20),
            review: None,
            is_task: false,
            reports_waits: true,
        };
        let network = Network::new(chain(2, false), Passes(vec![Role::default(); 2]), 1);
        let clocks = clocks(vec![self_timed(200); 2], LinkTiming::wires(50, 1, 0));
        let mut engine = Clocked::new(network, clocks, demand, Times::new(2), 1);
        let mut asked = 0;
        engine.run(&mut |_| {
            asked += 1;
            match asked < 1000 {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        let times = Box::new(engine).into_probe();
        let late = times.steps[0].iter().filter(|at_ps| **at_ps >= 10_000);
        assert_eq!(
            late.copied().collect::<Vec<_>>(),
            steps,
            "until {inject_until}"
        );
        assert!(asked < 1000, "until {inject_until}");
    }
}

/// A node takes 200 ps for a word, over a link of 150 ps that holds three; the other takes 10. The first word leaves at 200, is
/// taken at 350, and at 500 the sender learns of that. By then its third word, with which it began at 400, and which leaves at
/// 600, has filled the link. It goes on at 600, when its work is over, and not when it learns that there is room; and so on.
#[test]
fn a_node_that_is_held_goes_on_when_its_work_is_over() {
    let sender = Role {
        outs: PortSet::only(OUT),
        words: ENDLESS,
    };
    let nodes = Passes(vec![sender, Role::default()]);
    let clocks = clocks(
        vec![self_timed(200), self_timed(10)],
        LinkTiming::wires(150, 3, 0),
    );
    let times = run(&chain(2, false), nodes, &clocks, 1000);
    assert_eq!(times.of[0], [0, 200, 400, 600, 800]);
    assert_eq!(times.of[1], [350, 550, 750, 950]);
}
