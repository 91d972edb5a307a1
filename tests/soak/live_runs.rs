//! Many live runs of random networks with random settings: each is recorded, replayed and compared, and
//! nothing in it may be lost or duplicated.

use crate::common::live_cases::{
    Case, Seen, Watchdog, case, live, replay, replay_subset, together,
};
use crate::common::machine::run;
use crate::soak::number;
use flitwork_config::EngineChoice;
use flitwork_engine::Ended;
use flitwork_experiment::simulate::demand;
use flitwork_live::{Lived, ReplayOptions, Replayed};
use flitwork_router::chaos::{ChaosParameters, Delivery};
use flitwork_topology::Topology;
use flitwork_trace::record::{Decoder, Item, Reader};
use flitwork_types::{NodeId, Port};
use std::collections::HashMap;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// The words that each link's far end took, according to the record: what arrived, not what was sent.
fn taken(case: &Case, record: &[u8]) -> HashMap<(NodeId, Port), u64> {
    let grid = case.resolved.network.grid();
    let words = case.resolved.predicted_words();
    let decoder = |node| Decoder::new(NodeId(node), words, grid.ports());
    let mut decoders: Vec<Decoder> = (0..grid.nodes()).map(decoder).collect();
    let (mut reader, _) = Reader::open(record).unwrap();
    loop {
        match reader.next_block().unwrap() {
            Item::Chunks(chunks) => chunks
                .into_iter()
                .for_each(|chunk| decoders[chunk.node.index()].push(chunk).unwrap()),
            Item::Mark(_) => {}
            Item::Trailer(_) | Item::End { .. } => break,
        }
    }
    let mut taken = HashMap::new();
    for (mut decoder, node) in decoders.into_iter().zip(0..) {
        while decoder.next() < decoder.upto() {
            for port in decoder.take(decoder.next()).unwrap().words.iter() {
                let sender = grid.neighbour(NodeId(node), port).unwrap();
                *taken.entry((sender, grid.opposite(port))).or_default() += 1;
            }
        }
    }
    taken
}

/// The words of a packet that may still be under way when it is delivered: where packets vanish as their heads
/// arrive, all the others.
fn words_behind_heads(case: &Case) -> u64 {
    match case.resolved.router.get::<ChaosParameters>() {
        Some(chaos) if chaos.delivery == Delivery::Vanish => u64::from(chaos.packet_words) - 1,
        _ => 0,
    }
}

/// Nothing is lost or duplicated, neither packets nor words, and what is under way has room.
fn check_conservation(
    case: &Case,
    live: &Lived,
    seen: &Seen,
    taken: &HashMap<(NodeId, Port), u64>,
) {
    assert!(seen.injected.values().all(|times| *times == 1));
    for (packet, times) in &seen.delivered {
        assert_eq!(*times, 1, "packet {packet:?} is delivered {times} times");
        assert!(
            seen.injected.contains_key(packet),
            "packet {packet:?} was never injected"
        );
    }
    for (link, taken) in taken {
        let sent = seen.words.get(link).copied().unwrap_or_default();
        assert!(*taken <= sent, "{link:?}: {sent} sent, {taken} taken");
    }
    let grid = case.resolved.network.grid();
    let is_empty = live.outcome.ended == Ended::Empty;
    // One more may wait at each end of the channel.
    let room = case.options.channel_capacity as u64 + 2;
    let end = demand(&case.resolved).end;
    for ((node, port), sent) in &seen.words {
        // What leaves through the local port is delivered.
        let Some(far) = grid.neighbour(*node, *port) else {
            continue;
        };
        let taken = taken.get(&(*node, *port)).copied().unwrap_or_default();
        let under_way = sent - taken;
        if is_empty {
            let behind = words_behind_heads(case);
            assert!(
                under_way <= behind,
                "node {node}, {port:?}: {sent} words sent, {taken} taken"
            );
        } else if live.nodes[far.index()].0 < end {
            // What arrives after a node's last cycle isn't recorded.
            assert!(
                under_way <= room,
                "node {node}, {port:?}: {under_way} words under way"
            );
        }
    }
    if is_empty {
        assert_eq!(seen.injected.len(), seen.delivered.len());
    }
}

/// No node is further ahead of a neighbour than the slack allows.
fn check_slack(case: &Case, live: &Lived) {
    let grid = case.resolved.network.grid();
    let Some(slack) = case.options.slack.0 else {
        return;
    };
    for node in (0..grid.nodes()).map(NodeId) {
        for port in grid.links(node).iter() {
            let far = grid.neighbour(node, port).unwrap();
            let (here, there) = (live.nodes[node.index()].0, live.nodes[far.index()].0);
            assert!(
                here <= there + slack + 1,
                "node {node} has run {here} cycles, its neighbour {far} {there}"
            );
        }
    }
}

fn check_replay(live: &Lived, again: &Replayed) {
    assert_eq!(again.verdict.fault, None);
    assert_eq!(again.verdict.difference, None);
    assert_eq!(again.verdict.cut, None);
    assert_eq!(again.nodes, live.nodes);
    assert_eq!(again.outcome, live.outcome);
    let reported = again.trailer.as_ref().map(|trailer| trailer.digest());
    assert_eq!(reported, Some(live.digest()));
}

/// Every node replayed without the others does what it did among them, down to the words.
fn check_nodes(case: &Case, live: &Lived, seen: &Seen, record: &[u8]) {
    let nodes: Vec<NodeId> = (0..case.resolved.network.nodes()).map(NodeId).collect();
    let subset = replay_subset(&case.resolved, record, nodes).unwrap();
    assert_eq!(subset.verdict.fault, None);
    assert_eq!(subset.verdict.difference, None);
    assert_eq!(subset.verdict.cut, None);
    let ends = subset.nodes.iter();
    let ends: Vec<_> = ends.map(|(_, cycles, digest)| (*cycles, *digest)).collect();
    assert_eq!(ends, live.nodes);
    assert_eq!(subset.probe.probe::<Seen>(), seen);
}

/// One run; returns how it ended.
fn soak(seed: u64) -> Ended {
    let case = case(seed);
    let (mut live, record) = live(&case);
    assert_eq!(live.fault, None);
    check_slack(&case, &live);
    let options = ReplayOptions {
        threads: case.threads,
        until: None,
        channel_capacity: 1 << 16,
        what_if: false,
    };
    let mut again = replay(&case.resolved, &record, &options).unwrap();
    check_replay(&live, &again);
    let (observed, seen) = together(&case.resolved, std::mem::take(&mut live.probes));
    check_conservation(&case, &live, &seen, &taken(&case, &record));
    if case.heads {
        check_nodes(&case, &live, &seen, &record);
    }
    if live.outcome.ended == Ended::Empty {
        assert_eq!(observed.created, observed.delivered + live.outcome.backlog);
    }
    let (observed_again, _) = together(&case.resolved, std::mem::take(&mut again.probes));
    assert_eq!(observed_again, observed);
    if case.options.slack.0 == Some(0) {
        let plain = run(&case.resolved, EngineChoice::SyncPlain);
        assert_eq!(
            live.digest(),
            plain.digest,
            "lockstep isn't the synchronous run"
        );
    }
    live.outcome.ended
}

/// Runs the cases of some seeds, and fails with all those that failed.
fn runs(seeds: impl Iterator<Item = u64>) {
    let begun = Instant::now();
    let watchdog = Watchdog::new();
    let (mut failed, mut ends) = (Vec::new(), HashMap::<String, u64>::new());
    for seed in seeds {
        let what = format!("FLITWORK_SOAK_SEED={seed}");
        let ended = watchdog.watch(&what, || catch_unwind(AssertUnwindSafe(|| soak(seed))));
        match ended {
            Ok(ended) => *ends.entry(format!("{ended:?}")).or_default() += 1,
            Err(_) => {
                let _ = writeln!(io::stderr(), "failed: {what}: {:#?}", case(seed));
                failed.push(seed);
            }
        }
    }
    let _ = writeln!(
        io::stderr(),
        "{:?} to {ends:?}, failed: {failed:?}",
        begun.elapsed()
    );
    assert!(failed.is_empty(), "FLITWORK_SOAK_SEED: {failed:?}");
}

#[test]
fn a_hundred_live_runs_lose_and_duplicate_nothing() {
    runs(number("FLITWORK_SOAK_SEED").into_iter().chain(0..100));
}

#[test]
#[ignore = "minutes: FLITWORK_SOAK_RUNS, 10,000 where that isn't given"]
fn thousands_of_live_runs_lose_and_duplicate_nothing() {
    let first = number("FLITWORK_SOAK_SEED").unwrap_or(1_000_000);
    let runs_asked = number("FLITWORK_SOAK_RUNS").unwrap_or(10_000);
    runs(first..first + runs_asked);
}
