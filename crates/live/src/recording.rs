//! The record on its way from the nodes to its file.
//!
//! Each node encodes what came in and hands over chunks of a few kilobytes; one thread collects them
//! into blocks, compresses and writes them. The way there is bounded: where the disk is slow, nodes wait.

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use flitwork_trace::Digest;
use flitwork_trace::record::{
    Arrivals, CHECK_CYCLES, Chunk, Encoder, Head, Header, Trailer, Writer,
};
use flitwork_types::{Cycle, NodeId};
use std::io::{self, Write};
use std::thread::JoinHandle;
use std::time::Duration;

/// Bytes that a node encodes before it hands them over.
const CHUNK_BYTES: usize = 4096;
/// Cycles after which a node hands over what it has.
const CHUNK_CYCLES: u32 = 1 << 15;
/// Chunks on their way to the writer.
const CHUNKS: usize = 1024;
/// How long a block may wait for more.
const BLOCK_WAIT: Duration = Duration::from_millis(200);

/// A node's end of the way to the record.
pub(crate) struct Log {
    node: NodeId,
    encoder: Encoder,
    to: Sender<Box<Chunk>>,
    /// A chunk that found no room yet.
    waiting: Option<Box<Chunk>>,
    /// The first cycle of the next chunk, and the first that hasn't been told.
    from: Cycle,
    upto: Cycle,
    digest: Digest,
}

impl Log {
    pub(crate) fn new(node: NodeId, encoder: Encoder, to: Sender<Box<Chunk>>) -> Log {
        Log {
            node,
            encoder,
            to,
            waiting: None,
            from: Cycle::ZERO,
            upto: Cycle::ZERO,
            digest: Digest::default(),
        }
    }

    /// Whether it is to be told which packets come.
    #[inline]
    pub(crate) fn wants_heads(&self) -> bool {
        self.encoder.has_heads()
    }

    /// A head that comes in in the cycle that is being run.
    #[inline]
    pub(crate) fn head(&mut self, head: &Head) {
        self.encoder.head(head);
    }

    /// What came in in a cycle that has been run.
    #[inline]
    pub(crate) fn cycle(&mut self, now: Cycle, arrivals: &Arrivals) {
        if self.encoder.expects_any() || !arrivals.is_quiet() {
            self.encoder.cycle(now, arrivals);
        }
    }

    /// The cycles from `from` to `until` have been completed; `digest` is that of all so far.
    #[inline]
    pub(crate) fn pass(&mut self, from: Cycle, until: Cycle, digest: Digest) {
        let checks = until.get() / CHECK_CYCLES - from.get() / CHECK_CYCLES;
        for _ in 0..checks {
            self.encoder.check(digest.get() as u8);
        }
        (self.upto, self.digest) = (until, digest);
        let due = self.encoder.bytes() >= CHUNK_BYTES || until.since(self.from) >= CHUNK_CYCLES;
        if due && self.waiting.is_none() {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let chunk = self
            .encoder
            .take_chunk(self.node, self.upto, self.digest.get());
        self.waiting = chunk.map(Box::new);
        self.from = self.upto;
    }

    /// Hands a chunk over if there is one; `false` if there is no room for it. A writer that is gone
    /// takes everything: whoever looks after it ends the run.
    #[inline]
    pub(crate) fn send(&mut self, wait: bool) -> bool {
        self.waiting.is_none() || self.send_waiting(wait)
    }

    #[cold]
    fn send_waiting(&mut self, wait: bool) -> bool {
        let Some(chunk) = self.waiting.take() else {
            return true;
        };
        if wait {
            let _ = self.to.send(chunk);
            return true;
        }
        match self.to.try_send(chunk) {
            Err(TrySendError::Full(chunk)) => {
                self.waiting = Some(chunk);
                false
            }
            _ => true,
        }
    }

    /// Hands over all that is left, and waits until it is taken.
    pub(crate) fn end(&mut self, now: Cycle, digest: Digest) {
        self.send(true);
        (self.upto, self.digest) = (now, digest);
        if self.upto > self.from {
            self.cut();
            self.send(true);
        }
    }
}

/// What became of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Bytes of the file.
    pub bytes: u64,
}

/// Counts what is written.
struct Counting<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A record being written.
pub(crate) struct Recording {
    chunks: Option<Sender<Box<Chunk>>>,
    trailer: Sender<Option<Trailer>>,
    thread: JoinHandle<io::Result<Recorded>>,
}

impl Recording {
    /// Begins a record: its header is written before this returns.
    pub(crate) fn start(
        out: Box<dyn Write + Send>,
        header: &Header,
        on_error: impl Fn(String) + Send + 'static,
    ) -> io::Result<Recording> {
        let writer = Writer::new(Counting { out, bytes: 0 }, header)?;
        let (chunks, incoming) = bounded(CHUNKS);
        let (trailer, last) = bounded(1);
        let thread = std::thread::Builder::new()
            .name("flitwork-record".into())
            .spawn(move || {
                let written = write(writer, &incoming, &last);
                if let Err(error) = &written {
                    on_error(error.to_string());
                    // Nodes must not wait for room that never comes.
                    incoming.iter().for_each(drop);
                }
                written
            })?;
        Ok(Recording {
            chunks: Some(chunks),
            trailer,
            thread,
        })
    }

    pub(crate) fn sender(&self) -> Sender<Box<Chunk>> {
        self.chunks.clone().expect("a record that isn't finished")
    }

    /// Ends the record, after the logs of all nodes that are left have ended. Without a trailer it is cut,
    /// and good up to there.
    pub(crate) fn finish(mut self, trailer: Option<Trailer>) -> io::Result<Recorded> {
        let _ = self.trailer.send(trailer);
        self.chunks = None;
        self.thread
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the thread that writes it has failed")))
    }
}

fn write(
    mut writer: Writer<Counting<Box<dyn Write + Send>>>,
    chunks: &Receiver<Box<Chunk>>,
    last: &Receiver<Option<Trailer>>,
) -> io::Result<Recorded> {
    let mut trailer = None;
    // A worker that doesn't stop keeps its nodes' logs: nothing more comes, and the channel stays open.
    while trailer.is_none() {
        match chunks.recv_timeout(BLOCK_WAIT) {
            Ok(chunk) => writer.add(*chunk)?,
            Err(RecvTimeoutError::Timeout) => {
                writer.flush_block()?;
                trailer = last.try_recv().ok();
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    writer.flush_block()?;
    if let Some(trailer) = trailer.or_else(|| last.try_recv().ok()).flatten() {
        let bytes = writer.finish(&trailer)?.bytes;
        return Ok(Recorded { bytes });
    }
    Ok(Recorded {
        bytes: writer.written_bytes(),
    })
}
