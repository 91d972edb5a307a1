//! Packets that visit a random node first.
//!
//! What a source sends to all terminals alike flows to each intermediate node at once. A packet that comes to its destination on the way ends there:
//! of what comes from elsewhere to a node on the way, as much ends as each of its terminals gets.

use super::Unloaded;
use super::demand::{Demand, Goal};
use super::ways::{Leg, Trickle, Ways};
use crate::routing::contract::Stopovers;
use crate::routing::dependencies::Watch;
use flitwork_topology::Topology;
use flitwork_types::NodeId;

/// What goes from a node to another, by way of an intermediate one that it draws with a probability.
#[derive(Clone, Copy, Debug)]
struct Pair {
    via: NodeId,
    to: NodeId,
    from: NodeId,
    words: f64,
}

/// The most numbers of a table that are kept: 256 MiB.
const MOST_KEPT: u64 = 1 << 25;

/// Adds what they put on links.
pub(super) fn add(
    ways: &mut Ways<'_>,
    demand: &Demand,
    links: &mut [f64],
    watch: &mut Watch<'_>,
) -> Result<(), Unloaded> {
    let count = u64::from(ways.shape.nodes());
    let too_much = Err(Unloaded::TooMuch { allowed: MOST_KEPT });
    if count * count > MOST_KEPT {
        return too_much;
    }
    let nodes = || (0..ways.shape.nodes()).map(NodeId);
    let stopovers = match nodes().nth(1) {
        Some(second) => ways.routing().stopovers(NodeId(0), second),
        None => return Ok(()),
    };
    let mut two = TwoLegs {
        demand,
        second: vec![0.0; (count * count) as usize],
        trickle: Trickle::default(),
    };
    match stopovers {
        Stopovers::Unknown => return Err(Unloaded::Stopovers),
        Stopovers::AnyOf(all) => {
            let likely = 1.0 / all.len() as f64;
            let single = two.single();
            for (done, via) in all.iter().enumerate() {
                step(watch, done, 2 * all.len())?;
                ways.begin(goal(*via), Leg::First);
                two.alike_by(ways, (*via, likely), links)?;
                let pairs = single.iter().map(|pair| Pair {
                    via: *via,
                    words: pair.words * likely,
                    ..*pair
                });
                two.pairs_by(ways, pairs, links)?;
            }
        }
        Stopovers::Between(_) => {
            let Some(mut pairs) = two.all_pairs(ways) else {
                return too_much;
            };
            pairs.sort_by_key(|pair| (pair.via, pair.to, pair.from));
            let groups: Vec<&[Pair]> = pairs.chunk_by(|it, next| it.via == next.via).collect();
            for (done, group) in groups.iter().enumerate() {
                step(watch, done, 2 * groups.len())?;
                ways.begin(goal(group[0].via), Leg::First);
                two.pairs_by(ways, group.iter().copied(), links)?;
            }
        }
    }
    two.second_legs(ways, links, watch)
}

fn goal(node: NodeId) -> Goal {
    Goal {
        node,
        terminal: None,
    }
}

fn step(watch: &mut Watch<'_>, done: usize, of: usize) -> Result<(), Unloaded> {
    match watch(done as u32, of as u32).is_break() {
        true => Err(Unloaded::Stopped),
        false => Ok(()),
    }
}

/// The flow in both legs.
struct TwoLegs<'a> {
    demand: &'a Demand,
    /// By destination and intermediate node, the words that go on from there.
    second: Vec<f64>,
    trickle: Trickle,
}

impl TwoLegs<'_> {
    fn goes_on(&mut self, via: NodeId, to: NodeId, words: f64) {
        if via != to {
            let nodes = self.demand.receivers.len();
            self.second[to.index() * nodes + via.index()] += words;
        }
    }

    /// What is sent to all terminals alike, on the way to a node that is drawn with a probability.
    fn alike_by(
        &mut self,
        ways: &mut Ways<'_>,
        (via, likely): (NodeId, f64),
        links: &mut [f64],
    ) -> Result<(), Unloaded> {
        let demand = self.demand;
        if !demand.has_alike() {
            return Ok(());
        }
        let sources = (0..).map(NodeId).zip(demand.alike.iter().copied());
        let sources = || sources.clone().filter(|(_, words)| *words != 0.0);
        let all: f64 = demand.receivers.iter().sum();
        let mut entered = Vec::new();
        for (from, words) in sources() {
            let elsewhere = all - demand.receivers[from.index()];
            entered.push((ways.enter(from)?, words * likely, elsewhere));
        }
        // At each place, what comes for each terminal wherever it is, and what hasn't ended before.
        let (mut each, mut still) = (vec![0.0; ways.places()], vec![0.0; ways.places()]);
        for (place, words, elsewhere) in entered {
            each[place] += words;
            still[place] += words * elsewhere;
        }
        // By node, what of it came by.
        let mut came = vec![0.0; demand.receivers.len()];
        for place in (1..ways.places()).rev() {
            if let Some(here) = ways.came_to(place) {
                came[here.index()] += each[place];
                still[place] -= demand.receivers[here.index()] * each[place];
            }
            let (of_each, on) = (each[place], still[place]);
            ways.hand_on(place, |link, to, part| {
                links[link] += on * part;
                each[to] += of_each * part;
                still[to] += on * part;
            });
        }
        for (to, receivers) in (0..).map(NodeId).zip(&demand.receivers) {
            let own = demand.alike[to.index()] * likely;
            let words = receivers * (each[0] - own - came[to.index()]);
            self.goes_on(via, to, words);
        }
        Ok(())
    }

    /// What is sent to single terminals, without an intermediate node as yet.
    fn single(&self) -> Vec<Pair> {
        let all = self.demand.by_goal(false).into_iter();
        let pair = |(goal, from, words): (Goal, NodeId, f64)| Pair {
            via: from,
            to: goal.node,
            from,
            words,
        };
        all.map(pair).collect()
    }

    /// Everything that is sent, for each intermediate node between source and destination; `None` if that is too much.
    fn all_pairs(&self, ways: &Ways<'_>) -> Option<Vec<Pair>> {
        let demand = self.demand;
        let mut direct = self.single();
        let numbered = |table: &[f64]| -> Vec<(NodeId, f64)> {
            let all = (0..).map(NodeId).zip(table.iter().copied());
            all.filter(|(_, words)| *words != 0.0).collect()
        };
        for (from, words) in numbered(&demand.alike) {
            for (to, receivers) in numbered(&demand.receivers) {
                let words = words * receivers;
                let via = from;
                if from != to {
                    direct.push(Pair {
                        via,
                        to,
                        from,
                        words,
                    });
                }
            }
        }
        let mut pairs = Vec::new();
        for pair in direct {
            if let Stopovers::Between(all) = ways.routing().stopovers(pair.from, pair.to) {
                pairs.extend(all.iter().map(|(via, likely)| Pair {
                    via: *via,
                    words: pair.words * likely,
                    ..pair
                }));
            }
            if pairs.len() as u64 > MOST_KEPT / 2 {
                return None;
            }
        }
        Some(pairs)
    }

    /// These packets on the way to their intermediate node, in the order of their destinations.
    fn pairs_by(
        &mut self,
        ways: &mut Ways<'_>,
        pairs: impl Iterator<Item = Pair>,
        links: &mut [f64],
    ) -> Result<(), Unloaded> {
        let mut pairs = pairs.peekable();
        while let Some(pair) = pairs.next() {
            let place = ways.enter(pair.from)?;
            self.trickle.put(place, pair.words);
            if pairs.peek().is_none_or(|next| next.to != pair.to) {
                let words = self.trickle.flow(ways, pair.to, links)?;
                self.goes_on(pair.via, pair.to, words);
            }
        }
        Ok(())
    }

    /// From the intermediate nodes to the destinations.
    fn second_legs(
        &self,
        ways: &mut Ways<'_>,
        links: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> Result<(), Unloaded> {
        let nodes = self.demand.receivers.len();
        for (to, row) in self.second.chunks(nodes).enumerate() {
            step(watch, nodes + to, 2 * nodes)?;
            let row = (0..).map(NodeId).zip(row.iter().copied());
            let mut entered = Vec::new();
            ways.begin(goal(NodeId(to as u32)), Leg::Last);
            for (via, words) in row.filter(|(_, words)| *words != 0.0) {
                entered.push((ways.enter(via)?, words));
            }
            let mut words = vec![0.0; ways.places()];
            entered
                .iter()
                .for_each(|(place, more)| words[*place] += more);
            ways.flow(words, links);
        }
        Ok(())
    }
}
