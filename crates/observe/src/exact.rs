//! Latencies in picoseconds, where nodes have clocks of their own.

use crate::LatencyGroup;
use flitwork_measure::{BatchMeans, Window, WindowPart};
use flitwork_types::{ByPacket, Packet};
use std::collections::hash_map::Entry;

/// Latencies in whole picoseconds, exactly. A packet is created at the beginning of its cycle of the nominal clock, is
/// injected at the beginning of a local cycle of its source, and is delivered at the beginning of one of its
/// destination.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactLatencies {
    /// From creation to delivery, of the packets created in the window.
    pub latency: LatencyGroup,
    /// From the injection frame to delivery, of the same packets.
    pub network_latency: LatencyGroup,
    /// From creation to delivery of the packets delivered in the window, by the nominal cycle of delivery.
    pub latency_by_delivery: BatchMeans,
}

/// Takes the times of packets.
#[derive(Clone, Debug)]
pub(super) struct Stopwatch {
    window: Window,
    nominal_ps: u64,
    /// Packets created in the window of which either end was observed.
    half: ByPacket<End>,
    latencies: ExactLatencies,
}

/// An end of a packet's way through the network, with its time in ps.
#[derive(Clone, Copy, Debug)]
enum End {
    Injected(u64),
    /// With the place of the packet's creation in the window.
    Delivered(u64, WindowPart),
}

impl Stopwatch {
    /// `nominal_ps` is the period of the sources' clock.
    pub(super) fn new(window: Window, nominal_ps: u64) -> Stopwatch {
        Stopwatch {
            window,
            nominal_ps,
            half: ByPacket::default(),
            latencies: ExactLatencies {
                latency: LatencyGroup::new(window),
                network_latency: LatencyGroup::new(window),
                latency_by_delivery: BatchMeans::new(window),
            },
        }
    }

    #[inline(never)]
    pub(super) fn injected(&mut self, packet: &Packet, now_ps: u64) {
        if self.window.contains(packet.created) {
            self.end(packet.id.as_u64(), End::Injected(now_ps));
        }
    }

    #[inline(never)]
    pub(super) fn never_injected(&mut self, packet: &Packet) {
        self.half.remove(&packet.id.as_u64());
    }

    /// `created` and `delivered` are the places of its creation and its delivery in the window.
    #[inline(never)]
    pub(super) fn delivered(
        &mut self,
        packet: &Packet,
        now_ps: u64,
        (created, delivered): (Option<WindowPart>, Option<WindowPart>),
    ) {
        let created_ps = u64::from(packet.created.get()) * self.nominal_ps;
        let latency_ps = now_ps.checked_sub(created_ps);
        let latency_ps = latency_ps.expect("a packet is delivered after its creation");
        if let Some(part) = delivered {
            let means = &mut self.latencies.latency_by_delivery;
            means.record_in(part, latency_ps);
        }
        if let Some(part) = created {
            self.latencies.latency.record(part, latency_ps);
            self.end(packet.id.as_u64(), End::Delivered(now_ps, part));
        }
    }

    /// Takes the second end of a packet's way together with the first.
    #[inline]
    fn end(&mut self, packet: u64, end: End) {
        match self.half.entry(packet) {
            Entry::Vacant(place) => {
                place.insert(end);
            }
            Entry::Occupied(place) => match (place.remove(), end) {
                (End::Injected(from_ps), End::Delivered(to_ps, part))
                | (End::Delivered(to_ps, part), End::Injected(from_ps)) => {
                    let network = &mut self.latencies.network_latency;
                    network.record(part, to_ps - from_ps);
                }
                _ => panic!("packet {packet:#x} enters or leaves the network twice"),
            },
        }
    }

    /// Adds what another observer of the same run saw.
    pub(super) fn merge(&mut self, other: Stopwatch) {
        let (sums, more) = (&mut self.latencies, other.latencies);
        sums.latency.merge(&more.latency);
        sums.network_latency.merge(&more.network_latency);
        let means = &mut sums.latency_by_delivery;
        means.merge(&more.latency_by_delivery);
        for (packet, end) in other.half {
            self.end(packet, end);
        }
    }

    pub(super) fn finish(self) -> ExactLatencies {
        self.latencies
    }
}
