//! Traces on real networks: every packet of a trace is delivered, none begins before the packets that it
//! waits for have arrived, and no run is shorter than its trace. The checker reads the trace separately and
//! sees only a run's events.

use crate::common::recorder::Recorder;
use flitwork_config::{Override, Resolved, open_packets};
use flitwork_engine::Ended;
use flitwork_experiment::simulate::{demand, execute};
use flitwork_network::Demand;
use flitwork_node::Event;
use flitwork_traffic::{
    Links, TraceFollower, TraceHandle, TraceId, TraceOptions, TracePacket, TraceParameters,
    TraceReader, TraceWorkload,
};
use flitwork_types::{Cycle, PacketId};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The published traces that exist: in `traces/published`, or in the folder that FLITWORK_TRACES names.
#[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
fn published() -> Vec<PathBuf> {
    let given = std::env::var_os("FLITWORK_TRACES").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| root().join("traces/published"));
    let names = ["shrtex", "example", "lngrex"].map(|name| format!("{name}.tra.bz2"));
    let (there, gone): (Vec<_>, Vec<_>) = names
        .into_iter()
        .map(|name| folder.join(name))
        .partition(|path| path.exists());
    for path in gone {
        eprintln!(
            "skipped: {} isn't there; FLITWORK_TRACES names its folder",
            path.display()
        );
    }
    there
}

/// The configuration of a trace on a network.
fn resolved(trace: &Path, changes: &[(&str, &str)]) -> Resolved {
    let file = format!("{:?}", trace.display().to_string());
    let mut overrides = vec![Override::by_assignment(
        "--set",
        "traffic.trace.file",
        &file,
    )];
    for (key, value) in changes {
        overrides.push(Override::by_assignment("--set", key, value));
    }
    flitwork_config::load(&root().join("configs/netrace.toml"), &overrides)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A run: what happened, how it ended, and which packet is which.
fn run(resolved: &Resolved) -> (Recorder, Ended, TraceHandle, TraceFollower) {
    let trace = resolved.traffic.process.get::<TraceParameters>();
    let trace = trace.expect("a trace");
    let reader = trace.reader(open_packets).unwrap();
    let map = trace
        .node_map(reader.nodes(), resolved.network.grid())
        .unwrap();
    let options = TraceOptions {
        obey_dependencies: trace.dependencies,
        ..TraceOptions::default()
    };
    let mut workload = TraceWorkload::new(reader, map, options).unwrap();
    if let Some(summary) = &trace.summary {
        workload = workload.with_summary(summary);
    }
    let handle = workload.handle();
    let follower = handle.follow();
    let load = Demand {
        workload: Box::new(workload),
        ..demand(resolved)
    };
    let finished = execute(resolved, load, Recorder::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    (finished.probe, finished.outcome.ended, handle, follower)
}

/// A packet's creation and delivery, from the network's events.
#[derive(Default)]
struct Life {
    injected: Option<Cycle>,
    delivered: Option<Cycle>,
}

fn lives(events: &[(Cycle, flitwork_types::NodeId, Event)]) -> HashMap<PacketId, Life> {
    let mut lives: HashMap<PacketId, Life> = HashMap::new();
    for (cycle, node, event) in events {
        match event {
            Event::Injected { packet } => {
                assert_eq!(node.0, packet.id.source.0);
                let life = lives.entry(packet.id).or_default();
                assert_eq!(life.injected.replace(*cycle), None, "{packet:?}");
            }
            Event::Delivered { packet } => {
                assert_eq!(node.0, packet.destination.0);
                let life = lives.entry(packet.id).or_default();
                assert_eq!(life.delivered.replace(*cycle), None, "{packet:?}");
            }
            _ => {}
        }
    }
    lives
}

fn all(reader: &mut dyn TraceReader) -> Vec<TracePacket> {
    std::iter::from_fn(|| reader.packet().unwrap()).collect()
}

/// Runs a trace and checks what must hold for it; returns how many packets and waits there were.
fn check(resolved: &Resolved) -> (usize, usize) {
    let trace = resolved.traffic.process.get::<TraceParameters>();
    let trace = trace.expect("a trace");
    let packets = all(trace.reader(open_packets).unwrap().as_mut());
    let start = packets.first().map_or(0, |packet| packet.cycle);
    let start = start.min(trace.reader(open_packets).unwrap().start_cycle());
    let mut waits_for: HashMap<TraceId, Vec<TraceId>> = HashMap::new();
    let mut waits = 0;
    for packet in &packets {
        for named in packet.links.names() {
            let (earlier, later) = match &packet.links {
                Links::After(_) => (*named, packet.id),
                Links::Before(_) => (packet.id, *named),
            };
            waits_for.entry(later).or_default().push(earlier);
            waits += 1;
        }
    }
    let (recorder, ended, handle, follower) = run(resolved);
    assert_eq!(ended, Ended::Empty);
    assert!(handle.account().is_finished() && handle.error().is_none());
    let lives = lives(&recorder.events);
    let births: HashMap<_, _> = follower
        .take()
        .into_iter()
        .map(|birth| (birth.id, birth))
        .collect();
    // When each packet arrived. A packet to its own source never enters the network, and counts as delivered
    // a cycle after it is ready.
    let mut ends: HashMap<TraceId, Cycle> = HashMap::new();
    let (mut last, mut travelled) = (Cycle::ZERO, 0);
    for packet in &packets {
        let own = Cycle((packet.cycle - start) as u32);
        let earlier = waits_for.get(&packet.id).into_iter().flatten();
        let ready = earlier.fold(own, |ready, earlier| ready.max(ends[earlier] + 1));
        let end = if packet.source == packet.destination {
            ready + 1
        } else {
            travelled += 1;
            let birth = births[&packet.id];
            assert_eq!(birth.ready, ready, "{packet:?}");
            let life = &lives[&birth.packet];
            assert!(life.injected.unwrap() >= ready, "{packet:?}");
            life.delivered.expect("a packet that was delivered")
        };
        last = last.max(end);
        ends.insert(packet.id, end);
    }
    assert_eq!(lives.len(), travelled);
    let length = packets.last().map_or(0, |packet| packet.cycle) - start;
    assert!(u64::from(last.0) >= length, "{last} for {length} cycles");
    (packets.len(), waits)
}

const ENGINES: [&str; 4] = ["sync", "sync-stepped", "sync-plain", "clocked"];

#[test]
fn the_repositorys_trace_keeps_its_order_on_every_router_and_engine() {
    let trace = root().join("traces/read-miss.tra.bz2");
    let routers: [&[(&str, &str)]; 4] = [
        &[],
        &[("network.topology", "\"torus\"")],
        &[
            ("router.wormhole.vcs", "1"),
            ("network.link_latency_cycles", "7"),
        ],
        &[
            ("router.wormhole.buffer_words", "1"),
            ("traffic.trace.link_bytes", "1"),
        ],
    ];
    for changes in routers {
        for engine in ENGINES {
            let name = format!("{engine:?}");
            let mut changes = changes.to_vec();
            changes.push(("network.sides", "[2, 2]"));
            changes.push(("run.engine", &name));
            assert_eq!(check(&resolved(&trace, &changes)), (9, 8));
        }
    }
}

#[test]
#[should_panic(expected = "TraceId(3)")]
fn a_packet_that_does_not_wait_is_detected() {
    let trace = root().join("traces/read-miss.tra.bz2");
    let changes = [
        ("network.sides", "[2, 2]"),
        ("network.link_latency_cycles", "200"),
        ("traffic.trace.dependencies", "false"),
    ];
    check(&resolved(&trace, &changes));
}

#[test]
fn the_published_traces_keep_their_order() {
    for trace in published() {
        let is_long = trace.file_stem().is_some_and(|stem| stem == "lngrex.tra");
        for topology in ["mesh", "torus"] {
            for engine in ENGINES {
                if is_long && engine != "sync" {
                    continue;
                }
                let (topology, engine) = (format!("{topology:?}"), format!("{engine:?}"));
                let changes = [
                    ("network.topology", topology.as_str()),
                    ("run.engine", engine.as_str()),
                ];
                let resolved = resolved(&trace, &changes);
                assert_eq!(resolved.network.nodes(), 64);
                let (packets, waits) = check(&resolved);
                assert!(packets > 10 && waits > 0);
            }
        }
    }
}
