//! Perfetto against the journeys of packets, through messages that are declared here once more, from
//! `protos/perfetto/trace/perfetto_trace.proto`.

use super::asked::{Asked, export};
use crate::clocked::many_clocks;
use crate::common::live_runs::{options, recorded};
use crate::common::machine::{chaos, machines};
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_debug::rows::Nodes;
use flitwork_debug::{Timeline, Wanted, What, first_probe, follow};
use flitwork_experiment::simulate::demand;
use flitwork_experiment::simulation::{Use, of_record, start, start_clocked};
use flitwork_live::Runtime;
use flitwork_node::Event;
use flitwork_router::chaos::ChaosParameters;
use flitwork_topology::Grid;
use flitwork_types::PacketId;
use proptest::prelude::*;
use prost::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, Message)]
struct TracePacket {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackEvent {
    #[prost(int32, optional, tag = "9")]
    kind: Option<i32>,
    #[prost(uint64, optional, tag = "11")]
    track_uuid: Option<u64>,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
    #[prost(fixed64, repeated, tag = "47")]
    flow_ids: Vec<u64>,
    #[prost(fixed64, repeated, tag = "48")]
    terminating_flow_ids: Vec<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
    #[prost(string, optional, tag = "14")]
    description: Option<String>,
}

/// A slice: the name of its track and its own, and from when to when.
type Slice = (String, String, u64, u64);

/// The slices of a trace, and the flows of each packet.
fn slices(path: &Path) -> (Vec<Slice>, BTreeMap<String, BTreeSet<u64>>) {
    let trace = Trace::decode(&*std::fs::read(path).unwrap()).unwrap();
    let tracks = trace
        .packet
        .iter()
        .filter_map(|it| it.track_descriptor.clone());
    let names: BTreeMap<u64, TrackDescriptor> = tracks.map(|it| (it.uuid.unwrap(), it)).collect();
    let description = names[&1].description.as_ref().unwrap();
    assert!(description.contains("flitwork.status = "), "{description}");
    let mut events: Vec<(u64, TrackEvent)> = Vec::new();
    for it in &trace.packet {
        events.extend(
            it.track_event
                .clone()
                .map(|event| (it.timestamp.unwrap(), event)),
        );
    }
    // As the program that reads it: by time, and otherwise as they come.
    events.sort_by_key(|(at, _)| *at);
    let (mut open, mut slices, mut flows) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
    for (at, event) in events {
        let track = event.track_uuid.unwrap();
        match event.kind {
            Some(1) => {
                let name = event.name.clone().unwrap();
                let of: &mut BTreeSet<u64> = flows.entry(name.clone()).or_default();
                of.extend(event.flow_ids.iter().chain(&event.terminating_flow_ids));
                let before = open.insert(track, (at, name));
                assert!(
                    before.is_none(),
                    "slices overlap in track {track}: {before:?}"
                );
            }
            Some(2) => {
                let (from, name) = open.remove(&track).expect("a slice is open");
                let about = &names[&track];
                assert_eq!(about.parent_uuid, Some(1));
                slices.push((about.name.clone().unwrap(), name, from, at));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    slices.sort();
    (slices, flows)
}

/// The stays of all packets, each followed by itself.
fn stays(
    resolved: &Resolved,
    timeline: &mut Timeline,
    (from, to): (u64, u64),
    until: u64,
) -> Vec<Slice> {
    let (happened, _) = timeline.copy_at(0, Wanted::EVENTS).advance(to);
    let injected = happened.iter().filter_map(|it| match it.what {
        What::Event(Event::Injected { packet }) => Some((packet.id, it.time)),
        _ => None,
    });
    let nodes = Nodes::new(&resolved.network.shape);
    let mut all = Vec::new();
    for (packet, at) in injected {
        let journey = follow(timeline, packet, at, to).unwrap();
        let PacketId { source, serial } = packet;
        for stay in &journey.stays {
            // Where words travel alone, the last one is delivered as it arrives.
            let end = journey.delivered.map_or(until, |it| it.time);
            let left = stay.left.map_or(end, |(left, _)| left.time);
            if left >= from {
                let track = format!("node {}", nodes.name(stay.node));
                all.push((track, format!("{source}.{serial}"), stay.arrived.time, left));
            }
        }
    }
    all.sort();
    all
}

/// Exports what lies between two times, all of it and a part.
fn compare(
    resolved: &Resolved,
    timeline: &mut Timeline,
    times: (u64, u64),
) -> Result<(), TestCaseError> {
    let nodes = Nodes::new(&resolved.network.shape);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let asked = Asked {
        words_travel_alone: resolved.router.facts().words_travel_alone,
        ..Asked::of("perfetto", times)
    };
    let done = export(timeline, &nodes, &asked, &path).unwrap();
    let (found, flows) = slices(&path);
    let all = stays(resolved, timeline, times, done.until);
    prop_assert_eq!(found.len() as u64, done.count);
    prop_assert_eq!(&found, &all, "{:?}", times);
    // Each packet has one flow of its own, through all of its slices.
    prop_assert!(flows.values().all(|of| of.len() == 1));
    let ids: BTreeSet<u64> = flows.values().flatten().copied().collect();
    prop_assert_eq!(ids.len(), flows.len());
    // A condition leaves slices out.
    let some = Asked {
        filter: "stay > 2 && node.x == 0",
        ..asked
    };
    export(timeline, &nodes, &some, &path).unwrap();
    let (some, _) = slices(&path);
    prop_assert!(
        some.iter()
            .all(|slice| all.contains(slice) && slice.3 - slice.2 > 2)
    );
    Ok(())
}

properties! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn slices_are_the_stays_of_packets(
        resolved in machines().boxed(),
        (from, length) in (prop_oneof![Just(0u64), 1u64..200], 1u64..200),
    ) {
        let mut resolved = resolved;
        resolved.run.engine = EngineChoice::Sync;
        let end: u64 = demand(&resolved).end.get().into();
        let times = (from.min(end - 1), (from + length).min(end));
        let simulation = start(&resolved, Use::Views, demand(&resolved), first_probe());
        compare(&resolved, &mut Timeline::new(simulation, 1 << 22, 1), times)?;
    }

    #[test]
    fn slices_in_ps_are_the_stays_of_packets(
        (resolved, clocks) in many_clocks().boxed(),
        (from, length) in (prop_oneof![Just(0u64), 1u64..100], 1u64..100),
        part in 0.0..1.0f64,
    ) {
        let period = clocks.nominal_ps;
        let end = u64::from(demand(&resolved).end.get()) * period;
        let from = (from * period + (part * period as f64) as u64).min(end - 1);
        let times = (from, (from + length * period).min(end));
        let simulation = start_clocked(&resolved, (clocks, 1), demand(&resolved), first_probe());
        compare(&resolved, &mut Timeline::new(simulation, 1 << 22, period), times)?;
    }

    #[test]
    fn slices_of_records_are_the_stays_of_packets(
        resolved in machines().boxed(),
        (workers, slack) in (1usize..4, prop::option::of(0u32..9)),
        (from, length) in (0u64..200, 1u64..200),
    ) {
        let mut resolved = resolved;
        resolved.run.drain_cycles = 20_000;
        resolved.run.deadline_cycles = 20_000;
        let (_, parts) = recorded(&resolved, &options(Runtime::Threads, slack, workers, 4));
        let (simulation, _) = of_record(&resolved, parts, first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, 1);
        compare(&resolved, &mut timeline, (from, from + length))?;
    }
}

/// From every cycle on: also from one in which nothing is under way but a packet that has just been delivered.
#[test]
fn no_stay_is_lost_wherever_one_begins() {
    for seed in 1..=4 {
        let grid = Grid::mesh(&[3, 2]).unwrap();
        let mut resolved = chaos(grid, ChaosParameters::chinn_1995(4), 0.02, 120, seed);
        resolved.run.engine = EngineChoice::Sync;
        let simulation = start(&resolved, Use::Views, demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, 1);
        for from in 0..120 {
            compare(&resolved, &mut timeline, (from, from + 1)).unwrap();
        }
    }
}
