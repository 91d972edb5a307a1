//! Networks of self-timed nodes with forks and joins: a node acts when there is a word at each of its inputs, and room
//! for a word behind each of its outputs, for which it has credits, and the last word that it sent there is in latch 0.
//!
//! With d for what a node takes, words leave node i at x[i](k) + d[i], and so do the credits for those that it has used.
//! Over a link from i to j with q words at j and c - q credits at i at first, whose words enter latch j at L(j, k) and
//! stand at j, in the FIFO behind N latches, at L(N+1, k) (docs/src/handshakes.md, Segments),
//!
//! ```text
//! x[i](k) >= x[i](k-1) + d[i]
//! L(0, k) >= x[i](k) + d[i]                        latch 0, which a word enters once it is empty
//! x[i](k) >= L(0, k-1)
//! x[j](k) >= L(N+1, k - q)
//! x[i](k) >= x[j](k - (c - q)) + d[j] + credit     the sum of all requests, or the latency of a wire
//! ```
//!
//! A node takes what comes before it acts. Such a step takes a ps for a word, as its input ports do here, and delays nothing:
//! all that decides when nodes act happens at multiples of [`GRAIN_PS`], and there is never more to take than fits between.

use super::marked::{Marked, equal};
use super::passes::{Times, clocks, handshake, links, passed, run, self_timed_by_port, settled};
use flitwork_network::{LinkTiming, OwnTiming, Protocol, credit_ps};
use flitwork_node::{Inputs, Outputs, Probe, Router, Site, Wait, WordRouter, draw_below};
use flitwork_topology::{Graph, Topology};
use flitwork_types::{Cycle, Due, NodeId, Packets, Port, PortSet, Word};

const GRAIN_PS: u64 = 10;
/// Of each node that is compared.
const EVENTS: usize = 1200;

/// A node: for each of its ports, the words that it has there or the credits.
#[derive(Clone, Debug, Default)]
struct Places {
    inputs: PortSet,
    outputs: PortSet,
    counts: Vec<u32>,
}

impl Places {
    fn can_act(&self) -> bool {
        let ports = PortSet(self.inputs.0 | self.outputs.0);
        ports.iter().all(|port| self.counts[port.index()] > 0)
    }
}

struct Fires(Vec<Places>);

impl Router for Fires {
    type Node = Places;

    fn nodes(&self) -> Vec<Places> {
        self.0.clone()
    }

    fn waits(&self, _: NodeId, _: &Places, _: &Packets, _: Cycle) -> Vec<Wait> {
        Vec::new()
    }

    fn packet_words(&self) -> Option<u16> {
        Some(1)
    }
}

impl WordRouter for Fires {
    /// A run ends with its time.
    fn is_idle(&self, _: &Places) -> bool {
        false
    }

    fn next_step(&self, state: &Places, now: Cycle) -> Due {
        Due::when(state.can_act(), now)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Places,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        for port in inputs.arrived.iter().chain(inputs.credits.iter()) {
            state.counts[port.index()] += 1;
        }
        let is_ready = state.outputs.0 & !inputs.sendable.0 == 0;
        if !is_ready || !state.can_act() {
            return;
        }
        for port in PortSet(state.inputs.0 | state.outputs.0).iter() {
            state.counts[port.index()] -= 1;
        }
        state.inputs.iter().for_each(|port| outputs.credit(port, 0));
        let sends = state.outputs.iter();
        sends.for_each(|port| outputs.send(port, Word::BLANK));
        passed(site, now);
    }
}

/// A link from a node to another.
#[derive(Clone, Debug)]
struct Link {
    ends: [usize; 2],
    ports: [Port; 2],
    /// The words that the receiver has at first, and the credits of the sender.
    words: u32,
    credits: u32,
    /// Requests and acknowledges of its segments, or its latency twice.
    segments: Vec<(u64, u64)>,
}

#[derive(Clone, Debug)]
struct Case {
    /// What a node takes, in ps.
    own_ps: Vec<u64>,
    ports: Vec<u8>,
    links: Vec<Link>,
    /// Handshakes with their bundling margin, or wires.
    handshake: Option<(Protocol, u64)>,
}

impl Case {
    /// A ring, and some more paths between its nodes.
    fn drawn(number: u32) -> Case {
        let mut draws = 0;
        let mut below = |bound: u32| {
            draws += 1;
            draw_below(bound, 29, NodeId(number), Cycle(draws), 0)
        };
        let protocol = [Protocol::TwoPhase, Protocol::FourPhase][below(2) as usize];
        let bundling_ps = GRAIN_PS * u64::from(below(2) * below(5));
        let handshake = (below(5) > 0).then_some((protocol, bundling_ps));
        let mut case = Case {
            own_ps: Vec::new(),
            ports: Vec::new(),
            links: Vec::new(),
            handshake,
        };
        let fullness = below(101);
        for path in 0..1 + below(5) {
            let known = case.own_ps.len() as u32;
            let [from, to] = match path {
                0 => [0, 0],
                _ => [0; 2].map(|_| below(known) as usize),
            };
            let shortest = u32::from(from == to);
            let inner = match path {
                0 => 2 + below(4),
                _ => shortest + below(4),
            };
            let mut at = from;
            for place in 0..inner {
                case.own_ps.push(GRAIN_PS * u64::from(1 + below(40)));
                case.ports.push(0);
                let next = case.own_ps.len() - 1;
                if (path, place) != (0, 0) {
                    case.link([at, next], fullness, &mut below);
                }
                at = next;
            }
            case.link([at, to], fullness, &mut below);
        }
        case
    }

    fn link(&mut self, ends: [usize; 2], fullness: u32, below: &mut impl FnMut(u32) -> u32) {
        let ports = ends.map(|node| {
            self.ports[node] += 1;
            Port(self.ports[node] - 1)
        });
        let places = 1 + below(3);
        let words = (0..places).filter(|_| below(100) < fullness).count() as u32;
        let delay = |below: &mut dyn FnMut(u32) -> u32| GRAIN_PS * u64::from(1 + below(40));
        let segments = (0..1 + below(2) * below(4)).map(|_| (delay(below), delay(below)));
        self.links.push(Link {
            ends,
            ports,
            words,
            credits: places - words,
            segments: segments.collect(),
        });
    }

    fn topology(&self) -> Graph {
        let mut graph = Graph::of_nodes(self.own_ps.len() as u32).unwrap();
        for link in &self.links {
            let [from, to] = [0, 1].map(|end| (NodeId(link.ends[end] as u32), link.ports[end]));
            graph.link(from, to, None).unwrap();
        }
        graph.build().unwrap()
    }

    fn places(&self) -> Vec<Places> {
        let mut nodes = vec![Places::default(); self.own_ps.len()];
        let most = self.ports.iter().max().copied().unwrap_or(0);
        nodes
            .iter_mut()
            .for_each(|it| it.counts = vec![0; usize::from(most)]);
        for link in &self.links {
            let ([from, to], [out, into]) = (link.ends, link.ports);
            nodes[from].outputs.insert(out);
            nodes[from].counts[out.index()] = link.credits;
            nodes[to].inputs.insert(into);
            nodes[to].counts[into.index()] = link.words;
        }
        nodes
    }

    fn run(&self, end_ps: u64) -> Times {
        let topology = self.topology();
        let places = self.places();
        let nodes = places.iter().zip(&self.own_ps).map(|(node, own_ps)| {
            // The processor's port and the central queue come after those of links.
            let ports = (0..topology.ports() as u8 + 2).map(Port);
            self_timed_by_port(ports.map(|port| match node.outputs.contains(port) {
                true => *own_ps,
                false => 1,
            }))
        });
        let nodes: Vec<_> = nodes.collect();
        let mut timing = match self.handshake {
            None => LinkTiming::wires(1, 100, 0),
            Some((protocol, bundling_ps)) => {
                // A FIFO for all words that there are credits for.
                let longest = self.links.iter().map(|link| link.segments.len()).max();
                let shake = handshake(protocol, bundling_ps, &[(1, 1)]);
                // The capacity of all links counts the latches of the longest: at least three places, as many as the
                // most credits, are left of it for the FIFO of each.
                links(&shake, longest.unwrap() as u32 + 2, 0)
            }
        };
        for link in &self.links {
            let given = handshake(Protocol::TwoPhase, 0, &link.segments);
            for (node, port) in link.ends.iter().zip(link.ports) {
                let own = OwnTiming {
                    latency_ps: Some(link.segments[0].0),
                    segments: Some(given.segments.clone()),
                    ..OwnTiming::default()
                };
                timing.own.insert((NodeId(*node as u32), port), own);
            }
        }
        run(&topology, Fires(places), &clocks(nodes, timing), end_ps)
    }

    /// The recurrences above, with those of the documentation for a link's segments. The first vertices are the nodes.
    fn graph(&self) -> Marked {
        let mut graph = Marked::default();
        for own_ps in &self.own_ps {
            let node = graph.vertex();
            graph.arc(node, node, *own_ps, 1);
        }
        for link in &self.links {
            let ([from, to], own_ps) = (link.ends, self.own_ps[link.ends[0]]);
            let back_tokens = u64::from(link.credits);
            let Some((protocol, bundling_ps)) = self.handshake else {
                let latency_ps = link.segments[0].0;
                graph.arc(from, to, own_ps + latency_ps, link.words.into());
                graph.arc(to, from, self.own_ps[to] + latency_ps, back_tokens);
                continue;
            };
            let shake = handshake(protocol, bundling_ps, &link.segments);
            let first = graph.vertex();
            graph.arc(from, first, own_ps, 0);
            graph.arc(first, from, 0, 1);
            let mut latch = first;
            for delays in &shake.segments {
                let next = graph.vertex();
                graph.segment((&shake, *delays), (latch, next), 0);
                latch = next;
            }
            graph.arc(latch, to, 0, link.words.into());
            let credit_ps = self.own_ps[to] + credit_ps(&shake.segments);
            graph.arc(to, from, credit_ps, back_tokens);
        }
        graph
    }

    /// How often each node acts before all wait for each other: words and credits without times.
    fn acts_in_all(&self) -> Vec<usize> {
        let (mut nodes, mut acts) = (self.places(), vec![0; self.own_ps.len()]);
        while let Some(node) = nodes.iter().position(Places::can_act) {
            acts[node] += 1;
            let ports = PortSet(nodes[node].inputs.0 | nodes[node].outputs.0);
            ports
                .iter()
                .for_each(|port| nodes[node].counts[port.index()] -= 1);
            for link in &self.links {
                let ([from, to], [out, into]) = (link.ends, link.ports);
                if from == node {
                    nodes[to].counts[into.index()] += 1;
                }
                if to == node {
                    nodes[from].counts[out.index()] += 1;
                }
            }
        }
        acts
    }

    fn check(&self) -> bool {
        let graph = self.graph();
        if !graph.is_live() {
            let times = self.run(1_000_000).of;
            let acts: Vec<usize> = times.iter().map(Vec::len).collect();
            assert_eq!(acts, self.acts_in_all(), "{self:?}");
            return false;
        }
        let mean = graph.cycle_mean();
        let times = self.run(EVENTS as u64 * mean.0 / mean.1 + 1).of;
        let expected = graph.times(EVENTS);
        for (node, times) in times.iter().enumerate() {
            let mut pairs = times.iter().zip(&expected[node]);
            let wrong = pairs.position(|(time, expected)| time != expected);
            assert_eq!(wrong, None, "node {node}: {self:?}");
            let (events, ps) = settled(times).expect("a period");
            assert!(
                equal((ps, events), mean),
                "{ps} ps for {events}, not {mean:?}: {self:?}"
            );
        }
        true
    }
}

/// A few hundred networks, by wires and by handshakes: each node acts when the recurrences say, and in the long run at
/// the greatest cycle mean. Where a cycle has no word or credit, all nodes stop after as many acts as these allow.
#[test]
fn nodes_that_fork_and_join_act_at_the_greatest_cycle_mean() {
    let (mut live, mut dead, mut forks) = (0, 0, 0);
    for case in (0..600).map(Case::drawn) {
        match case.check() {
            true => live += 1,
            false => dead += 1,
        }
        let outputs = case.places().into_iter().map(|node| node.outputs.len());
        forks += outputs.filter(|outputs| *outputs > 1).count();
    }
    assert!(live > 300 && dead > 50, "{live} go on, {dead} stop");
    assert!(forks > 300, "{forks} forks");
}
