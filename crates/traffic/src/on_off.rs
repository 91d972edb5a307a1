//! Bursts: a source is on or off, and makes packets only while it is on.
//!
//! ```text
//!            alpha                     in each cycle: off ─▶ on with probability alpha,
//!        ┌──────────▶ on               on ─▶ off with probability beta; on: a packet with probability r1
//!       off ◀─────────┘
//!            beta
//! ```
//!
//! The two-state chain of Dally and Towles 2004, chapter 24. Its parameters are those that one means:
//!
//! ```text
//! beta = 1 / burst_cycles,    r1 = peak_load / mean words a packet,
//! load = peak_load * alpha / (alpha + beta),    so    alpha = beta * load / (peak_load - load)
//! ```
//!
//! A burst lasts for burst_cycles in the mean, the silence after it for 1 / alpha; both are geometric and at
//! least a cycle long. A source is on in cycle 0 with probability load / peak_load.

use crate::modulated::{Chain, Rate};
use crate::parameter::within;
use crate::{Modulated, Next, OpenLoop, ParameterError, Workload};
use flitwork_types::{Cycle, NodeId};

/// What bursts are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOffParameters {
    /// The mean load, in words a node and cycle.
    pub load: f64,
    /// What a source offers while it is on, in words a cycle: at least the mean load and at most a packet
    /// a cycle. Where it is the mean load, sources are always on.
    pub peak_load: f64,
    /// How long a burst lasts in the mean, in cycles: so long that the silence after it lasts for a cycle.
    pub burst_cycles: f64,
}

/// The probabilities of the chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOffLaw {
    /// From off to on, a cycle.
    pub alpha: f64,
    /// From on to off, a cycle.
    pub beta: f64,
    /// Of a packet in a cycle that is on.
    pub r1: f64,
}

impl OnOffParameters {
    /// The probabilities that give these bursts with packets of `mean_words`. Always on: alpha 1, beta 0.
    ///
    /// # Errors
    /// A [`ParameterError`] for a peak of more than a packet a cycle, a load above the peak, and bursts too
    /// short for the load.
    pub fn law(&self, mean_words: f64) -> Result<OnOffLaw, ParameterError> {
        let unit = "words a cycle";
        let peak = within("peak_load", self.peak_load, (0.0, mean_words), unit)?;
        let load = within("load", self.load, (0.0, peak), unit)?;
        let burst = within("burst_cycles", self.burst_cycles, (1.0, f64::MAX), "cycles")?;
        let r1 = (peak / mean_words).min(1.0);
        if load == peak {
            return Ok(OnOffLaw {
                alpha: 1.0,
                beta: 0.0,
                r1,
            });
        }
        let least = (load / (peak - load)).max(1.0);
        within("burst_cycles", burst, (least, f64::MAX), "cycles")?;
        Ok(OnOffLaw {
            alpha: (load / (peak - load) / burst).min(1.0),
            beta: 1.0 / burst,
            r1,
        })
    }
}

/// Open-loop traffic in bursts.
pub struct OnOff {
    modulated: Modulated,
    law: OnOffLaw,
}

impl OnOff {
    /// Traffic on a network from cycle 0 on.
    ///
    /// # Errors
    /// As [`OnOffParameters::law`].
    pub fn new(parameters: &OnOffParameters, open_loop: OpenLoop) -> Result<OnOff, ParameterError> {
        let law = parameters.law(open_loop.lengths.mean_words())?;
        let state = |packets_per_cycle, leaves_per_cycle| Rate {
            packets_per_cycle,
            leaves_per_cycle,
        };
        let states = if law.beta == 0.0 {
            vec![state(law.r1, 0.0)]
        } else {
            vec![state(0.0, law.alpha), state(law.r1, law.beta)]
        };
        Ok(OnOff {
            modulated: Modulated::of(Chain::new(states, None)?, open_loop),
            law,
        })
    }

    /// The probabilities of its chain.
    pub fn law(&self) -> OnOffLaw {
        self.law
    }
}

impl Workload for OnOff {
    fn next(&mut self, node: NodeId, now: Cycle) -> Next {
        self.modulated.next(node, now)
    }

    fn sources(&self) -> Vec<NodeId> {
        self.modulated.sources()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_loop::tests::{cycles, mean, order_does_not_matter, simple};
    use crate::{LengthLaw, Lengths};

    fn bursts(load: f64, peak_load: f64, burst_cycles: f64) -> OnOffParameters {
        OnOffParameters {
            load,
            peak_load,
            burst_cycles,
        }
    }

    fn traffic(parameters: OnOffParameters, until: u32, nodes: u32) -> OnOff {
        OnOff::new(&parameters, simple(until, nodes)).unwrap()
    }

    #[test]
    fn the_mean_load_comes_out_right() {
        for (load, peak, burst) in [
            (0.1, 0.5, 20.0),
            (0.01, 1.0, 100.0),
            (0.4, 0.5, 8.0),
            (0.3, 0.3, 7.0),
            (0.5, 1.0, 2.0),
        ] {
            let (until, nodes) = (3000, 2000);
            let mut traffic = traffic(bursts(load, peak, burst), until, nodes);
            let of_node = |node| cycles(&mut traffic, node).len() as f64 / f64::from(until);
            let loads: Vec<f64> = (4..nodes).map(of_node).collect();
            let (found, bound) = mean(&loads);
            assert!((found - load).abs() < bound, "{load}: {found} ± {bound}");
            // Packets a source over T cycles: each cycle's toss has the variance load * (1 - load), and two
            // cycles k apart have the covariance peak^2 * s * (1 - s) * (1 - alpha - beta)^k with the share
            // s = load / peak. Summed over all pairs, with end terms of the order of a burst left out:
            let law = bursts(load, peak, burst).law(1.0).unwrap();
            let (share, memory) = (load / peak, 1.0 - law.alpha - law.beta);
            let pairs = 2.0 * peak * peak * share * (1.0 - share) * memory / (1.0 - memory);
            let variance = (load * (1.0 - load) + pairs) / f64::from(until);
            let squares: Vec<f64> = loads.iter().map(|found| (found - load).powi(2)).collect();
            let (found, bound) = mean(&squares);
            // The end terms make at most 2 (burst + silence) / T of it.
            let ends = variance * 2.0 * (burst + 1.0 / law.alpha) / f64::from(until);
            assert!(
                (found - variance).abs() < bound + ends,
                "{load}: {found} for {variance}"
            );
        }
    }

    #[test]
    fn bursts_and_silences_are_geometric() {
        // At a packet in every cycle that is on, bursts are runs of cycles with packets.
        let law = bursts(0.2, 1.0, 12.0).law(1.0).unwrap();
        assert!((law.beta - 1.0 / 12.0).abs() < 1e-15 && (law.alpha - 1.0 / 48.0).abs() < 1e-15);
        let mut traffic = traffic(bursts(0.2, 1.0, 12.0), 30_000, 300);
        let (mut runs, mut gaps) = (Vec::new(), Vec::new());
        for node in 4..300 {
            let cycles = cycles(&mut traffic, node);
            let bursts: Vec<&[u32]> = cycles.chunk_by(|one, next| one + 1 == *next).collect();
            // The first and the last may be cut off.
            for pair in bursts[1..bursts.len() - 1].windows(2) {
                runs.push(pair[0].len() as f64);
                gaps.push(f64::from(pair[1][0] - pair[0][pair[0].len() - 1] - 1));
            }
        }
        for (found, leave) in [(&runs, law.beta), (&gaps, law.alpha)] {
            let (mean_cycles, bound) = mean(found);
            assert!(
                (mean_cycles - 1.0 / leave).abs() < bound,
                "{mean_cycles} for {leave}"
            );
            // Of geometric stays a part 1 - (1 - leave)^k lasts for at most k cycles.
            for k in [1, 5, 30] {
                let part: Vec<f64> = found
                    .iter()
                    .map(|cycles| f64::from(u8::from(*cycles <= f64::from(k))))
                    .collect();
                let (part, bound) = mean(&part);
                assert!(
                    (part - (1.0 - (1.0 - leave).powi(k))).abs() < bound,
                    "{leave} {k}"
                );
            }
        }
    }

    #[test]
    fn every_cycle_has_the_same_rate_from_the_first_to_the_last() {
        // 20,000 sources, 40 cycles at 0.25: 5,000 packets a cycle, standard deviation 61.
        let mut counts = [0u32; 40];
        let mut traffic = traffic(bursts(0.25, 0.5, 10.0), 40, 20_001);
        for node in 0..20_001 {
            for cycle in cycles(&mut traffic, node) {
                counts[cycle as usize] += 1;
            }
        }
        let near = |count: &u32| count.abs_diff(5000) < 306;
        assert!(counts.iter().all(near), "{counts:?}");
    }

    #[test]
    fn loads_are_in_words() {
        let law = LengthLaw::Weighted {
            lengths: vec![(1, 1.0), (5, 1.0)],
        };
        let mut open_loop = simple(20_000, 500);
        open_loop.lengths = Lengths::new(&law).unwrap();
        let mut traffic = OnOff::new(&bursts(0.6, 2.0, 30.0), open_loop).unwrap();
        assert!((traffic.law().r1 - 2.0 / 3.0).abs() < 1e-15);
        let mut words = |node| {
            let next = || traffic.next(NodeId(node), Cycle::ZERO).packet();
            let words: f64 = std::iter::from_fn(next)
                .map(|birth| f64::from(birth.words))
                .sum();
            words / 20_000.0
        };
        let (found, bound) = mean(&(4..500).map(&mut words).collect::<Vec<_>>());
        assert!((found - 0.6).abs() < bound, "{found} ± {bound}");
    }

    #[test]
    fn the_ends() {
        for none in [
            bursts(0.0, 0.5, 4.0),
            bursts(0.0, 0.0, 1.0),
            bursts(-0.0, 1.0, 1e300),
        ] {
            assert!(traffic(none, u32::MAX, 300).sources().is_empty());
        }
        let mut always = traffic(bursts(1.0, 1.0, 1.0), 50, 300);
        assert_eq!(cycles(&mut always, 7), (0..50).collect::<Vec<_>>());
        assert!(cycles(&mut always, 3).is_empty());
        // On and off in turn, each for a cycle.
        let mut turns = traffic(bursts(0.5, 1.0, 1.0), 1000, 300);
        let cycles = cycles(&mut turns, 7);
        assert!(cycles.windows(2).all(|pair| pair[1] == pair[0] + 2) && cycles.len() == 500);
    }

    #[test]
    fn births_do_not_depend_on_the_order_of_calls() {
        order_does_not_matter(|| Box::new(traffic(bursts(0.02, 0.5, 6.0), 200, 600)), 600);
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = |parameters: OnOffParameters| parameters.law(2.0).unwrap_err().to_string();
        for (parameters, message) in [
            (
                bursts(0.1, 2.1, 9.0),
                "peak_load is 2.1; allowed: a number from 0 to 2 words a cycle",
            ),
            (
                bursts(0.6, 0.5, 9.0),
                "load is 0.6; allowed: a number from 0 to 0.5 words a cycle",
            ),
            (
                bursts(-0.1, 0.5, 9.0),
                "load is -0.1; allowed: a number from 0 to 0.5 words a cycle",
            ),
            (
                bursts(0.1, 0.5, 0.5),
                "burst_cycles is 0.5; allowed: a number of at least 1 cycles",
            ),
            (
                bursts(0.75, 1.0, 2.5),
                "burst_cycles is 2.5; allowed: a number of at least 3 cycles",
            ),
        ] {
            assert_eq!(refused(parameters), message);
        }
        for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            refused(bursts(strange, 0.5, 9.0));
            refused(bursts(0.1, strange, 9.0));
            refused(bursts(0.1, 0.5, strange));
        }
    }
}
