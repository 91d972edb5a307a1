//! NoWrapRoute (sections 7.1 and 7.3).

use super::{Algorithm, Move, Planned, Setting, Where, colour, flits, side};
use flitwork_schema::{Allowed, Key, key};

/// A packet of colour l goes to any place along axes l to l + d - 2, to its own along axis l + d - 1, and then to its own along
/// the first ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoWrap {
    /// Whether packets are spread first, without which random problems are as well routed (section 7.4).
    pub randomise: bool,
}

impl Default for NoWrap {
    fn default() -> NoWrap {
        NoWrap { randomise: true }
    }
}

impl NoWrap {
    /// The steps of `balanced` phases, in which a random half of a line's packets crosses its middle, and of one in which all may.
    fn steps(setting: &Setting, balanced: f64, all: f64) -> f64 {
        let (n, d, k) = (side(setting), setting.d as f64, flits(setting));
        // Lemmas 3 and 8: kn/4 on a line and kn/8 on a ring. Corollary 1, and Lemma 7 alike: kn/2.
        let half = if setting.wraps { n / 2.0 } else { n };
        let part = if setting.wraps { 8.0 } else { 4.0 };
        let [random, whole] = [k * n / (part * d), k * n / (2.0 * d)];
        if setting.flits == 1 {
            return balanced * half.max(random) + all * half.max(whole);
        }
        // Lemmas 5, 11, Corollary 2 and Lemma 10: of any order.
        match setting.wraps {
            true => balanced * (random + n / 2.0) + all * (whole + n / 2.0),
            false => {
                let sum = balanced * line_of_worms(n, k / d) + all * (whole + n / 2.0);
                sum.max((balanced + all) * n)
            }
        }
    }
}

impl Algorithm for NoWrap {
    const NAME: &'static str = "nowrap";
    const HELP: &'static str = "NoWrapRoute (Kaufmann and Sibeyn 1991, section 7)";
    #[rustfmt::skip]
    const KEYS: &'static [Key<NoWrap>] = &[
        key("randomise", |it| &mut it.randomise, Allowed::Truth, "true", "whether packets are spread before they are routed"),
    ];
    const ANY_DIMENSIONS: bool = true;
    const HAS_WORMS: bool = true;

    fn plan(&self, setting: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>) {
        let d = setting.d;
        let first = colour(setting, packet, d);
        let axis = |number: usize| (first + number) % d;
        if self.randomise {
            moves.extend(
                (0..d - 1)
                    .map(|number| (axis(number), Where::Anywhere))
                    .map(leg),
            );
        }
        let own = |axis: usize| (axis, Where::At(packet.to[axis]));
        moves.push(leg(own(axis(d - 1))));
        moves.extend((0..d - 1).map(|number| leg(own(axis(number)))));
        in_turn(moves);
    }

    /// Without, a line's packets may all go to one node.
    fn has_promise(&self, _: &Setting) -> bool {
        self.randomise
    }

    /// Lemmas 22 and 23: 2(d - 1) max(n, kn/4d) + max(n, kn/2d).
    fn leading_steps(&self, setting: &Setting) -> f64 {
        NoWrap::steps(setting, 2.0 * (setting.d as f64 - 1.0), 1.0)
    }

    /// In random problems all phases are balanced (section 7.4).
    fn average_steps(&self, setting: &Setting) -> Option<f64> {
        let d = setting.d as f64;
        let phases = if self.randomise { 2.0 * d - 1.0 } else { d };
        Some(NoWrap::steps(setting, phases, 0.0))
    }
}

/// The steps of worms of which a random half of the words crosses the middle of a line, `words` a node (Lemma 5): the most of
/// n - i + words i (n - i)/n over all places i. Below a word a node that is n, at the line's beginning.
pub(super) fn line_of_worms(n: f64, words: f64) -> f64 {
    match words < 1.0 {
        true => n,
        false => words * n / 4.0 + n / (4.0 * words) + n / 2.0,
    }
}

/// A leg whose turn is still to be said.
pub(super) fn leg((axis, to): (usize, Where)) -> Move {
    Move {
        axis,
        to,
        stage: 0,
        phase: 0,
    }
}

/// Each leg is a phase.
pub(super) fn in_turn(moves: &mut [Move]) {
    for (number, leg) in moves.iter_mut().enumerate() {
        (leg.stage, leg.phase) = (number as u16, number as u32);
    }
}
