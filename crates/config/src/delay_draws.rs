//! What the stages of each node and each link take: what a table or the keys give, with what is drawn for each.
//!
//! A draw is keyed by its node, stage, port and segment, so that nothing else in the network changes it.

use super::clocks::table::Stage;
use super::clocks::{ClockParameters, DelayParameters, SelfTimedParameters, Spread, Stepping};
use super::draws::Stream;
use flitwork_network::{Delay, LinkTiming, NodeDelays, Segment, StageDelays};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{Cycle, NodeId, Port, PortSet};
use std::collections::HashMap;
use std::sync::Arc;

/// Separates the draws of single delays from those that others derive from the same seed.
const DELAYS: u64 = u64::from_be_bytes(*b"delays..");

/// The stages that nodes have at each port.
const OF_PORTS: [Stage; 4] = [
    Stage::Word,
    Stage::Decision,
    Stage::Allocation,
    Stage::Credit,
];

/// The delays of a network.
pub(super) struct Delays<'a> {
    own: &'a DelayParameters,
    /// What keys give of nodes' stages, if nodes are self-timed.
    keys: Option<&'a SelfTimedParameters>,
    shape: &'a Shape,
    nominal_ps: u64,
    seed: u64,
    /// The delays of nodes that are known, so that nodes that are alike share them.
    known: HashMap<Vec<StageDelays>, Arc<NodeDelays>>,
    /// Those of all nodes, if none differs.
    alike: Option<Arc<NodeDelays>>,
}

impl<'a> Delays<'a> {
    /// Those of a network with these clocks, drawn from the run's seed.
    pub(super) fn of(clocks: &'a ClockParameters, shape: &'a Shape, seed: u64) -> Delays<'a> {
        Delays {
            own: &clocks.delays,
            keys: match &clocks.stepping {
                Stepping::SelfTimed(steps) => Some(steps),
                Stepping::Oscillators(_) => None,
            },
            shape,
            nominal_ps: clocks.period_ps,
            seed: seed ^ DELAYS,
            known: HashMap::new(),
            alike: None,
        }
    }

    /// Whether stages take the same at all nodes and ports.
    pub(super) fn are_alike(&self) -> bool {
        let differs = |table: &crate::DelayTable| {
            let mut stages = OF_PORTS.into_iter().chain([Stage::Count]);
            stages.any(|stage| table.differs_in(stage))
        };
        self.own.spread == Spread::NONE && !self.own.table.as_ref().is_some_and(|it| differs(it))
    }

    /// What a self-timed node's stages take.
    pub(super) fn of_node(&mut self, node: NodeId) -> Arc<NodeDelays> {
        if let Some(alike) = &self.alike {
            return alike.clone();
        }
        if self.are_alike() {
            let everywhere = Arc::new(NodeDelays::alike(self.at(node, Port(0), Port(0))));
            return self.alike.insert(everywhere).clone();
        }
        let ports = self.by_port(node);
        if self.own.spread != Spread::NONE {
            // No two nodes are alike.
            return Arc::new(NodeDelays::by_port(ports));
        }
        if let Some(known) = self.known.get(&ports) {
            return known.clone();
        }
        let delays = match &ports[..] {
            [first, rest @ ..] if rest.iter().all(|it| it == first) => NodeDelays::alike(*first),
            _ => NodeDelays::by_port(ports.clone()),
        };
        let delays = Arc::new(delays);
        self.known.insert(ports, delays.clone());
        delays
    }

    /// What its stages take at each port, that of the central queue last. A port that the node doesn't have is like the
    /// first that it has.
    fn by_port(&self, node: NodeId) -> Vec<StageDelays> {
        let local = self.shape.local();
        let queue = Port(local.0 + 1);
        let mut there: PortSet = self.shape.links(node);
        if self.shape.has_terminal(node) {
            there.insert(local);
        }
        let first = there.iter().next().unwrap_or(local);
        // All local ports are alike.
        let locals = std::iter::repeat_n(local, self.shape.locals());
        let all = (0..local.0).map(Port).chain(locals).chain([queue]);
        all.map(|port| match there.contains(port) || port == queue {
            true => self.at(node, port, first),
            false => self.at(node, first, first),
        })
        .collect()
    }

    /// What its stages take at a port; those that it doesn't have there take what they take at `first`.
    fn at(&self, node: NodeId, port: Port, first: Port) -> StageDelays {
        let [word, decision, allocation, credit] = OF_PORTS.map(|stage| {
            let own = self.stage(stage, node, port);
            own.or_else(|| self.stage(stage, node, first))
        });
        // The configuration has been checked for gaps.
        StageDelays {
            word: word.unwrap_or_else(|| panic!("node {node} has no delay of words")),
            decision: decision.unwrap_or_else(|| panic!("node {node} has no delay of decisions")),
            allocation,
            credit,
        }
    }

    /// What a stage of a node takes at a port.
    fn stage(&self, stage: Stage, node: NodeId, port: Port) -> Option<Delay> {
        let given = match &self.own.table {
            Some(table) if table.names(stage) => table.find(stage, (node, port), None),
            _ => {
                let keys = self.keys.and_then(|steps| steps.delays.get(stage as usize));
                keys.and_then(|given| given.delay())
            }
        };
        given.map(|delay| self.drawn(delay, stage, (node, port), None))
    }

    /// A cycle in which a node's router only counts, in ps.
    pub(super) fn count_ps(&self, node: NodeId) -> u64 {
        let port = self.shape.local();
        let usual_ps = self.keys.map_or(0, |steps| steps.count_ps);
        self.fixed_ps(Stage::Count, (node, port), None, usual_ps)
    }

    /// How long a link that is a wire takes from a node's port, in ps, if its latency is `usual_ps` unless a table says
    /// it.
    fn latency_ps(&self, node: NodeId, port: Port, usual_ps: u64) -> u64 {
        self.fixed_ps(Stage::Latency, (node, port), None, usual_ps)
    }

    /// The segments of the link with handshakes that leads from a node's port, where those of other links are `usual`.
    pub(super) fn segments(&self, node: NodeId, port: Port, usual: &[Segment]) -> Vec<Segment> {
        let own = (0..).zip(usual).map(|(number, segment)| {
            let of = |stage, usual_ps| self.fixed_ps(stage, (node, port), Some(number), usual_ps);
            Segment {
                request_ps: of(Stage::Request, segment.request_ps),
                acknowledge_ps: of(Stage::Acknowledge, segment.acknowledge_ps),
            }
        });
        own.collect()
    }

    /// A delay that is always the same: what the table says, or `usual_ps`.
    fn fixed_ps(
        &self,
        stage: Stage,
        at: (NodeId, Port),
        segment: Option<u16>,
        usual_ps: u64,
    ) -> u64 {
        let table = self.own.table.as_ref();
        let given = table.and_then(|table| table.find(stage, at, segment));
        let ps = given.map_or(usual_ps, |delay| delay.least_ps);
        let delay = Delay::fixed(ps);
        self.drawn(delay, stage, at, segment).least_ps
    }

    /// A delay as it is at one port of one node.
    fn drawn(
        &self,
        delay: Delay,
        stage: Stage,
        (node, port): (NodeId, Port),
        segment: Option<u16>,
    ) -> Delay {
        let number =
            (stage as u32) << 24 | u32::from(segment.unwrap_or(0)) << 8 | u32::from(port.0);
        let stream = Stream {
            seed: self.seed,
            owner: node,
            number: Cycle(number),
        };
        let Some(off) = self.own.spread.draw(stream) else {
            return delay;
        };
        let scaled = |ps: u64| match ps {
            0 => 0,
            ps => ((ps as f64 * (1.0 + off)).round() as u64).max(1),
        };
        Delay {
            least_ps: scaled(delay.least_ps),
            most_ps: scaled(delay.most_ps),
            law: delay.law,
        }
    }

    /// Whether links have latencies or segments of their own.
    fn has_links(&self) -> bool {
        let table = self.own.table.as_ref();
        let of_links = Stage::ALL.into_iter().filter(|stage| stage.is_of_links());
        let mut of_links = of_links.map(|stage| table.is_some_and(|table| table.names(stage)));
        self.own.spread != Spread::NONE || of_links.any(|names| names)
    }

    /// The node and the port from which each link leads.
    fn links(&self) -> impl Iterator<Item = (NodeId, Port)> + use<'a> {
        let shape = self.shape;
        let nodes = (0..shape.nodes()).map(NodeId);
        nodes.flat_map(|node| shape.links(node).iter().map(move |port| (node, port)))
    }

    /// How long each link takes that is a wire, in ps, if it takes `usual_ps` unless its topology or a table says it.
    fn latencies_ps(&self, usual_ps: u64) -> impl Iterator<Item = ((NodeId, Port), u64)> {
        self.links().map(move |(node, port)| {
            let cycles = self.shape.link_cycles(node, port);
            let usual_ps = cycles.map_or(usual_ps, |cycles| u64::from(cycles) * self.nominal_ps);
            ((node, port), self.latency_ps(node, port, usual_ps))
        })
    }

    /// How long the longest link takes, in ps, if links have latencies of their own.
    pub(super) fn longest_latency_ps(&self, usual_ps: u64) -> Option<u64> {
        let own = self.has_links().then(|| self.latencies_ps(usual_ps));
        own.and_then(|own| own.map(|(_, latency_ps)| latency_ps).max())
    }

    /// The timing of links with what is their own.
    pub(super) fn time(&self, mut links: LinkTiming) -> LinkTiming {
        if !self.has_links() {
            return links;
        }
        if links.handshake.is_none() {
            for (link, latency_ps) in self.latencies_ps(links.latency_ps) {
                links.own.entry(link).or_default().latency_ps = Some(latency_ps);
            }
            return links;
        }
        for (node, port) in self.links() {
            let usual = links.segments_of(node, port).unwrap_or_default();
            let own = self.segments(node, port, usual);
            links.own.entry((node, port)).or_default().segments = Some(own);
        }
        links
    }
}
