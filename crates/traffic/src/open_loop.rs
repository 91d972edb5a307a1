//! What all open-loop processes share: sources that make packets regardless of deliveries.
//!
//! A process determines the cycles in which a source makes packets, a pattern their destinations, and [`Lengths`] their
//! lengths. Nothing depends on deliveries, so a source's packets can be computed any number of cycles ahead. A source
//! draws the gaps between its packets from its own stream, so an idle one costs nothing.

use crate::{Birth, Draws, Lengths, Offer, Pattern, Workload};
use flitwork_types::{Cycle, TerminalId};
use std::sync::Arc;

/// Sources whose state is allocated together, when the first of them is asked for a packet.
const BLOCK: usize = 256;

/// The context of an open-loop process.
pub struct OpenLoop {
    /// Where packets go.
    pub pattern: Box<dyn Pattern>,
    /// Their lengths.
    pub lengths: Lengths,
    /// The first cycle without packets.
    pub until: Cycle,
    /// The seed of all draws.
    pub seed: u64,
    /// The number of terminals.
    pub terminals: u32,
}

/// The cycles in which sources make packets.
pub trait Process: Send + Sync + 'static {
    /// The state of a source.
    type State: Clone + Send;

    /// The state of a source before cycle 0.
    fn start(&self, draws: &mut Draws) -> Self::State;

    /// The next cycle before `until` in which `source` makes a packet. Once it is `None`, it stays `None`.
    fn next(
        &self,
        source: TerminalId,
        state: &mut Self::State,
        draws: &mut Draws,
        until: Cycle,
    ) -> Option<Cycle>;

    /// The pattern of destinations in a cycle.
    fn pattern(&self, cycle: Cycle) -> &dyn Pattern;

    /// Whether `source` never sends; by default, whether the pattern silences it.
    #[inline]
    fn silent(&self, source: TerminalId) -> bool {
        self.pattern(Cycle::ZERO).silent(source)
    }
}

/// The sources of a process, each with its own stream. Each packet takes the process's draws for its cycle, then the
/// pattern's draws for its destination, then the draw for its length, if any.
pub struct Sources<P: Process> {
    pub(crate) process: Arc<P>,
    lengths: Lengths,
    until: Cycle,
    seed: u64,
    terminals: u32,
    blocks: Vec<Option<Box<Block<P::State>>>>,
}

/// The state of consecutive sources.
#[derive(Clone)]
struct Block<S> {
    draws: [Draws; BLOCK],
    states: [S; BLOCK],
}

impl<S> Block<S> {
    fn new(seed: u64, first: u32, start: impl Fn(&mut Draws) -> S) -> Box<Block<S>> {
        let mut draws: [Draws; BLOCK] = std::array::from_fn(|place| {
            Draws::new(seed, TerminalId(first.wrapping_add(place as u32)))
        });
        let states = std::array::from_fn(|place| start(&mut draws[place]));
        Box::new(Block { draws, states })
    }
}

/// The process is shared: only its sources have a state.
impl<P: Process> Clone for Sources<P> {
    fn clone(&self) -> Self {
        Sources {
            process: self.process.clone(),
            lengths: self.lengths.clone(),
            blocks: self.blocks.clone(),
            ..*self
        }
    }
}

impl<P: Process> Sources<P> {
    /// The sources of a network of `terminals` terminals from cycle 0 to the cycle before `until`.
    pub(crate) fn of(
        process: P,
        lengths: Lengths,
        until: Cycle,
        seed: u64,
        terminals: u32,
    ) -> Self {
        let blocks = (terminals as usize).div_ceil(BLOCK);
        Sources {
            process: Arc::new(process),
            lengths,
            until,
            seed,
            terminals,
            blocks: std::iter::repeat_with(|| None).take(blocks).collect(),
        }
    }

    /// The same traffic with packets of these lengths. A network whose packets have one length ignores them.
    #[must_use]
    pub fn with_lengths(self, lengths: Lengths) -> Self {
        Sources { lengths, ..self }
    }

    /// The same traffic with `words` words per packet.
    ///
    /// # Panics
    /// If `words` is 0.
    #[must_use]
    pub fn of_words(self, words: u16) -> Self {
        self.with_lengths(Lengths::fixed(words))
    }

    /// The next packet of a terminal.
    #[inline]
    fn birth(&mut self, source: TerminalId) -> Option<Birth> {
        if source.0 >= self.terminals || self.process.silent(source) {
            return None;
        }
        let (block, place) = (source.index() / BLOCK, source.index() % BLOCK);
        let process = &self.process;
        let block = self.blocks[block].get_or_insert_with(|| {
            Block::new(self.seed, (block * BLOCK) as u32, |draws| {
                process.start(draws)
            })
        });
        let (draws, state) = (&mut block.draws[place], &mut block.states[place]);
        let created = process.next(source, state, draws, self.until)?;
        let destination = process.pattern(created).destination(source, draws)?;
        Some(Birth {
            created,
            destination,
            words: self.lengths.draw(draws),
            class: 0,
        })
    }

    /// The number of blocks that are allocated.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> usize {
        self.blocks.iter().flatten().count()
    }
}

impl<P: Process> Workload for Sources<P> {
    #[inline]
    fn next(&mut self, source: TerminalId, _: Cycle) -> Offer {
        self.birth(source).map_or(Offer::Never, Offer::Packet)
    }

    /// Draws every source's first packet anew.
    fn sources(&self) -> Vec<TerminalId> {
        let makes_any = |source: &TerminalId| {
            let mut draws = Draws::new(self.seed, *source);
            let mut state = self.process.start(&mut draws);
            let first = |draws| self.process.next(*source, &mut state, draws, self.until);
            !self.process.silent(*source) && Some(&mut draws).and_then(first).is_some()
        };
        (0..self.terminals)
            .map(TerminalId)
            .filter(makes_any)
            .collect()
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Every node but 3 sends to node 0, and node 0 to node 1; takes one draw.
    pub(crate) struct Simple;

    impl Pattern for Simple {
        fn destination(&self, source: TerminalId, draws: &mut Draws) -> Option<TerminalId> {
            draws.below(2);
            (!self.silent(source)).then_some(TerminalId(u32::from(source.0 == 0)))
        }

        fn silent(&self, source: TerminalId) -> bool {
            source == TerminalId(3)
        }
    }

    /// Packets of one word by [`Simple`].
    pub(crate) fn simple(until: u32, terminals: u32) -> OpenLoop {
        OpenLoop {
            pattern: Box::new(Simple),
            lengths: Lengths::fixed(1),
            until: Cycle(until),
            seed: 11,
            terminals,
        }
    }

    /// The cycles of all packets of a node.
    pub(crate) fn cycles(workload: &mut dyn crate::Workload, node: u32) -> Vec<u32> {
        let next = || workload.next(TerminalId(node), Cycle::ZERO).packet();
        std::iter::from_fn(next)
            .map(|birth| birth.created.0)
            .collect()
    }

    /// The mean of independent observations, and five standard errors of it.
    pub(crate) fn mean(observations: &[f64]) -> (f64, f64) {
        let n = observations.len() as f64;
        let mean = observations.iter().sum::<f64>() / n;
        let squares: f64 = observations.iter().map(|x| (x - mean).powi(2)).sum();
        (mean, 5.0 * (squares / (n - 1.0) / n).sqrt())
    }

    /// Takes all packets of one node after another, and one packet of each node in turn: both must give the same packets,
    /// and `sources` must list the nodes that make any.
    pub(crate) fn order_does_not_matter(make: impl Fn() -> Box<dyn crate::Workload>, nodes: u32) {
        let mut one_by_one = make();
        assert!(one_by_one.foresees());
        let mut all = |node| -> Vec<Birth> {
            let next = || one_by_one.next(TerminalId(node), Cycle::ZERO).packet();
            std::iter::from_fn(next).collect()
        };
        let expected: Vec<Vec<Birth>> = (0..nodes).map(&mut all).collect();
        assert!(all(nodes).is_empty() && all(u32::MAX).is_empty());
        let mut in_turn = make();
        let mut found = vec![Vec::new(); nodes as usize];
        let longest = expected.iter().map(Vec::len).max().unwrap_or(0);
        for _ in 0..longest + 2 {
            for node in (0..nodes).rev() {
                let next = in_turn.next(TerminalId(node), Cycle::ZERO).packet();
                found[node as usize].extend(next);
            }
        }
        assert_eq!(found, expected);
        let sources: Vec<TerminalId> = (0..nodes)
            .map(TerminalId)
            .filter(|node| !expected[node.index()].is_empty())
            .collect();
        assert_eq!(in_turn.sources(), sources);
        let in_order = |births: &Vec<Birth>| births.is_sorted_by_key(|birth| birth.created);
        assert!(expected.iter().all(in_order));
    }

    #[test]
    fn state_is_small() {
        assert!(size_of::<Block<Cycle>>() <= 24 * BLOCK);
    }
}
