//! LevelRoute with all randomisations before the first pass or in it (section 6, Theorem 1).

use super::level::excess_unit;
use super::{
    Algorithm, Misfit, Move, Planned, Setting, Unfit, Where, check_levels, check_strip, colour,
    epsilon_key, level, sends, side, strip,
};
use flitwork_schema::Key;

/// As [`Level`](super::Level), but packets are spread together at the beginning: four levels take as long as one. Those of the
/// highest 2n/ε levels are spread in the first pass, which leaves half of the links' steps: the paper says 4n/ε, but only 2n/ε
/// give Theorem 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelImproved {
    /// ε, in nodes; n/8 unless given.
    pub epsilon: Option<u32>,
}

impl LevelImproved {
    /// The first of the levels that are spread in the first pass; the lowest never is, since it is routed then.
    fn first_high(&self, setting: &Setting) -> u32 {
        let high = 2 * setting.n / strip(self.epsilon, setting);
        (setting.k / 2).saturating_sub(high).max(1)
    }
}

impl Algorithm for LevelImproved {
    const NAME: &'static str = "level-improved";
    const HELP: &'static str = "LevelRoute, spread at the beginning (Kaufmann and Sibeyn 1991, Theorem 1); k at least 4n/ε";
    const KEYS: &'static [Key<LevelImproved>] = &[epsilon_key(|it| &mut it.epsilon)];

    fn check(&self, setting: &Setting) -> Result<(), Unfit> {
        check_levels(setting)?;
        let epsilon = strip(self.epsilon, setting);
        check_strip(epsilon, setting.n, "the side")?;
        let (n, k) = (u64::from(setting.n), u64::from(setting.k));
        match k * u64::from(epsilon) >= 4 * n {
            true => Ok(()),
            false => {
                let least = (4 * n).div_ceil(epsilon.into());
                let allowed = format!("at least 4n/ε = {least} packets a node, with ε = {epsilon}");
                Err(Unfit::problem(Misfit::Packets, sends(setting), allowed))
            }
        }
    }

    fn epsilon(&self, setting: &Setting) -> Option<u32> {
        Some(strip(self.epsilon, setting))
    }

    fn plan(&self, setting: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>) {
        let row = colour(setting, packet, 2);
        let column = 1 - row;
        let level = level(setting, packet);
        let is_high = level >= self.first_high(setting);
        let leg = |axis, to, phase| Move {
            axis,
            to,
            stage: phase as u16,
            phase,
        };
        moves.extend([
            leg(
                column,
                Where::Strip(strip(self.epsilon, setting)),
                is_high.into(),
            ),
            leg(row, Where::At(packet.to[row]), level + 1),
            leg(column, Where::At(packet.to[column]), level + 2),
        ]);
    }

    /// On meshes.
    fn has_promise(&self, setting: &Setting) -> bool {
        !setting.wraps
    }

    /// (k + 1) n/2 + kε/8 (Theorem 1): k/2 - 2n/ε levels are spread in kε/8 - n/2, and then there are k/2 + 1 passes.
    fn leading_steps(&self, setting: &Setting) -> f64 {
        let (n, k) = (side(setting), f64::from(setting.k));
        (k + 1.0) * n / 2.0 + k * f64::from(strip(self.epsilon, setting)) / 8.0
    }

    fn excess_unit(&self, setting: &Setting) -> f64 {
        excess_unit(setting)
    }
}
