//! A node that is replayed by time stamps.

use crate::chunk_reader::BadRecord;
use crate::run::{Break, Run};
use crate::timing::Difference;
use flitwork_network::{Network, Source};
use flitwork_node::{AnyProbe, Event, Probe, Router, Signal, Site, Streamed, Wait};
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_trace::record::{PacketArrival as Arrival, PacketDecoder, PacketNext};
use flitwork_traffic::Offer as First;
use flitwork_types::{Cycle, Gaps, NodeId, Packet, Packets, Port};
use std::collections::VecDeque;

/// Events that are reported ahead of their cycle, kept until then.
const MOST_KEPT: usize = 64;

/// A packet on a link, with the sender's cycle in which its head left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) head: Cycle,
    pub(super) packet: Packet,
}

/// What waits at a node's ports.
#[derive(Default)]
pub(super) struct Mailbox {
    pub(super) packets: VecDeque<Sent>,
    pub(super) credits: u32,
}

/// Something for a neighbour.
pub(super) enum Parcel {
    Packet(Sent),
    Credit,
}

/// What a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    Packet(Port),
    Credit(Port),
}

/// Why a node's turn has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// What arrives according to the record has not been sent yet.
    Lacks,
    /// More of the record has to be read.
    NeedsRecord,
    Finished,
}

/// Keeps events until the cycle in which they happen has passed.
#[derive(Default)]
struct Kept {
    /// The cycle in which the router is asked.
    now: Cycle,
    /// In order: when each happens, and the cycle that it is reported with.
    events: Vec<(Cycle, Cycle, Event)>,
}

impl Probe for Kept {
    #[inline]
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        // A packet is out of the network in the cycle after its last word's, which takes it out.
        let early = matches!(event, Event::Delivered { .. }) && cycle > self.now;
        let happens = cycle - u32::from(early);
        // Most come in order, or nearly.
        let later = self.events.iter().rev();
        let later = later.take_while(|(other, _, _)| *other > happens).count();
        self.events
            .insert(self.events.len() - later, (happens, cycle, event));
    }
}

/// A node that is replayed.
pub(super) struct StampRunner<N> {
    pub(super) node: NodeId,
    state: N,
    packets: Packets,
    pub(super) source: Source,
    /// The cycle in which it can act next if nothing arrives.
    due: Cycle,
    /// The first cycle that has not passed.
    pub(super) now: Cycle,
    pub(super) incoming: PacketDecoder,
    /// The cycle from which each port's input frame takes a packet, the local one last, as far as its
    /// sender knows.
    free_from: Box<[Cycle]>,
    /// The cycle from which the packet that waits for its turn on each half-duplex link may leave.
    ready_from: Box<[Cycle]>,
    kept: Kept,
    pub(super) digest: Digest,
    /// Packets that its source has put into the network less those delivered to it.
    pub(super) entered: i64,
    /// Up to here digests agree with the record's.
    agreed: Cycle,
    /// What arrives next and has not been sent yet.
    lacks: Option<Lack>,
    pub(super) finished: bool,
}

impl<N> StampRunner<N> {
    pub(super) fn new(
        node: NodeId,
        state: N,
        links: usize,
        incoming: PacketDecoder,
        first: First,
    ) -> Self {
        StampRunner {
            node,
            state,
            packets: Packets::new(),
            source: Source::new(first),
            due: Cycle::NEVER,
            now: Cycle::ZERO,
            incoming,
            free_from: vec![Cycle::ZERO; links + 1].into(),
            ready_from: vec![Cycle::NEVER; links].into(),
            kept: Kept::default(),
            digest: Digest::default(),
            entered: 0,
            agreed: Cycle::ZERO,
            lacks: None,
            finished: false,
        }
    }

    /// What the node waits for and won't get.
    pub(super) fn lack(&self) -> Option<Difference> {
        self.lacks?;
        let arrival = self.incoming.first()?;
        Some(Difference::unsent(self.node, self.now, arrival))
    }

    /// Whether it waits for something.
    #[inline]
    pub(super) fn lacks_any(&self) -> bool {
        self.lacks.is_some()
    }

    /// Whether it waits for exactly this.
    #[inline]
    pub(super) fn lacks(&self, port: Port, parcel: &Parcel) -> bool {
        self.lacks
            == Some(match parcel {
                Parcel::Packet(_) => Lack::Packet(port),
                Parcel::Credit => Lack::Credit(port),
            })
    }

    pub(super) fn waits<R: Router<Node = N>>(&self, router: &R) -> Vec<Wait> {
        router.waits(self.node, &self.state, &self.packets, self.now)
    }

    /// Runs the node as far as its arrivals are known; hands what it sends to `send`.
    pub(super) fn turn<T: Topology, R: Streamed<Node = N>>(
        &mut self,
        run: &Run,
        network: &Network<T, R>,
        mailboxes: &mut [Mailbox],
        signals: &mut Vec<(NodeId, Signal)>,
        probe: &mut AnyProbe,
        mut send: impl FnMut(Port, Parcel),
    ) -> Result<Halt, Box<Break>> {
        loop {
            let next = self.incoming.next_arrival();
            let next = next.map_err(|error| Box::new(Break::Record(BadRecord::Node(error))))?;
            let end = self.incoming.end.unwrap_or(Cycle::NEVER);
            let (PacketNext::Known(before) | PacketNext::NotBefore(before)) = next else {
                if self.due >= end {
                    return self.finish(end, probe);
                }
                self.wake(network, signals, probe, &mut send)?;
                continue;
            };
            if self.due < before && self.due < end {
                self.wake(network, signals, probe, &mut send)?;
                continue;
            }
            if before >= end {
                return self.finish(end, probe);
            }
            self.pass_to(before, probe)?;
            if let PacketNext::NotBefore(_) = next {
                return Ok(Halt::NeedsRecord);
            }
            self.lacks = self.take(run, network, before, mailboxes, signals)?;
            if self.lacks.is_some() {
                return Ok(Halt::Lacks);
            }
            self.send(network, signals, &mut send);
        }
    }

    fn finish(&mut self, end: Cycle, probe: &mut AnyProbe) -> Result<Halt, Box<Break>> {
        self.pass_to(end, probe)?;
        self.report_before(end, probe);
        // What would have happened later is no part of the run.
        self.kept.events.clear();
        Ok(Halt::Finished)
    }

    #[inline]
    fn wake<T: Topology, R: Streamed<Node = N>>(
        &mut self,
        network: &Network<T, R>,
        signals: &mut Vec<(NodeId, Signal)>,
        probe: &mut AnyProbe,
        send: &mut impl FnMut(Port, Parcel),
    ) -> Result<(), Box<Break>> {
        let now = self.due;
        self.pass_to(now, probe)?;
        let mut site = Site {
            node: self.node,
            packets: &mut self.packets,
            probe: &mut self.kept,
        };
        let router = &network.router;
        self.due = router.wake(&mut self.state, now, &mut site, signals);
        self.send(network, signals, send);
        Ok(())
    }

    /// Takes what arrives in cycle `at`; returns it if it has not been sent yet.
    fn take<T: Topology, R: Streamed<Node = N>>(
        &mut self,
        run: &Run,
        network: &Network<T, R>,
        at: Cycle,
        mailboxes: &mut [Mailbox],
        signals: &mut Vec<(NodeId, Signal)>,
    ) -> Result<Option<Lack>, Box<Break>> {
        match self.incoming.first() {
            Some(Arrival::Head(port, _)) if mailboxes[port.index()].packets.is_empty() => {
                return Ok(Some(Lack::Packet(*port)));
            }
            Some(Arrival::Credit(port)) if mailboxes[port.index()].credits == 0 => {
                return Ok(Some(Lack::Credit(*port)));
            }
            _ => {}
        }
        let router = &network.router;
        let (port, packet, late) = match self.incoming.take() {
            None => return Ok(None),
            Some(Arrival::Credit(port)) => {
                mailboxes[port.index()].credits -= 1;
                let mut site = Site {
                    node: self.node,
                    packets: &mut self.packets,
                    probe: &mut self.kept,
                };
                let next = router.credit(&mut self.state, port, at, &mut site, signals);
                self.due = self.due.min(next);
                return Ok(None);
            }
            Some(Arrival::Turn(port)) => {
                self.depart(network, port, at, signals)?;
                return Ok(None);
            }
            Some(Arrival::Head(port, late)) => {
                let Some(Sent { head, mut packet }) = mailboxes[port.index()].packets.pop_front()
                else {
                    return Ok(Some(Lack::Packet(port)));
                };
                let latency = network.link_cycles(self.node, port);
                let expected = head.get().wrapping_add(latency);
                let lead = at.get().wrapping_sub(expected);
                packet.skew = packet.skew.wrapping_add(lead as i32);
                (port, packet, late)
            }
            Some(Arrival::Injection) => {
                let packet = self.birth(run, at)?;
                (network.topology.local(), packet, Vec::new())
            }
        };
        self.occupy(network, port, at)?;
        let packet = self.packets.insert(packet);
        if !late.is_empty() {
            self.packets.put_gaps(packet, Gaps { since: at, late });
        }
        let mut site = Site {
            node: self.node,
            packets: &mut self.packets,
            probe: &mut self.kept,
        };
        let next = router.head(&mut self.state, port, packet, at, &mut site, signals);
        self.due = self.due.min(next);
        Ok(None)
    }

    /// It is the node's turn on the half-duplex link at a port: the packet that is ready there leaves.
    fn depart<T: Topology, R: Streamed<Node = N>>(
        &mut self,
        network: &Network<T, R>,
        port: Port,
        at: Cycle,
        signals: &mut Vec<(NodeId, Signal)>,
    ) -> Result<(), Box<Break>> {
        let ready_from = std::mem::replace(&mut self.ready_from[port.index()], Cycle::NEVER);
        if ready_from > at {
            let difference = Difference::idle_turn(self.node, at, port);
            return Err(Box::new(Break::Difference(difference)));
        }
        let mut site = Site {
            node: self.node,
            packets: &mut self.packets,
            probe: &mut self.kept,
        };
        let router = &network.router;
        let departure = router.depart(&mut self.state, port, at, &mut site, signals);
        self.due = self.due.min(departure.next);
        Ok(())
    }

    /// A packet takes an input frame: its sender must know that it is free.
    #[inline]
    fn occupy<T: Topology, R: Router>(
        &mut self,
        network: &Network<T, R>,
        port: Port,
        at: Cycle,
    ) -> Result<(), Box<Break>> {
        let has_credits =
            network.router.credit_words().is_some() || port == network.topology.local();
        let free_from = &mut self.free_from[port.index()];
        if has_credits && *free_from > at {
            return Err(Box::new(Break::Difference(Difference::crowded(
                self.node, at, port,
            ))));
        }
        *free_from = Cycle::NEVER;
        Ok(())
    }

    /// The packet that the source injects.
    fn birth(&mut self, run: &Run, at: Cycle) -> Result<Packet, Box<Break>> {
        let ask = |now| run.ask(self.node, now);
        let packet = self.source.take(self.node, at, run.packet_words, ask);
        packet.ok_or_else(|| {
            let difference = Difference::unsent(self.node, at, &Arrival::Injection);
            Box::new(Break::Difference(difference))
        })
    }

    /// Hands over what the router has sent.
    #[inline]
    fn send<T: Topology, R: Router>(
        &mut self,
        network: &Network<T, R>,
        signals: &mut Vec<(NodeId, Signal)>,
        send: &mut impl FnMut(Port, Parcel),
    ) {
        for (_, signal) in signals.drain(..) {
            match signal {
                Signal::Send { port, packet, head } => {
                    let packet = self.packets.remove(packet);
                    send(port, Parcel::Packet(Sent { head, packet }));
                }
                Signal::Ready { port, from } => self.ready_from[port.index()] = from,
                Signal::Credit { port, leaves } => {
                    self.free_from[port.index()] = leaves + 1;
                    // The record says when the source injects again.
                    if port != network.topology.local() {
                        send(port, Parcel::Credit);
                    }
                }
            }
        }
    }

    /// All cycles before `cycle` have passed: reports what happened in them, and compares it with the record.
    #[inline]
    fn pass_to(&mut self, cycle: Cycle, probe: &mut AnyProbe) -> Result<(), Box<Break>> {
        self.now = self.now.max(cycle);
        self.kept.now = self.now;
        if self.incoming.next_checkpoint() <= cycle {
            self.compare(cycle, probe)?;
        }
        if self.kept.events.len() > MOST_KEPT {
            self.report_before(cycle, probe);
        }
        Ok(())
    }

    fn compare(&mut self, cycle: Cycle, probe: &mut AnyProbe) -> Result<(), Box<Break>> {
        while let Some(check) = self.incoming.checkpoint(cycle) {
            self.report_before(check.cycle, probe);
            if !check.holds(self.digest.get()) {
                let difference = Difference::since(self.node, self.agreed, check.cycle);
                return Err(Box::new(Break::Difference(difference)));
            }
            self.agreed = check.cycle;
        }
        Ok(())
    }

    /// Reports what happened before `cycle`, in order.
    pub(super) fn report_before(&mut self, cycle: Cycle, probe: &mut AnyProbe) {
        let kept = &mut self.kept.events;
        let count = kept.partition_point(|(happens, _, _)| *happens < cycle);
        for (_, cycle, event) in kept.drain(..count) {
            self.entered += match event {
                Event::Injected { .. } => 1,
                Event::Delivered { .. } => -1,
                _ => 0,
            };
            self.digest.event(self.node, cycle, event);
            probe.event(self.node, cycle, event);
        }
    }
}
