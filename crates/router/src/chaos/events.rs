//! What a node reports: each event is written here once, however words move.

use super::commit::Moving;
use super::{Chaos, Flow, Mask, Node};
use flitwork_node::{Event, Place, Probe, Site};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, PacketRef, Port};

impl<T: Topology, M: Mask, const P: usize, const Q: usize, F: Flow> Chaos<T, Node<M, P, Q, F>> {
    /// Reports that a decision moves a packet: the adversary may redirect it, and its hop counts.
    #[inline(always)]
    pub(super) fn report_move<Pr: Probe>(
        &self,
        site: &mut Site<'_, Pr>,
        now: Cycle,
        moving: Moving,
    ) {
        let (packet, deroute) = (moving.packet(), moving.is_deroute());
        let (from, to) = moving.way();
        if let Place::Output(port) = to
            && port != self.local
        {
            site.probe
                .scheduled(site.packets, site.node, now, packet, port);
            let packet = &mut site.packets[packet];
            packet.hops = packet.hops.saturating_add(1);
            packet.deroutes = packet.deroutes.saturating_add(deroute.into());
        }
        let packet = site.packets[packet].id;
        site.probe.event(
            site.node,
            now,
            Event::Moved {
                packet,
                from,
                to,
                deroute,
            },
        );
    }

    /// Reports that a head is in the injection frame in cycle `at`.
    #[inline]
    pub(super) fn report_injected<Pr: Probe>(
        site: &mut Site<'_, Pr>,
        at: Cycle,
        packet: PacketRef,
    ) {
        let packet = site.packets[packet];
        site.probe.event(site.node, at, Event::Injected { packet });
    }

    /// Reports that a head is about to leave over a link: the adversary may redirect it.
    #[inline]
    pub(super) fn report_launch<Pr: Probe>(
        site: &mut Site<'_, Pr>,
        now: Cycle,
        port: Port,
        packet: PacketRef,
    ) {
        site.probe
            .launched(site.packets, site.node, now, packet, port);
    }

    /// Reports that a head leaves an output frame in cycle `at`.
    #[inline]
    pub(super) fn report_head<Pr: Probe>(
        site: &mut Site<'_, Pr>,
        at: Cycle,
        port: Port,
        packet: PacketRef,
    ) {
        let packet = site.packets[packet].id;
        site.probe
            .event(site.node, at, Event::Head { packet, port });
    }

    /// Reports that a packet's last word leaves an output frame in cycle `at`. If it leaves the delivery
    /// frame, the packet leaves the network, and is delivered in the next cycle, the first without it.
    #[inline(always)]
    pub(super) fn report_tail<Pr: Probe>(
        &self,
        site: &mut Site<'_, Pr>,
        at: Cycle,
        port: Port,
        packet: PacketRef,
    ) {
        let tail = Event::Tail {
            packet: site.packets[packet].id,
            port,
            words: self.parameters.packet_words,
        };
        site.probe.event(site.node, at, tail);
        if port == self.local {
            let packet = site.packets.remove(packet);
            site.probe
                .event(site.node, at + 1, Event::Delivered { packet });
        }
    }

    /// Reports that a packet vanishes at its destination when its head arrives, in cycle `at`.
    #[inline]
    pub(super) fn report_vanished<Pr: Probe>(
        site: &mut Site<'_, Pr>,
        at: Cycle,
        packet: PacketRef,
    ) {
        let packet = site.packets[packet];
        site.probe.event(site.node, at, Event::Delivered { packet });
    }

    /// Reports that the credit of an input frame leaves in cycle `at`.
    #[inline]
    pub(super) fn report_freed<Pr: Probe>(site: &mut Site<'_, Pr>, at: Cycle, port: Port) {
        site.probe.event(site.node, at, Event::Freed { port });
    }

    /// Cycles from the departure of a packet's last word from an input frame to that of the frame's credit.
    /// The injection frame has no link to cross: its credit leaves with the last word.
    #[inline]
    pub(super) fn release_lag_cycles(&self, port: Port) -> u32 {
        match port == self.local {
            true => 0,
            false => self.parameters.input_release_cycles - self.parameters.least_release_cycles(),
        }
    }
}
