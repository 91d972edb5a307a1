//! From arrivals to tokens.

use super::arrivals::Arrivals;
use super::chunk::Chunk;
use super::code::Code;
use super::flow::{Flow, bits};
use super::heads::{Head, HeadEncoder};
use super::{CHECK_CYCLES, MAX_LINK_PORTS};
use flitwork_types::{Cycle, MAX_PORTS, NodeId, PortSet};

/// Encodes what arrives at one node.
#[derive(Clone, Debug)]
pub struct Encoder {
    tokens: Vec<u8>,
    checks: Vec<u8>,
    flow: Flow,
    code: Code,
    locals: usize,
    /// The first cycle that the pending chunk covers.
    from: u32,
    /// The first cycle that has not been noted.
    at: u32,
    /// The cycle from which the next token's gap counts.
    last: u32,
    /// Which packets arrived, if it records that.
    heads: Option<Box<HeadEncoder>>,
}

impl Encoder {
    /// An encoder for a node with `ports` link ports before its cycle 0, in a network whose packets have
    /// `packet_words` words (0 counts as 1). The decoder must get the same numbers.
    ///
    /// # Panics
    /// With more than [`MAX_LINK_PORTS`] ports.
    pub fn new(packet_words: u16, ports: usize) -> Encoder {
        assert!(ports <= MAX_LINK_PORTS, "{ports} link ports at a node");
        Encoder {
            tokens: Vec::new(),
            checks: Vec::new(),
            flow: Flow::new(packet_words, ports),
            code: Code::new(ports, 1),
            locals: 1,
            from: 0,
            at: 0,
            last: 0,
            heads: None,
        }
    }

    /// The same for a node with this many local ports: 1 if nothing is said.
    ///
    /// # Panics
    /// If it has more than [`MAX_PORTS`] ports altogether.
    #[must_use]
    pub fn with_locals(self, locals: usize) -> Encoder {
        let ports = self.flow.ports();
        assert!(
            ports + locals <= MAX_PORTS,
            "{ports} link ports and {locals} local ones at a node"
        );
        Encoder {
            code: Code::new(ports, locals),
            locals,
            ..self
        }
    }

    /// The same for a record that also says which packets arrived.
    #[must_use]
    pub fn with_heads(mut self) -> Encoder {
        self.heads = Some(Box::default());
        self
    }

    /// Whether it records which packets arrive.
    #[inline]
    pub fn has_heads(&self) -> bool {
        self.heads.is_some()
    }

    /// Notes a head that arrives in the cycle that is noted next; the heads of one cycle in the order of their ports.
    /// Only for an encoder [`Encoder::with_heads`].
    #[inline]
    pub fn head(&mut self, head: &Head) {
        if let Some(heads) = &mut self.heads {
            heads.put(head);
        }
    }

    /// Whether the next cycle may not be skipped even if it is quiet, because a word is predicted in it.
    #[inline]
    pub fn expects_any(&self) -> bool {
        self.flow.flowing() != 0
    }

    /// Notes what arrived in cycle `now`. Cycles between this call and the previous one are quiet.
    ///
    /// # Panics
    /// If `now` is not later than in the previous call, lies before the pending chunk or after [`Cycle::LAST`], or if a
    /// set holds a port that the node does not have.
    #[inline]
    pub fn cycle(&mut self, now: Cycle, arrivals: &Arrivals) {
        let now = now.0;
        if now != self.at {
            self.skip(now);
        }
        self.at = now + 1;
        let changes = arrivals.words.0 ^ self.flow.flowing()
            | arrivals.credits.0
            | arrivals.turns.0
            | arrivals.injected.0;
        if changes == 0 && self.flow.goes_on(now) {
            return;
        }
        self.note(now, arrivals);
    }

    /// Notes that nothing arrived after the latest cycle and before `upto`.
    fn skip(&mut self, upto: u32) {
        assert!(
            upto >= self.at && upto <= Cycle::LAST.0,
            "cycle {upto} comes after cycle {}",
            self.at
        );
        // After one quiet cycle nothing is predicted, so that further ones cost nothing.
        if upto > self.at && self.expects_any() {
            let first = self.at;
            self.at = first + 1;
            self.note(first, &Arrivals::default());
        }
    }

    fn note(&mut self, now: u32, arrivals: &Arrivals) {
        let (ports, locals) = (self.flow.ports(), self.locals);
        let all = arrivals.words.0 | arrivals.credits.0 | arrivals.turns.0;
        let (injected, links) = (arrivals.injected.0, PortSet::first(ports).0);
        let every = PortSet::first(ports + locals).0;
        assert!(
            all & !links == 0 && injected & !(every ^ links) == 0,
            "{arrivals:?} at a node with {ports} link ports and {locals} local ones, cycle {now}"
        );
        let words = arrivals.words.0;
        let kinds = [
            words ^ self.flow.flowing(),
            arrivals.credits.0,
            arrivals.turns.0,
            injected >> ports,
        ];
        for (kind, set) in kinds.into_iter().enumerate() {
            for port in bits(set) {
                let symbol = (kind * ports + port) as u32;
                self.code.put(&mut self.tokens, symbol, now - self.last);
                self.last = now;
            }
        }
        if let Some(heads) = &mut self.heads {
            heads.owed += i64::from(self.flow.heads(words).count_ones());
        }
        self.flow.advance(now, words);
    }

    /// Notes the lowest byte of the node's digest. Call it each time the cycles that the node has run reach a multiple
    /// of [`CHECK_CYCLES`], before taking a chunk that covers them.
    #[inline]
    pub fn check(&mut self, digest_low: u8) {
        self.checks.push(digest_low);
    }

    /// How many bytes wait to be taken.
    #[inline]
    pub fn bytes(&self) -> usize {
        let heads = self.heads.as_ref().map_or(0, |heads| heads.bytes.len());
        self.tokens.len() + self.checks.len() + heads
    }

    /// Takes what has been noted since the previous chunk; it covers the cycles before `upto`. `digest_low` is the
    /// lowest byte of the node's digest after `upto` cycles. `None` if that is no cycle at all. Predictions continue
    /// across the boundary.
    ///
    /// # Panics
    /// If `upto` lies before a cycle that has been noted, or the number of check bytes or heads does not match the
    /// chunk's cycles.
    pub fn take_chunk(&mut self, node: NodeId, upto: Cycle, digest_low: u8) -> Option<Chunk> {
        self.skip(upto.0);
        if upto.0 == self.from {
            return None;
        }
        let from = Cycle(self.from);
        let due = Chunk::checks_between(from, upto);
        assert!(
            self.checks.len() == due,
            "node {node}, cycles {from} to {upto}: {} check bytes instead of {due}, one each \
             {CHECK_CYCLES} cycles",
            self.checks.len(),
        );
        let heads = self.heads.as_mut().map(|heads| {
            let owed = heads.owed;
            assert!(
                owed == 0,
                "node {node}, cycles {from} to {upto}: {owed} heads have come that were not noted"
            );
            let bytes = heads.bytes.as_slice().to_vec();
            heads.bytes.clear();
            bytes
        });
        (self.from, self.at, self.last) = (upto.0, upto.0, upto.0);
        // Copies fit exactly, and the encoder keeps its room for the chunks to come.
        let chunk = Chunk {
            node,
            from,
            upto,
            digest_low,
            tokens: self.tokens.as_slice().to_vec(),
            heads: heads.unwrap_or_default(),
            checks: self.checks.as_slice().to_vec(),
        };
        self.tokens.clear();
        self.checks.clear();
        Some(chunk)
    }
}
