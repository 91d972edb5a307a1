//! What happens in a node, as probes observe it.

use crate::{Detail, Explanation, View, Witness};
use flitwork_types::{
    Cycle, Moment, NodeId, Packet, PacketId, PacketRef, Packets, Port, TerminalId, Word,
};

/// Where in a node a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The input frame at a port; the injection frame at the local one.
    Input(Port),
    /// The central queue.
    Queue,
    /// The output frame at a port; the delivery frame at the local one.
    Output(Port),
    /// A virtual channel's buffer at an input port.
    InputChannel(Port, u8),
    /// A virtual channel of the link at an output port.
    OutputChannel(Port, u8),
    /// The side buffer.
    SideBuffer,
    /// Where a packet's words come together at its destination, in any order: the processor's memory. No packet moves
    /// there by an [`Event::Moved`].
    Assembly,
}

impl Place {
    /// The port at which it is, if it is at one.
    pub const fn port(self) -> Option<Port> {
        match self {
            Place::Input(port)
            | Place::Output(port)
            | Place::InputChannel(port, _)
            | Place::OutputChannel(port, _) => Some(port),
            Place::Queue | Place::SideBuffer | Place::Assembly => None,
        }
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A packet's head is in the injection frame.
    Injected {
        /// Everything known about it.
        packet: Packet,
    },
    /// A decision: a packet begins to move inside the node.
    Moved {
        /// Which packet.
        packet: PacketId,
        /// Where it was.
        from: Place,
        /// Where it goes.
        to: Place,
        /// Whether `to` is an unproductive port taken on purpose.
        deroute: bool,
    },
    /// A packet's head leaves over the link at a port.
    Head {
        /// Which packet.
        packet: PacketId,
        /// The link's port.
        port: Port,
    },
    /// A worm's last word leaves over the link at a port.
    Tail {
        /// Which packet.
        packet: PacketId,
        /// The link's port.
        port: Port,
        /// The words of the worm that have left there: most often the whole packet.
        words: u16,
    },
    /// The credit leaves that lets the next packet into the input frame at a port.
    Freed {
        /// The input frame's port.
        port: Port,
    },
    /// The packet is out of the network.
    Delivered {
        /// Everything known about it.
        packet: Packet,
    },
    /// The packet is out of the network without having arrived, for a reason that it [says](Packet::loss).
    Lost {
        /// Everything known about it.
        packet: Packet,
        /// The port at which it has left.
        port: Port,
    },
}

impl Event {
    /// The packet that is out of the network, if it is this that happened.
    #[inline]
    pub fn gone(&self) -> Option<&Packet> {
        match self {
            Event::Delivered { packet } | Event::Lost { packet, .. } => Some(packet),
            _ => None,
        }
    }
}

/// What a flip-flop of a synchronizer has sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled {
    /// The probability with which the synchronizer fails if what it samples comes at any time of a period.
    pub failure_chance: f64,
    /// Whether it came so close to the edge that the flip-flop was undecided.
    pub is_undecided: bool,
    /// Whether it still was when the synchronizer's last edge came.
    pub has_failed: bool,
}

/// How often the clocks of all nodes have ticked, each node's by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockTicks {
    /// All ticks.
    pub ticks: u64,
    /// Those in which the node was idle: it held nothing and nothing came, or it was held.
    pub idle: u64,
    /// Those in which the node did something that would take a self-timed node time: a word came, moved or left, a decision
    /// was made or a credit left. What is neither waited.
    pub working: u64,
}

/// When an adversary [intervenes](Probe::intervene).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instant {
    /// At the decision that puts a packet into an output frame.
    #[default]
    Decision,
    /// When the link starts to send the packet, which may be long after. Only routers that are stepped word by word
    /// report that in time, since others know of a departure before its cycle has come.
    Link,
}

/// What is reported only to probes that [want](Probe::wants) it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    /// [`Probe::event`]; if nobody wants it, an engine need not keep events that it has reported ahead.
    Events,
    /// [`Probe::word`]; if nobody wants it, a router need not report words.
    Words,
    /// [`Probe::buffered`]; if nobody wants it, a router need not count words.
    Buffered,
    /// [`Probe::intervene`]; if nobody wants it, nobody need report decisions before they act.
    Interventions,
    /// [`Probe::detail`]; if nobody wants it, nobody need report details.
    Details,
}

impl Reported {
    /// All of them, in their order.
    pub(crate) const ALL: [Reported; 5] = {
        use Reported::*;
        [Events, Words, Buffered, Interventions, Details]
    };
}

// Answers to `wants` are kept by these numbers.
const _: () = {
    let mut number = 0;
    while number < Reported::ALL.len() {
        assert!(Reported::ALL[number] as usize == number);
        number += 1;
    }
    assert!(Reported::Details as usize + 1 == Reported::ALL.len());
};

/// Observes what happens in the nodes of a network. The events of one node need not come in the order of their
/// cycles, because an engine that skips words reports a tail together with its head.
pub trait Probe {
    /// Whether it observes what is reported only to probes that want it; the answer never changes.
    #[inline]
    fn wants(&self, what: Reported) -> bool {
        what == Reported::Events
    }

    /// Whether it observes [`Probe::explained`] of this step, which is about to be made; asked only if
    /// it wants [details](Reported::Details).
    #[inline]
    fn wants_explanation(&self, _node: NodeId, _cycle: Cycle) -> bool {
        false
    }

    /// The witness of a step that is made on a copy to be explained; `None` in a run.
    #[inline(always)]
    fn witness(&mut self) -> Option<&mut Witness> {
        None
    }

    /// `event` happened at `node` in its local cycle `cycle`.
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event);

    /// A word of a packet leaves `node` over the link at `port`. Only routers that are stepped word by word
    /// report it, and reliably only to probes that want [words](Reported::Words).
    #[inline]
    fn word(&mut self, _node: NodeId, _cycle: Cycle, _port: Port, _packet: PacketId, _word: Word) {}

    /// `detail` happened at `node` in its local cycle `cycle`: arrivals before everything else of the cycle, credits
    /// that leave after it. Only routers that are stepped word by word report it, and reliably only to probes
    /// that want [details](Reported::Details).
    #[inline]
    fn detail(&mut self, _node: NodeId, _cycle: Cycle, _detail: Detail) {}

    /// What `node` holds at the beginning of its local cycle `cycle`, and what the step then decides. Reported only
    /// where [`Probe::wants_explanation`] holds, before everything else of the cycle.
    #[inline]
    fn explained(&mut self, _node: NodeId, _cycle: Cycle, _view: View, _explanation: Explanation) {}

    /// From the end of cycle `cycle` on, `node` holds `words` words in its buffers. It holds none at first, and
    /// each change is reported. Only routers whose buffers fill word by word report it: what frames of whole
    /// packets hold follows from [`Event::Moved`]. Reported reliably only to probes that
    /// want [it](Reported::Buffered).
    #[inline]
    fn buffered(&mut self, _node: NodeId, _cycle: Cycle, _words: u32) {}

    /// The following events are those of `node` in its local cycle `local`, which begins at `at`. The nominal cycle
    /// of an event is that of `at`, and of a delivery one cycle after its step it is the step's and one. Only engines
    /// whose nodes have clocks of their own report this; on the others the two cycles are equal.
    #[inline]
    fn tick(&mut self, _node: NodeId, _local: Cycle, _at: Moment) {}

    /// A flip-flop at the end of a link to `node` has sampled something at `at`. Only engines whose nodes have clocks of
    /// their own report this, where flip-flops may become metastable.
    #[inline]
    fn sampled(&mut self, _node: NodeId, _at: Moment, _sampled: Sampled) {}

    /// The self-timed `node` made a step that began at `begin` and took `took_ps`, at least 1. Only engines with self-timed
    /// nodes report this.
    #[inline]
    fn stepped(&mut self, _node: NodeId, _begin: Moment, _took_ps: u64) {}

    /// The nominal clock has come to cycle `reference`, and before it the nodes' clocks ticked as often as `before` says.
    /// Only engines whose nodes have clocks of their own report this, of the cycles in which they do anything.
    #[inline]
    fn clocks(&mut self, _reference: Cycle, _before: ClockTicks) {}

    /// The run is over, and `packets` packets of `words` words each that `source` made at `created` never entered the
    /// network.
    #[inline]
    fn left_over(&mut self, _source: TerminalId, _created: Cycle, _words: u16, _packets: u64) {}

    /// The run was interrupted before cycle `cycle`, in which `packet` should have entered the network at `node`:
    /// its injection has been reported but does not count. Nothing else was reported about it.
    #[inline]
    fn take_back(&mut self, _node: NodeId, _cycle: Cycle, _packet: &Packet) {}

    /// A decision is about to put `packet` into the output frame at `port`, or its head is about to leave `node` over the
    /// link there, as `when` says. Here an adversary intervenes: it is the only probe that may change packets, and it may
    /// change only their destinations. Reported reliably only to probes that want [it](Reported::Interventions).
    #[inline]
    fn intervene(
        &mut self,
        _packets: &mut Packets,
        _node: NodeId,
        _cycle: Cycle,
        (_packet, _port): (PacketRef, Port),
        _when: Instant,
    ) {
    }
}

impl Probe for () {
    #[inline]
    fn wants(&self, _: Reported) -> bool {
        false
    }

    #[inline]
    fn event(&mut self, _: NodeId, _: Cycle, _: Event) {}
}

/// Implements methods of [`Probe`] by passing on what they observe: in an `impl`,
/// `forward_probe!(self, (self.probe): wants, word)` stands for these two. Several probes are called in their
/// order, and want what any of them wants. `all` stands for all methods.
#[macro_export]
macro_rules! forward_probe {
    ($self:ident, $probes:tt: all) => {
        $crate::forward_probe!($self, $probes: wants, event, word, buffered, tick, sampled, stepped, clocks, left_over);
        $crate::forward_probe!($self, $probes: take_back, intervene, details);
    };
    ($self:ident, $probes:tt: $($method:ident),+) => {
        $($crate::forward_probe!(@$method $self $probes);)+
    };
    (@details $($to:tt)+) => {
        $crate::forward_probe!(@wants_explanation $($to)+);
        $crate::forward_probe!(@detail $($to)+);
        $crate::forward_probe!(@explained $($to)+);
    };
    (@wants $($to:tt)+) => { $crate::forward_probe!(@any wants(what: $crate::Reported) $($to)+); };
    (@wants_explanation $($to:tt)+) => {
        $crate::forward_probe!(@any wants_explanation(
            node: $crate::types::NodeId, cycle: $crate::types::Cycle
        ) $($to)+);
    };
    (@word $($to:tt)+) => {
        $crate::forward_probe!(@each word(
            node: $crate::types::NodeId, cycle: $crate::types::Cycle, port: $crate::types::Port,
            packet: $crate::types::PacketId, word: $crate::types::Word
        ) $($to)+);
    };
    (@buffered $($to:tt)+) => {
        $crate::forward_probe!(@each buffered(
            node: $crate::types::NodeId, cycle: $crate::types::Cycle, words: u32
        ) $($to)+);
    };
    (@tick $($to:tt)+) => {
        $crate::forward_probe!(@each tick(
            node: $crate::types::NodeId, local: $crate::types::Cycle, at: $crate::types::Moment
        ) $($to)+);
    };
    (@sampled $($to:tt)+) => {
        $crate::forward_probe!(@each sampled(
            node: $crate::types::NodeId, at: $crate::types::Moment, sampled: $crate::Sampled
        ) $($to)+);
    };
    (@stepped $($to:tt)+) => {
        $crate::forward_probe!(@each stepped(
            node: $crate::types::NodeId, begin: $crate::types::Moment, took_ps: u64
        ) $($to)+);
    };
    (@clocks $($to:tt)+) => {
        $crate::forward_probe!(@each clocks(reference: $crate::types::Cycle, before: $crate::ClockTicks) $($to)+);
    };
    (@left_over $($to:tt)+) => {
        $crate::forward_probe!(@each left_over(
            source: $crate::types::TerminalId, created: $crate::types::Cycle, words: u16, packets: u64
        ) $($to)+);
    };
    (@take_back $($to:tt)+) => {
        $crate::forward_probe!(@each take_back(
            node: $crate::types::NodeId, cycle: $crate::types::Cycle, packet: &$crate::types::Packet
        ) $($to)+);
    };
    (@detail $($to:tt)+) => {
        $crate::forward_probe!(@each detail(
            node: $crate::types::NodeId, cycle: $crate::types::Cycle, detail: $crate::Detail
        ) $($to)+);
    };
    (@intervene $($to:tt)+) => {
        $crate::forward_probe!(@each intervene(
            packets: &mut $crate::types::Packets, node: $crate::types::NodeId, cycle: $crate::types::Cycle,
            leaves: ($crate::types::PacketRef, $crate::types::Port), when: $crate::Instant
        ) $($to)+);
    };
    (@event $self:ident ($($probe:expr),+)) => {
        #[inline(always)]
        fn event(&mut $self, node: $crate::types::NodeId, cycle: $crate::types::Cycle, event: $crate::Event) {
            $($probe.event(node, cycle, event);)+
        }
    };
    (@explained $self:ident ($($probe:expr),+)) => {
        #[inline]
        fn explained(
            &mut $self,
            node: $crate::types::NodeId,
            cycle: $crate::types::Cycle,
            view: $crate::View,
            explanation: $crate::Explanation,
        ) {
            $($probe.explained(node, cycle, view.clone(), explanation.clone());)+
        }
    };
    (@any $method:ident($($argument:ident: $type:ty),*) $self:ident $probes:tt) => {
        $crate::forward_probe!(@any $method($($argument: $type),*) ($($argument),*) $self $probes);
    };
    (@any $method:ident($($argument:ident: $type:ty),*) $arguments:tt $self:ident ($($probe:expr),+)) => {
        #[inline]
        fn $method(&$self, $($argument: $type),*) -> bool {
            $($probe.$method $arguments)||+
        }
    };
    (@each $method:ident($($argument:ident: $type:ty),*) $self:ident $probes:tt) => {
        $crate::forward_probe!(@each $method($($argument: $type),*) ($($argument),*) $self $probes);
    };
    (@each $method:ident($($argument:ident: $type:ty),*) $arguments:tt $self:ident ($($probe:expr),+)) => {
        #[inline]
        fn $method(&mut $self, $($argument: $type),*) {
            $($probe.$method $arguments;)+
        }
    };
}

impl<P: Probe> Probe for &mut P {
    forward_probe!(self, (**self): all);
}

impl<A: Probe, B: Probe> Probe for (A, B) {
    forward_probe!(self, (self.0, self.1): all);
}

impl<A: Probe, B: Probe, C: Probe> Probe for (A, B, C) {
    forward_probe!(self, (self.0, self.1, self.2): all);
}
