//! Rings of self-timed nodes that pass words on over links with handshakes: micropipelines.
//!
//! A link begins with latch 0 (docs/src/handshakes.md, Segments): a node that steps at s(k), k = 0, 1, 2, …, and takes d ps
//! for it sends a word at s(k) + d, which enters latch 0 at e(k), once the word before it has been taken by the next node and
//! acknowledged, a ps after that. The node may step again at e(k): then, or when the next word comes. The word stands at
//! the next node f ps after it left latch 0, at e(k) or b ps after the word before was taken. So over links without further
//! latches,
//!
//! ```text
//! e[i](k) = max(s[i](k) + d, x[i+1](k-1) + a)
//! s[i](k) = max(e[i](k-1), the word that it passes on is there)
//! x[i](k) >= max(e[i-1](k), x[i](k-1) + b) + f
//! ```
//!
//! where x[i](k) = s[i](k + m[i]) is when node i takes the k-th word that comes: m[i] is the number of words that it has at
//! first, up to two. It passes these on at once, one after the other, before any word can come: the first at 0 ps, the second
//! when the first is in latch 0, at d. So the step of a second word is as good as past, and the ring begins with a
//! word in that latch.
//!
//! This is a marked graph. The stage of each node and its latch 0 are places for a word. Its simple cycles are all forward
//! arcs, with as many tokens as there are words, and d + f for each node; all backward arcs, from x[i+1] to e[i] and from
//! that to s[i], with as many tokens as there are free places, and a for each node; and, with one token each, those from s[i]
//! to e[i] and back, with d, and from x[i+1] to the leaving of the next word from latch 0 and back, with b + f, or by
//! e[i], with a + f, which is no more. There are no others: a cycle that goes round in one direction passes all s and all e.
//! So words pass at the rate
//!
//! ```text
//! min(k / (n (d + f)), (2 n - k) / (n a), 1 / max(d, f + b))
//! ```
//!
//! in a ring of n nodes that are alike, with k words. The first two alone would give 2 / (d + f + a) at most, and
//! d + f + a <= d + (f + b) <= 2 max(d, f + b): there the third is less, or as much if d = f + b and a = b. So it is always
//! the slowest stage that limits how fast a ring can be, and the other two say with how few words or free places it is
//! that fast.

use super::marked::{Marked, equal};
use super::passes::{OUT, Passes, Role, chain, clocks, handshake, links, run, self_timed, settled};
use flitwork_network::{Handshake, OwnTiming, Protocol, Segment};
use flitwork_node::draw_below;
use flitwork_types::{Cycle, NodeId, PortSet};

/// A ring: what each node takes for a word, how many it has at first, and the segments of the link to the next.
#[derive(Clone, Debug)]
struct Ring {
    protocol: Protocol,
    bundling_ps: u64,
    nodes: Vec<Stage>,
}

#[derive(Clone, Debug)]
struct Stage {
    word_ps: u64,
    words: u64,
    segments: Vec<(u64, u64)>,
}

impl Ring {
    fn handshake(&self, stage: &Stage) -> Handshake {
        handshake(self.protocol, self.bundling_ps, &stage.segments)
    }

    /// The times at which words pass each node, in ps, until there are as many as asked for if they pass at the pace of
    /// `mean` or faster.
    fn run(&self, words: u64, mean: (u64, u64)) -> Vec<Vec<u64>> {
        let topology = chain(self.nodes.len() as u32, true);
        let nodes = self.nodes.iter().map(|stage| self_timed(stage.word_ps));
        let mut links = links(&self.handshake(&self.nodes[0]), 0, 0);
        // A link holds no more than its latches and the word that waits for latch 0, whatever its length.
        links.capacity_words = 1;
        for (node, stage) in (0..).map(NodeId).zip(&self.nodes) {
            let own = OwnTiming {
                segments: Some(self.handshake(stage).segments),
                ..OwnTiming::default()
            };
            links.own.insert((node, OUT), own);
        }
        let roles = self.nodes.iter().map(|stage| Role {
            outs: PortSet::only(OUT),
            words: stage.words as u32,
        });
        let router = Passes(roles.collect());
        let clocks = clocks(nodes.collect(), links);
        let end_ps = words * mean.0 / mean.1 + 1;
        run(&topology, router, &clocks, end_ps).of
    }

    /// The recurrences above, with those of docs/src/handshakes.md for the latches of longer links. The vertices of the nodes
    /// are the first ones: their steps, without the first one of those that have two words.
    fn graph(&self) -> Marked {
        let mut graph = Marked::default();
        for _ in &self.nodes {
            graph.vertex();
        }
        for (place, stage) in self.nodes.iter().enumerate() {
            let to = (place + 1) % self.nodes.len();
            let shake = self.handshake(stage);
            let past = stage.past();
            let own = self.nodes[to].words - self.nodes[to].past();
            let entered = graph.vertex();
            // Word k of the link is that of step k: the one before step k here if the first is past, at 0 ps.
            graph.arc_begun(place, entered, stage.word_ps, past);
            graph.arc(entered, place, 0, 1 - past);
            // The steps of the next node from the one that takes the first word of the link: after that of its own word.
            let last = shake.segments.len() - 1;
            let mut latch = entered;
            for (segment, delays) in shake.segments.iter().enumerate() {
                let is_last = segment == last;
                let next = if is_last { to } else { graph.vertex() };
                graph.segment(
                    (&shake, *delays),
                    (latch, next),
                    if is_last { own } else { 0 },
                );
                latch = next;
            }
        }
        graph
    }

    /// Whether each second word leaves before the first one can come from the node before.
    fn begins_with_its_own(&self) -> bool {
        let before = self.nodes.iter().cycle().skip(self.nodes.len() - 1);
        self.nodes.iter().zip(before).all(|(stage, before)| {
            let segments = self.handshake(before).segments;
            let shake = self.handshake(before);
            let forward_ps: u64 = segments.iter().map(|it| shake.forward_ps(*it)).sum();
            stage.words < 2 || stage.word_ps < before.word_ps + forward_ps
        })
    }
}

impl Stage {
    /// The steps that are as good as past: those of words before the last that a node has at first.
    fn past(&self) -> u64 {
        self.words.saturating_sub(1)
    }
}

/// Nodes that are alike, with so many words among them: the first ones have two if there are more words than nodes.
fn alike(nodes: usize, words: usize, stage: &Stage, protocol: Protocol) -> Ring {
    let nodes = (0..nodes).map(|node| Stage {
        words: u64::from(node < words) + u64::from(nodes + node < words),
        ..stage.clone()
    });
    Ring {
        protocol,
        bundling_ps: 0,
        nodes: nodes.collect(),
    }
}

/// The mean times between words that words, holes and the slowest stage allow by docs/src/handshakes.md, as ps and words:
/// n (d + f) / k, n a / (2 n - k), and max(d, f + b).
fn by_formula(nodes: u64, words: u64, [d, f, a, b]: [u64; 4]) -> [(u64, u64); 3] {
    [
        (nodes * (d + f), words),
        (nodes * a, 2 * nodes - words),
        (d.max(f + b), 1),
    ]
}

/// Whether one mean time between words is longer than another.
fn is_longer(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 * other.1 > other.0 * one.1
}

const PROTOCOLS: [Protocol; 2] = [Protocol::TwoPhase, Protocol::FourPhase];

/// Delays of a node, of a request and of an acknowledge: balanced; words or holes as the slowest nearly always; the
/// least; and primes, so that nothing falls together.
const DELAYS: [(u64, u64, u64); 6] = [
    (100, 50, 150),
    (400, 100, 20),
    (1, 10, 400),
    (1, 1, 1),
    (97, 53, 71),
    (31, 7, 229),
];

/// All occupancies of all rings of 3 to 16 nodes, from one word to one free place. Where the formula has more than one
/// limit at once, all do; otherwise words, holes or the slowest stage set the pace.
#[test]
fn all_occupancies_of_rings_pass_words_at_the_rate_of_the_formula() {
    let mut seen = [0; 3];
    for protocol in PROTOCOLS {
        for (word_ps, request_ps, acknowledge_ps) in DELAYS {
            let stage = Stage {
                word_ps,
                words: 0,
                segments: vec![(request_ps, acknowledge_ps)],
            };
            // docs/src/handshakes.md, Segments.
            let back_ps = match protocol {
                Protocol::TwoPhase => acknowledge_ps,
                Protocol::FourPhase => acknowledge_ps + request_ps + acknowledge_ps,
            };
            for nodes in 3..=16_u64 {
                for words in 1..2 * nodes {
                    let delays = [word_ps, request_ps, acknowledge_ps, back_ps];
                    let limits = by_formula(nodes, words, delays);
                    let longest = |one, other| if is_longer(other, one) { other } else { one };
                    let mean = limits.into_iter().reduce(longest).unwrap();
                    let ring = alike(nodes as usize, words as usize, &stage, protocol);
                    assert!(equal(ring.graph().cycle_mean(), mean), "{ring:?}");
                    for times in &ring.run(400, mean) {
                        let (events, ps) = settled(times).expect("a period");
                        assert!(
                            equal((ps, events), mean),
                            "{nodes} nodes, {words} words of {delays:?}: {ps} ps for {events}, not {mean:?}"
                        );
                    }
                    let set: Vec<bool> = limits.iter().map(|it| equal(*it, mean)).collect();
                    if let Some(alone) = set.iter().position(|sets| *sets)
                        && set.iter().filter(|sets| **sets).count() == 1
                    {
                        seen[alone] += 1;
                    }
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 200), "{seen:?}");
}

/// Two words for each node: one in each latch 0 stands at the next node, the other waits for that latch, and nothing moves
/// after the two steps in which they leave.
#[test]
fn a_ring_without_a_hole_stands() {
    for nodes in [3, 7, 16] {
        let stage = Stage {
            word_ps: 100,
            words: 0,
            segments: vec![(50, 50)],
        };
        let ring = alike(nodes, 2 * nodes, &stage, Protocol::TwoPhase);
        assert!(!ring.graph().is_live());
        let times = ring.run(1000, (200, 1));
        let both = times.iter().all(|times| times[..] == [0, 100]);
        assert!(both, "{times:?}");
    }
}

/// A ring of 3 nodes with 4 words, all by hand: d = 10, f = 5, a = b = 7. Node 0 has two of them. All first ones leave at 10,
/// enter latch 0 of their links at once, and stand at the next node at 15. The second one of node 0 leaves at 20.
/// Node 1 takes the first at 15, so latch 0 of node 0 is empty at 22; node 0 can take what stands there then, and its
/// second word, in the latch at 22, stands at node 1 at 27. Node 2 took its first at 15 as well, so what node 1 sends at
/// 25 enters the latch at once and stands at node 2 at 30. But what node 2 sends at 25 waits until 22 + 7 = 29, stands
/// at node 0 at 34, and so on. Words alone take 3 * 15 / 4 = 11.25 ps, holes 3 * 7 / 2 = 10.5, the slowest stage f + b = 12.
#[test]
fn four_words_in_three_nodes() {
    let stage = Stage {
        word_ps: 10,
        words: 0,
        segments: vec![(5, 7)],
    };
    let ring = alike(3, 4, &stage, Protocol::TwoPhase);
    let times = ring.run(20, (12, 1));
    assert_eq!(times[0][..6], [0, 10, 22, 34, 46, 58]);
    assert_eq!(times[1][..5], [0, 15, 27, 39, 51]);
    assert_eq!(times[2][..5], [0, 15, 30, 42, 54]);
}

/// A ring of 5 nodes with 2 words doesn't hinder them: each passes a node every 5 * (10 + 5) = 75 ps.
#[test]
fn two_words_in_five_nodes() {
    let stage = Stage {
        word_ps: 10,
        words: 0,
        segments: vec![(5, 7)],
    };
    let ring = alike(5, 2, &stage, Protocol::TwoPhase);
    let times = ring.run(20, (75, 2));
    assert_eq!(times[0][..5], [0, 60, 75, 135, 150]);
    assert_eq!(times[1][..5], [0, 15, 75, 90, 150]);
    assert_eq!(times[2][..4], [15, 30, 90, 105]);
}

/// One stage that is slower than the others, itself or by its link: the greatest cycle mean, and each taking.
#[test]
fn a_slow_stage_sets_the_pace_of_its_ring() {
    for protocol in PROTOCOLS {
        for slow in [
            (900, 50, 150, "node"),
            (100, 700, 150, "request"),
            (100, 50, 800, "acknowledge"),
        ] {
            let (word_ps, request_ps, acknowledge_ps, what) = slow;
            for nodes in 3..=12 {
                for words in 1..2 * nodes {
                    let stage = Stage {
                        word_ps: 100,
                        words: 0,
                        segments: vec![(50, 150)],
                    };
                    let mut ring = alike(nodes, words, &stage, protocol);
                    // It never has two words at first, which it would pass on too late.
                    let place = nodes - 1;
                    ring.nodes[place].word_ps = word_ps;
                    ring.nodes[place].segments = vec![(request_ps, acknowledge_ps)];
                    ring.check(what);
                }
            }
        }
    }
}

impl Ring {
    /// Holds each taking to the recurrence, and the pace into which they settle to the greatest cycle mean.
    fn check(&self, what: &str) {
        assert!(self.begins_with_its_own(), "{what}: {self:?}");
        let graph = self.graph();
        if !graph.is_live() {
            // Each node has sent its two words, and none can go on.
            for (stage, times) in self.nodes.iter().zip(self.run(1000, (1000, 1))) {
                assert_eq!(times, [0, stage.word_ps], "{what}: {self:?}");
            }
            return;
        }
        let mean = graph.cycle_mean();
        let times = self.run(1500, mean);
        let expected = graph.times(1500);
        for (node, times) in times.iter().enumerate() {
            let past = self.nodes[node].past() as usize;
            assert!(
                self.nodes[node].words == 0 || times[0] == 0,
                "{what}: {self:?}"
            );
            let mut pairs = times[past..].iter().zip(&expected[node]);
            let wrong = pairs.position(|(time, expected)| time != expected);
            assert_eq!(wrong, None, "{what}, node {node}: {self:?}");
            assert!(times.len() > 1000, "{what}: {self:?}");
            let (events, ps) = settled(times).expect("a period");
            assert!(equal((ps, events), mean), "{what}: {self:?}");
        }
    }
}

/// Rings whose nodes and links all differ, links with up to four latches beyond latch 0, some of them full of words.
#[test]
fn random_rings_pass_words_at_the_greatest_cycle_mean() {
    let (mut dead, mut long, mut two) = (0, 0, 0);
    for case in 0..600 {
        let ring = random_ring(NodeId(case));
        if ring.nodes.iter().all(|stage| stage.words == 0) {
            continue;
        }
        dead += u32::from(!ring.graph().is_live());
        long += ring.nodes.iter().filter(|it| it.segments.len() > 1).count();
        two += ring.nodes.iter().filter(|it| it.words == 2).count();
        ring.check("random");
    }
    assert!((5..200).contains(&dead), "{dead} without a hole");
    assert!(long > 300, "{long} links with latches");
    assert!(two > 300, "{two} nodes with two words");
}

fn random_ring(case: NodeId) -> Ring {
    let mut draws = 0;
    let mut below = |bound: u32| {
        draws += 1;
        u64::from(draw_below(bound, 17, case, Cycle(draws), 0))
    };
    let nodes = 2 + below(9);
    let protocol = PROTOCOLS[below(2) as usize];
    let bundling_ps = [0, 30][below(2) as usize];
    let (occupancy, latches) = (below(131), 1 + 4 * below(2) as u32);
    let nodes = (0..nodes).map(|_| Stage {
        word_ps: 1 + below(300),
        words: (0..2).filter(|_| below(100) < occupancy).count() as u64,
        segments: (0..1 + below(latches) * below(2))
            .map(|_| (1 + below(300), 1 + below(300)))
            .collect(),
    });
    let mut ring = Ring {
        protocol,
        bundling_ps,
        nodes: nodes.collect(),
    };
    if !ring.begins_with_its_own() {
        let one = ring.nodes.iter_mut().filter(|stage| stage.words == 2);
        one.for_each(|stage| stage.words = 1);
    }
    ring
}

/// A segment's delays are what the documentation says, whichever way they are asked for.
#[test]
fn segments_add_up() {
    let segment = Segment {
        request_ps: 30,
        acknowledge_ps: 20,
    };
    let four = handshake(Protocol::FourPhase, 7, &[(30, 20)]);
    assert_eq!(four.forward_ps(segment), 37);
    assert_eq!(four.backward_ps(segment), 20 + 30 + 20);
}
