//! The path of each packet that arrives the earliest, on any graph.
//!
//! Stages of the multistage graph are made as they are needed (Symvonis and Tidswell 1994, section 3).

use super::{MAX_WORDS, ProblemError};
use crate::{Hop, Plan, Request};
use flitwork_topology::Topology;
use flitwork_types::{NodeId, Port, PortSet};

/// Which paths a packet may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paths {
    /// The shortest: each link brings it closer to its destination.
    #[default]
    Shortest,
    /// Any, also through nodes where it has been.
    Any,
}

impl Paths {
    /// The links of a node that a packet for a destination may take.
    pub(crate) fn ports(
        self,
        topology: &impl Topology,
        node: NodeId,
        destination: NodeId,
    ) -> PortSet {
        match self {
            Paths::Shortest => topology.productive(node, destination),
            Paths::Any => topology.links(node),
        }
    }
}

/// The packets of a problem, the longest distance first, and equal ones in their order.
pub fn longest_first(topology: &impl Topology, requests: &[Request]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..requests.len() as u32).collect();
    order.sort_by_cached_key(|packet| {
        let request = &requests[*packet as usize];
        std::cmp::Reverse(topology.distance(request.source, request.destination))
    });
    order
}

/// Schedules problems of a graph, one after the other; memory is kept for the next.
///
/// A packet that hasn't left its source waits there as long as it likes. Elsewhere, and where it comes back, at most `waiting`
/// packets wait in a node and step. With none, it moves in every step once it has left.
///
/// A worm's words follow its head without gaps. If it may leave the shortest paths, its head never crosses a link on which its
/// own words still are; it then arrives as early as the search finds, which may not be the earliest.
pub struct Search<'a, T> {
    topology: &'a T,
    waiting: usize,
    paths: Paths,
    taken: Taken,
    /// The states that a packet reaches.
    reached: Vec<Reached>,
    /// For each node, the mark of the search and step in which it was reached last.
    marks: Vec<u64>,
    mark: u64,
}

/// A packet's first word is in a node as a step begins.
#[derive(Clone, Copy, Debug)]
struct Reached {
    node: NodeId,
    /// Where it was before: none if it has just left its source.
    before: Option<usize>,
    /// How it came: none if it has waited.
    hop: Option<Hop>,
}

/// What packets take of each stage.
#[derive(Default)]
struct Taken {
    nodes: usize,
    ports: usize,
    /// A bit a link, stage by stage.
    links: Vec<u64>,
    /// Those that wait in each node, stage by stage.
    waits: Vec<u32>,
}

impl Taken {
    /// The word and the bit of a link.
    fn bit(&self, step: u32, node: NodeId, port: Port) -> (usize, u64) {
        let stage = (self.nodes * self.ports).div_ceil(64);
        let link = node.index() * self.ports + port.index();
        (step as usize * stage + link / 64, 1 << (link % 64))
    }

    fn is_free(&self, steps: std::ops::Range<u32>, node: NodeId, port: Port) -> bool {
        steps.into_iter().all(|step| {
            let (word, bit) = self.bit(step, node, port);
            self.links.get(word).is_none_or(|links| links & bit == 0)
        })
    }

    fn take(&mut self, steps: std::ops::Range<u32>, node: NodeId, port: Port) {
        for step in steps {
            let (word, bit) = self.bit(step, node, port);
            if self.links.len() <= word {
                self.links.resize(word + 1, 0);
            }
            self.links[word] |= bit;
        }
    }

    fn waiting(&self, step: u32, node: NodeId) -> usize {
        let place = step as usize * self.nodes + node.index();
        self.waits.get(place).map_or(0, |waits| *waits as usize)
    }

    fn wait(&mut self, step: u32, node: NodeId) {
        let place = step as usize * self.nodes + node.index();
        if self.waits.len() <= place {
            self.waits.resize(place + 1, 0);
        }
        self.waits[place] += 1;
    }
}

impl<'a, T: Topology> Search<'a, T> {
    /// A search over a graph's paths, with room for `waiting` packets in each node.
    pub fn new(topology: &'a T, waiting: usize, paths: Paths) -> Search<'a, T> {
        let nodes = topology.nodes() as usize;
        Search {
            topology,
            waiting,
            paths,
            taken: Taken {
                nodes,
                ports: topology.ports(),
                ..Taken::default()
            },
            reached: Vec::new(),
            marks: vec![0; nodes],
            mark: 0,
        }
    }

    /// Schedules packets in an order: their places, each once.
    ///
    /// # Errors
    /// A [`ProblemError`] for packets that aren't the graph's, and for what isn't an order.
    pub fn schedule(
        &mut self,
        requests: &[Request],
        order: &[u32],
    ) -> Result<Vec<Plan>, ProblemError> {
        self.admits(requests)?;
        if !is_order(order, requests.len()) {
            return Err(ProblemError::Order);
        }
        self.taken.links.clear();
        self.taken.waits.clear();
        let mut plans = vec![Plan::default(); requests.len()];
        for packet in order {
            let request = &requests[*packet as usize];
            let plan = self.earliest(request);
            self.take(request, &plan);
            plans[*packet as usize] = plan;
        }
        Ok(plans)
    }

    fn admits(&self, requests: &[Request]) -> Result<(), ProblemError> {
        for (packet, request) in requests.iter().enumerate() {
            let (from, to) = (request.source, request.destination);
            if let Some(node) = request.beyond(self.topology.nodes()) {
                return Err(ProblemError::Node { packet, node });
            }
            let words = request.words;
            if words == 0 || from != to && words > MAX_WORDS {
                return Err(ProblemError::Words { packet, words });
            }
            if from != to && self.topology.productive(from, to).is_empty() {
                return Err(ProblemError::Apart { packet });
            }
        }
        Ok(())
    }

    /// The plan that arrives the earliest. There is one: once all others are through, a shortest path is free.
    fn earliest(&mut self, request: &Request) -> Plan {
        if request.source == request.destination {
            return Plan::default();
        }
        self.reached.clear();
        let mut stage = 0..0;
        for step in 0.. {
            self.mark += 1;
            // Who leaves now comes before who has left: it waits nowhere.
            if let Some(last) = self.leave(request, step, None) {
                return self.plan(last);
            }
            for state in stage.clone() {
                if let Some(last) = self.leave(request, step, Some(state)) {
                    return self.plan(last);
                }
            }
            for state in stage.clone() {
                let node = self.reached[state].node;
                if self.taken.waiting(step, node) < self.waiting {
                    self.reach(node, Some(state), None);
                }
            }
            stage = stage.end..self.reached.len();
        }
        unreachable!("steps don't end")
    }

    /// Goes through all links that are free in a step; the last state, if one leads to the destination.
    fn leave(&mut self, request: &Request, step: u32, before: Option<usize>) -> Option<usize> {
        let node = before.map_or(request.source, |state| self.reached[state].node);
        let ports = self.paths.ports(self.topology, node, request.destination);
        for port in ports.iter() {
            let Some(far) = self.topology.neighbour(node, port) else {
                continue;
            };
            let steps = step..step + request.words;
            if !self.taken.is_free(steps, node, port)
                || self.meets_itself(request, step, before, port)
            {
                continue;
            }
            let hop = Hop { port, step };
            if let Some(state) = self.reach(far, before, Some(hop))
                && far == request.destination
            {
                return Some(state);
            }
        }
        None
    }

    /// Whether a worm's head wants a link on which its own words still are. On a shortest path it never does.
    fn meets_itself(
        &self,
        request: &Request,
        step: u32,
        before: Option<usize>,
        port: Port,
    ) -> bool {
        if request.words == 1 || self.paths == Paths::Shortest {
            return false;
        }
        let node = before.map_or(request.source, |state| self.reached[state].node);
        let mut state = before;
        while let Some(at) = state {
            let Reached { before, hop, .. } = self.reached[at];
            let from = before.map_or(request.source, |before| self.reached[before].node);
            if let Some(hop) = hop {
                if hop.step + request.words <= step {
                    return false;
                }
                if (from, hop.port) == (node, port) {
                    return true;
                }
            }
            state = before;
        }
        false
    }

    /// Adds a state of the next stage, unless its node is reached already.
    fn reach(&mut self, node: NodeId, before: Option<usize>, hop: Option<Hop>) -> Option<usize> {
        let mark = std::mem::replace(&mut self.marks[node.index()], self.mark);
        if mark == self.mark {
            return None;
        }
        self.reached.push(Reached { node, before, hop });
        Some(self.reached.len() - 1)
    }

    fn plan(&self, last: usize) -> Plan {
        let mut hops = Vec::new();
        let mut state = Some(last);
        while let Some(at) = state {
            hops.extend(self.reached[at].hop);
            state = self.reached[at].before;
        }
        hops.reverse();
        Plan { hops }
    }

    fn take(&mut self, request: &Request, plan: &Plan) {
        let mut node = request.source;
        let mut ready = None;
        for hop in &plan.hops {
            for step in ready.unwrap_or(hop.step)..hop.step {
                self.taken.wait(step, node);
            }
            let steps = hop.step..hop.step + request.words;
            self.taken.take(steps, node, hop.port);
            node = self.topology.neighbour(node, hop.port).unwrap_or(node);
            ready = Some(hop.step + 1);
        }
    }
}

/// Whether places name each of so many packets once.
fn is_order(order: &[u32], packets: usize) -> bool {
    let mut named = vec![false; packets];
    let first = |packet: &u32| match named.get_mut(*packet as usize) {
        Some(named) => !std::mem::replace(named, true),
        None => false,
    };
    order.len() == packets && order.iter().all(first)
}
