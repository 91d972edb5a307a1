//! The lengths of packets.
//!
//! Loads are given in words, so every distribution knows its mean exactly: packets per cycle are words per cycle over
//! the mean length. A packet takes one draw from its source's own stream, or none if all packets have one length.

mod keys;

pub(crate) use keys::{NAMES, keys};

use crate::Draws;
use crate::parameter::within;
use flitwork_schema::WrongValue;

/// A distribution of lengths, as configured.
#[derive(Clone, Debug, PartialEq)]
pub enum LengthLaw {
    /// All packets have `words` words.
    Fixed {
        /// At least 1.
        words: u16,
    },
    /// All lengths from `least_words` to `most_words` are equally likely.
    Uniform {
        /// The shortest, at least 1.
        least_words: u16,
        /// The longest.
        most_words: u16,
    },
    /// A list of lengths with weights: the share of a length is its weight over the sum of all weights. For instance,
    /// short control and long data packets.
    Weighted {
        /// (words, weight) of each length.
        lengths: Vec<(u16, f64)>,
    },
    /// P(L = k) ~ q^k for k from 1 to `most_words`, with the q that gives the mean `mean_words`.
    Geometric {
        /// From 1 to (`most_words` + 1) / 2, at which all lengths are equally likely.
        mean_words: f64,
        /// The longest.
        most_words: u16,
    },
}

/// Packet lengths, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Lengths {
    law: Sampler,
    mean_words: f64,
    least_words: u16,
    most_words: u16,
}

/// How a length is drawn.
#[derive(Clone, Debug, PartialEq)]
enum Sampler {
    Fixed,
    Uniform,
    /// Each length with the cumulative weight up to it.
    Weighted(Vec<(f64, u16)>),
    /// ln q, and 1 - q^most: the part of the unbounded geometric distribution that lies within the maximum.
    Geometric {
        log_q: f64,
        kept: f64,
    },
}

impl Lengths {
    /// The lengths of a law.
    ///
    /// # Errors
    /// A [`WrongValue`] for lengths of 0, an empty range or list, invalid weights, and a mean that the distribution
    /// can't have.
    pub fn new(law: &LengthLaw) -> Result<Lengths, WrongValue> {
        match law {
            LengthLaw::Fixed { words } => Ok(Lengths::fixed(at_least_1("words", *words)?)),
            LengthLaw::Uniform {
                least_words,
                most_words,
            } => uniform(*least_words, *most_words),
            LengthLaw::Weighted { lengths } => weighted(lengths),
            LengthLaw::Geometric {
                mean_words,
                most_words,
            } => geometric(*mean_words, *most_words),
        }
    }

    /// All packets have `words` words.
    ///
    /// # Panics
    /// If `words` is 0. [`Lengths::new`] checks lengths that come from users.
    pub fn fixed(words: u16) -> Lengths {
        assert!(words > 0, "a packet has at least 1 word");
        Lengths {
            law: Sampler::Fixed,
            mean_words: words.into(),
            least_words: words,
            most_words: words,
        }
    }

    /// The mean length, in words.
    pub fn mean_words(&self) -> f64 {
        self.mean_words
    }

    /// The longest length that can be drawn.
    pub fn most_words(&self) -> u16 {
        self.most_words
    }

    /// The length of the next packet. Takes one draw, or none if all packets have one length.
    #[inline]
    pub fn draw(&self, draws: &mut Draws) -> u16 {
        match &self.law {
            Sampler::Fixed => self.most_words,
            law => self.sample(law, draws),
        }
    }

    fn sample(&self, law: &Sampler, draws: &mut Draws) -> u16 {
        match law {
            Sampler::Fixed => self.most_words,
            Sampler::Uniform => {
                let range = u32::from(self.most_words - self.least_words) + 1;
                self.least_words + draws.below(range) as u16
            }
            Sampler::Weighted(sums) => {
                let all = sums.last().map_or(0.0, |(sum, _)| *sum);
                let drawn = draws.open_unit() * all;
                let place = sums.partition_point(|(sum, _)| *sum <= drawn);
                sums.get(place).map_or(self.most_words, |(_, words)| *words)
            }
            Sampler::Geometric { log_q, kept } => {
                let failures = libm::log1p(-draws.open_unit() * kept) / log_q;
                (failures as u16).saturating_add(1).min(self.most_words)
            }
        }
    }
}

fn at_least_1(parameter: &'static str, words: u16) -> Result<u16, WrongValue> {
    if words == 0 {
        return Err(WrongValue::new(parameter, 0, "1 to 65535 words"));
    }
    Ok(words)
}

fn uniform(least_words: u16, most_words: u16) -> Result<Lengths, WrongValue> {
    let least_words = at_least_1("least_words", least_words)?;
    if most_words < least_words {
        let allowed = format!("{least_words} (least_words) to 65535 words");
        return Err(WrongValue::new("most_words", most_words, allowed));
    }
    if most_words == least_words {
        return Ok(Lengths::fixed(least_words));
    }
    Ok(Lengths {
        law: Sampler::Uniform,
        mean_words: (f64::from(least_words) + f64::from(most_words)) / 2.0,
        least_words,
        most_words,
    })
}

fn weighted(lengths: &[(u16, f64)]) -> Result<Lengths, WrongValue> {
    let (mut sums, mut words_sum) = (Vec::new(), 0.0);
    let mut all = 0.0;
    for (words, weight) in lengths {
        let words = at_least_1("lengths.words", *words)?;
        let weight = within("lengths.weight", *weight, (0.0, f64::MAX), "")?;
        if weight > 0.0 {
            all += weight;
            words_sum += weight * f64::from(words);
            sums.push((all, words));
        }
    }
    if sums.is_empty() || !words_sum.is_finite() {
        let found = format!("a list with the sum {all}");
        let allowed = "weights whose sum is above 0 and doesn't overflow";
        return Err(WrongValue::new("lengths", found, allowed));
    }
    let words = || sums.iter().map(|(_, words)| *words);
    let (least_words, most_words) = (words().min().unwrap_or(1), words().max().unwrap_or(1));
    if least_words == most_words {
        return Ok(Lengths::fixed(least_words));
    }
    Ok(Lengths {
        law: Sampler::Weighted(sums),
        mean_words: words_sum / all,
        least_words,
        most_words,
    })
}

fn geometric(mean_words: f64, most_words: u16) -> Result<Lengths, WrongValue> {
    let most_words = at_least_1("most_words", most_words)?;
    let even = (f64::from(most_words) + 1.0) / 2.0;
    within("mean_words", mean_words, (1.0, even), "words")?;
    if mean_words == even {
        return uniform(1, most_words);
    }
    if mean_words == 1.0 {
        return Ok(Lengths::fixed(1));
    }
    // The mean grows with q, from 1 at q = 0 to that of the uniform distribution at q = 1.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if geometric_mean(middle, most_words) < mean_words {
            low = middle;
        } else {
            high = middle;
        }
    }
    let q: f64 = low;
    if q == 0.0 {
        return Ok(Lengths::fixed(1));
    }
    let log_q = libm::log(q);
    Ok(Lengths {
        law: Sampler::Geometric {
            log_q,
            kept: -libm::expm1(log_q * f64::from(most_words)),
        },
        mean_words: geometric_mean(q, most_words),
        least_words: 1,
        most_words,
    })
}

/// The sum of k q^(k - 1) over that of q^(k - 1), for k from 1 to `most_words`: without cancellation.
fn geometric_mean(q: f64, most_words: u16) -> f64 {
    let (mut power, mut weight, mut words) = (1.0, 0.0, 0.0);
    for k in 1..=most_words {
        weight += power;
        words += power * f64::from(k);
        power *= q;
    }
    words / weight
}

#[cfg(test)]
mod tests;
