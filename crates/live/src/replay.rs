//! A record run again: the same nodes, stepped as far as what came to them is known.
//!
//! A node in a replay takes what its record says, in the cycle in which its record says so. If that has not been sent
//! yet, it waits for the sender: the order in which nodes run does not matter, so that the replay is deterministic
//! on one thread and on many.

use crate::chunk_reader::{BadRecord, ChunkReader, CutEnd, trailer_or_cut};
use crate::ends::NodeEnd;
use crate::fault::NodeFault;
use crate::live::{Returned, on_threads};
use crate::node_runner::NodeRunner;
use crate::options::{Options, Runtime, Slack};
use crate::run::{Run, Stop};
use crate::runner::{Probes, Runner};
use crate::timing::{Difference, Recorded};
use flitwork_engine::{Control, Ended, Outcome, Progress};
use flitwork_network::{Aim, Cell, Demand, Network};
use flitwork_node::{AnyProbe, Wait, WordRouter};
use flitwork_topology::Topology;
use flitwork_trace::Digest;
use flitwork_trace::record::{Decoder, Reader, Trailer};
use flitwork_types::{Cycle, NodeId};
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
pub struct Replayed {
    /// How it ended.
    pub outcome: Outcome,
    /// What the end of the record says; `None` if it is cut, or the replay ended before it: how far the threads had
    /// read by then does not matter.
    pub trailer: Option<Trailer>,
    /// How it compares with the record.
    pub verdict: ReplayVerdict,
    /// What observed it; each probe observed a part of the nodes.
    pub probes: Vec<AnyProbe>,
    /// What each node did: its digest, and the first cycle that it has not run.
    pub nodes: Vec<(Cycle, Digest)>,
    /// What the packets still in the network wait for.
    pub waits: Vec<Wait>,
}

/// How a replay compares with its record.
#[derive(Clone, Debug)]
pub struct ReplayVerdict {
    /// The first difference from the record.
    pub difference: Option<Difference>,
    /// The first recorded arrival that the changed parameters made impossible.
    pub impossible: Option<Difference>,
    /// Where the record was cut.
    pub cut: Option<CutEnd>,
    /// The fault of a node, if any.
    pub fault: Option<NodeFault>,
    /// Whether the control stopped it.
    pub interrupted: bool,
}

impl Replayed {
    /// The digest of all events.
    pub fn digest(&self) -> Digest {
        self.nodes.iter().map(|(_, digest)| *digest).sum()
    }
}

/// Why a record cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The record.
    #[error("{0}")]
    Record(#[from] BadRecord),
    /// The host.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Replays a record word by word, on the network on which it was made: each node is stepped in every cycle in which it is
/// not idle. `open` opens the record's file, once for each thread.
///
/// # Errors
/// If the record cannot be read or makes no sense, or the host grants no threads.
pub fn replay<T: Topology + 'static, R: WordRouter + 'static>(
    network: Network<T, R>,
    demand: Demand,
    options: &ReplayOptions,
    open: impl Fn() -> io::Result<Box<dyn Read + Send>>,
    probes: Probes<'_>,
    control: Control<'_>,
) -> Result<Replayed, ReplayError> {
    let (nodes, aim) = (network.topology.nodes(), demand.aim());
    let threads = if options.what_if { 1 } else { options.threads };
    let chunk_readers = chunk_readers(threads, nodes, open)?;
    let workers = chunk_readers.len();
    // How long a node runs, its record says.
    let end = Cycle::LAST;
    let run = Run::new(&network, demand.workload, end, end, None, workers);
    let (run, network) = (Arc::new(run), Arc::new(network));
    let runners = (0..nodes).map(NodeId).zip(network.router.nodes());
    let runners = runners.map(|of| {
        let recorded = |decoder| Recorded::new(decoder, !options.what_if);
        runner(&network, &run, of, options.until, recorded)
    });
    let set_up = Options {
        runtime: Runtime::Threads,
        slack: Slack(None),
        workers,
        // And what waited at both ends of a channel.
        channel_capacity: LEAST_CAPACITY.max(options.channel_capacity + 2),
        burst_cycles: BURST_CYCLES,
        pinning: false,
        rehearsal: None,
    };
    let back = on_threads(
        &run,
        runners.collect(),
        chunk_readers,
        options.until,
        probes,
        &set_up,
        &mut *control,
    )?;
    run.bad_record()?;
    Ok(finish(&run, back, aim, options.what_if, control))
}

fn chunk_readers(
    threads: usize,
    nodes: u32,
    open: impl Fn() -> io::Result<Box<dyn Read + Send>>,
) -> Result<Vec<ChunkReader>, ReplayError> {
    let workers = threads.clamp(1, nodes as usize);
    let chunk_reader = |_| {
        let (reader, _) = Reader::open(open()?).map_err(BadRecord::from)?;
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

/// A node that is replayed, up to `until` if that is one of its cycles. `recorded` is given the decoder of its record.
pub(crate) fn runner<T: Topology + 'static, R: WordRouter + 'static>(
    network: &Arc<Network<T, R>>,
    run: &Run,
    (node, state): (NodeId, R::Node),
    until: Option<(NodeId, Cycle)>,
    recorded: impl FnOnce(Decoder) -> Recorded,
) -> Box<dyn Runner> {
    let decoder = Decoder::new(node, run.predicted_words(), run.links);
    let mut recorded = recorded(decoder.with_locals(run.locals));
    let until = until.filter(|(until, _)| *until == node);
    recorded.end = until.map(|(_, end)| end).into();
    let cell = replayed(network, run.cell(network, (node, state)));
    let recorded = Some(Box::new(recorded));
    Box::new(NodeRunner::new(
        network.clone(),
        cell,
        run.links,
        recorded,
        None,
    ))
}

fn finish(run: &Run, back: Returned, aim: Aim, what_if: bool, control: Control<'_>) -> Replayed {
    let stop = run.stop();
    let (ends, mut probes) = (back.ends(), back.probes);
    let nodes = ends.by_number(run);
    let is_ended_early = stop == Stop::Interrupted;
    let impossible = ends.nodes.iter().filter_map(|end| end.impossible.clone());
    let impossible = impossible.min_by_key(Difference::when);
    let (trailer, cut) = trailer_or_cut(back.record_end);
    let trailer = trailer.filter(|_| !is_ended_early);
    let recorded = trailer.as_ref().map(|trailer| trailer.ended.as_str());
    let ended = match recorded.filter(|_| stop == Stop::Run) {
        Some("empty") => Ended::Empty,
        Some("run") => Ended::Deadline,
        Some("stuck") => Ended::Stuck,
        _ => Ended::Interrupted,
    };
    let difference = run.difference().or_else(|| match stop {
        // Everything that arrives before a mark has been sent.
        Stop::Stuck => first_lack(&ends.nodes),
        Stop::Run if !what_if => difference_at_end(trailer.as_ref(), cut.as_ref(), &nodes),
        _ => None,
    });
    let go_on = &mut || control(Progress::counting(aim.end));
    let mut outcome = ends.outcome(run, (aim, ended), probes.first_mut(), go_on);
    if what_if {
        // What the record's arrivals made impossible says nothing about the network.
        outcome.ended = ended;
    }
    Replayed {
        outcome,
        trailer,
        verdict: ReplayVerdict {
            difference,
            impossible,
            cut,
            fault: run.fault(),
            interrupted: outcome.ended == Ended::Interrupted,
        },
        probes,
        nodes,
        waits: ends.waits(outcome.ended),
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
    awaited_port.min_by_key(Difference::when)
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
    let what = format!(
        "the record ends after {} cycles with digest {:016x}; the replay after {cycle} with {digest}",
        recorded.cycles, recorded.digest
    );
    Some(Difference::at(node, recorded.cycles.min(cycle), what))
}
