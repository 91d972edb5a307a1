//! One direction of a link: wires, or a handshake over segments, and the crossings at its ends (the pages on asynchrony,
//! handshakes and crossings).

use super::plain::Wire;
use super::router::Word;
use std::collections::VecDeque;

/// The step of a node, as its crossings see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant {
    pub(crate) ps: u64,
    /// Ticks so far; of no meaning to nodes without a clock.
    pub(crate) tick: u64,
    /// When a pausible clock requested the tick.
    pub(crate) requested_ps: u64,
}

/// When a node sees what stands at an end of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shows {
    AtOnce,
    /// So many ticks after the first at which it stands there.
    AfterEdges(u64),
    /// At a tick by which it has stood there for so many ps.
    AfterMargin(u64),
    /// At a tick, what stood there when the tick was requested.
    AtRequest,
}

/// An end of a link at which words, credits or reports come to stand.
#[derive(Clone, Debug)]
pub(crate) struct End<T> {
    pub(crate) shows: Shows,
    standing: VecDeque<Standing<T>>,
}

#[derive(Clone, Debug)]
struct Standing<T> {
    since_ps: u64,
    first_tick: Option<u64>,
    what: T,
}

impl<T> End<T> {
    fn new(shows: Shows) -> Self {
        Self {
            shows,
            standing: VecDeque::new(),
        }
    }

    fn put(&mut self, since_ps: u64, what: T) {
        if let Some(last) = self.standing.back() {
            assert!(last.since_ps <= since_ps, "what leaves first stands first");
        }
        self.standing.push_back(Standing {
            since_ps,
            first_tick: None,
            what,
        });
    }

    pub(crate) fn first_ps(&self) -> Option<u64> {
        self.standing.front().map(|first| first.since_ps)
    }

    /// Every tick of the node is announced, so that edges can be counted.
    fn tick(&mut self, now: Instant) {
        for standing in &mut self.standing {
            if standing.since_ps <= now.ps && standing.first_tick.is_none() {
                standing.first_tick = Some(now.tick);
            }
        }
    }

    /// What the node sees in this step, if anything; it is taken.
    fn take(&mut self, now: Instant) -> Option<T> {
        let first = self.standing.front()?;
        // What stands there from the start, latch 0 being empty, every flip-flop shows.
        let from_start = first.since_ps == 0;
        let seen = match self.shows {
            Shows::AtOnce => first.since_ps <= now.ps,
            Shows::AfterEdges(edges) => first
                .first_tick
                .is_some_and(|tick| tick + edges <= now.tick),
            Shows::AfterMargin(margin_ps) => first.since_ps + margin_ps <= now.ps,
            Shows::AtRequest => first.since_ps <= now.requested_ps,
        };
        if !seen && !from_start {
            return None;
        }
        self.standing.pop_front().map(|first| first.what)
    }
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    /// The sender and its port, the receiver and its port.
    pub(crate) from: (usize, usize),
    pub(crate) to: (usize, usize),
    pub(crate) words: End<Word>,
    /// Credits come back to the sender.
    pub(crate) credits: End<()>,
    /// Reports that words were taken, or that the next one may be sent, come back to the sender.
    pub(crate) reports: End<()>,
    carries: Carries,
    credit_ps: u64,
    /// When something came to stand at an end since this was last emptied: true at the receiver.
    pub(crate) arrivals: Vec<(bool, u64)>,
}

#[derive(Clone, Debug)]
enum Carries {
    Wire {
        latency_ps: u64,
        /// Words that aren't reported as taken, and how many there may be; none if credits suffice.
        room: Option<(u64, u64)>,
    },
    Handshake(Handshake),
}

/// Where the words are that were handed over; word k of the lists is the k-th ever sent.
#[derive(Clone, Debug)]
struct Handshake {
    forward_ps: Vec<u64>,
    acknowledge_ps: Vec<u64>,
    backward_ps: Vec<u64>,
    fifo_words: usize,
    words: Vec<Word>,
    sent: Vec<u64>,
    /// L(j, k) by word and latch; behind the latches is the FIFO or the receiver.
    enters: Vec<Vec<Option<u64>>>,
    taken: Vec<u64>,
    /// Words of which all times are known.
    through: usize,
    /// Words that stand at the receiver so far, those for which latch 0 was emptied, and those that are in it.
    stood: usize,
    emptied: usize,
    awaited: usize,
    /// Whether the sender knows that the last word is in latch 0.
    may_send: bool,
}

impl Direction {
    pub(crate) fn new(
        from: (usize, usize),
        to: (usize, usize),
        wire: &Wire,
        packet_words: u64,
        shows: [Shows; 2],
    ) -> Self {
        let (carries, credit_ps) = match wire {
            Wire::Plain {
                latency_ps,
                capacity_words,
            } => {
                let room = (*capacity_words < packet_words).then_some((0, *capacity_words));
                let latency_ps = *latency_ps;
                (Carries::Wire { latency_ps, room }, latency_ps)
            }
            Wire::Handshake { segments, .. } => {
                let requests = segments.iter().map(|(request, _)| request).sum();
                (Carries::Handshake(Handshake::new(wire)), requests)
            }
        };
        let [at_sender, at_receiver] = shows;
        let mut direction = Self {
            from,
            to,
            words: End::new(at_receiver),
            credits: End::new(at_sender),
            reports: End::new(at_sender),
            carries,
            credit_ps,
            arrivals: Vec::new(),
        };
        direction.hand_over();
        direction
    }

    /// Whether the sender knows that a word may leave.
    pub(crate) fn is_open(&self) -> bool {
        match &self.carries {
            Carries::Wire { room, .. } => room.is_none_or(|(used, all)| used < all),
            Carries::Handshake(handshake) => handshake.may_send,
        }
    }

    pub(crate) fn send(&mut self, ps: u64, word: Word) {
        assert!(self.is_open());
        match &mut self.carries {
            Carries::Wire { latency_ps, room } => {
                if let Some((used, _)) = room {
                    *used += 1;
                }
                let available_at_ps = ps + *latency_ps;
                self.words.put(available_at_ps, word);
                self.arrivals.push((true, available_at_ps));
            }
            Carries::Handshake(handshake) => handshake.send(ps, word),
        }
        self.hand_over();
    }

    pub(crate) fn send_credit(&mut self, ps: u64) {
        self.credits.put(ps + self.credit_ps, ());
        self.arrivals.push((false, ps + self.credit_ps));
    }

    /// The receiver's step begins: the word that it takes.
    pub(crate) fn take_word(&mut self, now: Instant) -> Option<Word> {
        self.words.tick(now);
        let word = self.words.take(now)?;
        match &mut self.carries {
            Carries::Wire {
                latency_ps,
                room: Some(_),
            } => {
                let available_at_ps = now.ps + *latency_ps;
                self.reports.put(available_at_ps, ());
                self.arrivals.push((false, available_at_ps));
            }
            Carries::Wire { room: None, .. } => {}
            Carries::Handshake(handshake) => handshake.taken.push(now.ps),
        }
        self.hand_over();
        self.words.tick(now);
        Some(word)
    }

    /// The sender's step begins: whether it takes a credit.
    pub(crate) fn take_credit(&mut self, now: Instant) -> bool {
        self.credits.tick(now);
        self.credits.take(now).is_some()
    }

    /// The sender sees the reports.
    pub(crate) fn take_reports(&mut self, now: Instant) {
        self.reports.tick(now);
        match &mut self.carries {
            Carries::Wire { room, .. } => {
                while self.reports.take(now).is_some() {
                    let (used, _) = room.as_mut().expect("only links that fill report");
                    *used -= 1;
                }
            }
            Carries::Handshake(handshake) => {
                if !handshake.may_send {
                    handshake.may_send = self.reports.take(now).is_some();
                }
            }
        }
    }

    /// Moves words along the segments as far as it is known when.
    fn hand_over(&mut self) {
        let Carries::Handshake(handshake) = &mut self.carries else {
            return;
        };
        handshake.advance();
        while let Some(available_at_ps) = handshake.stands(handshake.stood) {
            self.words
                .put(available_at_ps, handshake.words[handshake.stood]);
            self.arrivals.push((true, available_at_ps));
            handshake.stood += 1;
        }
        // It is an arrival only where a word waits for it.
        while handshake.awaited < handshake.sent.len()
            && let Some(empty_ps) = handshake.empty_for(handshake.awaited)
        {
            if empty_ps > handshake.sent[handshake.awaited] {
                self.arrivals.push((false, empty_ps));
            }
            handshake.awaited += 1;
        }
        while let Some(empty_ps) = handshake.empty_for(handshake.emptied) {
            self.reports.put(empty_ps, ());
            handshake.emptied += 1;
        }
    }
}

impl Handshake {
    fn new(wire: &Wire) -> Self {
        let Wire::Handshake {
            four_phase,
            bundling_ps,
            segments,
            fifo_words,
        } = wire
        else {
            unreachable!("a handshake")
        };
        let backward = |(request, acknowledge): &(u64, u64)| match four_phase {
            true => acknowledge + request + acknowledge,
            false => *acknowledge,
        };
        Self {
            forward_ps: segments.iter().map(|it| it.0 + bundling_ps).collect(),
            acknowledge_ps: segments.iter().map(|it| it.1).collect(),
            backward_ps: segments.iter().map(backward).collect(),
            fifo_words: *fifo_words as usize,
            sent: Vec::new(),
            enters: Vec::new(),
            taken: Vec::new(),
            through: 0,
            words: Vec::new(),
            stood: 0,
            emptied: 0,
            awaited: 0,
            may_send: true,
        }
    }

    fn send(&mut self, ps: u64, word: Word) {
        assert!(self.may_send);
        self.sent.push(ps);
        self.enters.push(vec![None; self.forward_ps.len() + 1]);
        self.words.push(word);
        self.may_send = false;
    }

    /// L(j, k - 1), plus a delay; 0 for the first word, which nothing holds up.
    fn before(&self, latch: usize, word: usize, delay_ps: u64) -> Option<u64> {
        match word.checked_sub(1) {
            None => Some(0),
            Some(before) => self.enters[before][latch].map(|at| at + delay_ps),
        }
    }

    /// S(j, k), when a word leaves over a segment.
    fn leaves(&self, segment: usize, word: usize) -> Option<u64> {
        let entered = self.enters[word][segment]?;
        let free = self.before(segment + 1, word, self.backward_ps[segment])?;
        Some(entered.max(free))
    }

    /// When a word is at the end of a segment, and could be captured.
    fn arrives(&self, segment: usize, word: usize) -> Option<u64> {
        Some(self.leaves(segment, word)? + self.forward_ps[segment])
    }

    /// L(j, k), when a word enters a latch, or what is behind the last segment.
    fn enters(&self, latch: usize, word: usize) -> Option<u64> {
        let came = match latch.checked_sub(1) {
            None => self.sent[word],
            Some(segment) => self.arrives(segment, word)?,
        };
        if latch < self.forward_ps.len() {
            let empty = self.before(latch + 1, word, self.acknowledge_ps[latch])?;
            return Some(came.max(empty));
        }
        if self.fifo_words == 0 {
            return self.taken.get(word).copied();
        }
        match word.checked_sub(self.fifo_words) {
            None => Some(came),
            Some(before) => self.taken.get(before).map(|taken| came.max(*taken)),
        }
    }

    /// Fills in what is known by now.
    fn advance(&mut self) {
        let known = |word: &Vec<Option<u64>>| word.iter().all(Option::is_some);
        for word in self.through..self.enters.len() {
            for latch in 0..=self.forward_ps.len() {
                self.enters[word][latch] = self.enters(latch, word);
            }
            if word == self.through && known(&self.enters[word]) {
                self.through += 1;
            }
        }
    }

    /// When a word stands at the receiver, if that is known.
    fn stands(&self, word: usize) -> Option<u64> {
        let segments = self.forward_ps.len();
        match (word < self.words.len(), self.fifo_words) {
            (false, _) => None,
            (true, 0) => self.arrives(segments - 1, word),
            (true, _) => self.enters[word][segments],
        }
    }

    /// When latch 0 is empty for a word, if that is known.
    fn empty_for(&self, word: usize) -> Option<u64> {
        match word <= self.words.len() {
            true => self.before(1, word, self.acknowledge_ps[0]),
            false => None,
        }
    }
}
