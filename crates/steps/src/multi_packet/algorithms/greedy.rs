//! Greedy: along the row, then along the column (section 3).

use super::{Algorithm, Move, Planned, Setting, Where, flits, side};

/// Along the row to the column of the destination, then along that: for k = 1, with queues of up to n packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Greedy;

impl Algorithm for Greedy {
    const NAME: &'static str = "greedy";
    const HELP: &'static str =
        "along the row, then along the column (Kaufmann and Sibeyn 1991, section 3)";

    fn plan(&self, _: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>) {
        let legs = (0..2).map(|axis| Move {
            axis,
            to: Where::At(packet.to[axis]),
            stage: axis as u16,
            phase: axis as u32,
        });
        moves.extend(legs);
    }

    /// 2n for k = 1. In general k n a phase, by Lemma 2: what is to come to one node.
    fn leading_steps(&self, setting: &Setting) -> f64 {
        2.0 * flits(setting) * side(setting)
    }
}
