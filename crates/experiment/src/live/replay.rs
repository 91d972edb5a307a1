//! A record's file, replayed.

use super::{execute_replay, told};
use crate::config::Resolved;
use crate::observe::Observer;
use crate::simulate::{Simulated, load, observer};
use flitwork_engine::{Control, Ended};
pub use flitwork_live::{BadRecord, Difference, Fault};
use flitwork_live::{ReplayError, ReplayOptions};
use flitwork_node::{Event, Probe};
use flitwork_topology::{Grid, Topology};
pub use flitwork_trace::record::{Cut, Header};
use flitwork_trace::record::{Reader, RecordError};
use flitwork_trace::{Digest, lines};
use flitwork_types::{Cycle, NodeId};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A record's file.
pub struct Record {
    path: PathBuf,
    /// What stands at its beginning.
    pub header: Header,
}

/// How it is replayed.
pub struct Asked<'a> {
    /// Threads.
    pub threads: usize,
    /// The replay ends when this node begins this cycle.
    pub until: Option<(NodeId, Cycle)>,
    /// Whether words are moved one by one, as the live run moved them.
    pub stepped: bool,
    /// Whether arrivals are only kept as far as they stay possible.
    pub what_if: bool,
    /// Whether events are printed, a line each.
    pub trace: bool,
    /// The nodes whose events are printed; all where there are none.
    pub nodes: &'a [NodeId],
}

/// What one node did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeTold {
    /// The first cycle that it hasn't run.
    pub cycles: Cycle,
    /// The digest of its events.
    pub digest: Digest,
    /// What the record's end says of it.
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
    /// What it gives, as any run does.
    pub simulated: Simulated,
    /// What each node did.
    pub nodes: Vec<NodeTold>,
    /// Where it differs first from its record.
    pub difference: Option<Difference>,
    /// The first arrival that wasn't possible under other parameters.
    pub impossible: Option<Difference>,
    /// Where the record was cut.
    pub cut: Option<Cut>,
    /// What broke a node.
    pub fault: Option<Fault>,
    /// Whether the control broke it off.
    pub interrupted: bool,
}

/// Why a record can't be replayed.
#[derive(Debug)]
pub enum BadReplay {
    /// The record.
    Record(String),
    /// The host.
    Host(io::Error),
}

impl fmt::Display for BadReplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadReplay::Record(error) => f.write_str(error),
            BadReplay::Host(error) => error.fmt(f),
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
    /// Where the file can't be read or doesn't begin as a record does.
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
    /// What the header says otherwise.
    pub fn check(&self, resolved: &Resolved) -> Result<(), BadReplay> {
        let (header, grid) = (&self.header, &resolved.network.grid);
        let told = (
            u64::from(header.nodes),
            u64::from(header.ports),
            u64::from(header.packet_words),
        );
        let meant = (
            u64::from(grid.nodes()),
            grid.ports() as u64,
            u64::from(resolved.packet_words()),
        );
        if told == meant {
            return Ok(());
        }
        Err(BadReplay::Record(format!(
            "the record is one of {} nodes with {} links each and packets of {} words; the configuration \
             has {} nodes with {} links and packets of {} words",
            told.0, told.1, told.2, meant.0, meant.1, meant.2
        )))
    }

    /// Replays it on a configuration's network.
    ///
    /// # Errors
    /// Where the record is damaged, or the host gives no threads.
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
        let control = &mut |progress| {
            let flow = control(progress);
            broken |= flow.is_break();
            flow
        };
        let printed = asked
            .trace
            .then(|| Lines::new(asked.nodes, &resolved.network.grid));
        let probes = || Watching {
            observer: observer(resolved),
            lines: printed.clone(),
        };
        let file = || open(&self.path);
        let found = execute_replay(resolved, load(resolved), &options, file, probes, control)?;
        let digest = found.digest();
        let probes = found
            .probes
            .into_iter()
            .map(|probe| probe.observer)
            .collect();
        if let Some(lines) = printed {
            lines.end();
        }
        let recorded = |node: usize| {
            let told = found.trailer.as_ref()?.nodes.get(node)?;
            Some((told.cycles, Digest::of(told.digest)))
        };
        let nodes = found.nodes.iter().enumerate();
        let nodes = nodes.map(|(node, (cycles, digest))| NodeTold {
            cycles: *cycles,
            digest: *digest,
            recorded: recorded(node),
        });
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
            difference: found.difference,
            impossible: found.impossible,
            cut: found.cut,
            fault: found.fault,
            interrupted,
        })
    }
}

fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(BufReader::with_capacity(
        1 << 16,
        File::open(path)?,
    )))
}

/// Prints events of some nodes.
#[derive(Clone)]
struct Lines {
    wanted: Arc<[bool]>,
    printer: Arc<Mutex<Printer>>,
}

/// Prints each node's events in the order of their cycles.
struct Printer {
    out: io::BufWriter<io::Stdout>,
    /// Each node's latest events. A delivery may be told a cycle before it is, so that an event is kept
    /// until one comes that is two cycles later.
    latest: Vec<Vec<(Cycle, Event)>>,
}

impl Printer {
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        let latest = &mut self.latest[node.index()];
        let place = latest.partition_point(|(before, _)| *before <= cycle);
        latest.insert(place, (cycle, event));
        let certain = latest.partition_point(|(before, _)| *before + 1 < cycle);
        self.print(node, certain);
    }

    /// Prints the first of a node's events that are kept.
    fn print(&mut self, node: NodeId, events: usize) {
        for (cycle, event) in self.latest[node.index()].drain(..events) {
            // A reader that has seen enough is no failure.
            let _ = writeln!(self.out, "{}", lines::Line { node, cycle, event });
        }
    }
}

impl Lines {
    fn new(nodes: &[NodeId], grid: &Grid) -> Lines {
        let mut wanted = vec![nodes.is_empty(); grid.nodes() as usize];
        nodes.iter().for_each(|node| wanted[node.index()] = true);
        Lines {
            printer: Arc::new(Mutex::new(Printer {
                out: io::BufWriter::new(io::stdout()),
                latest: vec![Vec::new(); wanted.len()],
            })),
            wanted: wanted.into(),
        }
    }

    fn printer(&self) -> MutexGuard<'_, Printer> {
        self.printer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event(&self, node: NodeId, cycle: Cycle, event: Event) {
        if self.wanted[node.index()] {
            self.printer().event(node, cycle, event);
        }
    }

    fn end(&self) {
        let mut printer = self.printer();
        for node in 0..printer.latest.len() {
            let events = printer.latest[node].len();
            printer.print(NodeId(node as u32), events);
        }
        let _ = printer.out.flush();
    }
}

/// What watches a replay.
struct Watching {
    observer: Observer,
    lines: Option<Lines>,
}

impl Probe for Watching {
    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.observer.event(node, cycle, event);
        if let Some(lines) = &self.lines {
            lines.event(node, cycle, event);
        }
    }

    fn left_over(&mut self, node: NodeId, created: Cycle) {
        self.observer.left_over(node, created);
    }
}
