//! Bursts: a source is on or off, and makes packets only while it is on.
//!
//! ```text
//!            alpha                     in each cycle: off ─▶ on with probability alpha,
//!        ┌──────────▶ on               on ─▶ off with probability beta; on: a packet with probability r1
//!       off ◀─────────┘
//!            beta
//! ```
//!
//! The two-state chain of Dally and Towles 2004, chapter 24, configured by load, peak load and length of bursts:
//!
//! ```text
//! beta = 1 / burst_cycles,    r1 = peak_load / mean words per packet,
//! load = peak_load * alpha / (alpha + beta),    so    alpha = beta * load / (peak_load - load)
//! ```
//!
//! A burst lasts burst_cycles on average, the silence after it 1 / alpha; both are geometric and last at least one cycle.
//! A source is on in cycle 0 with probability load / peak_load.

use crate::modulated::{Chain, Rate, of_chain};
use crate::parameter::within;
use crate::{Modulated, OpenLoop};
use flitwork_schema::WrongValue;

/// The load and the length of bursts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOffParameters {
    /// The mean load, in words per node and cycle.
    pub load: f64,
    /// The load that a source offers while it is on, in words per cycle: at least the mean load and at most one packet per
    /// cycle. If it equals the mean load, sources are always on.
    pub peak_load: f64,
    /// The mean length of a burst, in cycles: long enough that the silence after it lasts at least one cycle.
    pub burst_cycles: f64,
}

/// The probabilities of the chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOffLaw {
    /// From off to on, per cycle.
    pub alpha: f64,
    /// From on to off, per cycle.
    pub beta: f64,
    /// Of a packet, per cycle in which the source is on.
    pub r1: f64,
}

impl OnOffParameters {
    /// The probabilities for these bursts with packets of `mean_words`. For sources that are always on, alpha is 1 and
    /// beta 0.
    ///
    /// # Errors
    /// A [`WrongValue`] for a peak of more than one packet per cycle, a load above the peak, and bursts too short for
    /// the load.
    pub fn law(&self, mean_words: f64) -> Result<OnOffLaw, WrongValue> {
        let unit = "words per cycle";
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

    /// Traffic in such bursts on a network from cycle 0 on.
    ///
    /// # Errors
    /// As [`OnOffParameters::law`].
    pub fn traffic(&self, open_loop: OpenLoop) -> Result<Modulated, WrongValue> {
        let law = self.law(open_loop.lengths.mean_words())?;
        let state = |packets_per_cycle, leaves_per_cycle| Rate {
            packets_per_cycle,
            leaves_per_cycle,
        };
        let states = if law.beta == 0.0 {
            vec![state(law.r1, 0.0)]
        } else {
            vec![state(0.0, law.alpha), state(law.r1, law.beta)]
        };
        Ok(of_chain(Chain::new(states, None)?, open_loop))
    }
}

#[cfg(test)]
mod tests;
