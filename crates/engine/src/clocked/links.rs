//! Links between nodes that need not share a clock: what is on them and at their ends.
//!
//! ```text
//!              a link's latency           the receiver's edges
//!   sender ──────────────────────▶ FIFO ──────────────────────▶ receiver     words, credits
//!          ◀────────────────────── FIFO ◀──────────────────────              how many words were taken
//! ```
//!
//! A word sent at a tick is at the far end one latency later. The receiver sees it at its first tick from then on,
//! or, if the ends do not share a clock, a synchronizer's edges after that tick. At most one word and one credit
//! per port are taken in a tick. What has been taken is reported back the same way, as the position of the reader,
//! so that the sender learns of everything that has arrived at once.

mod build;

use super::ends::{Ends, Seen, Sights};
use super::fifos::Fifos;
use super::pipe::{Known, Pipe};
use flitwork_types::{Due, NodeId, Port, PortSet, Word};
use std::collections::VecDeque;

/// All links, each identified by the node and the port at which it ends, and what is under way over them.
#[derive(Clone)]
pub(super) struct Links {
    /// Link ports of a node.
    ports: usize,
    /// How long everything takes over a link but a word that is handed over, in ps: over all links, or over each.
    latency_ps: u64,
    own_ps: Vec<u64>,
    /// The most words that any link holds, where none can fill up.
    capacity: u32,
    /// The words that may be outstanding over each link, by the end from which they leave, if any link can fill up at
    /// all, so that what was taken must be reported back.
    capacities: Vec<u32>,
    far_ends: Vec<Option<(NodeId, Port)>>,
    ends: Vec<Ends>,
    /// Which ticks are seen at ports whose crossings differ from the usual one.
    pub(super) sights: Sights,
    /// The links over which words are handed over; none where they are put on wires.
    pipes: Vec<Option<Pipe>>,
    /// Words to a port, by the time of their arrival.
    words: Fifos<Word>,
    /// Credits to a port, by the same.
    credits: Fifos<u8>,
    /// What a port's far end has taken, by the time at which that is known.
    takings: Vec<VecDeque<u64>>,
    /// Words sent through a port that are not known to have been taken.
    outstanding: Vec<u32>,
    /// Words and credits that have been sent and not taken.
    under_way: u64,
}

impl Links {
    /// About how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        let fixed = 16 * self.ends.len() * self.ports;
        let pipes = size_of_val(&*self.pipes) + size_of_val(&*self.takings);
        fixed + pipes + self.words.bytes() + self.credits.bytes() + size_of_val(&*self.ends)
    }

    /// How long everything but a word that is handed over takes to the end of a link, in ps.
    pub(super) fn latency_ps_to(&self, (node, port): (NodeId, Port)) -> u64 {
        self.latency_ps(node.index() * self.ports + port.index())
    }

    #[inline]
    fn latency_ps(&self, link: usize) -> u64 {
        self.own_ps.get(link).copied().unwrap_or(self.latency_ps)
    }

    /// What waits at a node's ports.
    #[inline]
    pub(super) fn ends(&self, node: NodeId) -> &Ends {
        &self.ends[node.index()]
    }

    /// Whether no word and no credit is under way or waiting.
    #[inline]
    pub(super) fn are_empty(&self) -> bool {
        self.under_way == 0
    }

    /// Puts the words that a node sees into `inbox`, at most one per port, and returns the ports that got one.
    #[inline]
    pub(super) fn take_words(&mut self, node: NodeId, seen: Seen, inbox: &mut [Word]) -> PortSet {
        let first = node.index() * self.ports;
        let ends = &mut self.ends[node.index()];
        let mut taken = PortSet::EMPTY;
        for port in ends.words.iter() {
            let limit_ps = self.sights.limit_ps(seen, ends, port, first + port.index());
            let popped = self.words.pop_until(first + port.index(), limit_ps);
            let Some((word, more)) = popped else { continue };
            ends.words.0 &= !(u64::from(!more) << port.0);
            inbox[port.index()] = word;
            taken.insert(port);
        }
        self.under_way -= taken.len() as u64;
        taken
    }

    /// Takes the credits that a node sees, at most one per port, and puts their channels into `channels`.
    #[inline]
    pub(super) fn take_credits(
        &mut self,
        node: NodeId,
        seen: Seen,
        channels: &mut [u8],
    ) -> PortSet {
        let first = node.index() * self.ports;
        let ends = &mut self.ends[node.index()];
        let mut taken = PortSet::EMPTY;
        for port in ends.credits.iter() {
            let limit_ps = self.sights.limit_ps(seen, ends, port, first + port.index());
            let popped = self.credits.pop_until(first + port.index(), limit_ps);
            let Some((channel, more)) = popped else {
                continue;
            };
            channels[port.index()] = channel;
            ends.credits.0 &= !(u64::from(!more) << port.0);
            taken.insert(port);
        }
        self.under_way -= taken.len() as u64;
        taken
    }

    /// A node learns what its neighbours have taken. Returns whether a link takes a word again that was full.
    #[inline]
    pub(super) fn learn(&mut self, node: NodeId, seen: Seen) -> bool {
        let ends = self.ends[node.index()];
        let mut any = false;
        for port in ends.taken.iter() {
            let link = node.index() * self.ports + port.index();
            let fifo = &mut self.takings[link];
            let limit_ps = self.sights.limit_ps(seen, &ends, port, link);
            let before = fifo.len();
            while fifo.pop_front_if(|at_ps| *at_ps <= limit_ps).is_some() {}
            let learned = (before - fifo.len()) as u32;
            if fifo.is_empty() {
                self.ends[node.index()].taken.remove(port);
            }
            if learned > 0 {
                self.outstanding[link] -= learned;
                any |= ends.full.contains(port);
                self.ends[node.index()].full.remove(port);
            }
        }
        any
    }

    /// When the next word or credit stands at a node's ports, or it is known that a full link takes a word again, in
    /// ps.
    pub(super) fn next_ps(&self, node: NodeId) -> Due<u64> {
        let (ends, first) = (self.ends[node.index()], node.index() * self.ports);
        let (words, credits) = (ends.words.iter(), ends.credits.iter());
        let words = words.map(|port| self.words.front_ps(first + port.index()));
        let credits = credits.map(|port| self.credits.front_ps(first + port.index()));
        let words_ps = Due::soonest(words);
        let next_ps = words_ps.min(Due::soonest(credits));
        next_ps.min(self.next_freed_ps(node))
    }

    /// When it is known at a node that one of its full links takes a word again, in ps.
    pub(super) fn next_freed_ps(&self, node: NodeId) -> Due<u64> {
        let (ends, first) = (self.ends[node.index()], node.index() * self.ports);
        let known = PortSet(ends.full.0 & ends.taken.0).iter();
        let front_ps = |port: Port| self.takings[first + port.index()].front().copied();
        Due::soonest(known.map(front_ps))
    }

    /// When what a node takes at these ports at `now_ps` came to stand there, in ps, into `times`.
    pub(super) fn stood_ps(&self, node: NodeId, now_ps: u64, times: &mut Vec<u64>) {
        let (ends, first) = (self.ends[node.index()], node.index() * self.ports);
        let words = ends.words.iter();
        let credits = ends.credits.iter();
        times.extend(words.map(|port| self.words.front_ps(first + port.index())));
        times.extend(credits.map(|port| self.credits.front_ps(first + port.index())));
        times.retain(|stood_ps| *stood_ps <= now_ps);
    }

    /// When words, credits and reports came to a port after the first of these times and no later than the second, in
    /// ps, into `came`.
    pub(super) fn came_ps(
        &self,
        (node, port): (NodeId, Port),
        (after_ps, until_ps): (u64, u64),
        came: &mut Vec<(Port, u64)>,
    ) {
        let (ends, link) = (self.ends(node), node.index() * self.ports + port.index());
        let words = ends.words.contains(port).then(|| self.words.times_ps(link));
        let credits = ends.credits.contains(port);
        let credits = credits.then(|| self.credits.times_ps(link));
        let reports = ends.taken.contains(port).then(|| self.takings[link].iter());
        let all = words.into_iter().flatten();
        let all = all.chain(credits.into_iter().flatten());
        let all = all.chain(reports.into_iter().flatten().copied());
        let all = all.filter(|at_ps| (after_ps + 1..=until_ps).contains(at_ps));
        came.extend(all.map(|at_ps| (port, at_ps)));
    }

    /// A word leaves a node at `now_ps`. Returns where it arrives, and when it stands there, in ps, as far as that is known.
    #[inline]
    pub(super) fn send_word(
        &mut self,
        (node, port): (NodeId, Port),
        word: Word,
        now_ps: u64,
    ) -> (NodeId, Due<u64>) {
        self.under_way += 1;
        if !self.pipes.is_empty() {
            return self.hand_over((node, port), word, now_ps);
        }
        let mut capacity = self.capacity;
        if !self.capacities.is_empty() {
            let link = node.index() * self.ports + port.index();
            capacity = self.capacities[link];
            self.outstanding[link] += 1;
            if self.outstanding[link] == capacity {
                self.ends[node.index()].full.insert(port);
            }
        }
        let (far, far_port, available_at_ps) = self.arrival((node, port), now_ps);
        let link = far.index() * self.ports + far_port.index();
        let words = self.words.push(link, available_at_ps, word);
        assert!(
            words <= capacity,
            "node {node} sent over a full link {port:?} at {now_ps} ps"
        );
        self.ends[far.index()].words.insert(far_port);
        (far, available_at_ps.into())
    }

    /// The same over a link with handshakes. A self-timed sender may go on at once if its latch is empty then; one with a
    /// clock sees that through its crossing.
    #[inline(never)]
    fn hand_over(
        &mut self,
        (node, port): (NodeId, Port),
        word: Word,
        now_ps: u64,
    ) -> (NodeId, Due<u64>) {
        assert!(
            !self.ends[node.index()].full.contains(port),
            "node {node} sent over a link {port:?} that was not ready at {now_ps} ps"
        );
        let far = self.far_end(node, port);
        let pipe = self.pipe(far);
        let has_clock = pipe.has_clocked_sender;
        let known = pipe.send(word, now_ps);
        let is_ready = known.ready_ps.is_some_and(|ready_ps| ready_ps <= now_ps);
        if has_clock || !is_ready {
            self.outstanding[node.index() * self.ports + port.index()] = 1;
            self.ends[node.index()].full.insert(port);
            self.ready((node, port), known);
        }
        (far.0, self.stand(far, known))
    }

    fn pipe(&mut self, (node, port): (NodeId, Port)) -> &mut Pipe {
        let pipe = &mut self.pipes[node.index() * self.ports + port.index()];
        pipe.as_mut().expect("a link hands words over")
    }

    /// A word may have come to stand at the end of a link. Returns when, in ps.
    fn stand(&mut self, (node, port): (NodeId, Port), known: Known) -> Due<u64> {
        if let Some((available_at_ps, word)) = known.stands {
            let link = node.index() * self.ports + port.index();
            self.words.push(link, available_at_ps, word);
            self.ends[node.index()].words.insert(port);
        }
        known.stands.map(|(at_ps, _)| at_ps).into()
    }

    /// A sender may have come to know when it can send again. Returns that time, in ps.
    fn ready(&mut self, (node, port): (NodeId, Port), known: Known) -> Due<u64> {
        if let Some(ready_ps) = known.ready_ps {
            self.takings[node.index() * self.ports + port.index()].push_back(ready_ps);
            self.ends[node.index()].taken.insert(port);
        }
        known.ready_ps.into()
    }

    /// Where something that leaves a node at `now_ps` arrives, and when it stands there, in ps.
    #[inline]
    pub(super) fn arrival(&self, (node, port): (NodeId, Port), now_ps: u64) -> (NodeId, Port, u64) {
        let (far, far_port) = self.far_end(node, port);
        let link = far.index() * self.ports + far_port.index();
        (far, far_port, now_ps + self.latency_ps(link))
    }

    /// The time up to which arrivals at a port are seen at a tick, in ps.
    #[inline]
    pub(super) fn limit_ps(&self, node: NodeId, port: Port, seen: Seen) -> u64 {
        let link = node.index() * self.ports + port.index();
        self.sights.limit_ps(seen, self.ends(node), port, link)
    }

    /// A credit leaves a node at `now_ps`. Returns where it arrives, and when it stands there, in ps.
    #[inline]
    pub(super) fn send_credit(
        &mut self,
        from: (NodeId, Port),
        channel: u8,
        now_ps: u64,
    ) -> (NodeId, Due<u64>) {
        let (far, far_port, available_at_ps) = self.arrival(from, now_ps);
        let link = far.index() * self.ports + far_port.index();
        self.credits.push(link, available_at_ps, channel);
        self.ends[far.index()].credits.insert(far_port);
        self.under_way += 1;
        (far, available_at_ps.into())
    }

    /// Reports back that a node has taken a word at `now_ps`. Returns who is told, and when it can send again because of
    /// that, in ps: never if the link isn't full.
    #[inline(never)]
    pub(super) fn report_taken(
        &mut self,
        (node, port): (NodeId, Port),
        now_ps: u64,
    ) -> (NodeId, Due<u64>) {
        if !self.pipes.is_empty() {
            let far = self.far_end(node, port);
            let known = self.pipe((node, port)).take(now_ps);
            self.stand((node, port), known);
            return (far.0, self.ready(far, known));
        }
        let (far, far_port, known_ps) = self.arrival((node, port), now_ps);
        let link = far.index() * self.ports + far_port.index();
        self.takings[link].push_back(known_ps);
        let ends = &mut self.ends[far.index()];
        ends.taken.insert(far_port);
        (far, Due::when(ends.full.contains(far_port), known_ps))
    }

    #[inline]
    fn far_end(&self, node: NodeId, port: Port) -> (NodeId, Port) {
        let far = self.far_ends[node.index() * self.ports + port.index()];
        far.unwrap_or_else(|| panic!("node {node} sent over a missing link {port:?}"))
    }
}
