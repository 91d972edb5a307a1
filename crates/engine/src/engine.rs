//! A run that stands somewhere in its time.

use crate::{Control, Ended, Outcome, Progress, Stopped};
use flitwork_network::{Demand, Network, Patience, Source};
use flitwork_node::{AnyProbe, Probe, Router, View, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packet, PacketId, Packets, Port, TerminalId};
use std::ops::ControlFlow;

/// How a run counts time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Cycles of the clock that all nodes share.
    Cycles,
    /// Picoseconds, where each node has a clock of its own.
    Picoseconds,
    /// Steps of nodes that depend on each other, where nothing but a record says what came before what.
    Steps,
}

/// A run of a network: it goes on as far as it is asked to, is copied where it stands, and is looked into, whichever
/// engine and router it has.
pub trait Engine: Send {
    /// What observes it.
    type Probe;

    /// How it counts time.
    fn unit(&self) -> TimeUnit {
        TimeUnit::Cycles
    }

    /// Where it stands: what lies before has been simulated and reported, and nothing else.
    fn now(&self) -> u64;

    /// The time before which its demand ends.
    fn end(&self) -> u64;

    /// Simulates what lies before `until`, and says why it stopped. [`Ended::Deadline`]: there may be more to do.
    /// [`Ended::Interrupted`]: the control asked for it, and the run can only be [concluded](Engine::conclude).
    /// Otherwise nothing will ever happen again, unless a source is woken.
    fn go_on(&mut self, until: u64, control: Control<'_>) -> Ended;

    /// The outcome of a run that has gone on to its end, or has been interrupted: reports what its sources are left with.
    fn conclude(&mut self, ended: Ended, control: Control<'_>) -> Outcome;

    /// Runs to the end.
    fn run(&mut self, control: Control<'_>) -> Outcome {
        let ended = self.go_on(self.end(), &mut *control);
        self.conclude(ended, control)
    }

    /// [`Engine::go_on`] without interruption.
    fn advance(&mut self, until: u64) -> Ended {
        self.go_on(until, &mut |_| ControlFlow::Continue(()))
    }

    /// The same run where it stands, under another probe, which is to know what this one has observed if it needs to:
    /// neither run notices the other.
    fn fork(&self, probe: Self::Probe) -> Box<dyn Engine<Probe = Self::Probe>>;

    /// The time of the next step of any node, as far as is known now: until then nothing changes, and before it is over
    /// nothing changes once more. `None` where nothing happens any more.
    fn next_step(&mut self) -> Option<u64> {
        Some(self.now())
    }

    /// What is known of the network before its first packet.
    fn premises(&self) -> Premises;

    /// The number of nodes.
    fn nodes(&self) -> u32;

    /// The node of a terminal.
    fn home(&self, terminal: TerminalId) -> NodeId;

    /// The first local cycle of a node that has not been simulated.
    fn local(&self, _node: NodeId) -> Cycle {
        Cycle(self.now() as u32)
    }

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
    fn watch(&mut self, _node: Option<NodeId>) {}

    /// How long a word takes over the link at a port: cycles, or ps where nodes have clocks; without what it waits for at
    /// the border of two clocks.
    fn link_time(&self, node: NodeId, port: Port) -> u64;

    /// Leaves a packet out of its traffic, if its source hasn't taken it yet. Returns whether it does: its demand must be
    /// one that [can](flitwork_traffic::Without).
    fn leave_out(&mut self, packet: PacketId) -> bool;

    /// The workload may have a packet for a source that it had none for when it was asked last. It is created no
    /// earlier than the time at which the run stands.
    fn wake_source(&mut self, source: TerminalId);

    /// About how many bytes of memory it takes.
    fn bytes(&self) -> usize;

    /// What observes it.
    fn probe(&self) -> &Self::Probe;

    /// The same, mutably.
    fn probe_mut(&mut self) -> &mut Self::Probe;

    /// Ends it and hands back the probe.
    fn into_probe(self: Box<Self>) -> Self::Probe;
}

/// A run under any probe.
pub type Simulation = dyn Engine<Probe = AnyProbe>;

/// What a run knows of its network before the first packet.
#[derive(Clone, Debug)]
pub struct Premises {
    /// How many terminals there are.
    pub terminals: u32,
    /// The longest packet that its router takes, in words.
    pub longest_words: u16,
    /// How long packets stand still at most that move again, where the engine doesn't notice that none can.
    pub patience: Option<Patience>,
}

impl Premises {
    /// Of a network whose engine notices that nothing can move.
    pub fn of<T: Topology, R: Router>(network: &Network<T, R>) -> Premises {
        Premises {
            terminals: network.topology.terminals(),
            longest_words: network.router.longest_packet_words(),
            patience: None,
        }
    }

    /// Of one whose engine may step nodes in vain forever.
    pub fn of_stepped<T: Topology, R: WordRouter>(network: &Network<T, R>) -> Premises {
        Premises {
            patience: Some(network.patience()),
            ..Premises::of(network)
        }
    }
}

/// A time in cycles; what lies beyond the last one is that one.
pub(crate) fn cycle_of(time: u64) -> Cycle {
    Cycle::saturating(time).min(Cycle::LAST)
}

/// [`Engine::packets`] of those that an engine stores. One that knows of packets ahead stores those, too, that are yet to
/// enter the network. Words that travel alone are stored one by one. `local` is the cycle in which a terminal's node stands.
pub(crate) fn packets_in_network(
    stored: &Packets,
    local: impl Fn(TerminalId) -> Cycle,
) -> Vec<Packet> {
    let has_entered = |packet: &&Packet| packet.injected < local(packet.id.source);
    let mut all: Vec<Packet> = stored.all().filter(has_entered).copied().collect();
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

/// Bytes of an engine's nodes, packets and sources.
pub(crate) fn bytes_of<R: Router>(router: &R, nodes: &[R::Node], stored: &Packets) -> usize {
    let heap: usize = nodes.iter().map(|state| router.heap_bytes(state)).sum();
    // Traffic takes about as much for a source as its engine.
    let each = size_of_val(nodes) + nodes.len() * 2 * size_of::<Source>();
    heap + each + stored.len() * 2 * size_of::<Packet>()
}

/// What packets wait for, each node asked about its own current cycle.
pub(crate) fn waits_of<R: Router>(
    router: &R,
    nodes: &[R::Node],
    packets: &Packets,
    local: impl Fn(NodeId) -> Cycle,
) -> Vec<Wait> {
    let nodes = (0..).map(NodeId).zip(nodes);
    nodes
        .flat_map(|(node, state)| router.waits(node, state, packets, local(node)))
        .collect()
}

/// The outcome of a run that has stopped: its sources are asked what they are left with at `end`.
pub(crate) fn conclude_at<P: Probe>(
    end: Cycle,
    stopped: Stopped,
    demand: &mut Demand,
    (sources, fixed): (&mut [Source], Option<u16>),
    (probe, control): (&mut P, Control<'_>),
) -> Outcome {
    let go_on = &mut || control(Progress::counting(stopped.cycle));
    let remains = demand.leave_over(sources, end, fixed, (probe, go_on));
    Outcome::of(demand.aim(), stopped, remains)
}

/// What engines answer alike, in an `impl` of [`Engine`]: each part is given where its engine keeps what it needs. `run`
/// has the network, the nodes and their packets.
macro_rules! answer_alike {
    ($self:ident: $($part:ident($($of:tt)*)),+) => {
        $($crate::engine::answer_alike!(@$part $self $($of)*);)+
    };
    (@probe $self:ident $probe:expr) => {
        fn probe(&$self) -> &Self::Probe {
            &$probe
        }

        fn probe_mut(&mut $self) -> &mut Self::Probe {
            &mut $probe
        }

        fn into_probe($self: Box<Self>) -> Self::Probe {
            $probe
        }
    };
    (@run $self:ident $run:expr, $demand:expr) => {
        fn nodes(&$self) -> u32 {
            $run.nodes.len() as u32
        }

        fn home(&$self, terminal: TerminalId) -> NodeId {
            $run.network.topology.home(terminal)
        }

        fn packets(&$self) -> Vec<Packet> {
            let local = |terminal| Engine::local($self, Engine::home($self, terminal));
            $crate::engine::packets_in_network(&$run.packets, local)
        }

        fn leave_out(&mut $self, packet: PacketId) -> bool {
            $demand.workload.leave_out(packet)
        }
    };
    // Where all nodes share a clock, and stand at a cycle.
    (@cycles $self:ident $run:expr, $demand:expr, $now:expr) => {
        fn now(&$self) -> u64 {
            $now.get().into()
        }

        fn end(&$self) -> u64 {
            $demand.end.get().into()
        }

        fn link_time(&$self, node: NodeId, port: Port) -> u64 {
            $run.network.link_cycles(node, port).into()
        }
    };
    // Where words are stepped, and all nodes share a clock.
    (@conclude $self:ident) => {
        fn conclude(&mut $self, ended: Ended, control: Control<'_>) -> Outcome {
            let end = match ended {
                Ended::Interrupted => $self.now,
                _ => $self.sources.demand.end,
            };
            let stopped = Stopped {
                ended,
                cycle: $self.now,
                in_network: $self.deliveries.in_network(),
                steps: $self.steps,
            };
            $self.sources.conclude(end, stopped, &mut $self.probe, control)
        }
    };
    // Where each node holds what it would hold if it were stepped in each of its cycles.
    (@waits $self:ident $run:expr) => {
        fn waits(&$self) -> Vec<Wait> {
            let local = |node| Engine::local($self, node);
            $crate::engine::waits_of(&$run.network.router, &$run.nodes, &$run.packets, local)
        }
    };
    (@words $self:ident $run:expr) => {
        $crate::engine::answer_alike!(@waits $self $run);

        fn premises(&$self) -> Premises {
            Premises::of_stepped(&$run.network)
        }

        fn look(&$self, node: NodeId) -> Option<View> {
            let (state, now) = (&$run.nodes[node.index()], Engine::local($self, node));
            Some($run.network.router.look(node, state, &$run.packets, now))
        }
    };
}
pub(crate) use answer_alike;

/// [`Engine::fork`] of an engine with these fields, in any order, beside its probe.
macro_rules! copy_of {
    ($engine:ident of $self:ident under $probe:expr; $($field:ident)+) => {
        Box::new($engine {
            probe: $probe,
            $($field: $self.$field.clone(),)+
        })
    };
}
pub(crate) use copy_of;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_goes_beyond_the_last_cycle() {
        let times = [
            0,
            7,
            3_999_999_999,
            4_000_000_000,
            4_000_000_001,
            1 << 32,
            u64::MAX,
        ];
        let last = 4_000_000_000;
        let cycles = [0, 7, 3_999_999_999, last, last, last, last].map(Cycle);
        assert_eq!(times.map(cycle_of), cycles);
    }
}
