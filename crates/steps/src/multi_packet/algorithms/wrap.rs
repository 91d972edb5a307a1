//! WrapRoute (sections 8.1 and 8.3).

use super::nowrap::{in_turn, leg, line_of_worms};
use super::{Algorithm, Move, Planned, Setting, Where, colour, flits, side};

/// A packet of colour l goes to any place along axes l to l + d - 1, and then to its own along the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrap;

impl Algorithm for Wrap {
    const NAME: &'static str = "wrap";
    const HELP: &'static str = "WrapRoute (Kaufmann and Sibeyn 1991, section 8)";
    const ANY_DIMENSIONS: bool = true;
    const HAS_WORMS: bool = true;

    fn plan(&self, setting: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>) {
        let d = setting.d;
        let first = colour(setting, packet, d);
        let axes = || (0..d).map(|number| (first + number) % d);
        moves.extend(axes().map(|axis| leg((axis, Where::Anywhere))));
        moves.extend(axes().map(|axis| leg((axis, Where::At(packet.to[axis])))));
        in_turn(moves);
    }

    /// 2d phases, each as long as a randomisation of k/d packets a node: Lemma 8 on rings, Lemma 3 on lines.
    fn leading_steps(&self, setting: &Setting) -> f64 {
        let (n, d, k) = (side(setting), setting.d as f64, flits(setting));
        let phase = match (setting.wraps, setting.flits) {
            (true, 1) => (n / 2.0).max(k * n / (8.0 * d)),
            (false, 1) => n.max(k * n / (4.0 * d)),
            // Lemma 12, and Lemma 6.
            (true, _) => k * n / (8.0 * d) + n / 2.0,
            (false, _) => n.max(line_of_worms(n, k / d)),
        };
        2.0 * d * phase
    }

    /// The same: packets are spread in any case (section 7.4).
    fn average_steps(&self, setting: &Setting) -> Option<f64> {
        Some(self.leading_steps(setting))
    }
}
