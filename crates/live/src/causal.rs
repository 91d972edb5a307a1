//! A record in causal time: a replay that stands anywhere, is copied, and goes on.
//!
//! Nothing but its arrivals says what came before what in a live run. A step's *stamp* is one more than the greatest of
//! its node's last step and of the sends that it receives; so whatever a step depends on has a smaller stamp, and all
//! steps below a stamp are a consistent cut of the run.
//!
//! ```text
//!   node A   1───2───3───4───5─────6──
//!                 ╲             ╱
//!   node B   1─────3───4───5───6──────     a word that A sent in its step 2 is there in B's step 3
//! ```

mod cut;
mod parts;
mod stepping;

pub use parts::{Part, Parts};

use crate::replay::replayed;
use crate::run::lock;
use crate::timing::{Difference, Recorded};
use flitwork_engine::{Control, Ended, Engine, Outcome, Premises, Progress, Stopped, TimeUnit};
use flitwork_network::{Aim, Cell, Demand, Locals, Message, Network, Remains, Wires};
use flitwork_node::{AnyProbe, View, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_trace::record::Decoder;
use flitwork_traffic::Workload;
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Port, TerminalId};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::{Arc, Mutex};

/// Steps of nodes between two calls of the control.
const STEPS_BETWEEN_CALLS: u64 = 1 << 14;

/// Bytes of a node's decoder, about: a chunk and its predictions.
const RECORDED_BYTES: usize = 256;

/// A replay in causal time.
pub struct CausalReplay<T, R: WordRouter> {
    network: Arc<Network<T, R>>,
    parts: Arc<Parts>,
    workload: Box<dyn Workload>,
    aim: Aim,
    /// Whether deliveries are reported to the traffic.
    needs_deliveries: bool,
    nodes: Vec<Node<R::Node>>,
    /// What has been sent to each link port of each node and not been taken, with the sender's stamp.
    links: Vec<VecDeque<(u64, Message)>>,
    /// Nodes by the stamp of their next step, as far as it is known.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    /// The stamp before which all has been run.
    stands_at: u64,
    watched: Option<NodeId>,
    probe: AnyProbe,
    wires: Wires,
    delivered: Vec<(Cycle, Packet)>,
    /// Where the replay differs from its record, shared by all copies.
    difference: Arc<Mutex<Option<Difference>>>,
}

/// A node.
#[derive(Clone)]
struct Node<N> {
    cell: Cell<N>,
    recorded: Recorded,
    /// Chunks of its record that it has been given.
    chunks: usize,
    /// The stamp of its last step.
    stamp: u64,
    digest: Digest,
    /// The port at which what it waits for will come.
    awaited_port: Option<Port>,
}

impl<T: Topology + Clone + 'static, R: WordRouter + 'static> CausalReplay<T, R> {
    /// The replay of a record, of which `parts` is all, on the network on which it was made, before its first step.
    pub fn new(
        network: Network<T, R>,
        mut demand: Demand,
        parts: Arc<Parts>,
        probe: AnyProbe,
    ) -> CausalReplay<T, R> {
        let (count, links) = (network.topology.nodes(), network.topology.ports());
        let locals = network.topology.locals();
        let words = network.router.packet_words().unwrap_or(u16::MAX);
        let channels = network.router.channels();
        let node = |(index, state): (u32, R::Node)| {
            let node = NodeId(index);
            let ask = |terminal| demand.workload.next(terminal, Cycle::ZERO);
            let terminals = Locals::new(network.terminals(node), ask);
            let cell = Cell::new((node, state), links, channels, terminals);
            let decoder = Decoder::new(node, words, links).with_locals(locals);
            let mut recorded = Recorded::new(decoder, true);
            recorded.end = parts.end(node).into();
            Node {
                cell: replayed(&network, cell),
                recorded,
                chunks: 0,
                stamp: 0,
                digest: Digest::default(),
                awaited_port: None,
            }
        };
        let nodes = (0..count).zip(network.router.nodes()).map(node).collect();
        CausalReplay {
            nodes,
            links: vec![VecDeque::new(); count as usize * links],
            due: (0..count).map(|node| Reverse((1, node))).collect(),
            stands_at: 0,
            needs_deliveries: !demand.workload.foresees(),
            aim: demand.aim(),
            workload: demand.workload,
            watched: None,
            probe,
            wires: Wires::new(network.all_ports()),
            delivered: Vec::new(),
            difference: Arc::default(),
            network: Arc::new(network),
            parts,
        }
    }

    /// Where the replay first differed from its record, in whichever copy it came to that.
    pub fn difference(&self) -> Arc<Mutex<Option<Difference>>> {
        self.difference.clone()
    }

    fn copy(&self, probe: AnyProbe) -> CausalReplay<T, R> {
        CausalReplay {
            network: self.network.clone(),
            parts: self.parts.clone(),
            workload: self.workload.fork(),
            aim: self.aim,
            needs_deliveries: self.needs_deliveries,
            nodes: self.nodes.clone(),
            links: self.links.clone(),
            due: self.due.clone(),
            stands_at: self.stands_at,
            watched: self.watched,
            probe,
            wires: Wires::new(self.network.all_ports()),
            delivered: Vec::new(),
            difference: self.difference.clone(),
        }
    }
}

impl<T: Topology + Clone + 'static, R: WordRouter + 'static> Engine for CausalReplay<T, R> {
    type Probe = AnyProbe;

    fn unit(&self) -> TimeUnit {
        TimeUnit::Steps
    }

    fn now(&self) -> u64 {
        self.stands_at
    }

    /// Its record says where it ends.
    fn end(&self) -> u64 {
        u64::MAX
    }

    /// All steps with smaller stamps than `until`.
    fn go_on(&mut self, until: u64, control: Control<'_>) -> Ended {
        self.stands_at = self.stands_at.max(until);
        for steps in 0_u64.. {
            let Some(Reverse((stamp, node))) = self.due.peek().copied() else {
                break;
            };
            if stamp >= until {
                return Ended::Deadline;
            }
            if steps.is_multiple_of(STEPS_BETWEEN_CALLS) {
                let now = self.nodes[node as usize].cell.now();
                if control(Progress::at(now, 0)).is_break() {
                    return Ended::Interrupted;
                }
            }
            self.due.pop();
            if let Err(difference) = self.turn(NodeId(node), stamp, until) {
                lock(&self.difference).get_or_insert(*difference);
                self.due.clear();
            }
        }
        let mut cells = self.nodes.iter().map(|node| &node.cell);
        let is_empty = cells.all(|cell| cell.packets().is_empty());
        let said = self.parts.trailer.as_ref();
        match (is_empty, said.map(|trailer| &*trailer.ended)) {
            (true, _) => Ended::Empty,
            (false, Some("stuck")) => Ended::Stuck,
            // The record ends, whatever the run would have come to.
            (false, _) => Ended::Interrupted,
        }
    }

    /// A record says what entered the network, not what its sources were left with.
    fn conclude(&mut self, ended: Ended, _: Control<'_>) -> Outcome {
        let locals = self.nodes.iter().map(|node| node.cell.now());
        let stopped = Stopped {
            ended,
            cycle: locals.clone().max().unwrap_or(Cycle::ZERO),
            in_network: self.packets().len() as u64,
            steps: locals.map(|cycles| u64::from(cycles.get())).sum(),
        };
        Outcome::of(self.aim, stopped, Remains::default())
    }

    fn fork(&self, probe: AnyProbe) -> Box<dyn Engine<Probe = AnyProbe>> {
        Box::new(self.copy(probe))
    }

    fn next_step(&mut self) -> Option<u64> {
        let next = self.due.peek();
        next.map(|Reverse((stamp, _))| self.stands_at.max(*stamp))
    }

    fn premises(&self) -> Premises {
        Premises::of_stepped(&self.network)
    }

    fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    fn home(&self, terminal: TerminalId) -> NodeId {
        self.network.topology.home(terminal)
    }

    fn local(&self, node: NodeId) -> Cycle {
        self.nodes[node.index()].cell.now()
    }

    fn look(&self, node: NodeId) -> Option<View> {
        let cell = &self.nodes[node.index()].cell;
        Some(cell.look(&self.network.router))
    }

    fn waits(&self) -> Vec<Wait> {
        let cells = self.nodes.iter().map(|node| &node.cell);
        cells
            .flat_map(|cell| cell.waits(&self.network.router))
            .collect()
    }

    /// Each as the node knows it that it is in, or that it leaves; one whose words are in several nodes once.
    fn packets(&self) -> Vec<Packet> {
        let cells = self.nodes.iter().map(|node| &node.cell);
        let mut packets: Vec<Packet> = cells
            .flat_map(|cell| cell.packets().all().copied())
            .collect();
        packets.sort_by_key(|packet| (packet.id, Reverse(packet.hops)));
        packets.dedup_by_key(|packet| packet.id);
        packets
    }

    fn least_cut(
        &self,
        node: NodeId,
        cycle: Cycle,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<Cycle>> {
        self.copy(AnyProbe::new(())).cut_at(node, cycle, go_on)
    }

    fn watch(&mut self, node: Option<NodeId>) {
        self.watched = node;
    }

    fn leave_out(&mut self, _: PacketId) -> bool {
        false
    }

    /// Its sources do what the record says.
    fn wake_source(&mut self, _: TerminalId) {}

    fn link_time(&self, node: NodeId, port: Port) -> u64 {
        self.network.link_cycles(node, port).into()
    }

    fn bytes(&self) -> usize {
        let (router, nodes) = (&self.network.router, &self.nodes);
        let heap = nodes.iter().map(|node| {
            let packets = node.cell.packets().len() * 2 * size_of::<Packet>();
            router.heap_bytes(node.cell.state()) + packets + 4 * RECORDED_BYTES
        });
        let links = self.links.iter();
        let links = links.map(|queue| queue.len() * size_of::<(u64, Message)>());
        heap.sum::<usize>()
            + links.sum::<usize>()
            + size_of_val(&**nodes)
            + size_of_val(&*self.links)
    }

    fn probe(&self) -> &AnyProbe {
        &self.probe
    }

    fn probe_mut(&mut self) -> &mut AnyProbe {
        &mut self.probe
    }

    fn into_probe(self: Box<Self>) -> AnyProbe {
        self.probe
    }
}
