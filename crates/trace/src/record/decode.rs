//! From tokens back to arrivals.

mod fault;
mod marks;

use super::MAX_LINK_PORTS;
use super::arrivals::Arrivals;
use super::chunk::Chunk;
use super::code::Code;
use super::flow::Flow;
use super::heads::{Head, HeadDecoder};
pub use fault::{Corrupt, Fault};
pub use marks::Check;
use marks::Marks;

use flitwork_types::{Cycle, NodeId, Port, PortSet};
use std::collections::VecDeque;

/// Reads what came to one node, cycle by cycle.
#[derive(Clone, Debug)]
pub struct Decoder {
    /// The first cycle that has not been taken.
    at: u32,
    /// The cycle of the next token, `u32::MAX` where no chunk that has come holds one.
    due: u32,
    /// That token's symbol.
    symbol: u32,
    /// The links that could not take a word in the latest cycle, one bit each.
    blocked: u32,
    flow: Flow,
    /// The first cycle that no chunk covers.
    upto: u32,
    code: Code,
    node: NodeId,
    tokens: Tokens,
    marks: Marks,
    /// Where it reads which packets came.
    heads: Option<Box<HeadDecoder>>,
}

/// The tokens that have not been read, and where the gaps count from.
#[derive(Clone, Debug, Default)]
struct Tokens {
    /// The chunk that is being read: its tokens, how many bytes of them have been read, its end.
    bytes: Vec<u8>,
    read: usize,
    upto: u32,
    /// The cycle from which the next token's gap counts.
    last: u32,
    /// The least symbol that may come next in cycle `last`.
    least: u32,
    /// The chunks after that one: tokens, first cycle, end.
    later: VecDeque<(Vec<u8>, u32, u32)>,
}

impl Tokens {
    /// The next token's cycle and symbol; `None` where there is none.
    #[inline]
    fn next(&mut self, code: Code) -> Result<Option<(u32, u32)>, Fault> {
        while self.read == self.bytes.len() {
            let Some((bytes, from, upto)) = self.later.pop_front() else {
                return Ok(None);
            };
            *self = Tokens {
                bytes,
                read: 0,
                upto,
                last: from,
                least: 0,
                later: std::mem::take(&mut self.later),
            };
        }
        let mut left = &self.bytes[self.read..];
        let (symbol, gap) = code.get(&mut left).ok_or(Fault::Token)?;
        if gap == 0 && symbol < self.least {
            return Err(Fault::Order);
        }
        let cycle = self.last.checked_add(gap).ok_or(Fault::Token)?;
        if cycle >= self.upto {
            return Err(Fault::Beyond {
                cycle: Cycle(cycle),
                upto: Cycle(self.upto),
            });
        }
        self.read = self.bytes.len() - left.len();
        self.last = cycle;
        self.least = symbol + 1;
        Ok(Some((cycle, symbol)))
    }
}

impl Decoder {
    /// A decoder for `node` before its cycle 0; `packet_words` and `ports` as its [`Encoder`] had them.
    ///
    /// # Panics
    /// With more than [`MAX_LINK_PORTS`] ports.
    ///
    /// [`Encoder`]: super::Encoder
    pub fn new(node: NodeId, packet_words: u16, ports: usize) -> Decoder {
        assert!(ports <= MAX_LINK_PORTS, "{ports} link ports at a node");
        Decoder {
            at: 0,
            due: u32::MAX,
            symbol: 0,
            blocked: 0,
            flow: Flow::new(packet_words, ports),
            upto: 0,
            code: Code::new(ports),
            node,
            tokens: Tokens::default(),
            marks: Marks::default(),
            heads: None,
        }
    }

    /// The same for a record that tells which packets came: see [`Decoder::heads`].
    #[must_use]
    pub fn with_heads(mut self) -> Decoder {
        self.heads = Some(Box::default());
        self
    }

    /// Adds the node's next chunk.
    ///
    /// # Errors
    /// Where it is another node's, doesn't start where the one before ended, covers no cycle or one after
    /// [`Cycle::LAST`], has another number of check bytes than its cycles ask for, or starts with bytes
    /// that are no token. The decoder is then as it was; after the last of these it covers nothing more.
    pub fn push(&mut self, chunk: Chunk) -> Result<(), Corrupt> {
        let fault = if chunk.node != self.node {
            Some(Fault::Node { found: chunk.node })
        } else if chunk.from.0 != self.upto {
            Some(Fault::From { found: chunk.from })
        } else if chunk.upto <= chunk.from || chunk.upto > Cycle::LAST {
            Some(Fault::Upto { found: chunk.upto })
        } else {
            let due = Chunk::checks_between(chunk.from, chunk.upto);
            (chunk.checks.len() != due).then_some(Fault::Checks {
                found: chunk.checks.len(),
                due,
            })
        };
        if let Some(fault) = fault {
            return Err(self.corrupt(self.upto, fault));
        }
        let (from, upto) = (chunk.from.0, chunk.upto.0);
        self.upto = upto;
        self.marks.push(chunk.upto, chunk.digest, chunk.checks);
        if let Some(heads) = &mut self.heads {
            heads.push(chunk.heads, upto);
        }
        if !chunk.tokens.is_empty() {
            self.tokens.later.push_back((chunk.tokens, from, upto));
            if self.due == u32::MAX {
                self.read()?;
            }
        }
        Ok(())
    }

    /// The first cycle that no chunk so far covers.
    #[inline]
    pub fn upto(&self) -> Cycle {
        Cycle(self.upto)
    }

    /// The first cycle that has not been taken and may not be left out: the earliest in which anything is
    /// recorded or predicted, [`Decoder::upto`] where there is none before that.
    #[inline]
    pub fn next(&self) -> Cycle {
        if self.expects_any() {
            Cycle(self.at)
        } else {
            Cycle(self.due.min(self.upto))
        }
    }

    /// Whether a word or a blocked link is predicted in the cycle after the latest that was taken.
    #[inline]
    pub fn expects_any(&self) -> bool {
        self.flow.flowing() | self.blocked != 0
    }

    /// For how many cycles from `now` on, a cycle that may be taken, just the predicted words come in, and
    /// at which ports; none of them is the last of its packet. 0 while a link is blocked.
    #[inline]
    pub fn steady(&self, now: Cycle) -> (u32, PortSet) {
        let until = self.due.min(self.upto).min(self.flow.changes_at());
        let cycles = match self.blocked {
            0 => until.saturating_sub(now.0),
            _ => 0,
        };
        (cycles, PortSet(u64::from(self.flow.flowing())))
    }

    /// Takes cycles from `now` on at once, at most as many as [`Decoder::steady`] tells.
    ///
    /// # Panics
    /// Where they are more.
    #[inline]
    pub fn take_steady(&mut self, now: Cycle, cycles: u32) {
        assert!(
            cycles <= self.steady(now).0,
            "{cycles} cycles are not all steady"
        );
        self.at = now.0 + cycles;
    }

    /// What came in cycle `now`. Cycles up to [`Decoder::next`] may be left out: nothing came in them.
    ///
    /// # Errors
    /// Where `now` is not covered yet, was taken or lies after [`Decoder::next`], and where the bytes
    /// after it are no token, or no head where one has come; after these the decoder covers nothing more.
    #[inline]
    pub fn take(&mut self, now: Cycle) -> Result<Arrivals, Corrupt> {
        let now = now.0;
        if now != self.at || now >= self.upto {
            self.check_place(now)?;
        }
        self.at = now + 1;
        if let Some(heads) = &mut self.heads {
            heads.latest.clear();
        }
        let words = self.flow.flowing();
        if now != self.due {
            if !self.flow.goes_on(now) {
                self.flow.advance(now, words);
            }
            return Ok(Arrivals {
                words: PortSet(u64::from(words)),
                blocked: PortSet(u64::from(self.blocked)),
                ..Arrivals::default()
            });
        }
        self.take_tokens(now, words)
    }

    fn take_tokens(&mut self, now: u32, words: u32) -> Result<Arrivals, Corrupt> {
        // The bits of all symbols side by side: taking them apart afterwards needs no branch a token.
        let mut symbols = 0_u128;
        while self.due == now {
            symbols |= 1 << self.symbol;
            self.read()?;
        }
        let ports = self.flow.ports();
        let all = PortSet::first(ports).0;
        let set = |kind: usize| (symbols >> (kind * ports)) as u64 & all;
        let words = words ^ set(0) as u32;
        self.blocked ^= set(2) as u32;
        if let Some(heads) = &mut self.heads
            && let Err(fault) = heads.take(now, self.flow.heads(words))
        {
            return Err(self.give_up(fault));
        }
        if words != self.flow.flowing() || !self.flow.goes_on(now) {
            self.flow.advance(now, words);
        }
        Ok(Arrivals {
            words: PortSet(u64::from(words)),
            credits: PortSet(set(1)),
            blocked: PortSet(u64::from(self.blocked)),
            injected: symbols >> (3 * ports) != 0,
        })
    }

    /// Of a decoder [`Decoder::with_heads`]: which packets' heads came in the cycle that was taken last, in
    /// the order of their ports.
    #[inline]
    pub fn heads(&self) -> &[(Port, Head)] {
        self.heads.as_ref().map_or(&[], |heads| &heads.latest)
    }

    /// Reads the next token ahead, so that [`Decoder::next`] costs nothing.
    #[inline]
    fn read(&mut self) -> Result<(), Corrupt> {
        match self.tokens.next(self.code) {
            Ok(Some((cycle, symbol))) => (self.due, self.symbol) = (cycle, symbol),
            Ok(None) => self.due = u32::MAX,
            Err(fault) => return Err(self.give_up(fault)),
        }
        Ok(())
    }

    /// Behind a bad token nothing is known: the decoder covers nothing more and takes no more chunks.
    #[cold]
    fn give_up(&mut self, fault: Fault) -> Corrupt {
        let corrupt = self.corrupt(self.tokens.last, fault);
        self.tokens = Tokens::default();
        self.due = u32::MAX;
        self.upto = self.at;
        corrupt
    }

    /// Whether cycle `now` may be taken though it isn't the next.
    fn check_place(&self, now: u32) -> Result<(), Corrupt> {
        let fault = if now < self.at {
            Fault::Taken
        } else if now >= self.upto {
            Fault::NotCovered
        } else if now > self.next().0 {
            Fault::Skipped { next: self.next() }
        } else {
            return Ok(());
        };
        Err(self.corrupt(now, fault))
    }

    /// The cycle at which the next check stands, that is the number of cycles the node has then run;
    /// [`Cycle::NEVER`] where no chunk so far holds one.
    #[inline]
    pub fn next_checkpoint(&self) -> Cycle {
        self.marks.next()
    }

    /// The next check, if it stands at `run` cycles run or before; to be called until there is none.
    #[inline]
    pub fn checkpoint(&mut self, run: Cycle) -> Option<Check> {
        if run < self.marks.next() {
            return None;
        }
        self.marks.pop()
    }

    fn corrupt(&self, cycle: u32, fault: Fault) -> Corrupt {
        Corrupt {
            node: self.node,
            cycle: Cycle(cycle),
            fault,
        }
    }
}
