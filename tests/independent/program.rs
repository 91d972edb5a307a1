//! The same networks in the program: builds them, runs them on the clocked engine, and notes deliveries.

use super::plain::{Clock, Crossing, Delivery, Link, Network, Router, Wire};
use crate::common::machine::{chaos, execute_clocked};
use flitwork_config::Resolved;
use flitwork_network::{
    Clock as NodeClock, Clocks, Crossing as LinkCrossing, Delay, Demand, Handshake, LinkTiming,
    OwnTiming, Pause, Periodic, Protocol, Segment, SelfTimed, StageDelays,
};
use flitwork_node::{Event, Probe};
use flitwork_router::chaos::{
    ChaosParameters, Delivery as Leaves, MultiqueueFreed, MultiqueuePolicy,
};
use flitwork_topology::Grid;
use flitwork_traffic::{CsvReader, NodeMap, TraceOptions, TraceWorkload};
use flitwork_types::{Cycle, Moment, NodeId, Port};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Cursor;

/// What a run delivers before the end of a nominal cycle.
pub(crate) fn run(network: &Network, end_cycle: u32, shuffle: u64) -> Ran {
    let sides: Vec<u32> = network.mesh.sides.iter().map(|side| *side as u32).collect();
    let grid = Grid::mesh(&sides).expect("sides of 2 and more");
    let parameters = parameters(&network.router, network.mesh.ports());
    let mut resolved: Resolved = chaos(grid, parameters, 0.0, 1000, 1);
    resolved.run.deadline_cycles = end_cycle;
    let clocks = (clocks(network), shuffle);
    let demand = demand(network, Cycle(end_cycle));
    let (_, mut ran, _) = execute_clocked(&resolved, demand, clocks, Ran::default());
    ran.deliveries.sort();
    ran
}

/// What a run shows to the test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ran {
    pub(crate) deliveries: Vec<Delivery>,
    pub(crate) deroutes: u64,
    tick: Option<(NodeId, Moment)>,
}

impl Probe for Ran {
    fn event(&mut self, node: NodeId, _: Cycle, event: Event) {
        match event {
            Event::Moved { deroute: true, .. } => self.deroutes += 1,
            Event::Delivered { packet } => {
                let (at, moment) = self.tick.expect("a tick precedes its events");
                assert_eq!(at, node);
                self.deliveries.push(Delivery {
                    source: packet.id.source.0 as usize,
                    number: packet.id.serial as usize,
                    node: node.0 as usize,
                    ps: moment.ps,
                });
            }
            _ => {}
        }
    }

    fn tick(&mut self, node: NodeId, _: Cycle, at: Moment) {
        self.tick = Some((node, at));
    }
}

fn parameters(router: &Router, ports: usize) -> ChaosParameters {
    let mut parameters = ChaosParameters::chinn_1995(ports);
    parameters.packet_words = router.words as u16;
    parameters.multiqueue_frames = router.queue_frames;
    parameters.stall_threshold_cycles = router.stall_threshold as u32;
    parameters.decision_latency_cycles = router.decision_latency as u32;
    parameters.input_release_cycles = router.release as u32;
    parameters.output_reopen_cycles = router.reopen as u32;
    parameters.multiqueue_policy = match router.newest_first {
        true => MultiqueuePolicy::NewestFirst,
        false => MultiqueuePolicy::OldestFirst,
    };
    parameters.derouting = router.derouting;
    parameters.multiqueue_freed_at = match router.freed_at_tail {
        true => MultiqueueFreed::Tail,
        false => MultiqueueFreed::Decision,
    };
    parameters.bypass = router.bypass;
    parameters.cut_through = router.cut_through;
    parameters.delivery = match router.vanish {
        true => Leaves::Vanish,
        false => Leaves::Frame,
    };
    let order = router.scan_order.iter().map(|port| Port(*port as u8));
    parameters
        .set_scan_order(order.collect(), ports)
        .expect("every port once");
    parameters.check().expect("drawn from what is allowed");
    parameters
}

/// The packets as a trace.
fn demand(network: &Network, end: Cycle) -> Demand {
    let nodes = network.mesh.nodes() as u32;
    let mut text = String::from("cycle,src,dst,words\n");
    for packet in &network.packets {
        let (cycle, source, to) = (packet.cycle, packet.source, packet.destination);
        writeln!(text, "{cycle},{source},{to},{}", network.router.words).expect("a string");
    }
    let reader = CsvReader::new(Cursor::new(text.into_bytes()), nodes).expect("a header");
    let map = NodeMap::in_order(nodes, nodes).expect("as many nodes");
    let workload = TraceWorkload::new(Box::new(reader), map, TraceOptions::default());
    Demand::until(Box::new(workload.expect("a trace")), end)
}

fn clocks(network: &Network) -> Clocks {
    Clocks {
        nominal_ps: network.nominal_ps,
        domains: network.clocks.iter().map(clock).collect(),
        domain_of: network.domain_of.iter().map(|it| *it as u32).collect(),
        links: timing(network),
        seed: 1,
    }
}

fn clock(clock: &Clock) -> NodeClock {
    match clock {
        Clock::Oscillator {
            period_ps,
            phase_ps,
            drift_ppb,
        } => {
            let oscillator = Periodic::new(*period_ps, *phase_ps);
            NodeClock::Periodic(oscillator.with_drift(*drift_ppb as i32))
        }
        Clock::SelfTimed(node) => NodeClock::SelfTimed(SelfTimed {
            scale_ppb: node.scale_ppb,
            count_ps: node.count_ps,
            ..SelfTimed::new(StageDelays {
                word: Delay::fixed(node.word_ps),
                decision: Delay::fixed(node.decision_ps),
                allocation: node.allocation_ps.map(Delay::fixed),
                credit: node.credit_ps.map(Delay::fixed),
            })
        }),
    }
}

fn timing(network: &Network) -> LinkTiming {
    let first = &network.links[0].wire;
    let mut timing = LinkTiming::wires(1, 1, 0);
    match first {
        Wire::Plain {
            capacity_words,
            latency_ps,
        } => {
            timing.capacity_words = *capacity_words as u32;
            timing.latency_ps = *latency_ps;
        }
        Wire::Handshake {
            four_phase,
            bundling_ps,
            segments,
            fifo_words,
        } => {
            timing.capacity_words = segments.len() as u32 + 1 + *fifo_words as u32;
            timing.handshake = Some(Handshake {
                protocol: match four_phase {
                    true => Protocol::FourPhase,
                    false => Protocol::TwoPhase,
                },
                bundling_ps: *bundling_ps,
                segments: segments.iter().map(segment).collect(),
            });
        }
    }
    timing.own = own(network);
    timing
}

fn segment((request_ps, acknowledge_ps): &(u64, u64)) -> Segment {
    Segment {
        request_ps: *request_ps,
        acknowledge_ps: *acknowledge_ps,
    }
}

fn own(network: &Network) -> BTreeMap<(NodeId, Port), OwnTiming> {
    let mut own = BTreeMap::new();
    for node in 0..network.mesh.nodes() {
        for port in 0..network.mesh.ports() {
            let Some(far) = network.mesh.neighbour(node, port) else {
                continue;
            };
            let ends = [node.min(far), node.max(far)];
            let link = network.links.iter().find(|link| link.ends == ends);
            let timing = own_timing(link.expect("neighbours have a link"));
            own.insert((NodeId(node as u32), Port(port as u8)), timing);
        }
    }
    own
}

fn own_timing(link: &Link) -> OwnTiming {
    let crossing = match link.crossing {
        Crossing::Synchronizer { edges } => LinkCrossing::synchronizer(edges as u32),
        Crossing::DualClockFifo { edges, depth } => LinkCrossing {
            capacity_words: Some(depth as u32),
            ..LinkCrossing::synchronizer(edges as u32)
        },
        Crossing::Mesochronous { margin_ps } => LinkCrossing {
            margin_ps,
            ..LinkCrossing::synchronizer(0)
        },
        Crossing::Pausible { transfer_ps } => LinkCrossing {
            pause: Some(Pause {
                transfer_ps,
                arbiter: None,
            }),
            ..LinkCrossing::synchronizer(0)
        },
    };
    let (latency_ps, segments) = match &link.wire {
        Wire::Plain { latency_ps, .. } => (Some(*latency_ps), None),
        Wire::Handshake { segments, .. } => (None, Some(segments.iter().map(segment).collect())),
    };
    OwnTiming {
        latency_ps,
        crossing: Some(crossing),
        segments,
    }
}
