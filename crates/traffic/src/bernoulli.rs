//! Open-loop traffic: in each cycle each source tosses a coin.
//!
//! The number of cycles from one success to the next is geometric, so one draw replaces a whole run of tosses, and an
//! idle source costs nothing.

use crate::geometric::Coin;
use crate::open_loop::{Process, Sources};
use crate::{Draws, Lengths, Pattern};
use flitwork_types::{Cycle, TerminalId};

/// A rate that isn't a probability.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{packets_per_cycle} packets per cycle; a source makes 0 to 1")]
pub struct RateError {
    /// The requested packets per cycle.
    pub packets_per_cycle: f64,
}

/// In each cycle each source that isn't silent makes a packet with a fixed probability.
///
/// Takes 20 bytes per source, allocated in blocks when the first source of a block is asked for a packet. Each packet
/// takes one draw for its cycle, then the pattern's draws for its destination, then one for its length if lengths
/// differ, all from the source's own stream.
pub type Bernoulli = Sources<Tosses>;

/// One coin for all sources.
pub struct Tosses {
    pattern: Box<dyn Pattern>,
    coin: Coin,
}

impl Bernoulli {
    /// Traffic of packets of one word on a network of `terminals` terminals from cycle 0 to the cycle before
    /// `until`.
    ///
    /// # Errors
    /// A [`RateError`] if `packets_per_cycle` isn't within 0 to 1.
    pub fn new(
        pattern: Box<dyn Pattern>,
        packets_per_cycle: f64,
        until: Cycle,
        seed: u64,
        terminals: u32,
    ) -> Result<Bernoulli, RateError> {
        if !(0.0..=1.0).contains(&packets_per_cycle) {
            return Err(RateError { packets_per_cycle });
        }
        let tosses = Tosses {
            pattern,
            coin: Coin::new(packets_per_cycle),
        };
        let lengths = Lengths::fixed(1);
        Ok(Sources::of(tosses, lengths, until, seed, terminals))
    }
}

impl Process for Tosses {
    /// The first cycle for which no coin has been tossed.
    type State = Cycle;

    fn start(&self, _: &mut Draws) -> Cycle {
        Cycle::ZERO
    }

    #[inline]
    fn next(
        &self,
        _: TerminalId,
        untossed: &mut Cycle,
        draws: &mut Draws,
        until: Cycle,
    ) -> Option<Cycle> {
        if *untossed >= until {
            return None;
        }
        let created = toss_until_success(draws, self.coin, *untossed, until);
        *untossed = created.map_or(until, |created| created + 1);
        created
    }

    #[inline]
    fn pattern(&self, _: Cycle) -> &dyn Pattern {
        &*self.pattern
    }
}

/// The first cycle from `from` on in which the coin succeeds; `None` if that isn't before `until`.
#[inline]
pub(crate) fn toss_until_success(
    draws: &mut Draws,
    coin: Coin,
    from: Cycle,
    until: Cycle,
) -> Option<Cycle> {
    let cycle = from.later(coin.failures(draws));
    (cycle < until).then_some(cycle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_loop::tests::{Simple, cycles, order_does_not_matter};
    use crate::{Birth, Offer, Workload};

    fn traffic(rate: f64, until: u32, nodes: u32) -> Bernoulli {
        Bernoulli::new(Box::new(Simple), rate, Cycle(until), 11, nodes)
            .ok()
            .unwrap()
    }

    fn birth(traffic: &mut Bernoulli, node: u32) -> Option<Birth> {
        traffic.next(TerminalId(node), Cycle::ZERO).packet()
    }

    #[test]
    fn rates_that_are_not_probabilities_are_refused() {
        for rate in [-0.1, 1.000_001, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let found = Bernoulli::new(Box::new(Simple), rate, Cycle(9), 0, 9)
                .err()
                .unwrap();
            assert!(found.to_string().ends_with("0 to 1"), "{found}");
        }
    }

    #[test]
    fn rate_0_makes_none_and_rate_1_makes_one_a_cycle() {
        for zero in [0.0, -0.0] {
            let mut none = traffic(zero, u32::MAX, 300);
            assert!((0..300).all(|node| birth(&mut none, node).is_none()));
            assert!(none.sources().is_empty());
        }
        let mut all = traffic(1.0, 50, 300);
        for node in (0..300).filter(|node| *node != 3) {
            assert_eq!(cycles(&mut all, node), (0..50).collect::<Vec<_>>());
        }
        assert_eq!(all.sources().len(), 299);
        assert!(traffic(1.0, 0, 5).sources().is_empty());
        assert_eq!(
            traffic(1.0, 0, 5).next(TerminalId(1), Cycle::ZERO),
            Offer::Never
        );
    }

    #[test]
    fn tiny_rates_keep_their_mean() {
        // 20,000 sources for 10,000 cycles at 1e-6: 200 packets expected, standard deviation 14.
        let mut rare = traffic(1e-6, 10_000, 20_000);
        let packets: usize = (0..20_000).map(|node| cycles(&mut rare, node).len()).sum();
        assert!(packets.abs_diff(200) < 71, "{packets}");
        // Below the resolution of a run nothing comes, and nothing overflows.
        for rate in [f64::MIN_POSITIVE, 5e-324, 1e-30] {
            assert!(traffic(rate, u32::MAX, 1000).sources().is_empty());
        }
    }

    #[test]
    fn gaps_follow_the_geometric_law() {
        for rate in [0.02, 0.3, 0.9] {
            let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
            let mut traffic = traffic(rate, 40_000, 200);
            for node in (0..200).filter(|node| *node != 3) {
                let cycles = cycles(&mut traffic, node);
                assert!(cycles.is_sorted_by(|one, next| one < next));
                for pair in cycles.windows(2) {
                    let gap = f64::from(pair[1] - pair[0] - 1);
                    count += 1.0;
                    sum += gap;
                    squares += gap * gap;
                }
            }
            // Failures before a success: mean q / p, variance q / p^2, fourth central moment
            // variance^2 * (9 + p^2 / q). More than 150,000 gaps; bounds of five standard errors.
            let (mean, variance) = (sum / count, squares / count - (sum / count).powi(2));
            let miss = 1.0 - rate;
            let law = (miss / rate, miss / (rate * rate));
            let mean_error = (law.1 / count).sqrt();
            let variance_error = law.1 * ((8.0 + rate * rate / miss) / count).sqrt();
            assert!(count > 150_000.0);
            assert!(
                (mean - law.0).abs() < 5.0 * mean_error,
                "{rate}: {mean} for {}",
                law.0
            );
            assert!(
                (variance - law.1).abs() < 5.0 * variance_error,
                "{rate}: {variance}"
            );
        }
    }

    #[test]
    fn every_cycle_has_the_same_rate_from_the_first_to_the_last() {
        // 20,000 sources, 30 cycles at 0.25: 5,000 packets a cycle, standard deviation 61.
        let mut counts = [0u32; 30];
        let mut traffic = traffic(0.25, 30, 20_001);
        for node in 0..20_001 {
            for cycle in cycles(&mut traffic, node) {
                counts[cycle as usize] += 1;
            }
        }
        assert!(
            counts.iter().all(|count| count.abs_diff(5000) < 306),
            "{counts:?}"
        );
    }

    #[test]
    fn births_do_not_depend_on_the_order_of_calls() {
        order_does_not_matter(|| Box::new(traffic(0.1, 100, 700)), 700);
        assert!(!traffic(0.1, 100, 700).sources().contains(&TerminalId(3)));
        order_does_not_matter(|| Box::new(traffic(1.0, 10, 0)), 0);
    }

    #[test]
    fn lengths_that_differ_take_one_draw_more() {
        let law = crate::LengthLaw::Uniform {
            least_words: 2,
            most_words: 9,
        };
        let lengths = Lengths::new(&law).unwrap();
        let mut mixed = traffic(0.3, 1000, 5).with_lengths(lengths);
        let mut draws = Draws::new(11, TerminalId(4));
        let mut untossed = Cycle::ZERO;
        while let Some(birth) = birth(&mut mixed, 4) {
            let created = toss_until_success(&mut draws, Coin::new(0.3), untossed, Cycle(1000));
            draws.below(2);
            let words = 2 + draws.below(8) as u16;
            assert_eq!((Some(birth.created), birth.words), (created, words));
            untossed = birth.created + 1;
        }
        let mut one_length = traffic(0.3, 1000, 5).of_words(7);
        let mut of_one_word = traffic(0.3, 1000, 5);
        while let Some(plain) = birth(&mut of_one_word, 4) {
            let words = 7;
            assert_eq!(birth(&mut one_length, 4), Some(Birth { words, ..plain }));
        }
    }

    #[test]
    fn state_is_late() {
        let mut large = traffic(0.1, 100, 2_400_000);
        assert_eq!(large.blocks(), 0);
        birth(&mut large, 2_399_999);
        assert_eq!(large.blocks(), 1);
    }
}
