//! LevelRoute in which packets of the corners are spread towards the middle (section 6.1.1).

use super::level::excess_unit;
use super::{
    Algorithm, Misfit, Move, Planned, Setting, Unfit, Where, check_levels, check_strip, colour,
    level, side, strip,
};
use flitwork_schema::{Allowed, Key, key};

/// As [`Level`](super::Level), but packets of the four corner squares of ε by ε nodes are spread over the half of the column in
/// which they are, beyond the corner. In a pass packets go on as soon as they are spread: a barrier would cost n/2 - ε steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelSuperior {
    /// ε, in nodes; n/8 unless given.
    pub epsilon: Option<u32>,
}

impl LevelSuperior {
    /// Where a packet is spread that begins at these places of its row and its column.
    fn spread(&self, setting: &Setting, in_row: u32, in_column: u32) -> Where {
        let (n, epsilon) = (setting.n, strip(self.epsilon, setting));
        let is_at_end = |place: u32| place < epsilon || place >= n - epsilon;
        match is_at_end(in_row) && is_at_end(in_column) {
            false => Where::Strip(epsilon),
            true if in_column < epsilon => Where::Between(epsilon, n / 2 - 1),
            true => Where::Between(n / 2, n - 1 - epsilon),
        }
    }
}

impl Algorithm for LevelSuperior {
    const NAME: &'static str = "level-superior";
    const HELP: &'static str =
        "LevelRoute with superior packets (Kaufmann and Sibeyn 1991, section 6.1.1); ε up to n/6";
    #[rustfmt::skip]
    const KEYS: &'static [Key<LevelSuperior>] = &[
        key("epsilon", |it| &mut it.epsilon, Allowed::Whole(1, 1 << 24), "n/8", "width of the strips and side of the corners, in nodes; at most n/6"),
    ];

    const HAS_BARRIERS: bool = false;

    fn check(&self, setting: &Setting) -> Result<(), Unfit> {
        check_levels(setting)?;
        let (epsilon, most) = (strip(self.epsilon, setting), setting.n / 6);
        match most {
            0 => Err(Unfit::problem(
                Misfit::Sides,
                format!("sides of {}", setting.n),
                "6 or more, since ε is 1 to n/6",
            )),
            _ => check_strip(epsilon, most, "n/6"),
        }
    }

    fn epsilon(&self, setting: &Setting) -> Option<u32> {
        Some(strip(self.epsilon, setting))
    }

    fn plan(&self, setting: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>) {
        let row = colour(setting, packet, 2);
        let column = 1 - row;
        let pass = level(setting, packet);
        let leg = |axis, to, phase, is_routed: bool| Move {
            axis,
            to,
            stage: 2 * phase as u16 + u16::from(is_routed),
            phase,
        };
        let spread = self.spread(setting, packet.from[row], packet.from[column]);
        moves.extend([
            leg(column, spread, pass, false),
            leg(row, Where::At(packet.to[row]), pass, true),
            leg(column, Where::At(packet.to[column]), pass + 1, true),
        ]);
    }

    /// On meshes.
    fn has_promise(&self, setting: &Setting) -> bool {
        !setting.wraps
    }

    /// kn/2 + n + 2kε²/n: Lemma 15 in each pass but the first and the last.
    fn leading_steps(&self, setting: &Setting) -> f64 {
        let (n, k) = (side(setting), f64::from(setting.k));
        let epsilon = f64::from(strip(self.epsilon, setting));
        k * n / 2.0 + n + 2.0 * k * epsilon * epsilon / n
    }

    fn excess_unit(&self, setting: &Setting) -> f64 {
        excess_unit(setting)
    }
}
