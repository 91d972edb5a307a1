//! NoLRoute: the locality isn't known (section 9.2).

use super::local::{excess_unit, row_and_column};
use super::{Algorithm, Draw, Misfit, Move, Planned, Setting, Unfit, Where, side};
use flitwork_schema::{Allowed, Key, key};

/// How wide the strips are in which packets are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StripsOf {
    /// As wide as the locality that nodes have learnt.
    #[default]
    Learnt,
    /// As wide as the packet's own move: the idea that Figure 6 refutes.
    Own,
}

flitwork_schema::named!(StripsOf { Learnt = "learnt", Own = "own" });

/// Packets are spread by up to 8n/k nodes either way while nodes learn the locality; then by up to half of that if it is more;
/// and then they go as by [`Local`](super::Local). For tori.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoL {
    /// How wide the strips are.
    pub strips: StripsOf,
}

/// By how much a packet is spread before the locality is known: 8n/k, but at most half a ring, and at least a node: a packet that
/// isn't spread then isn't later, since the later spread is in proportion.
fn first_spread(setting: &Setting) -> u32 {
    let most = 8 * u64::from(setting.n) / u64::from(setting.k.max(1));
    most.clamp(1, u64::from(setting.n / 2)) as u32
}

impl NoL {
    /// Where the second leg leads: as far from where the packet began as the first, in the proportion of the two spreads.
    fn second(setting: &Setting, packet: &Planned<'_>, column: usize) -> u32 {
        let (n, half) = (i64::from(setting.n), i64::from(first_spread(setting)));
        let drawn = setting.draw(packet.packet, Draw::Place(0), 2 * half as u32 + 1);
        let by = i64::from(drawn) - half;
        let wanted = i64::from(packet.learnt / 2);
        let by = match wanted > half {
            true => (2 * by * wanted + half * by.signum()) / (2 * half),
            false => by,
        };
        (i64::from(packet.from[column]) + by).rem_euclid(n) as u32
    }
}

impl Algorithm for NoL {
    const NAME: &'static str = "no-l";
    const HELP: &'static str =
        "NoLRoute, where nodes learn the locality (Kaufmann and Sibeyn 1991, section 9.2)";
    #[rustfmt::skip]
    const KEYS: &'static [Key<NoL>] = &[
        key("strips", |it| &mut it.strips, Allowed::Choice(StripsOf::NAMES), "\"learnt\"", "the strips in which packets are spread: as wide as the locality that nodes have learnt, or as the packet's own move"),
    ];

    fn check(&self, setting: &Setting) -> Result<(), Unfit> {
        match setting.wraps {
            true => Ok(()),
            false => Err(Unfit::problem(
                Misfit::Topology,
                "a mesh",
                "a torus, for which the paper has it",
            )),
        }
    }

    fn learns(&self) -> bool {
        self.strips == StripsOf::Learnt
    }

    fn plan(&self, setting: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>) {
        let (row, column) = row_and_column(setting, packet);
        let own = setting.distance(packet.from[column], packet.to[column]);
        let (first, second) = match self.strips {
            StripsOf::Learnt => (
                Where::Within(first_spread(setting)),
                Some(NoL::second(setting, packet, column)),
            ),
            StripsOf::Own => (Where::Within(own / 2), None),
        };
        moves.push(super::nowrap::leg((column, first)));
        let then = second.map(|place| (column, Where::At(place)));
        let routed = [row, column].map(|axis| (axis, Where::At(packet.to[axis])));
        moves.extend(then.into_iter().chain(routed).map(super::nowrap::leg));
        super::nowrap::in_turn(moves);
    }

    /// Theorem 15: max(n, kL/16) + kL.
    fn leading_steps(&self, setting: &Setting) -> f64 {
        let (l, k) = (f64::from(setting.locality), f64::from(setting.k));
        side(setting).max(k * l / 16.0) + k * l
    }

    /// √((n + k L) ln n).
    fn excess_unit(&self, setting: &Setting) -> f64 {
        let n = side(setting) * setting.ln_n();
        n.sqrt().hypot(excess_unit(setting, setting.locality))
    }
}
