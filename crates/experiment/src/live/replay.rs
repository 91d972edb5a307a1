//! A record's file, replayed.

use super::printed::Lines;
use super::{execute_replay, execute_subset, told};
use crate::simulate::{Simulated, demand, observer};
use flitwork_config::Resolved;
use flitwork_engine::{Control, Ended};
use flitwork_files::open_input;
pub use flitwork_live::{BadRecord, CutEnd, Difference, NodeFault};
use flitwork_live::{ReplayError, ReplayOptions, SubsetOptions};
pub use flitwork_node::Wait;
use flitwork_topology::Topology;
use flitwork_trace::Digest;
pub use flitwork_trace::record::Header;
use flitwork_trace::record::{Reader, RecordError, Trailer};
use flitwork_types::{Cycle, NodeId};
use std::fmt;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A record's file.
pub struct Record {
    path: PathBuf,
    /// Its header.
    pub header: Header,
}

/// How it is replayed.
pub struct Asked<'a> {
    /// Threads.
    pub threads: usize,
    /// The replay ends when this node begins this cycle.
    pub until: Option<(NodeId, Cycle)>,
    /// Whether words move one by one, as they did in the live run.
    pub stepped: bool,
    /// Whether recorded arrivals are kept only as far as they remain possible.
    pub what_if: bool,
    /// Whether to print events, one per line.
    pub trace: bool,
    /// The nodes whose events are printed; all if empty.
    pub nodes: &'a [NodeId],
}

/// What one node did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeTold {
    /// The first cycle that it did not run.
    pub cycles: Cycle,
    /// The digest of its events.
    pub digest: Digest,
    /// What the end of the record states for it.
    pub recorded: Option<(Cycle, Digest)>,
}

impl fmt::Display for NodeTold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cycles, digest {}", self.cycles, self.digest)?;
        match self.recorded {
            Some((cycles, digest)) => write!(f, "; recorded: {cycles} cycles, digest {digest}"),
            None => Ok(()),
        }
    }
}

/// A replay that has ended.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Its outcome, as of any run.
    pub simulated: Simulated,
    /// What each node did.
    pub nodes: Vec<NodeTold>,
    /// How it compares with the record.
    pub verdict: Verdict,
}

/// Nodes replayed on their own.
#[derive(Clone, Debug)]
pub struct ReplayedSubset {
    /// What each node did.
    pub nodes: Vec<(NodeId, NodeTold)>,
    /// What the packets in them wait for.
    pub waits: Vec<Wait>,
    /// How it compares with the record.
    pub verdict: Verdict,
}

/// How a replay compares with its record.
#[derive(Clone, Debug)]
pub struct Verdict {
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

/// Why a record cannot be replayed.
#[derive(Debug)]
pub enum BadReplay {
    /// The record.
    Record(String),
    /// The host.
    Host(io::Error),
    /// Events could not be printed.
    Output(io::Error),
}

impl fmt::Display for BadReplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadReplay::Record(error) => f.write_str(error),
            BadReplay::Host(error) => error.fmt(f),
            BadReplay::Output(error) => write!(f, "standard output: {error}"),
        }
    }
}

impl std::error::Error for BadReplay {}

impl From<RecordError> for BadReplay {
    fn from(error: RecordError) -> BadReplay {
        BadReplay::Record(error.to_string())
    }
}

impl From<ReplayError> for BadReplay {
    fn from(error: ReplayError) -> BadReplay {
        match error {
            ReplayError::Record(error) => BadReplay::Record(error.to_string()),
            ReplayError::Io(error) => BadReplay::Host(error),
        }
    }
}

impl Record {
    /// Opens a record and reads its header.
    ///
    /// # Errors
    /// If the file cannot be read or has no record's header.
    pub fn open(path: &Path) -> Result<Record, BadReplay> {
        let file = open(path).map_err(|error| BadReplay::Record(error.to_string()))?;
        let (_, header) = Reader::open(file)?;
        Ok(Record {
            path: path.to_owned(),
            header,
        })
    }

    /// Whether the record can be one of this configuration's network.
    ///
    /// # Errors
    /// What the header states instead.
    pub fn check(&self, resolved: &Resolved) -> Result<(), BadReplay> {
        let (header, shape) = (&self.header, &resolved.network.shape);
        let told = (
            u64::from(header.nodes),
            u64::from(header.ports),
            u64::from(header.packet_words),
        );
        let meant = (
            u64::from(shape.nodes()),
            shape.ports() as u64,
            u64::from(resolved.predicted_words()),
        );
        if told == meant {
            return Ok(());
        }
        let network = |(nodes, links, words)| {
            const VARIOUS: u64 = u16::MAX as u64;
            let words = match words {
                VARIOUS => "various lengths".to_owned(),
                words => format!("{words} words"),
            };
            format!("{nodes} nodes with {links} links each and packets of {words}")
        };
        Err(BadReplay::Record(format!(
            "the record is of {}; the configuration has {}",
            network(told),
            network(meant)
        )))
    }

    /// Replays it on a configuration's network.
    ///
    /// # Errors
    /// If the record is damaged, the host gives no threads, or events cannot be printed.
    pub fn replay(
        &self,
        resolved: &Resolved,
        asked: &Asked<'_>,
        control: Control<'_>,
    ) -> Result<Replayed, BadReplay> {
        let options = ReplayOptions {
            threads: asked.threads,
            until: asked.until,
            channel_capacity: resolved.live.channel_capacity as usize,
            stepped: asked.stepped,
            what_if: asked.what_if,
        };
        let begun = Instant::now();
        let mut broken = false;
        let lines = Lines::new(asked.trace, asked.nodes, &resolved.network.shape);
        let control = &mut |progress| {
            let flow = lines.flow(control(progress));
            broken |= flow.is_break();
            flow
        };
        let probes = || (observer(resolved), lines.clone());
        let file = || open(&self.path);
        let found = execute_replay(resolved, demand(resolved), &options, file, probes, control)?;
        let digest = found.digest();
        let probes = found
            .probes
            .into_iter()
            .map(|(observer, _)| observer)
            .collect();
        lines.end().map_err(BadReplay::Output)?;
        let trailer = found.trailer.as_ref();
        let nodes = (0..).map(NodeId).zip(&found.nodes);
        let nodes =
            nodes.map(|(node, (cycles, digest))| node_told(trailer, node, *cycles, *digest));
        let nodes = nodes.collect();
        let interrupted = broken && found.outcome.ended == Ended::Interrupted;
        let elapsed = begun.elapsed();
        Ok(Replayed {
            simulated: told(
                resolved,
                found.outcome,
                found.waits,
                probes,
                elapsed,
                digest,
            ),
            nodes,
            verdict: Verdict {
                difference: found.difference,
                impossible: found.impossible,
                cut: found.cut,
                fault: found.fault,
                interrupted,
            },
        })
    }

    /// Replays some of its nodes on their own on a configuration's network, provided that its header says that it
    /// records which packets arrived ([`Header::heads`]); optionally until one of the nodes begins a given cycle.
    /// Prints their events if asked, one per line.
    ///
    /// # Errors
    /// If the record is damaged, or events cannot be printed.
    pub fn replay_subset(
        &self,
        resolved: &Resolved,
        nodes: &[NodeId],
        until: Option<(NodeId, Cycle)>,
        trace: bool,
        control: Control<'_>,
    ) -> Result<ReplayedSubset, BadReplay> {
        let options = SubsetOptions {
            nodes: nodes.to_vec(),
            until,
        };
        let lines = Lines::new(trace, nodes, &resolved.network.shape);
        let probe = lines.clone();
        let file = || open(&self.path);
        let control = &mut |progress| lines.flow(control(progress));
        let found = execute_subset(resolved, demand(resolved), &options, file, probe, control)?;
        lines.end().map_err(BadReplay::Output)?;
        let trailer = found.trailer.as_ref();
        let nodes = found.nodes.iter();
        let nodes = nodes
            .map(|(node, cycles, digest)| (*node, node_told(trailer, *node, *cycles, *digest)));
        Ok(ReplayedSubset {
            nodes: nodes.collect(),
            waits: found.waits,
            verdict: Verdict {
                difference: found.difference,
                impossible: None,
                cut: found.cut,
                fault: found.fault,
                interrupted: found.interrupted,
            },
        })
    }
}

/// What a node did, beside what the end of the record states for it.
fn node_told(trailer: Option<&Trailer>, node: NodeId, cycles: Cycle, digest: Digest) -> NodeTold {
    let told = trailer.and_then(|trailer| trailer.nodes.get(node.index()));
    NodeTold {
        cycles,
        digest,
        recorded: told.map(|told| (told.cycles, Digest::of(told.digest))),
    }
}

fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(BufReader::with_capacity(
        1 << 16,
        open_input(path)?,
    )))
}
