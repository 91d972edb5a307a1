//! Geometric gaps: how many tosses of a coin fail before the first that succeeds.
//!
//! One draw stands for a whole run of tosses (Devroye 1986, section X.2): with V uniform on (0, 1), the
//! failures before the next success at probability p are
//!
//! ```text
//! gap = floor(ln(1 - V) / ln(1 - p)),    P(gap >= k) = (1 - p)^k
//! ```
//!
//! Both logarithms come from `libm`, which gives the same bits on every machine.

use crate::Draws;

/// A coin that is tossed until it succeeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coin {
    /// ln(1 - p): the logarithm of the probability that a toss fails; at most 0.
    log_miss: f64,
}

impl Coin {
    /// A coin that succeeds with `probability`, from 0 to 1.
    pub(crate) fn new(probability: f64) -> Coin {
        Coin {
            // The sign of a probability of -0.0 must not turn the infinite gap around.
            log_miss: -libm::log1p(-probability).abs(),
        }
    }

    /// Whether it never succeeds.
    #[inline]
    pub(crate) fn never(self) -> bool {
        self.log_miss == 0.0
    }

    /// The tosses that fail before the next success; the greatest number where there is none. One draw.
    #[inline]
    pub(crate) fn failures(self, draws: &mut Draws) -> u64 {
        // At p = 0 the quotient is infinite and the conversion saturates; at p = 1 it is 0.
        (libm::log1p(-draws.open_unit()) / self.log_miss) as u64
    }

    /// The tosses up to the next success, itself included. One draw.
    #[inline]
    pub(crate) fn tosses(self, draws: &mut Draws) -> u64 {
        self.failures(draws).saturating_add(1)
    }
}
