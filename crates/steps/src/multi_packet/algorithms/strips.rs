//! Greedy after a randomisation in small strips (section 3).

use super::{
    Algorithm, Greedy, Move, Planned, Setting, Unfit, Where, check_strip, epsilon_key, strip,
};
use flitwork_schema::Key;

/// First to any place of a strip of ε nodes of the column, then as [`Greedy`]: for k = 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strips {
    /// ε, in nodes; n/8 unless given.
    pub epsilon: Option<u32>,
}

impl Algorithm for Strips {
    const NAME: &'static str = "strips";
    const HELP: &'static str =
        "greedy, after a randomisation in strips (Kaufmann and Sibeyn 1991, section 3)";
    const KEYS: &'static [Key<Strips>] = &[epsilon_key(|it| &mut it.epsilon)];

    fn check(&self, setting: &Setting) -> Result<(), Unfit> {
        check_strip(strip(self.epsilon, setting), setting.n, "the side")
    }

    fn epsilon(&self, setting: &Setting) -> Option<u32> {
        Some(strip(self.epsilon, setting))
    }

    fn plan(&self, setting: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>) {
        moves.push(Move {
            axis: 1,
            to: Where::Strip(strip(self.epsilon, setting)),
            stage: 0,
            phase: 0,
        });
        Greedy.plan(setting, packet, moves);
        for leg in &mut moves[1..] {
            (leg.stage, leg.phase) = (leg.stage + 1, leg.phase + 1);
        }
    }

    fn has_promise(&self, setting: &Setting) -> bool {
        Greedy.has_promise(setting)
    }

    /// 2n + ε.
    fn leading_steps(&self, setting: &Setting) -> f64 {
        Greedy.leading_steps(setting) + f64::from(strip(self.epsilon, setting))
    }
}
