//! A stream of words over one link with handshakes: from a node that always has another word to one that takes all.
//!
//! Either may have a clock. A word leaves the sender for latch 0, which begins the link, and enters it once it is empty. A
//! node without a clock that takes d ps for a word begins with the next one when the last is in latch 0, and sends it d ps
//! later. One with a clock sends in a tick, from the one after the last word on, when the synchronizer of the way back shows
//! that the last word found latch 0 empty; and it takes in a tick what the other synchronizer shows.
//!
//! So while a word waits for latch 0 the sender's step and edges for it are past: they go on beside the handshakes, and
//! don't add to them.

use super::passes::{
    ENDLESS, OUT, Passes, Role, chain, clocks, handshake, links, run, self_timed, steady,
};
use flitwork_network::{Clock, Protocol};
use flitwork_node::draw_below;
use flitwork_types::{Cycle, NodeId, PortSet};

/// What makes an end step: a clock of some period and phase, or words, each of which takes so long.
#[derive(Clone, Copy, Debug)]
enum End {
    Ticks(u64, u64),
    SelfTimed(u64),
}

impl End {
    fn clock(self) -> Clock {
        match self {
            End::Ticks(period_ps, phase_ps) => steady(period_ps, phase_ps),
            End::SelfTimed(word_ps) => self_timed(word_ps),
        }
    }

    /// When it can act on something that stands there at `at_ps`, if it last acted at `last_ps`.
    fn sees_ps(self, at_ps: u64, last_ps: Option<u64>, edges: u64) -> u64 {
        match self {
            End::Ticks(period_ps, phase_ps) => {
                let tick = at_ps.saturating_sub(phase_ps).div_ceil(period_ps);
                let seen_ps = phase_ps + (tick + edges) * period_ps;
                last_ps.map_or(seen_ps, |last_ps| seen_ps.max(last_ps + period_ps))
            }
            End::SelfTimed(word_ps) => {
                last_ps.map_or(at_ps, |last_ps| at_ps.max(last_ps + word_ps))
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Stream {
    ends: [End; 2],
    protocol: Protocol,
    bundling_ps: u64,
    segments: Vec<(u64, u64)>,
    fifo_words: u32,
    edges: u32,
}

impl Stream {
    fn over(ends: [End; 2], protocol: Protocol, segments: &[(u64, u64)]) -> Stream {
        Stream {
            ends,
            protocol,
            bundling_ps: 0,
            segments: segments.to_vec(),
            fifo_words: 0,
            edges: 0,
        }
    }

    /// When the first words are taken, in ps.
    fn taken(&self, words: usize) -> Vec<u64> {
        let shake = handshake(self.protocol, self.bundling_ps, &self.segments);
        let nodes = self.ends.map(End::clock).to_vec();
        let clocks = clocks(nodes, links(&shake, self.fifo_words, self.edges));
        let sender = Role {
            outs: PortSet::only(OUT),
            words: ENDLESS,
        };
        let router = Passes(vec![sender, Role::default()]);
        let longest_ps = self.expected(words).last().unwrap() + 1;
        let mut taken = run(&chain(2, false), router, &clocks, longest_ps)
            .of
            .remove(1);
        assert!(taken.len() >= words, "{} of {words}: {self:?}", taken.len());
        taken.truncate(words);
        taken
    }

    /// The same by the recurrences of docs/src/handshakes.md.
    fn expected(&self, words: usize) -> Vec<u64> {
        let shake = handshake(self.protocol, self.bundling_ps, &self.segments);
        let edges = u64::from(self.edges);
        // When each word entered each latch, and was captured after the last one; when it was sent, and taken.
        let mut entered: Vec<Vec<u64>> = Vec::new();
        let (mut sent, mut taken): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        for word in 0..words {
            let before = |latch: usize| Some(entered.get(word.checked_sub(1)?)?[latch]);
            let empty = |latch: usize| {
                let acknowledge_ps = shake.segments[latch].acknowledge_ps;
                before(latch + 1).map_or(0, |at_ps| at_ps + acknowledge_ps)
            };
            sent.push(self.sends_ps(&sent, &entered));
            let (mut arrives, mut own) = (sent[word], Vec::new());
            for (latch, segment) in shake.segments.iter().enumerate() {
                let enters = arrives.max(empty(latch));
                own.push(enters);
                let backward_ps = shake.backward_ps(*segment);
                let free = before(latch + 1).map_or(0, |at_ps| at_ps + backward_ps);
                arrives = enters.max(free) + shake.forward_ps(*segment);
            }
            let room = match word.checked_sub(self.fifo_words as usize) {
                Some(earlier) if self.fifo_words > 0 => taken[earlier],
                _ => 0,
            };
            let stands = arrives.max(room);
            let takes = self.ends[1].sees_ps(stands, taken.last().copied(), edges);
            own.push(if self.fifo_words > 0 { stands } else { takes });
            entered.push(own);
            taken.push(takes);
        }
        taken
    }

    /// When the sender sends the next word.
    fn sends_ps(&self, sent: &[u64], entered: &[Vec<u64>]) -> u64 {
        match self.ends[0] {
            // A step begins when the last word is in latch 0, and sends at its end.
            End::SelfTimed(word_ps) => entered.last().map_or(0, |last| last[0]) + word_ps,
            sender => {
                // When latch 0 was empty for the last word. It was at first, and nothing had to be seen.
                let acknowledge_ps = self.segments[0].1;
                let before = sent.len().checked_sub(2).map(|word| entered[word][1]);
                match before.map(|at_ps| at_ps + acknowledge_ps) {
                    Some(empty_ps) => {
                        sender.sees_ps(empty_ps, sent.last().copied(), u64::from(self.edges))
                    }
                    None => sender.sees_ps(0, sent.last().copied(), 0),
                }
            }
        }
    }

    /// The first word is taken at `first_ps`, and another every `period_ps`.
    fn takes(&self, first_ps: u64, period_ps: u64) {
        self.takes_by_turns(&[first_ps], &[period_ps]);
    }

    /// The first words are taken at these times, and the others so long after each other, by turns.
    fn takes_by_turns(&self, first_ps: &[u64], apart_ps: &[u64]) {
        let mut expected = first_ps.to_vec();
        for apart_ps in apart_ps.iter().cycle().take(100 - first_ps.len()) {
            expected.push(expected[expected.len() - 1] + apart_ps);
        }
        assert_eq!(self.taken(100), expected, "{self:?}");
    }
}

const TWO: Protocol = Protocol::TwoPhase;
const FOUR: Protocol = Protocol::FourPhase;

/// Without further latches a word leaves latch 0 b ps after the last one was taken, and is taken f ps later: f + b from word
/// to word. The sender's step of 1 ps is over long before. The first word is in latch 0 at 1, and is taken at 1 + f. A
/// request takes 60 and an acknowledge 40, so in two-phase signalling f + b = 100, and in four-phase signalling
/// 60 + (40 + 60 + 40) = 200. A bundling margin of 15 is waited for once.
#[test]
fn a_word_a_handshake() {
    let ends = [End::SelfTimed(1), End::SelfTimed(1)];
    Stream::over(ends, TWO, &[(60, 40)]).takes(61, 100);
    Stream::over(ends, FOUR, &[(60, 40)]).takes(61, 200);
    for (protocol, period_ps) in [(TWO, 115), (FOUR, 215)] {
        let bundled = Stream {
            bundling_ps: 15,
            ..Stream::over(ends, protocol, &[(60, 40)])
        };
        bundled.takes(76, period_ps);
    }
}

/// With latches each segment does its handshakes on its own: the slowest of all f(j) + b(j) sets the pace. The first word
/// takes d and all f.
#[test]
fn latches_leave_the_slowest_segment() {
    let ends = [End::SelfTimed(10), End::SelfTimed(10)];
    for (protocol, factor) in [(TWO, 1), (FOUR, 2)] {
        // 100, and less.
        let first = [(60, 40), (50, 30), (50, 40)];
        Stream::over(ends, protocol, &first).takes(170, factor * 100);
        // 130 in the middle, which two-phase signalling spends once and four-phase signalling twice.
        let middle = [(60, 40), (80, 50), (50, 40)];
        Stream::over(ends, protocol, &middle).takes(200, factor * 130);
        // 130 at the end, where the receiver takes at once.
        let end = [(60, 40), (50, 40), (70, 60)];
        Stream::over(ends, protocol, &end).takes(190, factor * 130);
        // The same link with latch 0 alone takes all at once: f = 180, and b = 140, or 140 + 180 + 140.
        let back_ps = if protocol == TWO { 140 } else { 460 };
        Stream::over(ends, protocol, &[(180, 140)]).takes(190, 180 + back_ps);
    }
}

/// A step of 400 of either end is longer than all handshakes, and these go on beside it. One that is shorter than the
/// first handshake, if only by 1 ps, doesn't matter.
#[test]
fn a_slow_end_sets_the_pace() {
    for (protocol, cycle_ps) in [(TWO, 100), (FOUR, 200)] {
        for segments in [&[(60, 40)][..], &[(60, 40); 4]] {
            let forward_ps = 60 * segments.len() as u64;
            for (sender_ps, receiver_ps) in [(400, 10), (10, 400), (cycle_ps + 1, cycle_ps)] {
                let slow = [sender_ps, receiver_ps].map(End::SelfTimed);
                let pace_ps = sender_ps.max(receiver_ps);
                Stream::over(slow, protocol, segments).takes(sender_ps + forward_ps, pace_ps);
            }
            let equal = [cycle_ps - 1, cycle_ps].map(End::SelfTimed);
            Stream::over(equal, protocol, segments).takes(cycle_ps - 1 + forward_ps, cycle_ps);
        }
    }
}

/// A sender with a clock of 1,000 ps and a receiver without one, which takes what stands there at once. The first two words
/// leave at 300 and 1,300, since latch 0 is empty at first. Word k enters it at L(k), when it is sent or at
/// e(k) = L(k-1) + f + a if that is later, and is taken at L(k) + f. Word k + 1 is sent at the first tick after that of word
/// k at which e(k) is seen: as many ticks as there are edges after the first one at or after e(k).
#[test]
fn a_clocked_sender_waits_for_its_edges() {
    let ends = [End::Ticks(1000, 300), End::SelfTimed(10)];
    for edges in 0..4 {
        let of = |segments: &[(u64, u64)]| Stream {
            edges,
            ..Stream::over(ends, TWO, segments)
        };
        let edges_ps = 1000 * u64::from(edges);
        // f + a is a period, so e(k) falls on the tick after word k - 1 was sent, and word k + 1 is sent the edges after
        // that, and after word k: two words in one tick and the edges. Each enters latch 0 when it is sent.
        of(&[(600, 400)]).takes_by_turns(&[900], &[1000, edges_ps.max(1000)]);
        // With 1 ps more, and without edges, a word waits for latch 0 each time: f + a from word to word. With edges,
        // words 1, 3, 5, … are in latch 0 1 ps after their tick, and the next tick is 999 ps later: two words in two
        // ticks and the edges.
        match edges {
            0 => of(&[(600, 401)]).takes(900, 1001),
            _ => of(&[(600, 401)]).takes_by_turns(&[900], &[1001, 999 + edges_ps]),
        }
        // A handshake of 2,900 is longer than the wait for a tick, 900 at most here, and two edges: each word waits for
        // latch 0. With three edges one is sent 3,000 after a tick at or after e(k), when latch 0 is empty: e(1) is
        // 300 + 2,900 = 3,200, so word 2 is sent at 6,300, and from then on e(k) is 100 ps before a tick.
        match edges {
            0..=2 => of(&[(1500, 1400)]).takes(1800, 2900),
            _ => of(&[(1500, 1400)]).takes_by_turns(&[1800, 4700, 7800], &[3000]),
        }
        // A latch takes a word at 900, which goes on while the next one comes. The second segment takes 1,800 for each:
        // more than two words in one tick and an edge. With three edges, they are in a tick and these, as above, once the
        // words that needn't wait are past: word 1 is held up until 2,700, word 2 is sent at 4,300.
        match edges {
            0..=1 => of(&[(600, 400), (1500, 300)]).takes(2400, 1800),
            2 => (),
            _ => of(&[(600, 400), (1500, 300)]).takes_by_turns(&[2400, 4200, 6400], &[2000]),
        }
    }
}

/// A receiver with a clock of 1,000 ps takes at the first tick at which a word stands there, and a synchronizer's edges
/// after that. The next one, which waits for latch 0 meanwhile, stands there f + b after that tick, in the same way.
#[test]
fn a_clocked_receiver_waits_for_its_edges() {
    let ends = [End::SelfTimed(100), End::Ticks(1000, 300)];
    for edges in 0..4 {
        let of = |segments: &[(u64, u64)]| Stream {
            edges,
            ..Stream::over(ends, TWO, segments)
        };
        let edges_ps = 1000 * u64::from(edges);
        // It stands there at 100 + 500 first, and the tick is at 1,300. 500 + 500 later the next one does.
        of(&[(500, 500)]).takes(1300 + edges_ps, 1000 + edges_ps);
        of(&[(500, 501)]).takes(1300 + edges_ps, 2000 + edges_ps);
        of(&[(501, 500)]).takes(1300 + edges_ps, 2000 + edges_ps);
        // The last segment alone, without the first: 700 + 300.
        of(&[(100, 100), (700, 300)]).takes(1300 + edges_ps, 1000 + edges_ps);
        of(&[(100, 100), (700, 301)]).takes(1300 + edges_ps, 2000 + edges_ps);
        // With a FIFO words stand there while others wait for edges. Three places are free again after three of these
        // waits, so with up to two edges a word is taken in each tick; with three edges, word k is captured when word
        // k - 3 is taken, and seen at that tick and three edges: three words in three ticks.
        let fifo = Stream {
            fifo_words: 3,
            ..of(&[(500, 300)])
        };
        fifo.takes(1300 + edges_ps, 1000);
    }
}

/// Both: each waits for an edge of its own clock, f = 120, b = a = 80. The receiver ticks at 50, 1,050, ….
///
/// A sender that ticks at 0, 700, … sends at 0 and 700, and then a word waits for latch 0 each time, so that only the
/// receiver's edges count. The first word is there at 120; the next tick is at 1,050, and an edge later, at 2,050, it is
/// taken. The second, in latch 0 at 2,130, is there at 2,250 and taken at 4,050. The sender sees 2,130 at 2,800 and sends the
/// third an edge later, at 3,500, before latch 0 is empty again at 4,130.
///
/// One that ticks at 0, 1,900, … sends at 0 and 1,900. It sees 2,130 at 3,800, and an edge later, at 5,700, it sends the
/// third word, which is there at 5,820 and taken at 7,050. Latch 0 had been empty for that at 4,130, seen at 5,700; an edge
/// later, at 7,600, the fourth leaves, and is there at 7,720, taken at 9,050. The third left it empty at 7,130, seen at 7,600,
/// and at 9,500 the fifth leaves, there at 9,620, taken at 11,050.
#[test]
fn each_end_waits_for_its_own_edges() {
    let of = |period_ps: u64| Stream {
        edges: 1,
        ..Stream::over(
            [End::Ticks(period_ps, 0), End::Ticks(1000, 50)],
            TWO,
            &[(120, 80)],
        )
    };
    of(700).takes(2050, 2000);
    assert_eq!(of(1900).taken(5), [2050, 4050, 7050, 9050, 11_050]);
}

/// All times of streams whose ends, links and synchronizers are drawn.
#[test]
fn random_streams_are_taken_when_the_recurrences_say() {
    let mut ticking = [0; 4];
    for case in 0..1500 {
        let mut draws = 0;
        let mut below = |bound: u32| {
            draws += 1;
            u64::from(draw_below(bound, 41, NodeId(case), Cycle(draws), 0))
        };
        let mut end = || match below(2) {
            0 => End::SelfTimed(1 + below(900)),
            _ => End::Ticks(200 + below(900), below(1500)),
        };
        let ends = [end(), end()];
        let segments = (0..1 + below(2) * below(5)).map(|_| (1 + below(500), 1 + below(500)));
        let stream = Stream {
            ends,
            segments: segments.collect(),
            protocol: [TWO, FOUR][below(2) as usize],
            bundling_ps: below(2) * below(60),
            fifo_words: (below(2) * below(5)) as u32,
            edges: below(4) as u32,
        };
        let ticks = ends.map(|end| usize::from(matches!(end, End::Ticks(..))));
        ticking[ticks[0] + 2 * ticks[1]] += 1;
        let (taken, expected) = (stream.taken(200), stream.expected(200));
        let wrong = (0..200).find(|word| taken[*word] != expected[*word]);
        assert_eq!(wrong, None, "{stream:?}");
    }
    assert!(ticking.iter().all(|cases| *cases > 200), "{ticking:?}");
}
