//! By a table that looks random: a number of node, step and source. It is as deterministic as the others.

use super::Order;
use crate::{Blind, Link, Seen};
use flitwork_schema::{Allowed, Key, key};
use flitwork_types::draws::split_mix;

/// By a table that looks random: a number of node, step and source. It is as deterministic as the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Random {
    /// Which table.
    pub seed: u64,
}

impl Order for Random {
    const NAME: &'static str = "random";
    const HELP: &'static str = "dimension order by a table that looks random";
    #[rustfmt::skip]
    const KEYS: &'static [Key<Random>] = &[
        key("seed", |it| &mut it.seed, Allowed::Whole(0, u64::MAX), "run.seed", "which table"),
    ];

    type Sight = Blind;

    fn seeded(seed: u64) -> Random {
        Random { seed }
    }

    #[inline]
    fn rank<P>(&self, link: &Link<'_>, packet: &Seen<'_, Blind, P>) -> u64 {
        let place = u64::from(link.node.0) << 32 | u64::from(link.step);
        // A source sends several packets by legs, which differ in where they go and when they came.
        let leg = packet.leg.map_or(0, |leg| {
            split_mix(u64::from(leg.goal.0) << 32 | u64::from(packet.arrived))
        });
        split_mix(split_mix(self.seed ^ place) ^ u64::from(packet.source.0) ^ leg)
    }
}
