//! Words on links over which each of them is handed over ([`Handshake`]).
//!
//! ```text
//!              segment 0            segment 1              segment N
//!   sender ─▶ latch 0 ─────▶ latch 1 ────────▶ latch 2 … N ─────────▶ FIFO ──▶ receiver
//! ```
//!
//! A word leaves the sender for latch 0, and enters it once that is empty. With forward and backward delays f and b of
//! each segment, word k
//!
//! ```text
//! enters latch 0 at            L(0, k) = max(when the sender sends it, L(1, k-1) + a(0))
//! enters latch j at            L(j, k) = max(S(j-1, k) + f(j-1), L(j+1, k-1) + a(j))
//! leaves over segment j at     S(j, k) = max(L(j, k), L(j+1, k-1) + b(j))
//! stands at the receiver at    S(N, k) + f(N), or L(N+1, k) if that has a FIFO
//! ```
//!
//! where a is the delay of the acknowledge: a latch is empty once the one after it has acknowledged. L(N+1, k) is when
//! the receiver takes the word, or when a FIFO of F places captures it: then, or once word k - F has been taken if that
//! is later. The sender may send again once its last word is in latch 0.
//!
//! These are sums and maxima only, so it doesn't matter in which order sendings and takings are entered, and each time
//! is known as soon as all that it depends on is.

use flitwork_network::{Handshake, Segment};
use flitwork_types::Word;
use std::collections::VecDeque;

/// The delays of a segment, in ps.
#[derive(Clone, Copy, Debug)]
struct Delays {
    forward_ps: u64,
    /// Of the acknowledge alone.
    acknowledge_ps: u64,
    /// Until the next word may leave.
    backward_ps: u64,
}

/// Into latch 0: a word is there when the sender sends it.
const AT_ONCE: Delays = Delays {
    forward_ps: 0,
    acknowledge_ps: 0,
    backward_ps: 0,
};

/// A word between the sender and the receiver.
#[derive(Clone, Copy, Debug)]
struct Underway {
    word: Word,
    /// The way that it is on, and when it left over it, in ps.
    way: usize,
    left_ps: u64,
}

/// One direction of a link, and the words on it that don't stand at the receiver yet, as far as that is known.
#[derive(Clone, Debug)]
pub(super) struct Pipe {
    /// The ways from the sender into latch 0, over each segment, and so to the receiver.
    ways: Box<[Delays]>,
    /// When the last word was captured at the end of each of them, in ps; none before the first.
    captured_ps: Box<[Option<u64>]>,
    underway: VecDeque<Underway>,
    /// Places of the FIFO that have been free from the start, and since when the others are, in ps.
    unused: u32,
    freed_ps: VecDeque<u64>,
    has_fifo: bool,
    /// Whether a word stands at a receiver without a FIFO that hasn't taken it.
    stands: bool,
    /// Whether the sender has a clock.
    pub(super) has_clocked_sender: bool,
}

/// What has come to be known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Known {
    /// When latch 0 was emptied for the word sent last, after which the sender may send again, in ps; 0 if it had never
    /// been filled.
    pub(super) ready_ps: Option<u64>,
    /// When a word stands at the receiver, in ps.
    pub(super) stands: Option<(u64, Word)>,
}

impl Pipe {
    /// An empty link of these segments with a FIFO of that many words at its end.
    pub(super) fn new(
        handshake: &Handshake,
        segments: &[Segment],
        fifo_words: u32,
        has_clocked_sender: bool,
    ) -> Pipe {
        let delays = segments.iter().map(|segment| Delays {
            forward_ps: handshake.forward_ps(*segment).max(1),
            acknowledge_ps: segment.acknowledge_ps.max(1),
            backward_ps: handshake.backward_ps(*segment).max(1),
        });
        let ways: Box<[Delays]> = std::iter::once(AT_ONCE).chain(delays).collect();
        assert!(ways.len() > 1, "a link has a segment");
        Pipe {
            captured_ps: vec![None; ways.len()].into(),
            ways,
            underway: VecDeque::new(),
            unused: fifo_words,
            freed_ps: VecDeque::new(),
            has_fifo: fifo_words > 0,
            stands: false,
            has_clocked_sender,
        }
    }

    /// The sender sends a word at `at_ps`, no earlier than it may.
    pub(super) fn send(&mut self, word: Word, at_ps: u64) -> Known {
        self.underway.push_back(Underway {
            word,
            way: 0,
            left_ps: at_ps,
        });
        let mut known = Known::default();
        self.advance(self.underway.len() - 1, &mut known);
        known
    }

    /// The receiver takes the first word that stands there, at `at_ps`.
    pub(super) fn take(&mut self, at_ps: u64) -> Known {
        let mut known = Known::default();
        if self.has_fifo {
            self.freed_ps.push_back(at_ps);
        } else {
            self.stands = false;
            if let Some(last_ps) = self.captured_ps.last_mut() {
                *last_ps = Some(at_ps);
            }
        }
        // Each word may go on once the one before it has.
        let mut place = 0;
        while place < self.underway.len() {
            let before = self.underway.len();
            self.advance(place, &mut known);
            place += 1 + self.underway.len() - before;
        }
        known
    }

    /// Moves the word at a place as far as that is known, the one before it having been moved already.
    fn advance(&mut self, place: usize, known: &mut Known) {
        let last = self.ways.len() - 1;
        loop {
            let Underway { word, way, left_ps } = self.underway[place];
            let arrives_ps = left_ps.saturating_add(self.ways[way].forward_ps);
            if way == last {
                debug_assert_eq!(place, 0, "words stay in order");
                self.arrive((arrives_ps, word), known);
                return;
            }
            // The latch at its end is empty once the word before has been captured by the next.
            let next = way + 1;
            let is_past = match place.checked_sub(1) {
                Some(before) => self.underway[before].way > next,
                None => next < last || !self.stands,
            };
            if !is_past {
                return;
            }
            let Delays {
                acknowledge_ps,
                backward_ps,
                ..
            } = self.ways[next];
            let before_ps = self.captured_ps[next];
            let empty_ps = before_ps.map_or(0, |at_ps| at_ps.saturating_add(acknowledge_ps));
            let free_ps = before_ps.map_or(0, |at_ps| at_ps.saturating_add(backward_ps));
            let captured_ps = arrives_ps.max(empty_ps);
            self.captured_ps[way] = Some(captured_ps);
            if way == 0 {
                debug_assert!(known.ready_ps.is_none(), "two words left the sender");
                known.ready_ps = Some(empty_ps);
            }
            self.underway[place] = Underway {
                word,
                way: next,
                left_ps: captured_ps.max(free_ps),
            };
        }
    }

    /// The first word on the link comes to its end at `at_ps`.
    fn arrive(&mut self, (at_ps, word): (u64, Word), known: &mut Known) {
        let mut available_at_ps = at_ps;
        if self.has_fifo {
            if self.unused > 0 {
                self.unused -= 1;
            } else if let Some(freed_ps) = self.freed_ps.pop_front() {
                available_at_ps = at_ps.max(freed_ps);
            } else {
                return;
            }
            if let Some(last_ps) = self.captured_ps.last_mut() {
                *last_ps = Some(available_at_ps);
            }
        } else if self.stands {
            return;
        } else {
            self.stands = true;
        }
        self.underway.pop_front();
        known.stands = Some((available_at_ps, word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_network::Protocol;
    use flitwork_node::draw;
    use flitwork_types::{Cycle, NodeId};

    const WORDS: usize = 60;

    /// A link whose sender would send word k at `wants[k]`, and whose receiver would take it at `takes[k]`, both later
    /// if they can't yet.
    struct Case {
        handshake: Handshake,
        fifo_words: usize,
        wants: Vec<u64>,
        takes: Vec<u64>,
    }

    impl Case {
        /// Drawn from a stream.
        fn drawn(seed: u64) -> Case {
            let mut number = 0;
            let mut random = |below: u64| {
                number += 1;
                draw(seed, NodeId(0), Cycle(number), 0) % below
            };
            let segments = (0..1 + random(5)).map(|_| Segment {
                request_ps: 1 + random(60),
                acknowledge_ps: 1 + random(60),
            });
            let segments = segments.collect();
            let protocol = [Protocol::TwoPhase, Protocol::FourPhase][random(2) as usize];
            let (bundling_ps, fifo_words) = (random(20), random(4) as usize);
            let paces = [10, 200, 1000];
            let (sends, takes) = (paces[random(3) as usize], paces[random(3) as usize]);
            let mut times = |pace| {
                let mut at_ps = 0;
                let all = (0..WORDS).map(|_| {
                    at_ps += random(pace);
                    at_ps
                });
                all.collect::<Vec<u64>>()
            };
            let (wants, takes) = (times(sends), times(takes));
            let handshake = Handshake {
                protocol,
                bundling_ps,
                segments,
            };
            Case {
                handshake,
                fifo_words,
                wants,
                takes,
            }
        }

        /// When each word is sent, stands at the receiver and is taken, by the recurrences at the top of this file,
        /// word by word and segment by segment.
        fn expected(&self) -> Vec<[u64; 3]> {
            let shake = &self.handshake;
            let segments = &shake.segments;
            // When each word entered each latch, and then the FIFO or the receiver.
            let mut entered: Vec<Vec<u64>> = Vec::new();
            let mut times: Vec<[u64; 3]> = Vec::new();
            for word in 0..WORDS {
                let before = |latch: usize| {
                    let before = word.checked_sub(1)?;
                    Some(entered[before][latch])
                };
                let empty = |latch: usize| {
                    let acknowledge_ps = segments[latch].acknowledge_ps;
                    before(latch + 1).map_or(0, |at| at + acknowledge_ps)
                };
                // The sender sends once its last word is in latch 0.
                let sent = self.wants[word].max(before(0).unwrap_or(0));
                let (mut arrives, mut own) = (sent, Vec::new());
                for (latch, segment) in segments.iter().enumerate() {
                    let enters = arrives.max(empty(latch));
                    own.push(enters);
                    let backward_ps = shake.backward_ps(*segment);
                    let free = before(latch + 1).map_or(0, |at| at + backward_ps);
                    arrives = enters.max(free) + shake.forward_ps(*segment);
                }
                let room = match word.checked_sub(self.fifo_words.max(1)) {
                    Some(earlier) if self.fifo_words > 0 => times[earlier][2],
                    _ => 0,
                };
                let stands = arrives.max(room);
                // A word is taken after the one before.
                let ready = word.checked_sub(1).map_or(0, |before| times[before][2] + 1);
                let taken = self.takes[word].max(stands).max(ready);
                own.push(if self.fifo_words > 0 { stands } else { taken });
                entered.push(own);
                times.push([sent, stands, taken]);
            }
            times
        }

        /// The same from a pipe, to which sendings and takings are entered as soon as they are known, or in the order
        /// of time.
        fn piped(&self, sends_first: bool) -> Vec<[u64; 3]> {
            let segments = &self.handshake.segments;
            let mut pipe = Pipe::new(&self.handshake, segments, self.fifo_words as u32, false);
            let mut times = vec![[0; 3]; WORDS];
            let (mut sent, mut stood, mut taken) = (0, 0, 0);
            let mut ready_ps = Some(0);
            while taken < WORDS {
                let send_ps = ready_ps.filter(|_| sent < WORDS);
                let last_ps: u64 = sent.checked_sub(1).map_or(0, |last| times[last][0]);
                let send_ps = send_ps.map(|ready: u64| ready.max(last_ps).max(self.wants[sent]));
                let take_ps = (taken < stood).then(|| {
                    let earliest = times[taken][1].max(self.takes[taken]);
                    let before = taken.checked_sub(1);
                    earliest.max(before.map_or(0, |before| times[before][2] + 1))
                });
                let sends = match (send_ps, take_ps) {
                    (Some(send), Some(take)) => sends_first || send <= take,
                    (send, _) => send.is_some(),
                };
                let known = if sends {
                    let at_ps = send_ps.unwrap();
                    times[sent][0] = at_ps;
                    sent += 1;
                    ready_ps = None;
                    let word = Word {
                        index: sent as u16 - 1,
                        ..Word::BLANK
                    };
                    pipe.send(word, at_ps)
                } else {
                    let at_ps = take_ps.expect("a word stands or can be sent");
                    times[taken][2] = at_ps;
                    taken += 1;
                    pipe.take(at_ps)
                };
                ready_ps = known.ready_ps.or(ready_ps);
                if let Some((available_at_ps, word)) = known.stands {
                    assert_eq!(usize::from(word.index), stood, "words stay in order");
                    times[stood][1] = available_at_ps;
                    stood += 1;
                }
            }
            times
        }
    }

    #[test]
    fn words_pass_at_the_times_of_the_recurrence_whatever_is_entered_first() {
        for seed in 0..400 {
            let case = Case::drawn(seed);
            let expected = case.expected();
            assert_eq!(case.piped(false), expected, "seed {seed}");
            assert_eq!(case.piped(true), expected, "seed {seed}, sendings first");
        }
    }
}
