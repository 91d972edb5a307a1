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

use super::fifos::Fifos;
use flitwork_network::Clocks;
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port, PortSet, Word};
use std::collections::VecDeque;

/// Words that a FIFO has room for from the start.
const FIRST_ROOM: u32 = 4;

/// What waits at a node's ports and what its links take, one bit per port.
#[derive(Clone, Copy, Default)]
pub(super) struct Ends {
    /// Ports with words under way or waiting.
    pub(super) words: PortSet,
    /// The same for credits.
    pub(super) credits: PortSet,
    /// Ports over which the far end reports that it has taken words.
    pub(super) taken: PortSet,
    /// Links that take no word.
    pub(super) full: PortSet,
    /// Links whose far end has another clock.
    crossing: PortSet,
}

/// The times up to which arrivals are seen at a tick, in ps.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// Over a link whose ends share a clock.
    pub(super) shared_ps: u64,
    /// Over one that crosses.
    pub(super) crossed_ps: u64,
}

/// The far end of a link.
#[derive(Clone, Copy)]
struct FarEnd {
    node: NodeId,
    port: Port,
}

/// All links, each identified by the node and the port at which it ends, and what is under way over them.
pub(super) struct Links {
    /// Link ports of a node.
    ports: usize,
    /// The latency of links without one of their own.
    latency_ps: u64,
    /// That of each link, where any has one of its own.
    own_ps: Vec<u64>,
    capacity: u32,
    /// Whether links can fill up at all, so that what was taken must be reported back.
    bounded: bool,
    far_ends: Vec<Option<FarEnd>>,
    ends: Vec<Ends>,
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
    /// The links of a topology. A sender that needs credits never has more than `credit_words` words under
    /// way that haven't been taken: a link with room for as many can't be full, and its far end needn't report
    /// what it takes.
    pub(super) fn new<T: Topology>(
        topology: &T,
        clocks: &Clocks,
        credit_words: Option<u32>,
    ) -> Links {
        let (ports, count) = (topology.ports(), topology.nodes());
        let capacity = clocks.links.capacity_words.max(1);
        let bounded = credit_words.is_none_or(|words| capacity < words);
        let all = count as usize * ports;
        let room = capacity
            .min(credit_words.unwrap_or(u32::MAX))
            .min(FIRST_ROOM) as usize;
        let blank = Word::BLANK;
        let mut far_ends = vec![None; all];
        let mut ends = vec![Ends::default(); count as usize];
        for node in (0..count).map(NodeId) {
            for port in topology.links(node).iter() {
                let Some((far, far_port)) = topology.far(node, port) else {
                    continue;
                };
                far_ends[node.index() * ports + port.index()] = Some(FarEnd {
                    node: far,
                    port: far_port,
                });
                let domain = |node: NodeId| clocks.domain_of[node.index()];
                // A self-timed node has no edges to wait for.
                let ticks = clocks.domains[domain(node) as usize].ticks();
                if ticks && !clocks.share(domain(node), domain(far)) {
                    ends[node.index()].crossing.insert(port);
                }
            }
        }
        let bounded_links = if bounded { all } else { 0 };
        Links {
            ports,
            latency_ps: clocks.links.latency_ps.max(1),
            own_ps: own_latencies_ps(topology, clocks),
            capacity,
            bounded,
            far_ends,
            ends,
            words: Fifos::new(all, room, blank),
            credits: Fifos::new(all, 1, 0),
            takings: (0..bounded_links)
                .map(|_| VecDeque::with_capacity(room))
                .collect(),
            outstanding: vec![0; bounded_links],
            under_way: 0,
        }
    }

    /// How long a link takes, in ps.
    #[inline]
    fn latency_ps<T: Topology>(&self, topology: &T, link: usize) -> u64 {
        match topology.has_own_latencies() {
            true => self.own_ps[link],
            false => self.latency_ps,
        }
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
            let limit_ps = seen.over(ends, port);
            let popped = self.words.pop_until(first + port.index(), limit_ps);
            let Some((word, more)) = popped else { continue };
            ends.words.0 &= !(u64::from(!more) << port.0);
            inbox[port.index()] = word;
            taken.insert(port);
        }
        self.under_way -= taken.len() as u64;
        taken
    }

    /// Whether links can fill up, so that what is taken must be reported back: see [`Links::report_taken`].
    #[inline]
    pub(super) fn are_bounded(&self) -> bool {
        self.bounded
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
            let limit_ps = seen.over(ends, port);
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
            let (limit_ps, before) = (seen.over(&ends, port), fifo.len());
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
    /// ps; `u64::MAX` if nothing is under way.
    pub(super) fn next_ps(&self, node: NodeId) -> u64 {
        let (ends, first) = (self.ends[node.index()], node.index() * self.ports);
        let mut next_ps = u64::MAX;
        for port in ends.words.iter() {
            next_ps = next_ps.min(self.words.front_ps(first + port.index()));
        }
        for port in ends.credits.iter() {
            next_ps = next_ps.min(self.credits.front_ps(first + port.index()));
        }
        next_ps.min(self.next_freed_ps(node))
    }

    /// When it is known at a node that one of its full links takes a word again, in ps; `u64::MAX` if that isn't under
    /// way.
    pub(super) fn next_freed_ps(&self, node: NodeId) -> u64 {
        let (ends, first) = (self.ends[node.index()], node.index() * self.ports);
        let mut next_ps = u64::MAX;
        for port in PortSet(ends.full.0 & ends.taken.0).iter() {
            let known_ps = self.takings[first + port.index()].front();
            next_ps = next_ps.min(known_ps.copied().unwrap_or(u64::MAX));
        }
        next_ps
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

    /// A word leaves a node at `now_ps`. Returns where it arrives, and when it stands there, in ps.
    #[inline]
    pub(super) fn send_word<T: Topology>(
        &mut self,
        topology: &T,
        (node, port): (NodeId, Port),
        word: Word,
        now_ps: u64,
    ) -> (NodeId, u64) {
        let far = self.far_end(node, port);
        if self.bounded {
            let link = node.index() * self.ports + port.index();
            self.outstanding[link] += 1;
            if self.outstanding[link] == self.capacity {
                self.ends[node.index()].full.insert(port);
            }
        }
        let link = far.node.index() * self.ports + far.port.index();
        let stands_ps = now_ps + self.latency_ps(topology, link);
        let words = self.words.push(link, stands_ps, word);
        assert!(
            words <= self.capacity,
            "node {node} sent over a full link {port:?} at {now_ps} ps"
        );
        self.ends[far.node.index()].words.insert(far.port);
        self.under_way += 1;
        (far.node, stands_ps)
    }

    /// Where something that leaves a node at `now_ps` arrives, and when it stands there, in ps.
    #[inline]
    pub(super) fn arrival<T: Topology>(
        &self,
        topology: &T,
        (node, port): (NodeId, Port),
        now_ps: u64,
    ) -> (NodeId, Port, u64) {
        let far = self.far_end(node, port);
        let link = far.node.index() * self.ports + far.port.index();
        let stands_ps = now_ps + self.latency_ps(topology, link);
        (far.node, far.port, stands_ps)
    }

    /// The time up to which arrivals at a port are seen at a tick, in ps.
    #[inline]
    pub(super) fn limit_ps(&self, node: NodeId, port: Port, seen: Seen) -> u64 {
        seen.over(self.ends(node), port)
    }

    /// A credit leaves a node at `now_ps`. Returns where it arrives, and when it stands there, in ps.
    #[inline]
    pub(super) fn send_credit<T: Topology>(
        &mut self,
        topology: &T,
        (node, port): (NodeId, Port),
        channel: u8,
        now_ps: u64,
    ) -> (NodeId, u64) {
        let far = self.far_end(node, port);
        let link = far.node.index() * self.ports + far.port.index();
        let stands_ps = now_ps + self.latency_ps(topology, link);
        self.credits.push(link, stands_ps, channel);
        self.ends[far.node.index()].credits.insert(far.port);
        self.under_way += 1;
        (far.node, stands_ps)
    }

    /// Reports back that a node has taken a word at `now_ps`. Returns who is told, and when it can send again because of
    /// that, in ps: `u64::MAX` if the link isn't full.
    #[inline]
    pub(super) fn report_taken<T: Topology>(
        &mut self,
        topology: &T,
        (node, port): (NodeId, Port),
        now_ps: u64,
    ) -> (NodeId, u64) {
        let far = self.far_end(node, port);
        let link = far.node.index() * self.ports + far.port.index();
        let known_ps = now_ps + self.latency_ps(topology, link);
        self.takings[link].push_back(known_ps);
        let ends = &mut self.ends[far.node.index()];
        ends.taken.insert(far.port);
        let freed_ps = if ends.full.contains(far.port) {
            known_ps
        } else {
            u64::MAX
        };
        (far.node, freed_ps)
    }

    #[inline]
    fn far_end(&self, node: NodeId, port: Port) -> FarEnd {
        let far = self.far_ends[node.index() * self.ports + port.index()];
        far.unwrap_or_else(|| panic!("node {node} sent over a missing link {port:?}"))
    }
}

/// How long each link takes, in ps, by the node and port at which it ends; empty if all take equally long.
fn own_latencies_ps<T: Topology>(topology: &T, clocks: &Clocks) -> Vec<u64> {
    if !topology.has_own_latencies() {
        return Vec::new();
    }
    let ports = topology.ports() as u8;
    let links = (0..topology.nodes()).flat_map(|node| (0..ports).map(move |port| (node, port)));
    let latency_ps = |(node, port)| match topology.link_cycles(NodeId(node), Port(port)) {
        Some(cycles) => u64::from(cycles) * clocks.nominal_ps.max(1),
        None => clocks.links.latency_ps.max(1),
    };
    links.map(latency_ps).collect()
}

impl Seen {
    /// The time that counts for a port.
    #[inline]
    fn over(self, ends: &Ends, port: Port) -> u64 {
        if ends.crossing.contains(port) {
            self.crossed_ps
        } else {
            self.shared_ps
        }
    }
}
