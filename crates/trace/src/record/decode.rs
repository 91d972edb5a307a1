//! From tokens back to arrivals.

mod marks;
mod reading;

use super::arrivals::Arrivals;
use super::chunk::Chunk;
use super::corrupt::{Corrupt, WhyCorrupt};
use super::flow::Flow;
use super::heads::{Head, HeadDecoder};

pub use marks::Check;
use reading::Reading;

use flitwork_types::{Cycle, Due, NodeId, Port, PortSet};

/// Reads what arrived at one node, cycle by cycle.
#[derive(Clone, Debug)]
pub struct Decoder {
    reading: Reading,
    /// The first cycle that has not been taken.
    at: u32,
    flow: Flow,
    /// Which packets arrived, if it reads that.
    heads: Option<Box<HeadDecoder>>,
}

impl Decoder {
    /// A decoder for `node` before its cycle 0; `packet_words` and `ports` as its [`Encoder`] had them.
    ///
    /// # Panics
    /// With more than [`super::MAX_LINK_PORTS`] ports.
    ///
    /// [`Encoder`]: super::Encoder
    pub fn new(node: NodeId, packet_words: u16, ports: usize) -> Decoder {
        Decoder {
            reading: Reading::new(node, ports),
            at: 0,
            flow: Flow::new(packet_words, ports),
            heads: None,
        }
    }

    /// The same for a node with this many local ports: as [`Encoder::with_locals`](super::Encoder::with_locals).
    ///
    /// # Panics
    /// If it has more than [`MAX_PORTS`](flitwork_types::MAX_PORTS) ports altogether.
    #[must_use]
    pub fn with_locals(mut self, locals: usize) -> Decoder {
        self.reading.set_locals(locals);
        self
    }

    /// The same for a record that says which packets arrived: see [`Decoder::heads`].
    #[must_use]
    pub fn with_heads(mut self) -> Decoder {
        self.heads = Some(Box::default());
        self
    }

    /// Adds the node's next chunk.
    ///
    /// # Errors
    /// If it is another node's, does not start where the previous one ended, covers no cycle or one after
    /// [`Cycle::LAST`], has the wrong number of check bytes for its cycles, or starts with bytes that are not a token.
    /// The decoder is then unchanged; after the last of these it covers nothing more.
    pub fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt> {
        let upto = chunk.upto.0;
        let heads = match self.reading.push(chunk) {
            Ok(heads) => heads,
            Err(corrupt) => return Err(self.covers(corrupt)),
        };
        if let Some(decoder) = &mut self.heads {
            decoder.push(heads, upto);
        }
        Ok(())
    }

    /// No cycle is covered after bytes that make no sense; a chunk that was not taken changes nothing.
    fn covers(&mut self, corrupt: Corrupt) -> Corrupt {
        if matches!(
            corrupt.fault,
            WhyCorrupt::Token | WhyCorrupt::Order | WhyCorrupt::Beyond { .. } | WhyCorrupt::Heads
        ) {
            self.reading.upto = self.at;
        }
        corrupt
    }

    /// The first cycle that no chunk so far covers.
    #[inline]
    pub fn upto(&self) -> Cycle {
        Cycle(self.reading.upto)
    }

    /// The first cycle that has not been taken and may not be skipped: the earliest in which anything is recorded or
    /// predicted, or [`Decoder::upto`] if there is none before it.
    #[inline]
    pub fn next(&self) -> Cycle {
        if self.expects_any() {
            Cycle(self.at)
        } else {
            self.reading.due.at_latest(self.upto())
        }
    }

    /// Whether a word is predicted for the cycle after the latest that was taken.
    #[inline]
    pub fn expects_any(&self) -> bool {
        self.flow.flowing() != 0
    }

    /// What arrived in cycle `now`. Cycles up to [`Decoder::next`] may be skipped: nothing arrived in them.
    ///
    /// # Errors
    /// If `now` is not covered yet, has been taken or lies after [`Decoder::next`], or if the bytes after it are not a
    /// token, or not a head where one has arrived; after the latter two the decoder covers nothing more.
    #[inline]
    pub fn take(&mut self, now: Cycle) -> Result<Arrivals, Corrupt> {
        let now = now.0;
        if now != self.at || now >= self.reading.upto {
            self.check_place(now)?;
        }
        self.at = now + 1;
        if let Some(heads) = &mut self.heads {
            heads.latest.clear();
        }
        let words = self.flow.flowing();
        if self.reading.due != Cycle(now) {
            if !self.flow.goes_on(now) {
                self.flow.advance(now, words);
            }
            return Ok(Arrivals {
                words: PortSet(words),
                ..Arrivals::default()
            });
        }
        self.take_tokens(now, words)
    }

    fn take_tokens(&mut self, now: u32, words: u64) -> Result<Arrivals, Corrupt> {
        let symbols = match self.reading.take() {
            Ok(symbols) => symbols,
            Err(corrupt) => return Err(self.covers(corrupt)),
        };
        let words = words ^ symbols.words;
        if let Some(heads) = &mut self.heads
            && let Err(fault) = heads.take(now, self.flow.heads(words))
        {
            let corrupt = self.reading.give_up(fault);
            return Err(self.covers(corrupt));
        }
        if words != self.flow.flowing() || !self.flow.goes_on(now) {
            self.flow.advance(now, words);
        }
        Ok(Arrivals {
            words: PortSet(words),
            credits: PortSet(symbols.credits),
            turns: PortSet(symbols.turns),
            injected: PortSet(symbols.injected),
        })
    }

    /// For a decoder [`Decoder::with_heads`]: the packets whose heads arrived in the cycle that was taken last, in the
    /// order of their ports.
    #[inline]
    pub fn heads(&self) -> &[(Port, Head)] {
        self.heads.as_ref().map_or(&[], |heads| &heads.latest)
    }

    /// Whether cycle `now` may be taken although it is not the next.
    fn check_place(&self, now: u32) -> Result<(), Corrupt> {
        let fault = if now < self.at {
            WhyCorrupt::Taken
        } else if now >= self.reading.upto {
            WhyCorrupt::NotCovered
        } else if now > self.next().0 {
            WhyCorrupt::Skipped { next: self.next() }
        } else {
            return Ok(());
        };
        Err(self.reading.corrupt(now, fault))
    }

    /// The cycle of the next check, that is, the number of cycles that the node has run by then; never if no chunk so
    /// far has one.
    #[inline]
    pub fn next_checkpoint(&self) -> Due {
        self.reading.marks.next()
    }

    /// The next check, if it is at `run` cycles or earlier; call it until there is none.
    #[inline]
    pub fn checkpoint(&mut self, run: Cycle) -> Option<Check> {
        self.reading.marks.take(run)
    }
}
