//! A record's file, replayed.

use super::printed::Lines;
use super::{execute_replay, execute_subset, simulated_of};
use crate::simulate::{Simulated, demand, observer};
use flitwork_config::{FileTexts, Resolved};
use flitwork_engine::Control;
use flitwork_files::open_input;
pub use flitwork_live::{BadRecord, CutEnd, Difference, NodeFault, ReplayVerdict};
use flitwork_live::{ReplayError, ReplayOptions, SubsetOptions};
use flitwork_node::AnyProbe;
pub use flitwork_node::Wait;
use flitwork_observe::Observer;
use flitwork_topology::Topology;
use flitwork_trace::Digest;
pub use flitwork_trace::record::Header;
use flitwork_trace::record::{Reader, Trailer};
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
pub struct ReplayRequest<'a> {
    /// Threads.
    pub threads: usize,
    /// The replay ends when this node begins this cycle.
    pub until: Option<(NodeId, Cycle)>,
    /// Whether recorded arrivals are kept only as far as they remain possible.
    pub what_if: bool,
    /// Whether to print events, one per line.
    pub trace: bool,
    /// The nodes whose events are printed; all if empty.
    pub nodes: &'a [NodeId],
    /// Whether only these nodes are replayed, on their own. The record's header must say that it records which packets
    /// arrived ([`Header::heads`]).
    pub subset: bool,
}

/// What one node did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedNode {
    /// The first cycle that it did not run.
    pub cycles: Cycle,
    /// The digest of its events.
    pub digest: Digest,
    /// What the end of the record states for it.
    pub recorded: Option<(Cycle, Digest)>,
}

impl fmt::Display for ReplayedNode {
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
    /// Its outcome, like that of any run; none if nodes were replayed on their own.
    pub simulated: Option<Simulated>,
    /// What each replayed node did.
    pub nodes: Vec<(NodeId, ReplayedNode)>,
    /// What the packets in them wait for.
    pub waits: Vec<Wait>,
    /// How it compares with the record.
    pub verdict: ReplayVerdict,
}

/// Why a record cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum BadReplay {
    /// The record.
    #[error("{0}")]
    Record(String),
    /// The host.
    #[error(transparent)]
    Host(io::Error),
    /// Events could not be printed.
    #[error("standard output: {0}")]
    Output(io::Error),
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
        let opened = Reader::open(file);
        let (_, header) = opened.map_err(|error| BadReplay::Record(error.to_string()))?;
        Ok(Record {
            path: path.to_owned(),
            header,
        })
    }

    /// The texts of files that it has.
    pub fn texts(&self) -> FileTexts {
        let files = self.header.files.iter();
        let texts = files.map(|file| (file.name.as_str(), file.text.clone()));
        texts.collect()
    }

    /// Whether the record can be one of this configuration's network.
    ///
    /// # Errors
    /// What the header states instead.
    pub fn check(&self, resolved: &Resolved) -> Result<(), BadReplay> {
        let (header, shape) = (&self.header, &resolved.network.shape);
        let recorded = (
            header.nodes,
            [header.ports, header.locals],
            header.packet_words,
        );
        let ports = [shape.ports() as u8, shape.locals() as u8];
        let configured = (shape.nodes(), ports, resolved.predicted_words());
        if recorded == configured {
            return Ok(());
        }
        let network = |(nodes, [links, locals], words): (u32, [u8; 2], u16)| {
            let words = match words {
                u16::MAX => "various lengths".to_owned(),
                words => format!("{words} words"),
            };
            let terminals = match locals {
                1 => String::new(),
                _ => format!(", {locals} terminals"),
            };
            format!("{nodes} nodes with {links} links{terminals} each and packets of {words}")
        };
        Err(BadReplay::Record(format!(
            "the record is of {}; the configuration has {}",
            network(recorded),
            network(configured)
        )))
    }

    /// Replays it, or some of its nodes, on a configuration's network. Prints events if asked, one per line.
    ///
    /// # Errors
    /// If the record is damaged, the host gives no threads, or events cannot be printed.
    pub fn replay(
        &self,
        resolved: &Resolved,
        asked: &ReplayRequest<'_>,
        control: Control<'_>,
    ) -> Result<Replayed, BadReplay> {
        let mut broken = false;
        let lines = Lines::new(asked.trace, asked.nodes, &resolved.network.shape);
        let control = &mut |progress| {
            let flow = lines.flow(control(progress));
            broken |= flow.is_break();
            flow
        };
        let mut replayed = match asked.subset {
            true => self.replay_subset(resolved, asked, &lines, control)?,
            false => self.replay_all(resolved, asked, &lines, control)?,
        };
        lines.end().map_err(BadReplay::Output)?;
        replayed.verdict.interrupted &= broken;
        Ok(replayed)
    }

    fn replay_all(
        &self,
        resolved: &Resolved,
        asked: &ReplayRequest<'_>,
        lines: &Lines,
        control: Control<'_>,
    ) -> Result<Replayed, BadReplay> {
        let options = ReplayOptions {
            threads: asked.threads,
            until: asked.until,
            channel_capacity: resolved.live.channel_capacity,
            what_if: asked.what_if,
        };
        let begun = Instant::now();
        let probes = || (observer(resolved), lines.clone());
        let file = || open(&self.path);
        let found = execute_replay(resolved, demand(resolved), &options, file, probes, control)?;
        let (elapsed, digest) = (begun.elapsed(), found.digest());
        let probes = found.probes.into_iter();
        let probes = probes.map(AnyProbe::into_probe::<(Observer, Lines)>);
        let observers = probes.map(|(observer, _)| observer);
        let nodes = (0..).map(NodeId).zip(&found.nodes);
        let nodes = nodes.map(|(node, (cycles, digest))| (node, *cycles, *digest));
        Ok(Replayed {
            nodes: replayed_nodes(found.trailer.as_ref(), nodes),
            waits: found.waits.clone(),
            verdict: found.verdict,
            simulated: Some(simulated_of(
                resolved,
                found.outcome,
                found.waits,
                observers.collect(),
                elapsed,
                digest,
            )),
        })
    }

    fn replay_subset(
        &self,
        resolved: &Resolved,
        asked: &ReplayRequest<'_>,
        lines: &Lines,
        control: Control<'_>,
    ) -> Result<Replayed, BadReplay> {
        let options = SubsetOptions {
            nodes: asked.nodes.to_vec(),
            until: asked.until,
        };
        let (file, probe) = (|| open(&self.path), lines.clone());
        let found = execute_subset(resolved, demand(resolved), &options, file, probe, control)?;
        Ok(Replayed {
            simulated: None,
            nodes: replayed_nodes(found.trailer.as_ref(), found.nodes.into_iter()),
            waits: found.waits,
            verdict: found.verdict,
        })
    }
}

/// What nodes did, beside what the end of the record states for them.
fn replayed_nodes(
    trailer: Option<&Trailer>,
    nodes: impl Iterator<Item = (NodeId, Cycle, Digest)>,
) -> Vec<(NodeId, ReplayedNode)> {
    let replayed = |(node, cycles, digest): (NodeId, Cycle, Digest)| {
        let recorded = trailer.and_then(|trailer| trailer.nodes.get(node.index()));
        let node_did = ReplayedNode {
            cycles,
            digest,
            recorded: recorded.map(|end| (end.cycles, Digest::of(end.digest))),
        };
        (node, node_did)
    };
    nodes.map(replayed).collect()
}

fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(BufReader::with_capacity(
        1 << 16,
        open_input(path)?,
    )))
}
