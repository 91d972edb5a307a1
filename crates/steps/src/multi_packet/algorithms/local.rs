//! LocalRoute (section 9.1).

use super::{Algorithm, Misfit, Move, Planned, Setting, Unfit, Where, colour};
use flitwork_schema::{Allowed, Key, key};

/// Packets are spread along the column by up to L/2 nodes either way, go along the row, then along the column; those of the
/// other colour with rows and columns exchanged. On a mesh they are spread in strips of L nodes instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Local {
    /// L, in nodes; that of the problem unless given.
    pub locality: Option<u32>,
}

impl Local {
    fn locality(&self, setting: &Setting) -> u32 {
        self.locality.unwrap_or(setting.locality)
    }
}

/// Where packets are spread that go up to so many links in a dimension.
pub(super) fn spread(setting: &Setting, locality: u32) -> Where {
    match setting.wraps {
        true => Where::Within(locality / 2),
        false => Where::Strip(locality.max(1)),
    }
}

/// √(k L ln n).
pub(super) fn excess_unit(setting: &Setting, locality: u32) -> f64 {
    (f64::from(setting.k) * f64::from(locality) * setting.ln_n()).sqrt()
}

/// The row and the column of a packet, by colour: the first along which it is routed, and the other.
pub(super) fn row_and_column(setting: &Setting, packet: &Planned<'_>) -> (usize, usize) {
    let row = colour(setting, packet, 2);
    (row, 1 - row)
}

impl Algorithm for Local {
    const NAME: &'static str = "local";
    const HELP: &'static str = "LocalRoute, where no packet goes farther than L along an axis (Kaufmann and Sibeyn 1991, section 9.1)";
    #[rustfmt::skip]
    const KEYS: &'static [Key<Local>] = &[
        key("locality", |it| &mut it.locality, Allowed::Whole(0, 1 << 24), "the farthest that a packet goes along an axis", "L, in nodes: at most half of the side"),
    ];

    fn check(&self, setting: &Setting) -> Result<(), Unfit> {
        let (given, least, most) = (self.locality(setting), setting.locality, setting.n / 2);
        match (least..=most).contains(&given) {
            true => Ok(()),
            false => {
                let allowed = match least <= most {
                    true => format!(
                        "{least} to {most} nodes: from the farthest that a packet goes along an axis to n/2"
                    ),
                    false => format!(
                        "problems whose packets go at most n/2 = {most} nodes along an axis"
                    ),
                };
                match self.locality {
                    Some(_) => Err(Unfit::key("locality", given, allowed)),
                    None => {
                        let found = format!("a packet goes {least} nodes along an axis");
                        Err(Unfit::problem(Misfit::Distances, found, allowed))
                    }
                }
            }
        }
    }

    fn plan(&self, setting: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>) {
        let (row, column) = row_and_column(setting, packet);
        let legs = [
            (column, spread(setting, self.locality(setting))),
            (row, Where::At(packet.to[row])),
            (column, Where::At(packet.to[column])),
        ];
        moves.extend(legs.map(super::nowrap::leg));
        super::nowrap::in_turn(moves);
    }

    /// Lemmas 26, 28 and 29 for two colours (Theorem 13): max(5L/2, kL) + max(L/2, kL/16). On a mesh, where the last phase leads
    /// up to 2L nodes on, max(L, kL/8) + max(L, kL/2) + max(2L, kL/2); Theorem 14 has less for k below 4.
    fn leading_steps(&self, setting: &Setting) -> f64 {
        let (l, k) = (f64::from(self.locality(setting)), f64::from(setting.k));
        match setting.wraps {
            true => (2.5 * l).max(k * l) + (l / 2.0).max(k * l / 16.0),
            false => l.max(k * l / 8.0) + l.max(k * l / 2.0) + (2.0 * l).max(k * l / 2.0),
        }
    }

    fn excess_unit(&self, setting: &Setting) -> f64 {
        excess_unit(setting, self.locality(setting))
    }
}
