//! Random draws of clocks and delays.

use flitwork_node::{draw, mix};
use flitwork_types::{Cycle, NodeId, TerminalId};
use std::f64::consts::TAU;

/// Separates the draws of domains' clocks, of self-timed nodes, and of the words that they handle from each other and
/// from those of routers and sources with the same seed.
const CLOCK_SALT: u64 = 0x636c_6f63_6b73_0001;
const NODE_SALT: u64 = 0x7365_6c66_7469_6d65;
const WORD_SALT: u64 = 0x776f_7264_7364_6174;
/// A normal draw is repeated until it is no further than this from the mean, in standard deviations.
const DEVIATIONS: f64 = 3.0;
/// The most times that it is repeated. One in 370 is too far away, so this is never reached.
const ATTEMPTS: u32 = 64;
/// The numbers of a repeated draw, apart: no draw has a higher one.
const ATTEMPT: u32 = 1 << 16;

/// A random stream: that of a domain's clock, or of a self-timed node, by the number of the tick or the local cycle.
#[derive(Clone, Copy)]
pub(super) struct Draws {
    /// Salted.
    seed: u64,
    owner: NodeId,
}

impl Draws {
    /// The stream of a domain's clock; `seed` is that of all clocks.
    pub(super) fn of_clock(seed: u64, domain: u32) -> Draws {
        Draws {
            seed: mix(seed.wrapping_add(CLOCK_SALT)),
            owner: NodeId(domain),
        }
    }

    /// The stream of a self-timed node.
    pub(super) fn of_node(seed: u64, node: NodeId) -> Draws {
        Draws {
            seed: mix(seed.wrapping_add(NODE_SALT)),
            owner: node,
        }
    }

    /// The stream of the words of a source, by the number of the packet.
    pub(super) fn of_words(seed: u64, source: TerminalId) -> Draws {
        Draws {
            seed: mix(seed.wrapping_add(WORD_SALT)),
            owner: NodeId(source.0),
        }
    }

    /// A draw from 0 to `most`; its distribution deviates from uniform by less than `most` / 2^64.
    #[inline]
    pub(super) fn up_to(self, most: u64, number: u32, index: u32) -> u64 {
        let drawn = draw(self.seed, self.owner, Cycle(number), index);
        ((u128::from(drawn) * (u128::from(most) + 1)) >> 64) as u64
    }

    /// A draw from the open interval from 0 to 1.
    fn unit(self, number: u32, index: u32) -> f64 {
        const TWO_TO_MINUS_53: f64 = 1.0 / (1u64 << 53) as f64;
        let drawn = draw(self.seed, self.owner, Cycle(number), index);
        ((drawn >> 11) as f64 + 0.5) * TWO_TO_MINUS_53
    }

    /// A draw from 0 to `most`, to the nearest whole number, from a normal distribution around the middle whose
    /// standard deviation is a sixth of the range (Box and Muller 1958).
    pub(super) fn normal_up_to(self, most: u64, number: u32, index: u32) -> u64 {
        let attempt = |attempt: u32| {
            let first = index + 2 * attempt * ATTEMPT;
            let radius = (-2.0 * libm::log(self.unit(number, first))).sqrt();
            radius * libm::cos(TAU * self.unit(number, first + ATTEMPT))
        };
        let mut attempts = (0..ATTEMPTS).map(attempt);
        let near = attempts.find(|drawn| drawn.abs() <= DEVIATIONS);
        let part = 0.5 + near.unwrap_or_default() / (2.0 * DEVIATIONS);
        ((part * most as f64).round() as u64).min(most)
    }

    /// A draw from an exponential distribution with this mean, to the nearest whole number.
    pub(super) fn exponential(self, mean: u64, number: u32, index: u32) -> u64 {
        (-libm::log(self.unit(number, index)) * mean as f64).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of a normal distribution cut at three deviations: the variance is (1 - 2 * 3 phi(3) /
    /// (2 Phi(3) - 1)) sigma^2 = 0.9733 sigma^2. With sigma = 1,000 and 20,000 draws the standard error of the mean is
    /// 7, that of the variance about 1 %.
    #[test]
    fn a_normal_draw_lies_around_the_middle() {
        let draws = Draws::of_node(3, NodeId(5));
        let drawn = (0..20_000).map(|number| draws.normal_up_to(6000, number, 7) as f64);
        let drawn: Vec<f64> = drawn.collect();
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        let squares = drawn
            .iter()
            .map(|it| (it - mean) * (it - mean))
            .sum::<f64>();
        let variance = squares / 20_000.0;
        assert!((mean - 3000.0).abs() < 35.0, "{mean}");
        assert!((variance / 973_300.0 - 1.0).abs() < 0.04, "{variance}");
    }

    /// Kolmogorov and Smirnov: with n draws the greatest distance between the two distributions exceeds
    /// 1.63 / sqrt(n) in 1 % of all cases. Rounding to whole numbers moves the distribution by less than 1 / 2 mean.
    #[test]
    fn an_exponential_draw_has_an_exponential_tail() {
        let (draws, mean) = (Draws::of_node(11, NodeId(2)), 100_000);
        let mut drawn: Vec<u64> = (0..10_000)
            .map(|number| draws.exponential(mean, number, 1))
            .collect();
        drawn.sort_unstable();
        let distance = drawn.iter().enumerate().map(|(place, drawn)| {
            let exact = 1.0 - (-(*drawn as f64) / mean as f64).exp();
            let (below, above) = (place as f64 / 1e4, (place + 1) as f64 / 1e4);
            (exact - below).abs().max((exact - above).abs())
        });
        let distance = distance.fold(0.0, f64::max);
        assert!(distance < 1.63 / 100.0, "{distance}");
    }
}
