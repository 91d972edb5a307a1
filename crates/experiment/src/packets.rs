//! A file with a row for every packet of a run.
//!
//! ```text
//!  engine ──▶ PacketReporter ──▶ batches ──▶ a thread of its own ──▶ FILE.csv or FILE.parquet
//!             (one per worker)             (packets under way)
//! ```
//!
//! The row of a delivered packet is written at once, so only packets in the network take memory. Those that were not
//! delivered come at the end, with empty cells for what did not happen. A slow disk holds the engine back, through
//! a channel of a few batches.

mod ledger;
mod memory;
mod row;
#[cfg(test)]
mod tests;

use flitwork_debug::rows::PacketRow;
use flitwork_files::{NewFile, WriteError};
use flitwork_node::{Event, Probe};
use flitwork_report::{Cell, Format, Provenance, TableFile};
use flitwork_traffic::{TraceFollower, TraceHandle};
use flitwork_types::{Cycle, Moment, NodeId, Packet, PacketId, TerminalId};
use ledger::PacketLedger;
pub use memory::PacketRows;
pub use row::headers;
use row::{COLUMNS, cells};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::{fmt, io};

/// Events of packets that are sent together. Each time, the thread that writes is woken, which takes the engine as long as
/// some hundred events.
const BATCH: usize = 4096;
/// Batches that may wait to be written.
const WAITING_BATCHES: usize = 16;

/// Packets that never entered the network and get rows even if nobody waits for them.
const ALWAYS_LISTED: u64 = 1 << 16;

/// What happened to a packet.
#[derive(Clone, Copy, Debug)]
enum PacketEvent {
    Injected(Packet, Option<Times>),
    /// It was not injected after all.
    TakenBack(PacketId),
    /// With the cycle on the nominal clock, and the latency as counted by the nodes on its way.
    Delivered(Packet, Cycle, u64, Option<Times>),
    /// With the cycle on the nominal clock.
    Lost(Packet, Cycle),
    LeftOver {
        source: TerminalId,
        created: Cycle,
        words: u16,
        created_ps: Option<u64>,
    },
}

/// When a packet was made and when something happened to it, in ps since the start of the run.
#[derive(Clone, Copy, Debug)]
struct Times {
    created_ps: u64,
    now_ps: u64,
}

/// Which of the packets that never entered the network get rows: there may be very many, and somebody may be
/// waiting for the end.
#[derive(Clone)]
struct Listing {
    /// Asked before each batch of them.
    goes_on: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Those that were reported and get none.
    unlisted: Arc<AtomicU64>,
}

impl fmt::Debug for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listing").field(&self.unlisted).finish()
    }
}

/// Where rows go.
pub(crate) trait TakesRows: Send {
    /// Takes a row.
    ///
    /// # Errors
    /// Those of what it writes to.
    fn put(&mut self, row: &PacketRow) -> io::Result<()>;

    /// Takes no more: how the run ended, and how many packets have no row.
    ///
    /// # Errors
    /// The first write that failed; then there is no file.
    fn finish(self: Box<Self>, _status: &str, _unlisted: u64) -> Result<(), WriteError> {
        Ok(())
    }
}

/// Rows of a table.
struct Table(Box<dyn TableFile>);

impl TakesRows for Table {
    fn put(&mut self, row: &PacketRow) -> io::Result<()> {
        self.0.put(&cells(row))
    }

    fn finish(self: Box<Self>, status: &str, unlisted: u64) -> Result<(), WriteError> {
        let status = ("status", Cell::Text(status.to_owned()));
        let marks = [("unlisted_packets", Cell::Count(unlisted)), status];
        self.0.finish(&marks[usize::from(unlisted == 0)..])
    }
}

/// Rows of a trial run.
struct Nowhere;

impl TakesRows for Nowhere {
    fn put(&mut self, _: &PacketRow) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes of rows that wait to be written.
pub(crate) fn held_bytes(format: &Format) -> u64 {
    let waiting = (WAITING_BATCHES * BATCH * size_of::<PacketEvent>()) as u64;
    waiting + (format.held_bytes)(COLUMNS)
}

/// The file of a run's packets, under way.
#[derive(Debug)]
pub struct PacketFile {
    path: PathBuf,
    /// Both are present until it is finished: the probe that others are made from, and the writing thread.
    reporter: Option<PacketReporter>,
    writer: Option<JoinHandle<Written>>,
    unlisted: Arc<AtomicU64>,
}

/// What the writing thread leaves behind: the undelivered packets, and the file.
type Written = io::Result<(PacketLedger, Box<dyn TakesRows>)>;

impl PacketFile {
    /// Begins a file.
    ///
    /// # Errors
    /// If no file can be created at the path, or the host gives no thread.
    pub fn create(
        path: &Path,
        format: &Format,
        provenance: &Provenance,
    ) -> Result<PacketFile, WriteError> {
        let rows = (format.begin)(NewFile::create(path)?, &headers(), provenance)?;
        let rows = Box::new(Table(rows));
        PacketFile::with(path, rows, WAITING_BATCHES).map_err(WriteError::writing(path))
    }

    /// Rows that are kept in memory, as soon as it is finished.
    ///
    /// # Errors
    /// If the host gives no thread.
    pub fn to_memory() -> io::Result<(PacketFile, PacketRows)> {
        let rows = PacketRows::default();
        let file = PacketFile::with(Path::new(""), Box::new(rows.clone()), WAITING_BATCHES)?;
        Ok((file, rows))
    }

    /// Rows that go somewhere else; `path` is for messages.
    pub(crate) fn into_rows(path: &Path, rows: Box<dyn TakesRows>) -> io::Result<PacketFile> {
        PacketFile::with(path, rows, WAITING_BATCHES)
    }

    /// A file whose rows are discarded.
    ///
    /// # Errors
    /// If the host gives no thread.
    pub(crate) fn nowhere() -> io::Result<PacketFile> {
        // Each event is taken at once, so that packets under way are counted while they are.
        PacketFile::with(Path::new(""), Box::new(Nowhere), 0)
    }

    fn with(path: &Path, rows: Box<dyn TakesRows>, waiting: usize) -> io::Result<PacketFile> {
        let (to, from) = sync_channel(waiting);
        let trace = Arc::new(OnceLock::new());
        let ledger = PacketLedger::new(Arc::clone(&trace));
        let writer = thread::Builder::new()
            .name("packets".into())
            .spawn(move || write(&from, ledger, rows))?;
        let unlisted = Arc::default();
        Ok(PacketFile {
            path: path.to_owned(),
            unlisted: Arc::clone(&unlisted),
            reporter: Some(PacketReporter {
                shift: 0,
                nominal_ps: None,
                now_ps: 0,
                batch: Vec::new(),
                to,
                trace,
                listing: Listing {
                    goes_on: Arc::new(|| true),
                    unlisted,
                },
                listed: 0,
            }),
            writer: Some(writer),
        })
    }

    /// From now on, packets that never entered the network get rows only while this says so, except for the first
    /// 65,536 of them.
    #[must_use]
    pub fn listing_while(
        mut self,
        goes_on: impl Fn() -> bool + Send + Sync + 'static,
    ) -> PacketFile {
        if let Some(reporter) = &mut self.reporter {
            reporter.listing.goes_on = Arc::new(goes_on);
        }
        self
    }

    /// A probe that reports packets to it; each worker needs one. All must be dropped before it is finished.
    pub fn reporter(&self) -> PacketReporter {
        let reporter = self.reporter.as_ref();
        reporter.expect("it isn't finished").another()
    }

    /// Writes the rows of the packets that were not delivered, marks the file with how the run ended, and moves it
    /// into place. Returns how many packets that never entered the network have no row.
    ///
    /// # Errors
    /// The first write that failed; no file is left then.
    pub fn finish(mut self, status: &str) -> Result<u64, WriteError> {
        let written = self.stop().expect("it is finished once");
        let failed = || WriteError::writing(&self.path);
        let (ledger, mut rows) = written.map_err(failed())?;
        ledger.end(&mut *rows).map_err(failed())?;
        let unlisted = self.unlisted.load(Ordering::Relaxed);
        rows.finish(status, unlisted).map(|()| unlisted)
    }

    /// Waits for the writing thread, which ends once no reporter is left.
    fn stop(&mut self) -> Option<Written> {
        drop(self.reporter.take());
        let written = self.writer.take()?.join();
        Some(written.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}

/// A run that came to nothing leaves nothing, not even a half-written file.
impl Drop for PacketFile {
    fn drop(&mut self) {
        if !thread::panicking() {
            drop(self.stop());
        }
    }
}

/// The writing thread. After an error it discards what arrives, so that the run continues to its other results.
fn write(
    from: &Receiver<Vec<PacketEvent>>,
    mut ledger: PacketLedger,
    mut rows: Box<dyn TakesRows>,
) -> Written {
    let mut failed = None;
    for batch in from {
        if failed.is_none() {
            failed = ledger.take(&batch, &mut *rows).err();
        }
    }
    match failed {
        Some(error) => Err(error),
        None => Ok((ledger, rows)),
    }
}

/// The probe. It sends what it still holds when it is dropped.
#[derive(Debug)]
pub struct PacketReporter {
    /// Offset from the node's cycle to the nominal clock's, for the events that follow.
    shift: i64,
    /// The period of the sources' clock, where nodes have clocks of their own; then the following events happen at `now_ps`.
    nominal_ps: Option<u64>,
    now_ps: u64,
    batch: Vec<PacketEvent>,
    to: SyncSender<Vec<PacketEvent>>,
    trace: Arc<OnceLock<TraceFollower>>,
    listing: Listing,
    /// Packets that never entered the network and got a row.
    listed: u64,
}

impl PacketReporter {
    /// Another probe for the same file.
    #[must_use]
    pub fn another(&self) -> PacketReporter {
        PacketReporter {
            shift: 0,
            nominal_ps: self.nominal_ps,
            now_ps: 0,
            batch: Vec::with_capacity(BATCH),
            to: self.to.clone(),
            trace: Arc::clone(&self.trace),
            listing: self.listing.clone(),
            listed: 0,
        }
    }

    /// For nodes that have clocks of their own, and sources on a nominal clock of this period: rows get times in ps.
    pub(crate) fn of_clocks(&mut self, nominal_ps: u64) {
        self.nominal_ps = Some(nominal_ps);
    }

    fn created_ps(&self, created: Cycle) -> Option<u64> {
        Some(u64::from(created.get()) * self.nominal_ps?)
    }

    fn times(&self, packet: &Packet) -> Option<Times> {
        Some(Times {
            created_ps: self.created_ps(packet.created)?,
            now_ps: self.now_ps,
        })
    }

    /// For packets of a trace: rows get its ids.
    pub fn follow(&self, trace: &TraceHandle) {
        // A run has one trace.
        let _ = self.trace.set(trace.follow());
    }

    #[inline]
    fn report(&mut self, event: PacketEvent) {
        self.batch.push(event);
        if self.batch.len() == BATCH {
            self.hand_over();
        }
    }

    #[cold]
    fn hand_over(&mut self) {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        // If nobody takes it, finishing the file reports why.
        let _ = self.to.send(batch);
    }
}

impl Drop for PacketReporter {
    fn drop(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let _ = self.to.send(batch);
    }
}

impl Probe for PacketReporter {
    #[inline]
    fn tick(&mut self, _: NodeId, local: Cycle, at: Moment) {
        self.shift = i64::from(at.reference.get()) - i64::from(local.get());
        self.now_ps = at.ps;
    }

    #[inline]
    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        match event {
            Event::Injected { packet } => {
                let times = self.times(&packet);
                self.report(PacketEvent::Injected(packet, times));
            }
            Event::Delivered { packet } => {
                let cycle = Cycle((i64::from(cycle.get()) + self.shift) as u32);
                let (latency, times) = (packet.latency(cycle), self.times(&packet));
                self.report(PacketEvent::Delivered(packet, cycle, latency, times));
            }
            Event::Lost { packet, .. } => {
                let cycle = Cycle((i64::from(cycle.get()) + self.shift) as u32);
                self.report(PacketEvent::Lost(packet, cycle));
            }
            _ => {}
        }
    }

    fn take_back(&mut self, _: NodeId, _: Cycle, packet: &Packet) {
        self.report(PacketEvent::TakenBack(packet.id));
    }

    fn left_over(&mut self, source: TerminalId, created: Cycle, words: u16, packets: u64) {
        for listed in 0..packets {
            // Asked once per batch.
            let is_much = self.batch.is_empty() && self.listed >= ALWAYS_LISTED;
            if is_much && !(self.listing.goes_on)() {
                let unlisted = &self.listing.unlisted;
                unlisted.fetch_add(packets - listed, Ordering::Relaxed);
                return;
            }
            self.listed += 1;
            self.report(PacketEvent::LeftOver {
                source,
                created,
                words,
                created_ps: self.created_ps(created),
            });
        }
    }
}
