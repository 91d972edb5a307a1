//! Cycles of counted words that can be passed over at once.
//!
//! While a packet streams through a node, most cycles move one word from each of its frames to the next
//! and do nothing else: no decision, no head, no tail, no credit. What so many cycles do to the counts is
//! known without stepping them. Every cycle in which anything else happens is stepped.

use super::{Chaos, Counted, Mask, Node};
use crate::chaos::counted::Passage;
use arrayvec::ArrayVec;
use flitwork_node::Place;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, MAX_PORTS, Port, PortSet};

/// How the words of one passage move in each of the next cycles.
struct Pace {
    /// Whether a word comes in.
    comes: bool,
    /// Whether a word moves into each of the stages after the first.
    moves: [bool; 2],
    /// The port through which a word leaves.
    leaves: Option<Port>,
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, Node<M, P, Q, Counted>> {
    /// Passes over at most `most` cycles from `now` on, in each of which one word comes in at each of the
    /// ports `coming`, none of them a head, and no credit; gives how many, 0 where the next must be
    /// stepped. `sends` is told of each port through which a word leaves in each of them, and the first
    /// of these words.
    pub(super) fn glide_over(
        &self,
        state: &mut Node<M, P, Q, Counted>,
        now: Cycle,
        coming: PortSet,
        most: u32,
        mut sends: impl FnMut(Port, u16),
    ) -> u32 {
        let mut cycles = most.min(self.next_decision(state, now).since(now));
        for (_, leaves) in &state.flow.credits {
            cycles = cycles.min(leaves.since(now));
        }
        let mut paces = ArrayVec::<Pace, { 2 * MAX_PORTS + 64 }>::new();
        for passage in &state.flow.passages {
            if cycles < 2 {
                return 0;
            }
            let (pace, at_most) = self.pace(state, passage, now, coming);
            cycles = cycles.min(at_most);
            paces.push(pace);
        }
        if cycles < 2 {
            return 0;
        }
        let words = cycles as u16;
        for (passage, pace) in state.flow.passages.iter_mut().zip(&paces) {
            passage.stages[0].words += u16::from(pace.comes) * words;
            for (stage, moves) in passage.stages[1..].iter_mut().zip(pace.moves) {
                stage.words += u16::from(moves) * words;
            }
            if let Some(port) = pace.leaves {
                if port != self.local {
                    sends(port, passage.sent);
                }
                passage.sent += words;
            }
        }
        cycles
    }

    /// How a passage's words move in each cycle from `now` on, and for how many cycles they do.
    fn pace(
        &self,
        state: &Node<M, P, Q, Counted>,
        passage: &Passage,
        now: Cycle,
        coming: PortSet,
    ) -> (Pace, u32) {
        let words = self.parameters.packet_words;
        // A last word is always stepped: it ends something.
        let before_last = |moved: u16| u32::from(words - 1 - moved.min(words - 1));
        let first = passage.stages[0];
        let comes = first.words < words
            && matches!(first.place, Place::Input(port) if coming.contains(port));
        let mut pace = Pace {
            comes,
            moves: [false; 2],
            leaves: None,
        };
        let mut cycles = if comes {
            before_last(first.words)
        } else {
            u32::MAX
        };
        if passage.vanishes {
            return (pace, cycles);
        }
        let (mut behind, mut behind_moves) = (first.words, comes);
        for (index, stage) in passage.stages[1..].iter().enumerate() {
            let gap = behind - stage.words;
            let mut moves = false;
            if stage.words == words {
            } else if now < stage.starts {
                cycles = cycles.min(stage.starts.since(now));
            } else if gap > 0 || (index == 0 && behind_moves) {
                // The word that makes the packet ready for a decision is stepped.
                if u32::from(stage.words) <= self.lag_cycles {
                    cycles = cycles.min(self.lag_cycles - u32::from(stage.words));
                }
                if !behind_moves {
                    cycles = cycles.min(gap.into());
                }
                cycles = cycles.min(before_last(stage.words));
                moves = true;
            } else if behind_moves {
                return (pace, 0);
            }
            pace.moves[index] = moves;
            (behind, behind_moves) = (stage.words, moves);
        }
        if let (Place::Output(port), true) = (passage.last().place, passage.stages.len() > 1) {
            cycles = cycles.min(self.leaving(state, passage, port, behind_moves, now, &mut pace));
        }
        (pace, cycles)
    }

    /// The same for the words that leave over a link.
    fn leaving(
        &self,
        state: &Node<M, P, Q, Counted>,
        passage: &Passage,
        port: Port,
        behind_moves: bool,
        now: Cycle,
        pace: &mut Pace,
    ) -> u32 {
        let gap = passage.last().words - passage.sent;
        if passage.sent == 0 {
            let ready = state.outputs[port.index()].ready_or_credit_from;
            let no_credit = state.no_credit.get() >> port.0 & 1 == 1;
            return if no_credit {
                u32::MAX
            } else {
                ready.since(now)
            };
        }
        match (gap, behind_moves) {
            (0, true) => 0,
            (0, false) => u32::MAX,
            (gap, _) => {
                pace.leaves = Some(port);
                let words = self.parameters.packet_words;
                let before_last = u32::from(words - 1 - passage.sent);
                if behind_moves {
                    before_last
                } else {
                    before_last.min(gap.into())
                }
            }
        }
    }
}
