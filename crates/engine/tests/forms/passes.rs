//! A router that only passes words on, and a run of a network of it.
//!
//! A node has no place for a word that can't go on: while one of its links is full it is held, and takes nothing.

use flitwork_engine::{Clocked, Engine};
use flitwork_network::{
    Clock, Clocks, Delay, Demand, Handshake, LinkTiming, Network, NodeDelays, Periodic, Protocol,
    Segment, SelfTimed, StageDelays,
};
use flitwork_node::{Event, Inputs, Outputs, Probe, Router, Sampled, Site, Wait, WordRouter};
use flitwork_topology::{Graph, Topology};
use flitwork_traffic::{Offer, Workload};
use flitwork_types::{
    Cycle, Due, Moment, NodeId, Packet, PacketId, Packets, Port, PortSet, TerminalId, Word,
};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Where a word comes from, and where it goes to, in a ring or a line.
pub(crate) const IN: Port = Port(0);
pub(crate) const OUT: Port = Port(1);

/// What a node does with words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Role {
    /// Where each word that comes leaves: at all of these ports; a word that leaves at none is gone.
    pub(crate) outs: PortSet,
    /// The words that it has at first.
    pub(crate) words: u32,
}

/// Words without end.
pub(crate) const ENDLESS: u32 = u32::MAX;

/// Each node passes words on in the step in which they come, or one of its own if none has.
pub(crate) struct Passes(pub(crate) Vec<Role>);

/// A node and its words.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    node: usize,
    words: u32,
}

impl Router for Passes {
    type Node = Own;

    fn nodes(&self) -> Vec<Own> {
        let all = self.0.iter().enumerate();
        all.map(|(node, role)| Own {
            node,
            words: role.words,
        })
        .collect()
    }

    fn waits(&self, _: NodeId, _: &Own, _: &Packets, _: Cycle) -> Vec<Wait> {
        Vec::new()
    }

    fn packet_words(&self) -> Option<u16> {
        Some(1)
    }

    fn credit_words(&self) -> Option<u32> {
        None
    }
}

impl WordRouter for Passes {
    /// A run ends with its time, and not when nothing is left to do.
    fn is_idle(&self, _: &Own) -> bool {
        false
    }

    fn next_step(&self, state: &Own, now: Cycle) -> Due {
        Due::when(state.words > 0, now)
    }

    fn step<P: Probe>(
        &self,
        state: &mut Own,
        now: Cycle,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
        site: &mut Site<'_, P>,
    ) {
        let came = inputs.arrivals().next();
        if came.is_none() {
            if state.words == 0 {
                return;
            }
            if state.words != ENDLESS {
                state.words -= 1;
            }
        }
        for port in self.0[state.node].outs.iter() {
            let (_, word) = came.unwrap_or((port, Word::BLANK));
            outputs.send(port, word);
        }
        passed(site, now);
    }
}

/// Reports that words pass a node.
pub(crate) fn passed<P: Probe>(site: &mut Site<'_, P>, now: Cycle) {
    let event = Event::Freed { port: IN };
    site.probe.event(site.node, now, event);
}

/// When words passed each node, in ps and in the node's cycles, when it was stepped, and what flip-flops sampled.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Times {
    pub(crate) of: Vec<Vec<u64>>,
    pub(crate) cycles: Vec<Vec<u32>>,
    pub(crate) steps: Vec<Vec<u64>>,
    pub(crate) sampled: Vec<Sampled>,
    now_ps: u64,
}

impl Times {
    pub(crate) fn new(nodes: u32) -> Times {
        Times {
            of: vec![Vec::new(); nodes as usize],
            cycles: vec![Vec::new(); nodes as usize],
            steps: vec![Vec::new(); nodes as usize],
            ..Times::default()
        }
    }
}

impl Probe for Times {
    fn event(&mut self, node: NodeId, cycle: Cycle, _: Event) {
        self.of[node.index()].push(self.now_ps);
        self.cycles[node.index()].push(cycle.get());
    }

    fn tick(&mut self, node: NodeId, _: Cycle, at: Moment) {
        self.now_ps = at.ps;
        self.steps[node.index()].push(at.ps);
    }

    fn sampled(&mut self, _: NodeId, _: Moment, sampled: Sampled) {
        self.sampled.push(sampled);
    }

    fn word(&mut self, _: NodeId, _: Cycle, _: Port, _: PacketId, _: Word) {}
}

/// Traffic without packets.
struct Silence;

impl Workload for Silence {
    fn next(&mut self, _: TerminalId, _: Cycle) -> Offer {
        Offer::Never
    }

    fn sources(&self) -> Vec<TerminalId> {
        Vec::new()
    }

    fn delivered(&mut self, _: TerminalId, _: &Packet, _: Cycle, _: &mut Vec<TerminalId>) {}

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(Silence)
    }
}

/// A ring of nodes, or a line: links lead from [`OUT`] to [`IN`] of the next node.
pub(crate) fn chain(nodes: u32, is_ring: bool) -> Graph {
    let mut graph = Graph::of_nodes(nodes).unwrap();
    let links = if is_ring { nodes } else { nodes - 1 };
    for node in 0..links {
        let next = NodeId((node + 1) % nodes);
        graph.link((NodeId(node), OUT), (next, IN), None).unwrap();
    }
    graph.build().unwrap()
}

/// Runs a network without traffic until `end_ps`.
pub(crate) fn run<R>(topology: &Graph, router: R, clocks: &Clocks, end_ps: u64) -> Times
where
    R: WordRouter + Send + 'static,
{
    run_network(Network::new(topology.clone(), router, 1), clocks, end_ps)
}

/// The same for any network.
pub(crate) fn run_network<R>(network: Network<Graph, R>, clocks: &Clocks, end_ps: u64) -> Times
where
    R: WordRouter + Send + 'static,
{
    let nodes = network.topology.nodes();
    let end = Cycle(u32::try_from(end_ps.div_ceil(clocks.nominal_ps)).unwrap());
    let demand = Demand {
        workload: Box::new(Silence),
        inject_until: end,
        end,
        review: None,
        is_task: false,
        reports_waits: true,
    };
    let mut engine = Clocked::new(network, clocks.clone(), demand, Times::new(nodes), 1);
    engine.run(&mut |_| ControlFlow::Continue(()));
    Box::new(engine).into_probe()
}

/// Clocks, one for each node, and links that are given.
pub(crate) fn clocks(nodes: Vec<Clock>, links: LinkTiming) -> Clocks {
    Clocks {
        nominal_ps: 1000,
        domain_of: (0..nodes.len() as u32).collect(),
        domains: nodes,
        links,
        seed: 1,
    }
}

/// A node without a clock that takes as long for each word.
pub(crate) fn self_timed(word_ps: u64) -> Clock {
    Clock::SelfTimed(SelfTimed::new(stages(word_ps)))
}

/// The same with a delay for each of the ports.
pub(crate) fn self_timed_by_port(word_ps: impl Iterator<Item = u64>) -> Clock {
    let delays = Arc::new(NodeDelays::by_port(word_ps.map(stages).collect()));
    Clock::SelfTimed(SelfTimed {
        delays,
        ..SelfTimed::new(stages(1))
    })
}

fn stages(word_ps: u64) -> StageDelays {
    StageDelays {
        word: Delay::fixed(word_ps),
        decision: Delay::fixed(1),
        allocation: None,
        credit: None,
    }
}

/// A clock without drift and jitter.
pub(crate) fn steady(period_ps: u64, phase_ps: u64) -> Clock {
    Clock::Periodic(Periodic::new(period_ps, phase_ps))
}

/// A handshake over segments of these requests and acknowledges.
pub(crate) fn handshake(
    protocol: Protocol,
    bundling_ps: u64,
    segments: &[(u64, u64)],
) -> Handshake {
    let segments = segments.iter().map(|(request_ps, acknowledge_ps)| Segment {
        request_ps: *request_ps,
        acknowledge_ps: *acknowledge_ps,
    });
    Handshake {
        protocol,
        bundling_ps,
        segments: segments.collect(),
    }
}

/// Links with a handshake and synchronizers of some edges. They hold `fifo_words` more words than one in each latch, from
/// latch 0 on, and the one that waits for latch 0.
pub(crate) fn links(handshake: &Handshake, fifo_words: u32, edges: u32) -> LinkTiming {
    let words = handshake.segments.len() as u32 + 1 + fifo_words;
    LinkTiming {
        handshake: Some(handshake.clone()),
        ..LinkTiming::wires(1, words, edges)
    }
}

/// The period into which times settle, if they do: as few events as it takes, and the ps that they take. It holds for the
/// second half of the times.
pub(crate) fn settled(times: &[u64]) -> Option<(u64, u64)> {
    let half = &times[times.len() / 2..];
    let apart = |events: usize| {
        let mut apart = half.iter().zip(&half[events..]);
        let (one, other) = apart.next()?;
        let ps = other - one;
        let holds = apart.all(|(one, other)| other - one == ps);
        holds.then_some((events as u64, ps))
    };
    (1..=half.len() / 2).find_map(apart)
}
