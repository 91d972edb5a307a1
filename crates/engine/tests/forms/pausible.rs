//! Pausible clocks: a node that takes words, whose clock waits for what comes (docs/src/crossings.md).
//!
//! The clock requests a tick at R, a period after its last tick. With the last request at R', the tick is at the latest of R
//! and of A + transfer, for all A from R' (not included) to R at which something came; what came before the last tick
//! counts from that on. The tick shows what stood there at R.

use super::passes::{ENDLESS, OUT, Passes, Role, Times, chain, clocks, run, steady};
use flitwork_network::{Arbiter, Clock, Clocks, Crossing, LinkTiming, OwnTiming, Pause, Periodic};
use flitwork_node::draw_below;
use flitwork_topology::Graph;
use flitwork_types::{Cycle, NodeId, Port, PortSet};

/// A producer that sends in each of its ticks while the link has room, and a consumer with a pausible clock.
#[derive(Clone, Copy, Debug)]
struct Pair {
    producer: (u64, u64),
    consumer: (u64, u64),
    latency_ps: u64,
    transfer_ps: u64,
    capacity_words: u32,
    /// Of the synchronizer through which the producer sees that there is room.
    edges: u32,
}

/// When a pair's consumer ticked, and at which ticks it took a word.
#[derive(Debug, PartialEq)]
struct Ticks {
    at_ps: Vec<u64>,
    takes: Vec<bool>,
}

impl Pair {
    fn of(producer_ps: u64, consumer_ps: u64, transfer_ps: u64) -> Pair {
        Pair {
            producer: (producer_ps, 0),
            consumer: (consumer_ps, 0),
            latency_ps: 500,
            transfer_ps,
            capacity_words: 20,
            edges: 0,
        }
    }

    fn run(&self, end_ps: u64) -> Ticks {
        let (producer, consumer) = (self.producer, self.consumer);
        let nodes = [producer, consumer].map(|(period_ps, phase_ps)| steady(period_ps, phase_ps));
        let mut links = LinkTiming::wires(self.latency_ps, self.capacity_words, self.edges);
        links
            .own
            .insert((NodeId(0), OUT), pausible(self.transfer_ps));
        let sender = Role {
            outs: PortSet::only(OUT),
            words: ENDLESS,
        };
        let router = Passes(vec![sender, Role::default()]);
        let clocks = clocks(nodes.to_vec(), links);
        ticks(&run(&chain(2, false), router, &clocks, end_ps), 1)
    }

    /// The same by the rules above, tick by tick.
    fn expected(&self, end_ps: u64) -> Ticks {
        let mut sends: Vec<u64> = Vec::new();
        let (mut taken, mut ticks) = (Vec::new(), Vec::new());
        let mut takes = Vec::new();
        let (mut requested_ps, mut produces_ps) = (0, self.producer.1);
        let mut request_ps = self.consumer.1;
        while request_ps < end_ps {
            // What the producer has sent by then, with what it has seen taken.
            while produces_ps + self.latency_ps <= request_ps {
                let edges_ps = u64::from(self.edges) * self.producer.0;
                let is_seen = |at_ps: &&u64| **at_ps + self.latency_ps + edges_ps <= produces_ps;
                let seen = taken.iter().filter(is_seen).count();
                if sends.len() - seen < self.capacity_words as usize {
                    sends.push(produces_ps);
                }
                produces_ps += self.producer.0;
            }
            let ticked_ps = ticks.last().copied().unwrap_or(0);
            let came = sends.iter().map(|at_ps| at_ps + self.latency_ps);
            let came = came.filter(|at_ps| (requested_ps + 1..=request_ps).contains(at_ps));
            let kept_away = came.map(|at_ps| at_ps.max(ticked_ps) + self.transfer_ps);
            let tick_ps = kept_away.max().map_or(request_ps, |it| it.max(request_ps));
            if tick_ps >= end_ps {
                break;
            }
            let is_there = sends
                .get(taken.len())
                .is_some_and(|at_ps| at_ps + self.latency_ps <= request_ps);
            if is_there {
                taken.push(tick_ps);
            }
            takes.push(is_there);
            ticks.push(tick_ps);
            (requested_ps, request_ps) = (request_ps, tick_ps + self.consumer.0);
        }
        Ticks {
            at_ps: ticks,
            takes,
        }
    }

    /// Words that are taken in each of the last `cycles` ticks of a long run.
    fn taken_in(&self, cycles: usize) -> usize {
        let ticks = self.run(1_000_000);
        assert!(ticks.at_ps.len() > 3 * cycles + 100, "{self:?}");
        let taken = |last: usize| {
            let takes = ticks.takes.iter().rev().skip(last).take(cycles);
            takes.filter(|takes| **takes).count()
        };
        assert_eq!(taken(0), taken(cycles), "{self:?}");
        taken(0)
    }
}

fn pausible(transfer_ps: u64) -> OwnTiming {
    let pause = Pause {
        transfer_ps,
        arbiter: None,
    };
    let crossing = Crossing {
        pause: Some(pause),
        ..Crossing::synchronizer(0)
    };
    OwnTiming {
        crossing: Some(crossing),
        ..OwnTiming::default()
    }
}

fn ticks(times: &Times, node: usize) -> Ticks {
    let at_ps = times.steps[node].clone();
    let took = &times.of[node];
    let takes = at_ps.iter().map(|at_ps| took.binary_search(at_ps).is_ok());
    Ticks {
        takes: takes.collect(),
        at_ps,
    }
}

/// By hand, with periods of 1,618 and 1,000 ps and a transfer of 200 ps. Words stand at the consumer at 500, 2,118, 3,736,
/// 5,354, 6,972, 8,590, 10,208, 11,826, 13,444 and 15,062.
///
/// - The ticks at 1,000 to 6,000 are delayed by nothing: the word at 3,736 keeps ticks away until 3,936.
/// - That at 6,972 comes 28 ps before the request at 7,000: the tick is at 7,172, and takes it.
/// - 8,172 and 9,172 take the next one, which came at 8,590. 10,172 takes none: 10,208 is later.
/// - 11,172 takes that. The request at 12,172 is more than 200 ps after 11,826, that at 13,172 sees nothing new.
/// - 14,172 takes what came at 13,444. At 15,172 the word of 15,062 has come: the tick is at 15,262.
///
/// So it goes on: a delay leaves a tick 200 ps after a word, the next words come 582, 964, 346 and 728 ps before a request,
/// and the fifth 110 ps before one, 90 ps too late. Five words take 8 ticks, of 8,090 ps: 5/8 of a word in each, where the
/// nominal periods' ratio is 0.618.
#[test]
fn ticks_wait_for_words() {
    let pair = Pair::of(1618, 1000, 200);
    let ticks = pair.run(15_500);
    let expected: [u64; 16] = [
        0, 1000, 2000, 3000, 4000, 5000, 6000, 7172, 8172, 9172, 10_172, 11_172, 12_172, 13_172,
        14_172, 15_262,
    ];
    assert_eq!(ticks.at_ps, expected);
    let takes: Vec<usize> = (0..16).filter(|tick| ticks.takes[*tick]).collect();
    assert_eq!(takes, [1, 3, 4, 6, 7, 9, 11, 12, 14, 15]);
    let long = pair.run(1_000_000);
    let apart = long.at_ps.windows(9).skip(20).map(|nine| nine[8] - nine[0]);
    assert!(apart.into_iter().all(|ps| ps == 8090));
    assert_eq!(pair.taken_in(8 * 20), 5 * 20);
}

/// A tick is requested at 1,000, and a word that came to the first port at 900 keeps it away until 1,200. Another comes to
/// the second port at 1,100: it isn't seen by the tick at 1,200, goes on after that, and is seen at 2,200 although its
/// transfer takes until 1,200 + 700.
#[test]
fn what_comes_while_a_tick_is_delayed_waits_for_the_next() {
    let times = two_words([900, 1100], [300, 700], steady(1000, 0), 4000);
    assert_eq!(times.steps[2], [0, 1000 + 200, 2200, 3200]);
    assert_eq!(times.of[2], [1200, 2200]);
}

/// The same where the next tick is requested sooner than a transfer takes: at the end of a gate. The tick at 5000 is requested
/// before the gate, which begins at 5001, and the word of 4950 keeps it away until 5250. The word of 5100 goes on then, and
/// keeps the first tick after the gate, requested at 5401, away until 5250 + 350.
#[test]
fn what_came_while_a_tick_was_delayed_keeps_the_next_away_from_that_tick_on() {
    let gated = Periodic::new(1000, 0)
        .with_gate_from(5001)
        .with_period_from(5401, 1000);
    let times = two_words([4950, 5100], [300, 350], Clock::Periodic(gated), 7000);
    let expected: [u64; 8] = [0, 1000, 2000, 3000, 4000, 5250, 5600, 6600];
    assert_eq!(times.steps[2], expected);
    assert_eq!(times.of[2], [5250, 5600]);
}

/// Two words that come to two ports of a pausible clock, at these times and with these transfers.
fn two_words(come_ps: [u64; 2], transfers_ps: [u64; 2], clock: Clock, end_ps: u64) -> Times {
    let mut graph = Graph::of_nodes(3).unwrap();
    let mut links = LinkTiming::wires(100, 20, 0);
    for (node, transfer_ps) in [0, 1].into_iter().zip(transfers_ps) {
        let (from, to) = ((NodeId(node), OUT), (NodeId(2), Port(node as u8)));
        graph.link(from, to, None).unwrap();
        links.own.insert(from, pausible(transfer_ps));
    }
    let senders = come_ps.map(|at_ps| steady(100_000, at_ps - 100));
    let nodes = [&senders[..], &[clock]].concat();
    let one = Role {
        outs: PortSet::only(OUT),
        words: 1,
    };
    let router = Passes(vec![one, one, Role::default()]);
    run(
        &graph.build().unwrap(),
        router,
        &clocks(nodes, links),
        end_ps,
    )
}

/// A word comes at 9,000, 1,000 ps before the tick that is requested at 10,000, and its transfer is over long before that. With
/// a window of 1,000 ps the mutual exclusion is undecided at the request, for a time with a mean of 5,000 ps, which rounds to 0
/// once in 10,000 times; with one of 999 ps it isn't. The tick before and the one after are a period away in both cases.
#[test]
fn a_word_at_the_edge_of_the_arbiters_window_leaves_it_undecided() {
    for seed in 1..=8 {
        for (window_ps, is_undecided) in [(1000, true), (999, false)] {
            let arbiter = Some(Arbiter {
                window_ps,
                tau_ps: 5000,
            });
            let mut own = pausible(1);
            if let Some(Crossing {
                pause: Some(pause), ..
            }) = &mut own.crossing
            {
                pause.arbiter = arbiter;
            }
            let mut links = LinkTiming::wires(100, 20, 0);
            links.own.insert((NodeId(0), OUT), own);
            let one = Role {
                outs: PortSet::only(OUT),
                words: 1,
            };
            let clocks = Clocks {
                seed,
                ..clocks(vec![steady(1_000_000, 8900), steady(10_000, 0)], links)
            };
            let router = Passes(vec![one, Role::default()]);
            let times = run(&chain(2, false), router, &clocks, 400_000);
            let [first, tick, next] = times.steps[1][..3] else {
                panic!("{times:?}")
            };
            assert_eq!((first, next - tick), (0, 10_000), "seed {seed}");
            assert_eq!(tick > 10_000, is_undecided, "seed {seed}: {tick}");
            assert_eq!(times.of[1], [tick]);
        }
    }
}

/// Words in each cycle of the consumer: all that are sent, where the producer's period is n / m of the consumer's and
/// longer; one in each where it is shorter. Phases settle after a few ticks, since a word that has delayed a tick is
/// followed by others in the same places before later ticks, none of them nearer than the transfer.
#[test]
fn a_consumer_takes_a_word_in_each_of_its_own_cycles_or_all_that_come() {
    let ratios = [
        (1, 4),
        (1, 3),
        (1, 2),
        (2, 3),
        (1, 1),
        (3, 2),
        (2, 1),
        (3, 1),
        (4, 1),
    ];
    for (of_producer, of_consumer) in ratios {
        for (producer_phase_ps, consumer_phase_ps) in [(0, 0), (0, 499), (777, 0), (13, 1190)] {
            for transfer_ps in [1, 100, 333] {
                let pair = Pair {
                    producer: (1200 * of_producer, producer_phase_ps),
                    consumer: (1200 * of_consumer, consumer_phase_ps),
                    ..Pair::of(1, 1, transfer_ps)
                };
                let cycles = of_producer as usize;
                let words = cycles.min(of_consumer as usize);
                assert_eq!(pair.taken_in(20 * cycles), 20 * words, "{pair:?}");
            }
        }
    }
}

/// A word every 1,500 ps, which comes 0 and 500 ps before requests in turn: where the transfer takes longer than 500 ps,
/// each word delays a tick. With 700 ps, a word and 700 ps later a tick; another tick would be 1,000 later, and the next word
/// has come 200 ps before that: 500 ps of delay. So a word in each cycle, of 1,500 ps.
#[test]
fn a_long_transfer_stretches_each_cycle() {
    let pair = Pair::of(1500, 1000, 700);
    let ticks = pair.run(1_000_000);
    let apart = ticks.at_ps.windows(2).skip(20).map(|two| two[1] - two[0]);
    assert!(apart.into_iter().all(|ps| ps == 1500));
    assert_eq!(pair.taken_in(100), 100);
}

/// All ticks, for periods without a common measure, links that fill up, and any phases.
#[test]
fn all_ticks_are_those_of_the_rules() {
    let mut delayed = 0;
    for case in 0..400 {
        let mut draws = 0;
        let mut below = |bound: u32| {
            draws += 1;
            u64::from(draw_below(bound, 43, NodeId(case), Cycle(draws), 0))
        };
        let consumer_ps = 400 + below(1200);
        let producer_ps = (consumer_ps * (250 + below(4000))).div_ceil(1000);
        let pair = Pair {
            producer: (producer_ps, below(2000)),
            consumer: (consumer_ps, below(2000)),
            latency_ps: 1 + below(1500),
            transfer_ps: 1 + below(consumer_ps as u32 - 1),
            capacity_words: 1 + below(12) as u32,
            edges: below(3) as u32,
        };
        let (ticks, expected) = (pair.run(300_000), pair.expected(300_000));
        let wrong = ticks
            .at_ps
            .iter()
            .zip(&expected.at_ps)
            .position(|(one, other)| one != other);
        assert_eq!(wrong, None, "{pair:?}");
        assert_eq!(ticks, expected, "{pair:?}");
        let stretched = ticks
            .at_ps
            .windows(2)
            .filter(|two| two[1] - two[0] != consumer_ps);
        delayed += stretched.count();
    }
    assert!(delayed > 5000, "{delayed}");
}

/// Nodes whose clocks tick at the same instants wait for nothing, whatever lies between them: words that come 100 ps before each
/// tick are taken at it.
#[test]
fn clocks_that_tick_together_dont_wait_for_each_other() {
    let mut links = LinkTiming::wires(900, 5, 0);
    links.own.insert((NodeId(0), OUT), pausible(400));
    let sender = Role {
        outs: PortSet::only(OUT),
        words: ENDLESS,
    };
    let clocks = clocks(vec![steady(1000, 0), steady(1000, 0)], links);
    let times = run(
        &chain(2, false),
        Passes(vec![sender, Role::default()]),
        &clocks,
        20_000,
    );
    let all: Vec<u64> = (0..20).map(|tick| 1000 * tick).collect();
    assert_eq!(times.steps[1], all);
    assert_eq!(times.of[1], all[1..]);
}

/// A clock without pausible ports isn't touched by another one's.
#[test]
fn other_clocks_keep_time() {
    let mut clocks: Clocks = clocks(
        vec![steady(700, 0), steady(1000, 0)],
        LinkTiming::wires(1, 5, 2),
    );
    clocks.links.own.insert((NodeId(0), OUT), pausible(400));
    let role = Role {
        outs: PortSet::only(OUT),
        words: ENDLESS,
    };
    let times = run(&chain(2, true), Passes(vec![role; 2]), &clocks, 200_000);
    assert!(times.steps[0].iter().all(|at_ps| at_ps % 700 == 0));
    assert!(times.steps[1].iter().any(|at_ps| at_ps % 1000 != 0));
}
