//! The record on its way from the nodes to its file.
//!
//! Each node encodes its arrivals and hands them over in chunks: every few kilobytes, and whenever a mark is
//! requested ([`crate::marks`]). One thread collects them into blocks, compresses and writes them. The channel to it
//! is bounded: if the disk is slow, nodes wait.

use crate::marks::{Closes, Handed, Marks, RequestedMark};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use flitwork_trace::Digest;
use flitwork_trace::record::{Arrivals, CHECK_CYCLES, Encoder, Head, Header, Trailer, Writer};
use flitwork_types::{Cycle, NodeId};
use std::io::{self, Write};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes that a node encodes before it hands them over.
const CHUNK_BYTES: usize = 4096;
/// Chunks on their way to the writer.
const CHUNKS: usize = 1024;
/// How often the writer checks for the end of the run while nothing comes.
const CHECK_EVERY: Duration = Duration::from_millis(200);

/// A node's end of the channel to the record.
pub(crate) struct Log {
    node: NodeId,
    encoder: Encoder,
    to: Sender<Box<Handed>>,
    /// What has not found room yet.
    waiting: Option<Box<Handed>>,
    /// The marks that are requested, and the one that was closed last.
    asked: RequestedMark,
    closed: u32,
    for_good: bool,
    /// Heads of the cycle that is being run.
    heads: Vec<Head>,
    /// The first cycle that has not been noted.
    upto: Cycle,
    digest: Digest,
}

impl Log {
    pub(crate) fn new(
        node: NodeId,
        encoder: Encoder,
        to: Sender<Box<Handed>>,
        asked: RequestedMark,
    ) -> Log {
        Log {
            node,
            encoder,
            to,
            waiting: None,
            asked,
            closed: 0,
            for_good: false,
            heads: Vec::new(),
            upto: Cycle::ZERO,
            digest: Digest::default(),
        }
    }

    /// Whether it records which packets arrive.
    #[inline]
    pub(crate) fn wants_heads(&self) -> bool {
        self.encoder.has_heads()
    }

    /// Notes a head that arrives in the current cycle.
    #[inline]
    pub(crate) fn head(&mut self, head: &Head) {
        // Its cycle may still turn out to be the first after a mark.
        self.heads.push(*head);
    }

    /// Notes the arrivals of a cycle that has been run.
    #[inline]
    pub(crate) fn cycle(&mut self, now: Cycle, arrivals: &Arrivals) {
        self.heads
            .drain(..)
            .for_each(|head| self.encoder.head(&head));
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
        if self.encoder.bytes() >= CHUNK_BYTES && self.waiting.is_none() {
            self.cut(None);
        }
    }

    /// Ends the chunk if a mark is requested. To be called before a cycle whose arrivals have been taken from
    /// their channels is noted, and whenever the node has a turn.
    #[inline]
    pub(crate) fn close_if_asked(&mut self) {
        let latest = self.asked.latest();
        if latest != self.closed && self.waiting.is_none() && !self.for_good {
            self.closed = latest;
            self.cut(Some(Closes::Mark(latest)));
        }
    }

    /// The node has run its last cycle: marks no longer wait for it. Nothing else may wait to be sent.
    pub(crate) fn close_for_good(&mut self) {
        if !self.for_good {
            self.for_good = true;
            self.cut(Some(Closes::ForGood));
        }
    }

    pub(crate) fn is_closed_for_good(&self) -> bool {
        self.for_good
    }

    #[cold]
    fn cut(&mut self, closes: Option<Closes>) {
        let (node, digest) = (self.node, self.digest.get());
        let chunk = self.encoder.take_chunk(node, self.upto, digest as u8);
        if chunk.is_some() || closes.is_some() {
            let handed = Handed {
                node,
                chunk,
                digest,
                closes,
            };
            self.waiting = Some(Box::new(handed));
        }
    }

    /// Hands over a waiting chunk, if there is one; `false` if there is no room for it. A writer that has failed takes
    /// everything: its supervisor ends the run.
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

    /// Hands over everything that is left, and waits until it has been taken.
    pub(crate) fn end(&mut self, now: Cycle, digest: Digest) {
        self.send(true);
        (self.upto, self.digest) = (now, digest);
        self.close_for_good();
        self.send(true);
    }
}

/// A record being written.
pub(crate) struct Recording {
    chunks: Option<Sender<Box<Handed>>>,
    trailer: Sender<Option<Trailer>>,
    /// Returns the bytes of the file.
    thread: JoinHandle<io::Result<u64>>,
}

impl Recording {
    /// Begins a record: its header is written before this returns. Marks are requested through `asked`, at
    /// most `every` apart.
    pub(crate) fn start(
        out: Box<dyn Write + Send>,
        header: &Header,
        asked: RequestedMark,
        every: Duration,
        on_error: impl Fn(String) + Send + 'static,
    ) -> io::Result<Recording> {
        let scribe = Scribe {
            writer: Writer::new(out, header)?,
            marks: Marks::new(header.nodes, every),
            asked,
            begun: Instant::now(),
        };
        let (chunks, incoming) = bounded(CHUNKS);
        let (trailer, last) = bounded(1);
        let thread = std::thread::Builder::new()
            .name("flitwork-record".into())
            .spawn(move || {
                let written = scribe.write(&incoming, &last);
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

    pub(crate) fn sender(&self) -> Sender<Box<Handed>> {
        self.chunks.clone().expect("a record that isn't finished")
    }

    /// Ends the record after the logs of all remaining nodes have ended. Without a trailer it is cut, and
    /// good up to there. Returns the bytes of the file.
    pub(crate) fn finish(mut self, trailer: Option<Trailer>) -> io::Result<u64> {
        let _ = self.trailer.send(trailer);
        self.chunks = None;
        self.thread
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the thread that writes it has failed")))
    }
}

/// Writes a record.
struct Scribe {
    writer: Writer<Box<dyn Write + Send>>,
    marks: Marks,
    asked: RequestedMark,
    begun: Instant,
}

impl Scribe {
    fn write(
        mut self,
        chunks: &Receiver<Box<Handed>>,
        last: &Receiver<Option<Trailer>>,
    ) -> io::Result<u64> {
        let mut trailer = None;
        // A worker that does not stop keeps its nodes' logs: nothing more comes, and the channel stays open.
        while trailer.is_none() {
            let now = self.begun.elapsed();
            if let Some(mark) = self.marks.ask(now) {
                self.asked.raise(mark);
            }
            let wait = self.marks.due_in(now).unwrap_or(CHECK_EVERY);
            match chunks.recv_timeout(wait) {
                Ok(handed) => self.take(*handed)?,
                Err(RecvTimeoutError::Timeout) => trailer = last.try_recv().ok(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // What came between the last check and the trailer.
        for handed in chunks.try_iter() {
            self.take(*handed)?;
        }
        self.writer.flush_block()?;
        if let Some(trailer) = trailer.or_else(|| last.try_recv().ok()).flatten() {
            self.writer.end(&trailer)?;
        }
        Ok(self.writer.written_bytes())
    }

    fn take(&mut self, mut handed: Handed) -> io::Result<()> {
        let mark = self.marks.take(&handed, self.begun.elapsed());
        if let Some(chunk) = handed.chunk.take() {
            self.writer.add(chunk)?;
        }
        mark.map_or(Ok(()), |mark| self.writer.mark(&mark))
    }
}
