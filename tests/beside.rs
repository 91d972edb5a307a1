//! The file of packets and the intervals of a run against separate counts of the same run's events, and
//! against each other between engines.

use crate::common::live_runs::options;
use crate::common::machine::{machines, shown_observer};
use crate::common::properties::properties;
use flitwork_config::{EngineChoice, Resolved};
use flitwork_experiment::extras::Extras;
use flitwork_experiment::intervals::{Interval, Intervals, OverTime, Sums};
use flitwork_experiment::live::{execute_live, simulate_live_with};
use flitwork_experiment::packets::PacketFile;
use flitwork_experiment::simulate::{demand, execute, simulate_with};
use flitwork_live::Runtime;
use flitwork_node::{Event, Probe};
use flitwork_report::{CSV, Program};
use flitwork_router::deflection::DeflectionParameters;
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, Moment, NodeId, Packet, PacketId, TerminalId};
use proptest::prelude::*;
use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Events with their cycles by the nominal clock, and packets that never entered the network.
#[derive(Debug, Default)]
struct Events {
    shift: i64,
    list: Vec<(u32, Event)>,
    left_over: Vec<(TerminalId, Cycle, u16)>,
}

impl Probe for Events {
    fn tick(&mut self, _: NodeId, local: Cycle, at: Moment) {
        self.shift = i64::from(at.reference.get()) - i64::from(local.get());
    }
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        let cycle = u32::try_from(i64::from(cycle.get()) + self.shift).unwrap();
        self.list.push((cycle, event));
    }
    fn left_over(&mut self, source: TerminalId, created: Cycle, words: u16, packets: u64) {
        let alike = (0..packets).map(|_| (source, created, words));
        self.left_over.extend(alike);
    }
}

fn file(path: &Path, resolved: &Resolved) -> PacketFile {
    let program = Program {
        version: "1".into(),
        revision: "unknown".into(),
        command: "flitwork run".into(),
    };
    PacketFile::create(
        path,
        &CSV,
        &program.ran(resolved.to_toml(), resolved.run.seed),
    )
    .unwrap()
}

/// The rows of a file, sorted.
fn rows(path: &Path, status: &str) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with(&format!("# status = \"{status}\"\n")));
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(
        lines.next().unwrap(),
        "source,serial,destination,class,words,trace_id,created_cycle,injected_cycle,\
         delivered_cycle,latency_cycles,hops,deroutes,created_ps,injected_ps,delivered_ps,latency_ps,lost_cycle,loss"
    );
    // Only some engines know times in ps, and no link fails.
    let in_cycles = |line: &str| line.rsplitn(7, ',').last().unwrap().to_owned();
    let mut rows: Vec<String> = lines.map(in_cycles).collect();
    rows.sort();
    rows
}

/// A packet, the cycle of its injection, and the cycle and latency of its delivery.
type Row = (Packet, u32, Option<(u32, u64)>);

/// The same rows, from events.
fn counted_rows(local: flitwork_types::Port, events: &Events) -> Vec<String> {
    let (mut hops, mut deroutes) = (HashMap::new(), HashMap::new());
    let mut packets: HashMap<PacketId, Row> = HashMap::new();
    for (cycle, event) in &events.list {
        match event {
            Event::Injected { packet } => {
                let row = packets.entry(packet.id).or_insert((*packet, 0, None));
                row.1 = *cycle;
            }
            Event::Delivered { packet } => {
                let latency = packet.latency(Cycle(*cycle));
                let row = packets.entry(packet.id).or_insert((*packet, 0, None));
                row.2 = Some((*cycle, latency));
            }
            Event::Head { packet, port } if *port != local => {
                *hops.entry(*packet).or_insert(0) += 1;
            }
            Event::Moved {
                packet, deroute, ..
            } => *deroutes.entry(*packet).or_insert(0) += u32::from(*deroute),
            _ => {}
        }
    }
    let of = |counts: &HashMap<PacketId, u32>, id| counts.get(&id).copied().unwrap_or(0);
    let row = |(packet, injected, delivered): &Row| {
        let id = packet.id;
        let end = delivered.map_or(",,,".to_owned(), |(cycle, latency)| {
            format!("{cycle},{latency},{},{}", of(&hops, id), of(&deroutes, id))
        });
        let (destination, class, words) = (packet.destination, packet.class, packet.words);
        let (source, serial, created) = (id.source, id.serial, packet.created);
        format!("{source},{serial},{destination},{class},{words},,{created},{injected},{end}")
    };
    let left = |(source, created, words): &(TerminalId, Cycle, u16)| {
        format!("{source},,,,{words},,{created},,,,,")
    };
    let entered = packets.values().map(row);
    let mut rows: Vec<String> = entered.chain(events.left_over.iter().map(left)).collect();
    rows.sort();
    rows
}

fn without_hops(rows: &[String]) -> Vec<&str> {
    rows.iter()
        .map(|row| row.rsplitn(3, ',').last().unwrap())
        .collect()
}

/// The intervals from events, word by word. Whatever happens after the end counts in the last one.
fn counted_intervals(grid: &Grid, events: &Events, every: u32, end: Cycle) -> Vec<Interval> {
    let count = end.get().div_ceil(every);
    let of = |cycle: u32| (cycle / every).min(count - 1) as usize;
    let mut all: Vec<Interval> = (0..count)
        .map(|index| Interval {
            from: Cycle(index * every),
            to: Cycle((index + 1) * every).min(end),
            sums: Sums::default(),
            backlog_packets: 0,
            in_network_packets: 0,
        })
        .collect();
    let mut made = Vec::new();
    let (mut entered, mut left) = (Vec::new(), Vec::new());
    for (cycle, event) in &events.list {
        let now = &mut all[of(*cycle)];
        match event {
            Event::Injected { packet } => {
                now.sums.injected_packets += 1;
                entered.push(of(*cycle));
                made.push((packet.created, packet.words));
            }
            Event::Delivered { packet } => {
                let latency = packet.latency(Cycle(*cycle));
                left.push(of(*cycle));
                now.sums.delivered_packets += 1;
                now.sums.delivered_words += u64::from(packet.words);
                now.sums.latency_cycles += latency;
                now.sums.latency_max_cycles = now.sums.latency_max_cycles.max(latency);
                now.sums.network_latency_cycles += packet.network_latency(Cycle(*cycle));
            }
            Event::Tail { port, words, .. } if *port != grid.local() => {
                for back in 0..u32::from(*words) {
                    // A worm's words can't have left before the first cycle.
                    if let Some(cycle) = cycle.checked_sub(back) {
                        all[of(cycle)].sums.link_words += 1;
                    }
                }
            }
            _ => {}
        }
    }
    let waiting = events.left_over.iter();
    made.extend(waiting.map(|(_, created, words)| (*created, *words)));
    for (created, words) in &made {
        let now = &mut all[of(created.get())];
        now.sums.created_packets += 1;
        now.sums.created_words += u64::from(*words);
    }
    for (index, interval) in all.iter_mut().enumerate() {
        let by_then = |cycles: &[usize]| cycles.iter().filter(|at| **at <= index).count() as u64;
        let made = made.iter().map(|(created, _)| of(created.get()));
        let made: Vec<usize> = made.collect();
        interval.backlog_packets = by_then(&made) - by_then(&entered);
        interval.in_network_packets = by_then(&entered).saturating_sub(by_then(&left));
    }
    all
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packets.csv");
    (folder, path)
}

/// A run on an engine with everything, against its own events.
fn agrees(resolved: &Resolved, engine: EngineChoice, every: u32) -> Result<(), TestCaseError> {
    let (_folder, path) = folder();
    let file = file(&path, resolved);
    let grid = resolved.network.grid();
    let extras = || Extras {
        packets: Some(file.reporter()),
        intervals: Some(Intervals::new(grid, every)),
        index: None,
        is_trial: false,
    };
    let mut resolved = resolved.clone();
    resolved.run.engine = engine;
    let control = &mut |_| ControlFlow::Continue(());
    let (mut events, mut all) = (Events::default(), Intervals::new(grid, every));
    let end = if engine == EngineChoice::Live {
        let options = options(Runtime::Threads, None, 3, 4);
        let demand = demand(&resolved);
        let probes = || (Events::default(), extras());
        let lived = execute_live(&resolved, demand, &options, None, probes, control).unwrap();
        for probe in lived.probes {
            let (more, extras) = probe.into_probe::<(Events, Extras)>();
            events.list.extend(more.list);
            events.left_over.extend(more.left_over);
            all.merge(extras.intervals.as_ref().unwrap());
        }
        lived.outcome.cycle
    } else {
        let probe = (Events::default(), (shown_observer(&resolved), extras()));
        let done = execute(&resolved, demand(&resolved), probe, control);
        let (more, (_, extras)) = done.probe;
        events = more;
        all.merge(extras.intervals.as_ref().unwrap());
        done.outcome.cycle
    };
    file.finish("complete").unwrap();
    let (found, counted) = (rows(&path, "complete"), counted_rows(grid.local(), &events));
    if resolved.router.is::<DeflectionParameters>() {
        // Its flits take separate paths, and a packet's hops are the most that any of them made; events don't
        // report which flit they belong to.
        prop_assert_eq!(without_hops(&found), without_hops(&counted));
    } else {
        prop_assert_eq!(found, counted);
    }
    let intervals = all.finish(end);
    prop_assert_eq!(intervals, counted_intervals(grid, &events, every, end));
    Ok(())
}

/// What `flitwork run` does with a configuration on an engine, one clock for all nodes.
fn shown(resolved: &Resolved, engine: EngineChoice, every: u32) -> (Vec<String>, OverTime) {
    let (_folder, path) = folder();
    let file = file(&path, resolved);
    let grid = resolved.network.grid();
    let extras = Extras {
        packets: Some(file.reporter()),
        intervals: Some(Intervals::new(grid, every)),
        index: None,
        is_trial: false,
    };
    let mut resolved = resolved.clone();
    resolved.run.engine = engine;
    let control = &mut |_| ControlFlow::Continue(());
    let (run, extras) = if engine == EngineChoice::Live {
        resolved.live.slack.0 = Some(0);
        resolved.live.workers = 3;
        let latency = resolved.network.link_latency_cycles;
        resolved.live.channel_capacity = latency as usize + 4;
        let (run, extras) = simulate_live_with(&resolved, None, extras, control).unwrap();
        (run.simulated, extras)
    } else {
        simulate_with(&resolved, extras, control)
    };
    let over_time = OverTime::of(extras.intervals.as_ref().unwrap(), &resolved, run.cycles);
    drop(extras);
    file.finish("failed").unwrap();
    let sum = |value: fn(&Interval) -> u64| over_time.intervals.iter().map(value).sum::<u64>();
    let seen = &run.observation;
    assert_eq!(sum(|one| one.sums.created_packets), seen.created);
    assert_eq!(sum(|one| one.sums.injected_packets), seen.injected);
    assert_eq!(sum(|one| one.sums.delivered_packets), seen.delivered);
    assert_eq!(over_time.intervals.is_empty(), run.cycles == Cycle::ZERO);
    if let Some(last) = over_time.intervals.last() {
        assert_eq!(last.backlog_packets, seen.created - seen.injected);
        assert_eq!(last.in_network_packets, seen.injected - seen.delivered);
    }
    // Intervals of one cycle let the window be cut out exactly. A packet may be delivered in the cycle after
    // the run's last one, whose step removed it: it counts in the last interval, but not in a window that
    // ends with the run.
    if every == 1 && seen.window.end() < run.cycles {
        let inside = over_time
            .intervals
            .iter()
            .filter(|one| over_time.phase(one) == "measured");
        let inside: Vec<&Interval> = inside.collect();
        let sum = |value: fn(&Interval) -> u64| inside.iter().map(|one| value(one)).sum::<u64>();
        assert_eq!(inside.len() as u32, seen.measured_cycles);
        assert_eq!(
            sum(|one| one.sums.link_words),
            seen.link_words.iter().sum::<u64>()
        );
        assert_eq!(
            sum(|one| one.sums.delivered_packets),
            seen.words_delivered.observations()
        );
        assert_eq!(
            sum(|one| one.sums.delivered_words),
            seen.activity.delivered_words
        );
        assert_eq!(
            sum(|one| one.sums.created_packets),
            seen.words_created.observations()
        );
    }
    let nodes = (0..grid.nodes()).map(NodeId);
    let links = nodes.map(|node| grid.links(node).iter().count() as u32);
    let shares = 1 + u32::from(resolved.network.duplex.is_half());
    assert_eq!(over_time.wires * shares, links.sum::<u32>());
    (rows(&path, "failed"), over_time)
}

const ONE_CLOCK: [EngineChoice; 5] = [
    EngineChoice::Sync,
    EngineChoice::SyncStepped,
    EngineChoice::SyncPlain,
    EngineChoice::Clocked,
    EngineChoice::Live,
];

properties! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn what_is_recorded_is_what_happened(resolved in machines(), every in 1u32..300) {
        for engine in ONE_CLOCK {
            agrees(&resolved, engine, every)?;
        }
    }

    #[test]
    fn every_engine_records_the_same(
        resolved in machines(),
        every in prop_oneof![Just(1u32), 1u32..100],
    ) {
        let first = shown(&resolved, ONE_CLOCK[0], every);
        for engine in &ONE_CLOCK[1..] {
            let other = shown(&resolved, *engine, every);
            prop_assert_eq!(&other.0, &first.0, "{:?}", engine);
            prop_assert_eq!(&other.1, &first.1, "{:?}", engine);
        }
    }
}
