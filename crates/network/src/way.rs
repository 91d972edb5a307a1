//! One direction of a link, with the clocks at both ends: how long what goes over it takes.

use crate::clock::{Clock, Clocks};
use crate::crossing::{Crossing, longest_pause_ps};
use crate::handshake::{Handshake, Segment, credit_ps};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port};

/// One direction of a link.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    /// The clock from which words leave.
    pub sender: &'a Clock,
    /// The one at which they arrive.
    pub receiver: &'a Clock,
    /// How many words it holds.
    pub capacity_words: u32,
    latency_ps: u64,
    /// The most that the receiver's clock may wait for what comes over any link, in ps.
    pause_ps: u64,
    /// What happens to what arrives, unless both ends share a clock or the receiver has none.
    pub crossing: Option<&'a Crossing>,
    shaken: Option<(&'a Handshake, &'a [Segment])>,
}

impl Clocks {
    /// How long everything but a word that is handed over takes over the link that leads from a port of a node, in ps;
    /// at least 1.
    pub fn latency_ps<T: Topology>(&self, topology: &T, (node, port): (NodeId, Port)) -> u64 {
        if let Some(segments) = self.links.segments_of(node, port) {
            return credit_ps(segments).max(1);
        }
        let own = self.links.own(node, port).and_then(|own| own.latency_ps);
        let cycles = topology.link_cycles(node, port);
        let own = own.or(cycles.map(|cycles| u64::from(cycles) * self.nominal_ps.max(1)));
        own.unwrap_or(self.links.latency_ps).max(1)
    }

    /// The direction of a link that leads from a port of a node; `None` if there is no link.
    pub fn way<T: Topology>(&self, topology: &T, (node, port): (NodeId, Port)) -> Option<Way<'_>> {
        let (far, _) = topology.far(node, port)?;
        let domain = |node: NodeId| self.domain_of[node.index()];
        let clock = |node: NodeId| &self.domains[domain(node) as usize];
        let crossing = self.links.crossing_of(node, port);
        let crosses = clock(far).ticks() && !self.share(domain(node), domain(far));
        let handshake = self.links.handshake.as_ref();
        let capacity_words = crossing.capacity_words;
        let links = topology.links(far).iter();
        let arrivals = links.filter_map(|port| topology.far(far, port));
        let crossings = arrivals.map(|(node, port)| self.links.crossing_of(node, port));
        Some(Way {
            sender: clock(node),
            receiver: clock(far),
            capacity_words: capacity_words.unwrap_or(self.links.capacity_words),
            latency_ps: self.latency_ps(topology, (node, port)),
            pause_ps: longest_pause_ps(crossings),
            crossing: crosses.then_some(crossing),
            shaken: handshake.zip(self.links.segments_of(node, port)),
        })
    }
}

impl Way<'_> {
    /// Whether words are handed over.
    pub fn is_shaken(&self) -> bool {
        self.shaken.is_some()
    }

    /// Whether its ends don't tick at the same instants, so that what arrives has to be synchronized, or the receiver has
    /// no clock.
    pub fn is_crossed(&self) -> bool {
        self.crossing.is_some() || !self.receiver.ticks()
    }

    /// The longest from the departure of a word until it stands at the far end, in ps, if all words before it had been
    /// taken there when it left: by then a handshake may have to return to its beginning in each segment.
    pub fn word_ps(&self) -> u64 {
        let Some((handshake, segments)) = self.shaken else {
            return self.latency_ps;
        };
        let back = segments.iter().map(|it| handshake.backward_ps(*it));
        let back_ps = back.max().unwrap_or(0);
        handshake.latency_ps(segments).saturating_add(back_ps)
    }

    /// The same of a credit.
    pub fn credit_ps(&self) -> u64 {
        self.latency_ps
    }

    /// The most that may lie between a tick of the receiver and the one `ticks` later, in ps, whatever it waits for and
    /// however long it is gated; or the most that as many steps of a self-timed one may take, or cycles in which it only
    /// counts.
    pub fn longest_span_ps(&self, ticks: u32) -> u64 {
        match self.receiver {
            Clock::Periodic(clock) => {
                let pauses_ps = self.pause_ps.saturating_mul(ticks.into());
                clock.span_ps(ticks).1.saturating_add(pauses_ps)
            }
            Clock::SelfTimed(_) => self
                .receiver
                .longest_running_ps(0)
                .saturating_mul(ticks.into()),
        }
    }

    /// What stood at the far end longer before a tick than this, in ps, is seen at that tick; a self-timed node sees what
    /// stands there when its step begins.
    pub fn unseen_ps(&self) -> u64 {
        self.hidden_ps(|edges| self.longest_span_ps(edges))
    }

    /// The same where the receiver's clock isn't gated.
    pub fn unseen_running_ps(&self) -> u64 {
        let edge_ps = self.receiver.longest_running_ps(self.pause_ps);
        self.hidden_ps(|edges| edge_ps.saturating_mul(edges.into()))
    }

    /// The same, given how long so many edges take.
    fn hidden_ps(&self, edges_ps: impl Fn(u32) -> u64) -> u64 {
        let Some(crossing) = self.crossing else {
            return 0;
        };
        let edges_ps = match crossing.edges {
            0 => 0,
            edges => edges_ps(edges),
        };
        let pause_ps = crossing.pause.map(|_| self.pause_ps);
        edges_ps
            .saturating_add(crossing.margin_ps)
            .saturating_add(pause_ps.unwrap_or(0))
    }

    /// The least from the departure of a word to that of the word so many after it, in ps, apart from the sender's own time;
    /// 0 over a wire.
    ///
    /// A word leaves once the one before it is in latch 0, which is free when the word before that has been acknowledged: so
    /// the first two may leave at once. Each later one has waited for another handshake over the first segment.
    pub fn handshakes_ps(&self, words: u32) -> u64 {
        let Some((handshake, [first, ..])) = self.shaken else {
            return 0;
        };
        match words.checked_sub(2) {
            None => 0,
            Some(later) => handshake
                .forward_ps(*first)
                .saturating_add(first.acknowledge_ps)
                .saturating_add(handshake.cycle_ps(*first).saturating_mul(later.into())),
        }
    }

    /// The longest that a handshake over any of its segments takes, in ps, apart from what the receiver waits; 0 over a
    /// wire.
    pub fn slowest_handshake_ps(&self) -> u64 {
        self.handshake_cycles().max().unwrap_or(0)
    }

    /// The time of the handshakes over all segments, one after the other, in ps; 0 over a wire.
    pub fn all_handshakes_ps(&self) -> u64 {
        self.handshake_cycles().fold(0, u64::saturating_add)
    }

    /// What a handshake takes over each segment, in ps.
    fn handshake_cycles(&self) -> impl Iterator<Item = u64> {
        let all = self.shaken.into_iter();
        all.flat_map(|(handshake, segments)| {
            segments.iter().map(|segment| handshake.cycle_ps(*segment))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crossing::Pause;
    use crate::delay::{Arbiter, Delay, SelfTimed, StageDelays};
    use crate::handshake::Protocol;
    use crate::links::{LinkTiming, OwnTiming};
    use crate::oscillator::Periodic;
    use flitwork_topology::Grid;

    fn steady(period_ps: u64) -> Clock {
        Clock::Periodic(Periodic::new(period_ps, 0))
    }

    /// Two nodes, of which the first has a clock of 1,000 ps and the other one that is given.
    fn pair(other: Clock, links: LinkTiming) -> (Grid, Clocks) {
        let clocks = Clocks {
            nominal_ps: 1000,
            domains: vec![steady(1000), other],
            domain_of: vec![0, 1],
            links,
            seed: 1,
        };
        (Grid::mesh(&[2]).unwrap(), clocks)
    }

    /// The port of a node of a line of two that leads to the other.
    fn port(topology: &Grid, node: NodeId) -> (NodeId, Port) {
        (node, topology.links(node).iter().next().unwrap())
    }

    #[test]
    fn a_wire_takes_its_latency_and_a_receiver_its_edges() {
        let mut links = LinkTiming::wires(700, 5, 3);
        let (topology, mut clocks) = pair(steady(1500), links.clone());
        let there = port(&topology, NodeId(0));
        let way = clocks.way(&topology, there).unwrap();
        assert_eq!(
            (way.word_ps(), way.credit_ps(), way.unseen_ps()),
            (700, 700, 4500)
        );
        assert_eq!((way.handshakes_ps(9), way.capacity_words), (0, 5));
        let back = clocks.way(&topology, port(&topology, NodeId(1))).unwrap();
        assert_eq!(back.unseen_ps(), 3000);
        assert_eq!(clocks.longest_cycle_ps(), 1500);
        // A pausible clock shows what stood there before it waited.
        let arbiter = Some(Arbiter {
            window_ps: 5,
            tau_ps: 20,
        });
        let pause = Some(Pause {
            transfer_ps: 400,
            arbiter,
        });
        let crossing = Crossing {
            pause,
            ..Crossing::synchronizer(0)
        };
        let own = OwnTiming {
            crossing: Some(crossing),
            latency_ps: Some(90),
            ..OwnTiming::default()
        };
        links.own.insert(there, own);
        clocks.links = links;
        let way = clocks.way(&topology, there).unwrap();
        assert_eq!((way.word_ps(), way.unseen_ps()), (90, 760));
        assert_eq!(clocks.longest_cycle_ps(), 1500 + 760);
        // Ends that share a clock wait for nothing.
        clocks.domain_of = vec![1, 1];
        assert_eq!(clocks.way(&topology, there).unwrap().unseen_ps(), 0);
    }

    /// Over 100 + 10 and 200 + 10 forward, and 50 and 70 back; credits take 100 + 200.
    #[test]
    fn a_handshake_takes_its_segments() {
        let segment = |request_ps, acknowledge_ps| Segment {
            request_ps,
            acknowledge_ps,
        };
        let handshake = Handshake {
            protocol: Protocol::TwoPhase,
            bundling_ps: 10,
            segments: vec![segment(100, 50), segment(200, 70)],
        };
        let links = LinkTiming {
            handshake: Some(handshake),
            ..LinkTiming::wires(5000, 2, 2)
        };
        let node = SelfTimed {
            arbiter: Some(Arbiter {
                window_ps: 5,
                tau_ps: 20,
            }),
            count_ps: 9000,
            ..SelfTimed::new(StageDelays {
                word: Delay::uniform(300, 500),
                decision: Delay::fixed(400),
                allocation: None,
                credit: None,
            })
        };
        let (topology, mut clocks) = pair(Clock::SelfTimed(node), links);
        let way = clocks.way(&topology, port(&topology, NodeId(0))).unwrap();
        assert!(way.is_shaken());
        assert_eq!(
            (way.word_ps(), way.credit_ps(), way.unseen_ps()),
            (320 + 70, 300, 0)
        );
        // The third word leaves when the first has reached latch 1 and been acknowledged.
        assert_eq!(
            [1, 2, 3].map(|words| way.handshakes_ps(words)),
            [0, 160, 320]
        );
        assert_eq!(way.slowest_handshake_ps(), 280);
        assert_eq!(way.all_handshakes_ps(), 440);
        assert_eq!(clocks.longest_cycle_ps(), 9000);
        if let Clock::SelfTimed(node) = &mut clocks.domains[1] {
            node.count_ps = 0;
        }
        let way = clocks.way(&topology, port(&topology, NodeId(0))).unwrap();
        assert_eq!(way.longest_span_ps(3), 3 * (500 + 760));
    }
    /// What comes later than 60 ps before an edge is sampled at the next one; then it waits for two edges of 1,500 ps.
    #[test]
    fn a_margin_hides_what_comes_just_before_an_edge() {
        for (edges, unseen_ps) in [(0, 60), (2, 3060)] {
            let links = LinkTiming {
                crossing: Crossing {
                    margin_ps: 60,
                    ..Crossing::synchronizer(edges)
                },
                ..LinkTiming::wires(700, 5, 0)
            };
            let (topology, clocks) = pair(steady(1500), links);
            let way = clocks.way(&topology, port(&topology, NodeId(0))).unwrap();
            assert_eq!(
                (way.unseen_ps(), way.unseen_running_ps()),
                (unseen_ps, unseen_ps)
            );
        }
    }
}
