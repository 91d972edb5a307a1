//! Words that follow each other one a cycle, by arithmetic.
//!
//! With one clock for all nodes a packet's words never fall apart: they leave a frame in consecutive
//! cycles and find room ahead, because a packet starts only towards a frame that can take all of it. So
//! one stamp says where all of them are:
//!
//! ```text
//!  decision at t       head in its new frame     link sends from        neighbour decides
//!        t ───────────▶ t + latency ────────────▶ s = max(that, ──────▶ s + 1
//!                       input frame: its last     credit)      │
//!                       word leaves at                         └─▶ output frame open again at
//!                       t + latency + words - 2                    s + words
//! ```
//!
//! Where clocks differ, words of a packet may come late ([`flitwork_types::Gaps`]). A packet that waits
//! lets them catch up; what is left of their lateness is added to the stamps of its last word.

use super::{Chaos, Choice, Delivery, Flow, Mask, Moving, Node, OutputFrame};
use bytemuck::Zeroable;
use flitwork_node::{Datapath, Event, Place, Probe, Router, Signal, Site, Wait};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId, Packet, PacketRef, Packets, Port};

/// Frames whose words are known from time stamps.
#[derive(Clone, Copy, Zeroable)]
pub struct Stamped;

type StampedNode<M, const P: usize, const Q: usize> = Node<M, P, Q, Stamped>;
impl Flow for Stamped {
    /// For each output frame the cycle itself: a stamp is needed beside those of the frame, as a credit may be
    /// known of long before it comes, and the next one with it.
    type Waits<const P: usize> = [Cycle; P];

    fn waits_until<M: Mask, const P: usize, const Q: usize>(
        state: &StampedNode<M, P, Q>,
        output: Port,
    ) -> Cycle {
        state.waits[output.index()]
    }
}

type Signals = Vec<(NodeId, Signal)>;

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Router
    for Chaos<T, StampedNode<M, P, Q>>
{
    type Node = StampedNode<M, P, Q>;

    fn nodes(&self) -> Vec<Self::Node> {
        let mut nodes = bytemuck::zeroed_vec(self.topology.nodes() as usize);
        self.settle(&mut nodes);
        nodes
    }

    fn waits(&self, node: NodeId, state: &Self::Node, packets: &Packets, now: Cycle) -> Vec<Wait> {
        self.waiting(node, state, packets, now)
    }

    fn packet_words(&self) -> Option<u16> {
        Some(self.parameters.packet_words)
    }

    fn datapath(&self) -> Option<Datapath> {
        Some(self.way_of_words())
    }
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize> flitwork_node::Streamed
    for Chaos<T, StampedNode<M, P, Q>>
{
    /// A packet that leaves an output frame is gone after its last word.
    fn delivers_after(&self) -> bool {
        self.parameters.delivery == Delivery::Frame
    }

    #[inline]
    fn head<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        port: Port,
        packet: PacketRef,
        at: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> Cycle {
        let Packet { destination, .. } = site.packets[packet];
        if port == self.local {
            let packet = site.packets[packet];
            site.probe.event(site.node, at, Event::Injected { packet });
        } else if destination == site.node && self.parameters.delivery == Delivery::Vanish {
            let late = site.packets.tail_late(packet);
            let packet = site.packets.remove(packet);
            site.probe.event(site.node, at, Event::Delivered { packet });
            self.release(port, at + late, site, signals);
            return Cycle::NEVER;
        }
        let ready = at + self.lag(site.packets.tail_late(packet));
        let wants = self.wants(site.node, destination);
        self.accept(state, port, packet, ready, wants, site.node);
        if self.full(state) {
            return Cycle::NEVER;
        }
        let candidates = self.all & !(state.missing.get() | state.blocked.get());
        let next = self.next_for_input(state, port, ready, candidates);
        match self.behind_waiting && port != self.local {
            true => next.min(self.next_behind_waiting(state, port)),
            false => next,
        }
    }

    #[inline]
    fn credit<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        port: Port,
        from: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> Cycle {
        state.no_credit = M::of(state.no_credit.get() & !(1 << port.0));
        let output = state.outputs[port.index()];
        if state.blocked.get() >> port.0 & 1 == 0 {
            state.outputs[port.index()].ready_or_credit_from = from;
            return Cycle::NEVER;
        }
        state.blocked = M::of(state.blocked.get() & !(1 << port.0));
        let head = output.ready_or_credit_from.max(from);
        if self.behind_waiting {
            state.waits[port.index()] = from;
        }
        self.launch(state, port, output.packet(), head, site, signals);
        self.next_decision_among(state, 1 << port.0, Cycle::ZERO)
    }

    #[inline]
    fn wake<Pr: Probe>(
        &self,
        state: &mut Self::Node,
        now: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> Cycle {
        if self.behind_waiting {
            return self.wake_behind_waiting(state, now, site, signals);
        }
        if let Some(decision) = self.decide_for_open(state, site.node, now) {
            self.commit(state, decision, now, site, |state, site, moving| {
                self.stream(state, moving, now, site, signals);
            });
        }
        self.next_decision(state, now + 1)
    }
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, StampedNode<M, P, Q>> {
    /// Cycles from a head's arrival in a frame until it may move on, where the packet's last word comes so
    /// much later than in an unbroken stream.
    #[inline]
    fn lag(&self, late: u32) -> u32 {
        match self.lag_cycles {
            0 => 0,
            lag => lag + late,
        }
    }

    /// A wake where packets also stall behind output frames that wait.
    #[cold]
    #[inline(never)]
    fn wake_behind_waiting<Pr: Probe>(
        &self,
        state: &mut StampedNode<M, P, Q>,
        now: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) -> Cycle {
        if let Some(decision) = self.decide_behind_waiting(state, site.node, now) {
            let output = decision.output;
            if decision.choice != Choice::Stalled {
                state.waits[output.index()] = match state.no_credit.get() >> output.0 & 1 {
                    1 => Cycle::NEVER,
                    _ => state.outputs[output.index()].ready_or_credit_from,
                };
            }
            self.commit(state, decision, now, site, |state, site, moving| {
                self.stream(state, moving, now, site, signals);
            });
        }
        let next = self.next_decision(state, now + 1);
        next.min(self.next_behind_any_waiting(state)).max(now + 1)
    }

    /// Stamps a packet that has begun to move, and all that follows from it.
    #[inline]
    fn stream<Pr: Probe>(
        &self,
        state: &mut StampedNode<M, P, Q>,
        moving: Moving,
        now: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) {
        let arrives = now + self.parameters.decision_latency_cycles;
        let (Moving::ToQueue { packet, .. } | Moving::ToOutput { packet, .. }) = moving;
        let late = site.packets.pass_gaps(packet, arrives - 1, arrives);
        let ready = arrives + self.lag(late);
        match moving {
            Moving::ToQueue { from, .. } => {
                state.queue[usize::from(state.queued) - 1].ready = ready;
                self.release(from, now + late, site, signals);
            }
            Moving::ToOutput {
                packet,
                from,
                output,
            } => {
                if let Place::Input(port) = from {
                    self.release(port, now + late, site, signals);
                }
                if state.no_credit.get() >> output.0 & 1 == 1 {
                    state.outputs[output.index()] = OutputFrame::holding(packet, ready);
                    state.blocked = M::of(state.blocked.get() | 1 << output.0);
                    return;
                }
                let credit_from = state.outputs[output.index()].ready_or_credit_from;
                self.launch(state, output, packet, ready.max(credit_from), site, signals);
            }
        }
    }

    /// The packet in an output frame streams over the link from `head` on.
    #[inline]
    fn launch<Pr: Probe>(
        &self,
        state: &mut StampedNode<M, P, Q>,
        port: Port,
        packet: PacketRef,
        head: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) {
        let late = site.packets.pass_gaps(packet, head, head);
        let words = u32::from(self.parameters.packet_words) + late;
        let id = site.packets[packet].id;
        site.probe
            .event(site.node, head, Event::Head { packet: id, port });
        let tail = Event::Tail {
            packet: id,
            port,
            words: self.parameters.packet_words,
        };
        site.probe.event(site.node, head + (words - 1), tail);
        let open_from = head + words;
        state.outputs[port.index()].packet_or_open_from = open_from.0;
        if port == self.local {
            let packet = site.packets.remove(packet);
            site.probe
                .event(site.node, open_from, Event::Delivered { packet });
            state.outputs[port.index()].ready_or_credit_from = Cycle::ZERO;
        } else {
            state.no_credit = M::of(state.no_credit.get() | 1 << port.0);
            signals.push((site.node, Signal::Send { port, packet, head }));
        }
    }

    /// A decision at `decided` has released the input frame at `port`: its credit leaves when the last
    /// word has. The injection frame has no link to cross and is free one cycle after its last word.
    #[inline]
    fn release<Pr: Probe>(
        &self,
        port: Port,
        decided: Cycle,
        site: &mut Site<'_, Pr>,
        signals: &mut Signals,
    ) {
        let release = match port == self.local {
            true => self.parameters.least_release_cycles(),
            false => self.parameters.input_release_cycles,
        };
        let leaves = decided + (release - 1);
        site.probe.event(site.node, leaves, Event::Freed { port });
        signals.push((site.node, Signal::Credit { port, leaves }));
    }
}
