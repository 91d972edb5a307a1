//! How long packets are.
//!
//! Rates are given in words, so every law knows its mean exactly: packets a cycle are words a cycle over
//! the mean. A packet takes one draw from its source's own stream, and none where all have one length.

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
mod tests {
    use super::*;
    use flitwork_types::NodeId;

    fn drawn(law: &LengthLaw, packets: usize) -> Vec<u16> {
        let lengths = Lengths::new(law).unwrap();
        let mut draws = Draws::new(17, NodeId(3));
        (0..packets).map(|_| lengths.draw(&mut draws)).collect()
    }

    /// The mean of 100,000 lengths lies within five standard errors of the law's, and so does each share.
    fn follows(law: &LengthLaw, share: impl Fn(u16) -> f64) {
        let packets = 100_000;
        let found = drawn(law, packets);
        let lengths = Lengths::new(law).unwrap();
        let all = lengths.least_words()..=lengths.most_words();
        let mean: f64 = all.clone().map(|k| f64::from(k) * share(k)).sum();
        assert!((mean - lengths.mean_words()).abs() < 1e-9 * mean, "{law:?}");
        let square: f64 = all.clone().map(|k| f64::from(k).powi(2) * share(k)).sum();
        let n = packets as f64;
        let found_mean = found.iter().map(|k| f64::from(*k)).sum::<f64>() / n;
        let error = ((square - mean * mean) / n).sqrt();
        assert!(
            (found_mean - mean).abs() < 5.0 * error,
            "{law:?}: {found_mean}"
        );
        for k in all {
            let count = found.iter().filter(|words| **words == k).count() as f64;
            // A share's count is binomial; one packet more for shares that round to nothing.
            let error = (n * share(k) * (1.0 - share(k))).sqrt();
            assert!(
                (count - n * share(k)).abs() < 5.0 * error + 1.0,
                "{law:?}: {k}"
            );
        }
    }

    #[test]
    fn every_law_has_its_shares_and_its_mean() {
        let uniform = LengthLaw::Uniform {
            least_words: 3,
            most_words: 12,
        };
        follows(&uniform, |_| 0.1);
        let weighted = LengthLaw::Weighted {
            lengths: vec![(1, 6.0), (5, 1.5), (9, 0.0), (2, 2.5)],
        };
        follows(&weighted, |k| match k {
            1 => 0.6,
            2 => 0.25,
            5 => 0.15,
            _ => 0.0,
        });
        for (q, most_words) in [(0.5f64, 3u16), (0.9, 20), (0.999, 40), (0.01, 500)] {
            // By the sums' closed forms, away from the code's.
            let share = move |k: u16| {
                q.powi(i32::from(k) - 1) * (1.0 - q) / (1.0 - q.powi(most_words.into()))
            };
            let mean_words = (1..=most_words).map(|k| f64::from(k) * share(k)).sum();
            let law = LengthLaw::Geometric {
                mean_words,
                most_words,
            };
            follows(&law, share);
        }
    }

    #[test]
    fn a_fixed_length_takes_no_draw() {
        let one_length = [
            LengthLaw::Fixed { words: 7 },
            LengthLaw::Uniform {
                least_words: 7,
                most_words: 7,
            },
            LengthLaw::Weighted {
                lengths: vec![(7, 2.0), (8, 0.0), (7, 1.0)],
            },
        ];
        for law in one_length {
            let lengths = Lengths::new(&law).unwrap();
            assert_eq!(lengths, Lengths::fixed(7));
            let mut draws = Draws::new(1, NodeId(1));
            assert_eq!(lengths.draw(&mut draws), 7);
            assert_eq!(draws, Draws::new(1, NodeId(1)));
        }
    }

    #[test]
    fn other_laws_take_one_draw() {
        let laws = [
            LengthLaw::Uniform {
                least_words: 1,
                most_words: u16::MAX,
            },
            LengthLaw::Weighted {
                lengths: vec![(1, 1e-300), (65_535, 1e300)],
            },
            LengthLaw::Geometric {
                mean_words: 32_767.999,
                most_words: u16::MAX,
            },
            LengthLaw::Geometric {
                mean_words: 1.000_000_1,
                most_words: 2,
            },
        ];
        for law in laws {
            let lengths = Lengths::new(&law).unwrap();
            let (mut draws, mut once) = (Draws::new(1, NodeId(1)), Draws::new(1, NodeId(1)));
            for _ in 0..1000 {
                let words = lengths.draw(&mut draws);
                assert!((lengths.least_words()..=lengths.most_words()).contains(&words));
                once.below(1);
                assert_eq!(draws, once, "{law:?}");
            }
        }
    }

    #[test]
    fn the_ends_of_the_geometric_law() {
        let law = |mean_words, most_words| LengthLaw::Geometric {
            mean_words,
            most_words,
        };
        assert_eq!(Lengths::new(&law(1.0, 9)), Ok(Lengths::fixed(1)));
        assert_eq!(Lengths::new(&law(1.0, 1)), Ok(Lengths::fixed(1)));
        assert_eq!(Lengths::new(&law(5.0, 9)), uniform(1, 9));
        let tiny = Lengths::new(&law(1.0 + f64::EPSILON, 9)).unwrap();
        assert!((tiny.mean_words() - 1.0).abs() < 1e-15);
        for (mean_words, most_words) in [
            (4.999_999, 9),
            (2000.0, 65_535),
            (1.5, 3),
            (32_000.5, 65_535),
        ] {
            let mean = Lengths::new(&law(mean_words, most_words))
                .unwrap()
                .mean_words();
            assert!((mean - mean_words).abs() < 1e-9 * mean_words, "{mean}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = |law| Lengths::new(&law).unwrap_err().parameter;
        assert_eq!(refused(LengthLaw::Fixed { words: 0 }), "words");
        let uniform = |least_words, most_words| LengthLaw::Uniform {
            least_words,
            most_words,
        };
        assert_eq!(refused(uniform(0, 3)), "least_words");
        assert_eq!(refused(uniform(4, 3)), "most_words");
        let weighted = |lengths: &[(u16, f64)]| LengthLaw::Weighted {
            lengths: lengths.to_vec(),
        };
        assert_eq!(refused(weighted(&[])), "lengths");
        assert_eq!(refused(weighted(&[(1, 0.0)])), "lengths");
        assert_eq!(
            refused(weighted(&[(9, f64::MAX), (9, f64::MAX)])),
            "lengths"
        );
        assert_eq!(refused(weighted(&[(0, 1.0)])), "lengths.words");
        for weight in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(weighted(&[(1, weight)])), "lengths.weight");
        }
        for mean_words in [0.0, 0.999, 5.001, f64::NAN, f64::INFINITY, -3.0] {
            let law = LengthLaw::Geometric {
                mean_words,
                most_words: 9,
            };
            assert_eq!(refused(law), "mean_words");
        }
        let law = LengthLaw::Geometric {
            mean_words: 1.0,
            most_words: 0,
        };
        assert_eq!(refused(law), "most_words");
        let message = Lengths::new(&uniform(4, 3)).unwrap_err().to_string();
        assert_eq!(
            message,
            "most_words is 3; allowed: 4 (least_words) to 65535 words"
        );
    }
}
