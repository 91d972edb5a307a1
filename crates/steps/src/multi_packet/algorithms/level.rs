//! LevelRoute: two colours, and k/2 levels that follow each other (section 6).

use super::{
    Algorithm, Move, Planned, Setting, Unfit, Where, check_levels, check_strip, colour,
    epsilon_key, level, side, strip,
};
use flitwork_schema::Key;

/// In pass l the packets of level l are spread along the column, in strips of ε nodes; then they go along the row, while those
/// of level l - 1 go along the column. Packets of the other colour do so with rows and columns exchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// ε, in nodes; n/8 unless given.
    pub epsilon: Option<u32>,
}

/// Steps k/2 + 1 times over √(n ln n): a term of lower order a pass.
pub(super) fn excess_unit(setting: &Setting) -> f64 {
    passes(setting) * (side(setting) * setting.ln_n()).sqrt()
}

/// k/2 + 1.
pub(super) fn passes(setting: &Setting) -> f64 {
    f64::from(setting.k) / 2.0 + 1.0
}

impl Algorithm for Level {
    const NAME: &'static str = "level";
    const HELP: &'static str =
        "LevelRoute: k/2 levels, one after the other (Kaufmann and Sibeyn 1991, section 6)";
    const KEYS: &'static [Key<Level>] = &[epsilon_key(|it| &mut it.epsilon)];

    fn check(&self, setting: &Setting) -> Result<(), Unfit> {
        check_levels(setting)?;
        check_strip(strip(self.epsilon, setting), setting.n, "the side")
    }

    fn epsilon(&self, setting: &Setting) -> Option<u32> {
        Some(strip(self.epsilon, setting))
    }

    fn plan(&self, setting: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>) {
        let row = colour(setting, packet, 2);
        let column = 1 - row;
        let a = 2 * level(setting, packet);
        let leg = |axis, to, phase| Move {
            axis,
            to,
            stage: phase as u16,
            phase,
        };
        moves.extend([
            leg(column, Where::Strip(strip(self.epsilon, setting)), a),
            leg(row, Where::At(packet.to[row]), a + 1),
            leg(column, Where::At(packet.to[column]), a + 3),
        ]);
    }

    /// On meshes.
    fn has_promise(&self, setting: &Setting) -> bool {
        !setting.wraps
    }

    /// (k/2 + 1)(n + ε): Lemmas 13 and 14 in each pass.
    fn leading_steps(&self, setting: &Setting) -> f64 {
        passes(setting) * (side(setting) + f64::from(strip(self.epsilon, setting)))
    }

    fn excess_unit(&self, setting: &Setting) -> f64 {
        excess_unit(setting)
    }
}
