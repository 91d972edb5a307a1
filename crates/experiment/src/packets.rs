//! A file with a row for every packet of a run.
//!
//! ```text
//!  engine ──▶ PacketTeller ──▶ batches ──▶ a thread of its own ──▶ FILE.csv or FILE.parquet
//!             (one a worker)               (packets under way)
//! ```
//!
//! A delivered packet's row is written at once, so that memory is taken only by the packets in the network.
//! Those that weren't delivered come at the end, with empty cells for what didn't happen. What is written
//! waits for the disk: a channel of few batches holds the engine back.

mod csv;
mod ledger;
mod parquet;
#[cfg(test)]
mod tests;

use crate::provenance::Provenance;
use flitwork_files::{NewFile, WriteError};
use flitwork_node::{Event, Probe};
use flitwork_traffic::TraceHandle;
use flitwork_types::{Cycle, NodeId, Packet};
use ledger::Ledger;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

/// What is told of packets together.
const BATCH: usize = 1024;
/// Batches that may wait for being written.
const WAITING_BATCHES: usize = 64;

/// The names of the columns, in their order.
pub const COLUMNS: [&str; 12] = [
    "source",
    "serial",
    "destination",
    "class",
    "words",
    "trace_id",
    "created_cycle",
    "injected_cycle",
    "delivered_cycle",
    "latency_cycles",
    "hops",
    "deroutes",
];

/// A row; what didn't happen, or isn't known, is empty.
type Row = [Option<u64>; COLUMNS.len()];

/// What happened to a packet.
#[derive(Clone, Copy, Debug)]
enum Told {
    Injected(Packet),
    /// With the cycle of the network's nominal clock, and the latency by the counts of the nodes on its way.
    Delivered(Packet, Cycle, u64),
    LeftOver {
        source: NodeId,
        created: Cycle,
        words: u16,
    },
}

/// Where rows go.
trait Rows: Send {
    /// Writes one.
    fn put(&mut self, row: &Row) -> io::Result<()>;

    /// Ends the table, with how the run ended, and puts the file into its place.
    fn finish(self: Box<Self>, status: &str) -> Result<(), WriteError>;
}

/// A format of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values.
    Csv,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// The format that a file's name asks for by its ending.
    pub fn of(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()? {
            "csv" => Some(Format::Csv),
            "parquet" => Some(Format::Parquet),
            _ => None,
        }
    }
}

/// The file of a run's packets, under way.
#[derive(Debug)]
pub struct PacketFile {
    path: PathBuf,
    /// Both are there until it is finished.
    to: Option<SyncSender<Vec<Told>>>,
    writer: Option<JoinHandle<Written>>,
    trace: Arc<OnceLock<TraceHandle>>,
}

/// What the writing thread leaves: what wasn't delivered, and the file.
type Written = io::Result<(Ledger, Box<dyn Rows>)>;

impl PacketFile {
    /// Begins a file.
    ///
    /// # Errors
    /// A path at which no file can be made, or a host that gives no thread.
    pub fn create(
        path: &Path,
        format: Format,
        provenance: &Provenance,
    ) -> Result<PacketFile, WriteError> {
        let file = NewFile::create(path)?;
        let rows: Box<dyn Rows> = match format {
            Format::Csv => Box::new(csv::Csv::begin(file, provenance)?),
            Format::Parquet => Box::new(parquet::Parquet::begin(file, provenance)?),
        };
        let (to, from) = sync_channel(WAITING_BATCHES);
        let trace = Arc::new(OnceLock::new());
        let ledger = Ledger::new(Arc::clone(&trace));
        let writer = thread::Builder::new()
            .name("packets".into())
            .spawn(move || write(&from, ledger, rows))
            .map_err(WriteError::writing(path))?;
        Ok(PacketFile {
            path: path.to_owned(),
            to: Some(to),
            writer: Some(writer),
            trace,
        })
    }

    /// Somebody who tells it of packets; each worker needs one. All must be gone before it is finished.
    pub fn teller(&self) -> PacketTeller {
        let to = self.to.as_ref().expect("it isn't finished");
        PacketTeller {
            shift: 0,
            batch: Vec::with_capacity(BATCH),
            to: to.clone(),
            trace: Arc::clone(&self.trace),
        }
    }

    /// Writes the rows of the packets that weren't delivered, marks the file with how the run ended, and
    /// puts it into its place.
    ///
    /// # Errors
    /// The first write that failed; no file stands there then.
    pub fn finish(mut self, status: &str) -> Result<(), WriteError> {
        let written = self.stop().expect("it is finished once");
        let failed = || WriteError::writing(&self.path);
        let (ledger, mut rows) = written.map_err(failed())?;
        ledger.end(&mut |row| rows.put(row)).map_err(failed())?;
        rows.finish(status)
    }

    /// Waits for the writing thread, which ends once no teller is left.
    fn stop(&mut self) -> Option<Written> {
        drop(self.to.take());
        let written = self.writer.take()?.join();
        Some(written.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}

/// Of a run that came to nothing nothing is left, not even a half-written file.
impl Drop for PacketFile {
    fn drop(&mut self) {
        if !thread::panicking() {
            drop(self.stop());
        }
    }
}

/// The writing thread. After an error it takes what comes, so that the run goes on to its other results.
fn write(
    from: &Receiver<Vec<Told>>,
    mut ledger: Ledger,
    mut rows: Box<dyn Rows>,
) -> io::Result<(Ledger, Box<dyn Rows>)> {
    let mut failed = None;
    for batch in from {
        if failed.is_none() {
            failed = ledger.take(&batch, &mut |row| rows.put(row)).err();
        }
    }
    match failed {
        Some(error) => Err(error),
        None => Ok((ledger, rows)),
    }
}

/// The probe. What it still holds is told when it is dropped.
#[derive(Debug)]
pub struct PacketTeller {
    /// Cycles from the node's count to the nominal clock's, for the events that come next.
    shift: i64,
    batch: Vec<Told>,
    to: SyncSender<Vec<Told>>,
    trace: Arc<OnceLock<TraceHandle>>,
}

impl PacketTeller {
    /// Another one of the same file.
    #[must_use]
    pub fn another(&self) -> PacketTeller {
        PacketTeller {
            shift: 0,
            batch: Vec::with_capacity(BATCH),
            to: self.to.clone(),
            trace: Arc::clone(&self.trace),
        }
    }

    /// The packets come from a trace, whose handle keeps births: rows get its ids.
    pub fn follow(&self, trace: &TraceHandle) {
        // There is one trace a run.
        let _ = self.trace.set(trace.clone());
    }

    #[inline]
    fn tell(&mut self, told: Told) {
        self.batch.push(told);
        if self.batch.len() == BATCH {
            self.hand_over();
        }
    }

    #[cold]
    fn hand_over(&mut self) {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        // Where nobody takes it, finishing the file says why.
        let _ = self.to.send(batch);
    }
}

impl Drop for PacketTeller {
    fn drop(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let _ = self.to.send(batch);
    }
}

impl Probe for PacketTeller {
    #[inline]
    fn tick(&mut self, _: NodeId, local: Cycle, reference: Cycle) {
        self.shift = i64::from(reference.get()) - i64::from(local.get());
    }

    #[inline]
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Injected { packet } => self.tell(Told::Injected(packet)),
            Event::Delivered { packet } => {
                let cycle = Cycle((i64::from(cycle.get()) + self.shift) as u32);
                self.tell(Told::Delivered(packet, cycle, packet.latency(cycle)));
            }
            _ => {}
        }
    }

    fn left_over(&mut self, source: NodeId, created: Cycle, words: u16, packets: u64) {
        for _ in 0..packets {
            self.tell(Told::LeftOver {
                source,
                created,
                words,
            });
        }
    }
}
