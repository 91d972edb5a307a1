//! A run as an object that is stopped anywhere, copied, and looked into, whichever engine and router it has.

use crate::{Ended, Engine, Resumable};
use flitwork_network::{Demand, Source};
use flitwork_node::{AnyProbe, Router, View, Wait};
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Packets, Port};

/// How a simulation counts time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Cycles of the clock that all nodes share.
    Cycles,
    /// Picoseconds, where each node has a clock of its own.
    Picoseconds,
    /// Steps of nodes that depend on each other, where nothing but a record says what came before what.
    Steps,
}

/// A run that stands somewhere in its time.
pub trait Simulation: Send {
    /// How it counts time.
    fn unit(&self) -> TimeUnit;

    /// Where it stands: what lies before has been simulated and reported, and nothing else.
    fn now(&self) -> u64;

    /// Simulates what lies before `until`. [`Ended::Deadline`]: there may be more to do. Otherwise nothing will ever
    /// happen again.
    fn advance(&mut self, until: u64) -> Ended;

    /// The same run where it stands, under another probe: neither notices the other.
    fn fork(&self, probe: AnyProbe) -> Box<dyn Simulation>;

    /// The time of the next step of any node, as far as is known now: until then nothing changes, and before it is over
    /// nothing changes once more. `None` where nothing happens any more.
    fn next_step(&mut self) -> Option<u64>;

    /// The number of nodes.
    fn nodes(&self) -> u32;

    /// The first local cycle of a node that has not been simulated.
    fn local(&self, node: NodeId) -> Cycle;

    /// Where all nodes stand in the least consistent cut in which a node stands at a cycle of its own: further on is only
    /// what that node can't know of yet. Asked of a run before its first step; `None` where the run ends before that, and
    /// where time alone says what came before what.
    fn least_cut(
        &self,
        _node: NodeId,
        _cycle: Cycle,
        _go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<Cycle>> {
        None
    }

    /// What a node holds; `None` where the engine doesn't keep track of it, because it knows from arithmetic when words
    /// are where.
    fn look(&self, node: NodeId) -> Option<View>;

    /// What the packets in the network wait for.
    fn waits(&self) -> Vec<Wait>;

    /// The packets in the network, in no particular order, as they are known now: their hops, and to where they go. Where words
    /// travel alone, the most hops and the most deroutes of those of its words that are in the network. Packets whose
    /// delivery has been reported ahead are left out. An engine that has no views may know of packets a little earlier
    /// or later than their events say.
    fn packets(&self) -> Vec<Packet>;

    /// Steps one node in each of its cycles from now on, even if it has nothing to do, so that each of its steps can be
    /// explained. Changes nothing that happens.
    fn watch(&mut self, node: Option<NodeId>);

    /// How long a word takes over the link at a port: cycles, or ps where nodes have clocks; without what it waits for at
    /// the border of two clocks.
    fn link_time(&self, node: NodeId, port: Port) -> u64;

    /// Leaves a packet out of its traffic, if its source hasn't taken it yet. Returns whether it does: its demand must be
    /// one that [can](flitwork_traffic::Without).
    fn leave_out(&mut self, packet: PacketId) -> bool;

    /// About how many bytes of memory it takes.
    fn bytes(&self) -> usize;

    /// What observes it.
    fn probe(&self) -> &AnyProbe;

    /// The same, mutably.
    fn probe_mut(&mut self) -> &mut AnyProbe;

    /// Ends it and hands back the probe.
    fn into_probe(self: Box<Self>) -> AnyProbe;
}

/// What an engine is made of, for all that engines have in common as simulations.
pub(crate) trait Inside: Resumable {
    /// What its nodes do.
    type Router: Router;

    /// How it counts time.
    const UNIT: TimeUnit;

    fn router(&self) -> &Self::Router;

    fn states(&self) -> &[<Self::Router as Router>::Node];

    fn stored(&self) -> &Packets;

    /// [`Simulation::now`].
    fn stands_at(&self) -> u64;

    /// [`Simulation::advance`].
    fn advance_to(&mut self, until: u64) -> Ended {
        let cycle = u32::try_from(until).unwrap_or(u32::MAX).min(Cycle::LAST.0);
        self.advance(Cycle(cycle))
    }

    /// [`Simulation::next_step`].
    fn steps_at(&mut self) -> Option<u64> {
        Some(self.stands_at())
    }

    /// [`Simulation::local`].
    fn local_cycle(&self, _: NodeId) -> Cycle {
        Cycle(self.stands_at() as u32)
    }

    /// [`Simulation::look`].
    fn view(&self, node: NodeId) -> Option<View>;

    /// [`Simulation::watch`].
    fn watch_node(&mut self, _: Option<NodeId>) {}

    fn demand(&mut self) -> &mut Demand;

    /// [`Simulation::link_time`].
    fn link_time_of(&self, node: NodeId, port: Port) -> u64;

    /// Bytes of everything but nodes, packets and sources.
    fn other_bytes(&self) -> usize;
}

impl<E> Simulation for E
where
    E: Inside<Probe = AnyProbe> + Send + 'static,
{
    fn unit(&self) -> TimeUnit {
        E::UNIT
    }

    fn now(&self) -> u64 {
        self.stands_at()
    }

    fn advance(&mut self, until: u64) -> Ended {
        self.advance_to(until)
    }

    fn fork(&self, probe: AnyProbe) -> Box<dyn Simulation> {
        Box::new(Resumable::fork(self, probe))
    }

    fn next_step(&mut self) -> Option<u64> {
        self.steps_at()
    }

    fn nodes(&self) -> u32 {
        self.states().len() as u32
    }

    fn local(&self, node: NodeId) -> Cycle {
        self.local_cycle(node)
    }

    fn look(&self, node: NodeId) -> Option<View> {
        self.view(node)
    }

    fn waits(&self) -> Vec<Wait> {
        Engine::waits(self, self.local_cycle(NodeId(0)))
    }

    /// An engine that knows of packets ahead keeps those, too, that are yet to enter the network. Words that travel alone are
    /// kept one by one.
    fn packets(&self) -> Vec<Packet> {
        let all = self.stored().all().filter(|packet| {
            let local = self.local_cycle(packet.id.source);
            packet.injected < local
        });
        let mut all: Vec<Packet> = all.copied().collect();
        all.sort_unstable_by_key(|packet| packet.id);
        all.dedup_by(|word, packet| {
            let is_its = word.id == packet.id;
            if is_its {
                packet.hops = packet.hops.max(word.hops);
                packet.deroutes = packet.deroutes.max(word.deroutes);
            }
            is_its
        });
        all
    }

    fn watch(&mut self, node: Option<NodeId>) {
        self.watch_node(node);
    }

    fn link_time(&self, node: NodeId, port: Port) -> u64 {
        self.link_time_of(node, port)
    }

    fn leave_out(&mut self, packet: PacketId) -> bool {
        self.demand().workload.leave_out(packet)
    }

    fn bytes(&self) -> usize {
        let (router, nodes) = (self.router(), self.states());
        let heap: usize = nodes.iter().map(|state| router.heap_bytes(state)).sum();
        // Traffic takes about as much for a source as its engine.
        let each = size_of_val(nodes) + nodes.len() * 2 * size_of::<Source>();
        heap + each + self.stored().len() * 2 * size_of::<Packet>() + self.other_bytes()
    }

    fn probe(&self) -> &AnyProbe {
        Resumable::probe(self)
    }

    fn probe_mut(&mut self) -> &mut AnyProbe {
        Resumable::probe_mut(self)
    }

    fn into_probe(self: Box<Self>) -> AnyProbe {
        Engine::into_probe(*self)
    }
}
