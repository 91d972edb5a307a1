//! A record run again: the same nodes, stepped as far as what came to them is known.
//!
//! A node in a replay takes what its record says, in the cycle in which its record says so. If that has not been sent
//! yet, it waits for the sender: the order in which nodes run does not matter, so that the replay is deterministic
//! on one thread and on many.

use crate::chunk_reader::{BadRecord, ChunkReader, CutEnd, RecordEnd};
use crate::ends::{Ends, NodeEnd};
use crate::fault::NodeFault;
use crate::live::on_threads;
use crate::node_runner::NodeRunner;
use crate::options::{Options, Runtime};
use crate::run::{Run, Stop};
use crate::runner::{Probes, Runner};
use crate::timing::{ArrivalTiming, Difference, Recorded};
use flitwork_engine::{Control, Ended, Outcome, Progress, Stopped};
use flitwork_network::{Aim, Cell, Demand, Network};
use flitwork_node::{AnyProbe, Router, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_trace::record::{Decoder, Reader, RecordError, Trailer};
use flitwork_traffic::{Offer, Workload};
use flitwork_types::{Cycle, NodeId};
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

/// The least number of messages on a link of a replay. More than the live run's channels held does no harm: the
/// record says what arrives when.
const LEAST_CAPACITY: usize = 1 << 10;
/// Cycles that a node runs in a row, so that its registers stay in the cache.
const BURST_CYCLES: u32 = 256;

/// How a record is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayOptions {
    /// Threads.
    pub threads: usize,
    /// The replay ends when this node begins this cycle.
    pub until: Option<(NodeId, Cycle)>,
    /// Messages that a channel of the recorded run held.
    pub channel_capacity: usize,
    /// Whether arrivals are repeated only as long as they remain possible, on one thread; nothing is compared with the
    /// record's digests.
    pub what_if: bool,
}

/// A replay that has ended.
#[derive(Debug)]
pub struct Replayed<P> {
    /// How it ended.
    pub outcome: Outcome,
    /// What the end of the record says; `None` if it is cut, or the replay ended before it: how far the threads had
    /// read by then does not matter.
    pub trailer: Option<Trailer>,
    /// Where the record was cut.
    pub cut: Option<CutEnd>,
    /// The first difference between the replay and the record.
    pub difference: Option<Difference>,
    /// With `what_if`: the first arrival that was not possible.
    pub impossible: Option<Difference>,
    /// What broke a node.
    pub fault: Option<NodeFault>,
    /// What observed it; each probe observed a part of the nodes.
    pub probes: Vec<P>,
    /// What each node did: its digest, and the first cycle that it has not run.
    pub nodes: Vec<(Cycle, Digest)>,
    /// What the packets still in the network wait for.
    pub waits: Vec<Wait>,
}

impl<P> Replayed<P> {
    /// The same with each probe converted.
    pub fn map_probes<Q>(self, into: impl FnMut(P) -> Q) -> Replayed<Q> {
        Replayed {
            outcome: self.outcome,
            trailer: self.trailer,
            cut: self.cut,
            difference: self.difference,
            impossible: self.impossible,
            fault: self.fault,
            probes: self.probes.into_iter().map(into).collect(),
            nodes: self.nodes,
            waits: self.waits,
        }
    }

    /// The digest of all events.
    pub fn digest(&self) -> Digest {
        self.nodes.iter().map(|(_, digest)| *digest).sum()
    }
}

/// Why a record cannot be replayed.
#[derive(Debug)]
pub enum ReplayError {
    /// The record.
    Record(BadRecord),
    /// The host.
    Io(io::Error),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Record(error) => error.fmt(f),
            ReplayError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<io::Error> for ReplayError {
    fn from(error: io::Error) -> ReplayError {
        ReplayError::Io(error)
    }
}

impl From<RecordError> for ReplayError {
    fn from(error: RecordError) -> ReplayError {
        ReplayError::Record(BadRecord::File(error))
    }
}

/// Replays a record word by word, on the network on which it was made: each node is stepped in every cycle in which it is
/// not idle. `open` opens the record's file, once for each thread.
///
/// # Errors
/// If the record cannot be read or makes no sense, or the host grants no threads.
pub fn replay<T, R>(
    network: Network<T, R>,
    mut demand: Demand,
    options: &ReplayOptions,
    open: impl Fn() -> io::Result<Box<dyn Read + Send>>,
    probes: Probes<'_>,
    control: Control<'_>,
) -> Result<Replayed<AnyProbe>, ReplayError>
where
    T: Topology + Send + Sync + 'static,
    R: WordRouter + Send + Sync + 'static,
    R::Node: 'static,
{
    let (nodes, aim) = (network.topology.nodes(), demand.aim());
    let threads = if options.what_if { 1 } else { options.threads };
    let chunk_readers = chunk_readers(threads, nodes, open)?;
    let workers = chunk_readers.len();
    let firsts = firsts(&mut demand, nodes);
    let states = network.router.nodes();
    let run = run_of(&network, demand.workload, workers);
    let network = Arc::new(network);
    let runner = |((node, state), first)| {
        let node = NodeId(node);
        let decoder = Decoder::new(node, run.predicted_words(), run.links);
        let mut recorded = Recorded::new(decoder, !options.what_if);
        let asked = options.until.filter(|(asked, _)| *asked == node);
        recorded.end = asked.map(|(_, end)| end);
        let cell = Cell::new(node, state, run.links, run.channels, first);
        let cell = replayed(&network, cell);
        let timing = ArrivalTiming::Recorded(Box::new(recorded));
        let runner = NodeRunner::new(network.clone(), cell, run.links, timing, None);
        Box::new(runner) as Box<dyn Runner>
    };
    let runners = (0..nodes).zip(states).zip(firsts).map(runner).collect();
    let set_up = Options {
        runtime: Runtime::Threads,
        slack: None,
        workers,
        // And what waited at both ends of a channel.
        channel_capacity: LEAST_CAPACITY.max(options.channel_capacity + 2),
        burst_cycles: BURST_CYCLES,
        pinning: false,
        rehearsal: None,
    };
    let back = on_threads(
        &run,
        runners,
        chunk_readers,
        options.until,
        probes,
        &set_up,
        &mut *control,
    )?;
    if let Some(error) = run.bad_record() {
        return Err(ReplayError::Record(error));
    }
    let ends = Ends {
        nodes: back.runners.iter().map(|runner| runner.ending()).collect(),
        probes: back.probes,
        record_end: back.record_end,
    };
    Ok(finish(&run, ends, aim, options.what_if, control))
}

fn chunk_readers(
    threads: usize,
    nodes: u32,
    open: impl Fn() -> io::Result<Box<dyn Read + Send>>,
) -> Result<Vec<ChunkReader>, ReplayError> {
    let workers = threads.clamp(1, nodes as usize);
    let chunk_reader = |_| {
        let (reader, _) = Reader::open(open()?)?;
        Ok(ChunkReader::new(reader))
    };
    (0..workers).map(chunk_reader).collect()
}

/// A node whose turns on half-duplex links a record tells.
pub(crate) fn replayed<T, R, N>(network: &Network<T, R>, cell: Cell<N>) -> Cell<N> {
    match network.duplex().is_half() {
        true => cell.with_turns_told(),
        false => cell,
    }
}

fn firsts(demand: &mut Demand, nodes: u32) -> Vec<Offer> {
    let nodes = (0..nodes).map(NodeId);
    let next = |node| demand.workload.next(node, Cycle::ZERO);
    nodes.map(next).collect()
}

/// How long a node runs, according to its record.
fn run_of<T: Topology, R: Router>(
    network: &Network<T, R>,
    workload: Box<dyn Workload>,
    workers: usize,
) -> Arc<Run> {
    let never = Cycle::NEVER;
    Arc::new(Run::new(network, workload, never, never, None, workers))
}

fn finish(
    run: &Run,
    mut ends: Ends,
    aim: Aim,
    what_if: bool,
    control: Control<'_>,
) -> Replayed<AnyProbe> {
    let stop = run.stop();
    let mut nodes = vec![(Cycle::ZERO, Digest::default()); run.nodes() as usize];
    for end in &ends.nodes {
        nodes[end.node.index()] = (end.cycle, end.digest);
    }
    let is_ended_early = stop == Stop::Interrupted;
    let impossible = ends.nodes.iter().filter_map(|end| end.impossible.clone());
    let impossible = impossible.min_by_key(|found| (found.cycle, found.node));
    let (trailer, cut) = match ends.record_end.take() {
        Some(RecordEnd::Whole(trailer)) => (Some(trailer).filter(|_| !is_ended_early), None),
        Some(RecordEnd::Cut(cut)) => (None, Some(cut)),
        None => (None, None),
    };
    let recorded = trailer.as_ref().map(|trailer| trailer.ended.as_str());
    let ended = match recorded.filter(|_| stop == Stop::Run) {
        Some("empty") => Ended::Empty,
        Some("run") => Ended::Deadline,
        Some("stuck") => Ended::Stuck,
        _ => Ended::Interrupted,
    };
    let latest = nodes.iter().map(|(cycle, _)| *cycle).max();
    let difference = run.difference().or_else(|| match stop {
        // Everything that arrives before a mark has been sent.
        Stop::Stuck => first_lack(&ends.nodes),
        Stop::Run if !what_if => difference_at_end(trailer.as_ref(), cut.as_ref(), &nodes),
        _ => None,
    });
    let sources = ends
        .nodes
        .iter()
        .map(|end| end.source(ended, aim))
        .collect();
    let go_on = &mut || control(Progress::counting(aim.end));
    let remains = run.remains(sources, ends.probes.first_mut(), go_on);
    let in_network: i64 = ends.nodes.iter().map(|end| end.entered).sum();
    let stopped = Stopped {
        ended,
        cycle: latest.unwrap_or(Cycle::ZERO),
        // Of nodes that were cut at different cycles more may be seen to leave than to enter.
        in_network: u64::try_from(in_network).unwrap_or(0),
        steps: nodes.iter().map(|(cycle, _)| u64::from(cycle.get())).sum(),
    };
    let mut outcome = Outcome::of(aim, stopped, remains);
    if what_if {
        // What the record's arrivals made impossible says nothing about the network.
        outcome.ended = ended;
    }
    let waits = ends.nodes.into_iter().flat_map(|end| end.waits).collect();
    Replayed {
        outcome,
        trailer,
        cut,
        difference,
        impossible,
        fault: run.fault(),
        probes: ends.probes,
        nodes,
        waits: if outcome.ended == Ended::Empty {
            Vec::new()
        } else {
            waits
        },
    }
}

/// How the nodes' ends differ from the end of the record, or from its last mark.
fn difference_at_end(
    trailer: Option<&Trailer>,
    cut: Option<&CutEnd>,
    nodes: &[(Cycle, Digest)],
) -> Option<Difference> {
    let Some(trailer) = trailer else {
        return mark_difference(cut, nodes);
    };
    let ends = nodes.iter().zip(0..);
    let ends = ends.map(|((cycle, digest), node)| (NodeId(node), *cycle, *digest));
    last_difference(trailer, ends)
}

/// What the earliest node that cannot continue waits for.
fn first_lack(nodes: &[NodeEnd]) -> Option<Difference> {
    let awaited_port = nodes.iter().filter_map(|end| end.lack.clone());
    awaited_port.min_by_key(|lack| (lack.cycle, lack.node))
}

/// Whether all nodes together have not done what the last mark of a cut record says.
fn mark_difference(cut: Option<&CutEnd>, nodes: &[(Cycle, Digest)]) -> Option<Difference> {
    let recorded = cut?.digest?;
    let found: Digest = nodes.iter().map(|(_, digest)| *digest).sum();
    let latest = nodes.iter().map(|(cycle, _)| *cycle).max();
    (found.get() != recorded)
        .then(|| Difference::at_mark(latest.unwrap_or(Cycle::ZERO), recorded, found))
}

/// The first node that did not end as the record's trailer says.
pub(crate) fn last_difference(
    trailer: &Trailer,
    nodes: impl Iterator<Item = (NodeId, Cycle, Digest)>,
) -> Option<Difference> {
    let mut ends = nodes.filter_map(|end| Some((trailer.nodes.get(end.0.index())?, end)));
    let (recorded, (node, cycle, digest)) = ends.find(|(recorded, (_, cycle, digest))| {
        (recorded.cycles, recorded.digest) != (*cycle, digest.get())
    })?;
    Some(Difference {
        node: Some(node),
        cycle: recorded.cycles.min(cycle),
        what: format!(
            "the record ends after {} cycles with digest {:016x}; the replay after {cycle} with {digest}",
            recorded.cycles, recorded.digest
        ),
    })
}
