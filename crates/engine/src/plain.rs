//! The plain synchronous engine: the reference.
//!
//! In each cycle it steps every node, in an order shuffled anew, and moves every word and credit over
//! every link. What a node sends in a cycle stands on its neighbour's wires a link's latency later.

use crate::fast::Serials;
use crate::{Control, Ended, Engine, Outcome, Progress, all_waits};
use flitwork_network::{Load, Network};
use flitwork_node::{Inputs, Outputs, Probe, Site, Stepped, Wait, draw};
use flitwork_topology::Topology;
use flitwork_traffic::Birth;
use flitwork_types::{Cycle, NodeId, Packet, PacketRef, Packets, Port, PortSet, Word};

/// About how many node-cycles lie between two calls of the control.
const STEPS_BETWEEN_CALLS: u64 = 1 << 20;

/// A run of a network, cycle by cycle.
pub struct Plain<'a, T, R: Stepped, P> {
    network: &'a Network<T, R>,
    load: Load,
    nodes: Vec<R::Node>,
    packets: Packets,
    probe: P,
    sources: Vec<Source>,
    /// Sources that have not made their last packet.
    open_sources: usize,
    wires: Wires,
    serials: Serials,
    backlog: u64,
    steps: u64,
    /// What the node being stepped sends, by port.
    outbox: Vec<Option<Word>>,
    /// Keys the order in which nodes are visited.
    shuffle: u64,
}

/// A source: the packet it makes next, and the one whose words it puts into the injection frame.
#[derive(Clone, Copy)]
struct Source {
    next: Option<Birth>,
    free_from: Cycle,
    sending: Option<(PacketRef, u16)>,
}

/// Words and credits under way, by the cycle in which they arrive and the node at which they do.
struct Wires {
    /// Ports of a node, the local one among them.
    ports: usize,
    words: Vec<Vec<Option<Word>>>,
    credits: Vec<Vec<PortSet>>,
}

impl Wires {
    fn new(nodes: u32, ports: usize, latency: u32) -> Wires {
        let (nodes, slots) = (nodes as usize, latency as usize + 1);
        Wires {
            ports,
            words: vec![vec![None; nodes * ports]; slots],
            credits: vec![vec![PortSet::EMPTY; nodes]; slots],
        }
    }

    fn slot(&self, cycle: Cycle) -> usize {
        cycle.0 as usize % self.words.len()
    }

    fn are_empty(&self) -> bool {
        self.words.iter().flatten().all(Option::is_none)
            && self
                .credits
                .iter()
                .flatten()
                .all(|credits| credits.is_empty())
    }
}

impl<T: Topology, R: Stepped, P: Probe> Engine for Plain<'_, T, R, P> {
    type Probe = P;

    fn run(&mut self, control: Control<'_>) -> Outcome {
        let mut now = Cycle::ZERO;
        let ended = loop {
            if now >= self.load.end {
                break Ended::Deadline;
            }
            if self.is_empty(now) {
                break Ended::Empty;
            }
            let before = self.steps / STEPS_BETWEEN_CALLS;
            self.cycle(now);
            now += 1;
            if self.steps / STEPS_BETWEEN_CALLS != before {
                let progress = Progress {
                    cycle: now,
                    in_network: self.packets.len(),
                };
                if control(progress).is_break() {
                    break Ended::Interrupted;
                }
            }
        };
        self.count_backlog(match ended {
            Ended::Interrupted => now,
            _ => self.load.end,
        });
        Outcome {
            ended,
            cycle: now,
            steps: self.steps,
            backlog: self.backlog,
        }
    }

    fn waits(&self, now: Cycle) -> Vec<Wait> {
        all_waits(&self.network.router, &self.nodes, &self.packets, now)
    }

    fn into_probe(self) -> P {
        self.probe
    }
}

impl<'a, T: Topology, R: Stepped, P: Probe> Plain<'a, T, R, P> {
    /// A run that has not begun. `shuffle` keys the order in which nodes are visited, which must not
    /// matter.
    pub fn new(
        network: &'a Network<T, R>,
        mut load: Load,
        probe: P,
        shuffle: u64,
    ) -> Plain<'a, T, R, P> {
        let topology = &network.topology;
        let count = topology.nodes();
        let idle = Source {
            next: None,
            free_from: Cycle::ZERO,
            sending: None,
        };
        let mut sources = vec![idle; count as usize];
        let mut open_sources = 0;
        for source in load.workload.sources() {
            sources[source.index()].next = load.workload.next(source);
            open_sources += usize::from(sources[source.index()].next.is_some());
        }
        Plain {
            nodes: network.router.nodes(),
            packets: Packets::new(),
            probe,
            sources,
            open_sources,
            wires: Wires::new(count, topology.ports() + 1, network.link_latency_cycles),
            serials: Serials::new(count),
            backlog: 0,
            steps: 0,
            outbox: vec![None; topology.ports() + 1],
            shuffle,
            network,
            load,
        }
    }

    /// Whether nothing is left to happen: no packet in the network or to come, no credit under way.
    fn is_empty(&self, now: Cycle) -> bool {
        self.packets.is_empty()
            && (self.open_sources == 0 || now >= self.load.inject_until)
            && self
                .nodes
                .iter()
                .all(|state| self.network.router.is_idle(state))
            && self.wires.are_empty()
    }

    /// One cycle of every node. The visits go through the nodes in steps of a random number that has no
    /// divisor in common with theirs, from a random one on.
    fn cycle(&mut self, now: Cycle) {
        let count = self.nodes.len() as u64;
        let random = |index| draw(self.shuffle, NodeId(0), now, index);
        let stride = (0..)
            .map(|index| random(index) % count)
            .find(|s| gcd(*s, count) == 1);
        let stride = stride.expect("1 has no divisor in common with any number");
        let mut node = random(u32::MAX) % count;
        for _ in 0..count {
            self.step(NodeId(node as u32), now);
            node = (node + stride) % count;
        }
    }

    fn step(&mut self, node: NodeId, now: Cycle) {
        self.steps += 1;
        self.feed(node, now);
        let ports = self.wires.ports;
        let slot = self.wires.slot(now);
        let at = node.index() * ports..(node.index() + 1) * ports;
        let mut outputs = Outputs {
            words: &mut self.outbox,
            credits: PortSet::EMPTY,
        };
        let inputs = Inputs {
            words: &self.wires.words[slot][at.clone()],
            credits: self.wires.credits[slot][node.index()],
            sendable: PortSet(u64::MAX),
        };
        let mut site = Site {
            node,
            packets: &mut self.packets,
            probe: &mut self.probe,
        };
        let state = &mut self.nodes[node.index()];
        self.network
            .router
            .step(state, now, &inputs, &mut outputs, &mut site);
        let credits = outputs.credits;
        self.wires.words[slot][at].fill(None);
        self.wires.credits[slot][node.index()] = PortSet::EMPTY;
        self.carry(node, now, credits);
    }

    /// The source's word stands on the local port's wires.
    #[inline]
    fn feed(&mut self, node: NodeId, now: Cycle) {
        let source = &mut self.sources[node.index()];
        if source.sending.is_none()
            && let Some(birth) = source.next
            && birth.created.max(source.free_from) <= now
            && now < self.load.inject_until
        {
            let packet = self.packets.insert(Packet {
                id: self.serials.next(node),
                destination: birth.destination,
                created: birth.created,
                injected: now,
                hops: 0,
                deroutes: 0,
                skew: 0,
            });
            source.sending = Some((packet, 0));
            source.free_from = Cycle::NEVER;
            source.next = self.load.workload.next(node);
            self.open_sources -= usize::from(source.next.is_none());
        }
        if let Some((packet, index)) = source.sending {
            let local = self.network.topology.local().index();
            let slot = self.wires.slot(now);
            let wire = &mut self.wires.words[slot][node.index() * self.wires.ports + local];
            *wire = Some(Word { packet, index });
            let more = index + 1 < self.network.router.packet_words();
            source.sending = more.then_some((packet, index + 1));
        }
    }

    /// What a node has sent goes onto the wires of its neighbours.
    #[inline]
    fn carry(&mut self, node: NodeId, now: Cycle, credits: PortSet) {
        let topology = &self.network.topology;
        let local = topology.local();
        let slot = self.wires.slot(now + self.network.link_latency_cycles);
        let far_end = |port: Port| {
            let far = topology.neighbour(node, port);
            let far =
                far.unwrap_or_else(|| panic!("node {node} sent over a missing link {port:?}"));
            (far, topology.opposite(port))
        };
        for (port, word) in self.outbox.iter_mut().enumerate() {
            let port = Port(port as u8);
            // What leaves through the local port is the processor's.
            if let Some(word) = word.take()
                && port != local
            {
                let (far, port) = far_end(port);
                let wire = far.index() * self.wires.ports + port.index();
                self.wires.words[slot][wire] = Some(word);
            }
        }
        for port in credits.iter() {
            if port == local {
                self.sources[node.index()].free_from = now + 1;
            } else {
                let (far, port) = far_end(port);
                self.wires.credits[slot][far.index()].insert(port);
            }
        }
    }

    /// Births before the end that never entered the network.
    fn count_backlog(&mut self, end: Cycle) {
        for (node, source) in self.sources.iter_mut().enumerate() {
            while let Some(birth) = source.next
                && birth.created < end
            {
                self.backlog += 1;
                self.probe.left_over(NodeId(node as u32), birth.created);
                source.next = self.load.workload.next(NodeId(node as u32));
            }
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
