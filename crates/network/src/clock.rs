//! When nodes step and when links deliver, in networks whose nodes share no clock.
//!
//! Times are whole picoseconds from the start of the run. Each clock belongs to a domain, and each node to one
//! domain.

use crate::crossing::longest_pause_ps;
use crate::delay::{Arbiter, SelfTimed};
#[cfg(test)]
use crate::delay::{Delay, StageDelays};
use crate::links::LinkTiming;
use crate::oscillator::{Gated, Periodic};

/// The clocks of a network's nodes and the timing of its links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The period of the nominal clock, in ps: what is reported in cycles is in cycles of this clock.
    pub nominal_ps: u64,
    /// The clock of each domain.
    pub domains: Vec<Clock>,
    /// The domain of each node, an index into `domains`.
    pub domain_of: Vec<u32>,
    /// The timing of all links.
    pub links: LinkTiming,
    /// Keys jitter and the delays of self-timed nodes.
    pub seed: u64,
}

/// What makes the nodes of a domain step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clock {
    /// An oscillator.
    Periodic(Periodic),
    /// None: events drive each node of the domain by itself.
    SelfTimed(SelfTimed),
}

impl Clock {
    /// Whether it is a clock, and not events, that makes the nodes step.
    pub fn ticks(&self) -> bool {
        matches!(self, Clock::Periodic(_))
    }

    /// The least and the most that may lie between two ticks in a row, in ps; at least 1. A self-timed node's ticks are
    /// the steps in which words move or a decision is made, one right after the other. A clock that is gated and ticks
    /// again makes as long a step.
    pub fn step_ps(&self) -> (u64, u64) {
        self.span_ps(1)
    }

    /// The same where the clock isn't gated between the two.
    pub fn running_step_ps(&self) -> (u64, u64) {
        match self {
            Clock::Periodic(clock) => clock.running_step_ps(),
            Clock::SelfTimed(_) => self.step_ps(),
        }
    }

    /// The most that a tick takes which may be so late, or a step, or a cycle in which a self-timed node only counts, in ps;
    /// where the clock isn't gated in it.
    pub(crate) fn longest_running_ps(&self, pause_ps: u64) -> u64 {
        let (_, longest_ps) = self.running_step_ps();
        match self {
            Clock::Periodic(_) => longest_ps.saturating_add(pause_ps),
            Clock::SelfTimed(node) => {
                let decides_ps = node.arbiter.map_or(0, Arbiter::longest_ps);
                longest_ps.saturating_add(decides_ps).max(node.count_ps)
            }
        }
    }

    /// For how long it is gated and ticks again.
    pub fn gated(&self) -> Gated {
        match self {
            Clock::Periodic(clock) => clock.gated(),
            Clock::SelfTimed(_) => Gated::default(),
        }
    }

    /// From when on it never ticks again, in ps; `None` if it goes on.
    pub fn stops_ps(&self) -> Option<u64> {
        let Clock::Periodic(clock) = self else {
            return None;
        };
        let last = clock.gates().last()?;
        last.until_ps.is_none().then_some(last.from_ps)
    }

    /// The least and the most that may lie between a tick and the one `ticks` later, in ps; at least 1. The most
    /// includes the times in which the clock is gated, unless there is no later tick.
    pub fn span_ps(&self, ticks: u32) -> (u64, u64) {
        match self {
            Clock::Periodic(clock) => clock.span_ps(ticks),
            Clock::SelfTimed(node) => {
                let ticks = u64::from(ticks.max(1));
                let span = |step_ps: u64| step_ps.saturating_mul(ticks);
                (span(node.least_word_ps()), span(node.longest_ps()))
            }
        }
    }
}

impl Clocks {
    /// Whether two domains tick at the same instants, so that nothing between them needs to be synchronized.
    pub fn share(&self, one: u32, other: u32) -> bool {
        let steady = |domain: u32| match &self.domains[domain as usize] {
            Clock::Periodic(clock) if clock.is_certain() => Some(clock),
            _ => None,
        };
        one == other || steady(one).is_some_and(|clock| steady(other) == Some(clock))
    }

    /// The longest cycle of any node whose clock isn't gated in it, in ps, whatever it waits for.
    pub fn longest_cycle_ps(&self) -> u64 {
        let pause_ps = longest_pause_ps(self.links.crossings());
        let clocks = self.domains.iter();
        let longest = clocks.map(|clock| clock.longest_running_ps(pause_ps));
        longest.max().unwrap_or(1)
    }

    /// How long, between two times in ps, some clock is gated that ticks again later, in ps.
    pub fn gated_ps(&self, from_ps: u64, to_ps: u64) -> u64 {
        let mut gates = Vec::new();
        for domain in &self.domains {
            if let Clock::Periodic(clock) = domain {
                gates.extend(clock.gates().filter_map(|gate| {
                    let within = gate.from_ps.max(from_ps)..gate.until_ps?.min(to_ps);
                    (!within.is_empty()).then_some((within.start, within.end))
                }));
            }
        }
        gates.sort_unstable();
        let (mut all_ps, mut counted_ps) = (0, from_ps);
        for (from_ps, until_ps) in gates {
            all_ps += until_ps.saturating_sub(from_ps.max(counted_ps));
            counted_ps = counted_ps.max(until_ps);
        }
        all_ps
    }

    /// The least capacity, in words, with which nodes that are held while one of their links is full never
    /// wait for each other forever, if no link has a longer latency of its own in its topology.
    ///
    /// Nodes that do so form a ring, each with a full link to the next. Consider the last step of any of them
    /// that took no word from the ring's link to it: all words on that link were too young to be seen, so
    /// they had left within a latency and a synchronizer's edges. There are at most
    ///
    /// ```text
    /// young = ceil((latency + edges * longest step + gated) / shortest step)
    /// ```
    ///
    /// of them, where `gated` is for how long a clock may be gated during its edges, and each edge of a pausible clock is up
    /// to its longest pause late; and one more if the sender is self-timed: the word of the step that isn't over, which
    /// counts from the step's begin on. There are at most `capacity` on each other link of the ring. From then on each step of each
    /// node takes a word from the ring and sends at most one, so that the ring of n never holds more than
    /// (n - 1) * capacity + young. With a capacity of young + 1 it can't be full: n * capacity is more.
    /// Two nodes with a capacity of `young` can fill both their links, and wait forever.
    ///
    /// Over a link with handshakes no more words are young than it has latches before its segments, each of which holds
    /// one, and one that waits for the first; and those that the FIFO at its end got within the synchronizer's edges.
    pub fn least_capacity_words(&self) -> u64 {
        let is_self_timed = self.domains.iter().any(|clock| !clock.ticks());
        let young = match &self.links.handshake {
            None => {
                let steps = self.domains.iter().map(Clock::step_ps);
                let shortest_ps = steps.map(|(shortest, _)| shortest).min().unwrap_or(1);
                let hidden_ps = u128::from(self.links.longest_ps()) + self.unseen_ps();
                hidden_ps.div_ceil(u128::from(shortest_ps))
            }
            Some(handshake) => {
                let unseen_ps = self.unseen_ps();
                let own = self.links.own.values();
                let own = own.filter_map(|own| own.segments.as_deref());
                let all = own.chain([&handshake.segments[..]]);
                let young = all.map(|segments| {
                    let last = segments.last();
                    let cycle_ps = last.map_or(1, |segment| handshake.cycle_ps(*segment));
                    let in_fifo = match unseen_ps {
                        0 => 0,
                        unseen_ps => unseen_ps / u128::from(cycle_ps.max(1)) + 1,
                    };
                    segments.len() as u128 + 1 + in_fifo
                });
                young.max().unwrap_or(1)
            }
        };
        let young = young + u128::from(is_self_timed);
        u64::try_from(young).unwrap_or(u64::MAX).saturating_add(1)
    }

    /// The longest that something stands at the end of a link before a node with a clock can see it, in ps.
    fn unseen_ps(&self) -> u128 {
        let crosses = (1..self.domains.len()).any(|domain| !self.share(0, domain as u32));
        if !crosses {
            return 0;
        }
        let pause_ps = longest_pause_ps(self.links.crossings());
        let unseen = self.links.crossings().map(|crossing| {
            let clocks = self.domains.iter().filter(|clock| clock.ticks());
            let edges = clocks.map(|clock| {
                let running_ps = u128::from(clock.longest_running_ps(pause_ps));
                let gated_ps = clock.gated().within_ps(crossing.edges);
                u128::from(crossing.edges) * running_ps + u128::from(gated_ps)
            });
            let pause_ps = crossing.pause.map_or(0, |pause| pause.longest_ps());
            edges.max().unwrap_or(0) + u128::from(crossing.margin_ps) + u128::from(pause_ps)
        });
        unseen.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crossing::{Crossing, Pause};
    use crate::links::OwnTiming;
    use flitwork_types::{NodeId, Port};

    #[test]
    fn self_timed_steps_add_up() {
        let clock = Clock::SelfTimed(SelfTimed::new(StageDelays {
            word: Delay::uniform(300, 500),
            decision: Delay::uniform(400, 900),
            allocation: Some(Delay::fixed(50)),
            credit: Some(Delay::uniform(200, 250)),
        }));
        assert_eq!(clock.span_ps(7), (7 * 300, 7 * 950));
    }
    fn steady(period_ps: u64) -> Clock {
        Clock::Periodic(Periodic::new(period_ps, 0))
    }

    fn clocks(domains: Vec<Clock>, links: LinkTiming) -> Clocks {
        Clocks {
            nominal_ps: 1000,
            domain_of: (0..domains.len() as u32).collect(),
            domains,
            links,
            seed: 1,
        }
    }

    /// One clock is gated from 1,000 to 3,000 ps and another from 2,000 to 5,000: what both are counts once. From 8,000 on one
    /// never ticks again, which doesn't count.
    #[test]
    fn gates_count_once_where_they_overlap() {
        let one = Periodic::new(100, 0)
            .with_gate_from(1000)
            .with_period_from(3000, 100);
        let other = Periodic::new(100, 0)
            .with_gate_from(2000)
            .with_period_from(5000, 100)
            .with_gate_from(8000);
        let clocks = clocks(
            vec![Clock::Periodic(one), Clock::Periodic(other)],
            LinkTiming::wires(1, 1, 0),
        );
        for (from_ps, to_ps, expected_ps) in [
            (0, 10_000, 4000),
            (0, 1000, 0),
            (1500, 2000, 500),
            (1500, 2500, 1000),
            (2500, 4000, 1500),
            (4999, 9000, 1),
            (5000, 9000, 0),
        ] {
            assert_eq!(clocks.gated_ps(from_ps, to_ps), expected_ps);
        }
    }

    /// Clocks of 1,000 and 900 ps. Words that have left within a latency and an end's edges are young:
    ///
    /// - 700 ps and two edges of 1,000: three at 900 ps a word, four with a ps more; and one word more than young ones.
    /// - 700 ps and a margin of 200: one; with a margin of 201 two.
    /// - 700 ps and a pause of 400: two.
    /// - a link of its own of 1,600 ps and two edges: four.
    /// - where nothing crosses, 700 ps: one.
    /// - a word more where a step of 900 ps and more isn't over.
    #[test]
    fn a_link_has_room_for_young_words_and_one_more() {
        let both = || vec![steady(1000), steady(900)];
        let least =
            |domains: Vec<Clock>, links: LinkTiming| clocks(domains, links).least_capacity_words();
        assert_eq!(least(both(), LinkTiming::wires(700, 9, 2)), 3 + 1);
        assert_eq!(least(both(), LinkTiming::wires(701, 9, 2)), 4 + 1);
        let crossing = |crossing| LinkTiming {
            crossing,
            ..LinkTiming::wires(700, 9, 0)
        };
        for (margin_ps, young) in [(200, 1), (201, 2)] {
            let margin = Crossing {
                margin_ps,
                ..Crossing::synchronizer(0)
            };
            assert_eq!(least(both(), crossing(margin)), young + 1);
        }
        let pause = Crossing {
            pause: Some(Pause {
                transfer_ps: 400,
                arbiter: None,
            }),
            ..Crossing::synchronizer(0)
        };
        assert_eq!(least(both(), crossing(pause)), 2 + 1);
        let mut own = LinkTiming::wires(700, 9, 2);
        let long = OwnTiming {
            latency_ps: Some(1600),
            ..OwnTiming::default()
        };
        own.own.insert((NodeId(0), Port(0)), long);
        assert_eq!(least(both(), own), 4 + 1);
        let alike = vec![steady(900), steady(900)];
        assert_eq!(least(alike, LinkTiming::wires(700, 9, 2)), 1 + 1);
        let node = Clock::SelfTimed(SelfTimed::new(StageDelays {
            word: Delay::fixed(900),
            decision: Delay::fixed(900),
            allocation: None,
            credit: None,
        }));
        let beside = vec![steady(1000), node];
        assert_eq!(least(beside, LinkTiming::wires(700, 9, 2)), 3 + 1 + 1);
    }
}
