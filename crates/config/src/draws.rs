//! What is drawn from the configuration's seed before a run, for a clock or for a delay.

use super::clocks::{Spread, SpreadLaw};
use flitwork_node::{BEFORE_RUN, draw};
use flitwork_types::{Cycle, NodeId};
use std::f64::consts::TAU;

/// The greatest distance of a period from the nominal one, in standard deviations.
const DEVIATIONS: f64 = 3.0;
/// The most times that a normal draw is repeated. One in 370 is too far away, so this is never reached.
const ATTEMPTS: u32 = 64;
/// The first number of the draws for a period, or for a node's delays.
const PERIOD: u32 = 2;

/// What is drawn once, for a domain or for a single delay.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub(super) seed: u64,
    /// The domain's node or block, or the delay's node.
    pub(super) owner: NodeId,
    /// Which of the owner's it is.
    pub(super) number: Cycle,
}

impl Stream {
    /// That of a block's clock.
    pub(super) fn of(seed: u64, block: u32) -> Stream {
        Stream {
            seed,
            owner: NodeId(block),
            number: BEFORE_RUN,
        }
    }

    pub(super) fn raw(self, index: u32) -> u64 {
        draw(self.seed, self.owner, self.number, index)
    }

    /// A draw from the open interval from 0 to 1.
    pub(super) fn unit(self, index: u32) -> f64 {
        const TWO_TO_MINUS_53: f64 = 1.0 / (1u64 << 53) as f64;
        ((self.raw(index) >> 11) as f64 + 0.5) * TWO_TO_MINUS_53
    }

    /// A draw from the standard normal distribution (Box and Muller 1958), repeated until it is near enough.
    fn normal(self) -> f64 {
        let attempt = |attempt: u32| {
            let first = PERIOD + 2 * attempt;
            let radius = (-2.0 * libm::log(self.unit(first))).sqrt();
            radius * libm::cos(TAU * self.unit(first + 1))
        };
        let mut attempts = (0..ATTEMPTS).map(attempt);
        let near = attempts.find(|drawn| drawn.abs() <= DEVIATIONS);
        near.unwrap_or_default()
    }
}

impl Spread {
    /// How far what a stream is drawn for lies from the middle, as a part of it, if that is drawn.
    pub(super) fn draw(self, stream: Stream) -> Option<f64> {
        let percent = self.percent?;
        match self.law {
            SpreadLaw::None => None,
            SpreadLaw::Uniform => Some((2.0 * stream.unit(PERIOD) - 1.0) * percent / 100.0),
            SpreadLaw::Normal => Some(stream.normal() * percent / 100.0),
        }
    }
}
