//! Live runs in memory, their records and replays, each from a seed.

use super::live_runs::{Memory, header};
use super::machine::{machines, shown_observer, window_of};
use flitwork_config::Resolved;
use flitwork_experiment::live::{execute_live, execute_replay, execute_subset};
use flitwork_experiment::simulate::demand;
use flitwork_live::{
    Lived, Options, RecordTo, ReplayError, ReplayOptions, Replayed, Runtime, Slack, Subset,
    SubsetOptions,
};
use flitwork_node::{AnyProbe, Event, Probe, Reported};
use flitwork_observe::{Observation, Observer};
use flitwork_trace::record::Header;
use flitwork_types::{Cycle, NodeId, PacketId, Port, Word};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::HashMap;
use std::io::{self, Cursor, Read, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A configuration, and how it is run live and replayed.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) resolved: Resolved,
    pub(crate) options: Options,
    pub(crate) threads: usize,
    /// Whether its record has the packets' heads.
    pub(crate) heads: bool,
}

fn cases() -> BoxedStrategy<Case> {
    let runtime = prop_oneof![Just(Runtime::Threads), Just(Runtime::Tokio)];
    let slack = prop_oneof![
        Just(None),
        Just(Some(0)),
        Just(Some(1)),
        Just(Some(4)),
        Just(Some(16))
    ];
    // In addition to the least that a link needs.
    let room = prop_oneof![Just(0usize), 1usize..4, 4usize..80];
    let set_up = (runtime, slack, 1usize..5, 1u32..=16, room);
    (machines(), set_up, 1usize..4, any::<bool>())
        .prop_map(
            |(resolved, (runtime, slack, workers, burst_cycles, room), threads, heads)| Case {
                options: Options {
                    runtime,
                    slack: Slack(slack),
                    workers,
                    channel_capacity: resolved.network.link_latency_cycles as usize + 1 + room,
                    burst_cycles,
                    pinning: false,
                    rehearsal: None,
                },
                // A record can have heads if packets have one length and are known in advance.
                heads: heads
                    && resolved.router.fixed_words().is_some()
                    && demand(&resolved).workload.foresees(),
                resolved,
                threads,
            },
        )
        .boxed()
}

/// The case of a seed.
pub(crate) fn case(seed: u64) -> Case {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    cases().new_tree(&mut runner).unwrap().current()
}

/// What packets did, and the words over each link, by its sender.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) injected: HashMap<PacketId, u32>,
    pub(crate) delivered: HashMap<PacketId, u32>,
    pub(crate) words: HashMap<(NodeId, Port), u64>,
}

impl Probe for Seen {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Words)
    }

    fn event(&mut self, _: NodeId, _: Cycle, event: Event) {
        match event {
            Event::Injected { packet } => *self.injected.entry(packet.id).or_default() += 1,
            Event::Delivered { packet } => *self.delivered.entry(packet.id).or_default() += 1,
            _ => {}
        }
    }

    fn word(&mut self, node: NodeId, _: Cycle, port: Port, _: PacketId, _: Word) {
        *self.words.entry((node, port)).or_default() += 1;
    }
}

impl Seen {
    fn merge(&mut self, other: Seen) {
        let packets = |all: &mut HashMap<PacketId, u32>, more: HashMap<PacketId, u32>| {
            more.into_iter()
                .for_each(|(packet, count)| *all.entry(packet).or_default() += count);
        };
        packets(&mut self.injected, other.injected);
        packets(&mut self.delivered, other.delivered);
        for (link, count) in other.words {
            *self.words.entry(link).or_default() += count;
        }
    }
}

type Probes = (Observer, Seen);

/// The merged parts of a run's probes.
pub(crate) fn together(resolved: &Resolved, probes: Vec<AnyProbe>) -> (Observation, Seen) {
    let mut observer = shown_observer(resolved);
    let mut seen = Seen::default();
    for (part, saw) in probes.into_iter().map(AnyProbe::into_probe::<Probes>) {
        observer.merge(part);
        seen.merge(saw);
    }
    (observer.finish(window_of(resolved).end()), seen)
}

/// The header of a case's record.
pub(crate) fn header_of(case: &Case) -> Header {
    Header {
        heads: case.heads,
        ..header(&case.resolved, case.options.runtime)
    }
}

/// The interval of marks: short enough for each of these short runs to have some.
const MARKS_EVERY: Duration = Duration::from_millis(1);

/// Runs a case live, its record going to `out`.
pub(crate) fn live_to(case: &Case, out: Box<dyn Write + Send>) -> io::Result<Lived> {
    let Case {
        resolved, options, ..
    } = case;
    let header = header_of(case);
    let record = Some(RecordTo {
        out,
        header,
        marks_every: MARKS_EVERY,
    });
    let probes = || (shown_observer(resolved), Seen::default());
    let control = &mut |_| ControlFlow::Continue(());
    execute_live(resolved, demand(resolved), options, record, probes, control)
}

/// Runs a case live; returns its record too.
pub(crate) fn live(case: &Case) -> (Lived, Vec<u8>) {
    let memory = Memory::default();
    let lived = live_to(case, Box::new(memory.clone())).unwrap();
    (lived, memory.bytes())
}

pub(crate) fn replay(
    resolved: &Resolved,
    record: &[u8],
    options: &ReplayOptions,
) -> Result<Replayed, ReplayError> {
    let open = || Ok(Box::new(Cursor::new(record.to_vec())) as Box<dyn Read + Send>);
    let probes = || (shown_observer(resolved), Seen::default());
    let control = &mut |_| ControlFlow::Continue(());
    execute_replay(resolved, demand(resolved), options, open, probes, control)
}

/// Replays a subset of the nodes, from a record with heads.
pub(crate) fn replay_subset(
    resolved: &Resolved,
    record: &[u8],
    nodes: Vec<NodeId>,
) -> Result<Subset, ReplayError> {
    let open = || Ok(Box::new(Cursor::new(record.to_vec())) as Box<dyn Read + Send>);
    let options = SubsetOptions { nodes, until: None };
    let control = &mut |_| ControlFlow::Continue(());
    let seen = Seen::default();
    execute_subset(resolved, demand(resolved), &options, open, seen, control)
}

/// Ends the whole program if a piece of work takes longer than `PATIENCE`, and says which it was: what hangs
/// can't be ended from within.
///
/// Time is counted in turns that the host grants to the watchdog itself: on a host that is busy with other work they
/// take longer, as everything does.
pub(crate) struct Watchdog {
    turns: Arc<AtomicU64>,
    /// The turn at which the work began, plus 1; 0 while there is none.
    since: Arc<AtomicU64>,
    what: Arc<Mutex<String>>,
}

/// A turn on an idle host.
const TURN: Duration = Duration::from_millis(200);
/// How often the watchdog queues for a core in a turn: as often as work that waits for its own threads may.
const YIELDS: u32 = 100;
/// Turns: two minutes on an idle host.
const PATIENCE: u64 = 600;

impl Watchdog {
    pub(crate) fn new() -> Watchdog {
        let (turns, since) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let what = Arc::new(Mutex::new(String::new()));
        let watchdog = Watchdog { turns, since, what };
        let (turns, since) = (watchdog.turns.clone(), watchdog.since.clone());
        let what = watchdog.what.clone();
        std::thread::spawn(move || {
            while Arc::strong_count(&since) > 1 {
                std::thread::sleep(TURN);
                (0..YIELDS).for_each(|_| std::thread::yield_now());
                let now = turns.fetch_add(1, Ordering::SeqCst);
                let since = since.load(Ordering::SeqCst);
                if since > 0 && now > since + PATIENCE {
                    let what = what.lock().unwrap();
                    let _ = writeln!(io::stderr(), "not done after {PATIENCE} turns: {what}");
                    std::process::abort();
                }
            }
        });
        watchdog
    }

    /// Runs a piece of work under the watchdog.
    pub(crate) fn watch<A>(&self, what: &str, work: impl FnOnce() -> A) -> A {
        what.clone_into(&mut self.what.lock().unwrap());
        let now = self.turns.load(Ordering::SeqCst);
        self.since.store(now + 1, Ordering::SeqCst);
        let done = work();
        self.since.store(0, Ordering::SeqCst);
        done
    }
}
