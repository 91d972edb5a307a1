//! Greedy: along the row, then along the column (section 3).

use super::{Algorithm, Move, Planned, Setting, Where, side};

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

    fn has_promise(&self, setting: &Setting) -> bool {
        setting.k == 1 && !setting.wraps
    }

    /// 2n.
    fn leading_steps(&self, setting: &Setting) -> f64 {
        2.0 * side(setting)
    }
}
