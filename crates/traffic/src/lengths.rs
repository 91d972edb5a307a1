//! How long packets are.
//!
//! Rates are given in words, so every law knows its mean exactly: packets a cycle are words a cycle over
//! the mean. A packet takes one draw from its source's own stream, and none where all have one length.

mod keys;

pub(crate) use keys::keys;

use crate::Draws;
use crate::parameter::{ParameterError, within};

/// A distribution of lengths, as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum LengthLaw {
    /// All packets have `words` words.
    Fixed {
        /// At least 1.
        words: u16,
    },
    /// Every length from `least_words` to `most_words` alike.
    Uniform {
        /// The shortest, at least 1.
        least_words: u16,
        /// The longest.
        most_words: u16,
    },
    /// Some lengths, each with a weight: its share is its weight over all weights together. Short control
    /// and long data packets, for instance.
    Weighted {
        /// (words, weight) of each length.
        lengths: Vec<(u16, f64)>,
    },
    /// P(L = k) ~ q^k for k from 1 to `most_words`, with the q that gives the mean `mean_words`.
    Geometric {
        /// From 1 to (`most_words` + 1) / 2, where all lengths are alike.
        mean_words: f64,
        /// The longest.
        most_words: u16,
    },
}

/// Packet lengths, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Lengths {
    law: Drawn,
    mean_words: f64,
    least_words: u16,
    most_words: u16,
}

/// How a length is drawn.
#[derive(Clone, Debug, PartialEq)]
enum Drawn {
    Fixed,
    Uniform,
    /// For each length the weights up to it, added up.
    Weighted(Vec<(f64, u16)>),
    /// ln q, and 1 - q^most: the part of the whole geometric law that lies below the maximum.
    Geometric {
        log_q: f64,
        kept: f64,
    },
}

impl Lengths {
    /// The lengths of a law.
    ///
    /// # Errors
    /// A [`ParameterError`] for lengths of 0, an empty range or list, weights that are no weights, and a
    /// mean that the law can't have.
    pub fn new(law: &LengthLaw) -> Result<Lengths, ParameterError> {
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
    /// Where `words` is 0: lengths from outside are checked by [`Lengths::new`].
    pub fn fixed(words: u16) -> Lengths {
        assert!(words > 0, "a packet has at least 1 word");
        Lengths {
            law: Drawn::Fixed,
            mean_words: words.into(),
            least_words: words,
            most_words: words,
        }
    }

    /// The mean length, in words.
    pub fn mean_words(&self) -> f64 {
        self.mean_words
    }

    /// The shortest length that is ever drawn.
    pub fn least_words(&self) -> u16 {
        self.least_words
    }

    /// The longest length that is ever drawn.
    pub fn most_words(&self) -> u16 {
        self.most_words
    }

    /// The length of the next packet: one draw, or none where all have one length.
    #[inline]
    pub fn draw(&self, draws: &mut Draws) -> u16 {
        match &self.law {
            Drawn::Fixed => self.most_words,
            law => self.drawn(law, draws),
        }
    }

    fn drawn(&self, law: &Drawn, draws: &mut Draws) -> u16 {
        match law {
            Drawn::Fixed => self.most_words,
            Drawn::Uniform => {
                let range = u32::from(self.most_words - self.least_words) + 1;
                self.least_words + draws.below(range) as u16
            }
            Drawn::Weighted(sums) => {
                let all = sums.last().map_or(0.0, |(sum, _)| *sum);
                let drawn = draws.open_unit() * all;
                let place = sums.partition_point(|(sum, _)| *sum <= drawn);
                sums.get(place).map_or(self.most_words, |(_, words)| *words)
            }
            Drawn::Geometric { log_q, kept } => {
                let failures = libm::log1p(-draws.open_unit() * kept) / log_q;
                (failures as u16).saturating_add(1).min(self.most_words)
            }
        }
    }
}

fn at_least_1(parameter: &'static str, words: u16) -> Result<u16, ParameterError> {
    if words == 0 {
        return Err(ParameterError::new(parameter, 0, "1 to 65535 words"));
    }
    Ok(words)
}

fn uniform(least_words: u16, most_words: u16) -> Result<Lengths, ParameterError> {
    let least_words = at_least_1("least_words", least_words)?;
    if most_words < least_words {
        let allowed = format!("{least_words} (least_words) to 65535 words");
        return Err(ParameterError::new("most_words", most_words, allowed));
    }
    if most_words == least_words {
        return Ok(Lengths::fixed(least_words));
    }
    Ok(Lengths {
        law: Drawn::Uniform,
        mean_words: (f64::from(least_words) + f64::from(most_words)) / 2.0,
        least_words,
        most_words,
    })
}

fn weighted(lengths: &[(u16, f64)]) -> Result<Lengths, ParameterError> {
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
        let found = format!("weights that add up to {all}");
        let allowed = "weights with a sum above 0 that is no overflow";
        return Err(ParameterError::new("lengths", found, allowed));
    }
    let words = || sums.iter().map(|(_, words)| *words);
    let (least_words, most_words) = (words().min().unwrap_or(1), words().max().unwrap_or(1));
    if least_words == most_words {
        return Ok(Lengths::fixed(least_words));
    }
    Ok(Lengths {
        law: Drawn::Weighted(sums),
        mean_words: words_sum / all,
        least_words,
        most_words,
    })
}

fn geometric(mean_words: f64, most_words: u16) -> Result<Lengths, ParameterError> {
    let most_words = at_least_1("most_words", most_words)?;
    let even = (f64::from(most_words) + 1.0) / 2.0;
    within("mean_words", mean_words, (1.0, even), "words")?;
    if mean_words == even {
        return uniform(1, most_words);
    }
    if mean_words == 1.0 {
        return Ok(Lengths::fixed(1));
    }
    // The mean grows with q, from 1 at q = 0 to the even law's at q = 1.
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
        law: Drawn::Geometric {
            log_q,
            kept: -libm::expm1(log_q * f64::from(most_words)),
        },
        mean_words: geometric_mean(q, most_words),
        least_words: 1,
        most_words,
    })
}

/// The sum of k q^(k - 1) over that of q^(k - 1), for k from 1 to `most_words`: no digits cancel.
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
