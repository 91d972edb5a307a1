//! The right to send over a half-duplex link over which nothing is sent, to the ps: it goes to and fro.

use super::passes::{OUT, Times, chain, clocks, run_network, self_timed, steady};
use flitwork_network::{
    Clock, Crossing, Delay, Duplex, Flops, LinkTiming, Network, OwnTiming, Pause, SelfTimed,
    StageDelays,
};
use flitwork_node::{Inputs, Outputs, Probe, Router, Sampled, Site, Wait, WordRouter};
use flitwork_types::{Cycle, Due, NodeId, Packets, Word};

/// A router that sends nothing, but for a word that node 0 may have. A node may be idle without it; if not, a run ends with its
/// time.
struct Silent {
    nodes: usize,
    is_idle: bool,
}

impl Router for Silent {
    /// Whether it has the word.
    type Node = bool;

    fn nodes(&self) -> Vec<bool> {
        (0..self.nodes)
            .map(|node| self.is_idle && node == 0)
            .collect()
    }

    fn waits(&self, _: NodeId, _: &bool, _: &Packets, _: Cycle) -> Vec<Wait> {
        Vec::new()
    }

    fn packet_words(&self) -> Option<u16> {
        Some(1)
    }

    fn takes_half_duplex(&self) -> bool {
        true
    }
}

impl WordRouter for Silent {
    fn is_idle(&self, has_word: &bool) -> bool {
        self.is_idle && !has_word
    }

    fn next_step(&self, _: &bool, _: Cycle) -> Due {
        Due::NEVER
    }

    fn step<P: Probe>(
        &self,
        has_word: &mut bool,
        _: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        _: &mut Site<'_, P>,
    ) {
        if *has_word && inputs.sendable.contains(OUT) {
            *has_word = false;
            outputs.send(OUT, Word::BLANK);
        }
    }
}

/// Two nodes with one link, of whose ends that of node 0 has the right first.
fn times(nodes: [Clock; 2], links: LinkTiming, turnaround_cycles: u32, end_ps: u64) -> Times {
    let router = Silent {
        nodes: 2,
        is_idle: false,
    };
    let network =
        Network::new(chain(2, false), router, 1).with_duplex(Duplex::Half { turnaround_cycles });
    run_network(network, &clocks(nodes.to_vec(), links), end_ps)
}

/// A right that a self-timed node doesn't use leaves after a word's time. Node 0 takes 300 ps for a word and node 1 takes
/// 700, and the link 50: the right leaves node 0 at 300, stands at node 1 at 350, leaves there at 1050, and is back at 1100.
/// Neither node steps but for it.
#[test]
fn an_unused_right_takes_a_words_time_at_a_self_timed_node() {
    let nodes = [self_timed(300), self_timed(700)];
    let times = times(nodes, LinkTiming::wires(50, 10, 2), 0, 5000);
    assert_eq!(times.steps[0], [0, 1100, 2200, 3300, 4400]);
    assert_eq!(times.steps[1], [350, 1450, 2550, 3650, 4750]);
}

/// After a turnaround of three cycles: a node takes the right in its cycle c, at S, in no time, and may use it, or passes it
/// on, in cycle c + 3. Cycle c + 1 begins at S, and each cycle in which it only counts takes 40 ps: so at S + 80. Node 0 has
/// the right first, and passes it on at once.
///
/// So a right that leaves node 0 at 300 stands at node 1 at 350, is passed on at 430, leaves at 1130, stands at node 0 at
/// 1180, is passed on at 1260 and leaves at 1560: 1,260 ps after it did so before.
#[test]
fn a_self_timed_node_counts_a_turnarounds_cycles() {
    let node = |word_ps: u64| {
        Clock::SelfTimed(SelfTimed {
            count_ps: 40,
            ..SelfTimed::new(StageDelays {
                word: Delay::fixed(word_ps),
                decision: Delay::fixed(1),
                allocation: None,
                credit: None,
            })
        })
    };
    let links = LinkTiming::wires(50, 10, 2);
    let times = times([node(300), node(700)], links, 3, 3000);
    assert_eq!(times.steps[0], [0, 1180, 1260, 2440, 2520]);
    assert_eq!(times.steps[1], [350, 430, 1610, 1690, 2870, 2950]);
}

/// The links of two nodes, with this crossing at node 1 alone; node 0 sees at each tick what stands there.
fn into_node_1(latency_ps: u64, crossing: Crossing) -> LinkTiming {
    let mut links = LinkTiming::wires(latency_ps, 10, 0);
    let own = OwnTiming {
        crossing: Some(crossing),
        ..OwnTiming::default()
    };
    links.own.insert((NodeId(0), OUT), own);
    links
}

/// A right that comes alone keeps the ticks of a pausible clock away like a word. Node 0 ticks every 1,000 ps, node 1 every
/// 1,100 from its last tick on, the link takes 300 and a transfer 200. Each passes the right on at the tick at which it sees
/// it.
///
/// | node 0 passes at | stands at node 1 | requested | tick | stands at node 0 |
/// |---|---|---|---|---|
/// | 0 | 300 | 1100 | 1100 | 1400 |
/// | 2000 | 2300 | 3300 | 3300 | 3600 |
/// | 4000 | 4300 | 4400, only 100 later | 4500 | 4800 |
/// | 5000 | 5300 | 5600 | 5600 | 5900 |
/// | 6000 | 6300 | 6700 | 6700 | 7000, just in time |
/// | 7000 | 7300 | 7800 | 7800 | 8100 |
/// | 9000 | 9300 | 10,000 | 10,000 | 10,300 |
/// | 11,000 | 11,300 | 12,200 | 12,200 | 12,500 |
/// | 13,000 | 13,300 | 13,300, the same instant | 13,500 | 13,800 |
/// | 14,000 | 14,300 | 14,600 | 14,600 | |
#[test]
fn a_lone_right_keeps_ticks_of_a_pausible_clock_away() {
    let crossing = Crossing {
        pause: Some(Pause {
            transfer_ps: 200,
            arbiter: None,
        }),
        ..Crossing::synchronizer(0)
    };
    let nodes = [steady(1000, 0), steady(1100, 0)];
    let times = times(nodes, into_node_1(300, crossing), 0, 15_000);
    let expected: [u64; 14] = [
        0, 1100, 2200, 3300, 4500, 5600, 6700, 7800, 8900, 10_000, 11_100, 12_200, 13_500, 14_600,
    ];
    assert_eq!(times.steps[1], expected);
    assert!(times.steps[0].iter().all(|at_ps| at_ps % 1000 == 0));
}

/// A right is sampled once, at the first tick from its arrival on, although it is seen two edges later. Node 0 ticks every
/// 1,000 ps and node 1 every 500, and the link takes 1,000. The right leaves node 0 at 0, is sampled at 1000, just as it comes,
/// is seen at 2000, and is back at 3000: so it is sampled at 1000, 4000 and 7000, undecided each time.
#[test]
fn a_lone_right_is_sampled_once() {
    let crossing = Crossing {
        flops: Some(Flops {
            window_ps: 10,
            tau_ps: 100,
        }),
        ..Crossing::synchronizer(2)
    };
    let nodes = [steady(1000, 0), steady(500, 0)];
    let times = times(nodes, into_node_1(1000, crossing), 0, 9000);
    let undecided = |it: &Sampled| it.is_undecided;
    assert_eq!(times.sampled.len(), 3, "{:?}", times.sampled);
    assert!(times.sampled.iter().all(undecided));
}

/// The same between nodes 1 and 2 of three, which hold nothing, while a word is under way to node 1 for 50,000 ps: a node that
/// isn't stepped, because nothing that comes to it is seen yet, passes the right on all the same.
#[test]
fn an_idle_nodes_rights_go_on_while_a_word_is_under_way_to_it() {
    let crossing = Crossing {
        flops: Some(Flops {
            window_ps: 10,
            tau_ps: 100,
        }),
        ..Crossing::synchronizer(2)
    };
    let mut links = LinkTiming::wires(1000, 10, 0);
    let far = OwnTiming {
        latency_ps: Some(50_000),
        ..OwnTiming::default()
    };
    let sampled = OwnTiming {
        crossing: Some(crossing),
        ..OwnTiming::default()
    };
    links.own.insert((NodeId(0), OUT), far);
    links.own.insert((NodeId(1), OUT), sampled);
    let router = Silent {
        nodes: 3,
        is_idle: true,
    };
    let duplex = Duplex::Half {
        turnaround_cycles: 0,
    };
    let network = Network::new(chain(3, false), router, 1).with_duplex(duplex);
    let nodes = vec![steady(1000, 0), steady(1000, 0), steady(500, 0)];
    let times = run_network(network, &clocks(nodes, links), 45_000);
    // At 1000, 4000, 7000, …, 43,000.
    assert_eq!(times.sampled.len(), 15);
    assert_eq!(times.steps, [vec![0], vec![], vec![]]);
}
