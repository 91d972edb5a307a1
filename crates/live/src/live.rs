//! A live run from beginning to end.

use crate::chunk_reader::{ChunkReader, RecordEnd};
use crate::ends::Ends;
use crate::fault::NodeFault;
use crate::node_runner::NodeRunner;
use crate::options::{Options, Runtime};
use crate::recording::{Log, Recording};
use crate::run::{Run, Stop, lock};
use crate::runner::{Probes, Runner};
use crate::threads::{Done, Sleepers, Worker, deal};
use crate::{host, tasks, watch};
use flitwork_engine::{Control, Outcome, Progress};
use flitwork_network::{Aim, Demand, Network};
use flitwork_node::{AnyProbe, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_trace::record::{Encoder, Header, NodeEnd, Trailer};
use flitwork_types::{Cycle, NodeId};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A live run that has ended.
pub struct Lived {
    /// How it ended. Its cycle is the first that no node has run.
    pub outcome: Outcome,
    /// The fault that aborted it, if any.
    pub fault: Option<NodeFault>,
    /// What observed it; each probe observed a part of the nodes or of the events.
    pub probes: Vec<AnyProbe>,
    /// What each node did: its digest, and the first cycle that it has not run.
    pub nodes: Vec<(Cycle, Digest)>,
    /// What the packets still in the network wait for; empty after a run that ended empty.
    pub waits: Vec<Wait>,
    /// The bytes of its record, if one was written.
    pub record_bytes: Option<u64>,
}

impl Lived {
    /// The digest of all events.
    pub fn digest(&self) -> Digest {
        self.nodes.iter().map(|(_, digest)| *digest).sum()
    }
}

/// Where a record is written, and its header.
pub struct RecordTo {
    /// The file.
    pub out: Box<dyn Write + Send>,
    /// Its header.
    pub header: Header,
    /// The longest time from one mark to the next, which is what a killed run may lose. Usually
    /// [`crate::MARKS_EVERY`].
    pub marks_every: Duration,
}

/// What the runtime returns.
pub(crate) struct Returned {
    pub(crate) runners: Vec<Box<dyn Runner>>,
    pub(crate) probes: Vec<AnyProbe>,
    /// The end of the record that was replayed.
    pub(crate) record_end: Option<RecordEnd>,
}

impl Returned {
    /// How the nodes end.
    pub(crate) fn ends(&self) -> Ends {
        Ends {
            nodes: self.runners.iter().map(|runner| runner.ending()).collect(),
        }
    }
}

/// Runs a network live. `probes` makes a probe for each part of it.
///
/// # Errors
/// If the record cannot be started, or the host grants no threads.
pub fn live<T: Topology + 'static, R: WordRouter + 'static>(
    network: Network<T, R>,
    demand: Demand,
    options: &Options,
    record: Option<RecordTo>,
    probes: Probes<'_>,
    control: Control<'_>,
) -> io::Result<Lived> {
    let nodes = network.topology.nodes();
    let workers = options.workers.clamp(1, nodes as usize);
    let states = network.router.nodes();
    let (inject_until, aim) = (demand.inject_until, demand.aim());
    let mut run = Run::new(
        &network,
        demand.workload,
        inject_until,
        aim.end,
        options.slack.0,
        workers,
    );
    run.patience_cycles = network.router.patience_cycles();
    let network = Arc::new(network);
    let run = Arc::new(run);
    let heads = record.as_ref().is_some_and(|record| record.header.heads);
    let encoder = encoder(&run, heads)?;
    let recording = record
        .map(|record| start_record(record, &run))
        .transpose()?;
    let runner = |(node, state)| {
        let cell = run.cell(&network, (node, state));
        let cell = match network.duplex().is_half() {
            true => cell.with_wire_ends(network.wire_ends_of(node)),
            false => cell,
        };
        let log = |to: &Recording| Log::new(node, encoder.clone(), to.sender(), run.asked.clone());
        let log = recording.as_ref().map(log);
        let mut runner = NodeRunner::new(network.clone(), cell, run.links, None, log);
        runner.rehearse(options.rehearsal);
        Box::new(runner) as Box<dyn Runner>
    };
    let runners = (0..nodes).map(NodeId).zip(states).map(runner).collect();
    log_beginning(options, workers, recording.is_some());
    let back = match options.runtime {
        Runtime::Threads => on_threads(
            &run,
            runners,
            Vec::new(),
            None,
            probes,
            options,
            &mut *control,
        ),
        Runtime::Tokio => on_tokio(&run, runners, probes, workers, options, &mut *control),
    };
    Ok(finish(&run, aim, back?, recording, control))
}

fn log_beginning(options: &Options, workers: usize, recorded: bool) {
    let slack = options.slack.0;
    tracing::info!(
        runtime = options.runtime.name(),
        workers,
        slack = slack.map_or("none".into(), |slack| slack.to_string()),
        channel_capacity = options.channel_capacity,
        burst_cycles = options.burst_cycles,
        pinning = options.pinning,
        recorded,
        "live run"
    );
}

/// What encodes each node's part of the record.
fn encoder(run: &Run, heads: bool) -> io::Result<Encoder> {
    let encoder = Encoder::new(run.predicted_words(), run.links).with_locals(run.locals);
    if !heads {
        return Ok(encoder);
    }
    if run.packet_words.is_none() || run.needs_deliveries {
        let reason = "a record can hold which packets arrived only if they have one length and don't \
                      depend on deliveries";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    Ok(encoder.with_heads())
}

fn start_record(to: RecordTo, run: &Arc<Run>) -> io::Result<Recording> {
    let failing = run.clone();
    let on_error = move |error| failing.fail_record(error);
    let (asked, every) = (run.asked.clone(), to.marks_every);
    Recording::start(to.out, &to.header, asked, every, on_error).map_err(|error| {
        let what = format!("the record can't be written: {error}");
        io::Error::new(error.kind(), what)
    })
}

/// Pins the current thread to the core of this number, if the host allows it.
fn pin(index: usize) {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    if !cores.is_empty() && !core_affinity::set_for_current(cores[index % cores.len()]) {
        tracing::warn!(
            worker = index,
            "the host doesn't let it be pinned to a core"
        );
    }
}

/// Reports to the run when a worker ends without returning what it has.
struct Alive {
    run: Arc<Run>,
    worker: usize,
    handed_back: bool,
}

impl Drop for Alive {
    fn drop(&mut self) {
        if !self.handed_back {
            let node = self.run.at[self.worker].load(std::sync::atomic::Ordering::Relaxed);
            let what = format!(
                "worker {} that ran it ended without giving a reason",
                self.worker
            );
            self.run.lose(NodeId(node), &what);
        }
        self.run.worker_ended();
    }
}

/// Runs nodes on worker threads: live or, given a chunk reader for each worker, from a record, until a node
/// begins a cycle.
pub(crate) fn on_threads(
    run: &Arc<Run>,
    runners: Vec<Box<dyn Runner>>,
    chunk_readers: Vec<ChunkReader>,
    until: Option<(NodeId, Cycle)>,
    probes: Probes<'_>,
    options: &Options,
    control: Control<'_>,
) -> io::Result<Returned> {
    let workers = run.moved.len();
    let sleepers = Arc::new(Sleepers::new(workers));
    let (hand, back) = crossbeam_channel::bounded(workers);
    let mut dealt = deal(run, runners, probes, workers, options.channel_capacity);
    for (worker, chunk_reader) in dealt.iter_mut().zip(chunk_readers) {
        (worker.chunk_reader, worker.until) = (Some(chunk_reader), until);
    }
    for (index, mut worker) in dealt.into_iter().enumerate() {
        let (run, sleepers, hand) = (run.clone(), sleepers.clone(), hand.clone());
        let (burst, pinning) = (options.burst_cycles, options.pinning);
        let thread = std::thread::Builder::new().name(format!("flitwork-worker-{index}"));
        let spawned = thread.spawn({
            let run = run.clone();
            move || {
                // Dropped before the worker and its channels: the run knows of a lost worker first.
                let mut alive = Alive {
                    run: run.clone(),
                    worker: index,
                    handed_back: false,
                };
                if pinning {
                    pin(index);
                }
                if worker.work_contained(&run, &sleepers, burst) == Done::Ended {
                    alive.handed_back = true;
                    let _ = hand.send(worker);
                }
            }
        });
        if let Err(error) = spawned {
            run.stop_for(Stop::Fault);
            return Err(host::missing(index, workers, &error));
        }
    }
    drop(hand);
    if !watch::watch(run, workers, control, || sleepers.wake_all()) {
        run.lose(NodeId(0), "a worker didn't stop within a second");
    }
    let mut workers: Vec<Worker> = back.try_iter().collect();
    workers.sort_by_key(|worker| worker.index);
    let mut back = Returned {
        runners: Vec::new(),
        probes: Vec::new(),
        record_end: None,
    };
    for worker in workers {
        back.record_end = back.record_end.or(worker
            .chunk_reader
            .and_then(|chunk_reader| chunk_reader.end));
        back.runners.extend(worker.runners);
        back.probes.push(worker.probe);
    }
    Ok(back)
}

fn on_tokio(
    run: &Arc<Run>,
    runners: Vec<Box<dyn Runner>>,
    probes: Probes<'_>,
    workers: usize,
    options: &Options,
    control: Control<'_>,
) -> io::Result<Returned> {
    let shared: Vec<Arc<Mutex<AnyProbe>>> = (0..workers)
        .map(|_| Arc::new(Mutex::new(probes())))
        .collect();
    let nodes = runners.len();
    let (capacity, burst) = (options.channel_capacity, options.burst_cycles);
    let (tasks, doors) = tasks::tasks(run, runners, &shared, capacity, burst);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder
        .worker_threads(workers)
        .thread_name("flitwork-tokio")
        .enable_time();
    if options.pinning {
        let next = std::sync::atomic::AtomicUsize::new(0);
        builder.on_thread_start(move || {
            pin(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        });
    }
    // Without threads, tokio panics.
    host::are_there(workers)?;
    let runtime = builder.build()?;
    let (hand, back) = crossbeam_channel::bounded(nodes);
    for task in tasks {
        let (run, hand) = (run.clone(), hand.clone());
        runtime.spawn(async move {
            let runner = task.live().await;
            let _ = hand.send(runner);
            run.worker_ended();
        });
    }
    drop(hand);
    let ring_all = || doors.iter().for_each(tasks::Door::ring);
    if !watch::watch(run, nodes, control, ring_all) {
        run.lose(NodeId(0), "a task didn't stop within a second");
    }
    runtime.shutdown_background();
    let mut runners: Vec<Box<dyn Runner>> = back.try_iter().flatten().collect();
    runners.sort_by_key(|runner| runner.node());
    let probes = shared
        .into_iter()
        .map(|shared| match Arc::try_unwrap(shared) {
            Ok(probe) => probe
                .into_inner()
                .unwrap_or_else(|broken| broken.into_inner()),
            // A task that has not stopped still has it.
            Err(shared) => std::mem::replace(&mut *lock(&shared), probes()),
        });
    let probes = probes.collect();
    Ok(Returned {
        runners,
        probes,
        record_end: None,
    })
}

/// Ends the record, and returns how the run ended.
fn finish(
    run: &Arc<Run>,
    aim: Aim,
    mut back: Returned,
    recording: Option<Recording>,
    control: Control<'_>,
) -> Lived {
    let stop = match run.stop() {
        // Nothing moves because the run is over for some nodes.
        Stop::Stuck if run.ended_apart() => Stop::Run,
        stop => stop,
    };
    back.runners.iter_mut().for_each(|runner| runner.end_log());
    let ends = back.ends();
    let latest = ends.latest();
    let nodes = ends.by_number(run);
    let lost = nodes.len() - ends.nodes.len();
    let record_bytes = recording.and_then(|recording| {
        // How far a lost node got is unknown, so such a record ends without a trailer.
        let trailer = (lost == 0).then(|| trailer(stop, &nodes));
        let written = recording.finish(trailer);
        let failed = |error: io::Error| run.fail_record(error.to_string());
        written.map_err(failed).ok()
    });
    let fault = run.fault();
    log_end(run, stop, latest, fault.as_ref(), record_bytes, lost);
    let go_on = &mut || control(Progress::counting(latest.unwrap_or(Cycle::ZERO)));
    let outcome = ends.outcome(run, (aim, stop.ended()), back.probes.first_mut(), go_on);
    Lived {
        outcome,
        fault,
        probes: back.probes,
        nodes,
        waits: ends.waits(outcome.ended),
        record_bytes,
    }
}

fn trailer(stop: Stop, nodes: &[(Cycle, Digest)]) -> Trailer {
    let ends = nodes.iter().map(|(cycles, digest)| NodeEnd {
        cycles: *cycles,
        digest: digest.get(),
    });
    Trailer {
        nodes: ends.collect(),
        ended: format!("{stop:?}").to_lowercase(),
    }
}

/// Logs how a run ended.
fn log_end(
    run: &Run,
    stop: Stop,
    latest: Option<Cycle>,
    fault: Option<&NodeFault>,
    record_bytes: Option<u64>,
    lost_nodes: usize,
) {
    let cycle = latest.map(Cycle::get);
    let words = run.words_moved();
    tracing::info!(?stop, cycle, words, "live run ended");
    if let Some(bytes) = record_bytes {
        tracing::info!(bytes, "record written");
    }
    if let Some(fault) = fault {
        let (node, cycle) = (fault.node.0, fault.cycle.get());
        tracing::info!(node, cycle, lost_nodes, cause = %fault.cause, "broken off");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::pin;
    use core_affinity::{CoreId, get_core_ids, set_for_current};

    /// Runs on a thread of its own.
    fn apart<A: Send>(what: impl FnOnce() -> A + Send) -> A {
        std::thread::scope(|scope| scope.spawn(what).join().unwrap())
    }

    /// Linux returns the cores on which a thread may run: a single one for a pinned thread. Workers take
    /// turns.
    #[test]
    fn a_worker_is_pinned_to_the_core_of_its_number() {
        let cores: Vec<CoreId> = apart(|| get_core_ids().unwrap());
        for index in 0..cores.len() + 1 {
            let core = cores[index % cores.len()];
            let pinned = apart(|| {
                pin(index);
                get_core_ids().unwrap()
            });
            let lets = apart(|| set_for_current(core));
            assert_eq!(pinned, if lets { vec![core] } else { cores.clone() });
        }
    }
}
