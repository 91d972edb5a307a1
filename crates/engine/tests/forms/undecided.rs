//! What is decided by chance: arbiters of self-timed nodes, the mutual exclusion of pausible clocks, and flip-flops that
//! sample what changes. Times are held to their distributions, and counts to the formula for the mean time between failures.

use super::passes::{
    ENDLESS, IN, OUT, Passes, Role, Times, chain, clocks, run, self_timed, steady,
};
use flitwork_network::{
    Arbiter, Clock, Clocks, Crossing, Delay, Flops, LinkTiming, OwnTiming, Pause, SelfTimed,
    StageDelays,
};
use flitwork_node::Sampled;
use flitwork_topology::Graph;
use flitwork_types::{NodeId, Port, PortSet};

/// Whether numbers could come from an exponential distribution, each rounded to a whole number: Kolmogorov and Smirnov
/// at 1 %, where the greatest distance is below 1.63 / sqrt(n). Rounding moves the distribution by 1 / 2 mean at most.
fn is_exponential(numbers: &[u64], mean: u64) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let (count, mean) = (sorted.len() as f64, mean as f64);
    let distance = sorted.iter().enumerate().map(|(place, number)| {
        let exact = 1.0 - (-(*number as f64) / mean).exp();
        let (below, above) = (place as f64 / count, (place + 1) as f64 / count);
        (exact - below).abs().max((exact - above).abs())
    });
    distance.fold(0.0, f64::max) < 1.63 / count.sqrt()
}

/// Whether a count is within four standard errors of a binomial's mean.
fn is_likely(count: usize, of: usize, chance: f64) -> bool {
    let mean = of as f64 * chance;
    let error = (mean * (1.0 - chance)).sqrt();
    (count as f64 - mean).abs() <= 4.0 * error
}

#[test]
fn numbers_are_told_apart() {
    let numbers: Vec<u64> = (0..5000)
        .map(|place| {
            let part = (f64::from(place) + 0.5) / 5000.0;
            (-part.ln() * 1000.0) as u64
        })
        .collect();
    assert!(is_exponential(&numbers, 1000));
    assert!(!is_exponential(&numbers, 1100));
    let cut: Vec<u64> = numbers.iter().map(|number| (*number).min(2500)).collect();
    assert!(!is_exponential(&cut, 1000));
    assert!(is_likely(100, 10_000, 0.011) && !is_likely(100, 10_000, 0.02));
}

const ROUND_PS: u64 = 100_000;
const WORD_PS: u64 = 2000;

/// Rounds in which words come to the inputs of a self-timed node, each so many ps after the round's begin, and how long
/// after the begin of the last step of each round its word is at the next node, less what a step and the links take.
fn extra_ps(arbiter: Arbiter, seed: u64, offsets_ps: &[u64]) -> Vec<u64> {
    let inputs = offsets_ps.len() as u32;
    let (node, sink) = (inputs, inputs + 1);
    let mut graph = Graph::of_nodes(inputs + 2).unwrap();
    for input in 0..inputs {
        let to = Port(2 + input as u8);
        graph
            .link((NodeId(input), OUT), (NodeId(node), to), None)
            .unwrap();
    }
    graph
        .link((NodeId(node), OUT), (NodeId(sink), IN), None)
        .unwrap();
    let role = |words| Role {
        outs: PortSet::only(OUT),
        words,
    };
    let mut roles = vec![role(ENDLESS); inputs as usize];
    roles.extend([role(0), Role::default()]);
    let fixed = Delay::fixed(WORD_PS);
    let stages = StageDelays {
        word: fixed,
        decision: fixed,
        allocation: None,
        credit: None,
    };
    let mut nodes: Vec<Clock> = offsets_ps
        .iter()
        .map(|at_ps| steady(ROUND_PS, *at_ps))
        .collect();
    nodes.push(Clock::SelfTimed(SelfTimed {
        arbiter: Some(arbiter),
        ..SelfTimed::new(stages)
    }));
    nodes.push(self_timed(1));
    let clocks = Clocks {
        seed,
        ..clocks(nodes, LinkTiming::wires(10, 1000, 0))
    };
    let rounds = 4000;
    let times = run(
        &graph.build().unwrap(),
        Passes(roles),
        &clocks,
        rounds * ROUND_PS,
    );
    let round = |at_ps: &u64| at_ps / ROUND_PS;
    let begins = times.steps[node as usize].chunk_by(|one, other| round(one) == round(other));
    let ends = times.of[sink as usize].chunk_by(|one, other| round(one) == round(other));
    let extra = begins.zip(ends).map(|(begins, ends)| {
        let [.., begin] = begins else {
            panic!("a round without a step")
        };
        let [.., end] = ends else {
            panic!("a round without a word")
        };
        end - begin - WORD_PS - 10
    });
    let extra: Vec<u64> = extra.collect();
    assert!(extra.len() as u64 >= rounds - 1);
    extra
}

/// Two words come at once, so the arbiter is undecided each time, from the step's begin on.
#[test]
fn an_arbiters_decision_has_an_exponential_tail() {
    for seed in 1..=3 {
        for (window_ps, tau_ps) in [(0, 500), (100, 3000), (100, 8000)] {
            let arbiter = Arbiter { window_ps, tau_ps };
            let extra = extra_ps(arbiter, seed, &[300, 300]);
            assert!(is_exponential(&extra, tau_ps), "{arbiter:?}, seed {seed}");
        }
    }
}

/// A word comes 300 ps after the round's begin and takes 2,000. Two more come 1,000 and 1,080 ps later, 920 before the
/// next step can begin: an arbiter that has been undecided for less by then delays nothing. That has the probability 1 -
/// exp(-920 / tau); the rest of the time, if there is any, is distributed like the whole.
#[test]
fn an_arbiter_decides_while_its_node_is_busy() {
    for tau_ps in [400, 2000] {
        let arbiter = Arbiter {
            window_ps: 80,
            tau_ps,
        };
        let extra = extra_ps(arbiter, 7, &[300, 1300, 1380]);
        let late: Vec<u64> = extra.iter().copied().filter(|extra| *extra > 0).collect();
        let chance = (-920.0 / tau_ps as f64).exp();
        assert!(
            is_likely(late.len(), extra.len(), chance),
            "{}, tau {tau_ps}",
            late.len()
        );
        assert!(is_exponential(&late, tau_ps), "tau {tau_ps}");
    }
}

/// Requests further apart than the window, and a lone one, find the arbiter decided.
#[test]
fn an_arbiter_decides_at_once_between_requests_that_are_apart() {
    let arbiter = Arbiter {
        window_ps: 79,
        tau_ps: 1000,
    };
    assert!(
        extra_ps(arbiter, 7, &[300, 1300, 1380])
            .iter()
            .all(|extra| *extra == 0)
    );
    assert!(extra_ps(arbiter, 7, &[300]).iter().all(|extra| *extra == 0));
    // At the window's edge it doesn't.
    let wider = Arbiter {
        window_ps: 80,
        ..arbiter
    };
    assert!(
        extra_ps(wider, 7, &[300, 1300, 1380])
            .iter()
            .any(|extra| *extra > 0)
    );
}

/// A node always has a word of its own left, for which it is ready as soon as a step is over: 2,000 ps after the step began,
/// and later where its arbiter was undecided. Once in a round, 300 ps after its begin and 10 of a link, a word comes as well.
/// The two requests are as far apart as the word waits for the step that takes it. Within the window the arbiter is undecided
/// from that step's begin on; no other step meets two requests. Rounds aren't a multiple of steps, so that words come at any
/// time of a step, and none waits for 2,000.
#[test]
fn the_work_that_a_node_has_left_is_a_request() {
    const APART_PS: u64 = ROUND_PS + 130;
    let role = Role {
        outs: PortSet::only(OUT),
        words: ENDLESS,
    };
    let fixed = Delay::fixed(WORD_PS);
    let stages = StageDelays {
        word: fixed,
        decision: fixed,
        allocation: None,
        credit: None,
    };
    let (rounds, tau_ps) = (1000, 3000);
    for (window_ps, least) in [(500, 100), (WORD_PS - 1, 990)] {
        let node = Clock::SelfTimed(SelfTimed {
            arbiter: Some(Arbiter { window_ps, tau_ps }),
            ..SelfTimed::new(stages)
        });
        let nodes = vec![steady(APART_PS, 300), node, self_timed(1)];
        let times = run(
            &chain(3, false),
            Passes(vec![role, role, Role::default()]),
            &clocks(nodes, LinkTiming::wires(10, 1000, 0)),
            rounds * APART_PS,
        );
        let steps = times.steps[1].windows(2);
        let steps = steps.map(|pair| (pair[0], pair[1] - pair[0] - WORD_PS));
        let since_ps = |begin: u64| (begin + APART_PS - 310) % APART_PS;
        let (close, apart): (Vec<_>, Vec<_>) =
            steps.partition(|(begin, _)| since_ps(*begin) <= window_ps);
        assert!(apart.iter().all(|(_, extra)| *extra == 0), "{window_ps}");
        let extra: Vec<u64> = close.into_iter().map(|(_, extra)| extra).collect();
        assert!(extra.len() >= least, "{window_ps}: {}", extra.len());
        assert!(is_exponential(&extra, tau_ps), "{window_ps}");
    }
}

/// A pausible clock of 10,000 ps, to which words come at any time: by how much each tick is late, with the ps between the
/// word and the request, for ticks between whose request and the one before a word came.
fn late_ps(arbiter: Option<Arbiter>, transfer_ps: u64, seed: u64) -> Vec<(u64, u64)> {
    let pause = Pause {
        transfer_ps,
        arbiter,
    };
    let own = OwnTiming {
        crossing: Some(Crossing {
            pause: Some(pause),
            ..Crossing::synchronizer(0)
        }),
        ..OwnTiming::default()
    };
    let mut links = LinkTiming::wires(10, 1000, 0);
    links.own.insert((NodeId(0), OUT), own);
    let role = Role {
        outs: PortSet::only(OUT),
        words: ENDLESS,
    };
    let router = Passes(vec![role, Role::default()]);
    let nodes = vec![steady(12_347, 0), steady(10_000, 0)];
    let clocks = Clocks {
        seed,
        ..clocks(nodes, links)
    };
    let times = run(&chain(2, false), router, &clocks, 12_347 * 20_000);
    let [sent, ticks] = [&times.of[0], &times.steps[1]];
    let mut came = sent.iter().map(|at_ps| at_ps + 10).peekable();
    let mut late = Vec::new();
    for pair in ticks.windows(2) {
        let request_ps = pair[0] + 10_000;
        let mut last = None;
        while let Some(came_ps) = came.next_if(|came_ps| *came_ps <= request_ps) {
            last = Some(came_ps);
        }
        // What came before the last tick has its turn after that, and is over by the next.
        match last.filter(|came_ps| *came_ps > pair[0]) {
            Some(came_ps) => late.push((request_ps - came_ps, pair[1] - request_ps)),
            None => assert_eq!(pair[1], request_ps),
        }
    }
    late
}

/// Words that come within the window before a request leave the mutual exclusion undecided from the request on, and the
/// tick is that late if the word's transfer is over by then. Others delay nothing but by their transfers.
#[test]
fn a_pausible_clocks_decision_has_an_exponential_tail() {
    for (tau_ps, seed) in [(400, 1), (1500, 2), (1500, 3)] {
        let arbiter = Arbiter {
            window_ps: 2500,
            tau_ps,
        };
        let late = late_ps(Some(arbiter), 1, seed);
        let (close, apart): (Vec<_>, Vec<_>) = late.iter().partition(|(before, _)| *before <= 2500);
        assert!(apart.iter().all(|(_, late)| *late == 0));
        assert!(close.len() > 3000, "{}", close.len());
        let close: Vec<u64> = close.iter().map(|(_, late)| *late).collect();
        assert!(is_exponential(&close, tau_ps), "tau {tau_ps}, seed {seed}");
    }
}

/// With a transfer of 3,000 ps a tick is late by what is left of that, or by the decision if that takes longer: whatever
/// exceeds the rest of the transfer is distributed like the whole.
#[test]
fn a_pausible_clock_waits_for_the_later_of_transfer_and_decision() {
    let arbiter = Arbiter {
        window_ps: 2500,
        tau_ps: 1500,
    };
    let (mut later, mut chances, mut close) = (Vec::new(), 0.0, 0);
    for (before, late) in late_ps(Some(arbiter), 3000, 4) {
        let transfer_ps = 3000_u64.saturating_sub(before);
        assert!(late >= transfer_ps);
        if before > 2500 {
            assert_eq!(late, transfer_ps);
            continue;
        }
        close += 1;
        chances += (-(transfer_ps as f64) / 1500.0).exp();
        if late > transfer_ps {
            later.push(late - transfer_ps);
        }
    }
    assert!(
        close > 3000 && later.len() > 1000,
        "{close}, {}",
        later.len()
    );
    assert!(is_likely(later.len(), close, chances / close as f64));
    assert!(is_exponential(&later, 1500));
    // Without an arbiter nothing is drawn.
    let alone = late_ps(None, 3000, 4);
    let transfer = |before: u64| 3000_u64.saturating_sub(before);
    assert!(
        alone
            .iter()
            .all(|(before, late)| *late == transfer(*before))
    );
}

/// Four nodes that send to a fifth whatever its port takes, each with a clock of its own, over synchronizers whose flip-flops
/// are in the words' way or in that of the reports that words have been taken.
struct Star {
    flops: Flops,
    edges: [u32; 4],
    senders_ps: [u64; 4],
    receiver_ps: u64,
    are_reports: bool,
}

/// The times of its nodes, of which the last is the one that all send to.
fn sampled(star: &Star, seed: u64) -> Times {
    let mut graph = Graph::of_nodes(5).unwrap();
    let mut links = LinkTiming::wires(317, 6, 0);
    for (node, edges) in (0..).zip(star.edges) {
        let ends = [(NodeId(node), OUT), (NodeId(4), Port(2 + node as u8))];
        graph.link(ends[0], ends[1], None).unwrap();
        let crossing = Crossing {
            flops: Some(star.flops),
            ..Crossing::synchronizer(edges)
        };
        let own = OwnTiming {
            crossing: Some(crossing),
            ..OwnTiming::default()
        };
        links.own.insert(ends[usize::from(star.are_reports)], own);
    }
    let mut nodes: Vec<Clock> = (0..)
        .zip(star.senders_ps)
        .map(|(node, period_ps)| steady(period_ps, node * 291))
        .collect();
    nodes.push(steady(star.receiver_ps, 100));
    let clocks = Clocks {
        seed,
        ..clocks(nodes, links)
    };
    let sender = Role {
        outs: PortSet::only(OUT),
        words: ENDLESS,
    };
    let mut roles = vec![sender; 4];
    roles.push(Role::default());
    run(&graph.build().unwrap(), Passes(roles), &clocks, 40_000_000)
}

/// At periods without a common measure, words that are sent in each tick of a slower clock come at any time of a period of
/// the receiver's, and so do the reports of words that are taken in each tick of a slower clock. As many of them leave a
/// flip-flop undecided as the window is of a period, and of these exp(-n T / tau) still are n edges later. The sum over
/// all crossings, each of what came to it, is the number of failures expected; each arrival carries its part.
#[test]
fn failures_are_as_many_as_the_formula_says() {
    for (window_ps, tau_ps, edges, seed) in [
        (200, 600, [0, 0, 0, 0], 1),
        (200, 600, [1, 1, 1, 1], 2),
        (400, 900, [2, 2, 2, 2], 3),
        (400, 900, [0, 1, 2, 3], 4),
        (900, 2000, [3, 0, 1, 2], 5),
        (2, 5000, [0, 1, 0, 1], 6),
    ] {
        for are_reports in [false, true] {
            let periods = [1009, 1201, 1433, 1789];
            let star = Star {
                flops: Flops { window_ps, tau_ps },
                edges,
                senders_ps: periods,
                receiver_ps: if are_reports { 1997 } else { 991 },
                are_reports,
            };
            star.check(seed);
        }
    }
}

impl Star {
    fn check(&self, seed: u64) {
        let times = sampled(self, seed);
        let (mut undecided, mut failures, mut all) = (0.0, 0.0, 0);
        for (node, edges) in self.edges.iter().enumerate() {
            let period_ps = match self.are_reports {
                true => self.senders_ps[node] as f64,
                false => self.receiver_ps as f64,
            };
            // Each word that was sent comes once, and is reported once.
            let came = times.of[node].len();
            let close = came as f64 * self.flops.window_ps as f64 / period_ps;
            let patience = f64::from(*edges) * period_ps / self.flops.tau_ps as f64;
            undecided += close;
            failures += close * (-patience).exp();
            all += came;
        }
        let came = times.sampled.len();
        // Some are under way at the end, at most as many as links hold.
        assert!(all - came <= 4 * 6, "{came} of {all}");
        let count = |which: fn(&Sampled) -> bool| {
            times.sampled.iter().filter(|it| which(it)).count() as f64
        };
        let (were_undecided, failed) = (count(|it| it.is_undecided), count(|it| it.has_failed));
        let expected: f64 = times.sampled.iter().map(|it| it.failure_chance).sum();
        let what = format!(
            "{:?}, {:?}: {were_undecided} undecided of {undecided}, {failed} failures of {failures}, {expected}",
            self.flops, self.edges
        );
        let within = |count: f64, mean: f64| (count - mean).abs() <= 4.0 * mean.sqrt();
        assert!(within(were_undecided, undecided), "{what}");
        assert!(within(failed, failures), "{what}");
        assert!((expected / failures - 1.0).abs() < 0.001, "{what}");
        assert!(failures > 50.0, "{what}");
        assert!(count(|it| it.has_failed && !it.is_undecided) == 0.0);
    }
}

/// A window as long as the period, or longer, leaves each arrival undecided, and no more than each.
#[test]
fn a_window_of_a_period_leaves_nothing_decided() {
    for window_ps in [991, 5000] {
        let star = Star {
            flops: Flops {
                window_ps,
                tau_ps: 700,
            },
            edges: [1; 4],
            senders_ps: [1009, 1201, 1433, 1789],
            receiver_ps: 991,
            are_reports: false,
        };
        let times = sampled(&star, 1);
        assert!(times.sampled.iter().all(|it| it.is_undecided));
        // One edge of 991 ps.
        let chance = (-991.0_f64 / 700.0).exp();
        let near = |it: &Sampled| (it.failure_chance - chance).abs() < 1e-12;
        assert!(times.sampled.iter().all(near), "{chance}");
    }
}
