//! One node's chunks, read token by token.

use super::marks::Marks;
use crate::record::MAX_LINK_PORTS;
use crate::record::chunk::Chunk;
use crate::record::code::Code;
use crate::record::corrupt::{Corrupt, WhyCorrupt};
use flitwork_types::{Cycle, Due, MAX_PORTS, NodeId};
use std::collections::VecDeque;

/// One node's chunks, read token by token.
#[derive(Clone, Debug)]
pub(in crate::record) struct Reading {
    /// The cycle of the next token, if any chunk so far has one.
    pub(in crate::record) due: Due,
    /// That token's symbol.
    symbol: u32,
    /// The first cycle that no chunk covers.
    pub(in crate::record) upto: u32,
    code: Code,
    ports: usize,
    pub(in crate::record) node: NodeId,
    tokens: Tokens,
    pub(in crate::record) marks: Marks,
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
    fn next(&mut self, code: Code) -> Result<Option<(u32, u32)>, WhyCorrupt> {
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
        let (symbol, gap) = code.get(&mut left).ok_or(WhyCorrupt::Token)?;
        if gap == 0 && symbol < self.least {
            return Err(WhyCorrupt::Order);
        }
        let cycle = self.last.checked_add(gap).ok_or(WhyCorrupt::Token)?;
        if cycle >= self.upto {
            return Err(WhyCorrupt::Beyond {
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

/// What the tokens of a cycle say, one bit per port.
pub(in crate::record) struct Symbols {
    /// Words that were not predicted, or missing ones that were.
    pub(in crate::record) words: u64,
    pub(in crate::record) credits: u64,
    pub(in crate::record) turns: u64,
    pub(in crate::record) injected: u64,
}

impl Reading {
    /// Before the node's first chunk.
    pub(in crate::record) fn new(node: NodeId, ports: usize) -> Reading {
        assert!(ports <= MAX_LINK_PORTS, "{ports} link ports at a node");
        Reading {
            due: Due::NEVER,
            symbol: 0,
            upto: 0,
            code: Code::new(ports, 1),
            ports,
            node,
            tokens: Tokens::default(),
            marks: Marks::default(),
        }
    }

    /// The node has this many local ports.
    pub(in crate::record) fn set_locals(&mut self, locals: usize) {
        let ports = self.ports;
        assert!(
            ports + locals <= MAX_PORTS,
            "{ports} link ports and {locals} local ones at a node"
        );
        self.code = Code::new(ports, locals);
    }

    /// Adds the node's next chunk; returns its heads.
    ///
    /// # Errors
    /// As [`super::Decoder::push`].
    pub(in crate::record) fn push(&mut self, chunk: Chunk) -> Result<Vec<u8>, Corrupt> {
        let fault = if chunk.node != self.node {
            Some(WhyCorrupt::Node { found: chunk.node })
        } else if chunk.from.0 != self.upto {
            Some(WhyCorrupt::From { found: chunk.from })
        } else if chunk.upto <= chunk.from || chunk.upto > Cycle::LAST {
            Some(WhyCorrupt::Upto { found: chunk.upto })
        } else {
            let due = Chunk::checks_between(chunk.from, chunk.upto);
            (chunk.checks.len() != due).then_some(WhyCorrupt::Checks {
                found: chunk.checks.len(),
                due,
            })
        };
        if let Some(fault) = fault {
            return Err(self.corrupt(self.upto, fault));
        }
        let (from, upto) = (chunk.from.0, chunk.upto.0);
        self.upto = upto;
        self.marks.push(chunk.upto, chunk.digest_low, chunk.checks);
        if !chunk.tokens.is_empty() {
            self.tokens.later.push_back((chunk.tokens, from, upto));
            if self.due == Due::NEVER {
                self.read()?;
            }
        }
        Ok(chunk.heads)
    }

    /// Takes all tokens of the next token's cycle.
    ///
    /// # Errors
    /// If the bytes after them are not a token: nothing more is covered then.
    #[inline]
    pub(in crate::record) fn take(&mut self) -> Result<Symbols, Corrupt> {
        let now = self.due;
        let ports = self.ports as u32;
        let mut sets = [0; 4];
        while self.due == now {
            // Which kind of symbol it is, without a branch.
            let symbol = self.symbol;
            let behind = |kind: u32| u32::from(symbol >= kind * ports);
            let kind = behind(1) + behind(2) + behind(3);
            sets[kind as usize] |= 1 << (symbol - kind * ports);
            self.read()?;
        }
        let [words, credits, turns, injected] = sets;
        Ok(Symbols {
            words,
            credits,
            turns,
            injected: injected << ports,
        })
    }

    /// Reads the next token in advance, so that its cycle is known at no cost.
    #[inline]
    fn read(&mut self) -> Result<(), Corrupt> {
        match self.tokens.next(self.code) {
            Ok(Some((cycle, symbol))) => (self.due, self.symbol) = (Cycle(cycle).into(), symbol),
            Ok(None) => self.due = Due::NEVER,
            Err(fault) => return Err(self.give_up(fault)),
        }
        Ok(())
    }

    /// Nothing is known after bytes that make no sense: no further token comes. The caller says up to which cycle those
    /// before them are covered.
    #[cold]
    pub(in crate::record) fn give_up(&mut self, fault: WhyCorrupt) -> Corrupt {
        let corrupt = self.corrupt(self.tokens.last, fault);
        self.tokens = Tokens::default();
        self.due = Due::NEVER;
        corrupt
    }

    pub(in crate::record) fn corrupt(&self, cycle: u32, fault: WhyCorrupt) -> Corrupt {
        Corrupt {
            node: self.node,
            cycle: Cycle(cycle),
            fault,
        }
    }
}
