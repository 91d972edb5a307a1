//! The index of a run, made while it runs.
//!
//! ```text
//!  engine ──▶ IndexProbe ─┬─▶ PacketReporter ──▶ a thread of its own ──▶ rows ──▶ FILE.fltrace
//!             (one per    └─▶ epochs, added up at the end ──────────────────────────▲
//!              worker)
//! ```

use crate::packets::{PacketFile, PacketReporter, TakesRows};
use flitwork_config::{FileTexts, Resolved};
use flitwork_debug::heat::{Count, Counting};
use flitwork_debug::rows::PacketRow;
use flitwork_files::WriteError;
use flitwork_node::{Event, Probe, forward_probe};
use flitwork_topology::Shape;
use flitwork_trace::Digest;
use flitwork_trace::index::{EpochCounter, IndexWriter, InputFile};
pub use flitwork_trace::index::{Epochs, IndexHeader, IndexTrailer};
use flitwork_types::{Cycle, NodeId};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What comes after the rows.
type Ending = Arc<Mutex<Option<(Epochs, IndexTrailer)>>>;

/// An index that is being made.
pub struct IndexFile {
    packets: PacketFile,
    ending: Ending,
    shape: Shape,
    words_travel_alone: bool,
}

/// Rows on their way into the file.
struct Rows {
    writer: Option<IndexWriter<BufWriter<File>>>,
    ending: Ending,
}

impl TakesRows for Rows {
    fn put(&mut self, row: &PacketRow) -> io::Result<()> {
        match &mut self.writer {
            Some(writer) => writer.put(row),
            None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>, _: &str, _: u64) -> Result<(), WriteError> {
        let ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(writer), Some((epochs, trailer))) = (self.writer.take(), &*ending) {
            writer
                .finish(epochs, trailer)
                .map_err(WriteError::writing(Path::new("")))?;
        }
        Ok(())
    }
}

/// The recipe of a configuration's run; `record` is the file of a live run's record.
///
/// # Errors
/// If a file that the run reads can't be read.
pub fn recipe(resolved: &Resolved, record: &str) -> io::Result<IndexHeader> {
    let mut resolved = resolved.clone();
    // A record has texts of its own.
    let texts = match record {
        "" => FileTexts::default(),
        _ => resolved.texts.clone(),
    };
    let files = resolved.files();
    let files = files.filter(|file| texts.get(file).is_none());
    let files = files.map(|file| {
        let contents = std::fs::read(&*file)?;
        Ok(InputFile::of(file.clone(), &contents))
    });
    let files: io::Result<Vec<InputFile>> = files.collect();
    Ok(IndexHeader {
        nodes: resolved.network.nodes(),
        flitwork: env!("CARGO_PKG_VERSION").into(),
        files: files?,
        configuration: resolved.to_toml(),
        record: record.into(),
    })
}

impl IndexFile {
    /// Begins an index. What a run that is killed leaves behind is good as far as it goes.
    ///
    /// # Errors
    /// If the file can't be written, or the host gives no thread.
    pub fn create(path: &Path, resolved: &Resolved, header: &IndexHeader) -> io::Result<IndexFile> {
        let file = BufWriter::new(flitwork_files::begin(path)?);
        let ending = Ending::default();
        let rows = Rows {
            writer: Some(IndexWriter::new(file, header)?),
            ending: ending.clone(),
        };
        Ok(IndexFile {
            packets: PacketFile::into_rows(path, Box::new(rows))?,
            ending,
            shape: resolved.network.shape.clone(),
            words_travel_alone: resolved.router.facts().words_travel_alone,
        })
    }

    /// A probe of its run; each worker needs one. All must be dropped before it is finished.
    pub fn probe(&self) -> IndexProbe {
        IndexProbe {
            packets: self.packets.reporter(),
            epochs: EpochProbe::new(&self.shape, self.words_travel_alone),
        }
    }

    /// Writes the end: what all workers' probes have added up, and how the run ended.
    ///
    /// # Errors
    /// The first write that failed.
    pub fn finish(self, epochs: Epochs, trailer: IndexTrailer) -> Result<(), WriteError> {
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner) = Some((epochs, trailer));
        self.packets.finish("").map(|_| ())
    }
}

/// Observes a run for its index.
#[derive(Debug)]
pub struct IndexProbe {
    pub(crate) packets: PacketReporter,
    epochs: EpochProbe,
}

impl IndexProbe {
    /// The same for another worker.
    #[must_use]
    pub(crate) fn another(&self) -> IndexProbe {
        IndexProbe {
            packets: self.packets.another(),
            epochs: self.epochs.another(),
        }
    }

    /// Observes an event, whose digest is known.
    #[inline(always)]
    pub(crate) fn digested(&mut self, node: NodeId, cycle: Cycle, event: Event, digest: Digest) {
        if let Event::Injected { .. } | Event::Delivered { .. } | Event::Lost { .. } = event {
            self.packets.event(node, cycle, event);
        }
        self.epochs.add(node, cycle, &event, digest);
    }

    pub(crate) fn merge(&mut self, other: &IndexProbe) {
        self.epochs.epochs.merge(&other.epochs.epochs);
    }

    /// What it has added up.
    pub fn into_epochs(self) -> Epochs {
        self.epochs.into_epochs()
    }
}

impl Probe for IndexProbe {
    forward_probe!(self, (self.packets): tick, take_back, left_over);

    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.digested(node, cycle, event, Digest::of_event(node, cycle, event));
    }
}

/// Kinds of events. Each comes nearly in the order of its cycles; tails and deliveries may come long before their time.
const KINDS: usize = 7;

/// The number of an event's kind. Who calls it most often knows the kind.
#[inline(always)]
fn kind(event: &Event) -> usize {
    match event {
        Event::Injected { .. } => 0,
        Event::Moved { .. } => 1,
        Event::Head { .. } => 2,
        Event::Tail { .. } => 3,
        Event::Freed { .. } => 4,
        Event::Delivered { .. } => 5,
        Event::Lost { .. } => 6,
    }
}

/// Adds up what nodes do, epoch by epoch, each by its own count of cycles.
#[derive(Clone, Debug)]
pub struct EpochProbe {
    epochs: EpochCounter<KINDS>,
    counting: Counting,
}

impl EpochProbe {
    /// Nothing yet.
    pub fn new(shape: &Shape, words_travel_alone: bool) -> EpochProbe {
        let counting = Counting::new(shape, words_travel_alone);
        EpochProbe {
            epochs: EpochCounter::new(counting.nodes()),
            counting,
        }
    }

    fn another(&self) -> EpochProbe {
        EpochProbe {
            epochs: EpochCounter::new(self.counting.nodes()),
            ..self.clone()
        }
    }

    /// What it has added up.
    pub fn into_epochs(self) -> Epochs {
        self.epochs.into_epochs()
    }

    /// Adds an event, whose digest is known.
    #[inline(always)]
    fn add(&mut self, node: NodeId, cycle: Cycle, event: &Event, digest: Digest) {
        let EpochProbe { epochs, counting } = self;
        let kind = kind(event);
        epochs.add(kind, cycle, digest.get());
        counting.count(node, event, |node, count| {
            let cell = epochs.cell_mut(kind, node);
            match count {
                Count::Held(more) => cell.change += more,
                Count::Deroute => cell.deroutes += 1,
                Count::Words(_, words) => cell.link_words += u32::from(words),
            }
        });
    }
}

impl Probe for EpochProbe {
    #[inline]
    fn event(&mut self, node: NodeId, cycle: Cycle, event: Event) {
        self.add(node, cycle, &event, Digest::of_event(node, cycle, event));
    }
}
